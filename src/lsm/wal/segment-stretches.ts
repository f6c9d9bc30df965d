import { giveBack } from "../../base/bytes.ts";
import type { ReadableFile } from "../disk/port.ts";
import { bufferOf } from "./integers.ts";

/** What is read of a segment at once, if no group is longer. */
const STRETCH_BYTES = 4_194_304;

/** The file of a segment as recovery reads it: from its start to its end, in a few large parts. */
export class SegmentStretches {
  readonly #file: ReadableFile;
  #size: number;

  /** @param end bytes behind it belong to no group. */
  constructor(file: ReadableFile, end: number) {
    this.#file = file;
    this.#size = Math.min(file.size, end);
  }

  /** Bytes that there are. */
  get size(): number {
    return this.#size;
  }

  /** Whether bytes up to `needs` are there, and behind those up to `through`. */
  has(needs: number, through: number): boolean {
    return needs > through && needs <= this.#size;
  }

  /** From an offset on up to `needs` at least, as far as there are so many. */
  async read(from: number, needs: number): Promise<Buffer> {
    const length = Math.min(Math.max(STRETCH_BYTES, needs - from), this.#size - from);
    const bytes = bufferOf(await this.#file.read(from, length));
    // Another process cut it off.
    if (bytes.length < length) this.#size = from + bytes.length;
    return bytes;
  }
}

/**
 * Takes back the memory of a stretch that is not read any more: the next stretch reuses it, which
 * is cheaper than an allocation.
 */
export function letGo(bytes: Buffer): void {
  // Small arrays share theirs with others.
  if (bytes.length === bytes.buffer.byteLength) giveBack(bytes);
}
