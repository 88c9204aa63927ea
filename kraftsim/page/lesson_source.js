// A branch of a lesson: a scenario with a seed, a profile and acts. Films of five seconds are fetched
// as the player needs them; an exported page has all of them in itself.

import { get } from "./service.js";
import { Reel } from "./scenes.js";

const FILM_US = 5_000_000;
const REELS_MAX = 40;
const REST_MS = 2_000;

export const describe = ({ name, seed, profile, acts }) => JSON.stringify([name, String(seed), profile, acts]);

export class LessonSource {
  constructor(branch, exported) {
    this.branch = branch;
    this.exported = exported?.tapes.find((tape) => describe(tape.branch) === describe(branch));
    this.reels = new Map();
    this.isLive = false;
    this.restsUntil = 0;
  }

  get words() {
    const { seed, profile, acts } = this.branch;
    return { seed, profile, acts: JSON.stringify(acts) };
  }

  get path() {
    return `/v1/lessons/${encodeURIComponent(this.branch.name)}`;
  }

  async load() {
    this.story = this.exported?.story ?? (await get(`${this.path}/story`, this.words));
    this.beginUs = this.story.beginUs;
    this.endUs = this.story.endUs;
    return this;
  }

  async why(seq) {
    if (this.exported) return this.exported.whys[seq] ?? { event: seq, lines: [], seqs: [] };
    return get(`${this.path}/why`, { ...this.words, event: seq });
  }

  // The scene if its film is here, else undefined; `fetched` tells when it is.
  at(us) {
    return this.reels.get(this.numberOf(us))?.reel?.at(us);
  }

  messages(fromUs, toUs) {
    const found = [];
    for (let number = Math.floor(fromUs / FILM_US); number <= Math.floor(toUs / FILM_US); number += 1) {
      const film = this.reels.get(number)?.reel?.film;
      for (const message of film?.messages ?? []) {
        if (message.startUs < toUs && (message.endUs ?? toUs) > fromUs) found.push(message);
      }
    }
    return found;
  }

  numberOf(us) {
    return Math.floor(Math.min(us, this.endUs) / FILM_US);
  }

  async fetched(us) {
    const number = this.numberOf(us);
    let entry = this.reels.get(number);
    if (!entry) {
      if (performance.now() < this.restsUntil) throw this.refusal; // a service that fails is left alone
      entry = {};
      entry.promise = this.film(number).then((film) => (entry.reel = new Reel(film)));
      entry.promise.catch((error) => {
        this.reels.delete(number);
        this.refusal = error;
        this.restsUntil = performance.now() + REST_MS;
      });
      this.reels.set(number, entry);
      if (this.reels.size > REELS_MAX) this.reels.delete(this.reels.keys().next().value);
    }
    await entry.promise;
    return this.at(us);
  }

  async film(number) {
    if (this.exported) return this.exported.films[number];
    const film = await get(`${this.path}/film`, {
      ...this.words,
      fromUs: number * FILM_US,
      toUs: (number + 1) * FILM_US - 1,
    });
    return film;
  }
}
