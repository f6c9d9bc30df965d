import type Long from "long";
import { bytesBy, corruptOnThrow, long, safe, v1 } from "./wire.ts";

/** A key that signs access tokens, as it is stored. Times in milliseconds. */
export interface StoredSigningKey {
  readonly createdAtMs: number;
  readonly signsFromMs: number;
  /** Nonce, ciphertext and tag. */
  readonly wrapped: Uint8Array;
}

export function encodeSigningKey(key: StoredSigningKey): Uint8Array {
  const { createdAtMs, signsFromMs, wrapped } = key;
  const message = { createdAtMs: long(createdAtMs), signsFromMs: long(signsFromMs), wrapped };
  return bytesBy((writer) => v1.SigningKeySummary.encode(message, writer));
}

/** @throws FirnError `Corrupt`, code `PAYLOAD_CORRUPT`. */
export function decodeSigningKey(bytes: Uint8Array): StoredSigningKey {
  return corruptOnThrow(() => {
    const m = v1.SigningKeySummary.decode(bytes);
    return {
      createdAtMs: safe(m.createdAtMs as Long),
      signsFromMs: safe(m.signsFromMs as Long),
      wrapped: m.wrapped,
    };
  });
}
