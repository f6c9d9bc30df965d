import type { IncomingHttpHeaders } from "node:http";
import { invalid } from "../../base/error.ts";

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
