// Scenes as they come from the service: a whole scene, then changes of its entries.

export function changed(scene, change) {
  const next = { ...scene };
  for (const [name, value] of Object.entries(change)) {
    if (typeof value !== "object") {
      next[name] = value;
      continue;
    }
    const entries = { ...scene[name] };
    for (const [key, entry] of Object.entries(value)) {
      if (entry === null) delete entries[key];
      else entries[key] = entry;
    }
    next[name] = entries;
  }
  return next;
}

// A film with a cursor, so that playing forward applies each change once.
export class Reel {
  constructor(film) {
    this.film = film;
    this.rewind();
  }

  rewind() {
    this.scene = this.film.scene;
    this.next = 0;
    this.atUs = this.film.fromUs;
  }

  at(us) {
    if (us < this.atUs) this.rewind();
    const moments = this.film.moments;
    while (this.next < moments.length && moments[this.next].atUs <= us) {
      this.scene = changed(this.scene, moments[this.next].change);
      this.atUs = moments[this.next].atUs;
      this.next += 1;
    }
    return this.scene;
  }
}
