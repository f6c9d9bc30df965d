import { FirnError } from "../../base/error.ts";
import type { Disk } from "../disk/port.ts";
import { checkBatch } from "./batch.ts";
import { beginsGroup, FRAME_BYTES, type FrameFile, frameAt, readGroup } from "./frame.ts";
import { bufferOf, readUint53 } from "./integers.ts";
import { walId, walName } from "./names.ts";
import { decodeObject, OBJECT_HEADER_BYTES, objectHead } from "./object-format.ts";
import type { WalBatch, WalMark, WalSalvage } from "./port.ts";
import { BLOCK_BYTES, type SegmentHeader, wholeBlocks } from "./segment-header.ts";
import { readHeader, readStart } from "./segment-recovery.ts";

/** A segment of the log, and where it ends if a later one says so. */
interface Link {
  readonly header: SegmentHeader;
  readonly known: SegmentHeader["previous"] | undefined;
}

/** What a reader of damaged files goes on after. @throws every other error. */
export function damageOf(error: unknown, file: string): WalSalvage {
  const isDamage =
    error instanceof FirnError &&
    (error.kind === "Corrupt" || error.code === "LSM_FORMAT_UNSUPPORTED");
  if (!isDamage) throw error;
  const { offset } = error.context;
  return { file, offset: typeof offset === "number" ? offset : 0, what: error.message };
}

/**
 * What is left of a log of segments. A segment without its header is lost: the checksums of its
 * frames begin with the salt that only the header tells.
 */
export async function* salvageSegments(disk: Disk, from: WalMark): AsyncGenerator<WalSalvage> {
  const pathOf = (id: number): string => `${disk.path}/${walName(id)}`;
  const ids = (await disk.list()).map(walId).filter((id) => id !== undefined && id >= from.file);
  const headers = new Map<number, SegmentHeader>();
  const told = new Set<number>();
  for (const id of ids as number[]) {
    try {
      const header = await readHeader(disk, id);
      if (header !== undefined) headers.set(id, header);
    } catch (error) {
      told.add(id);
      yield damageOf(error, pathOf(id));
    }
  }
  const { chain, missing } = chainOf(headers, from);
  for (const id of missing) {
    if (told.has(id)) continue;
    yield { file: pathOf(id), offset: 0, what: "a segment is missing, or its header is" };
  }
  for (const { header, known } of chain) {
    const file = pathOf(header.id);
    const bytes = (await readStart(disk, header.id)) ?? Buffer.alloc(0);
    yield { epoch: header.epoch, begins: header.firstSequence };
    for (const found of salvageGroups(bytes, header, known)) {
      yield "batches" in found ? found : { ...found, file };
    }
  }
}

/**
 * The segments that count, oldest first, and those that must be there and are not. Where the one
 * that a segment names is lost, the newest below it goes on: none says what it counted.
 */
function chainOf(
  headers: ReadonlyMap<number, SegmentHeader>,
  { file, begun = 0 }: WalMark,
): { readonly chain: readonly Link[]; readonly missing: readonly number[] } {
  const descending = [...headers.keys()].sort((a, b) => b - a);
  const chain: Link[] = [];
  const missing: number[] = [];
  if (begun >= file && begun > (descending[0] ?? 0)) missing.push(begun);
  let later: SegmentHeader | undefined;
  for (let id = descending[0]; id !== undefined; ) {
    const header = headers.get(id) as SegmentHeader;
    const { previous }: SegmentHeader = header;
    chain.unshift({ header, known: later?.previous.id === id ? later.previous : undefined });
    later = header;
    if (previous.id === 0 || previous.id < file) break;
    if (!headers.has(previous.id)) missing.push(previous.id);
    id = descending.find((one) => one <= previous.id);
  }
  const isBegun = file === 0 || missing.includes(file) || chain[0]?.header.id === file;
  return { chain, missing: isBegun ? missing : [...missing, file] };
}

/** Batches of one segment, or where in it something is damaged. */
function* salvageGroups(
  bytes: Buffer,
  header: SegmentHeader,
  known: Link["known"],
): Generator<{ batches: readonly WalBatch[] } | { offset: number; what: string }> {
  // What a later segment says may be damaged, too: it is believed where there are bytes.
  const limit = Math.min(known?.end ?? bytes.length, bytes.length);
  let due = header.firstSequence;
  for (let at = BLOCK_BYTES; at < limit; ) {
    const group = groupAt(bytes, at, header, due);
    if (group !== undefined && group.end <= limit) {
      due = behind(group.batches, due);
      yield { batches: group.batches };
      at = wholeBlocks(group.end);
      continue;
    }
    const next = nextGroup(bytes, at + BLOCK_BYTES, limit, header, due);
    // A torn tail: nothing shows that what stands here was ever whole.
    if (next === undefined && known === undefined) return;
    yield { offset: at, what: "groups of the log are damaged" };
    const batches = batchesOf(bytes, at, next ?? limit, header, at, due);
    due = behind(batches, due);
    if (batches.length > 0) yield { batches };
    at = next ?? limit;
  }
  if (known !== undefined && known.end > bytes.length) {
    yield { offset: bytes.length, what: "the end of the segment is missing" };
  }
}

function groupAt(
  bytes: Buffer,
  at: number,
  header: SegmentHeader,
  due: number,
): { readonly batches: readonly WalBatch[]; readonly end: number } | undefined {
  if (at + FRAME_BYTES > bytes.length) return undefined;
  const first = readUint53(bytes, at + 24);
  const read = first >= due ? readGroup(bytes, at, header, first, at) : undefined;
  if (read === undefined || "badAt" in read) return undefined;
  return read.batches.every(isBatch) ? read : undefined;
}

/** Whether a payload holds the operations that its frame counts. */
function isBatch({ payload, count }: WalBatch): boolean {
  try {
    checkBatch(payload, count);
    return true;
  } catch (error) {
    damageOf(error, "");
    return false;
  }
}

/** Where the next group begins that is whole. */
function nextGroup(
  bytes: Buffer,
  from: number,
  limit: number,
  header: SegmentHeader,
  due: number,
): number | undefined {
  for (let at = from; at < limit; at += BLOCK_BYTES) {
    if (beginsGroup(bytes, at, header, at) !== true) continue;
    if (readUint53(bytes, at + 24) >= due) return at;
  }
  return undefined;
}

/** Of frames one behind the other in [at, limit), those that are whole. */
function batchesOf(
  bytes: Buffer,
  from: number,
  limit: number,
  file: FrameFile,
  syncedOffset: number,
  due: number,
): readonly WalBatch[] {
  const batches: WalBatch[] = [];
  let next = due;
  for (let at = from; at < limit; ) {
    const frame = frameAt(bytes, at, file, syncedOffset);
    if (frame === undefined || frame.end > limit || frame.epoch !== file.epoch) break;
    const { batch } = frame;
    if (batch !== undefined && batch.firstSequence >= next && isBatch(batch)) {
      batches.push(batch);
      next = batch.firstSequence + batch.count;
    }
    if (frame.isLast) break;
    at = frame.end;
  }
  return batches;
}

function behind(batches: readonly WalBatch[], due: number): number {
  const last = batches.at(-1);
  return last === undefined ? due : last.firstSequence + last.count;
}

/** What is left of an object of the log. */
export function* salvageObject(
  stored: Uint8Array,
  id: number,
  file: string,
): Generator<WalSalvage> {
  const bytes = bufferOf(stored);
  try {
    const { epoch, firstSequence, batches } = decodeObject(bytes, id);
    for (const { payload, count } of batches) checkBatch(payload, count);
    yield { epoch, begins: firstSequence };
    yield { batches };
  } catch (error) {
    yield damageOf(error, file);
    const head = objectHead(bytes, id);
    if (head === undefined) return;
    yield { epoch: head.epoch, begins: head.firstSequence };
    const batches = batchesOf(bytes, OBJECT_HEADER_BYTES, bytes.length, head, 0, 1);
    if (batches.length > 0) yield { batches };
  }
}
