import type { Clock } from "./clock.ts";

/**
 * Lets others have the event loop now and then in a long loop. A loop over what is in memory never
 * waits, however many promises it awaits, so it would keep everybody waiting to its end.
 */
export class Pauses {
  readonly #clock: Clock;
  readonly #every: number;
  #steps = 0;

  /** @param every steps of the loop that are well within a turn. */
  constructor(clock: Clock, every: number) {
    this.#clock = clock;
    this.#every = every;
  }

  /** @returns undefined where the loop may go on, else what resolves when it may. */
  step(): Promise<void> | undefined {
    if (++this.#steps < this.#every) return undefined;
    this.#steps = 0;
    return this.#clock.sleep(0);
  }
}
