import { createHash, hash } from "node:crypto";

/** Lower-hex SHA-256 of bytes, or of the UTF-8 of a text. Core one-shot: no stream is made. */
export function sha256Hex(data: Uint8Array | string): string {
  return hash("sha256", data, "hex");
}

/** SHA-256 of several parts as if joined, in 32 bytes. */
export function sha256Bytes(...parts: readonly Uint8Array[]): Uint8Array {
  const digest = createHash("sha256");
  for (const part of parts) digest.update(part);
  return digest.digest();
}
