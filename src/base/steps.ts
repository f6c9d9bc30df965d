import type { Clock } from "./clock.ts";

/**
 * Work that may be long: it yields wherever the event loop may turn, which is at least after each
 * few hundred values. Pure code stays pure; who runs it says when others have the loop.
 */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Values of a long list that are handled between two yields. */
export const VALUES_AT_ONCE = 1_024;

/** Done in one stretch before the loop turns, give or take one step. */
export const STRETCH_MS = 20;

/** Does work at once, for what is known to be short, and for tests. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Gives others the event loop where a stretch is over: asked between pieces of work. */
export class Stretches {
  readonly #clock: Clock;
  #beganMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#beganMs = clock.monotonicMs();
  }

  async turn(): Promise<void> {
    if (this.#clock.monotonicMs() - this.#beganMs < STRETCH_MS) return;
    await this.#clock.sleep(0);
    this.#beganMs = this.#clock.monotonicMs();
  }
}

/** Does work in stretches, between which others have the event loop. */
export async function inTurns<T>(clock: Clock, steps: Steps<T>): Promise<T> {
  let beganMs = clock.monotonicMs();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (clock.monotonicMs() - beganMs < STRETCH_MS) continue;
    await clock.sleep(0);
    beganMs = clock.monotonicMs();
  }
}
