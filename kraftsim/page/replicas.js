// The replicas of partitions that have messages: who leads, who is in sync, who lags, and the log of each.

import { html } from "./vendor/htm-preact.js";
import { LogStrip } from "./log_strip.js";
import { PROCESSES, Term, className } from "./signs.js";

const PARTITIONS_MAX = 6; // those with a replica that lags or has left the ISR come first

const FEW = 2; // partitions

const listed = (ids) => ids.join(", ") || "none";

function epochAt(epochs, offset) {
  return epochs.findLast(({ start }) => start <= offset)?.epoch;
}

// The first offset from which a log is not that of its leader: there the follower cuts it (rules B5.10, B5.11).
export function partingOf(log, leader) {
  if (!leader) return log.logEnd;
  const starts = [...log.epochs, ...leader.epochs].map(({ start }) => start);
  const isApart = (offset) => offset < log.logEnd && epochAt(log.epochs, offset) !== epochAt(leader.epochs, offset);
  return Math.min(...starts.filter(isApart), log.logEnd, leader.logEnd);
}

// The replicas of a partition that have a log, in the order of its replicas, and what is committed as far as any of them knows.
export function replicasOf(partition) {
  const { replicas, leader, logs, lags, isr, elr, adding, removing } = partition;
  const leading = logs[replicas.indexOf(leader)];
  const all = replicas.map((id, place) => {
    const log = logs[place] ?? { logStart: 0, logEnd: 0, highWatermark: 0, epochs: [] };
    const role = id === leader ? "leads" : isr.includes(id) ? "in sync" : elr.includes(id) ? "eligible" : "out of sync";
    const move = adding.includes(id) ? "joins" : removing.includes(id) ? "leaves" : "";
    const parting = partingOf(log, leading);
    const lag = leading ? leading.logEnd - parting : lags[place];
    return { id, log, role, move, lag, parting };
  });
  return { all, committed: Math.max(...all.map(({ log, parting }) => Math.min(log.highWatermark, parting))) };
}

function Words({ log, lag, parting }) {
  const lost = log.logEnd - parting;
  return html`<small>end ${log.logEnd}, <${Term} word="high watermark of a partition"><span class="high-watermark"></span> ${log.highWatermark}<//>${lag > 0 ? html`, <b class="lacks">lacks ${lag}</b>` : ""}${lost > 0 ? html`, <b class="apart-records"><${Term} word="to cut">${lost} to cut<//></b>` : ""}</small>`;
}

function Replica({ name, replica, committed, from, to, process, isSelected, onSelect }) {
  const { id, log, role, move, lag, parting } = replica;
  const known = Math.min(log.highWatermark, parting);
  const sure = Math.max(known, Math.min(committed, parting));
  const behind = lag > 0 ? `, lacks ${lag}` : "";
  const spans = [
    { kind: "unlearned", begin: known, end: sure, title: `${sure - known} committed; broker ${id} learns it with its next fetch` },
    { kind: "tail", begin: sure, end: parting, title: `${parting - sure} not committed: not every replica in sync has them, or too few are in sync` },
    { kind: "parted", begin: parting, end: log.logEnd, title: `${log.logEnd - parting} records that the leader does not have: broker ${id} cuts them off as it follows` },
  ];
  return html`<li class="replica ${className(role)}">
    <span class="who"><button class="pick" aria-pressed=${isSelected} onClick=${() => onSelect({ kind: "broker", id: String(id) })}>${id}</button>
      <${Term} word=${role}><span class="role">${role}</span><//>${move && html` <span class="move">${move}</span>`}${process && html` <span class="state">${process}</span>`}</span>
    <${LogStrip} epochs=${log.epochs} end=${log.logEnd} highWatermark=${log.highWatermark} spans=${spans} from=${from} to=${to}
      label=${`log of ${name} at broker ${id}: ${role}, offsets ${log.logStart} to ${log.logEnd}, high watermark ${log.highWatermark}${behind}`}
      title=${`high watermark that broker ${id} knows: ${log.highWatermark}`} />
    <${Words} log=${log} lag=${lag} parting=${parting} /></li>`;
}

// The state of a broker's process, unless it runs.
function processOf(broker) {
  if (!broker) return "";
  return broker.state === "RUNNING" ? (broker.truth === "unfenced" ? "" : broker.truth) : (PROCESSES[broker.state] ?? broker.state);
}

function Partition({ name, partition, scene, selected, onSelect }) {
  const { all, committed } = replicasOf(partition);
  const { leader, leaderEpoch, isr, elr, adding, removing } = partition;
  const from = Math.min(...all.map(({ log }) => log.logStart));
  const to = Math.max(...all.map(({ log }) => log.logEnd));
  const moves = adding.length || removing.length ? html`, <b class="move">reassignment: adds ${listed(adding)}, removes ${listed(removing)}</b>` : "";
  return html`<div class="partition" role="group" aria-label=${`replicas of ${name}`}>
    <h3>${name} <small>${leader < 0 ? html`<b class="lacks">no leader</b>` : `leader ${leader}`} in epoch ${leaderEpoch}, <${Term} word="ISR" /> ${listed(isr)}, <${Term} word="ELR" /> ${listed(elr)}${moves}</small></h3>
    <ul>${all.map((replica) => html`<${Replica} key=${replica.id} name=${name} replica=${replica} committed=${committed} from=${from} to=${to}
      process=${processOf(scene.brokers[replica.id])} isSelected=${selected?.kind === "broker" && selected.id === String(replica.id)} onSelect=${onSelect} />`)}</ul></div>`;
}

const isAiling = ([, { lags, isr, replicas }]) => isr.length < replicas.length || lags.some((lag) => lag > 0);

const withLogs = (scene) => Object.entries(scene.partitions).filter(([, { logs }]) => logs.length);

// The brokers, and the replicas: above them, where a question does not hide them, unless they take much room.
export function WithReplicas({ scene, children, ...chosen }) {
  const replicas = html`<${Replicas} scene=${scene} ...${chosen} />`;
  const isFew = withLogs(scene).length <= FEW;
  return html`<div class="beside-controllers">${isFew && replicas}${children}${!isFew && replicas}</div>`;
}

function Replicas({ scene, selected, onSelect }) {
  const known = withLogs(scene);
  if (!known.length) return null;
  const shown = [...known.filter(isAiling), ...known.filter((entry) => !isAiling(entry))].slice(0, PARTITIONS_MAX);
  const more = known.length - shown.length;
  return html`<section class="replicas" aria-label="Replicas"><h2>Replicas
    <small>logs by leader epoch; the line is the high watermark that the broker knows${more > 0 && `; ${more} more partitions have messages`}</small></h2>
    ${shown.map(([name, partition]) => html`<${Partition} key=${name} name=${name} partition=${partition} scene=${scene} selected=${selected} onSelect=${onSelect} />`)}</section>`;
}
