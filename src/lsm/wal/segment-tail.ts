import type { Disk } from "../disk/port.ts";
import { corrupt } from "./errors.ts";
import { claimsFrame, type ReadGroup, readGroup } from "./frame.ts";
import { bufferOf } from "./integers.ts";
import { walId, walName } from "./names.ts";
import type { TailGroup, WalPlace } from "./port.ts";
import { BLOCK_BYTES, type SegmentHeader, wholeBlocks } from "./segment-header.ts";
import { readHeader } from "./segment-recovery.ts";

/** What is read at once of a segment that is hardly ever longer by more. */
const CHUNK_BYTES = 65_536;

/**
 * The groups of a log of segments beyond a place, while an owner writes it. A group is handed on
 * only when every later owner must find it: it was read, and is on the disk, before the segment
 * behind its own existed, or that segment says so.
 *
 * @returns false where somebody begins the next segment just now: then more may have been there.
 */
export async function* segmentTail(disk: Disk, from: WalPlace): AsyncGenerator<TailGroup, boolean> {
  let { file, offset, sequence } = from;
  for (let stuck = false; ; ) {
    const header = await firstBegun(disk, file);
    if (header === undefined) return (await idsFrom(disk, file)).length === 0;
    if (header.id !== file || offset < BLOCK_BYTES) offset = BLOCK_BYTES;
    file = header.id;
    const due = offset === BLOCK_BYTES ? header.firstSequence : sequence + 1;
    if (due > sequence + 1) throw corrupt(walName(file), 24, "a sequence is missing before it");
    const groups = await groupsFrom(disk, header, offset, due);
    const later = await idsFrom(disk, file + 1);
    const next = later.length === 0 ? undefined : await firstBegun(disk, file + 1);
    if (later.length > 0 && next === undefined) return false;
    if (next !== undefined && next.previous.id !== file) {
      throw corrupt(walName(next.id), 32, "it follows another segment");
    }
    const end = next?.previous.end ?? Number.POSITIVE_INFINITY;
    for (const { batches, end: after } of groups) {
      if (after > end) break;
      const last = batches.at(-1);
      if (last !== undefined) sequence = Math.max(sequence, last.firstSequence + last.count - 1);
      offset = after;
      yield { group: { epoch: header.epoch, batches }, place: { file, offset, sequence } };
    }
    if (next === undefined) return true;
    // What was read may have grown before it ended.
    if (offset !== end && stuck) throw corrupt(walName(file), offset, "a frame is damaged");
    stuck = offset !== end;
    if (stuck) continue;
    file = next.id;
    offset = 0;
  }
}

/** The first segment from an id on that was begun. */
async function firstBegun(disk: Disk, from: number): Promise<SegmentHeader | undefined> {
  for (const id of await idsFrom(disk, from)) {
    const header = await readHeader(disk, id);
    if (header !== undefined) return header;
  }
  return undefined;
}

async function idsFrom(disk: Disk, from: number): Promise<readonly number[]> {
  const ids = (await disk.list()).map(walId).filter((id) => id !== undefined && id >= from);
  return (ids as number[]).sort((a, b) => a - b);
}

/** Whole groups of one segment from an offset on, with the offsets behind them; on the disk. */
async function groupsFrom(
  disk: Disk,
  header: SegmentHeader,
  from: number,
  firstDue: number,
): Promise<readonly ReadGroup[]> {
  const file = await disk.open(walName(header.id));
  if (file === undefined) return [];
  const groups: ReadGroup[] = [];
  try {
    let due = firstDue;
    for (let at = from, room = CHUNK_BYTES; at < file.size; ) {
      const bytes = bufferOf(await file.read(at, room));
      let used = 0;
      for (;;) {
        const read = readGroup(bytes, used, header, due, at + used);
        if ("badAt" in read) break;
        for (const { count } of read.batches) due += count;
        used = wholeBlocks(at + read.end) - at;
        groups.push({ batches: read.batches, end: at + used });
      }
      // Perhaps a group is longer than what was read of it.
      if (used === 0 && (bytes.length < room || !claimsFrame(bytes, 0, header.id, at))) break;
      room = used === 0 ? 4 * room : CHUNK_BYTES;
      at += used;
    }
    if (groups.length > 0) await file.sync();
    return groups;
  } finally {
    await file.close();
  }
}
