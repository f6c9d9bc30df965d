import type { Clock } from "../../base/clock.ts";
import type { WalBatch, WalStats } from "./port.ts";

/** Counts what both kinds of log count alike. */
export class AppendStats {
  readonly #clock: Clock;
  #groups = 0;
  #batches = 0;
  #payloadBytes = 0;
  #total = 0;
  #max = 0;
  #last = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  nowMs(): number {
    return this.#clock.monotonicMs();
  }

  acknowledged(group: readonly WalBatch[], startMs: number): void {
    this.#last = this.nowMs() - startMs;
    this.#total += this.#last;
    this.#max = Math.max(this.#max, this.#last);
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
