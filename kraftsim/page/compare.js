// Two branches side by side at one time, with the first event in which they differ.

import { html } from "./vendor/htm-preact.js";
import { Brokers } from "./brokers.js";
import { Controllers } from "./controllers.js";
import { fileTime } from "./signs.js";

const sameEvent = (a, b) => a && b && a.atUs === b.atUs && a.kind === b.kind && a.text === b.text && a.node === b.node;

// Two releases write other records at the start, and so other epochs, a little earlier or later.
const SOON_US = 200_000;
const withoutEpochs = (text) => text.replaceAll(/ \(epoch \d+\)/g, "");
const alikeEvent = (a, b) =>
  a && b && Math.abs(a.atUs - b.atUs) < SOON_US && a.kind === b.kind && withoutEpochs(a.text) === withoutEpochs(b.text);

const isAct = (event) => event.kind.startsWith("fault") && event.faultId?.startsWith("act-");

// The first events that differ; an act is no difference, what follows from it is.
export function firstDifference(one, other) {
  const [ours, theirs] = [one, other].map(({ events }) => events.filter((event) => !isAct(event)));
  const length = Math.max(ours.length, theirs.length);
  const isSame = one.profile === other.profile ? sameEvent : alikeEvent;
  for (let index = 0; index < length; index += 1) {
    if (!isSame(ours[index], theirs[index])) return [ours[index], theirs[index]];
  }
  return undefined;
}

export function Difference({ one, other, letters, beginUs, onSeek }) {
  const found = firstDifference(one, other);
  if (!found) return html`<p class="difference">${letters.join(" and ")}: no event differs.</p>`;
  const says = (event, letter) => (event ? `${letter}: ${fileTime(event.atUs, beginUs)} ${event.text}` : `${letter}: nothing more happens`);
  const atUs = Math.min(...found.filter(Boolean).map((event) => event.atUs));
  return html`<p class="difference"><button onClick=${() => onSeek(atUs)}>first difference</button>
    <span>${says(found[0], letters[0])}</span> <span>${says(found[1], letters[1])}</span></p>`;
}

export function SideBySide({ players, letters, us, selected, onSelect }) {
  return html`<div class="side-by-side">${players.map((player, index) => {
    const now = player.source.at(us);
    if (!now) player.source.fetched(us).catch((error) => player.fail(error));
    const scene = now ?? player.shown;
    return html`<div key=${letters[index]} class="side"><h2>${letters[index]}</h2>
      ${scene && html`<${Controllers} scene=${scene} selected=${selected} onSelect=${onSelect} />`}
      ${scene && html`<${Brokers} scene=${scene} us=${us} selected=${selected} onSelect=${onSelect} />`}</div>`;
  })}</div>`;
}
