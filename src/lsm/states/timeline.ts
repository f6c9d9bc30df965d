import { assert } from "../../base/assert.ts";
import type { Sequence } from "../format/entry.ts";

/** So many moments are remembered; half of them go when there are more, the older ones first. */
const MOST_MOMENTS = 65_536;

/**
 * Which sequence was the last durable one at which time, to the millisecond, since the engine was
 * opened. Times only grow: after the clock was set back, writes are taken to be of the latest time.
 */
export class Timeline {
  /** Ascending; sequences beside their times. */
  #times: number[] = [];
  #sequences: Sequence[] = [];

  /** @param sequence what is durable, and was so before. */
  constructor(sequence: Sequence, timeMs: number) {
    this.#times.push(timeMs);
    this.#sequences.push(sequence);
  }

  /** Everything up to a sequence is durable. */
  note(sequence: Sequence, timeMs: number): void {
    const last = this.#times.length - 1;
    const lastMs = this.#times[last] as number;
    assert(sequence >= (this.#sequences[last] as Sequence), "sequences are noted as they ascend");
    if (timeMs <= lastMs) {
      this.#sequences[last] = sequence;
      return;
    }
    this.#times.push(timeMs);
    this.#sequences.push(sequence);
    if (this.#times.length > MOST_MOMENTS) this.#forget();
  }

  /** What was durable at the end of a millisecond; undefined: that was before the first moment. */
  at(timeMs: number): Sequence | undefined {
    let low = 0;
    let high = this.#times.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#times[middle] as number) <= timeMs) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? undefined : this.#sequences[low - 1];
  }

  #forget(): void {
    const kept = MOST_MOMENTS / 2;
    this.#times = this.#times.slice(-kept);
    this.#sequences = this.#sequences.slice(-kept);
  }
}
