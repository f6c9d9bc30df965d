import { assert } from "../base/assert.ts";
import { assertPositive, LIMITS } from "../base/limits.ts";

/** Maxima of the wire protocol, each with its reason. */
export const WIRE_LIMITS = {
  /** A startup packet, as PostgreSQL bounds it: names and settings. */
  startupBytes: 10_000,
  /** Requests for encryption before the startup packet: each is one byte of answer. */
  negotiations: 4,
  /** From the connection to the end of the startup: PostgreSQL's `authentication_timeout`. */
  startupMs: 60_000,
  /** Messages that carry names alone, as PostgreSQL bounds them. */
  smallBytes: 10_000,
  /** A statement's text. */
  statementBytes: 16_777_216,
  /** Parameters of one `Bind`, and one `CopyData`: what a request body may have. */
  dataBytes: 67_108_864,
  /** What is read from a socket ahead of the work: then the socket is paused. */
  readAheadBytes: 1_048_576,
  /** What is written before the socket takes it: then rows wait. */
  writeBehindBytes: 65_536,
  /** Statements prepared by one connection, and portals that it holds open. */
  prepared: 10_000,
  portals: 1_000,
  /** Parameters of one statement: the protocol counts them in 16 bits. */
  parameters: 65_535,
  /** Connections that listen for statements: each takes some 20 KB. */
  connections: 8_192,
} as const;

type WireLimits = { readonly [name in keyof typeof WIRE_LIMITS]: number };

/** Asserts how they hang together. Runs with every listener. */
export function assertWireLimits(limits: WireLimits = WIRE_LIMITS): void {
  assertPositive(limits);
  assert(limits.dataBytes <= LIMITS.bodyBytes, "data is not larger than a request");
  assert(limits.statementBytes <= limits.dataBytes, "a statement is not larger than data");
  assert(limits.smallBytes <= limits.statementBytes, "names are smaller than statements");
}
