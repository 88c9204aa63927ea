// The branches of a lesson: which one is active, which are side by side, and where they differ.

import { html } from "./vendor/htm-preact.js";
import { nameOf } from "./compare.js";
import { Difference } from "./difference.js";
import { LETTERS } from "./visit.js";

function Branch({ visit, index }) {
  const { players, active, beside } = visit;
  return html`<span class="branch">
    ${beside.length > 0 && players.length > 2 && html`<input type="checkbox" aria-label=${`${LETTERS[index]} side by side`} title="side by side"
      checked=${beside.includes(index)} onChange=${() => visit.toggle(index)} />`}
    <button aria-pressed=${index === active} onClick=${() => visit.choose(index)}>${nameOf(players[index], index)}</button></span>`;
}

export function BranchBar({ visit }) {
  const { players, beside } = visit;
  return html`<div class="branches" role="group" aria-label="Branches">
    ${players.map((_, index) => html`<${Branch} key=${index} visit=${visit} index=${index} />`)}
    <label><input type="checkbox" checked=${beside.length > 0} onChange=${() => visit.toggleBeside()} /> side by side</label>
    <${Difference} visit=${visit} />
  </div>`;
}
