// The timeline: lanes for the faults, the controllers and the brokers, glyphs for turning points.
// Dragging it, or its keys, moves the world.

import { html, useRef } from "./vendor/htm-preact.js";
import { isTurningPoint } from "./player.js";
import { fileTime } from "./signs.js";

const GLYPHS = {
  broker_fenced: "⊘", broker_unfenced: "●", broker_registered: "＋", broker_unregistered: "−",
  controller_elected: "♛", controller_stands: "?", controller_resigns: "↓", fault_begins: "⚡", fault_ends: "✓",
  lease_expired: "⌛", broker_in_controlled_shutdown: "↓", admin_refused: "✗", calm_begins: "~",
  replicas_deleted: "×", replicas_stray: "≠", records_truncated: "⊣",
};
const LANE = 18;
const PAGE_US = 10_000_000;
const GLYPHS_MAX = 600;
const TICKS = [0.2, 0.4, 0.6, 0.8]; // of the time that is shown

const laneOf = (event) => {
  if (event.kind.startsWith("fault") || event.kind === "calm_begins" || event.kind === "admin_refused") return "faults";
  if (event.brokerIds.length) return "brokers";
  return event.node.startsWith("controller") ? "controllers" : "brokers";
};

function bands(events, endUs) {
  const open = new Map();
  const found = [];
  for (const event of events) {
    if (event.kind === "fault_begins") open.set(event.faultId, event.atUs);
    if (event.kind === "fault_ends" && open.has(event.faultId)) {
      found.push([open.get(event.faultId), event.atUs, event.faultId]);
      open.delete(event.faultId);
    }
  }
  return [...found, ...[...open].map(([id, from]) => [from, endUs, id])];
}

export function Timeline({ source, us, knownUs, branches, differences, onSeek }) {
  const line = useRef();
  const { story, beginUs, endUs } = source;
  const fromUs = source.isLive ? Math.max(beginUs, endUs - 120_000_000) : Math.min(beginUs, us);
  const spanUs = Math.max(1, endUs - fromUs);
  const x = (at) => `${(100 * (at - fromUs)) / spanUs}%`;
  const known = story.events.filter((event) => event.atUs <= knownUs);
  const seen = known.filter((event) => event.atUs >= fromUs && event.kind in GLYPHS).slice(-GLYPHS_MAX);
  const seekTo = (event) => {
    const box = line.current.getBoundingClientRect();
    onSeek(fromUs + (spanUs * Math.max(0, Math.min(box.width, event.clientX - box.left))) / box.width);
  };
  const onPointerDown = (event) => {
    line.current.setPointerCapture(event.pointerId);
    seekTo(event);
  };
  const onKeyDown = (event) => {
    const to = { Home: fromUs, End: endUs, PageUp: us - PAGE_US, PageDown: us + PAGE_US }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    onSeek(to);
  };
  const onPointerMove = (event) => event.buttons && seekTo(event);
  return html`<div class="timeline" role="slider" tabindex="0" aria-label="Time"
    aria-valuemin="0" aria-valuemax=${Math.round(spanUs / 1e6)} aria-valuenow=${Math.round((us - fromUs) / 1e6)}
    aria-valuetext=${fileTime(us, beginUs)} onKeyDown=${onKeyDown} onPointerDown=${onPointerDown} onPointerMove=${onPointerMove}>
    ${["faults", "controllers", "brokers"].map((lane, index) => html`<div class="time-lane" key=${lane} style=${{ top: `${index * LANE}px` }}>
      <span class="lane-name">${lane}</span></div>`)}
    <div class="time-area" ref=${line}>
    ${bands(known, Math.min(endUs, knownUs)).map(([from, to, id]) => to > fromUs && html`<span class="band" key=${`${id}${from}`} title=${id}
      style=${{ left: x(Math.max(from, fromUs)), width: `calc(${x(to)} - ${x(Math.max(from, fromUs))})` }}></span>`)}
    ${seen.map((event) => html`<span key=${event.seq} aria-hidden="true" class="glyph ${event.kind} ${isTurningPoint(event) ? "turning" : ""}" title=${event.text}
      style=${{ left: x(event.atUs), top: `${["faults", "controllers", "brokers"].indexOf(laneOf(event)) * LANE}px` }}>${GLYPHS[event.kind]}</span>`)}
    ${(branches ?? []).filter((branch) => branch.leftUs).map((branch) => html`<span class="left" key=${branch.letter} style=${{ left: x(branch.leftUs) }}>${branch.letter}</span>`)}
    ${(differences ?? []).map((item, index) => html`<span class="apart ${index ? "" : "first"}" key=${index} aria-hidden="true" title=${index ? "a difference" : "first difference"}
      style=${{ left: x(item.atUs) }} onPointerDown=${(event) => { event.stopPropagation(); onSeek(item.atUs); }}>${index ? "" : "≠"}</span>`)}
    ${story.broken.filter((broken) => broken.atUs <= knownUs).map((broken) => html`<span class="broken" key=${broken.name} title=${broken.what} style=${{ left: x(broken.atUs) }}>✗</span>`)}
    ${TICKS.map((part) => html`<span class="tick" key=${part} style=${{ left: `${100 * part}%` }}>${fileTime(fromUs + part * spanUs, beginUs)}</span>`)}
    <span class="head" style=${{ left: x(us) }}></span>
    </div>
  </div>`;
}
