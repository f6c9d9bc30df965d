import type { Disk } from "../disk/port.ts";
import { corrupt, inLogFile, outranked } from "./errors.ts";
import { claimsFrame } from "./frame.ts";
import { bufferOf } from "./integers.ts";
import { walName } from "./names.ts";
import type { WalGroup, WalOpenOptions } from "./port.ts";
import { BLOCK_BYTES, decodeSegmentHeader, type SegmentHeader } from "./segment-header.ts";
import { laterGroup, type ScannedSegment, type SegmentEnd, SegmentScan } from "./segment-scan.ts";
import { letGo, SegmentStretches } from "./segment-stretches.ts";

/** A segment that was written to, as recovery left it. */
export interface RecoveredSegment {
  readonly id: number;
  readonly lastSequence: number;
}

export interface Recovery {
  /** Oldest first; empty where no process has written. */
  readonly segments: readonly RecoveredSegment[];
  /** What the header of the next segment says of the last one. */
  readonly previous: SegmentHeader["previous"];
  /** Recovered, or covered by the mark: the next segment begins after it. */
  readonly lastSequence: number;
}

/** No file makes a reader take more memory than this. */
const MAX_SEGMENT_BYTES = 1_073_741_824;

/**
 * The newest segment below `below` that was written to, if any. Those above it were created by
 * writers that died before, or were fenced before, their header was on the disk: nothing in them
 * was ever acknowledged.
 */
export async function newestHeader(
  disk: Disk,
  ids: readonly number[],
): Promise<SegmentHeader | undefined> {
  for (const id of ids.toSorted((a, b) => b - a)) {
    const header = await readHeader(disk, id);
    if (header !== undefined) return header;
  }
  return undefined;
}

/**
 * Replays the segments that lead up to the newest one, each up to the end that its successor knows.
 * Reads every file of them once, whole.
 *
 * @throws FirnError `WAL_CORRUPT`, `WAL_FENCED`.
 */
export async function recover(
  disk: Disk,
  newest: SegmentHeader | undefined,
  { epoch, from, onGroup }: WalOpenOptions,
): Promise<Recovery> {
  if (newest !== undefined && newest.epoch >= epoch) {
    throw outranked(walName(newest.id), newest.epoch);
  }
  const { begun = 0 } = from;
  // Its header was on the disk before a manifest named it. Without that it would pass for one that
  // was never written to, and with it all that was acknowledged in it.
  if (begun >= from.file && begun > (newest?.id ?? 0)) {
    throw corrupt(walName(begun), 0, "the newest segment is missing, or its header is");
  }
  const chain = await chainOf(disk, newest, from.file);
  const segments: RecoveredSegment[] = [];
  let due = from.sequence + 1;
  let end: SegmentEnd = { end: 0, lastSequence: from.sequence };
  for (const [index, header] of chain.entries()) {
    const name = walName(header.id);
    // A gap is what the mark covers: its sequences were made durable elsewhere.
    if (header.firstSequence > due) throw corrupt(name, 24, "a sequence is missing before it");
    const known = chain[index + 1]?.previous;
    const segment = { name, header, ...(known !== undefined && { known }) };
    end = await replay(disk, segment, from.sequence, onGroup);
    due = Math.max(due, end.lastSequence + 1);
    segments.push({ id: header.id, lastSequence: end.lastSequence });
  }
  const id = newest?.id ?? 0;
  return { segments, previous: { id, ...end }, lastSequence: due - 1 };
}

/** From the oldest segment that is needed to the newest, each the one that the next one names. */
export async function chainOf(
  disk: Disk,
  newest: SegmentHeader | undefined,
  oldest: number,
): Promise<readonly SegmentHeader[]> {
  const chain: SegmentHeader[] = [];
  let header = newest;
  let due = oldest;
  while (header !== undefined) {
    chain.unshift(header);
    const { previous, id, epoch }: SegmentHeader = header;
    if (id === oldest || (oldest === 0 && previous.id === 0)) return chain;
    due = previous.id;
    if (due >= id || due < oldest) throw corrupt(walName(id), 32, "it follows no needed segment");
    header = await readHeader(disk, due);
    if (header !== undefined && header.epoch > epoch) {
      throw corrupt(walName(id), 16, "the epoch falls");
    }
  }
  if (due > 0) throw corrupt(walName(due), 0, "a segment is missing");
  return chain;
}

async function replay(
  disk: Disk,
  segment: ScannedSegment,
  after: number,
  onGroup: WalOpenOptions["onGroup"],
): Promise<SegmentEnd> {
  const { name, header, known } = segment;
  const file = await disk.open(name);
  if (file === undefined) throw corrupt(name, 0, "a segment is missing");
  const stretches = new SegmentStretches(file, known?.end ?? MAX_SEGMENT_BYTES);
  const scan = new SegmentScan(segment);
  let reading: Promise<Buffer> | undefined;
  try {
    for (let through = 0; stretches.has(scan.needs, through); ) {
      const from = scan.at;
      const bytes = await (reading ?? stretches.read(from, scan.needs));
      through = from + bytes.length;
      const groups = [...scan.groups(bytes)];
      const { at, needs } = scan;
      // A group that is longer than what was read is read again: twice as much, not frame by frame.
      const least = at === from ? Math.max(needs, at + 2 * bytes.length) : needs;
      // What comes next is read while this is taken in.
      reading = stretches.has(needs, through) ? stretches.read(at, least) : undefined;
      // It is waited for below; until then no other process learns of its fault.
      reading?.catch(() => undefined);
      await handOn(name, groups, after, onGroup);
      letGo(bytes);
    }
    const later = await hasLater(stretches, scan.doubtful, header);
    const end = scan.finish(later);
    // What its successor knows the end of was on the disk before. The newest may hold a group whose
    // writer ended before its sync did: any caller that reads it makes it stay.
    if (known === undefined) await file.sync();
    return end;
  } finally {
    await reading?.catch(() => undefined);
    await file.close();
  }
}

async function handOn(
  name: string,
  groups: readonly WalGroup[],
  after: number,
  onGroup: WalOpenOptions["onGroup"],
): Promise<void> {
  try {
    for (const group of groups) if (lastOf(group) > after) await onGroup(group);
  } catch (error) {
    throw inLogFile(name, error);
  }
}

/** @param from 0 where nothing depends on it. */
async function hasLater(
  stretches: SegmentStretches,
  from: number,
  header: SegmentHeader,
): Promise<boolean> {
  for (let at = from, needs = from + 1; at > 0 && stretches.has(needs, at); ) {
    const bytes = await stretches.read(at, needs);
    const found = laterGroup(bytes, at, header, stretches.size);
    if (found === "found") return true;
    ({ at, needs } = found);
    letGo(bytes);
  }
  return false;
}

function lastOf({ batches }: WalGroup): number {
  const last = batches.at(-1);
  return last === undefined ? 0 : last.firstSequence + last.count - 1;
}

/**
 * Undefined where there is no such segment or no process has written to it. A header that is gone
 * although a frame stands behind it is damage: headers are on the disk before frames are written.
 */
export async function readHeader(disk: Disk, id: number): Promise<SegmentHeader | undefined> {
  const start = (await readStart(disk, id, 2 * BLOCK_BYTES)) ?? Buffer.alloc(0);
  // Read again after a frame was seen: a writer that does not know yet that it is fenced may have
  // begun the segment between the two.
  const written = claimsFrame(start, BLOCK_BYTES, id, BLOCK_BYTES);
  const bytes = written ? await readStart(disk, id, BLOCK_BYTES) : start;
  // It was released meanwhile.
  if (bytes === undefined) return undefined;
  const header = decodeSegmentHeader(bytes, id);
  if (header === "newer") throw corrupt(walName(id), 4, "its format version is not known");
  if (header === "impossible") throw corrupt(walName(id), 24, "its header contradicts itself");
  if (header !== "unwritten") return header;
  if (written) throw corrupt(walName(id), 0, "its header is damaged");
  return undefined;
}

/** The first `length` bytes of a segment; undefined where the segment does not exist. */
export async function readStart(
  disk: Disk,
  id: number,
  length: number = MAX_SEGMENT_BYTES,
): Promise<Buffer | undefined> {
  const file = await disk.open(walName(id));
  if (file === undefined) return undefined;
  try {
    return bufferOf(await file.read(0, length));
  } finally {
    await file.close();
  }
}
