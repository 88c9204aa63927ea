// The controllers: a ring with the leader crowned, votes as arcs, and a strip of the log of each.

import { html } from "./vendor/htm-preact.js";
import { LogStrip } from "./log_strip.js";
import { Differs } from "./marks.js";
import { Term, className } from "./signs.js";

const SIZE = 220;
const CENTRE = SIZE / 2;
const RADIUS = 72;
const CROWN = 22; // its height above a node

function places(controllers) {
  const ids = Object.keys(controllers);
  return Object.fromEntries(ids.map((id, index) => {
    const angle = (index / ids.length) * 2 * Math.PI - Math.PI / 2;
    return [id, [CENTRE + RADIUS * Math.cos(angle), CENTRE + RADIUS * Math.sin(angle)]];
  }));
}

function Ring({ controllers, selected, onSelect }) {
  const at = places(controllers);
  const links = Object.entries(controllers).flatMap(([id, item]) => {
    if (item.state !== "RUNNING") return [];
    const voters = item.votes.filter((voter) => String(voter) !== id && at[voter]);
    const votes = voters.map((voter) => html`<line key=${`${voter}v${id}`} class="vote" x1=${at[voter][0]} y1=${at[voter][1]} x2=${at[id][0]} y2=${at[id][1]} />`);
    const follows = item.role === "follower" && at[item.leaderId] &&
      html`<line key=${`${id}f`} class="follows" x1=${at[id][0]} y1=${at[id][1]} x2=${at[item.leaderId][0]} y2=${at[item.leaderId][1]} />`;
    return [...votes, follows];
  });
  return html`<svg class="ring" viewBox="0 ${-CROWN} ${SIZE} ${SIZE + CROWN}" role="group" aria-label="The quorum">
    ${links}
    ${Object.entries(controllers).map(([id, item]) => {
      const [x, y] = at[id];
      const role = item.state === "RUNNING" ? item.role : item.state === "PAUSED" ? "paused" : "gone";
      const pick = () => onSelect({ kind: "controller", id });
      return html`<g key=${id} class="voter ${role} ${selected?.id === id ? "selected" : ""}" transform="translate(${x} ${y})" data-node=${id}
        tabindex="0" role="button" aria-label=${`controller ${id}: ${role}, epoch ${item.epoch}`}
        onClick=${pick} onKeyDown=${(event) => event.key === "Enter" && pick()}>
        <circle r="25" />
        ${item.isActive && html`<text class="crown" y="-27">♛</text>`}
        <text y="-1">${id}</text><text class="small" y="12">epoch ${item.epoch}</text></g>`;
    })}
  </svg>`;
}

// What a controller knows to be committed is a part of what the quorum has committed: a follower learns the
// high watermark with its next fetch.
function parts(item, committed) {
  const known = Math.min(item.highWatermark, item.logEnd);
  const sure = Math.min(Math.max(committed, known), item.logEnd);
  return { known, sure, unknown: sure - known, tail: item.logEnd - sure };
}

function Strip({ item, committed, from, to }) {
  const { known, sure, unknown, tail } = parts(item, committed);
  const spans = [
    { kind: "unlearned", begin: known, end: sure, title: `${unknown} committed by the quorum; ${item.id} learns it with its next fetch` },
    { kind: "tail", begin: sure, end: item.logEnd, title: `${tail} not committed: no majority has them yet, a new leader may cut them` },
  ];
  return html`<${LogStrip} epochs=${item.epochs} end=${item.logEnd} highWatermark=${known} spans=${spans} from=${from} to=${to}
    label=${`log of ${item.id}: ${item.logEnd} records; the quorum has committed ${sure} of them, ${item.id} knows that of ${known}`}
    title=${`high watermark that ${item.id} knows: ${known}`} />`;
}

function Words({ item, committed }) {
  const { unknown, tail } = parts(item, committed);
  return html`<small>end ${item.logEnd}, <${Term} word="high watermark" /> ${item.highWatermark}${unknown > 0 ? html`, <${Term} word="not yet learned">${unknown} not learned<//>` : ""}${tail > 0 ? html`, <${Term} word="uncommitted tail">${tail} uncommitted<//>` : ""}</small>`;
}

function role(item) {
  if (item.state !== "RUNNING") return item.state === "PAUSED" ? "paused" : "gone";
  return item.role;
}

// Side by side, where what differs has `marks`, there is no room for the ring.
export function Controllers({ scene, marks, selected, onSelect, children }) {
  const items = Object.values(scene.controllers);
  const to = Math.max(...items.map((item) => item.logEnd));
  const from = Math.max(0, to - 60);
  return html`<section class="controllers" aria-label="Controllers"><h2>Controllers</h2>
    ${!marks && html`<${Ring} controllers=${scene.controllers} selected=${selected} onSelect=${onSelect} />`}
    <ul class="logs">${items.map((item) => html`<li key=${item.id}>
      <button class="pick" onClick=${() => onSelect({ kind: "controller", id: String(item.id) })}>${item.id}</button>
      <${Term} word=${role(item)}><span class="role ${className(role(item))}">${role(item)}</span><//>
      <${Differs} mark=${marks?.get(String(item.id))} />
      <${Strip} item=${item} committed=${scene.committed} from=${from} to=${to} />
      <${Words} item=${item} committed=${scene.committed} /></li>`)}</ul>
    ${children}</section>`;
}
