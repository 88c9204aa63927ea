// What a visitor can do: each act is an operation of the running cluster, or a step of a scenario file.

const onBroker = (verb) => ({ path: (id) => `/sim/brokers/${id}/${verb}`, command: (id) => `kraftsim broker ${verb} ${id}` });
const onController = (verb) => ({ path: (id) => `/sim/controllers/${id}/${verb}`, command: (id) => `kraftsim controller ${verb} ${id}` });
const fault = (document) => ({ path: () => "/sim/faults", body: (id) => ({ fault: document(id) }), command: (id) => `kraftsim fault add '${JSON.stringify(document(id))}'` });

const openFault = (verb, id, scene) =>
  Object.entries(scene.faults).find(([, item]) => item.verb === verb && item.sides.flat().includes(Number(id)))?.[0];
const release = {
  name: "Release its messages",
  ends: "net.hold",
  live: {
    path: (id, scene) => `/sim/faults/${openFault("net.hold", id, scene) ?? "none"}/remove`,
    command: (id, scene) => `kraftsim fault remove ${openFault("net.hold", id, scene) ?? "none"}`,
  },
};
const add = {
  name: "Add a broker",
  step: () => ({ "broker.add": { count: 1 } }),
  live: { path: () => "/sim/brokers", command: () => "kraftsim broker add" },
};

export const ACTS = {
  broker: [
    { name: "Pause 12 s", step: (id) => ({ "proc.pause": { on: id, for: "12s" } }), live: fault((id) => ({ "proc.pause": { on: id, for: "12s" } })) },
    { name: "Pause", step: (id) => ({ "proc.pause": { on: id } }), live: onBroker("pause") },
    { name: "Resume", ends: "proc.pause", live: onBroker("resume") },
    { name: "Kill", step: (id) => ({ "proc.crash": { on: id } }), live: onBroker("kill") },
    { name: "Stop", step: (id) => ({ "proc.stop": { on: id } }), live: onBroker("stop") },
    { name: "Start", step: (id) => ({ "proc.start": { on: id } }), live: onBroker("restart") },
    { name: "Lose its heartbeats 15 s", step: (id) => ({ "net.partition": { from: id, to: "controllers", for: "15s" } }), live: fault((id) => ({ "net.partition": { from: id, to: "controllers", for: "15s" } })) },
    { name: "Lose the replies 15 s", step: (id) => ({ "net.partition": { from: "controllers", to: id, for: "15s" } }), live: fault((id) => ({ "net.partition": { from: "controllers", to: id, for: "15s" } })) },
    { name: "Hold its messages 8 s", step: (id) => ({ "net.hold": { from: id, to: "controllers", for: "8s" } }), live: fault((id) => ({ "net.hold": { from: id, to: "controllers", for: "8s" } })) },
    release,
    { name: "Clock 5 % fast 30 s", step: (id) => ({ "clock.drift": { on: id, ppm: 50000, for: "30s" } }), live: fault((id) => ({ "clock.drift": { on: id, ppm: 50000, for: "30s" } })) },
    { name: "Decommission", step: (id) => ({ "broker.decommission": { on: id } }), live: { path: () => "/kafka/DecommissionBroker", body: (id) => ({ brokerId: id }), command: (id) => `kraftsim cluster decommission --id ${id}` } },
    add,
  ],
  controller: [
    { name: "Pause 5 s", step: (id) => ({ "proc.pause": { on: id, for: "5s" } }), live: fault((id) => ({ "proc.pause": { on: id, for: "5s" } })) },
    { name: "Pause", step: (id) => ({ "proc.pause": { on: id } }), live: onController("pause") },
    { name: "Resume", ends: "proc.pause", live: onController("resume") },
    { name: "Kill", step: (id) => ({ "proc.crash": { on: id } }), live: onController("kill") },
    { name: "Start", step: (id) => ({ "proc.start": { on: id } }), live: onController("start") },
    { name: "Cut it off 15 s", step: (id) => ({ "net.partition": { on: id, for: "15s" } }), live: fault((id) => ({ "net.partition": { on: id, for: "15s" } })) },
    { name: "Make it leader", step: (id) => ({ "quorum.transfer": { to: id } }), live: { path: () => "/sim/quorum/transfer-leadership", body: (id) => ({ to: id }), command: (id) => `kraftsim quorum transfer-leadership --to ${id}` } },
  ],
};

// The step of a scenario file for an act at a time, counted from the begin of the steps.
export function stepAt(act, id, offsetUs, scene) {
  const at = `${Math.max(0, offsetUs / 1e6).toFixed(6)}s`;
  if (!act.ends) return { at, ...act.step(Number(id)) };
  const open = openFault(act.ends, id, scene);
  return open && { at, end: open };
}
