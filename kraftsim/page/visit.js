// What a visitor has open: the running cluster, or branches of a lesson, of which one is active.

import { stepAt } from "./acts.js";
import { addressOf } from "./address.js";
import { LessonSource } from "./lesson_source.js";
import { LiveSource } from "./live_source.js";
import { Player } from "./player.js";
import { stopsOf } from "./question.js";

export const LETTERS = "ABCDEFGHIJKLMNOPQRSTU";

export class Visit {
  // `onFrame` is called for each picture, `onChange` with what else changes on the page.
  constructor(exported, { onFrame, onChange, onStop }) {
    Object.assign(this, { exported, onFrame, onChange, onStop, players: [], active: 0, isBeside: false });
  }

  get player() {
    return this.players[this.active];
  }

  // The indices of the branches that are compared, the first of the page first.
  get compared() {
    return [0, this.active || 1];
  }

  async openLive() {
    this.replace([new Player(await new LiveSource().load(), this.onFrame)]);
    history.replaceState(null, "", location.pathname);
  }

  async openLesson(branch, us) {
    const player = await this.playerOf(branch);
    if (this.player?.source.isLive) history.pushState(null, "", addressOf(branch, 0)); // Back shows the cluster again
    this.replace([player]);
    if (us !== undefined) for (const stop of player.stops) stop.isAnswered = stop.atUs <= us;
    await player.seek(us ?? player.source.beginUs);
    const asked = player.stops.find((stop) => stop.atUs - 1 === us); // an instructor brings a class here
    if (asked) player.reach(asked);
    this.note();
  }

  async playerOf(branch) {
    const source = await new LessonSource(branch, this.exported).load();
    const player = new Player(source, this.onFrame);
    player.stops = stopsOf(source.story);
    player.onStop = this.onStop;
    await source.fetched(source.beginUs);
    return player;
  }

  replace(players) {
    for (const player of this.players) player.close();
    Object.assign(this, { players, active: 0, isBeside: false });
    this.onChange({ stop: undefined, selected: undefined, failure: undefined });
  }

  // Acting in the past makes a branch; the acts after this moment are not in it.
  async act(act, id) {
    const { player } = this;
    const { branch, beginUs, endUs } = player.source;
    const step = stepAt(act, id, player.us - beginUs, player.scene);
    if (player.us >= endUs) throw new Error("The lesson is over: go back to a moment before its end, then act.");
    if (player.us < beginUs) throw new Error("Acts begin with the steps, at T+00:00.0: go there, then act.");
    if (!step) throw new Error(`${act.name}: nothing of this kind is open`);
    const before = branch.acts.filter((item) => parseFloat(item.at) * 1e6 <= player.us - beginUs);
    await this.fork({ ...branch, acts: [...before, step] });
  }

  async fork(branch) {
    if (this.players.length >= LETTERS.length) throw new Error("There are branches from A to U: open the lesson anew for more.");
    const { us, speed } = this.player;
    const made = await this.playerOf(branch);
    this.player.pause();
    made.speed = speed;
    for (const stop of made.stops) stop.isAnswered = true;
    made.seenUs = us;
    await made.seek(us);
    this.players = [...this.players, made];
    this.active = this.players.length - 1;
    this.note();
    made.play();
  }

  choose(index) {
    const { us } = this.player;
    this.player.pause();
    this.players[index].seek(us);
    this.active = index;
    this.onChange({});
  }

  toggleBeside() {
    this.isBeside = !this.isBeside;
    this.onChange({});
  }

  // Writes what is shown into the address of the page.
  note() {
    const { source, us } = this.player ?? {};
    if (!source || source.isLive || this.exported) return;
    this.address = addressOf(source.branch, us);
    history.replaceState(null, "", this.address);
  }
}
