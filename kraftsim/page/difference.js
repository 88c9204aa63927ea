// Where the compared branches differ, in words: which event, when, what each did, and by which rule.

import { html } from "./vendor/htm-preact.js";
import { nameOf } from "./compare.js";
import { differences, rulesOf } from "./divergence.js";
import { fileTime } from "./signs.js";

const CHANCE = "No rule tells these releases apart here: what happened before differs, or the delays, which are drawn for each message.";
const known = new WeakMap(); // by the first story: the stories compared last, and their differences

export function differencesOf(players) {
  const stories = players.map((player) => player.source.story);
  const before = known.get(stories[0]);
  if (before && before.stories.length === stories.length && stories.every((story, index) => story === before.stories[index])) return before.found;
  const found = differences(stories);
  known.set(stories[0], { stories, found });
  return found;
}

// To the first difference after this moment; after the last, to the first of all.
export function jumpToDifference({ compared, players, player }) {
  if (players.length < 2) return;
  const found = differencesOf(compared.map((index) => players[index]));
  const next = found.find((item) => item.atUs > player.us) ?? found[0];
  player.pause();
  if (next) player.seek(next.atUs);
}

function Did({ player, name, event, root, isHere, rules }) {
  const { beginUs } = player.source;
  const happens = event ? `${fileTime(event.atUs, beginUs)} ${event.text}` : "does not happen";
  return html`<div class="did ${isHere ? "here" : ""}"><b>${name}</b>
    <p>${event && !isHere ? "at another time: " : ""}${happens}</p>
    ${root && root !== event && html`<p class="root">because: ${fileTime(root.atUs, beginUs)} ${root.text}</p>`}
    ${rules.map((rule) => html`<p class="rule" key=${rule.topic}>${rule.says} <small>${rule.source}</small></p>`)}</div>`;
}

export function Difference({ visit }) {
  const { compared, players, player } = visit;
  const shown = compared.map((index) => players[index]);
  const found = differencesOf(shown);
  const names = compared.map((index) => nameOf(players[index], index));
  if (!found.length) return html`<p class="difference">${names.join(" and ")}: no event differs.</p>`;
  const number = Math.max(0, found.findLastIndex((item) => item.atUs <= player.us));
  const item = found[number];
  const rules = rulesOf(item, shown.map(({ source }) => source.story));
  const isOfReleases = new Set(shown.map(({ source }) => source.story.profile)).size > 1;
  const place = number ? `Difference ${number + 1} of ${found.length}` : "First difference";
  return html`<button onClick=${() => { player.pause(); player.seek(found[0].atUs); }}>first difference</button>
    <button onClick=${() => jumpToDifference(visit)} title="next difference (d)">next difference</button>
    <b class="apart-at">≠ ${place}: ${fileTime(item.atUs, player.source.beginUs)}</b>
    <section class="difference" aria-label="Difference"><div class="dids">${item.events.map((event, index) => html`<${Did} key=${names[index]}
      player=${shown[index]} name=${names[index]} event=${event} root=${item.roots[index]} isHere=${item.isHere[index]} rules=${rules[index]} />`)}</div>
      ${isOfReleases && !rules[0].length && html`<p class="rule">${CHANCE}</p>`}</section>`;
}
