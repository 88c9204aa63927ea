// The newest requests of Kafka clients to the running cluster, from its journal of requests.

import { html, useEffect, useState } from "./vendor/htm-preact.js";
import { poll, repeat } from "./service.js";

const PERIOD_MS = 1_000;
const SHOWN = 8;

export function LiveRequests() {
  const [requests, setRequests] = useState([]);
  useEffect(() => {
    let next = 0;
    let isOpen = true;
    const look = async () => {
      const page = await poll("/v1/requests", { from: next, limit: 1000 }).catch(() => undefined);
      if (!page) return;
      next = page.next;
      if (page.requests.length) setRequests((before) => [...before, ...page.requests].slice(-SHOWN));
    };
    repeat(look, PERIOD_MS, () => isOpen);
    return () => { isOpen = false; };
  }, []);
  return html`<section class="requests" aria-label="Requests of clients"><h2>Requests of clients</h2>
    ${requests.length ? html`<ol>${requests.toReversed().map((request) => html`<li key=${request.number}>
      <b>${request.api}</b> v${request.version} <small>${request.listener}${request.clientId ? `, ${request.clientId}` : ""}</small></li>`)}</ol>`
      : html`<p class="note">No client has asked yet. Try <code>kafka-topics --bootstrap-server … --list</code>; <code>kraftsim request list</code> shows the same.</p>`}
  </section>`;
}
