import { malformed } from "./errors.ts";

/** A place in a key. While `flip` is 0xFF, bytes are read as their complements. */
export class KeyReader {
  readonly bytes: Uint8Array;
  at: number;
  flip = 0;

  constructor(key: Uint8Array, at: number) {
    this.bytes = key;
    this.at = at;
  }

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  /** @throws FirnError `Corrupt` `KEY_MALFORMED` where the key ends before. */
  byte(): number {
    return (this.bytes[this.advance(1)] as number) ^ this.flip;
  }

  uint16(): number {
    return (this.byte() << 8) | this.byte();
  }

  uint32(): number {
    const at = this.advance(4);
    const { bytes } = this;
    const value =
      ((bytes[at] as number) << 24) |
      ((bytes[at + 1] as number) << 16) |
      ((bytes[at + 2] as number) << 8) |
      (bytes[at + 3] as number);
    return (this.flip === 0 ? value : ~value) >>> 0;
  }

  uint64(): bigint {
    const high = this.uint32();
    return (BigInt(high) << 32n) | BigInt(this.uint32());
  }

  /** The next bytes: a view of the key, or the complements in memory of their own. */
  view(count: number): Uint8Array {
    const at = this.advance(count);
    const view = this.bytes.subarray(at, at + count);
    return this.flip === 0 ? view : view.map((byte) => ~byte);
  }

  /** @returns where the next `count` bytes start. */
  advance(count: number): number {
    const { at } = this;
    if (at + count > this.bytes.length) throw malformed("it ends within an element", at);
    this.at = at + count;
    return at;
  }
}
