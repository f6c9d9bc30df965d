import { assert } from "../../base/assert.ts";
import { END_OF_KEYS, type Key, keyAfter } from "../format/entry.ts";
import type { Bounds } from "../range.ts";

/** A range that a scan reads: it grows with what the scan has answered. */
export interface ReadRange {
  from: Key;
  to: Key | undefined;
}

/** Of a key or a range, apart from the bytes of its keys. */
const ENTRY_BYTES = 64;

/** Keys and ranges that a transaction has read, or locked. */
export class ReadSet {
  readonly #keys = new Set<Key>();
  /** In order, without two that meet. */
  #joined: readonly Bounds[] = [];
  #joinedBytes = 0;
  readonly #growing = new Set<ReadRange>();
  #done: ReadRange[] = [];
  #keyBytes = 0;

  get keys(): ReadonlySet<Key> {
    return this.#keys;
  }

  get bytes(): number {
    const ranges = this.#growing.size + this.#done.length;
    return this.#keyBytes + this.#joinedBytes + 2 * ENTRY_BYTES * ranges;
  }

  add(key: Key): void {
    if (this.#keys.has(key)) return;
    this.#keys.add(key);
    this.#keyBytes += key.length + ENTRY_BYTES;
  }

  /** A range of which nothing has been read yet. */
  begin({ from, to }: Bounds, reverse: boolean): ReadRange {
    const range = reverse ? { from: to ?? END_OF_KEYS, to } : { from, to: from };
    this.#growing.add(range);
    return range;
  }

  /** It grows no more. */
  end(range: ReadRange): void {
    assert(range.to === undefined || range.from <= range.to, "a range grows one way");
    if (this.#growing.delete(range)) this.#done.push(range);
  }

  /** Ranges at most; those that meet are one only after `join`. */
  get ranges(): number {
    return this.#growing.size + this.#done.length + this.#joined.length;
  }

  /** Joins those that meet. */
  join(): void {
    this.#joined = joined([...this.#joined, ...this.#done]);
    this.#done = [];
    this.#joinedBytes = 0;
    for (const { from, to } of this.#joined) {
      this.#joinedBytes += from.length + (to?.length ?? 0) + 2 * ENTRY_BYTES;
    }
  }

  /** All of them, and others, in order, without two that meet. */
  with(others: readonly Bounds[]): readonly Bounds[] {
    return joined([...this.#joined, ...this.#done, ...this.#growing, ...others]);
  }
}

/** A scan going forward has read up to a key, or all of its bounds. */
export function readUpTo(range: ReadRange, key: Key | undefined, bounds: Bounds): void {
  if (key === undefined) Object.assign(range, bounds);
  else range.to = keyAfter(key);
}

/** One going back has read down to a key, or all of its bounds. */
export function readDownTo(range: ReadRange, key: Key | undefined, bounds: Bounds): void {
  if (key === undefined) Object.assign(range, bounds);
  else range.from = key;
}

/** Ranges in order, those that meet as one; without those that hold nothing. */
function joined(ranges: readonly Bounds[]): readonly Bounds[] {
  const all: { from: Key; to: Key | undefined }[] = [];
  for (const { from, to } of ranges.toSorted((a, b) => (a.from < b.from ? -1 : 1))) {
    if (to !== undefined && to <= from) continue;
    const last = all.at(-1);
    if (last === undefined || (last.to !== undefined && last.to < from)) all.push({ from, to });
    else if (last.to !== undefined && (to === undefined || to > last.to)) last.to = to;
  }
  assert(
    all.every(({ from, to }) => to === undefined || from < to),
    "a range holds something",
  );
  return all;
}
