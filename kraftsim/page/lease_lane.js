// The lease of a broker three times: what the broker believes, what the controller believes, what is true.

import { html } from "./vendor/htm-preact.js";
import { Term, TRUTHS, className } from "./signs.js";

function Bar({ label, endUs, us, sessionUs, kind }) {
  const leftUs = endUs === null ? null : Math.min(endUs - us, sessionUs);
  const part = leftUs === null ? 0 : Math.max(0, Math.min(1, leftUs / sessionUs));
  const words = leftUs === null ? "no lease" : leftUs > 0 ? `${(leftUs / 1e6).toFixed(1)} s` : `${(-leftUs / 1e6).toFixed(1)} s over`;
  return html`<div class="bar ${kind} ${leftUs !== null && leftUs <= 0 ? "over" : ""}">
    <span class="bar-name">${label}</span>
    <span class="track"><span class="fill" style=${{ transform: `scaleX(${part.toFixed(3)})` }}></span></span>
    <span class="bar-words">${words}</span>
  </div>`;
}

export function LeaseLane({ broker, us, sessionMs }) {
  const sessionUs = sessionMs * 1000;
  const truth = TRUTHS[broker.truth];
  return html`<div class="lane ${className(broker.mismatch)}">
    <${Bar} label="broker" kind="believed" endUs=${broker.lease.brokerEndUs} us=${us} sessionUs=${sessionUs} />
    <${Bar} label="controller" kind="granted" endUs=${broker.lease.controllerEndUs} us=${us} sessionUs=${sessionUs} />
    <div class="bar true"><span class="bar-name">log</span>
      <span class="track truth ${className(broker.truth)}"></span>
      <span class="bar-words"><${Term} word=${broker.truth}>${truth.name}<//></span></div>
    ${broker.mismatch && html`<p class="mismatch"><${Term} word=${broker.mismatch} />
      ${broker.mismatch === "zombie" && ` believes it is in service; ${broker.truth === "unfenced" ? "the log gives its id to another process" : "the log says it is not"}`}
      ${broker.mismatch === "orphan" && " is in service in the log; its process is gone"}
      ${broker.mismatch === "in doubt" && ": no reply within a session"}</p>`}
  </div>`;
}
