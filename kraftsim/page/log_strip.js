// A log as a strip: the records of each leader epoch, spans that are marked, and the high watermark.

import { html } from "./vendor/htm-preact.js";

// `spans` are parts of the log from `begin` to `end`, each with the class `kind` and a `title`. Empty ones are not drawn.
export function LogStrip({ epochs, end, highWatermark, spans, from, to, label, title }) {
  const part = (offset) => `${(100 * Math.max(0, offset - from)) / Math.max(1, to - from)}%`;
  const between = (begin, finish) => ({ left: part(begin), width: `calc(${part(finish)} - ${part(begin)})` });
  const ends = [...epochs.slice(1).map(({ start }) => start), end];
  return html`<div class="strip" role="img" aria-label=${label}>
    ${epochs.map(({ epoch, start }, index) => ends[index] > Math.max(from, start) && html`<span key=${epoch} class="records epoch-${epoch % 6}"
      style=${between(start, ends[index])} title=${`epoch ${epoch} from offset ${start}`}>${epoch}</span>`)}
    ${spans.map(({ kind, begin, end: finish, title: meaning }) => finish > begin && html`<span key=${kind} class=${kind} style=${between(begin, finish)} title=${meaning}></span>`)}
    <span class="mark" style=${{ left: part(highWatermark) }} title=${title}></span></div>`;
}
