// The keys of the page, and the words on it.

import { html } from "./vendor/htm-preact.js";
import { GLOSSARY } from "./glossary.js";
import { KEYS } from "./keys.js";
import { STEERS } from "./lead.js";

export function Help({ onClose }) {
  return html`<section class="help" role="dialog" aria-label="Keys and words">
    <h2>Keys <button class="close" aria-label="Close" onClick=${onClose}>×</button></h2>
    <dl>${KEYS.map(([key, meaning]) => html`<dt><kbd>${key}</kbd></dt><dd>${meaning}</dd>`)}</dl><h2>A class</h2>
    <p>${STEERS}</p><h2>Words</h2>
    <dl>${Object.entries(GLOSSARY).map(([word, meaning]) => html`<dt>${word}</dt><dd>${meaning}</dd>`)}</dl></section>`;
}
