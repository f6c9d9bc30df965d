import type { Key } from "../format/entry.ts";
import type { Fragment } from "../format/range-map.ts";
import type { SstWriter } from "../format/sst-writer.ts";

/** A table ends that has so much of them: they lie in its tail, which is read as a whole. */
const MAX_RANGE_BYTES = 4_194_304;

/** Stretches of range tombstones on their way into the tables of a merge, in order. */
export class RangeQueue {
  readonly #fragments: readonly Fragment[];
  #at = 0;
  /** The rest of one that was cut between two tables. */
  #cut: Fragment | undefined;

  constructor(fragments: readonly Fragment[]) {
    this.#fragments = fragments;
  }

  /** Nothing is left to hand out. */
  get isEmpty(): boolean {
    return this.#next() === undefined;
  }

  /**
   * Hands out what ends at or before a bound.
   *
   * @returns where the table has to end, because it has enough of them.
   */
  drain(writer: SstWriter, bound: Key): Key | undefined {
    for (let next = this.#next(); next !== undefined && next.to <= bound; next = this.#next()) {
      writer.addRange(next);
      this.#pop(undefined);
      if (writer.rangeBytes >= MAX_RANGE_BYTES) return next.to;
    }
    return undefined;
  }

  /** Hands out what lies before a bound, of one that crosses it the first part. */
  drainTo(writer: SstWriter, bound: Key): void {
    this.drain(writer, bound);
    const next = this.#next();
    if (next === undefined || next.from >= bound || next.to <= bound) return;
    writer.addRange({ ...next, to: bound });
    this.#pop({ ...next, from: bound });
  }

  #next(): Fragment | undefined {
    return this.#cut ?? this.#fragments[this.#at];
  }

  /** Goes past it, but for its rest. */
  #pop(rest: Fragment | undefined): void {
    if (this.#cut === undefined) this.#at++;
    this.#cut = rest;
  }
}
