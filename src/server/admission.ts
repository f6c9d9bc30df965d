import { Transform } from "node:stream";
import { Counter, Gauge } from "prom-client";
import { CatalogError } from "../base/error.ts";
import { LIMITS } from "../base/limits.ts";
import type { Metrics } from "../base/metrics.ts";

export type Kind = "read" | "write";

/** How much may be under way at once. */
export interface AdmissionLimits {
  /** Requests, reads and writes apart. */
  readonly inFlight: number;
  /** Bytes of request bodies, read or announced. */
  readonly bodyBytes: number;
}

/**
 * Keeps what is under way within bounds: what exceeds them is refused at once and costs next to
 * nothing, so that what was let in is done as fast as ever. Always 429, never 503: a client that
 * hears 5xx to a commit must take it as perhaps done.
 *
 * Reads and writes are counted apart, so that neither keeps the other out.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #inFlight: Record<Kind, number> = { read: 0, write: 0 };
  readonly #shed: (kind: Kind) => void;
  #bodyBytes = 0;

  constructor(limits: AdmissionLimits, metrics: Metrics) {
    this.#limits = limits;
    const shed = new Counter({
      name: "firn_http_shed_total",
      help: "Requests refused with 429 because too much was under way",
      labelNames: ["kind"],
      registers: [metrics],
    });
    this.#shed = (kind) => shed.inc({ kind });
    const inFlight = this.#inFlight;
    new Gauge({
      name: "firn_http_in_flight",
      help: "Requests under way that count towards the limit",
      labelNames: ["kind"],
      registers: [metrics],
      collect() {
        for (const kind of ["read", "write"] as const) this.set({ kind }, inFlight[kind]);
      },
    });
  }

  /**
   * Lets a request in by its head. `length`: of its body, undefined where it does not say.
   *
   * @throws CatalogError `Overloaded`, code `OVERLOADED`.
   */
  enter(kind: Kind, length: number | undefined): Ticket {
    // One that is too large is refused before it is read.
    const announced = length === undefined || length > LIMITS.bodyBytes ? 0 : length;
    if (this.#inFlight[kind] >= this.#limits.inFlight) throw this.#refusal(kind);
    this.#reserve(kind, announced);
    this.#inFlight[kind]++;
    return new Ticket(
      announced,
      (bytes) => this.#reserve(kind, bytes),
      (bytes) => {
        this.#inFlight[kind]--;
        this.#bodyBytes -= bytes;
      },
    );
  }

  #reserve(kind: Kind, bytes: number): void {
    if (this.#bodyBytes + bytes > this.#limits.bodyBytes) throw this.#refusal(kind);
    this.#bodyBytes += bytes;
  }

  #refusal(kind: Kind): CatalogError {
    this.#shed(kind);
    return new CatalogError("Overloaded", "OVERLOADED", "too much is under way");
  }
}

/**
 * What one request holds: until it is answered, and until its work is done too, for a client that
 * goes away does not stop it.
 */
export class Ticket {
  readonly #reserve: (bytes: number) => void;
  readonly #leave: (bytes: number) => void;
  #bytes: number;
  #holds = 0;
  #left = false;

  constructor(bytes: number, reserve: (bytes: number) => void, leave: (bytes: number) => void) {
    this.#bytes = bytes;
    this.#reserve = reserve;
    this.#leave = leave;
  }

  /** Holds on until what is returned is called, which may happen more than once. */
  hold(): () => void {
    let held = true;
    this.#holds++;
    return () => {
      if (!held) return;
      held = false;
      this.#holds--;
      if (this.#holds > 0 || this.#left) return;
      this.#left = true;
      this.#leave(this.#bytes);
    };
  }

  /** Counts the bytes of a body that does not say its length, and refuses too many. */
  counting(): Transform {
    return new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        try {
          this.#reserve(chunk.length);
          this.#bytes += chunk.length;
          done(null, chunk);
        } catch (error) {
          done(error instanceof Error ? error : new Error(String(error)));
        }
      },
    });
  }
}
