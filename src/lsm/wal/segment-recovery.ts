import type { Disk } from "../disk/port.ts";
import { corrupt, inLogFile, outranked } from "./errors.ts";
import { claimsFrame } from "./frame.ts";
import { bufferOf } from "./integers.ts";
import { walName } from "./names.ts";
import type { WalGroup, WalOpenOptions } from "./port.ts";
import { BLOCK_BYTES, decodeSegmentHeader, type SegmentHeader } from "./segment-header.ts";
import { type SegmentEnd, scanSegment } from "./segment-scan.ts";

/** A segment that was written to, as recovery left it. */
export interface RecoveredSegment {
  readonly id: number;
  readonly lastSequence: number;
}

export interface Recovery {
  /** Oldest first; empty where nobody has written. */
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
 * @throws CatalogError `WAL_CORRUPT`, `WAL_FENCED`.
 */
export async function recover(
  disk: Disk,
  newest: SegmentHeader | undefined,
  { epoch, from, onGroup }: WalOpenOptions,
): Promise<Recovery> {
  if (newest !== undefined && newest.epoch >= epoch) {
    throw outranked(walName(newest.id), newest.epoch);
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
    end = await replay(disk, header, known, from.sequence, onGroup);
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
  header: SegmentHeader,
  known: SegmentEnd | undefined,
  after: number,
  onGroup: WalOpenOptions["onGroup"],
): Promise<SegmentEnd> {
  const name = walName(header.id);
  // What its successor knows the end of was on the disk before. The newest may hold a group whose
  // writer ended before its sync did: whoever reads it makes it stay.
  const bytes =
    known === undefined
      ? await readStart(disk, header.id, MAX_SEGMENT_BYTES, true)
      : await readStart(disk, header.id, known.end);
  if (bytes === undefined) throw corrupt(name, 0, "a segment is missing");
  const scan = scanSegment({ name, header, bytes, ...(known !== undefined && { known }) });
  for (;;) {
    const { done, value } = scan.next();
    if (done === true) return value;
    if (lastOf(value) <= after) continue;
    try {
      await onGroup(value);
    } catch (error) {
      throw inLogFile(name, error);
    }
  }
}

function lastOf({ batches }: WalGroup): number {
  const last = batches.at(-1);
  return last === undefined ? 0 : last.firstSequence + last.count - 1;
}

/**
 * Undefined where there is no such segment or nobody has written to it. A header that is gone
 * although a frame stands behind it is damage: headers are on the disk before frames are written.
 */
export async function readHeader(disk: Disk, id: number): Promise<SegmentHeader | undefined> {
  const start = (await readStart(disk, id, 2 * BLOCK_BYTES)) ?? Buffer.alloc(0);
  // Read again after a frame was seen: a writer that does not know yet that it is fenced may have
  // begun the segment between the two.
  const written = claimsFrame(start, BLOCK_BYTES, id, BLOCK_BYTES);
  const bytes = written ? await readStart(disk, id, BLOCK_BYTES) : start;
  const header = decodeSegmentHeader(bytes ?? start, id);
  if (header === "newer") throw corrupt(walName(id), 4, "its format version is not known");
  if (header === "impossible") throw corrupt(walName(id), 24, "its header contradicts itself");
  if (header !== "unwritten") return header;
  if (written) throw corrupt(walName(id), 0, "its header is damaged");
  return undefined;
}

export async function readStart(
  disk: Disk,
  id: number,
  length: number = MAX_SEGMENT_BYTES,
  synced = false,
): Promise<Buffer | undefined> {
  const file = await disk.open(walName(id));
  if (file === undefined) return undefined;
  try {
    const bytes = bufferOf(await file.read(0, length));
    if (synced) await file.sync();
    return bytes;
  } finally {
    await file.close();
  }
}
