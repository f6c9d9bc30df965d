import type { Clock } from "../../../src/base/clock.ts";

/**
 * Time that stands still, so that nothing kept grows old between two requests that are compared,
 * and no work in the background begins between them. Pauses of a request end at once.
 */
export class FrozenClock implements Clock {
  #ms: number;
  readonly #startMs: number;

  constructor(startMs: number) {
    this.#startMs = startMs;
    this.#ms = startMs;
  }

  nowMs(): number {
    return this.#ms;
  }

  monotonicMs(): number {
    return this.#ms - this.#startMs + 1_000_000;
  }

  advance(ms: number): void {
    this.#ms += ms;
  }

  sleep(_ms: number, ended?: AbortSignal): Promise<void> {
    if (ended === undefined) return new Promise((resolve) => setImmediate(resolve));
    return new Promise((resolve) => {
      if (ended.aborted) resolve();
      else ended.addEventListener("abort", () => resolve(), { once: true });
    });
  }
}
