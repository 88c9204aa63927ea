// What a visitor has open: the running cluster, or branches of a lesson. One branch is active: the
// timeline is its; others may be side by side with it, at the same instant.

import { stepAt } from "./acts.js";
import { addressOf } from "./address.js";
import { LessonSource, describe } from "./lesson_source.js";
import { LiveSource } from "./live_source.js";
import { Player } from "./player.js";
import { stopsOf } from "./question.js";

export const LETTERS = "ABCDEFGHIJKLMNOPQRSTU";
const lessonOf = ({ hash }) => new URLSearchParams(hash.slice(1)).get("lesson");
const RELEASES = ["kip-631", "kafka-3.9", "kafka-4.3"];

function branchWith(act, id, us, { source, scene }) {
  const { branch, beginUs } = source;
  const step = stepAt(act, id, us - beginUs, source.at(us) ?? scene);
  if (!step) throw new Error(`${act.name}: nothing of this kind is open`);
  const before = branch.acts.filter((item) => parseFloat(item.at) * 1e6 <= us - beginUs);
  return { ...branch, acts: [...before, step] };
}

export class Visit {
  // `onFrame` is called for each picture, `onChange` with what else changes on the page.
  constructor(exported, { onFrame, onChange, onStop }) {
    Object.assign(this, { exported, onFrame, onChange, onStop, players: [], active: 0, beside: [], difference: undefined, opening: 0 });
  }

  get player() {
    return this.players[this.active];
  }

  // The indices of the branches that are compared: those side by side, else the first and another.
  get compared() {
    return this.beside.length ? this.beside : [0, this.active || 1];
  }

  get link() {
    const { source, us } = this.player;
    const { name, seed } = source.branch;
    const branches = this.players.map(({ source: { branch } }) => ({ profile: branch.profile, acts: branch.acts }));
    return { name, seed, us, branches, active: this.active, beside: this.beside };
  }

  // Returns a function that is true until a visitor opens something else.
  begin() {
    const number = (this.opening += 1);
    return () => number === this.opening;
  }

  async openLive() {
    const isWanted = this.begin();
    const player = new Player(await new LiveSource().load(), this.onFrame);
    if (!isWanted()) return player.close();
    this.replace([player]);
    history.replaceState(null, "", location.pathname);
    return undefined;
  }

  async openLesson(link) {
    const { name, seed, us, active, beside } = link;
    const isWanted = this.begin();
    const players = [];
    for (const branch of link.branches) players.push(await this.playerOf({ name, seed, ...branch }));
    if (!isWanted()) return players.forEach((player) => player.close());
    if (this.player && lessonOf(location) !== name) history.pushState(null, "", addressOf({ ...link, us: us ?? 0 })); // Back shows what was open
    this.replace(players);
    for (const player of players) for (const stop of player.stops) stop.isAnswered = players.length > 1 || (us !== undefined && stop.atUs <= us);
    this.settle({ active, beside: beside.length > 1 ? beside : [] });
    const { player } = this;
    await player.seek(us ?? player.source.beginUs);
    const asked = players.length === 1 && player.stops.find((stop) => stop.atUs - 1 === us); // an instructor brings a class here
    if (asked) player.reach(asked);
    return undefined;
  }

  async playerOf(branch) {
    const source = await new LessonSource(branch, this.exported).load();
    const player = new Player(source, this.onFrame);
    player.stops = stopsOf(source.story);
    player.onStop = this.onStop;
    player.onSeek = () => player === this.player && this.note(); // a reload at once shows the same place
    await source.fetched(source.beginUs);
    return player;
  }

  replace(players) {
    for (const player of this.players) player.close();
    Object.assign(this, { players, active: 0, beside: [], address: undefined });
    this.onChange({ stop: undefined, selected: undefined, failure: undefined });
  }

  // Makes a branch active and others stand beside it; the address then holds them.
  settle({ active = this.active, beside = this.beside }) {
    Object.assign(this, { active, beside });
    const shown = beside.map((index) => this.players[index].source);
    for (const player of this.players) player.companions = shown.filter((source) => source !== player.source);
    this.onChange({});
  }

  // Acting in the past makes a branch; the acts after this moment are not in it. Releases that are
  // side by side with the same acts have the new act in common.
  async act(act, id) {
    const { us, source } = this.player;
    if (us >= source.endUs) throw new Error("The lesson is over: go back to a moment before its end, then act.");
    if (us < source.beginUs) throw new Error("Acts begin with the steps, at T+00:00.0: go there, then act.");
    const acts = new Set(this.beside.map((index) => JSON.stringify(this.players[index].source.branch.acts)));
    const together = acts.size === 1 ? this.beside : [this.active];
    await this.fork(together.map((index) => branchWith(act, id, us, this.players[index])), together.indexOf(this.active));
  }

  // Opens branches in the place of those that they leave; `place` is that of the active one.
  async fork(branches, place = 0) {
    const { us } = this.player;
    const { active, beside } = this;
    const made = [];
    for (const branch of branches) made.push(await this.added(branch));
    const others = branches.length > 1 ? [] : beside.filter((index) => index !== active);
    this.settle({ active: made[place], beside: beside.length ? [...others, ...made] : [] });
    await this.player.seek(us);
    this.player.play();
  }

  // Returns the index of a branch, which is opened if it is not.
  async added(branch) {
    const { us, speed } = this.player;
    const [first] = this.players;
    const isSame = ({ source }) => describe(branch) === describe({ ...source.branch, profile: source.story.profile });
    const known = this.players.findIndex(isSame);
    if (known >= 0) return known;
    if (this.players.length >= LETTERS.length) throw new Error("There are branches from A to U: open the lesson anew for more.");
    const made = await this.playerOf(branch);
    await made.source.fetched(us);
    if (first !== this.players[0]) {
      made.close();
      throw new Error("Something else was opened before the branch was here: it was left out.");
    }
    this.player.pause();
    for (const stop of made.stops) stop.isAnswered = true;
    Object.assign(made, { speed, seenUs: us, us });
    this.players = [...this.players, made];
    return this.players.length - 1;
  }

  // The lesson as three releases play it, side by side.
  async compareReleases() {
    const { us, source } = this.player;
    const beside = [];
    for (const profile of RELEASES) beside.push(await this.added({ ...source.branch, profile }));
    this.settle({ beside, active: beside.includes(this.active) ? this.active : beside[0] });
    await this.player.seek(us);
  }

  choose(index) {
    const { us, speed, isPlaying } = this.player;
    this.player.pause();
    this.settle({ active: index });
    this.player.speed = speed;
    this.player.seek(us).then(() => isPlaying && this.player.play());
  }

  toggleBeside() {
    this.settle({ beside: this.beside.length ? [] : this.compared });
    this.player.seek(this.player.us);
  }

  // Puts a branch beside the others, or takes it away; the last two stay.
  toggle(index) {
    const { beside } = this;
    const next = beside.includes(index) ? beside.filter((item) => item !== index) : [...beside, index];
    if (next.length < 2) return;
    this.settle({ beside: next, active: next.includes(this.active) ? this.active : next[0] });
    this.player.seek(this.player.us);
  }

  // Writes what is shown into the address of the page.
  note() {
    if (!this.player || this.player.source.isLive || this.exported) return;
    const address = addressOf(this.link);
    if (address === this.address || (this.address && location.hash !== this.address)) return; // another one is being opened
    this.address = address;
    history.replaceState(null, "", address);
  }
}
