// Step, play and speed, with a key for each; and jumps to the next moment of a kind.

import { html } from "./vendor/htm-preact.js";
import { SPEEDS, isTurningPoint } from "./player.js";
import { fileTime } from "./signs.js";

export const JUMPS = [
  ["fence", (event) => event.kind === "broker_fenced"],
  ["election", (event) => event.kind === "controller_elected"],
  ["fault", (event) => event.kind === "fault_begins"],
];

const SECOND_US = 1_000_000;

// Events that a record of the metadata log has caused.
export const isRecord = (event) => /^(broker_|topic_|partition_|controller_elected)/.test(event.kind);

const NAMED_MAX = 3;

// "BrokerHeartbeat 2 → 3000", for the messages that leave at one time.
function inWords(messages) {
  const words = messages.map(({ api, isReply, sender, receiver, isLost, error }) =>
    `${api}${isReply ? " reply" : ""} ${sender < 0 ? "client" : sender} → ${receiver < 0 ? "client" : receiver}${isLost ? ", lost" : ""}${error ? `, ${error}` : ""}`);
  const more = words.length > NAMED_MAX ? ` and ${words.length - NAMED_MAX} more` : "";
  return `Message: ${words.slice(0, NAMED_MAX).join("; ")}${more}`;
}

export function stepMessage(player, direction) {
  const { source, us } = player;
  const messages = source.messages(us - SECOND_US, us + SECOND_US).sort((a, b) => a.startUs - b.startUs);
  const found = direction > 0 ? messages.find(({ startUs }) => startUs > us) : messages.findLast(({ startUs }) => startUs < us);
  player.pause();
  if (!found) return;
  player.stepped = { us: found.startUs, text: inWords(messages.filter(({ startUs }) => startUs === found.startUs)) };
  player.seek(found.startUs);
}

export function Controls({ player }) {
  const { source } = player;
  const hasBroken = source.story.broken.length > 0;
  return html`<div class="controls" role="group" aria-label="Time">
    <button onClick=${() => player.jump(-1, isTurningPoint)} title="previous turning point ([)" aria-label="previous turning point">«</button>
    <button onClick=${() => player.jump(-1)} title="previous event (←)" aria-label="previous event">‹</button>
    <button class="play" onClick=${() => player.toggle()} title="play or pause (space)" aria-label=${player.isPlaying ? "pause" : "play"}>${player.isPlaying ? "❚❚" : "▶"}</button>
    <button onClick=${() => player.jump(1)} title="next event (→)" aria-label="next event">›</button>
    <button onClick=${() => player.jump(1, isTurningPoint)} title="next turning point (])" aria-label="next turning point">»</button>
    <output class="time" role="timer">${fileTime(player.us, source.beginUs)}</output>
    <span class="steps">step <button onClick=${() => stepMessage(player, 1)} title="next message (m)">message</button>
      <button onClick=${() => player.jump(1, isRecord)} title="next record of the log (r)">record</button>
      <button onClick=${() => player.seek(player.us + SECOND_US)} title="one second (s)">second</button></span>
    <span class="steps">next ${JUMPS.map(([name, wanted]) => html`<button key=${name} onClick=${() => player.jump(1, wanted)}>${name}</button>`)}
      ${!source.isLive && html`<button onClick=${() => player.jumpToMismatch()}>mismatch</button>`}
      ${hasBroken && html`<button onClick=${() => player.seek(source.story.broken[0].atUs)}>violation</button>`}</span>
    ${!source.isLive && html`<label class="speed">speed <select value=${player.speed} onChange=${(event) => (player.speed = Number(event.target.value))}>
      ${SPEEDS.map((speed) => html`<option key=${speed} value=${speed}>${speed < 1 ? `1/${Math.round(1 / speed)}` : `${speed} ×`}</option>`)}</select></label>`}
    ${source.isLive && !player.follows && html`<button onClick=${() => player.follow()}>to now</button>`}
  </div>`;
}
