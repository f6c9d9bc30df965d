import { copyOf } from "../base/bytes.ts";
import { invalid } from "../base/error.ts";

/** Longest key, in bytes: what the engine takes. */
export const MAX_KEY_BYTES = 65_535;

/** The key under construction. One writer serves many keys: `take` copies what stands in it. */
export class KeyWriter {
  bytes: Buffer = Buffer.allocUnsafeSlow(512);
  length = 0;

  /**
   * Makes room for `count` more bytes and counts them as written.
   *
   * @returns where they start.
   * @throws FirnError `Invalid` `KEY_TOO_LONG`.
   */
  extend(count: number): number {
    const at = this.length;
    const end = at + count;
    if (end > this.bytes.length) this.#grow(end);
    this.length = end;
    return at;
  }

  byte(value: number): void {
    // Room first: it may be elsewhere then.
    const at = this.extend(1);
    this.bytes[at] = value;
  }

  append(bytes: Uint8Array): void {
    const at = this.extend(bytes.length);
    this.bytes.set(bytes, at);
  }

  /** Turns every byte behind `from` into its complement, which reverses the order. */
  invert(from: number): void {
    const { bytes, length } = this;
    for (let i = from; i < length; i++) bytes[i] = ~(bytes[i] as number);
  }

  /**
   * A copy of what was written; the writer starts anew.
   *
   * @throws FirnError `Invalid` `KEY_TOO_LONG`.
   */
  take(): Uint8Array {
    const { length } = this;
    this.length = 0;
    if (length > MAX_KEY_BYTES) throw tooLong(length);
    return copyOf(this.bytes, 0, length);
  }

  /** Grows beyond the longest key by one element of fixed length at most, so `take` can refuse. */
  #grow(end: number): void {
    if (end > 2 * MAX_KEY_BYTES) throw tooLong(end);
    const larger = Buffer.allocUnsafeSlow(Math.max(end, 2 * this.bytes.length));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
  }
}

/** The refusal of a key, or of one value, that is longer than a key may be. */
export function tooLong(bytes: number): Error {
  return invalid("KEY_TOO_LONG", `a key has at most ${MAX_KEY_BYTES} bytes`, {
    bytes,
    limit: MAX_KEY_BYTES,
  });
}
