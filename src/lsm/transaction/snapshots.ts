import { assert } from "../../base/assert.ts";
import { invalid } from "../../base/error.ts";
import type { Sequence } from "../format/entry.ts";
import { gone } from "../states/resolve.ts";

/** A state that stays readable until it is closed: flushes and compactions keep what it sees. */
export interface EngineSnapshot {
  readonly sequence: Sequence;
  /** When it was opened: what expires later counts for as long as it is read. */
  readonly timeMs: number;
  readonly closed: boolean;
  close(): void;
}

/** Every snapshot that is open, transactions' among them. */
export class Snapshots {
  readonly #open = new Map<Sequence, number>();
  /** When each was opened, as often as there are some of that time. */
  readonly #times = new Map<number, number>();
  readonly #nowMs: () => number;
  /** From it on every state can be read: flushes have left out nothing that it sees. */
  #floor: Sequence;

  /** @param floor of the shard as it was opened: what its tables hold. */
  constructor(nowMs: () => number, floor: Sequence) {
    this.#nowMs = nowMs;
    this.#floor = floor;
  }

  /**
   * Registers a state, with the time it is now.
   *
   * @throws FirnError `NotFound`, code `LSM_HISTORY_GONE`: it is no longer kept.
   */
  open(sequence: Sequence): EngineSnapshot {
    if (!this.isKept(sequence)) throw gone({ sequence, from: this.#floor });
    const timeMs = this.#nowMs();
    count(this.#open, sequence, 1);
    count(this.#times, timeMs, 1);
    let closed = false;
    return {
      sequence,
      timeMs,
      get closed() {
        return closed;
      },
      close: () => {
        if (closed) return;
        closed = true;
        count(this.#open, sequence, -1);
        count(this.#times, timeMs, -1);
      },
    };
  }

  /** Whether a state, of the past or of now, can still be read. */
  isKept(sequence: Sequence): boolean {
    return sequence >= this.#floor || this.#open.has(sequence);
  }

  /** @throws FirnError `Invalid`, code `LSM_SNAPSHOT_CLOSED`: its state may be gone. */
  static assertOpen(this: void, snapshot: EngineSnapshot): void {
    if (snapshot.closed) throw invalid("LSM_SNAPSHOT_CLOSED", "the snapshot is closed");
  }

  /**
   * Ascending, each once: what a flush or a compaction that begins now has to keep.
   *
   * @param through the newest write that it reads: of older states it keeps those that are open.
   */
  sequences(through: Sequence): readonly Sequence[] {
    this.giveUpBelow(through);
    return [...this.#open.keys()].sort((a, b) => a - b);
  }

  /** Tables hold writes up to a sequence: of older states compactions keep those that are open. */
  giveUpBelow(sequence: Sequence): void {
    assert(sequence >= 0, "tables hold writes that have sequences");
    this.#floor = Math.max(this.#floor, sequence);
  }

  /** What has expired by then has done so for every reader. */
  settledMs(): number {
    return Math.min(this.#nowMs(), ...this.#times.keys());
  }

  get count(): number {
    let count = 0;
    for (const times of this.#open.values()) count += times;
    return count;
  }
}

function count(counts: Map<number, number>, of: number, by: number): void {
  const now = (counts.get(of) ?? 0) + by;
  assert(now >= 0, "a snapshot holds its state until it is closed");
  if (now > 0) counts.set(of, now);
  else counts.delete(of);
}
