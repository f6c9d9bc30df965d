import type { IncomingMessage } from "node:http";
import { assert } from "../base/assert.ts";
import { LIMITS } from "../base/limits.ts";
import { Counts, type Metrics } from "../base/metrics.ts";
import { Gauge } from "../base/prom.ts";
import { overloaded } from "../http/failure.ts";

const KINDS = ["read", "write"] as const;
type Kind = (typeof KINDS)[number];

/** How much may be under way at once. */
export interface AdmissionLimits {
  /** Requests, reads and writes apart. */
  readonly inFlight: number;
  /** Bytes of request bodies, read or announced. */
  readonly bodyBytes: number;
}

/** What admission reads of a head. */
export type Head = Pick<IncomingMessage, "method" | "headers">;

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
  readonly #shed: Counts;
  #bodyBytes = 0;

  constructor(limits: AdmissionLimits, metrics: Metrics) {
    this.#limits = limits;
    this.#shed = new Counts(metrics, {
      name: "firn_http_shed_total",
      help: "Requests refused with 429 because too much was under way",
      labels: ["kind"],
    });
    const inFlight = this.#inFlight;
    new Gauge({
      name: "firn_http_in_flight",
      help: "Requests under way that count towards the limit",
      labelNames: ["kind"],
      registers: [metrics],
      collect() {
        for (const kind of KINDS) this.set({ kind }, inFlight[kind]);
      },
    });
  }

  /** Lets a request in by its head, its place held once; undefined where it is refused. */
  enter({ method, headers }: Head): Ticket | undefined {
    const kind = method === "GET" || method === "HEAD" ? "read" : "write";
    const sent = headers["content-length"];
    const length = sent === undefined ? 0 : Number(sent);
    // One that is too large is refused before it is read.
    const announced = length >= 0 && length <= LIMITS.bodyBytes ? length : 0;
    const full = this.#inFlight[kind] >= this.#limits.inFlight;
    if (full || !this.reserve(announced)) {
      this.countRefusal(kind);
      return undefined;
    }
    this.#inFlight[kind]++;
    return new Ticket(this, kind, announced, sent === undefined);
  }

  /** Takes room for bytes of a body, if there is so much. */
  reserve(bytes: number): boolean {
    if (this.#bodyBytes + bytes > this.#limits.bodyBytes) return false;
    this.#bodyBytes += bytes;
    return true;
  }

  leave(kind: Kind, bytes: number): void {
    this.#inFlight[kind]--;
    this.#bodyBytes -= bytes;
  }

  countRefusal(kind: Kind): void {
    this.#shed.add(1, kind);
  }
}

/**
 * What one request holds: until it is answered, and until its work is done too, for a client that
 * goes away does not stop it.
 */
export class Ticket {
  readonly #admission: Admission;
  readonly #kind: Kind;
  readonly #counts: boolean;
  #bytes: number;
  #holds = 1;

  /** `counts`: its body does not say its length, so it is counted as it comes. */
  constructor(admission: Admission, kind: Kind, bytes: number, counts: boolean) {
    this.#admission = admission;
    this.#kind = kind;
    this.#bytes = bytes;
    this.#counts = counts;
  }

  /** Keeps the place for one more `release`. */
  hold(): void {
    assert(this.#holds > 0, "a place that was left is not held again");
    this.#holds++;
  }

  /** The last one leaves the place. */
  release(): void {
    assert(this.#holds > 0, "a place is left once");
    this.#holds--;
    if (this.#holds === 0) this.#admission.leave(this.#kind, this.#bytes);
  }

  /** Bytes of the body have come. @throws CatalogError `Overloaded`, code `OVERLOADED`. */
  count(bytes: number): void {
    if (!this.#counts) return;
    if (!this.#admission.reserve(bytes)) {
      this.#admission.countRefusal(this.#kind);
      throw overloaded();
    }
    this.#bytes += bytes;
  }
}
