/** What the clients were told, over all lives of the server: what must be there, and what may. */

export class Violation extends Error {}

export function must(holds: boolean, what: string): void {
  if (!holds) throw new Violation(what);
}

/** Marks that are made once each, in one place: the snapshots of a table. */
export class Marks {
  readonly #acknowledged = new Set<string>();
  /** Not answered before the end: each may be there or not, as the next look finds for good. */
  readonly #doubtful = new Set<string>();

  acknowledged(mark: string): void {
    this.#acknowledged.add(mark);
  }

  doubtful(mark: string): void {
    this.#doubtful.add(mark);
  }

  /**
   * Takes what is found after a restart for the truth from here on.
   *
   * @returns how many of the doubtful ones are there.
   * @throws Violation where an acknowledged one is missing, or one is there that nobody made, that
   *   was refused, or that was seen to be missing before.
   */
  settle(place: string, found: readonly string[]): number {
    const there = new Set(found);
    must(there.size === found.length, `${place} holds something twice: ${found}`);
    for (const mark of this.#acknowledged) must(there.has(mark), `${place} lost ${mark}`);
    let landed = 0;
    for (const mark of there) {
      if (this.#acknowledged.has(mark)) continue;
      must(this.#doubtful.has(mark), `${place} has ${mark}, which is nobody's`);
      landed++;
      this.#acknowledged.add(mark);
    }
    this.#doubtful.clear();
    return landed;
  }
}

interface NameChange {
  readonly removes: readonly string[];
  readonly adds: readonly string[];
}

/** The names of a namespace: created, renamed, dropped, each change whole or not at all. */
export class Names {
  #present: ReadonlySet<string> = new Set();
  #doubtful: NameChange[] = [];

  get present(): ReadonlySet<string> {
    return this.#present;
  }

  acknowledged({ removes, adds }: NameChange): void {
    const present = new Set(this.#present);
    for (const name of removes) present.delete(name);
    for (const name of adds) present.add(name);
    this.#present = present;
  }

  doubtful(change: NameChange): void {
    this.#doubtful.push(change);
  }

  /** As of `Marks`. */
  settle(place: string, found: readonly string[]): number {
    let landed = 0;
    for (const change of this.#doubtful.splice(0)) {
      const { removes, adds } = change;
      const applied = [...adds.map((name) => found.includes(name))];
      applied.push(...removes.map((name) => !found.includes(name)));
      must(new Set(applied).size === 1, `${place} has half of ${JSON.stringify(change)}`);
      if (applied[0] !== true) continue;
      landed++;
      this.acknowledged(change);
    }
    const [is, should] = [[...found].sort().join(), [...this.#present].sort().join()];
    must(is === should, `${place} holds ${is}, and should hold ${should}`);
    return landed;
  }
}

/** A value that is set again and again: it is the last acknowledged one, or one in doubt since. */
export class Register {
  #value = "";
  readonly #doubtful = new Set<string>();

  acknowledged(value: string): void {
    this.#value = value;
    this.#doubtful.clear();
  }

  doubtful(value: string): void {
    this.#doubtful.add(value);
  }

  /** As of `Marks`. */
  settle(place: string, found: string): number {
    const landed = this.#doubtful.has(found);
    must(landed || found === this.#value, `${place} is ${found}, and was set to ${this.#value}`);
    this.acknowledged(found);
    return Number(landed);
  }
}
