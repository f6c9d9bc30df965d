import type { Disk } from "../disk/port.ts";
import { corrupt } from "./errors.ts";
import { claimsFrame, type ReadGroup, readGroup } from "./frame.ts";
import { bufferOf } from "./integers.ts";
import { walId, walName } from "./names.ts";
import type { TailGroup, WalPlace } from "./port.ts";
import { BLOCK_BYTES, type SegmentHeader, wholeBlocks } from "./segment-header.ts";
import { chainOf, readHeader } from "./segment-recovery.ts";

/** What is read at once of a segment that is hardly ever longer by more. */
const CHUNK_BYTES = 65_536;

/**
 * The groups of a log of segments beyond a place, while an owner writes it. A group is handed on
 * only when every later owner must find it: it was read, and is on the disk, before the segment
 * behind its own existed, or the header of that one says so.
 *
 * @returns false where another process begins the next segment just now: then more may have been
 *   there.
 */
export async function* segmentTail(disk: Disk, from: WalPlace): AsyncGenerator<TailGroup, boolean> {
  let { file, offset, sequence } = from;
  for (;;) {
    const top = await lastId(disk);
    if (top < file || top === 0) return top === 0 && file === 0;
    const newest = await readHeader(disk, top);
    // A header that was there while no process had created the next segment is read by all who do.
    if (top !== (await lastId(disk))) continue;
    if (newest === undefined) return false;
    const chain = await chainOf(disk, newest, file);
    for (const [index, header] of chain.entries()) {
      if (header.id !== file || offset < BLOCK_BYTES) offset = BLOCK_BYTES;
      file = header.id;
      const due = offset === BLOCK_BYTES ? header.firstSequence : sequence + 1;
      if (due > sequence + 1) throw corrupt(walName(file), 24, "a sequence is missing before it");
      const end = chain[index + 1]?.previous.end;
      const groups = await groupsFrom(disk, header, offset, due);
      if (end === undefined && top !== (await lastId(disk))) break;
      for (const { batches, end: after } of groups) {
        if (end !== undefined && after > end) break;
        const last = batches.at(-1);
        if (last !== undefined) sequence = Math.max(sequence, last.firstSequence + last.count - 1);
        offset = after;
        yield { group: { epoch: header.epoch, batches }, place: { file, offset, sequence } };
      }
      if (end === undefined) return true;
      if (offset !== end) throw corrupt(walName(file), offset, "a frame is damaged");
    }
  }
}

async function lastId(disk: Disk): Promise<number> {
  const names = await disk.list();
  return names.reduce((last, name) => Math.max(last, walId(name) ?? 0), 0);
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
