// Branches or releases side by side at one instant: a small stage each, with what differs marked.

import { html } from "./vendor/htm-preact.js";
import { Brokers } from "./brokers.js";
import { Controllers } from "./controllers.js";
import { marksOf } from "./marks.js";
import { WithReplicas } from "./replicas.js";
import { LETTERS } from "./visit.js";

export function nameOf({ source: { story, branch } }, index) {
  const acts = branch.acts.length ? ` · ${branch.acts.length} ${branch.acts.length === 1 ? "act" : "acts"}` : "";
  return `${LETTERS[index]} · ${story.profile}${acts}`;
}

// The last instant of which all pictures are here; that of now, unless a film is on its way.
function pictureOf(visit, us) {
  const { beside, players } = visit;
  const shown = beside.map((index) => players[index]);
  const scenes = shown.map(({ source }) => source.at(us));
  for (const player of shown) player.source.fetched(us).catch((error) => player.fail(error));
  if (!scenes.includes(undefined)) visit.picture = { beside, scenes, us };
  return visit.picture?.beside === beside ? visit.picture : undefined;
}

function Side({ name, scene, marks, isActive, ...stage }) {
  return html`<div class="side ${isActive ? "active" : ""}" role="group" aria-label=${name}><h2>${name}</h2>
    <${Controllers} scene=${scene} marks=${marks.controllers} ...${stage} />
    <${WithReplicas} scene=${scene} ...${stage}><${Brokers} scene=${scene} marks=${marks.brokers} ...${stage} /><//></div>`;
}

export function SideBySide({ visit, us, selected, onSelect }) {
  const { beside, players, active } = visit;
  const picture = pictureOf(visit, us);
  if (!picture) return html`<p class="wait">The pictures are on their way…</p>`;
  const marks = marksOf(picture.scenes, picture.us);
  return html`<div class="side-by-side" aria-busy=${picture.us !== us}>${beside.map((index, place) => html`<${Side} key=${index}
    name=${nameOf(players[index], index)} scene=${picture.scenes[place]} marks=${marks[place]} isActive=${index === active}
    us=${picture.us} selected=${index === active ? selected : undefined}
    onSelect=${(item) => { if (index !== active) visit.choose(index); onSelect(item); }} />`)}</div>`;
}
