import type { Prng } from "../../src/base/prng.ts";

/** An `Idempotency-Key`: a UUID of version 7. */
export function idempotencyKey(prng: Prng): string {
  const hex = Buffer.from(prng.bytes(8)).toString("hex");
  return `0199d8a0-0000-7000-8${hex.slice(0, 3)}-${hex.slice(3, 15)}`;
}
