// States as word, sign and colour: never as colour alone.

import { html } from "./vendor/htm-preact.js";
import { GLOSSARY } from "./glossary.js";

export const TRUTHS = {
  unfenced: { sign: "●", name: "unfenced" },
  fenced: { sign: "⊘", name: "fenced" },
  "shutting down": { sign: "◌↓", name: "controlled shutdown" },
  unregistered: { sign: "◌", name: "unregistered" },
};

export const PROCESSES = {
  RUNNING: "running",
  STARTING: "starting",
  RECOVERY: "catching up",
  PAUSED: "paused",
  NOT_RUNNING: "gone",
  NOT_SIMULATED: "real broker",
  PENDING_CONTROLLED_SHUTDOWN: "draining",
  SHUTTING_DOWN: "ending",
};

export const className = (text) => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");

export const seconds = (us, digits = 1) => `${(us / 1e6).toFixed(digits)} s`;

export function fileTime(us, beginUs) {
  const offset = us - beginUs;
  const tenths = Math.round(Math.abs(offset) / 1e5);
  const minutes = String(Math.floor(tenths / 600)).padStart(2, "0");
  const rest = ((tenths % 600) / 10).toFixed(1).padStart(4, "0");
  return `T${offset < 0 ? "−" : "+"}${minutes}:${rest}`;
}

export function Term({ word, children }) {
  const meaning = GLOSSARY[word];
  if (!meaning) return children ?? word;
  return html`<span class="term" tabindex="0" data-meaning=${meaning}>${children ?? word}<span class="sr">: ${meaning}</span></span>`;
}
