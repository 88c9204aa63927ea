// Every event as a row, of which only the visible ones are in the document: lists of 100,000 stay quick.

import { html, useEffect, useRef, useState } from "./vendor/htm-preact.js";
import { fileTime } from "./signs.js";

const ROW = 24;
const OVER = 8;

export function EventList({ source, us, knownUs, onPick }) {
  const box = useRef();
  const [top, setTop] = useState(0);
  const [find, setFind] = useState("");
  const wanted = find.toLowerCase();
  const matches = (event) => event.atUs <= knownUs && (!wanted || `${event.kind} ${event.text}`.toLowerCase().includes(wanted));
  const events = source.story.events.filter(matches);
  const now = events.findLastIndex((event) => event.atUs <= us);
  const height = box.current?.clientHeight ?? 240;
  useEffect(() => {
    if (!box.current || document.activeElement?.closest?.(".event-rows")) return;
    box.current.scrollTop = Math.max(0, now * ROW - height / 2);
  }, [now, events.length]);
  const first = Math.max(0, Math.floor(top / ROW) - OVER);
  const shown = events.slice(first, first + Math.ceil(height / ROW) + 2 * OVER);
  return html`<section class="events" aria-label="Events"><h2>Events
    <input id="find" type="search" placeholder="find" aria-label="Find events" value=${find} onInput=${(event) => setFind(event.target.value)} /></h2>
    <div class="event-rows" ref=${box} tabindex="0" role="region" aria-label="Rows of events" onScroll=${(event) => setTop(event.target.scrollTop)}>
      <ol style=${{ height: `${events.length * ROW}px` }} aria-label=${`${events.length} events`}>
        ${shown.map((event, index) => html`<li key=${event.seq} style=${{ top: `${(first + index) * ROW}px` }}
          aria-setsize=${events.length} aria-posinset=${first + index + 1}
          class=${`${event.kind} ${first + index === now ? "now" : ""} ${event.atUs > us ? "future" : ""}`}>
          <button onClick=${() => onPick(event)}><small>${fileTime(event.atUs, source.beginUs)}</small> ${event.text}</button></li>`)}
      </ol></div></section>`;
}
