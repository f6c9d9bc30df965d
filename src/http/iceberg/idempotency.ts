import type { IncomingHttpHeaders } from "node:http";
import { utf8 } from "../../base/bytes.ts";
import { invalid } from "../../base/error.ts";
import { sha256Hex } from "../../base/hash.ts";
import type { Idempotency } from "../../catalog/context.ts";
import type { Answer } from "../answer.ts";
import type { Target } from "../protocol.ts";
import type { Endpoint } from "./operations.ts";

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/**
 * The key under which a client may send the same request again.
 *
 * @throws FirnError `Invalid`, code `IDEMPOTENCY_KEY_INVALID`: the contract wants a UUIDv7.
 */
export function parseIdempotencyKey(headers: IncomingHttpHeaders): string | undefined {
  const sent = headers["idempotency-key"];
  if (sent === undefined) return undefined;
  if (typeof sent === "string" && UUID_V7.test(sent)) return sent.toLowerCase();
  throw invalid("IDEMPOTENCY_KEY_INVALID", "the Idempotency-Key is not a UUID of version 7");
}

/** A request under a key: the same one has the same method, target and body, byte for byte. */
export function idempotencyOf(
  key: string,
  { method }: Endpoint,
  target: Target,
  body: Uint8Array | undefined,
): Idempotency {
  const parts = [method, target.path, target.query, sha256Hex(body ?? new Uint8Array())];
  const requestHash = Buffer.from(sha256Hex(utf8(JSON.stringify(parts))), "hex");
  return { key, requestHash, replayed: false };
}

/** An answer that an earlier request of the key has had already. */
export function markReplayed(answer: Answer): Answer {
  return { ...answer, headers: { ...answer.headers, "Idempotency-Replayed": "true" } };
}
