import { assert } from "../../base/assert.ts";
import { invalid } from "../../base/error.ts";
import type { Sequence } from "../format/entry.ts";

/** A state that stays readable until it is closed: flushes and compactions keep what it sees. */
export interface EngineSnapshot {
  readonly sequence: Sequence;
  readonly closed: boolean;
  close(): void;
}

/** Every snapshot that is open, transactions' among them. */
export class Snapshots {
  readonly #open = new Map<Sequence, number>();

  /** Registers a state that all data up to it still is in memory for: the current one. */
  open(sequence: Sequence): EngineSnapshot {
    this.#open.set(sequence, (this.#open.get(sequence) ?? 0) + 1);
    let closed = false;
    return {
      sequence,
      get closed() {
        return closed;
      },
      close: () => {
        if (closed) return;
        closed = true;
        this.#close(sequence);
      },
    };
  }

  /** @throws FirnError `Invalid`, code `LSM_SNAPSHOT_CLOSED`: its state may be gone. */
  sequenceOf(snapshot: EngineSnapshot): Sequence {
    if (!snapshot.closed) return snapshot.sequence;
    throw invalid("LSM_SNAPSHOT_CLOSED", "the snapshot is closed");
  }

  /** Ascending, each once. */
  sequences(): readonly Sequence[] {
    return [...this.#open.keys()].sort((a, b) => a - b);
  }

  get count(): number {
    let count = 0;
    for (const times of this.#open.values()) count += times;
    return count;
  }

  #close(sequence: Sequence): void {
    assert(this.#open.has(sequence), "a snapshot holds its sequence until it is closed");
    const left = (this.#open.get(sequence) ?? 0) - 1;
    if (left > 0) this.#open.set(sequence, left);
    else this.#open.delete(sequence);
  }
}
