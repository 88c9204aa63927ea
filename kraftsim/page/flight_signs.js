// The signs of messages on a canvas over the stage: a dot flies from a node to another, a square waits.

const HEIGHT_MAX = 4_000;
const RADIUS = 5;
const SMALL = 2.5; // of fetches, of which there are many
const HELD_AT = 0.75; // of the way
const LABEL = 16; // its height
const SHIFTS = [-22, 8, -40, 26, -58, 44, -76, 62, 80, 98]; // of labels, from the middle of their sign
const NAMES = ".pick, .rack-name, .broker .state, .ids, .bar-words, .mismatch, .dots, main h2, .voter";
const NAMES_MAX = 300;
const FONT = "12px system-ui, sans-serif";

// Makes the canvas as large as the stage, and returns what signs need.
export function prepared(canvas) {
  const box = canvas.parentElement.getBoundingClientRect();
  const scale = window.devicePixelRatio || 1;
  const [width, height] = [box.width, Math.min(box.height, HEIGHT_MAX)];
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = FONT;
  const style = getComputedStyle(canvas);
  return { context, box, places: new Map(), stage: canvas.parentElement, colour: (name) => style.getPropertyValue(name).trim() };
}

const elements = new Map(); // by node, because a search among 1,000 brokers takes long

function elementOf(stage, id) {
  if (!elements.get(id)?.isConnected) elements.set(id, stage.querySelector(`[data-node="${id}"]`));
  return elements.get(id);
}

// The place of a node: the middle of a controller or of a cell, the left edge of a card.
function place(stage, id) {
  if (!stage.places.has(id)) {
    const element = elementOf(stage.stage, id);
    const box = element?.getBoundingClientRect();
    const x = box && (element.matches(".broker") ? box.left + 2 : box.left + box.width / 2);
    const y = box && (element.matches(".broker") ? box.top + 14 : box.top + box.height / 2);
    stage.places.set(id, box && [x - stage.box.left, y - stage.box.top]);
  }
  return stage.places.get(id);
}

function way(stage, message) {
  const [from, to] = [place(stage, message.sender), place(stage, message.receiver)];
  return from && to && { from, to, at: (part) => [from[0] + (to[0] - from[0]) * part, from[1] + (to[1] - from[1]) * part] };
}

function line({ context, colour }, from, to, name, alpha, dash = []) {
  context.globalAlpha = alpha;
  context.strokeStyle = colour(name);
  context.lineWidth = 1.5;
  context.setLineDash(dash);
  context.beginPath();
  context.moveTo(...from);
  context.lineTo(...to);
  context.stroke();
  context.setLineDash([]);
  context.globalAlpha = 1;
}

// What a label must not cover: names, states and numbers of the stage, and other labels.
function covered(stage) {
  stage.covered ??= [...stage.stage.querySelectorAll(NAMES)].slice(0, NAMES_MAX).map((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    return { left: left - stage.box.left, top: top - stage.box.top, width, height };
  });
  return stage.covered;
}

const overlap = (a, b) => a.left < b.left + b.width && b.left < a.left + a.width && a.top < b.top + b.height && b.top < a.top + a.height;

// The place for a label near a point: the nearest of some above and below it that covers nothing.
function free(stage, width, [x, y]) {
  const left = Math.min(Math.max(2, x - width / 2), stage.box.width - width - 2);
  const places = SHIFTS.map((shift) => ({ left, top: y + shift, width, height: LABEL }));
  return places.find((item) => item.top >= 0 && !covered(stage).some((name) => overlap(item, name))) ?? places[0];
}

function label(stage, text, at, name) {
  const { context, colour } = stage;
  const item = free(stage, context.measureText(text).width + 6, at);
  stage.covered.push(item);
  context.fillStyle = colour("--card");
  context.globalAlpha = 0.92;
  context.fillRect(item.left, item.top, item.width, item.height);
  context.globalAlpha = 1;
  context.fillStyle = colour(name);
  context.fillText(text, item.left + 3, item.top + 12);
}

const isSmall = ({ api, error }) => api === "Fetch" && !error;

function dot({ context, colour }, [x, y], message) {
  const { isReply, error } = message;
  context.beginPath();
  context.arc(x, y, isSmall(message) ? SMALL : RADIUS, 0, 2 * Math.PI);
  context.lineWidth = isSmall(message) ? 1 : 2;
  context.strokeStyle = colour(error ? "--bad" : "--accent");
  context.fillStyle = isReply ? colour("--card") : context.strokeStyle;
  context.fill();
  context.stroke();
}

export function drawFlight(stage, message, part, isNamed) {
  const found = way(stage, message);
  if (!found) return;
  const at = found.at(part);
  if (!isSmall(message)) line(stage, found.from, at, message.error ? "--bad" : "--accent", 0.3);
  dot(stage, at, message);
  if (isNamed) label(stage, message.error || message.api, at, message.error ? "--bad" : "--text");
}

// The whole link at once, with the message at its end.
export function drawPulse(stage, message, part) {
  const found = way(stage, message);
  if (!found) return;
  line(stage, found.from, found.to, message.error ? "--bad" : "--accent", (isSmall(message) ? 0.15 : 0.5) * (1 - part) + 0.05);
  dot(stage, found.to, message);
}

// Two halves with a gap.
export function drawLost(stage, message, reason) {
  const found = way(stage, message);
  if (!found) return;
  line(stage, found.from, found.at(0.46), "--bad", 0.8);
  line(stage, found.at(0.54), found.to, "--bad", 0.8, [4, 4]);
  const { context, colour } = stage;
  const [x, y] = found.at(0.5);
  context.fillStyle = colour("--bad");
  context.fillText("✕", x - 5, y + 5);
  label(stage, `${message.api}${message.isReply ? " reply" : ""} lost${reason}`, [x, y], "--bad");
}

export function drawHeld(stage, { sender, receiver, count, isLate }) {
  const found = way(stage, { sender, receiver });
  if (!found) return;
  const [x, y] = found.at(HELD_AT);
  line(stage, found.from, [x, y], "--warn", 0.9);
  line(stage, [x, y], found.to, "--warn", 0.5, [2, 5]);
  const { context, colour } = stage;
  context.fillStyle = colour("--warn");
  context.fillRect(x - 6, y - 6, 12, 12);
  label(stage, `${count} ${isLate ? "delayed" : "held"}`, [x, y], "--warn");
}
