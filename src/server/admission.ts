import type { IncomingMessage } from "node:http";
import { assert } from "../base/assert.ts";
import { LIMITS } from "../base/limits.ts";
import { Counts, type Metrics, readWhenPrinted } from "../base/metrics.ts";
import { overloaded } from "../http/failure.ts";
import { assertServerLimits } from "./limits.ts";

const KINDS = ["read", "write"] as const;
/** Principals without a place that are remembered. */
const KEPT_HOLDERS = 1_000;
type Kind = (typeof KINDS)[number];

/** How much may be under way at once. */
export interface AdmissionLimits {
  /** Requests, reads and writes apart. */
  readonly inFlight: number;
  /** Bytes of request bodies that have come, whatever they announced. */
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
  /** Of the places, by who holds them. */
  readonly #held: Record<Kind, Map<string, number>> = { read: new Map(), write: new Map() };
  readonly #shed: Counts;
  #bodyBytes = 0;

  constructor(limits: AdmissionLimits, metrics: Metrics) {
    assertServerLimits();
    this.#limits = limits;
    this.#shed = new Counts(metrics, {
      name: "firn_http_shed_total",
      help: "Requests refused with 429 because too much was under way",
      labels: ["kind"],
    });
    const inFlight = this.#inFlight;
    const underWay = {
      name: "firn_http_in_flight",
      help: "Requests under way that count towards the limit",
      labels: ["kind"],
    };
    readWhenPrinted(metrics, "gauge", underWay, () => KINDS.map((kind) => [inFlight[kind], kind]));
  }

  /**
   * Lets a request in by its head; undefined where there is no room for it now. It takes its place
   * later, when its body has come: a client that sends none keeps no other one out.
   */
  enter({ method, headers }: Head): Ticket | undefined {
    const kind = method === "GET" || method === "HEAD" ? "read" : "write";
    const length = Number(headers["content-length"] ?? 0);
    // One that is too large is refused before it is read.
    const announced = length >= 0 && length <= LIMITS.bodyBytes ? length : 0;
    if (!this.#hasPlace(kind) || this.#bodyBytes + announced > this.#limits.bodyBytes) {
      this.countRefusal(kind);
      return undefined;
    }
    return new Ticket(this, kind);
  }

  /** Takes a place, if there is one. `holder`: has half of the places at most. */
  begin(kind: Kind, holder?: string): boolean {
    if (!this.#hasPlace(kind)) return false;
    if (holder !== undefined) {
      const held = this.#held[kind].get(holder) ?? 0;
      if (held >= Math.ceil(this.#limits.inFlight / 2)) return false;
      this.#held[kind].set(holder, held + 1);
    }
    this.#inFlight[kind]++;
    return true;
  }

  #hasPlace(kind: Kind): boolean {
    return this.#inFlight[kind] < this.#limits.inFlight;
  }

  /** Takes room for bytes of a body, if there is so much. */
  reserve(bytes: number): boolean {
    if (this.#bodyBytes + bytes > this.#limits.bodyBytes) return false;
    this.#bodyBytes += bytes;
    return true;
  }

  /** `began`: it held a place. */
  leave(kind: Kind, began: boolean, bytes: number, holder?: string): void {
    if (began) this.#inFlight[kind]--;
    if (began && holder !== undefined) {
      const left = (this.#held[kind].get(holder) ?? 1) - 1;
      // To take out and put in again with every request costs more than to keep it.
      if (left > 0 || this.#held[kind].size < KEPT_HOLDERS) this.#held[kind].set(holder, left);
      else this.#held[kind].delete(holder);
    }
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
  #began = false;
  #holder: string | undefined;
  #bytes = 0;
  #holds = 1;

  constructor(admission: Admission, kind: Kind) {
    this.#admission = admission;
    this.#kind = kind;
  }

  /** Keeps what it holds for one more `release`. */
  hold(): void {
    assert(this.#holds > 0, "a place that was left is not held again");
    this.#holds++;
  }

  /** The last one leaves the place. */
  release(): void {
    assert(this.#holds > 0, "a place is left once");
    this.#holds--;
    if (this.#holds === 0) {
      this.#admission.leave(this.#kind, this.#began, this.#bytes, this.#holder);
    }
  }

  /** Bytes of the body have come. @throws FirnError `Overloaded`, code `OVERLOADED`. */
  count(bytes: number): void {
    if (!this.#admission.reserve(bytes)) this.#refuse();
    this.#bytes += bytes;
  }

  /**
   * Takes the place of the request, which has come whole. Once. `holder`: as in `Admission.begin`.
   *
   * @throws FirnError `Overloaded`, code `OVERLOADED`.
   */
  begin(holder?: string): void {
    assert(!this.#began, "a place is taken once");
    if (!this.#admission.begin(this.#kind, holder)) this.#refuse();
    this.#holder = holder;
    this.#began = true;
  }

  #refuse(): never {
    this.#admission.countRefusal(this.#kind);
    throw overloaded();
  }
}
