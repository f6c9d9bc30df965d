import { DELETE, type Key, type Kind, MAX_SEQUENCE, type Sequence } from "./format/entry.ts";
import type { RangeMap } from "./format/range-map.ts";

/**
 * Says which versions somebody can still read: of each key the newest one, and for each registered
 * snapshot the newest that it sees. Asked entry by entry, in the engine's order.
 *
 * Snapshots that are opened later see all that is kept: they lie at or above everything a flush or
 * a compaction reads.
 */
export class VersionKeeper {
  /** Ascending, each once. */
  readonly #snapshots: readonly Sequence[];
  readonly #dropTombstones: boolean;
  #key: Key | undefined;
  /** Snapshots below the version that was seen last; what has as many is hidden by it. */
  #stripe = -1;
  readonly #ranges: RangeMap | undefined;

  /**
   * @param dropTombstones nothing older than what is asked about lies anywhere below.
   * @param ranges the range tombstones over what is asked about.
   */
  constructor(snapshots: readonly Sequence[], dropTombstones: boolean, ranges?: RangeMap) {
    this.#snapshots = snapshots;
    this.#dropTombstones = dropTombstones;
    this.#ranges = ranges;
  }

  keep(key: Key, sequence: Sequence, kind: Kind): boolean {
    const stripe = stripeOf(this.#snapshots, sequence);
    if (key === this.#key && stripe === this.#stripe) return false;
    if (this.#ranges !== undefined && this.#isDeleted(this.#ranges, key, sequence, stripe)) {
      return false;
    }
    this.#key = key;
    this.#stripe = stripe;
    // A tombstone above a snapshot still hides what that snapshot sees.
    return !(this.#dropTombstones && kind === DELETE && stripe === 0);
  }

  /** By a tombstone that no snapshot sees without it. */
  #isDeleted(ranges: RangeMap, key: Key, sequence: Sequence, stripe: number): boolean {
    return ranges.at(key, this.#snapshots[stripe] ?? MAX_SEQUENCE) > sequence;
  }
}

/**
 * Snapshots, ascending, below a sequence. No snapshot sees one without the other of two sequences
 * that have as many.
 */
export function stripeOf(snapshots: readonly Sequence[], sequence: Sequence): number {
  let count = 0;
  while (count < snapshots.length && (snapshots[count] as number) < sequence) count++;
  return count;
}

/**
 * Of range tombstones over one stretch of keys, newest first, those that somebody can still read.
 *
 * @param dropTombstones nothing older lies anywhere below: what no snapshot precedes goes, too.
 */
export function keptRanges(
  sequences: readonly Sequence[],
  snapshots: readonly Sequence[],
  dropTombstones: boolean,
): readonly Sequence[] {
  let above = -1;
  return sequences.filter((sequence) => {
    const stripe = stripeOf(snapshots, sequence);
    const isHidden = stripe === above;
    above = stripe;
    return !isHidden && !(dropTombstones && stripe === 0);
  });
}
