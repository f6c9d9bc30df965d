import { utf8Text } from "../base/bytes.ts";
import { type FirnError, invalid } from "../base/error.ts";

/** A file that is not Avro, or not as its own schema says. */
export function avroInvalid(reason: string): FirnError {
  return invalid("AVRO_INVALID", `invalid Avro file: ${reason}`, { reason });
}

/** Values that a byte may stand for: a union and the record around it, and some to spare. */
const STEPS_PER_BYTE = 8;
const STEPS_ALWAYS = 4_096;

/**
 * Reads Avro's binary encoding. Every length is checked against what is there, and every value
 * costs a step of a budget that grows with the bytes: values of no bytes (nulls by the billion, a
 * record of empty records of empty records) would else keep a node busy for years.
 *
 * `mostSteps`: what is left of the budget of the file.
 */
export class AvroCursor {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;
  readonly #budget: number;
  #steps: number;

  constructor(bytes: Uint8Array, mostSteps: number = Number.POSITIVE_INFINITY) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#budget = Math.min(mostSteps, bytes.length * STEPS_PER_BYTE + STEPS_ALWAYS);
    this.#steps = this.#budget;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  /** What was paid so far. */
  get stepsTaken(): number {
    return this.#budget - this.#steps;
  }

  /** Pays for one value. */
  step(): void {
    if (--this.#steps < 0) throw avroInvalid("more values than bytes");
  }

  take(length: number): Uint8Array {
    if (length > this.left) throw avroInvalid("it ends too early");
    const start = this.#at;
    this.#at += length;
    return this.#bytes.subarray(start, this.#at);
  }

  byte(): number {
    const [byte] = this.take(1);
    return byte ?? 0;
  }

  /** A zigzag number of at most 64 bits. */
  long(): bigint {
    let raw = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.byte();
      raw |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asIntN(64, (raw >> 1n) ^ -(raw & 1n));
    }
    throw avroInvalid("a number of over 64 bits");
  }

  /** A zigzag number of at most 32 bits. */
  int(): number {
    const value = this.long();
    if (BigInt.asIntN(32, value) !== value) throw avroInvalid("a number of over 32 bits");
    return Number(value);
  }

  skipLong(): void {
    for (let i = 0; i < 10; i++) if (this.byte() < 0x80) return;
    throw avroInvalid("a number of over 64 bits");
  }

  /** A number of things, or of bytes: not negative, and no more than bytes are left. */
  count(): number {
    const value = this.long();
    if (value < 0n || value > BigInt(this.left)) throw avroInvalid("a length past the end");
    return Number(value);
  }

  float(): number {
    const at = this.#at;
    this.take(4);
    return this.#view.getFloat32(at, true);
  }

  double(): number {
    const at = this.#at;
    this.take(8);
    return this.#view.getFloat64(at, true);
  }

  bytes(): Uint8Array {
    return this.take(this.count());
  }

  string(): string {
    const bytes = this.bytes();
    try {
      return utf8Text(bytes);
    } catch {
      throw avroInvalid("a string that is not UTF-8");
    }
  }

  /**
   * The blocks of an array or map: `read` is called for each item. A block may tell its size, so
   * that `skip` need not look into it.
   */
  blocks(read: () => void, skip: boolean): void {
    for (let count = this.long(); count !== 0n; count = this.long()) {
      this.step();
      if (count < 0n) {
        const size = this.count();
        if (skip) {
          this.take(size);
          continue;
        }
        count = -count;
      }
      for (let i = 0n; i < count; i++) read();
    }
  }
}
