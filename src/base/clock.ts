/**
 * Time as the code above `runtime/` sees it. Only `runtime/` and tests make one, so that a
 * simulation owns every tick.
 */
export interface Clock {
  /** Wall time in whole milliseconds since the epoch. May jump either way. */
  nowMs(): number;
  /** Milliseconds from an arbitrary start. Never falls, but may stop while a machine sleeps. */
  monotonicMs(): number;
  /**
   * Resolves after `ms` milliseconds; after 0, once others have had the event loop. One that can
   * be ended, which resolves it at once, waits in the background: it does not keep the process
   * running.
   */
  sleep(ms: number, ended?: AbortSignal): Promise<void>;
}

/**
 * Time passed since a start, by whichever clock saw more: the monotonic one stops while a machine
 * sleeps, the wall clock may be set back. Used for every bound that safety rests on.
 */
export class Stopwatch {
  readonly #clock: Clock;
  readonly #wallMs: number;
  readonly #monotonicMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#wallMs = clock.nowMs();
    this.#monotonicMs = clock.monotonicMs();
  }

  elapsedMs(): number {
    return Math.max(
      this.#clock.nowMs() - this.#wallMs,
      this.#clock.monotonicMs() - this.#monotonicMs,
    );
  }
}
