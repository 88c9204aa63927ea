// The position in a source, and how it moves. The timeline is the only clock of the page.

export const SPEEDS = [0.01, 0.1, 0.25, 0.5, 1, 2, 4, 10, 60, 300, 1000];
const LOOK_US = 50_000;
const TURNING_POINTS = new Set([
  "broker_fenced", "broker_unfenced", "broker_registered", "broker_unregistered", "controller_elected",
  "broker_in_controlled_shutdown", "fault_begins", "fault_ends", "calm_begins", "admin_refused",
  "records_truncated",
]);

export const isTurningPoint = (event) => TURNING_POINTS.has(event.kind);

export class Player {
  constructor(source, onChange) {
    this.source = source;
    this.onChange = onChange;
    this.us = source.isLive ? source.endUs : source.beginUs;
    this.seenUs = this.us; // the latest time that was shown
    this.speed = 1;
    this.isPlaying = source.isLive;
    this.follows = source.isLive;
    this.stops = [];
    this.companions = []; // sources that are shown beside this one, at the same instant
    this.frame = this.frame.bind(this);
    this.isOpen = true;
    this.last = performance.now();
    requestAnimationFrame(this.frame);
  }

  close() {
    this.isOpen = false;
    this.source.close?.();
  }

  get scene() {
    return this.source.at(this.us) ?? this.shown;
  }

  frame(now) {
    if (!this.isOpen) return;
    const passedUs = (now - this.last) * 1000 * this.speed;
    this.last = now;
    if (this.follows) this.us = this.source.endUs + Math.min((now - this.source.seenAt) * 1000, 500_000);
    else if (this.isPlaying) this.move(Math.min(passedUs, 2_000_000 * Math.max(1, this.speed / 60)));
    this.show();
    requestAnimationFrame(this.frame);
  }

  // Moves forward, but not past a stop, and waits while the film of the next time is on its way.
  move(byUs) {
    let us = Math.min(this.us + byUs, this.source.endUs);
    const stop = this.stopUntil(us);
    if (stop) us = stop.atUs - 1;
    const late = this.shownSources.filter((source) => source.at(us) === undefined);
    for (const source of late) source.fetched(us).catch((error) => this.fail(error));
    if (late.length) return;
    this.us = us;
    for (const source of this.shownSources) source.fetched(us + 5_000_000).catch(() => undefined);
    if (stop) this.reach(stop);
    else if (us >= this.source.endUs) this.pause();
  }

  get shownSources() {
    return [this.source, ...this.companions];
  }

  // The first question that was not answered on the way to a time.
  stopUntil(us) {
    return this.stops.find((item) => !item.isAnswered && item.atUs > this.us && item.atUs <= us);
  }

  reach(stop) {
    this.pause();
    this.onStop?.(stop);
  }

  fail(error) {
    this.failure = error.message;
    this.pause();
  }

  show() {
    const scene = this.source.at(this.us);
    if (scene) this.shown = scene;
    this.seenUs = Math.max(this.seenUs, this.us);
    this.onChange();
  }

  play() {
    if (this.us >= this.source.endUs && !this.source.isLive) this.us = this.source.beginUs;
    this.isPlaying = true;
    this.failure = undefined;
    if (this.source.isLive && this.source.endUs - this.us < 1_000_000) this.follows = true;
  }

  // To the present of a running cluster.
  follow() {
    this.us = this.source.endUs;
    this.play();
  }

  pause() {
    this.isPlaying = false;
    this.follows = false;
  }

  toggle() {
    if (this.isPlaying) this.pause();
    else this.play();
  }

  async seek(us) {
    this.follows = false;
    const stop = this.stopUntil(us);
    const firstUs = this.source.firstUs ?? 0;
    this.us = Math.max(firstUs, Math.min(stop ? stop.atUs - 1 : us, this.source.endUs));
    this.onSeek?.();
    try {
      await Promise.all(this.shownSources.map((source) => source.fetched(this.us)));
      this.failure = us < firstUs ? "There is no earlier picture: this page keeps those that it has shown, of ten minutes at most." : undefined;
    } catch (error) {
      this.failure = error.message;
    }
    this.show();
    if (stop) this.reach(stop);
  }

  // What a lesson may show: a question is put before its answer was seen.
  get knownUs() {
    const asks = this.stops.some((stop) => !stop.isAnswered);
    return asks ? this.seenUs : this.source.endUs;
  }

  // To the next time at which a broker and the log disagree; films are fetched on the way.
  async jumpToMismatch() {
    const { source, us: fromUs } = this;
    const disagree = (scene) => Object.values(scene.brokers).some((broker) => broker.mismatch);
    this.pause();
    try {
      let isApart = disagree(this.scene ?? (await source.fetched(fromUs)));
      for (let us = fromUs; us < source.endUs; us += LOOK_US) {
        const scene = source.at(us) ?? (await source.fetched(us));
        if (disagree(scene) && !isApart) return await this.seek(us);
        isApart = disagree(scene);
      }
    } catch (error) {
      this.fail(error);
    }
    return undefined;
  }

  // To the next or previous event that `wanted` selects.
  jump(direction, wanted = () => true) {
    const events = this.source.story.events;
    const found =
      direction > 0
        ? events.find((event) => event.atUs > this.us && wanted(event))
        : events.findLast((event) => event.atUs < this.us && wanted(event));
    this.pause();
    return found ? this.seek(found.atUs) : undefined;
  }
}
