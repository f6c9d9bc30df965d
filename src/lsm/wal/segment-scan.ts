import { corrupt } from "./errors.ts";
import { beginsGroup, readGroup } from "./frame.ts";
import type { WalGroup } from "./port.ts";
import { BLOCK_BYTES, type SegmentHeader, wholeBlocks } from "./segment-header.ts";

/** Where the groups of a segment end, and with which sequence. */
export interface SegmentEnd {
  readonly end: number;
  readonly lastSequence: number;
}

export interface SegmentImage {
  /** For messages. */
  readonly name: string;
  readonly header: SegmentHeader;
  /** The file from its start, header included. */
  readonly bytes: Buffer;
  /** What the segment after this one says of it; absent where nothing came after. */
  readonly known?: SegmentEnd;
}

/**
 * The groups of one segment, in order; returns where they end. Without a known end, what follows
 * the last whole group is a torn tail, a write that was never acknowledged: unless a later group
 * was begun when the bad place was on the disk already, which only damage explains.
 *
 * @throws CatalogError `Corrupt`, code `WAL_CORRUPT`.
 */
export function* scanSegment(image: SegmentImage): Generator<WalGroup, SegmentEnd> {
  const { name, header, bytes, known } = image;
  let at = BLOCK_BYTES;
  let lastSequence = header.firstSequence - 1;
  while (at !== known?.end) {
    const read = readGroup(bytes, at, header, lastSequence + 1, at);
    if ("badAt" in read) {
      if (known === undefined && !laterGroup(bytes, read.badAt, header)) break;
      throw corrupt(name, read.badAt, "a frame is damaged");
    }
    if (known !== undefined && read.end > known.end) {
      throw corrupt(name, at, "a group passes the end of its segment");
    }
    for (const { firstSequence, count } of read.batches) lastSequence = firstSequence + count - 1;
    yield { epoch: header.epoch, batches: read.batches };
    at = wholeBlocks(read.end);
  }
  if (known !== undefined && known.lastSequence !== lastSequence) {
    throw corrupt(name, at, "a segment ends with another sequence than the next one says");
  }
  return { end: at, lastSequence };
}

/**
 * Whether a group begins past the bad place. Groups begin where the writer had synced up to, and
 * with whole blocks: so the bad place was synced, and acknowledged, when that one was written.
 */
function laterGroup(bytes: Buffer, badAt: number, header: SegmentHeader): boolean {
  for (let at = wholeBlocks(badAt + 1); at < bytes.length; at += BLOCK_BYTES) {
    if (beginsGroup(bytes, at, header)) return true;
  }
  return false;
}
