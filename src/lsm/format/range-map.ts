import { assert } from "../../base/assert.ts";
import { END_OF_KEYS, type Key, type Sequence } from "./entry.ts";

/**
 * A stretch of keys [from, to) that the same range tombstones cover: their sequences, newest first,
 * at least one.
 */
export interface Fragment {
  readonly from: Key;
  readonly to: Key;
  readonly sequences: readonly Sequence[];
}

/** Keys [from, to) over which the newest tombstone that a reader sees is `sequence`; 0: none is. */
export interface Stretch {
  from: Key;
  to: Key;
  sequence: Sequence;
}

interface Link {
  readonly sequence: Sequence;
  readonly older: Link | undefined;
}

/** Of a link, and of a bound apart from its bytes. */
const LINK_BYTES = 40;
const BOUND_BYTES = 64;

/**
 * Range tombstones, cut where any of them begins or ends, so that a look-up is one binary search
 * however they overlap. What lies between two bounds is a chain from the newest to the oldest.
 *
 * Adding costs the bounds that it passes. The chains count as memory, so a memtable full of
 * tombstones that overlap is flushed, which leaves of each chain what snapshots can tell apart.
 */
export class RangeMap {
  /** Link i covers from bound i up to the next one; the last bound begins nothing. */
  readonly #bounds: Key[] = [];
  readonly #links: (Link | undefined)[] = [];
  #memoryBytes = 0;

  /** Of fragments in order. */
  static of(fragments: Iterable<Fragment>): RangeMap {
    const map = new RangeMap();
    for (const { from, to, sequences } of fragments) {
      let link: Link | undefined;
      for (const sequence of sequences.toReversed()) link = map.#link(sequence, link);
      const last = map.#bounds.length - 1;
      assert(last < 0 || (map.#bounds[last] as Key) <= from, "fragments come in order");
      if (map.#bounds[last] === from) map.#links[last] = link;
      else map.#insert(last + 1, from, link);
      map.#insert(map.#bounds.length, to, undefined);
    }
    return map;
  }

  /** Adds a tombstone over [from, to), newer than all before it. */
  add(from: Key, to: Key, sequence: Sequence): void {
    assert(from < to, "a range tombstone covers something");
    const first = this.#cut(from);
    const end = this.#cut(to);
    for (let i = first; i < end; i++) {
      const older = this.#links[i];
      assert(older === undefined || older.sequence < sequence, "tombstones come in order");
      this.#links[i] = this.#link(sequence, older);
    }
  }

  /** The newest tombstone over a key that is not newer than `sequence`; 0: there is none. */
  at(key: Key, sequence: Sequence): Sequence {
    return newest(this.#links[this.#indexOf(key)], sequence);
  }

  /** Narrows a stretch around a key to where this map says one thing, and notes what it says. */
  narrow(key: Key, sequence: Sequence, stretch: Stretch): void {
    const index = this.#indexOf(key);
    const from = this.#bounds[index];
    const to = this.#bounds[index + 1];
    if (from !== undefined && from > stretch.from) stretch.from = from;
    if (to !== undefined && to < stretch.to) stretch.to = to;
    const found = newest(this.#links[index], sequence);
    if (found > stretch.sequence) stretch.sequence = found;
  }

  /** Of the tombstones over each key of [from, last], newest up to `sequence`: the oldest; or 0. */
  least(from: Key, last: Key, sequence: Sequence): Sequence {
    let index = this.#indexOf(from);
    let least = newest(this.#links[index], sequence);
    while (least > 0 && index + 1 < this.#bounds.length) {
      if ((this.#bounds[++index] as Key) > last) return least;
      least = Math.min(least, newest(this.#links[index], sequence));
    }
    return least;
  }

  /** A tombstone newer than `sequence` over anything in [from, to), if there is one. */
  after(from: Key, to: Key, sequence: Sequence): Sequence | undefined {
    if (from >= to) return undefined;
    for (let i = Math.max(0, this.#indexOf(from)); i < this.#bounds.length; i++) {
      if ((this.#bounds[i] as Key) >= to) return undefined;
      const link = this.#links[i];
      if (link !== undefined && link.sequence > sequence) return link.sequence;
    }
    return undefined;
  }

  fragments(): readonly Fragment[] {
    const found: Fragment[] = [];
    for (const [i, first] of this.#links.entries()) {
      if (first === undefined) continue;
      const sequences: Sequence[] = [];
      for (let link: Link | undefined = first; link !== undefined; link = link.older) {
        sequences.push(link.sequence);
      }
      found.push({ from: this.#bounds[i] as Key, to: this.#bounds[i + 1] as Key, sequences });
    }
    return found;
  }

  get isEmpty(): boolean {
    return this.#bounds.length === 0;
  }

  get memoryBytes(): number {
    return this.#memoryBytes;
  }

  /** The last bound at or before a key; -1 where there is none. */
  #indexOf(key: Key): number {
    let low = 0;
    let high = this.#bounds.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#bounds[middle] as Key) <= key) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** The bound at a key, made where there is none. */
  #cut(key: Key): number {
    const index = this.#indexOf(key);
    if (this.#bounds[index] === key) return index;
    this.#insert(index + 1, key, this.#links[index]);
    return index + 1;
  }

  #insert(index: number, key: Key, link: Link | undefined): void {
    this.#bounds.splice(index, 0, key);
    this.#links.splice(index, 0, link);
    this.#memoryBytes += BOUND_BYTES + (key === END_OF_KEYS ? 0 : key.length);
  }

  #link(sequence: Sequence, older: Link | undefined): Link {
    this.#memoryBytes += LINK_BYTES;
    return { sequence, older };
  }
}

function newest(from: Link | undefined, sequence: Sequence): Sequence {
  let link = from;
  while (link !== undefined && link.sequence > sequence) link = link.older;
  return link === undefined ? 0 : link.sequence;
}

/**
 * Fragments of several maps as those of one: cut at every bound of any of them, joined again where
 * neighbours say the same. `keep` chooses of the sequences over a stretch, newest first.
 */
export function joinRanges(
  inputs: readonly (readonly Fragment[])[],
  keep: (sequences: readonly Sequence[]) => readonly Sequence[],
): readonly Fragment[] {
  const bounds = [...new Set(inputs.flat().flatMap(({ from, to }) => [from, to]))].sort();
  const places = inputs.map(() => 0);
  const joined: Fragment[] = [];
  for (let i = 0; i + 1 < bounds.length; i++) {
    const from = bounds[i] as Key;
    const to = bounds[i + 1] as Key;
    const all: Sequence[] = [];
    for (const [input, fragments] of inputs.entries()) {
      let place = places[input] as number;
      while (place < fragments.length && (fragments[place] as Fragment).to <= from) place++;
      places[input] = place;
      const fragment = fragments[place];
      if (fragment !== undefined && fragment.from <= from) all.push(...fragment.sequences);
    }
    // In a gap there is nothing to choose from.
    const sequences = all.length === 0 ? all : keep(all.sort((a, b) => b - a));
    const before = joined.at(-1);
    if (sequences.length === 0) continue;
    if (before?.to === from && isSame(before.sequences, sequences)) {
      joined.splice(-1, 1, { ...before, to });
    } else joined.push({ from, to, sequences });
  }
  return joined;
}

function isSame(a: readonly Sequence[], b: readonly Sequence[]): boolean {
  return a.length === b.length && a.every((sequence, i) => sequence === b[i]);
}
