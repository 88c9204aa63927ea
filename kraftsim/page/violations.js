// The properties and claims that a run breaks: when, and which facts contradict each other.

import { html } from "./vendor/htm-preact.js";
import { fileTime } from "./signs.js";

export function Violations({ source, us, knownUs, onSeek, onWhy }) {
  const { story, beginUs } = source;
  const broken = story.broken.filter((item) => item.atUs <= knownUs);
  if (!broken.length) return undefined;
  const eventOf = ({ atUs }) => story.events.findLast((event) => event.atUs <= atUs);
  return html`<section class="violations" aria-label="Broken properties"><ul>
    ${broken.map((item) => html`<li key=${item.name} class=${item.atUs > us ? "future" : ""}>
      <button onClick=${() => onSeek(item.atUs)}>✗ ${fileTime(item.atUs, beginUs)}</button> <b class="broken">${item.name}</b> is broken: ${item.what}.
      ${eventOf(item) && html` Before it: ${eventOf(item).text} <button onClick=${() => onWhy(eventOf(item))}>why</button>`}</li>`)}</ul></section>`;
}
