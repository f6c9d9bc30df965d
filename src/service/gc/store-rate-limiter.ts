import type { Clock } from "../../base/clock.ts";
import { SERVICE_LIMITS } from "../limits.ts";

/**
 * Bounds what a collection asks of the stores, in requests and bytes a second, so that it never
 * takes more than a share from those who wait for answers. A burst of a second may come at once.
 */
export class StoreRateLimiter {
  readonly #clock: Clock;
  /** When what was spent so far is paid for, by the monotonic clock. */
  #paidMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#paidMs = clock.monotonicMs();
  }

  async spend(requests: number, bytes = 0): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    const costMs = Math.max(
      (requests / SERVICE_LIMITS.gcRequestsPerSecond) * 1_000,
      (bytes / SERVICE_LIMITS.gcBytesPerSecond) * 1_000,
    );
    this.#paidMs = Math.max(this.#paidMs, nowMs - 1_000) + costMs;
    if (this.#paidMs > nowMs) await this.#clock.sleep(this.#paidMs - nowMs);
  }
}
