// What a visitor can do: each act is an operation of the running cluster, or a step of a scenario file.
// `says` is what the act has done, as a sentence; `answer` is the reply of the operation.

const onBroker = (verb) => ({ path: (id) => `/sim/brokers/${id}/${verb}`, command: (id) => `kraftsim broker ${verb} ${id}` });
const onController = (verb) => ({ path: (id) => `/sim/controllers/${id}/${verb}`, command: (id) => `kraftsim controller ${verb} ${id}` });
const fault = (document) => ({ path: () => "/sim/faults", body: (id) => ({ fault: document(id) }), command: (id) => `kraftsim fault add '${JSON.stringify(document(Number(id)))}'` });
const faultAct = (name, document, says) => ({ name, step: document, live: fault(document), says });
const onFault = (verb, id, words = "") => ({ path: () => `/sim/faults/${id}/${verb}`, command: () => `kraftsim fault ${verb} ${id}${words}` });

const openFault = (verb, id, scene) =>
  Object.entries(scene.faults).find(([, item]) => item.verb === verb && item.sides.flat().includes(Number(id)))?.[0];
// Why an act would change nothing, by the state of the process.
const over = (kind) => (id) => `The process of ${kind} ${id} had already ended: there is nothing to end.`;
const paused = (kind) => (id) => `${kind} ${id} is paused already: nothing has changed.`;
const add = {
  name: "Add a broker",
  step: () => ({ "broker.add": { count: 1 } }),
  live: { path: () => "/sim/brokers", command: () => "kraftsim broker add" },
  says: (id, answer) => `Broker ${answer?.brokerId ?? "with the next free id"} starts, and registers.`,
};

export const ACTS = {
  broker: [
    faultAct("Pause 12 s", (id) => ({ "proc.pause": { on: id, for: "12s" } }), (id) => `Broker ${id} is paused for 12 s: it sends no heartbeat.`),
    { name: "Pause", step: (id) => ({ "proc.pause": { on: id } }), live: onBroker("pause"), without: { PAUSED: paused("Broker") }, says: (id) => `Broker ${id} is paused: it sends no heartbeat.` },
    { name: "Resume", ends: "proc.pause", live: onBroker("resume"), says: (id) => `Broker ${id} runs again.` },
    { name: "Kill", step: (id) => ({ "proc.crash": { on: id } }), live: onBroker("kill"), without: { NOT_RUNNING: over("broker") }, says: (id) => `The process of broker ${id} has ended; its lease runs out.` },
    { name: "Stop", step: (id) => ({ "proc.stop": { on: id } }), live: onBroker("stop"), without: { NOT_RUNNING: over("broker") }, says: (id) => `Broker ${id} asks for a controlled shutdown.` },
    { name: "Start", step: (id) => ({ "proc.start": { on: id } }), live: onBroker("restart"), says: (id) => `Broker ${id} starts with a new incarnation, and registers.` },
    faultAct("Lose its requests 15 s", (id) => ({ "net.partition": { from: id, to: "controllers", for: "15s" } }), (id) => `Messages from broker ${id} to the controllers are lost for 15 s.`),
    faultAct("Lose replies to it 15 s", (id) => ({ "net.partition": { from: "controllers", to: id, for: "15s" } }), (id) => `Messages from the controllers to broker ${id} are lost for 15 s.`),
    faultAct("Hold its messages 8 s", (id) => ({ "net.hold": { from: id, to: "controllers", for: "8s" } }), (id) => `Messages from broker ${id} to the controllers are held for 8 s.`),
    faultAct("Clock 5 % fast 30 s", (id) => ({ "clock.drift": { on: id, ppm: 50000, for: "30s" } }), (id) => `The clocks of broker ${id} run 5 % fast for 30 s.`),
    { name: "Decommission", step: (id) => ({ "broker.decommission": { on: id } }), live: { path: () => "/kafka/DecommissionBroker", body: (id) => ({ brokerId: id }), command: (id) => `kraftsim cluster decommission --id ${id}` }, says: (id) => `Broker ${id} is unregistered, and no longer in any replica set.` },
    add,
  ],
  controller: [
    faultAct("Pause 5 s", (id) => ({ "proc.pause": { on: id, for: "5s" } }), (id) => `Controller ${id} is paused for 5 s.`),
    { name: "Pause", step: (id) => ({ "proc.pause": { on: id } }), live: onController("pause"), without: { PAUSED: paused("Controller") }, says: (id) => `Controller ${id} is paused.` },
    { name: "Resume", ends: "proc.pause", live: onController("resume"), says: (id) => `Controller ${id} runs again.` },
    { name: "Kill", step: (id) => ({ "proc.crash": { on: id } }), live: onController("kill"), without: { NOT_RUNNING: over("controller") }, says: (id) => `The process of controller ${id} has ended; its log stays on its disk.` },
    { name: "Start", step: (id) => ({ "proc.start": { on: id } }), live: onController("start"), says: (id) => `Controller ${id} starts, and reads its log.` },
    faultAct("Cut it off 15 s", (id) => ({ "net.partition": { on: id, for: "15s" } }), (id) => `Messages from and to controller ${id} are lost for 15 s.`),
    { name: "Make it leader", step: (id) => ({ "quorum.transfer": { to: id } }), live: { path: () => "/sim/quorum/transfer-leadership", body: (id) => ({ to: id }), command: (id) => `kraftsim quorum transfer-leadership --to ${id}` }, says: (id) => `The active controller resigns in favour of controller ${id}.` },
  ],
};

// Holds requests of an API, or the replies to them, that a broker sends or that reach a controller.
export function hold(kind, api, direction) {
  const words = { ...(api && { api }), ...(direction === "reply" && { direction }) };
  const what = `${direction === "reply" ? "Replies to" : "Requests"} ${api ?? "of any API"}`;
  return faultAct("Hold", (id) => ({ "rpc.hold": { ...words, [kind]: id } }),
    (id) => `${what} ${kind === "broker" ? "of broker" : "at controller"} ${id} are held until you release them.`);
}

const messages = (count) => (count === 1 ? "1 message" : `${count} messages`);
const released = (answer) => (answer ? `${messages(answer.released)} released, ${messages(answer.held)} still held.` : "Released.");

// Releases a held message of a fault, or without a number all that it holds now; it goes on holding.
export const releaseOf = (id, number) => ({
  name: "Release all",
  step: () => ({ release: id, ...(number && { message: number }) }),
  live: { ...onFault("release", id, number ? ` --message ${number}` : ""), body: () => (number ? { message: number } : {}) },
  says: (_, answer) => released(answer),
});

// Ends a fault, which releases all that it holds.
export const stopOf = (id) => ({
  name: "End the fault",
  step: () => ({ end: id }),
  live: onFault("remove", id),
  says: () => `The fault ${id} has ended; what it held goes on.`,
});

// Why an act would change nothing in a scene, or undefined.
export function needless(act, id, { brokers, controllers }) {
  const state = (brokers[id] ?? controllers[id])?.state;
  return act.without?.[state]?.(id);
}

// The step of a scenario file for an act at a time, counted from the begin of the steps.
export function stepAt(act, id, offsetUs, scene) {
  const at = `${Math.max(0, offsetUs / 1e6).toFixed(6)}s`;
  if (!act.ends) return { at, ...act.step(Number(id)) };
  const open = openFault(act.ends, id, scene);
  return open && { at, end: open };
}
