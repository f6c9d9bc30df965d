import type { Clock } from "../../base/clock.ts";
import type { Prng } from "../../base/prng.ts";

/** Names a table file: 26 characters of Crockford's base 32 (ulid.spec), in order of making. */
export type Ulid = string;

const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

export const ULID_BYTES = 16;
const TEXT_UNITS = 26;

/** A new id: 48 bits of wall time in milliseconds, 80 of chance. */
export function mintUlid(clock: Clock, prng: Prng): Ulid {
  const bytes = new Uint8Array(ULID_BYTES);
  let rest = clock.nowMs();
  for (let i = 5; i >= 0; i--) {
    bytes[i] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  bytes.set(prng.bytes(10), 6);
  return ulidOfBytes(bytes);
}

/** Whether a text is a ULID as this engine writes them. */
export function isUlid(text: string): text is Ulid {
  return ULID.test(text);
}

/** The 16 bytes of an id, highest first. */
export function bytesOfUlid(id: Ulid): Uint8Array {
  let value = 0n;
  for (const digit of id) value = value * 32n + BigInt(DIGITS.indexOf(digit));
  return Buffer.from(value.toString(16).padStart(2 * ULID_BYTES, "0"), "hex");
}

/** The text of 16 bytes, in one piece: it is compared and looked up often. */
export function ulidOfBytes(bytes: Uint8Array): Ulid {
  const text = Buffer.alloc(TEXT_UNITS);
  // Bits that are not told yet, and how many: the first digit has three, the others five.
  let [bits, count] = [0, 2];
  let at = 0;
  for (const byte of bytes) {
    bits = ((bits << 8) | byte) & 0x1fff;
    for (count += 8; count >= 5; count -= 5) {
      text[at++] = DIGITS.charCodeAt((bits >>> (count - 5)) & 31);
    }
  }
  return text.toString("latin1");
}
