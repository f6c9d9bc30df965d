import { inTime } from "../../aws/in-time.ts";
import { type Clock, Stopwatch } from "../../base/clock.ts";
import type { Prng } from "../../base/prng.ts";
import type { S3Connection } from "./client.ts";
import { failureOf, isPassing, type S3Failure } from "./failure.ts";
import { MIN_BYTES_PER_MS, type S3Settings } from "./options.ts";

/** One request to the store, for figures and for tests that count. */
export interface S3Request {
  /** As S3 calls it: `PutObject`, `HeadObject`, … */
  readonly operation: string;
  readonly failure: S3Failure | undefined;
  readonly elapsedMs: number;
}

export interface S3Components {
  readonly clock: Clock;
  readonly prng: Prng;
  /** Told of every request, also of those that are sent again. */
  readonly onRequest?: (request: S3Request) => void;
}

export type Attempted<T> =
  | { readonly ok: true; readonly value: T }
  /** `inDoubt`: one of the requests may have been applied. */
  | { readonly ok: false; readonly failure: S3Failure; readonly inDoubt: boolean };

/** Sends one request. `allow` grants the time that so many more bytes may take. */
export type Send<T> = (signal: AbortSignal, allow: (bytes: number) => void) => Promise<T>;

const BACKOFF_BASE_MS = 20;
const BACKOFF_CAP_MS = 2_000;

/** What one call of the port may still spend on failures. */
export interface Budget {
  /** Waits with full jitter under a bound that doubles. @returns false when all is spent. */
  pause(): Promise<boolean>;
}

/** Requests, one by one, each with an end; and again, within a budget. */
export class S3Wire {
  readonly client: S3Connection["client"];
  readonly transport: S3Connection["transport"];
  readonly settings: S3Settings;
  readonly #close: () => void;
  readonly #components: S3Components;

  constructor(connection: S3Connection, settings: S3Settings, components: S3Components) {
    this.client = connection.client;
    this.transport = connection.transport;
    this.#close = connection.close;
    this.settings = settings;
    this.#components = components;
  }

  get clock(): Clock {
    return this.#components.clock;
  }

  get prng(): Prng {
    return this.#components.prng;
  }

  /** Closes the connections. Requests under way fail. */
  close(): void {
    this.#close();
  }

  /** Of one call, or of a share of it. */
  budget(share = 1): Budget {
    const { clock, prng } = this.#components;
    const { maxFailures, timeouts } = this.settings;
    const watch = new Stopwatch(clock);
    let failures = 0;
    return {
      pause: async () => {
        failures++;
        if (failures > maxFailures * share) return false;
        const boundMs = Math.min(BACKOFF_CAP_MS, BACKOFF_BASE_MS * 2 ** (failures - 1));
        await clock.sleep(prng.float() * boundMs);
        return watch.elapsedMs() < timeouts.callMs * share;
      },
    };
  }

  /** One request, ended after its time whatever it does. `bytes`: how long its content is. */
  async once<T>(operation: string, send: Send<T>, bytes = 0): Promise<Attempted<T>> {
    const { clock, onRequest } = this.#components;
    const watch = new Stopwatch(clock);
    const limitMs = this.settings.timeouts.wholeMs + bytes / MIN_BYTES_PER_MS;
    let failure: S3Failure | undefined;
    try {
      const value = await inTime({ clock, limitMs }, (signal, allow) =>
        send(signal, (more) => allow(more / MIN_BYTES_PER_MS)),
      );
      return { ok: true, value };
    } catch (error) {
      failure = failureOf(error);
      const inDoubt = failure.reason === "silent" || failure.reason === "broken";
      return { ok: false, failure, inDoubt };
    } finally {
      onRequest?.({ operation, failure, elapsedMs: watch.elapsedMs() });
    }
  }

  /** A request that does the same however often it is sent: again while its failure may pass. */
  async again<T>(
    operation: string,
    send: Send<T>,
    { bytes = 0, budget = this.budget() }: { bytes?: number; budget?: Budget } = {},
  ): Promise<Attempted<T>> {
    for (let inDoubt = false; ; ) {
      const attempted = await this.once(operation, send, bytes);
      if (attempted.ok) return attempted;
      inDoubt ||= attempted.inDoubt;
      if (!isPassing(attempted.failure) || !(await budget.pause()))
        return { ...attempted, inDoubt };
    }
  }
}
