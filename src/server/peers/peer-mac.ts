import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { Clock } from "../../base/clock.ts";
import { FirnError } from "../../base/error.ts";
import { ReplayWindows } from "./replay-windows.ts";

/** What a node says of a request that it sends to another one. */
export interface PeerClaims {
  /** Of the sender, which no other process has. */
  readonly from: string;
  /** Of the node that it is for: any other one refuses it. */
  readonly to: string;
  readonly sentMs: number;
  /** Grows by one with each request of the sender. */
  readonly count: number;
  /** SHA-256 of the body, in hexadecimal. */
  readonly bodySha: string;
  /** SHA-256 of those headers that are passed on. */
  readonly headersSha: string;
  /** Of the client, where a socket brought it. */
  readonly address?: string | undefined;
  /** The operators' socket brought it. */
  readonly isOperator?: true | undefined;
}

/** What a request says, before it is signed. */
export interface PeerRequest {
  readonly to: string;
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  /** Those that are passed on. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
  readonly address?: string | undefined;
  readonly isOperator?: true | undefined;
}

/** Headers of a client that its request keeps on the way to another node. */
export const PASSED_ON = [
  "authorization",
  "cookie",
  "content-type",
  "accept",
  "idempotency-key",
  "if-match",
  "if-none-match",
  "last-event-id",
  "x-request-id",
  "traceparent",
  "tracestate",
] as const;

const CLAIMS = "x-firn-peer";
const MAC = "x-firn-peer-mac";
/** Clocks of nodes may differ by so much, with the time that a request takes. */
const FRESH_MS = 30_000;

/**
 * Requests between the nodes of a deployment, authenticated by a key that only they have. A copy of
 * one is refused: each names its receiver, its time and its number, and a receiver takes each
 * number of a sender once.
 */
export class PeerMac {
  readonly #keys: readonly Uint8Array[];
  readonly #node: string;
  readonly #clock: Clock;
  readonly #windows = new ReplayWindows();
  #count = 0;

  /** @param keys the first signs; the others are taken too, while nodes change the secret. */
  constructor(keys: readonly Uint8Array[], node: string, clock: Clock) {
    this.#keys = keys;
    this.#node = node;
    this.#clock = clock;
  }

  /** The headers that a request is sent with. */
  sign(request: PeerRequest): Record<string, string> {
    const { to, method, target, headers, body, address, isOperator } = request;
    const claims: PeerClaims = {
      from: this.#node,
      to,
      sentMs: this.#clock.nowMs(),
      count: ++this.#count,
      bodySha: sha(body ?? new Uint8Array()),
      headersSha: headersSha(headers),
      address,
      isOperator,
    };
    const text = Buffer.from(JSON.stringify(claims)).toString("base64url");
    const mac = macOf(this.#keys[0] as Uint8Array, method, target, text).toString("hex");
    return { ...headers, [CLAIMS]: text, [MAC]: mac };
  }

  /**
   * What another node says of a request, once it is known to be of one. The body is compared by
   * `assertBody`.
   *
   * @throws FirnError `Unauthenticated`, code `PEER_REFUSED`.
   */
  verify(method: string, target: string, headers: IncomingHttpHeaders): PeerClaims {
    const [text, mac] = [headers[CLAIMS], headers[MAC]];
    if (typeof text !== "string" || typeof mac !== "string") throw refused("it is not signed");
    const given = Buffer.from(mac, "hex");
    const isKnown = this.#keys.some((key) => {
      const right = macOf(key, method, target, text);
      return given.length === right.length && timingSafeEqual(given, right);
    });
    if (!isKnown) throw refused("its signature is wrong: nodes share one FIRN_SECRET");
    // A node of ours wrote it.
    const claims = JSON.parse(Buffer.from(text, "base64url").toString()) as PeerClaims;
    if (claims.to !== this.#node) throw refused("it is for another node");
    const nowMs = this.#clock.nowMs();
    if (Math.abs(nowMs - claims.sentMs) > FRESH_MS) {
      throw refused("it is too old, or the clocks of the nodes differ");
    }
    if (headersSha(passedOn(headers)) !== claims.headersSha) throw refused("its headers differ");
    if (!this.#windows.admit(claims.from, claims.count, nowMs)) throw refused("it came before");
    return claims;
  }
}

/** @throws FirnError `Unauthenticated`, code `PEER_REFUSED`. */
export function assertBody({ bodySha }: PeerClaims, body: Uint8Array | undefined): void {
  if (sha(body ?? new Uint8Array()) !== bodySha) throw refused("its body differs");
}

/** Those of a request's headers that another node is told. */
export function passedOn(headers: IncomingHttpHeaders): Record<string, string> {
  const found = PASSED_ON.flatMap((name) => {
    const value = headers[name];
    return typeof value === "string" ? [[name, value] as const] : [];
  });
  return Object.fromEntries(found);
}

function headersSha(headers: Readonly<Record<string, string>>): string {
  const pairs = PASSED_ON.map((name) => [name, headers[name] ?? null]);
  return sha(Buffer.from(JSON.stringify(pairs)));
}

function macOf(key: Uint8Array, method: string, target: string, claims: string): Buffer {
  return createHmac("sha256", key).update(`${method}\n${target}\n${claims}`).digest();
}

function sha(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function refused(why: string): FirnError {
  const message = "a request of another node was refused";
  return new FirnError("Unauthenticated", "PEER_REFUSED", message, { why });
}
