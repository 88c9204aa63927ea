// The card at the end of a lesson: try to break its claim, and run it a thousand times.

import { html } from "./vendor/htm-preact.js";

export function Afterwards({ story, tries }) {
  const broken = tries.flatMap((item) => item.broken.filter(({ isClaim }) => !isClaim));
  const others = tries.filter((item) => item.broken.some(({ isClaim }) => isClaim)).length;
  return html`<section class="afterwards" aria-label="What next">
    <h2>Try to break it</h2>
    <p>“${story.claim}” Go back to any moment, choose a broker or controller, and act: each try is a branch.</p>
    <p><b>${tries.length}</b> ${tries.length === 1 ? "try" : "tries"}, ${broken.length
      ? html`<b class="failure">broken: ${broken.map(({ name, what }) => `${name}: ${what}`).join("; ")}</b>`
      : "no safety property is broken so far"}${others > 0 && `; ${others} went another way than the lesson`}.</p>
    <p>Run it a thousand times: <code>kraftsim campaign run ${story.called} --seeds 0..1000 --out runs</code></p>
  </section>`;
}
