// The properties and claims that a run breaks: when, and which facts contradict each other.

import { html } from "./vendor/htm-preact.js";
import { fileTime } from "./signs.js";

// The event that broke a claim; of a property, and of a claim that no event breaks, the one before it.
function eventOf({ seq, atUs }, { events }) {
  const event = seq >= 0 ? events.find((item) => item.seq <= seq && seq <= item.lastSeq) : undefined;
  return event ?? events.findLast((item) => item.atUs <= atUs);
}

function Event({ broken, story, beginUs, onWhy }) {
  const event = eventOf(broken, story);
  if (!event) return undefined;
  const said = broken.isClaim && broken.seq >= 0 ? "The event" : "Before it";
  return html` ${said}: ${fileTime(event.atUs, beginUs)} ${event.text} <button onClick=${() => onWhy(event)}>why</button>`;
}

// What it means that a claim does not hold, by the block of the file in which it is.
const CLAIMS = {
  leads_to: "what it expects next does not follow in time",
  never: "what it excludes has happened",
  sometimes: "what it expects has not happened",
  during: "what it expects to last does not last",
  calm: "it ends in another state",
  converge: "it ends in another state",
  measure: "a time or number is out of its bounds",
};

// A broken claim of the file is no fault of Kafka: the lesson went another way.
function wordsOf({ name, isClaim, what }) {
  if (!isClaim) return html`<b class="broken">${name}</b> is broken: ${what}`;
  return html`<b>The lesson went another way</b> than its file claims: ${CLAIMS[name.split(/[.[]/)[0]] ?? name}`;
}

export function Violations({ source, us, knownUs, onSeek, onWhy }) {
  const { story, beginUs } = source;
  const broken = story.broken.filter((item) => item.atUs <= knownUs);
  if (!broken.length) return undefined;
  return html`<section class="violations" aria-label="Broken properties"><ul>
    ${broken.map((item) => html`<li key=${item.name} class=${item.atUs > us ? "future" : ""}>
      <button onClick=${() => onSeek(item.atUs)}>✗ ${fileTime(item.atUs, beginUs)}</button> ${wordsOf(item)}.
      <${Event} broken=${item} story=${story} beginUs=${beginUs} onWhy=${onWhy} />
      ${item.isClaim && html` <details><summary>in the words of the file</summary><code>${item.name}: ${item.what}</code></details>`}</li>`)}</ul></section>`;
}
