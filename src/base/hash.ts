import { hash } from "node:crypto";

/** Lower-hex SHA-256 of bytes, or of the UTF-8 of a text. Core one-shot: no stream is made. */
export function sha256Hex(data: Uint8Array | string): string {
  return hash("sha256", data, "hex");
}

/** The same in 32 bytes. */
export function sha256Bytes(data: Uint8Array | string): Uint8Array {
  return hash("sha256", data, "buffer");
}
