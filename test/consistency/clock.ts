import { SystemClock } from "../../src/runtime/clock.ts";

/**
 * The machine's time, moved on for all who share it by whoever waits: a lease runs out while its
 * successor waits for that, and nobody's test does. What can be ended (a timeout, a look for work)
 * takes its time.
 */
export class SharedClock extends SystemClock {
  #aheadMs = 0;

  override nowMs(): number {
    return super.nowMs() + Math.floor(this.#aheadMs);
  }

  override monotonicMs(): number {
    return super.monotonicMs() + this.#aheadMs;
  }

  override sleep(ms: number, ended?: AbortSignal): Promise<void> {
    if (ended !== undefined) return super.sleep(ms, ended);
    this.advance(ms);
    return super.sleep(0);
  }

  advance(ms: number): void {
    this.#aheadMs += ms;
  }
}
