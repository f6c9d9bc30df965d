import { assert } from "../base/assert.ts";

/** A message as it came: its type, and what follows its length. */
export interface Frame {
  /** The character of its type; 0 for the first message, which has none. */
  readonly type: number;
  readonly body: Buffer;
}

/**
 * Says how long a message may be, the four bytes of its length counted.
 *
 * @throws FirnError `PROTOCOL_VIOLATION` for a type that there is not.
 */
export type CheckFrame = (type: number, length: number) => void;

const EMPTY = Buffer.alloc(0);

/**
 * Cuts a stream of bytes into messages: `[type u8][length u32][body]`, big-endian, the length with
 * its own four bytes; before the startup ends without a type. Pieces of one message are joined
 * once, when it is whole: the work is linear in bytes however they come.
 */
export class FrameReader {
  readonly #pieces: Buffer[] = [];
  #bytes = 0;
  /** What the next message needs, once its head has been checked. */
  #needed = 0;
  #typed = false;

  /** Bytes that no message has taken. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The first byte that no message has taken. */
  get firstByte(): number | undefined {
    return this.#pieces[0]?.[0];
  }

  /** All bytes that no message has taken: they are something else's. */
  takeAll(): Buffer {
    const bytes = Buffer.concat(this.#pieces.splice(0), this.#bytes);
    this.#bytes = 0;
    this.#needed = 0;
    return bytes;
  }

  /** From here on messages have a type. */
  startTyped(): void {
    assert(this.#needed === 0, "the startup ends between messages");
    this.#typed = true;
  }

  push(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.#pieces.push(chunk);
    this.#bytes += chunk.length;
  }

  /** Whether `next` would return a message of this type: nothing is taken. */
  nextIs(type: number): boolean {
    return this.#typed && this.#bytes >= 5 && (this.#pieces[0] as Buffer)[0] === type;
  }

  /** @returns undefined until a message is whole. @throws what `check` throws. */
  next(check: CheckFrame): Frame | undefined {
    const head = this.#typed ? 5 : 4;
    if (this.#needed === 0) {
      if (this.#bytes < head) return undefined;
      const first = this.#first(head);
      const length = first.readUInt32BE(head - 4);
      check(this.#typed ? (first[0] as number) : 0, length);
      assert(length >= 4, "a length was checked");
      this.#needed = head - 4 + length;
    }
    if (this.#bytes < this.#needed) return undefined;
    const first = this.#first(this.#needed);
    const frame = {
      type: this.#typed ? (first[0] as number) : 0,
      body: first.subarray(head, this.#needed),
    };
    this.#bytes -= this.#needed;
    if (first.length === this.#needed) this.#pieces.shift();
    else this.#pieces[0] = first.subarray(this.#needed);
    this.#needed = 0;
    return frame;
  }

  /** The first piece, which has at least so many bytes. */
  #first(bytes: number): Buffer {
    const first = this.#pieces[0] ?? EMPTY;
    if (first.length >= bytes) return first;
    const joined = Buffer.concat(this.#pieces, this.#bytes);
    this.#pieces.length = 0;
    this.#pieces.push(joined);
    return joined;
  }
}
