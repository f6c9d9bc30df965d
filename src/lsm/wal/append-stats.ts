import type { Clock } from "../../base/clock.ts";
import type { WalBatch, WalStats } from "./port.ts";

/** What a thread may wait for a disk, and after how many such writes in a row it does. */
const FAST_MS = 2;
const FAST_IN_A_ROW = 16;

/** Counts what both kinds of log count alike. */
export class AppendStats {
  readonly #clock: Clock;
  #groups = 0;
  #batches = 0;
  #payloadBytes = 0;
  #total = 0;
  #max = 0;
  #last = 0;
  /** How many of the last ones each took less than `FAST_MS`. */
  #fast = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether the next one will hardly take long. */
  get isFast(): boolean {
    return this.#fast >= FAST_IN_A_ROW;
  }

  nowMs(): number {
    return this.#clock.monotonicMs();
  }

  acknowledged(group: readonly WalBatch[], startMs: number): void {
    this.#last = this.nowMs() - startMs;
    this.#total += this.#last;
    this.#max = Math.max(this.#max, this.#last);
    this.#fast = this.#last < FAST_MS ? this.#fast + 1 : 0;
    this.#groups++;
    this.#batches += group.length;
    for (const { payload } of group) this.#payloadBytes += payload.length;
  }

  figures(): Pick<WalStats, "groups" | "batches" | "payloadBytes" | "appendMs"> {
    return {
      groups: this.#groups,
      batches: this.#batches,
      payloadBytes: this.#payloadBytes,
      appendMs: { total: this.#total, max: this.#max, last: this.#last },
    };
  }
}
