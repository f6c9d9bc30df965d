import type { OnDefect } from "../../base/background.ts";
import type { Clock } from "../../base/clock.ts";
import { type ErrorContext, FirnError } from "../../base/error.ts";
import { LIMITS } from "../../base/limits.ts";

const INTERVAL_MS = 3_600_000;
const WARN_MS = 5_000;

export interface SkewWatchOptions {
  readonly clock: Clock;
  /** How far this machine's clock is ahead of the store's. One request. */
  readonly measure: () => Promise<number>;
  readonly notify: (text: string, facts: ErrorContext) => void;
  readonly onDefect: OnDefect;
}

/**
 * Looks once an hour whether this machine's clock still agrees with the store's, as every start
 * does: lives of tombstones and receipts are told by it. A node whose clock has drifted further
 * than they allow for says that it is not ready, until it agrees again.
 */
export class SkewWatch {
  readonly #options: SkewWatchOptions;
  readonly #ended = new AbortController();
  #skewMs = 0;
  #running: Promise<void> | undefined;

  constructor(options: SkewWatchOptions) {
    this.#options = options;
  }

  /** Looks from now on, until `stop`. Does not keep the process running. */
  start(): void {
    this.#running ??= this.#loop();
  }

  async stop(): Promise<void> {
    this.#ended.abort();
    await this.#running;
  }

  /** @throws FirnError `Unavailable`, code `CLOCK_DRIFTED`, as the last look found it. */
  assertClose(): void {
    if (Math.abs(this.#skewMs) <= LIMITS.clockSkewMs) return;
    const message = "this machine's clock has drifted too far from the store's: set it by NTP";
    throw new FirnError("Unavailable", "CLOCK_DRIFTED", message, { clockSkewMs: this.#skewMs });
  }

  async #loop(): Promise<void> {
    const { clock, measure, notify, onDefect } = this.#options;
    for (;;) {
      await clock.sleep(INTERVAL_MS, this.#ended.signal);
      if (this.#ended.signal.aborted) return;
      try {
        this.#skewMs = await measure();
      } catch (error) {
        // A store that does not answer is noticed by others; what was known of the clock holds.
        if (!(error instanceof FirnError)) onDefect(error);
        continue;
      }
      if (Math.abs(this.#skewMs) > WARN_MS) {
        notify("this machine's clock is off", { clockSkewMs: this.#skewMs });
      }
    }
  }
}
