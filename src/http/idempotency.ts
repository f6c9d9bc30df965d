import { utf8 } from "../base/bytes.ts";
import { sha256Hex } from "../base/hash.ts";
import type { Idempotency } from "../catalog/context.ts";
import type { Answer } from "./answer.ts";
import type { Target } from "./protocol.ts";

/** A request under a key: the same one has the same method, target and body, byte for byte. */
export function idempotencyOf(
  key: string,
  { method }: { readonly method: string },
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
