import { createHash, hash } from "node:crypto";
import type { Steps } from "./steps.ts";

/** Lower-hex SHA-256 of bytes, or of the UTF-8 of a text. Core one-shot: no stream is made. */
export function sha256Hex(data: Uint8Array | string): string {
  return hash("sha256", data, "hex");
}

/** The same in 32 bytes. */
export function sha256Bytes(data: Uint8Array | string): Uint8Array {
  return hash("sha256", data, "buffer");
}

/** As `sha256Bytes`, of bytes that lie in pieces. */
export function sha256OfPieces(pieces: readonly Uint8Array[]): Uint8Array {
  const digest = createHash("sha256");
  for (const piece of pieces) digest.update(piece);
  return digest.digest();
}

/** As `sha256Hex`, of what may be large, in pieces that belong one behind the other. */
export function* sha256Steps(pieces: readonly (Uint8Array | string)[]): Steps<string> {
  const [first = ""] = pieces;
  if (pieces.length <= 1) return sha256Hex(first);
  const digest = createHash("sha256");
  for (const piece of pieces) {
    digest.update(piece);
    yield;
  }
  return digest.digest("hex");
}
