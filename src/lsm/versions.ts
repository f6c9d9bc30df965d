import { DELETE, type Key, type Kind, type Sequence } from "./format/entry.ts";

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

  /** @param dropTombstones nothing older than what is asked about lies anywhere below. */
  constructor(snapshots: readonly Sequence[], dropTombstones: boolean) {
    this.#snapshots = snapshots;
    this.#dropTombstones = dropTombstones;
  }

  keep(key: Key, sequence: Sequence, kind: Kind): boolean {
    const stripe = this.#below(sequence);
    if (key === this.#key && stripe === this.#stripe) return false;
    this.#key = key;
    this.#stripe = stripe;
    // A tombstone above a snapshot still hides what that snapshot sees.
    return !(this.#dropTombstones && kind === DELETE && stripe === 0);
  }

  #below(sequence: Sequence): number {
    let count = 0;
    while (count < this.#snapshots.length && (this.#snapshots[count] as number) < sequence) count++;
    return count;
  }
}
