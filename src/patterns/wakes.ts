import type { Clock } from "../base/clock.ts";

/** A wait that began: a `wake` from now on ends it. */
export interface Wake {
  readonly wait: () => Promise<void>;
  readonly end: () => void;
}

/** Wakes subscribers when this process has written; others' writes are found by a poll. */
export class Wakes {
  readonly #clock: Clock;
  readonly #pollMs: number;
  readonly #waiting = new Set<() => void>();

  constructor(clock: Clock, pollMs: number) {
    this.#clock = clock;
    this.#pollMs = pollMs;
  }

  wake(): void {
    for (const end of this.#waiting) end();
  }

  /** Begin it before you look: what is written meanwhile ends the wait. */
  begin(signal: AbortSignal): Wake {
    const done = new AbortController();
    const end = (): void => {
      this.#waiting.delete(end);
      signal.removeEventListener("abort", end);
      done.abort();
    };
    this.#waiting.add(end);
    signal.addEventListener("abort", end);
    return { wait: () => this.#clock.sleep(this.#pollMs, done.signal), end };
  }
}
