// Where stories differ: events that happen in some of them only, or at another time.

const SOON_US = 50_000; // two worlds with other offsets do the same thing some milliseconds apart

// Epochs of brokers are offsets of their registrations, the offset at which a log is cut depends on how much was
// written before, and the time of an event says how long a lease was silent: none makes an event another one.
const PLAIN = [
  [/ \(epochs? [\d, ]+\)/g, ""],
  [/no heartbeat for .*$/, ""],
  [/ from offset \d+ on/, ""],
];

const isAct = (event) => event.kind.startsWith("fault") && event.faultId?.startsWith("act-");
const plain = (text) => PLAIN.reduce((before, [pattern, put]) => before.replace(pattern, put), text);
const saidOf = ({ text, say }) => (say && text.endsWith(say) ? text.slice(0, -say.length) : text); // what is said of a step may name settings
const sameAs = (event) => `${event.kind} ${event.node} ${plain(saidOf(event))}`;
// What happens to several brokers at one instant is one event of a story, and is compared broker by broker.
const TOGETHER = /brokers [\d, -]+ are /;
const keysOf = (event) =>
  event.kind.startsWith("broker_") && TOGETHER.test(event.text)
    ? event.brokerIds.map((id) => sameAs({ ...event, text: event.text.replace(TOGETHER, `broker ${id} is `) }))
    : [sameAs(event)];
const aboutAs = (event) => `${event.kind} ${event.brokerIds} ${event.faultId ?? ""}`;

function byKey(events) {
  const found = new Map();
  for (const event of events) {
    for (const key of keysOf(event)) {
      if (!found.has(key)) found.set(key, []);
      found.get(key).push(event);
    }
  }
  return found;
}

// The differences among the events with one key: each story's first, second, ... is compared.
function* unlike(key, queues) {
  const next = queues.map(() => 0);
  for (;;) {
    const heads = queues.map((queue, index) => queue[next[index]]);
    const atUs = Math.min(...heads.map((event) => event?.atUs ?? Infinity));
    if (atUs === Infinity) return;
    const events = heads.map((event) => (event && event.atUs <= atUs + SOON_US ? event : undefined));
    events.forEach((event, index) => event && (next[index] += 1));
    if (events.includes(undefined)) yield { key, atUs, events };
  }
}

// The event of a story that caused another; an act causes its effects in every story alike.
export function causeOf({ causeSeq }, events) {
  return causeSeq === null ? undefined : events.find(({ seq, lastSeq }) => seq <= causeSeq && causeSeq <= lastSeq);
}

// The first of an event's causes that is apart from the same stories: what comes before it is common. If the stories
// `without` have nothing like the event, at no time, the cause is one that they have nothing like, either.
function rootOf(event, { apart, events }, isHere, without) {
  const isApart = (cause) => apart.get(cause)?.every((is, index) => isHere[index] || !is);
  const isAbsent = (cause) => !without.some((story) => story.events.some((other) => aboutAs(other) === aboutAs(cause)));
  let root = event;
  for (let cause = causeOf(root, events); cause && isApart(cause) && isAbsent(cause); cause = causeOf(root, events)) root = cause;
  return root;
}

// What the stories without the event do instead: the same at another time, else another thing about the
// same brokers; the nearest in time of what is apart. The roots of what happens at this time are causes.
function completed({ key, atUs, events }, stories) {
  const isHere = events.map(Boolean);
  const missing = events.find(Boolean);
  const far = (event) => Math.abs(event.atUs - atUs);
  const nearest = ({ apart }, isLike) => [...apart.keys()].filter(isLike).sort((a, b) => far(a) - far(b))[0];
  const isSame = (event) => keysOf(event).includes(key);
  const isAbout = (event) => aboutAs(event) === aboutAs(missing);
  const shown = events.map((event, index) => event ?? nearest(stories[index], isSame) ?? nearest(stories[index], isAbout));
  const without = stories.filter((_, index) => !shown[index]);
  const roots = shown.map((event, index) => (event && far(event) <= SOON_US ? rootOf(event, stories[index], isHere, without) : undefined));
  return { atUs, events: shown, isHere, roots };
}

// Whether no earlier difference has the same events: two brokers of one event may differ alike.
const isNew = ({ events }, place, found) => !found.slice(0, place).some((other) => other.events.every((event, index) => event === events[index]));

// The differences of stories in order of time. An act is none; what follows from it is.
export function differences(stories) {
  const own = stories.map(({ events }) => events.filter((event) => !isAct(event)));
  const keyed = own.map(byKey);
  const keys = new Set(keyed.flatMap((events) => [...events.keys()]));
  const found = [...keys].flatMap((key) => [...unlike(key, keyed.map((events) => events.get(key) ?? []))]).filter(isNew);
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
