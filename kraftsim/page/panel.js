// The facts of what is selected, its history, why its newest event happened, and what one can do to it.

import { html, useEffect, useState } from "./vendor/htm-preact.js";
import { ACTS, stepAt } from "./acts.js";
import { HoldForm } from "./held.js";
import { PROCESSES, fileTime } from "./signs.js";

const HISTORY_MAX = 12;
const LOGS_MAX = 20;

function isAbout(event, { kind, id }) {
  if (kind === "event") return event.seq === id;
  if (kind === "controller") return event.node === `controller-${id}` && !event.brokerIds.length;
  return event.brokerIds.includes(Number(id.replace("+", ""))) || event.node === `broker-${id}`;
}

function facts(scene, { kind, id }) {
  if (kind === "controller") {
    const item = scene.controllers[id];
    if (!item) return [];
    return [["process", PROCESSES[item.state] ?? item.state], ["role", item.role], ["epoch", item.epoch],
      ["knows leader", item.leaderId < 0 ? "none" : item.leaderId], ["voted for", item.votedFor < 0 ? "none" : item.votedFor],
      ["votes received", item.votes.join(", ") || "none"], ["log", `${item.logStart} to ${item.logEnd}`], ["high watermark", item.highWatermark]];
  }
  const item = scene.brokers[id];
  if (!item) return [];
  return [["process", PROCESSES[item.state] ?? item.state], ["in the log", item.truth], ["believes to be", item.belief],
    ["epoch", item.epoch < 0 ? "none" : item.epoch], ["believes epoch", item.believedEpoch < 0 ? "none" : item.believedEpoch],
    ["incarnation", item.incarnation || "none"], ["registered at", item.startTimeMs === null ? "never" : new Date(item.startTimeMs).toISOString()],
    ["rack", item.rack ?? "none"], ["leads", `${item.leads} partitions`]];
}

// The followers that lack records of the leader's log, and how many.
function lagging({ replicas, lags }) {
  return replicas.flatMap((id, place) => (lags[place] > 0 ? [`${id}: ${lags[place]}`] : [])).join(", ") || "none";
}

// The partitions that a broker leads: their logs from start to end, the bytes in them, and who lags.
function Logs({ scene, id }) {
  const led = Object.entries(scene.partitions).filter(([, { leader, logEnd }]) => leader === Number(id) && logEnd !== null);
  if (!led.length) return null;
  return html`<h3>Logs that it leads</h3><table class="logs"><thead><tr>${["partition", "start", "end", "bytes", "lagging"].map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
    <tbody>${led.slice(0, LOGS_MAX).map(([name, log]) => html`<tr key=${name}><th scope="row">${name}</th><td>${log.logStart}</td><td>${log.logEnd}</td><td>${log.logBytes}</td><td>${lagging(log)}</td></tr>`)}</tbody></table>
    ${led.length > LOGS_MAX && html`<p class="note">and ${led.length - LOGS_MAX} more</p>`}`;
}

export function Why({ source, seq }) {
  const [answer, setAnswer] = useState();
  useEffect(() => {
    let isWanted = true;
    setAnswer(undefined);
    source.why(seq).then((why) => isWanted && setAnswer(why.lines), (error) => isWanted && setAnswer([error.message]));
    return () => { isWanted = false; };
  }, [source, seq]);
  if (!answer) return html`<p class="why">…</p>`;
  return html`<ol class="why" aria-label="Chain of causes">${answer.map((line) => html`<li key=${line}>${line}</li>`)}</ol>`;
}

// True if there is a fault that the act could end, or a process that it could resume.
function isOpen(act, id, scene) {
  const state = (scene.brokers[id] ?? scene.controllers[id])?.state;
  return stepAt(act, id, 0, scene) !== undefined || (act.ends === "proc.pause" && state === "PAUSED");
}

// What an act is called elsewhere: a command of the running cluster, or a step of a scenario file.
export function commandOf(act, id, player) {
  if (player.source.isLive) return act.live.command(id, player.scene);
  const step = stepAt(act, id, player.us - player.source.beginUs, player.scene);
  return step ? `- ${JSON.stringify(step)}` : "nothing to end";
}

function Acts({ player, selected, onAct, canAct }) {
  const [shown, setShown] = useState(null);
  const { source } = player;
  const id = selected.id.replace("+", "");
  const acts = ACTS[selected.kind] ?? [];
  if (!canAct) return html`<p class="note">An exported page shows what happened. To act, open the lesson in kraftsim.</p>`;
  return html`<div class="acts" role="group" aria-label="What you can do">
    ${acts.map((act) => html`<button key=${act.name} aria-disabled=${Boolean(act.ends) && !isOpen(act, id, player.scene)} onFocus=${() => setShown(act)} onMouseEnter=${() => setShown(act)}
      onClick=${() => onAct(act, id)}>${act.name}</button>`)}
    <${HoldForm} key=${selected.kind} kind=${selected.kind} onAct=${(act) => onAct(act, id)} onShow=${setShown} />
    <p class="command"><code>${shown ? commandOf(shown, id, player) : source.isLive ? "the command appears here" : "the step of the scenario file appears here"}</code></p></div>`;
}

export function Panel({ player, selected, onSelect, onAct, canAct, onClose, children }) {
  const { source } = player;
  const history = source.story.events.filter((event) => event.atUs <= player.us && isAbout(event, selected));
  const newest = history.at(-1);
  const name = selected.kind === "event" ? newest?.text ?? "Event" : `${selected.kind === "broker" ? "Broker" : "Controller"} ${selected.id}`;
  return html`<aside class="panel" aria-label="Facts and causes">
    <h2>${name} <button class="close" aria-label="Close" onClick=${onClose}>×</button></h2>
    ${selected.kind !== "event" && player.scene && html`<${Acts} player=${player} selected=${selected} onAct=${onAct} canAct=${canAct} />`}
    ${children}
    ${newest && html`<h3>Why: ${newest.text}</h3><${Why} source=${source} seq=${newest.seq} />`}
    ${player.scene && html`<dl>${facts(player.scene, selected).map(([term, value]) => html`<dt>${term}</dt><dd>${value}</dd>`)}</dl>`}
    ${player.scene && selected.kind === "broker" && html`<${Logs} scene=${player.scene} id=${selected.id.replace("+", "")} />`}
    <h3>History</h3>
    <ul class="history">${history.slice(-HISTORY_MAX).reverse().map((event) => html`<li key=${event.seq}>
      <button onClick=${() => { player.seek(event.atUs); onSelect({ kind: "event", id: event.seq }); }}>
        <small>${fileTime(event.atUs, source.beginUs)}</small> ${event.text}</button></li>`)}</ul>
  </aside>`;
}
