// What faults hold: on the stage, and as a list from which a single message or all can be released.

import { html, useState } from "./vendor/htm-preact.js";
import { hold, releaseOf, stopOf } from "./acts.js";
import { seconds } from "./signs.js";

const OF_BROKERS = ["BrokerHeartbeat", "BrokerRegistration", "AlterPartition", "any API"];
const OF_CONTROLLERS = ["Fetch", "Vote", "BeginQuorumEpoch", "BrokerHeartbeat", "BrokerRegistration", "any API"];
const SHOWN = 8;

const nodeName = (id, scene) => (id < 0 ? "a client" : scene.controllers[id] ? `controller ${id}` : `broker ${id}`);

// The held messages of a scene by link.
export function heldOn(scene) {
  const groups = new Map();
  for (const { held } of Object.values(scene.faults)) {
    for (const message of held) {
      const { sender, receiver } = message;
      const key = `${sender} ${receiver}`;
      const group = groups.get(key) ?? { sender, receiver, count: 0, isLate: message.untilUs !== null };
      groups.set(key, { ...group, count: group.count + 1 });
    }
  }
  return [...groups.values()];
}

// Why a message was lost, as far as the fault is known.
export function lostBy({ fault }, scene) {
  if (!fault) return "";
  const verb = scene.faults[fault]?.verb;
  return verb && verb !== fault.replace(/[-#]\d+$/, "") ? `: ${verb} (${fault})` : `: ${verb ?? fault}`;
}

function HeldMessage({ fault, message, scene, us, onAct, onShow }) {
  const act = releaseOf(fault, message.number);
  const until = message.untilUs === null ? "" : `, ${seconds(Math.max(0, message.untilUs - us))} left`;
  return html`<li><button aria-label=${`Release message ${message.number} of ${fault}`} onFocus=${() => onShow(act)} onMouseEnter=${() => onShow(act)} onClick=${() => onAct(act)}>Release</button>
    <span><b>${message.api}</b>${message.isReply ? " reply" : ""} ${nodeName(message.sender, scene)} → ${nodeName(message.receiver, scene)}
    <small> for ${seconds(Math.max(0, us - message.sinceUs))}${until}</small></span></li>`;
}

function HeldByFault({ id, item, canAct, ...rest }) {
  const { onAct, onShow } = rest;
  const button = (act) => html`<button onFocus=${() => onShow(act)} onMouseEnter=${() => onShow(act)} onClick=${() => onAct(act)}>${act.name}</button>`;
  return html`<div class="held-fault" role="group" aria-label=${`Held by ${id}`}><h4>${id}: ${item.heldCount ? `${item.heldCount} held` : "nothing held yet"}</h4>
    ${canAct && html`<p>${item.heldCount > 1 ? button(releaseOf(id)) : ""} ${button(stopOf(id))}</p>`}
    <ol>${item.held.slice(0, SHOWN).map((message) => html`<${HeldMessage} key=${message.number} fault=${id} message=${message} ...${rest} />`)}</ol>
    ${item.heldCount > SHOWN && html`<small>and ${item.heldCount - SHOWN} more</small>`}</div>`;
}

const HOLDS = new Set(["rpc.hold", "net.hold", "rpc.delay", "rpc.reorder", "net.swizzle"]);

export function HeldList({ scene, us, canAct, onAct, command }) {
  const [shown, setShown] = useState(null);
  const faults = Object.entries(scene.faults).filter(([, item]) => item.heldCount || HOLDS.has(item.verb));
  if (!faults.length) return null;
  return html`<section class="held" aria-label="Held messages"><h3>Held messages</h3>
    ${faults.map(([id, item]) => html`<${HeldByFault} key=${id} id=${id} item=${item} scene=${scene} us=${us} canAct=${canAct} onAct=${onAct} onShow=${setShown} />`)}
    ${shown && html`<p class="command"><code>${command(shown)}</code></p>`}</section>`;
}

// "Hold [heartbeats] [requests] of broker 2", until it is ended.
export function HoldForm({ kind, onAct, onShow }) {
  const apis = kind === "broker" ? OF_BROKERS : OF_CONTROLLERS;
  const [words, setWords] = useState({ api: apis[0], direction: "request" });
  const act = (next = words) => hold(kind, next.api === "any API" ? undefined : next.api, next.direction);
  const change = (word) => (event) => {
    const next = { ...words, [word]: event.target.value };
    setWords(next);
    onShow(act(next));
  };
  return html`<div class="hold-form" role="group" aria-label="Hold messages">
    <button onFocus=${() => onShow(act())} onMouseEnter=${() => onShow(act())} onClick=${() => onAct(act())}>Hold</button>
    <select aria-label="API to hold" value=${words.api} onChange=${change("api")}>${apis.map((api) => html`<option key=${api} value=${api}>${api}</option>`)}</select>
    <select aria-label="requests or replies" value=${words.direction} onChange=${change("direction")}><option value="request">requests</option><option value="reply">replies</option></select></div>`;
}
