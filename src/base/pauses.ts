import type { Clock } from "./clock.ts";
import { STRETCH_MS } from "./steps.ts";

/**
 * Lets others have the event loop now and then in a long loop. A loop over what is in memory never
 * waits, however many promises it awaits, so it would keep everybody waiting to its end.
 *
 * It pauses once a stretch of time is over, since what a step costs depends on the data. Several
 * loops that run at once may share one: while it pauses, each of them that asks waits too.
 */
export class Pauses {
  readonly #clock: Clock;
  readonly #every: number;
  #steps = 0;
  #beganMs: number;
  #pausing: Promise<void> | undefined;

  /** @param every steps of the loop after which it pauses in any case. */
  constructor(clock: Clock, every: number) {
    this.#clock = clock;
    this.#every = every;
    this.#beganMs = clock.monotonicMs();
  }

  /** @returns undefined where the loop may go on, else what resolves when it may. */
  step(): Promise<void> | undefined {
    if (this.#pausing !== undefined) return this.#pausing;
    const isLong = this.#clock.monotonicMs() - this.#beganMs >= STRETCH_MS;
    if (++this.#steps < this.#every && !isLong) return undefined;
    this.#pausing = this.#pause();
    return this.#pausing;
  }

  async #pause(): Promise<void> {
    await this.#clock.sleep(0);
    this.#pausing = undefined;
    this.#steps = 0;
    this.#beganMs = this.#clock.monotonicMs();
  }
}
