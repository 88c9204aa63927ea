// A prediction before the moment, and afterwards the chain of causes: never a mark.

import { html, useEffect, useRef } from "./vendor/htm-preact.js";
import { Why } from "./panel.js";
import { fileTime } from "./signs.js";

// The event with a number among those of its kind, counted from the begin of the steps.
const eventNumber = ({ events, beginUs }, kind, number) => events.filter((row) => row.kind === kind && row.atUs > beginUs)[number - 1];

// The event that a caption is about. What follows from an act may be another story than the caption's.
export function captioned(story, caption) {
  const { leftUs } = story;
  const event = eventNumber(story, caption.on, caption.count);
  return event && (leftUs === null || event.atUs < leftUs) ? event : undefined;
}

export function stopsOf(story) {
  return story.captions
    .filter((caption) => caption.ask)
    .map((caption) => {
      const event = captioned(story, caption);
      return event && { atUs: event.atUs, seq: event.seq, caption, isAnswered: false };
    })
    .filter(Boolean)
    .sort((a, b) => a.atUs - b.atUs);
}

// What else led to the event than its causes in the journal.
function Because({ caption, source: { story, beginUs } }) {
  const found = Object.entries(caption.because).map(([kind, number]) => eventNumber(story, kind, number)).filter(Boolean);
  if (!found.length) return undefined;
  return html`<ol class="why" aria-label="What led to it">${found.map((event) => html`<li key=${event.seq}>${fileTime(event.atUs, beginUs)} ${event.say || event.text}</li>`)}</ol>`;
}

export function Question({ stop, choice, onChoose, onGoOn, source }) {
  const { caption } = stop;
  const box = useRef();
  useEffect(() => (choice === undefined ? box.current : box.current.querySelector("button")).focus(), [stop, choice]); // Space does not choose
  if (choice === undefined) {
    return html`<div class="question" ref=${box} tabindex="-1" role="dialog" aria-label="What happens now?">
      <p><b>What happens now?</b> ${caption.ask}</p>
      <div class="choices">${caption.choices.map((text) => html`<button key=${text} onClick=${() => onChoose(text)}>${text}</button>`)}</div></div>`;
  }
  return html`<div class="question" ref=${box} role="dialog" aria-label="What happened">
    <p>You said: <b>${choice}</b>. What happens: <b>${caption.answer}</b>.</p>
    <p>${caption.say}</p><${Because} caption=${caption} source=${source} /><${Why} source=${source} seq=${stop.seq} />
    <button onClick=${onGoOn}>Go on</button></div>`;
}
