import { assert } from "../../base/assert.ts";
import { type Clock, Stopwatch } from "../../base/clock.ts";

/** Lets so many bytes a second through, of all who ask; 0: as many as come. */
export class RateLimiter {
  readonly #clock: Clock;
  readonly #bytesPerSecond: number;
  readonly #watch: Stopwatch;
  #dueMs = 0;

  constructor(clock: Clock, bytesPerSecond: number) {
    this.#clock = clock;
    this.#bytesPerSecond = bytesPerSecond;
    this.#watch = new Stopwatch(clock);
  }

  async take(bytes: number): Promise<void> {
    assert(bytes >= 0, "a rate limit never gives back what was taken");
    if (this.#bytesPerSecond === 0) return;
    const nowMs = this.#watch.elapsedMs();
    // Time without a request is not saved up.
    this.#dueMs = Math.max(this.#dueMs, nowMs) + (bytes / this.#bytesPerSecond) * 1_000;
    const aheadMs = this.#dueMs - nowMs;
    if (aheadMs > 0) await this.#clock.sleep(aheadMs);
  }
}
