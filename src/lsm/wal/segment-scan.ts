import { corrupt } from "./errors.ts";
import { beginsGroup, readGroup } from "./frame.ts";
import type { WalGroup } from "./port.ts";
import { BLOCK_BYTES, type SegmentHeader, wholeBlocks } from "./segment-header.ts";

/** Where the groups of a segment end, and with which sequence. */
export interface SegmentEnd {
  readonly end: number;
  readonly lastSequence: number;
}

export interface ScannedSegment {
  /** For messages. */
  readonly name: string;
  readonly header: SegmentHeader;
  /** What the segment after this one says of it; absent where nothing came after. */
  readonly known?: SegmentEnd;
}

/**
 * The groups of one segment, in order, stretch by stretch of its file. Without a known end, what
 * follows the last whole group is a torn tail, a write that was never acknowledged: unless a later
 * group was begun when the bad place was on the disk already, which only damage explains.
 */
export class SegmentScan {
  readonly #segment: ScannedSegment;
  #at = BLOCK_BYTES;
  #lastSequence: number;
  /** Where no frame is that was looked for; 0 behind the last one, if that is known. */
  #badAt = BLOCK_BYTES;
  #needs = BLOCK_BYTES;

  constructor(segment: ScannedSegment) {
    this.#segment = segment;
    this.#lastSequence = segment.header.firstSequence - 1;
  }

  /** Where the next group begins, and the stretch that comes next. */
  get at(): number {
    return this.#at;
  }

  /** How far the file must be read to go on; at most as far as it was: that leads to nothing. */
  get needs(): number {
    return this.#needs;
  }

  /**
   * The groups that a stretch holds whole.
   *
   * @throws FirnError `Corrupt`, code `WAL_CORRUPT`.
   */
  *groups(bytes: Buffer): Generator<WalGroup> {
    const { name, header, known } = this.#segment;
    const from = this.#at;
    this.#needs = 0;
    while (this.#at !== known?.end) {
      const read = readGroup(bytes, this.#at - from, header, this.#lastSequence + 1, this.#at);
      if ("badAt" in read) {
        this.#badAt = from + read.badAt;
        if (read.needs > 0) this.#needs = from + read.needs;
        return;
      }
      const end = from + read.end;
      if (known !== undefined && end > known.end) {
        throw corrupt(name, this.#at, "a group passes the end of its segment");
      }
      const last = read.batches.at(-1);
      if (last !== undefined) this.#lastSequence = last.firstSequence + last.count - 1;
      yield { epoch: header.epoch, batches: read.batches };
      this.#at = wholeBlocks(end);
    }
    this.#badAt = 0;
  }

  /** Where to look for a later group once groups have ended; 0 where nothing depends on it. */
  get doubtful(): number {
    return this.#segment.known === undefined && this.#badAt > 0 ? wholeBlocks(this.#badAt + 1) : 0;
  }

  /**
   * @param hasLater whether a group begins at the place in doubt or behind it.
   * @throws FirnError `Corrupt`, code `WAL_CORRUPT`.
   */
  finish(hasLater: boolean): SegmentEnd {
    const { name, known } = this.#segment;
    if (this.#badAt > 0 && (known !== undefined || hasLater)) {
      throw corrupt(name, this.#badAt, "a frame is damaged");
    }
    if (known !== undefined && known.lastSequence !== this.#lastSequence) {
      throw corrupt(name, this.#at, "a segment ends with another sequence than the next one says");
    }
    return { end: this.#at, lastSequence: this.#lastSequence };
  }
}

/**
 * The groups of a segment that was read whole, `bytes` from its header on; returns where they end.
 *
 * @throws FirnError `Corrupt`, code `WAL_CORRUPT`.
 */
export function* scanSegment(
  segment: ScannedSegment,
  bytes: Buffer,
): Generator<WalGroup, SegmentEnd> {
  const scan = new SegmentScan(segment);
  yield* scan.groups(bytes.subarray(BLOCK_BYTES));
  const { doubtful } = scan;
  const rest = bytes.subarray(doubtful);
  return scan.finish(
    doubtful > 0 && laterGroup(rest, doubtful, segment.header, bytes.length) === "found",
  );
}

/**
 * Whether a group begins in a stretch of a file of `size` bytes that begins at `from`. Groups begin
 * where the writer had synced up to, and with whole blocks: so a bad place before one was synced,
 * and acknowledged, when that one was written.
 *
 * @returns else where to go on, and how far to read at least.
 */
export function laterGroup(
  bytes: Buffer,
  from: number,
  header: SegmentHeader,
  size: number,
): "found" | { readonly at: number; readonly needs: number } {
  let at = from;
  for (; at < from + bytes.length; at += BLOCK_BYTES) {
    const begins = beginsGroup(bytes, at - from, header, at);
    if (begins === true) return "found";
    // What passes the end of the file is none, however much it says that it is.
    if (begins !== false && from + begins <= size) return { at, needs: from + begins };
  }
  return { at, needs: at + 1 };
}
