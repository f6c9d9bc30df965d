import type { Sequence } from "../../../src/lsm/format/entry.ts";

/** A key and a value as texts of one byte a unit. */
export type Pair = readonly [key: string, value: string];

/** An operation; without a value it deletes. */
export type ModelOp = readonly [key: string, value: string | undefined];

/** The reference model of the engine: every operation ever, in order; states by replaying them. */
export class VersionMap {
  #ops: ModelOp[] = [];
  /** Last sequences of batches. */
  #ends: Sequence[] = [];

  get lastSequence(): Sequence {
    return this.#ops.length;
  }

  /** A batch; answers its last sequence. */
  write(ops: readonly ModelOp[]): Sequence {
    this.#ops.push(...ops);
    this.#ends.push(this.#ops.length);
    return this.#ops.length;
  }

  /** Whether a batch ends there: the only places to which a crash may cut. */
  isEnd(sequence: Sequence): boolean {
    return sequence === 0 || this.#ends.includes(sequence);
  }

  /** A crash lost what came after. */
  truncate(sequence: Sequence): void {
    this.#ops = this.#ops.slice(0, sequence);
    this.#ends = this.#ends.filter((end) => end <= sequence);
  }

  /** Rows as of a sequence, in key order. Texts of one byte a unit sort as their bytes do. */
  at(sequence: Sequence): readonly Pair[] {
    const state = new Map<string, string>();
    for (const [key, value] of this.#ops.slice(0, sequence)) {
      if (value === undefined) state.delete(key);
      else state.set(key, value);
    }
    return [...state].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /** Keys that were written after a sequence. */
  writtenAfter(sequence: Sequence): ReadonlySet<string> {
    return new Set(this.#ops.slice(sequence).map(([key]) => key));
  }
}

/** The rows that a scan has to answer. */
export function select(
  rows: readonly Pair[],
  range: { readonly from?: string; readonly to?: string; readonly prefix?: string },
  reverse: boolean,
  limit: number,
): readonly Pair[] {
  const { from, to, prefix } = range;
  const chosen = rows.filter(
    ([key]) =>
      (from === undefined || key >= from) &&
      (to === undefined || key < to) &&
      (prefix === undefined || key.startsWith(prefix)),
  );
  return (reverse ? chosen.toReversed() : chosen).slice(0, limit);
}
