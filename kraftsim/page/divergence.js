// Where stories differ: events that happen in some of them only, or at another time.

const SOON_US = 50_000; // two worlds with other offsets do the same thing some milliseconds apart

// Epochs of brokers are offsets of their registrations, and the time of an event says how long a
// lease was silent: neither makes an event another one.
const PLAIN = [
  [/ \(epochs? [\d, ]+\)/g, ""],
  [/no heartbeat for .*$/, ""],
];

const isAct = (event) => event.kind.startsWith("fault") && event.faultId?.startsWith("act-");
const plain = (text) => PLAIN.reduce((before, [pattern, put]) => before.replace(pattern, put), text);
const saidOf = ({ text, say }) => (say && text.endsWith(say) ? text.slice(0, -say.length) : text); // what is said of a step may name settings
const sameAs = (event) => `${event.kind} ${event.node} ${plain(saidOf(event))}`;
const aboutAs = (event) => `${event.kind} ${event.brokerIds} ${event.faultId ?? ""}`;

function byKey(events, keyOf) {
  const found = new Map();
  for (const event of events) {
    const key = keyOf(event);
    if (!found.has(key)) found.set(key, []);
    found.get(key).push(event);
  }
  return found;
}

// The differences among the events with one key: each story's first, second, ... is compared.
function* unlike(queues) {
  const next = queues.map(() => 0);
  for (;;) {
    const heads = queues.map((queue, index) => queue[next[index]]);
    const atUs = Math.min(...heads.map((event) => event?.atUs ?? Infinity));
    if (atUs === Infinity) return;
    const events = heads.map((event) => (event && event.atUs <= atUs + SOON_US ? event : undefined));
    events.forEach((event, index) => event && (next[index] += 1));
    if (events.includes(undefined)) yield { atUs, events };
  }
}

// The event of a story that caused another; an act causes its effects in every story alike.
export function causeOf({ causeSeq }, events) {
  return causeSeq === null ? undefined : events.find(({ seq, lastSeq }) => seq <= causeSeq && causeSeq <= lastSeq);
}

// The first of an event's causes that is apart from the same stories: what comes before it is common.
function rootOf(event, { apart, events }, isHere) {
  const isApart = (cause) => apart.get(cause)?.every((is, index) => isHere[index] || !is);
  let root = event;
  for (let cause = causeOf(root, events); cause && isApart(cause); cause = causeOf(root, events)) root = cause;
  return root;
}

// What the stories without the event do instead: the same at another time, else another thing about the
// same brokers; the nearest in time of what is apart. The roots of what happens at this time are causes.
function completed({ atUs, events }, stories) {
  const isHere = events.map(Boolean);
  const missing = events.find(Boolean);
  const far = (event) => Math.abs(event.atUs - atUs);
  const nearest = ({ apart }, keyOf) => [...apart.keys()].filter((event) => keyOf(event) === keyOf(missing)).sort((a, b) => far(a) - far(b))[0];
  const shown = events.map((event, index) => event ?? nearest(stories[index], sameAs) ?? nearest(stories[index], aboutAs));
  const roots = shown.map((event, index) => (event && far(event) <= SOON_US ? rootOf(event, stories[index], isHere) : undefined));
  return { atUs, events: shown, isHere, roots };
}

// The differences of stories in order of time. An act is none; what follows from it is.
export function differences(stories) {
  const own = stories.map(({ events }) => events.filter((event) => !isAct(event)));
  const keyed = own.map((events) => byKey(events, sameAs));
  const keys = new Set(keyed.flatMap((events) => [...events.keys()]));
  const found = [...keys].flatMap((key) => [...unlike(keyed.map((events) => events.get(key) ?? []))]);
  const parts = own.map((events, index) => ({ events, apart: new Map(found.filter((item) => item.events[index]).map((item) => [item.events[index], item.events.map(Boolean)])) }));
  return found.sort((a, b) => a.atUs - b.atUs).map((item) => completed(item, parts));
}

// An event as rules name it: by its kind, after the kind of its cause, and with its verb or API.
function namesOf(event, { events }) {
  const cause = causeOf(event, events);
  return [event.kind, `${event.kind}:${event.what}`, ...(cause ? [`${cause.kind}>${event.kind}`] : [])];
}

// For each story the rules that tell the stories with the event of a difference from those without: the
// rules of the first cause that is apart.
export function rulesOf({ roots, isHere }, stories) {
  const names = new Set(roots.flatMap((event, index) => (event ? namesOf(event, stories[index]) : [])));
  const topics = stories[0].rules.filter((rule) => rule.on.some((name) => names.has(name))).map((rule) => rule.topic);
  const about = (topic) => stories.map((story) => story.rules.find((rule) => rule.topic === topic));
  const tells = (rules) => {
    const here = new Set(rules.filter((_, index) => isHere[index]).map((rule) => rule.says));
    return rules.every((rule, index) => isHere[index] || !here.has(rule.says));
  };
  const telling = topics.map(about).filter(tells);
  return stories.map((_, index) => telling.map((rules) => rules[index]));
}
