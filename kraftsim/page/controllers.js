// The controllers: a ring with the leader crowned, votes as arcs, and a strip of the log of each.

import { html } from "./vendor/htm-preact.js";
import { Term, className } from "./signs.js";

const SIZE = 220;
const CENTRE = SIZE / 2;
const RADIUS = 72;

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
  return html`<svg class="ring" viewBox="0 0 ${SIZE} ${SIZE}" role="group" aria-label="The quorum">
    ${links}
    ${Object.entries(controllers).map(([id, item]) => {
      const [x, y] = at[id];
      const role = item.state === "RUNNING" ? item.role : item.state === "PAUSED" ? "paused" : "gone";
      const pick = () => onSelect({ kind: "controller", id });
      return html`<g key=${id} class="voter ${role} ${selected?.id === id ? "selected" : ""}" transform="translate(${x} ${y})"
        tabindex="0" role="button" aria-label=${`controller ${id}: ${role}, epoch ${item.epoch}`}
        onClick=${pick} onKeyDown=${(event) => event.key === "Enter" && pick()}>
        <circle r="25" />
        ${item.isActive && html`<text class="crown" y="-27">♛</text>`}
        <text y="-1">${id}</text><text class="small" y="12">epoch ${item.epoch}</text></g>`;
    })}
  </svg>`;
}

function Strip({ item, from, to }) {
  const part = (offset) => `${(100 * Math.max(0, offset - from)) / Math.max(1, to - from)}%`;
  const ends = [...item.epochs.slice(1).map(({ start }) => start), item.logEnd];
  return html`<div class="strip" role="img"
    aria-label=${`log of ${item.id}: ${item.logEnd} records, ${item.highWatermark} committed, as far as it knows`}>
    ${item.epochs.map(({ epoch, start }, index) => ends[index] > from && html`<span key=${epoch} class="records epoch-${epoch % 6}"
      style=${{ left: part(start), width: `calc(${part(ends[index])} - ${part(start)})` }} title=${`epoch ${epoch} from offset ${start}`}>${epoch}</span>`)}
    ${item.logEnd > item.highWatermark && html`<span class="tail" style=${{ left: part(item.highWatermark), width: `calc(${part(item.logEnd)} - ${part(item.highWatermark)})` }}></span>`}
    <span class="mark" style=${{ left: part(item.highWatermark) }}></span></div>`;
}

function role(item) {
  if (item.state !== "RUNNING") return item.state === "PAUSED" ? "paused" : "gone";
  return item.role;
}

export function Controllers({ scene, selected, onSelect }) {
  const items = Object.values(scene.controllers);
  const to = Math.max(...items.map((item) => item.logEnd));
  const from = Math.max(0, to - 60);
  return html`<section class="controllers" aria-label="Controllers"><h2>Controllers</h2>
    <${Ring} controllers=${scene.controllers} selected=${selected} onSelect=${onSelect} />
    <ul class="logs">${items.map((item) => html`<li key=${item.id}>
      <button class="pick" onClick=${() => onSelect({ kind: "controller", id: String(item.id) })}>${item.id}</button>
      <${Term} word=${role(item)}><span class="role ${className(role(item))}">${role(item)}</span><//>
      <${Strip} item=${item} from=${from} to=${to} />
      <small>end ${item.logEnd}, <${Term} word="high watermark" /> ${item.highWatermark}${item.logEnd > item.highWatermark ? html`, <${Term} word="uncommitted tail">${item.logEnd - item.highWatermark} uncommitted<//>` : ""}</small></li>`)}</ul>
  </section>`;
}
