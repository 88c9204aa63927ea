// What differs between scenes of one instant, by controller and broker. Offsets, and epochs of
// brokers, which are offsets, differ between releases without a meaning: they are no difference.

import { html } from "./vendor/htm-preact.js";
import { PROCESSES, TRUTHS } from "./signs.js";

const leaseWord = (endUs, us) => (endUs === null ? "no lease" : endUs > us ? "lease runs" : "lease over");

function replicas(scene, id) {
  const all = Object.entries(scene.partitions).filter(([, partition]) => partition.replicas.includes(id));
  const inSync = all.filter(([, { isr }]) => isr.includes(id)).map(([name]) => name);
  const eligible = all.filter(([, { elr }]) => elr.includes(id)).map(([name]) => name);
  return { text: `in ${inSync.length} of ${all.length} ISRs${eligible.length ? `, eligible for ${eligible.length}` : ""}`, is: `${inSync}/${eligible}` };
}

// The facts about a broker by the part of its card; `is` is compared, `text` is shown.
function brokerFacts(broker, scene, us) {
  const fact = (text, is = text) => ({ text, is });
  return {
    log: fact(TRUTHS[broker.truth].name),
    process: fact(PROCESSES[broker.state] ?? broker.state),
    mismatch: fact(broker.mismatch || "no mismatch"),
    lease: fact(leaseWord(broker.lease.controllerEndUs, us)),
    leads: fact(`leads ${broker.leads}`),
    replicas: replicas(scene, broker.id),
  };
}

function controllerFacts(item) {
  const fact = (text) => ({ text, is: text });
  const role = item.state === "RUNNING" ? item.role : (PROCESSES[item.state] ?? item.state);
  return { role: fact(role), epoch: fact(`epoch ${item.epoch}`), leader: fact(item.leaderId < 0 ? "knows no leader" : `follows ${item.leaderId}`) };
}

function marked(entries, factsOf) {
  const marks = entries.map(() => new Map());
  for (const key of new Set(entries.flatMap((items) => Object.keys(items)))) {
    const facts = entries.map((items, index) => items[key] && factsOf(items[key], index));
    const known = facts.filter(Boolean);
    const isApart = (name) => known.length < facts.length || known.some((item) => item[name].is !== known[0][name].is);
    facts.forEach((item, index) => {
      const parts = item ? Object.keys(item).filter(isApart) : [];
      if (parts.length) marks[index].set(key, { parts, text: parts.map((name) => item[name].text).join(", ") });
    });
  }
  return marks;
}

// For each scene the marks of its controllers and brokers: the parts that differ, and how they are here.
export function marksOf(scenes, us) {
  const brokers = marked(scenes.map((scene) => scene.brokers), (broker, index) => brokerFacts(broker, scenes[index], us));
  const controllers = marked(scenes.map((scene) => scene.controllers), controllerFacts);
  return scenes.map((_, index) => ({ brokers: brokers[index], controllers: controllers[index] }));
}

// The classes of what is marked, for its picture.
export const markClass = (mark) => (mark ? ["differs", ...mark.parts.map((part) => `differs-${part}`)].join(" ") : "");

export const Differs = ({ mark }) => mark && html`<p class="mark-words"><b aria-hidden="true">≠</b><span class="sr">differs:</span> ${mark.text}</p>`;
