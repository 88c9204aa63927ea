// A prediction before the moment, and afterwards the chain of causes: never a mark.

import { html, useEffect, useRef } from "./vendor/htm-preact.js";
import { Why } from "./panel.js";

// The event that a caption is about. What follows from an act may be another story than the caption's.
export function captioned({ events, beginUs, leftUs }, caption) {
  const event = events.filter((row) => row.kind === caption.on && row.atUs > beginUs)[caption.count - 1];
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
    <p>${caption.say}</p><${Why} source=${source} seq=${stop.seq} />
    <button onClick=${onGoOn}>Go on</button></div>`;
}
