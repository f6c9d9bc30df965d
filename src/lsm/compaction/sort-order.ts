import { assert } from "../../base/assert.ts";

/** Keys as ranges of one array: key i is [starts[i], ends[i]). */
export interface KeyRanges {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/** What is compared of a key at once, as one number. */
const WORD_BYTES = 4;
/** So few keys are sorted by insertion. */
const FEW = 12;

/**
 * The indices of keys in bytewise order; of equal keys in the order of their indices.
 *
 * Multikey quicksort (Bentley and Sedgewick, 1997) by words of four bytes: a comparison is one of
 * numbers, and what keys share is looked at once for all of them.
 */
export function sortedOrder(keys: KeyRanges): Uint32Array {
  const { length } = keys.starts;
  assert(keys.ends.length === length, "each key has a start and an end");
  const order = new Uint32Array(length);
  for (let i = 0; i < length; i++) order[i] = i;
  if (!isAscending(keys)) new Sorter(keys, order).sort();
  return order;
}

/** Whether each key comes after the one before, or is the same. */
function isAscending(keys: KeyRanges): boolean {
  for (let i = 1; i < keys.starts.length; i++) if (compareFrom(keys, i - 1, i, 0) > 0) return false;
  return true;
}

/** Compares two keys that share their first bytes. */
function compareFrom(
  { bytes, starts, ends }: KeyRanges,
  a: number,
  b: number,
  shared: number,
): number {
  let [atA, atB] = [(starts[a] as number) + shared, (starts[b] as number) + shared];
  const [endA, endB] = [ends[a] as number, ends[b] as number];
  for (; atA < endA && atB < endB; atA++, atB++) {
    const difference = (bytes[atA] as number) - (bytes[atB] as number);
    if (difference !== 0) return difference;
  }
  return endA - atA - (endB - atB);
}

/** Whether two keys are the same: told soonest from their ends where they follow each other. */
export function isSameKey({ bytes, starts, ends }: KeyRanges, a: number, b: number): boolean {
  const from = starts[a] as number;
  let [atA, atB] = [ends[a] as number, ends[b] as number];
  if (atA - from !== atB - (starts[b] as number)) return false;
  while (atA > from) if (bytes[--atA] !== bytes[--atB]) return false;
  return true;
}

class Sorter {
  readonly #keys: KeyRanges;
  readonly #order: Uint32Array;
  /** Of the key at each place of the order, at the depth that is sorted by. */
  readonly #words: Uint32Array;
  /** Places [from, to) whose keys share so many bytes. */
  readonly #due: { from: number; to: number; depth: number; read: boolean }[] = [];

  constructor(keys: KeyRanges, order: Uint32Array) {
    this.#keys = keys;
    this.#order = order;
    this.#words = new Uint32Array(order.length);
  }

  sort(): void {
    this.#due.push({ from: 0, to: this.#order.length, depth: 0, read: false });
    for (let next = this.#due.pop(); next !== undefined; next = this.#due.pop()) {
      const { from, to, depth, read } = next;
      if (!read) this.#read(from, to, depth);
      if (to - from <= FEW) this.#insert(from, to, depth);
      else this.#split(from, to, depth);
    }
  }

  #read(from: number, to: number, depth: number): void {
    const { bytes, starts, ends } = this.#keys;
    for (let i = from; i < to; i++) {
      const key = this.#order[i] as number;
      const at = (starts[key] as number) + depth;
      const end = ends[key] as number;
      let word = 0;
      for (let byte = 0; byte < WORD_BYTES; byte++) {
        word = word * 256 + (at + byte < end ? (bytes[at + byte] as number) : 0);
      }
      this.#words[i] = word;
    }
  }

  /** Into what is below a word, equal to it, and above. */
  #split(from: number, to: number, depth: number): void {
    const words = this.#words;
    const pivot = median(
      words[from] as number,
      words[(from + to) >>> 1] as number,
      words[to - 1] as number,
    );
    let [below, at, above] = [from, from, to];
    while (at < above) {
      const word = words[at] as number;
      if (word < pivot) this.#swap(below++, at++);
      else if (word > pivot) this.#swap(at, --above);
      else at++;
    }
    if (below - from > 1) this.#due.push({ from, to: below, depth, read: true });
    if (to - above > 1) this.#due.push({ from: above, to, depth, read: true });
    if (above - below > 1) this.#goOn(below, above, depth + WORD_BYTES);
  }

  /** Of keys that are equal so far, those that end come first, the shorter ones before. */
  #goOn(from: number, to: number, depth: number): void {
    const { starts, ends } = this.#keys;
    let ended = from;
    for (let i = from; i < to; i++) {
      const key = this.#order[i] as number;
      if ((ends[key] as number) - (starts[key] as number) <= depth) this.#swap(ended++, i);
    }
    this.#order.subarray(from, ended).sort((a, b) => {
      const lengths =
        (ends[a] as number) - (starts[a] as number) - (ends[b] as number) + (starts[b] as number);
      return lengths === 0 ? a - b : lengths;
    });
    if (to - ended > 1) this.#due.push({ from: ended, to, depth, read: false });
  }

  #insert(from: number, to: number, depth: number): void {
    const [order, words] = [this.#order, this.#words];
    for (let i = from + 1; i < to; i++) {
      const key = order[i] as number;
      const word = words[i] as number;
      let at = i;
      for (; at > from; at--) {
        const before = words[at - 1] as number;
        if (before < word) break;
        if (before === word && !this.#isAfter(order[at - 1] as number, key, depth)) break;
        order[at] = order[at - 1] as number;
        words[at] = before;
      }
      order[at] = key;
      words[at] = word;
    }
  }

  #isAfter(a: number, b: number, depth: number): boolean {
    const { starts, ends } = this.#keys;
    // One that ended within the word before is no longer than the depth.
    const shared = Math.min(
      depth,
      (ends[a] as number) - (starts[a] as number),
      (ends[b] as number) - (starts[b] as number),
    );
    const difference = compareFrom(this.#keys, a, b, shared);
    return difference > 0 || (difference === 0 && a > b);
  }

  #swap(a: number, b: number): void {
    if (a === b) return;
    const [order, words] = [this.#order, this.#words];
    const key = order[a] as number;
    const word = words[a] as number;
    order[a] = order[b] as number;
    words[a] = words[b] as number;
    order[b] = key;
    words[b] = word;
  }
}

function median(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}
