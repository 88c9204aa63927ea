// The running cluster: a picture several times a second, and its events. The last minutes are kept,
// so that one can look back; to act in the past, a lesson is the place.

import { get } from "./service.js";

const PERIOD_MS = 250;
const KEPT_MAX = 2_400;
const EVENTS_MAX = 100_000;

export class LiveSource {
  constructor() {
    this.isLive = true;
    this.kept = [];
    this.beginUs = 0;
    this.endUs = 0;
    this.story = { title: "The running cluster", claim: "", events: [], captions: [], broken: [] };
    this.listeners = new Set();
    this.nextEvent = 0;
    this.isOpen = false;
  }

  async load() {
    await this.look();
    this.isOpen = true;
    this.follow();
    return this;
  }

  close() {
    this.isOpen = false;
  }

  async follow() {
    while (this.isOpen) {
      await new Promise((done) => setTimeout(done, PERIOD_MS));
      try {
        await this.look();
        this.failure = undefined;
      } catch (error) {
        this.failure = `The service does not answer: ${error.message}`;
      }
      for (const listener of this.listeners) listener();
    }
  }

  async look() {
    const [picture, page] = await Promise.all([
      get("/v1/scene"),
      get("/v1/story", { from: this.nextEvent, limit: 1000 }),
    ]);
    const last = this.kept.at(-1);
    if (last && picture.atUs < last.atUs) {
      this.begin();
      return;
    }
    this.seenAt = performance.now();
    this.endUs = picture.atUs;
    this.kept.push(picture);
    if (this.kept.length > KEPT_MAX) this.kept.splice(0, KEPT_MAX / 4);
    this.nextEvent = page.next;
    if (page.events.length) this.story = { ...this.story, events: [...this.story.events, ...page.events].slice(-EVENTS_MAX) };
  }

  // A reset begins a new cluster, whose events are numbered from 0 again.
  begin() {
    this.kept = [];
    this.nextEvent = 0;
    this.story = { ...this.story, events: [] };
  }

  async why(seq) {
    const { lines } = await get(`/sim/explain/${seq}`);
    return { event: seq, lines: lines.slice(-5), seqs: [] };
  }

  at(us) {
    let low = 0;
    let high = this.kept.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.kept[middle].atUs <= us) low = middle;
      else high = middle - 1;
    }
    return this.kept[low].scene;
  }

  async fetched(us) {
    return this.at(us);
  }

  messages() {
    return [];
  }
}
