// Messages in space and time: a lane for each node, a line for each message, broken where it was lost.

import { html, useEffect, useRef, useState } from "./vendor/htm-preact.js";

const LANE = 26;
const LEFT = 56;
const LANES_MAX = 40; // of brokers
const SPAN_US = 4_000_000;
const QUIET = new Set(["BrokerHeartbeat", "Fetch"]);

function colours(element) {
  const style = getComputedStyle(element);
  return (name) => style.getPropertyValue(name).trim();
}

// Controllers, the selected node, and as many brokers as there is room for.
function lanesOf(scene, only) {
  const brokers = Object.keys(scene.brokers).filter((key) => !key.endsWith("+"));
  const shown = brokers.filter((key, index) => index < LANES_MAX || Number(key) === only);
  return [...Object.keys(scene.controllers), ...shown];
}

function draw(canvas, source, scene, us, hidesQuiet, only) {
  const nodes = lanesOf(scene, only);
  const scale = window.devicePixelRatio || 1;
  const width = canvas.parentElement.clientWidth;
  const height = nodes.length * LANE + 8;
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const colour = colours(canvas);
  const context = canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  const fromUs = us - SPAN_US * 0.75;
  const x = (at) => LEFT + ((width - LEFT) * (at - fromUs)) / SPAN_US;
  const lanes = new Map(nodes.map((id, index) => [Number(id), index * LANE + LANE / 2]));
  context.font = "12px system-ui, sans-serif";
  for (const [id, y] of lanes) {
    context.fillStyle = colour("--text");
    context.fillText(String(id), 4, y + 4);
    context.strokeStyle = colour("--line");
    context.beginPath();
    context.moveTo(LEFT, y);
    context.lineTo(width, y);
    context.stroke();
  }
  let [folded, shown] = [0, 0];
  for (const message of source.messages(fromUs, fromUs + SPAN_US)) {
    const from = lanes.get(message.sender);
    const to = lanes.get(message.receiver);
    if (from === undefined || to === undefined) continue;
    if (only !== undefined && message.sender !== only && message.receiver !== only) continue;
    if (hidesQuiet && QUIET.has(message.api) && !message.isLost && !message.error) {
      folded += 1;
      continue;
    }
    shown += 1;
    const endUs = message.endUs ?? fromUs + SPAN_US;
    context.strokeStyle = colour(message.isLost ? "--bad" : message.error ? "--warn" : message.isReply ? "--quiet" : "--accent");
    context.setLineDash(message.isLost ? [4, 3] : []);
    context.beginPath();
    context.moveTo(x(message.startUs), from);
    context.lineTo(x(endUs), message.isLost ? (from + to) / 2 : to);
    context.stroke();
    if (message.isLost) {
      context.fillStyle = colour("--bad");
      context.fillText("×", x(endUs) - 4, (from + to) / 2 + 4);
    }
  }
  context.setLineDash([]);
  context.strokeStyle = colour("--text");
  context.beginPath();
  context.moveTo(x(us), 0);
  context.lineTo(x(us), height);
  context.stroke();
  return { folded, shown };
}

const inWords = ({ folded, shown }) => `In these ${SPAN_US / 1e6} s: ${folded ? `${folded} heartbeats and fetches, which are folded; ` : ""}${shown || "no"} ${folded ? "other " : ""}${shown === 1 ? "message" : "messages"}.`;

export function SpaceTime({ source, scene, us, selected }) {
  const canvas = useRef();
  const [hidesQuiet, setHidesQuiet] = useState(true);
  const counts = useRef({ folded: 0, shown: 0 });
  const isNode = selected && selected.kind !== "event";
  const only = isNode ? Number(selected.id.replace("+", "")) : undefined; // a selected node is a filter
  useEffect(() => {
    counts.current = draw(canvas.current, source, scene, us, hidesQuiet, only);
  });
  return html`<section class="space-time" aria-label="Messages in space and time"><h2>Messages
    <label><input type="checkbox" checked=${hidesQuiet} onChange=${() => setHidesQuiet(!hidesQuiet)} /> fold heartbeats and fetches${isNode ? ` · only of ${selected.id}` : ""}</label></h2>
    <div><canvas ref=${canvas} role="img" aria-label="Lines from senders to receivers; the list of events says the same in words"></canvas></div>
    <p class="note">${inWords(counts.current)}</p></section>`;
}
