// Messages on the stage, over the ring and the cards: they fly at slow speeds, above 4 x they are pulses of
// their link, above 60 x, or 300 a second, they are counts. Lost and held messages stay, with the reason.

import { html, useEffect, useRef } from "./vendor/htm-preact.js";
import { heldOn, lostBy } from "./held.js";
import { drawFlight, drawHeld, drawLost, drawPulse, prepared } from "./flight_signs.js";

const FLIGHT_US = 400_000; // shown at speed 1: a message on loopback takes less than a millisecond
const LATE_US = 300_000; // a live stage is behind by a poll, so that messages begin in order
const LOST_US = 1_500_000;
const STILL_US = 20_000; // while time stands: what leaves within
const FLYING_MAX = 40;
const RATES_MAX = 4; // APIs
const COUNTED = 300; // messages a second of which only lost and refused ones are drawn
const FAST = 4;
const FASTEST = 60;

export const QUIET = new Set(["BrokerHeartbeat", "Fetch"]);
const moves = () => !matchMedia("(prefers-reduced-motion: reduce)").matches;

// The time of the stage, how long a message is shown, and whether time stands.
function view(player, us) {
  const isStill = !player.isPlaying && !player.follows;
  const speed = Math.max(player.speed, 0.01);
  return { us: player.follows ? us - LATE_US : us, shownUs: isStill ? STILL_US : FLIGHT_US * speed, speed, isStill };
}

// What is to be drawn of a message at a time: its way so far (0 to 1), or nothing.
function progress(message, { us, shownUs, isStill }) {
  const takesUs = Math.max((message.endUs ?? us) - message.startUs, 0);
  if (isStill) return us >= message.startUs && us < message.startUs + Math.max(takesUs, shownUs) ? 0.5 : undefined;
  const lastsUs = Math.max(takesUs, shownUs);
  const startUs = message.startUs + (message.isReply ? lastsUs - takesUs : 0); // after its request
  const part = (us - startUs) / lastsUs;
  return part >= 0 && part <= 1 ? part : undefined;
}

function flying(source, now) {
  const fromUs = now.us - Math.max(LOST_US * Math.max(now.speed, 1), 2 * now.shownUs);
  const all = source.messages(fromUs, now.us + 1);
  const lost = all.filter((message) => message.isLost && message.endUs <= now.us);
  const shown = all.filter((message) => !message.isLost && !message.fault).map((message) => [message, progress(message, now)]);
  return { lost, shown: shown.filter(([, part]) => part !== undefined) };
}

const sum = (rates) => Object.values(rates).reduce((a, b) => a + b, 0);

function draw(canvas, player, scene, us) {
  const stage = prepared(canvas);
  const now = view(player, us);
  for (const group of heldOn(scene)) drawHeld(stage, group);
  if (now.speed > FASTEST) return;
  const { lost, shown } = flying(player.source, now);
  const links = new Map(lost.map((message) => [`${message.sender} ${message.receiver}`, message]));
  for (const message of links.values()) drawLost(stage, message, lostBy(message, scene));
  const isCounted = sum(player.source.rates ?? {}) > COUNTED;
  const drawn = isCounted ? shown.filter(([message]) => message.error) : shown;
  const isCrowd = shown.length > FLYING_MAX || now.speed > FAST;
  for (const [message, part] of drawn.slice(-FLYING_MAX)) {
    if (isCrowd || (!moves() && !now.isStill)) drawPulse(stage, message, part);
    else drawFlight(stage, message, part, now.isStill || message.error || !QUIET.has(message.api));
  }
}

export function Flights({ player, scene, us }) {
  const canvas = useRef();
  useEffect(() => draw(canvas.current, player, scene, us));
  return html`<canvas ref=${canvas} class="flights" aria-hidden="true"></canvas>`;
}

// How many messages there are each second of the cluster's time, in words.
export function Rates({ player, us }) {
  const { source } = player;
  const rates = source.rates ?? perSecond(source.messages(us - 1_000_000, us));
  const named = Object.entries(rates).filter(([, rate]) => rate >= 0.5).sort(([, a], [, b]) => b - a);
  return html`<p class="rates"><span aria-hidden="true"><b class="sign-request"></b> request <b class="sign-reply"></b> reply <b class="sign-held"></b> held <b class="sign-lost">×</b> lost</span>
    <small>each second: ${named.slice(0, RATES_MAX).map(([api, rate]) => `${Math.round(rate)} ${api}`).join(", ") || "no message"}</small></p>`;
}

function perSecond(messages) {
  const counts = {};
  for (const { api } of messages) counts[api] = (counts[api] ?? 0) + 1;
  return counts;
}
