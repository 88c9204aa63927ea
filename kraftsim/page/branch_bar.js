// The branches of a lesson: which one is active, whether two are side by side, and where they differ.

import { html } from "./vendor/htm-preact.js";
import { Difference } from "./compare.js";
import { LETTERS } from "./visit.js";

export function BranchBar({ visit }) {
  const { players, active, compared, player, isBeside } = visit;
  const [one, other] = compared.map((index) => players[index].source.story);
  return html`<div class="branches" role="group" aria-label="Branches">
    ${players.map((item, index) => html`<button key=${index} aria-pressed=${index === active} onClick=${() => visit.choose(index)}>${LETTERS[index]}</button>`)}
    <label><input type="checkbox" checked=${isBeside} onChange=${() => visit.toggleBeside()} /> side by side</label>
    <${Difference} one=${one} other=${other} letters=${compared.map((index) => LETTERS[index])} beginUs=${player.source.beginUs} onSeek=${(at) => player.seek(at)} />
  </div>`;
}
