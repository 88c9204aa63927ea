// The properties and claims that a run breaks: when, and which facts contradict each other.

import { html } from "./vendor/htm-preact.js";
import { fileTime } from "./signs.js";

// A broken claim of the file is no fault of Kafka: the lesson went another way.
function wordsOf({ name, isClaim, what }) {
  if (isClaim) return html`<b>The lesson went another way</b> than its file claims: ${what} (<code>${name}</code>)`;
  return html`<b class="broken">${name}</b> is broken: ${what}`;
}

export function Violations({ source, us, knownUs, onSeek, onWhy }) {
  const { story, beginUs } = source;
  const broken = story.broken.filter((item) => item.atUs <= knownUs);
  if (!broken.length) return undefined;
  const eventOf = ({ atUs }) => story.events.findLast((event) => event.atUs <= atUs);
  return html`<section class="violations" aria-label="Broken properties"><ul>
    ${broken.map((item) => html`<li key=${item.name} class=${item.atUs > us ? "future" : ""}>
      <button onClick=${() => onSeek(item.atUs)}>✗ ${fileTime(item.atUs, beginUs)}</button> ${wordsOf(item)}.
      ${eventOf(item) && html` Before it: ${eventOf(item).text} <button onClick=${() => onWhy(eventOf(item))}>why</button>`}</li>`)}</ul></section>`;
}
