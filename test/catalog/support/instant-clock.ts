import type { Clock } from "../../../src/base/clock.ts";

/** Time that passes by sleeping alone, at once: for schedules whose order is decided elsewhere. */
export class InstantClock implements Clock {
  #passedMs: number;

  constructor(passedMs = 0) {
    this.#passedMs = passedMs;
  }

  nowMs(): number {
    return Date.UTC(2026, 0, 1) + this.#passedMs;
  }

  monotonicMs(): number {
    return this.#passedMs;
  }

  async sleep(ms: number): Promise<void> {
    this.#passedMs += Math.ceil(ms);
  }
}
