// The running cluster: a picture several times a second, its newest messages, and its events. The last
// minutes are kept, so that one can look back; to act in the past, a lesson is the place.

import { causeOf } from "./divergence.js";
import { get, poll, repeat } from "./service.js";
import { fileTime } from "./signs.js";

const PERIOD_MS = 250;
const KEPT_MAX = 2_400; // pictures: ten minutes
const BROKERS_KEPT_MAX = 120_000; // in all of them together: half a minute of 1,000 brokers
const EVENTS_MAX = 100_000;
const MESSAGES_MAX = 5_000;
const WHY_LINES = 5;
const LOOK_US = 500_000; // the longest time for which the picture of now is older than now

export class LiveSource {
  constructor() {
    this.isLive = true;
    this.beginUs = 0;
    this.endUs = 0;
    this.isOpen = false;
    this.begin();
  }

  // A reset begins a new cluster, whose events and messages are numbered from 0 again.
  begin() {
    this.kept = [];
    this.ended = [];
    this.underWay = [];
    this.rates = {};
    this.acts = [];
    this.nextEvent = 0;
    this.nextMessage = 0;
    this.story = { title: "The running cluster", claim: "", events: [], captions: [], broken: [] };
  }

  async load() {
    await this.look();
    this.isOpen = true;
    repeat(() => this.follow(), PERIOD_MS, () => this.isOpen);
    return this;
  }

  close() {
    this.isOpen = false;
  }

  async follow() {
    try {
      await this.look();
      this.failure = undefined;
    } catch (error) {
      this.failure = error.message;
    }
  }

  async look() {
    const answered = this.acts.filter((act) => act.isAnswered && act.doneUs === Infinity);
    const [picture, page] = await Promise.all([
      poll("/v1/scene", { from: this.nextMessage }),
      poll("/v1/story", { from: this.nextEvent, limit: 1000 }),
    ]);
    const last = this.kept.at(-1);
    if (last && picture.atUs < last.atUs) {
      this.begin();
      return;
    }
    this.seenAt = performance.now();
    this.endUs = picture.atUs;
    for (const act of answered) act.doneUs = this.endUs;
    this.note(picture.traffic, last);
    this.kept.push({ atUs: picture.atUs, scene: picture.scene, counts: picture.traffic.counts });
    const keptMax = Math.min(KEPT_MAX, BROKERS_KEPT_MAX / Object.keys(picture.scene.brokers).length);
    if (this.kept.length > keptMax) this.kept.splice(0, Math.ceil(keptMax / 4));
    this.nextEvent = page.next;
    if (page.events.length) this.story = { ...this.story, events: [...this.story.events, ...page.events].slice(-EVENTS_MAX) };
  }

  // Messages come in the order in which they ended; rates are those of the last second.
  note({ messages, underWay, counts, next }, last) {
    this.nextMessage = next;
    this.underWay = underWay;
    this.ended.push(...messages);
    if (this.ended.length > MESSAGES_MAX) this.ended.splice(0, MESSAGES_MAX / 4);
    const before = this.kept.findLast((item) => item.atUs <= this.endUs - 1_000_000) ?? this.kept[0];
    if (!last || !before) return;
    const seconds = (this.endUs - before.atUs) / 1e6;
    this.rates = Object.fromEntries(Object.entries(counts).map(([api, count]) => [api, (count - (before.counts[api] ?? 0)) / seconds]));
  }

  get nowUs() {
    return this.endUs + Math.min((performance.now() - this.seenAt) * 1000, LOOK_US);
  }

  // Notes what this visitor does now. Once the service has answered (`isAnswered`), the next picture says when it was
  // done (`doneUs`): the page itself may be seconds behind the cluster.
  noteAct(name, id, command) {
    const act = { atUs: this.endUs, isAnswered: false, doneUs: Infinity, name, id, command };
    this.acts.push(act);
    return act;
  }

  // The act of this visitor that an event without a cause is the first effect of.
  actBefore({ atUs, node, brokerIds, kind }) {
    const isAbout = ({ id }) => brokerIds.includes(Number(id)) || node.endsWith(`-${id}`) || /^(fault|controller)_/.test(kind);
    return this.acts.findLast((act) => act.atUs <= atUs && atUs <= act.doneUs + LOOK_US && isAbout(act));
  }

  async why(seq) {
    const { events } = this.story;
    const chain = [events.find((event) => event.seq <= seq && seq <= event.lastSeq)];
    for (let cause = chain[0] && causeOf(chain[0], events); cause; cause = causeOf(cause, events)) chain.unshift(cause);
    if (!chain[0] || chain[0].causeSeq !== null) return get(`/sim/explain/${seq}`); // its causes came before this page
    const act = this.actBefore(chain[0]);
    const lines = chain.map((event) => `${fileTime(event.atUs, 0)} ${event.text}`).slice(-WHY_LINES);
    const first = act && `${fileTime(chain[0].atUs, 0)} You chose ${act.name}: ${act.command}`;
    return { event: seq, lines: first ? [first, ...lines] : lines, seqs: [] };
  }

  // Of earlier times there is no picture.
  get firstUs() {
    return this.kept[0]?.atUs ?? this.endUs;
  }

  // The first picture at a time or after it, so that it shows what an event of that time has changed.
  at(us) {
    let low = 0;
    let high = this.kept.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.kept[middle].atUs >= us) high = middle;
      else low = middle + 1;
    }
    return this.kept[low]?.scene;
  }

  async fetched(us) {
    return this.at(us);
  }

  messages(fromUs, toUs) {
    const found = this.underWay.filter((message) => message.startUs < toUs);
    for (let index = this.ended.length - 1; index >= 0 && this.ended[index].endUs > fromUs; index -= 1) {
      if (this.ended[index].startUs < toUs) found.push(this.ended[index]);
    }
    return found;
  }
}
