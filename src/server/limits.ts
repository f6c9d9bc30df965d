import { assert } from "../base/assert.ts";
import { assertPositive, LIMITS } from "../base/limits.ts";

/** Maxima of the HTTP server, each with its reason. */
export const SERVER_LIMITS = {
  /** Bytes of request bodies that have come and are not done with: several of the largest. */
  bodyBytesInFlight: 268_435_456,
  /** Streams of events: each has a connection, and a page of changes on its way. */
  streams: 256,
  /** A client that takes nothing for so long is gone, or stuck. */
  streamStallMs: 60_000,
} as const;

type ServerLimits = { readonly [name in keyof typeof SERVER_LIMITS]: number };

/** Asserts how they hang together, and with those that all share. Runs at every start. */
export function assertServerLimits(limits: ServerLimits = SERVER_LIMITS): void {
  assertPositive(limits);
  assert(LIMITS.bodyBytes <= limits.bodyBytesInFlight, "the largest body may be taken");
}
