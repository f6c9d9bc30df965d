import { FirnError } from "../../base/error.ts";
import type { Disk } from "../disk/port.ts";
import { checkBatch } from "./batch.ts";
import {
  beginsGroup,
  FRAME_BYTES,
  type FrameFile,
  frameAt,
  type ReadGroup,
  readGroup,
} from "./frame.ts";
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
  let next = await openedAt(disk, chain[0]);
  for (const [i, { header, known }] of chain.entries()) {
    const { bytes, begins } = next;
    next = await openedAt(disk, chain[i + 1]);
    yield { epoch: header.epoch, begins };
    const told = known && { end: known.end, begins: next.begins };
    for (const found of salvageGroups({ bytes, header, begins }, told)) {
      yield "batches" in found ? found : { ...found, file: pathOf(header.id) };
    }
  }
}

/** The bytes of a segment, and its first operation. */
interface Opened {
  readonly bytes: Buffer;
  readonly begins: number;
}

/** A header may be damaged and sealed again: what its first group says is believed before it. */
async function openedAt(disk: Disk, link: Link | undefined): Promise<Opened> {
  if (link === undefined) return { bytes: Buffer.alloc(0), begins: 0 };
  const { header } = link;
  const bytes = (await readStart(disk, header.id)) ?? Buffer.alloc(0);
  const group = groupAt(bytes, BLOCK_BYTES, header, 1);
  const first = isReadable(group) ? group.batches[0]?.firstSequence : undefined;
  return { bytes, begins: first ?? header.firstSequence };
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
    if (header.id === file) break;
    if (previous.id === 0 || previous.id < file) {
      // A header that leads past the segment that the log begins with is damaged.
      if (!headers.has(file)) break;
      id = descending.find((one) => one < header.id);
      continue;
    }
    if (!headers.has(previous.id)) missing.push(previous.id);
    id = descending.find((one) => one <= previous.id);
  }
  const isBegun = file === 0 || missing.includes(file) || chain[0]?.header.id === file;
  return { chain, missing: isBegun ? missing : [...missing, file] };
}

/**
 * Batches of one segment, or where in it something is damaged. `known`: where it ends, and the
 * first operation behind it, as the next segment says. Either may be damaged: the end is believed
 * where there are bytes, and no operation before the one that the next segment begins with is left
 * out.
 */
function* salvageGroups(
  { bytes, header, begins }: Opened & Pick<Link, "header">,
  known: { readonly end: number; readonly begins: number } | undefined,
): Generator<{ batches: readonly WalBatch[] } | { offset: number; what: string }> {
  const limit = Math.min(known?.end ?? bytes.length, bytes.length);
  let due = begins;
  const isShort = (): boolean => known !== undefined && due < known.begins;
  for (let at = BLOCK_BYTES; at < limit || (isShort() && at < bytes.length); ) {
    const whole = groupAt(bytes, at, header, due);
    const group = isReadable(whole) ? whole : undefined;
    const after = group && behind(group.batches, due);
    const isBefore = known !== undefined && after !== undefined && after <= known.begins;
    if (group !== undefined && (group.end <= limit || isBefore)) {
      due = after ?? due;
      yield { batches: group.batches };
      at = wholeBlocks(group.end);
      continue;
    }
    if (at >= limit) break;
    const next = nextGroup(bytes, at + BLOCK_BYTES, limit, header, due);
    // A torn tail: neither its checksums nor a later group show that it was ever whole.
    if (next === undefined && known === undefined && whole === undefined) return;
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

/** The group at `at` if all its checksums hold, whether or not its operations can be read. */
function groupAt(
  bytes: Buffer,
  at: number,
  header: SegmentHeader,
  due: number,
): ReadGroup | undefined {
  if (at + FRAME_BYTES > bytes.length) return undefined;
  const first = readUint53(bytes, at + 24);
  const read = first >= due ? readGroup(bytes, at, header, first, at) : undefined;
  return read === undefined || "badAt" in read ? undefined : read;
}

function isReadable(group: ReadGroup | undefined): group is ReadGroup {
  return group?.batches.every(isBatch) === true;
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
