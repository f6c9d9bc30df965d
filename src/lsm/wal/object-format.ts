/**
 * One object of the log: a header, then the frames of one group. Without frames it is a fence.
 * Little-endian. Version 2 is one of which something is said at 20.
 *
 * | at | bytes | field |
 * |---|---|---|
 * | 0 | 4 | magic `FWOB` |
 * | 4 | 2 | format version: 1, or 2 |
 * | 6 | 2 | 0 |
 * | 8 | 8 | id, 1 and up: the object's own number |
 * | 16 | 4 | epoch of the writer |
 * | 20 | 4 | 1: put while the one before it was under way; else 0, and version 1 |
 * | 24 | 16 | put-id: random, tells a writer its own object from another's |
 * | 40 | 8 | first sequence of the group; the next one, in a fence |
 * | 48 | 8 | bytes of the frames |
 * | 56 | 4 | 0 |
 * | 60 | 4 | CRC-32 of bytes 0 to 60 |
 * | 64 | | frames: salt is the first word of the put-id, synced offset 0 |
 *
 * Invariant: an object is put once, where nothing stands, and whole or not at all. So there is no
 * torn tail: whatever is not exactly as written is damage.
 *
 * Example: a fence, object 9 of epoch 3, put-id 00 01 .. 0f, next sequence 7:
 *
 * ```hex
 * 46 57 4f 42 01 00 00 00 09 00 00 00 00 00 00 00
 * 03 00 00 00 00 00 00 00 00 01 02 03 04 05 06 07
 * 08 09 0a 0b 0c 0d 0e 0f 07 00 00 00 00 00 00 00
 * 00 00 00 00 00 00 00 00 00 00 00 00 d9 b6 86 c4
 * ```
 */

import { crc32 } from "node:zlib";
import { assert } from "../../base/assert.ts";
import { corrupt } from "./errors.ts";
import { type FrameFile, framesBytes, readGroup, writeFrames } from "./frame.ts";
import { bufferOf, readUint53, writeUint53 } from "./integers.ts";
import { walName } from "./names.ts";
import type { WalBatch } from "./port.ts";

export const OBJECT_HEADER_BYTES = 64;
export const PUT_ID_BYTES = 16;
const MAGIC = Buffer.from("FWOB", "latin1");
const VERSION = 1;
const OVERLAPPED_VERSION = 2;

export interface WalObject {
  readonly id: number;
  readonly epoch: number;
  readonly putId: Uint8Array;
  readonly firstSequence: number;
  /** Put while the one before it was under way, which may be missing then. */
  readonly isOverlapped: boolean;
  /** Empty in a fence. */
  readonly batches: readonly WalBatch[];
}

export function encodeObject(object: WalObject): Buffer {
  const { id, epoch, putId, firstSequence, isOverlapped, batches } = object;
  assert(putId.length === PUT_ID_BYTES, "an object says which put made it");
  const first = batches[0]?.firstSequence ?? firstSequence;
  assert(first === firstSequence, "an object begins with the sequence that its header says");
  const bodyBytes = framesBytes(batches);
  const out = Buffer.alloc(OBJECT_HEADER_BYTES + bodyBytes);
  out.set(MAGIC, 0);
  out.writeUInt16LE(isOverlapped ? OVERLAPPED_VERSION : VERSION, 4);
  writeUint53(out, id, 8);
  out.writeUInt32LE(epoch, 16);
  out.writeUInt32LE(isOverlapped ? 1 : 0, 20);
  out.set(putId, 24);
  writeUint53(out, firstSequence, 40);
  writeUint53(out, bodyBytes, 48);
  out.writeUInt32LE(crc32(out.subarray(0, 60)), 60);
  writeFrames(out, OBJECT_HEADER_BYTES, batches, frameFile(object), 0);
  return out;
}

/**
 * Reads an object whole. Payloads are views into `bytes`.
 *
 * @throws FirnError `Corrupt`, code `WAL_CORRUPT`.
 */
export function decodeObject(stored: Uint8Array, id: number): WalObject {
  const bytes = bufferOf(stored);
  const bad = (at: number, what: string) => corrupt(walName(id), at, what);
  if (bytes.length < OBJECT_HEADER_BYTES) throw bad(bytes.length, "an object is cut short");
  const sum = bytes.readUInt32LE(60);
  if (!bytes.subarray(0, 4).equals(MAGIC) || sum !== crc32(bytes.subarray(0, 60))) {
    throw bad(0, "its header is damaged");
  }
  if (!isKnownVersion(bytes)) throw bad(4, "its format version is not known");
  if (readUint53(bytes, 8) !== id) throw bad(8, "it is another object");
  if (readUint53(bytes, 48) !== bytes.length - OBJECT_HEADER_BYTES) {
    throw bad(48, "its length is not that of its frames");
  }
  const head = {
    id,
    epoch: bytes.readUInt32LE(16),
    putId: bytes.subarray(24, 24 + PUT_ID_BYTES),
    firstSequence: readUint53(bytes, 40),
    isOverlapped: bytes.readUInt16LE(4) === OVERLAPPED_VERSION,
  };
  if (bytes.length === OBJECT_HEADER_BYTES) return { ...head, batches: [] };
  const read = readGroup(bytes, OBJECT_HEADER_BYTES, frameFile(head), head.firstSequence, 0);
  if ("badAt" in read) throw bad(read.badAt, "a frame is damaged");
  if (read.end !== bytes.length) throw bad(read.end, "something follows its group");
  return { ...head, batches: read.batches };
}

/** What stands before an object. */
export interface ObjectBefore {
  readonly epoch: number;
  readonly isFence: boolean;
}

/**
 * Whether an object does not count, and never will: it stands behind a fence of a higher epoch. Its
 * writer, which has two puts under way at most, had the number of the fence under way too.
 */
export function isStray(
  { epoch }: Pick<WalObject, "epoch">,
  before: ObjectBefore | undefined,
): boolean {
  return before?.isFence === true && epoch < before.epoch;
}

/** What an object says of itself before its frames, and what their checksums begin with. */
export type ObjectHead = FrameFile &
  ObjectBefore &
  Pick<WalObject, "firstSequence" | "isOverlapped">;

/** Undefined without a whole header, or of another object. */
export function objectHead(stored: Uint8Array, id: number): ObjectHead | undefined {
  const bytes = bufferOf(stored);
  const isWhole =
    bytes.length >= OBJECT_HEADER_BYTES &&
    bytes.subarray(0, 4).equals(MAGIC) &&
    bytes.readUInt32LE(60) === crc32(bytes.subarray(0, 60)) &&
    isKnownVersion(bytes) &&
    readUint53(bytes, 8) === id;
  if (!isWhole) return undefined;
  const putId = bytes.subarray(24, 24 + PUT_ID_BYTES);
  const file = frameFile({ id, epoch: bytes.readUInt32LE(16), putId });
  return {
    ...file,
    firstSequence: readUint53(bytes, 40),
    isOverlapped: bytes.readUInt16LE(4) === OVERLAPPED_VERSION,
    isFence: readUint53(bytes, 48) === 0,
  };
}

function isKnownVersion(bytes: Buffer): boolean {
  const flag = bytes.readUInt32LE(20);
  return bytes.readUInt16LE(4) === (flag === 1 ? OVERLAPPED_VERSION : VERSION) && flag <= 1;
}

function frameFile({ id, epoch, putId }: Pick<WalObject, "id" | "epoch" | "putId">): FrameFile {
  return { id, epoch, salt: bufferOf(putId).readUInt32LE(0) };
}
