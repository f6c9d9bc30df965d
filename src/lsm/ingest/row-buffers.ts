import type { KeyBounds } from "../compaction/bounds.ts";
import { bytesOfKey } from "../format/entry.ts";
import { RowBuffer } from "./row-buffer.ts";

/** More ranges than this share buffers with their neighbours. */
const MOST_SPANS = 8;
/** What all buffers of several spans may take, as so many of one. */
const SHARE = 2;

/**
 * The rows of an ingest, apart by the ranges that it was given: a relation whose rows come in order
 * then gets tables that do not overlap, and is written once, although the entries of its indexes
 * come with them in no order and have to be merged.
 */
export class RowBuffers {
  readonly #bufferBytes: number;
  /** Where spans of keys begin, but for the first one; ascending. */
  readonly #cuts: readonly Uint8Array[];
  readonly #buffers: (RowBuffer | undefined)[];

  /** @param ranges in any order. */
  constructor(ranges: readonly KeyBounds[], bufferBytes: number) {
    const starts = [...new Set(ranges.map(({ from }) => from))].sort().slice(1);
    const step = Math.ceil(starts.length / (MOST_SPANS - 1));
    this.#cuts = starts.filter((_, i) => i % step === 0).map(bytesOfKey);
    const spans = this.#cuts.length + 1;
    this.#bufferBytes = spans === 1 ? bufferBytes : Math.ceil((SHARE * bufferBytes) / spans);
    this.#buffers = new Array<undefined>(spans).fill(undefined);
  }

  /** The span of the key in [from, to) of an array. */
  spanOf(bytes: Uint8Array, from: number, to: number): number {
    let span = this.#cuts.length;
    while (span > 0 && isBelow(bytes, from, to, this.#cuts[span - 1] as Uint8Array)) span--;
    return span;
  }

  at(span: number): RowBuffer | undefined {
    return this.#buffers[span];
  }

  /** A new one in its place, with room for so many bytes at least. */
  renew(span: number, bytes: number): RowBuffer {
    const buffer = new RowBuffer(Math.max(bytes, this.#bufferBytes));
    this.#buffers[span] = buffer;
    return buffer;
  }

  /** All of them: there are no more rows. */
  takeAll(): readonly RowBuffer[] {
    return this.#buffers.splice(0).filter((buffer) => buffer !== undefined);
  }
}

/** Whether [from, to) of some bytes comes before others. */
function isBelow(bytes: Uint8Array, from: number, to: number, other: Uint8Array): boolean {
  const most = Math.min(to - from, other.length);
  for (let i = 0; i < most; i++) {
    const difference = (bytes[from + i] as number) - (other[i] as number);
    if (difference !== 0) return difference < 0;
  }
  return to - from < other.length;
}
