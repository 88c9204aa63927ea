// The brokers, by rack: a card each, with state, epoch, incarnation, lease lane and partitions.

import { html, useEffect, useRef } from "./vendor/htm-preact.js";
import { LeaseLane } from "./lease_lane.js";
import { Differs, markClass } from "./marks.js";
import { PROCESSES, TRUTHS, Term, className } from "./signs.js";

const LANES_MAX = 40; // more brokers are shown as cells

function byRack(brokers) {
  const racks = new Map();
  for (const [key, broker] of Object.entries(brokers)) {
    const rack = broker.rack ?? "";
    if (!racks.has(rack)) racks.set(rack, []);
    racks.get(rack).push([key, broker]);
  }
  return [...racks].sort(([a], [b]) => !a - !b || a.localeCompare(b)); // brokers without a rack come last
}

function dots(scene, id) {
  return Object.entries(scene.partitions)
    .filter(([, partition]) => partition.replicas.includes(id))
    .map(([name, { leader, isr, elr }]) => {
      const role = leader === id ? "leads" : isr.includes(id) ? "in-sync" : elr.includes(id) ? "eligible" : "offline";
      return [name, role];
    });
}

function Dots({ scene, id }) {
  const all = dots(scene, id);
  if (!all.length) return null;
  const leads = all.filter(([, role]) => role === "leads").length;
  const out = all.filter(([, role]) => role === "offline" || role === "eligible").length;
  return html`<div class="dots" role="img" aria-label=${`${all.length} replicas, leads ${leads}, ${out} not in sync`}>
    <small>replicas</small> ${all.slice(0, 60).map(([name, role]) => html`<span key=${name} class="dot ${role}" title=${`${name}: ${role}`}></span>`)}
  </div>`;
}

function Card({ name, broker, scene, us, mark, isSelected, onSelect }) {
  const truth = TRUTHS[broker.truth];
  const card = useRef();
  useEffect(() => {
    if (isSelected) card.current.scrollIntoView({ block: "nearest" });
  }, [isSelected]);
  return html`<article ref=${card} data-node=${name} class="broker ${className(broker.truth)} ${className(broker.state)} ${isSelected ? "selected" : ""} ${markClass(mark)}">
    <h3><button class="pick" aria-pressed=${isSelected} onClick=${() => onSelect({ kind: "broker", id: name })}>
      <span class="sign" aria-hidden="true">${truth.sign}</span> Broker ${name}</button>
      <span class="state">${truth.name} · ${PROCESSES[broker.state] ?? broker.state}</span></h3>
    <p class="ids"><${Term} word="epoch" /> <b class="flag">${broker.epoch < 0 ? "–" : broker.epoch}</b>
      ${broker.epoch >= 0 && broker.believedEpoch >= 0 && broker.believedEpoch !== broker.epoch && html` <b class="flag stale">${`${broker.believedEpoch} < ${broker.epoch}`}</b>`}
      ${" "}<${Term} word="incarnation"><code>${broker.incarnation.slice(0, 4) || "–"}</code><//>
      ${" "}leads <b>${broker.leads}</b></p>
    <${Differs} mark=${mark} />
    <${LeaseLane} broker=${broker} us=${us} sessionMs=${scene.sessionMs} />
    <${Dots} scene=${scene} id=${broker.id} />
  </article>`;
}

function Cell({ name, broker, mark, isSelected, onSelect }) {
  return html`<button data-node=${name} class="cell ${className(broker.truth)} ${className(broker.mismatch)} ${isSelected ? "selected" : ""} ${markClass(mark)}"
    title=${`broker ${name}: ${broker.truth}, ${PROCESSES[broker.state] ?? broker.state} ${broker.mismatch}`}
    onClick=${() => onSelect({ kind: "broker", id: name })}>${TRUTHS[broker.truth].sign}<span class="sr">broker ${name} ${broker.truth}</span></button>`;
}

export function Brokers({ scene, us, marks, selected, onSelect }) {
  const isCrowd = Object.keys(scene.brokers).length > LANES_MAX;
  const One = isCrowd ? Cell : Card;
  return html`<section class="brokers" aria-label="Brokers"><h2>Brokers
    <small>bars: how long the lease lasts for the broker, for the controller; and what the log says</small></h2>
    <div class="racks">${byRack(scene.brokers).map(([rack, brokers]) => html`<div class="rack" key=${rack}>
      ${rack && html`<h3 class="rack-name">rack ${rack}</h3>`}
      <div class=${isCrowd ? "cells" : "cards"}>${brokers.map(([name, broker]) => html`<${One} key=${name} name=${name}
        broker=${broker} scene=${scene} us=${us} onSelect=${onSelect} mark=${marks?.get(name)}
        isSelected=${selected?.kind === "broker" && selected.id === name} />`)}</div></div>`)}</div>
  </section>`;
}
