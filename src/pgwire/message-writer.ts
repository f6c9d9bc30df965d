import { assert } from "../base/assert.ts";

const FIRST_BYTES = 1_024;
/** A buffer that grew larger is not kept for the next answers. */
const KEPT_BYTES = 65_536;

/**
 * Messages on their way to a client, one behind the other in one buffer. `begin`, fields, `end`;
 * `take` hands over what was written. Idle connections hold no buffer.
 */
export class MessageWriter {
  #buffer: Buffer | undefined;
  #at = 0;
  /** Where the length of the message that was begun stands; 0 for none. */
  #lengthAt = 0;

  /** Bytes that are written and not taken. */
  get bytes(): number {
    return this.#at;
  }

  begin(type: number): this {
    assert(this.#lengthAt === 0, "one message ends before the next begins");
    const buffer = this.#room(5);
    buffer[this.#at] = type;
    this.#lengthAt = this.#at + 1;
    this.#at += 5;
    return this;
  }

  end(): void {
    assert(this.#lengthAt > 0 && this.#buffer !== undefined, "a message that ends was begun");
    this.#buffer.writeUInt32BE(this.#at - this.#lengthAt, this.#lengthAt);
    this.#lengthAt = 0;
  }

  /** Forgets the message that was begun. */
  undo(): void {
    if (this.#lengthAt === 0) return;
    this.#at = this.#lengthAt - 1;
    this.#lengthAt = 0;
  }

  byte(value: number): this {
    this.#room(1)[this.#at++] = value;
    return this;
  }

  int16(value: number): this {
    this.#at = this.#room(2).writeUInt16BE(value & 0xffff, this.#at);
    return this;
  }

  int32(value: number): this {
    this.#at = this.#room(4).writeInt32BE(value | 0, this.#at);
    return this;
  }

  /** A text and a zero byte. What stands behind a zero in it would be another field. */
  text(value: string): this {
    const clean = value.includes("\0") ? value.replaceAll("\0", "\\0") : value;
    const buffer = this.#room(clean.length * 3 + 1);
    this.#at += buffer.write(clean, this.#at, "utf8");
    buffer[this.#at++] = 0;
    return this;
  }

  raw(value: Uint8Array): this {
    this.#room(value.length).set(value, this.#at);
    this.#at += value.length;
    return this;
  }

  /** A field of a row: its length in bytes and its text. */
  sizedText(value: string): this {
    const buffer = this.#room(value.length * 3 + 4);
    const bytes = buffer.write(value, this.#at + 4, "utf8");
    buffer.writeInt32BE(bytes, this.#at);
    this.#at += bytes + 4;
    return this;
  }

  sizedBytes(value: Uint8Array): this {
    return this.int32(value.length).raw(value);
  }

  /** What was written so far. The caller owns it. */
  take(): Buffer {
    assert(this.#lengthAt === 0, "whole messages are sent");
    const taken = (this.#buffer ?? Buffer.alloc(0)).subarray(0, this.#at);
    this.#buffer = undefined;
    this.#at = 0;
    return taken;
  }

  #room(bytes: number): Buffer {
    const needed = this.#at + bytes;
    const old = this.#buffer;
    if (old !== undefined && old.length >= needed) return old;
    const least = old === undefined ? FIRST_BYTES : old.length * 2;
    const size = Math.max(least, needed, old === undefined ? 0 : Math.min(KEPT_BYTES, needed * 2));
    const grown = Buffer.allocUnsafe(size);
    old?.copy(grown, 0, 0, this.#at);
    this.#buffer = grown;
    return grown;
  }
}
