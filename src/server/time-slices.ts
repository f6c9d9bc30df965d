import type { Clock } from "../base/clock.ts";
import { afterMicrotasks, afterTurn } from "../runtime/clock.ts";

/** What one turn of the event loop may spend on work that was let in, give or take one piece. */
const SLICE_MS = 5;

/**
 * Cuts the work of admitted requests into slices. Much of it never waits for anything, so without
 * this one turn of the event loop would do all that is ready, and a request that arrives meanwhile
 * (above all one to be refused) would get no answer until it ends. Between two slices the loop
 * reads what has arrived.
 *
 * First come, first served. A request that finds time left in this turn goes on at once.
 */
export class TimeSlices {
  readonly #clock: Clock;
  readonly #waiting: (() => void)[] = [];
  /** When this turn's slice began; undefined while nothing is done. */
  #beganMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @returns undefined where there is time left now, else what resolves when there is. */
  enter(): Promise<void> | undefined {
    if (this.#beganMs === undefined) this.#begin();
    else if (this.#waiting.length > 0 || this.#isUsedUp()) {
      return new Promise((resolve) => this.#waiting.push(resolve));
    }
    return undefined;
  }

  #begin(): void {
    this.#beganMs = this.#clock.monotonicMs();
    afterTurn(() => {
      if (this.#waiting.length === 0) this.#beganMs = undefined;
      else {
        this.#begin();
        this.#next();
      }
    });
  }

  /** Each goes as far as it gets without waiting before the next one starts. */
  #next(): void {
    this.#waiting.shift()?.();
    afterMicrotasks(() => {
      if (this.#waiting.length > 0 && !this.#isUsedUp()) this.#next();
    });
  }

  #isUsedUp(): boolean {
    return this.#clock.monotonicMs() - (this.#beganMs ?? 0) >= SLICE_MS;
  }
}
