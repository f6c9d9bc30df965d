/**
 * A frame: one batch as it lies in a segment or an object, little-endian.
 *
 * | at | bytes | field |
 * |---|---|---|
 * | 0 | 4 | CRC-32 of all that follows, payload included, continued from the file's salt |
 * | 4 | 2 | low half of the CRC-32 of bytes 6 to 40, continued from the file's salt |
 * | 6 | 1 | type: 1, a batch |
 * | 7 | 1 | flags: 1 first of its group, 2 last of its group |
 * | 8 | 4 | length of the payload |
 * | 12 | 4 | epoch of the writer |
 * | 16 | 8 | id of the segment or object |
 * | 24 | 8 | first sequence |
 * | 32 | 4 | count of sequences, at least 1 |
 * | 36 | 4 | synced offset: bytes of this file that were on the disk before the group was written |
 * | 40 | | payload |
 *
 * Invariant: nothing of a frame is believed before its short checksum holds, so that a hostile
 * length costs nothing, and nothing of its payload before the long one holds. Both begin with the
 * salt of their file: a value that a user wrote never passes for a frame, nor does a frame that a
 * recycled file held before.
 *
 * Example: payload `68 69` ("hi"), sequences 7 and 8 of epoch 3, alone in its group, first of
 * segment 5 with salt 0x01020304:
 *
 * ```hex
 * a9 d5 aa 86 32 31 01 03 02 00 00 00 03 00 00 00
 * 05 00 00 00 00 00 00 00 07 00 00 00 00 00 00 00
 * 02 00 00 00 00 10 00 00 68 69
 * ```
 */
import { crc32 } from "node:zlib";
import { readUint53, writeUint53 } from "./integers.ts";
import type { WalBatch } from "./port.ts";

export const FRAME_BYTES = 40;
const BATCH = 1;
const FIRST = 1;
const LAST = 2;

/** What the frames of one file share. */
export interface FrameFile {
  readonly id: number;
  readonly epoch: number;
  readonly salt: number;
}

/** Bytes of a group's frames, without padding. */
export function framesBytes(group: readonly WalBatch[]): number {
  let bytes = 0;
  for (const { payload } of group) bytes += FRAME_BYTES + payload.length;
  return bytes;
}

/** Writes the frames of a group; `out` has room for `framesBytes`. @returns where they end. */
export function writeFrames(
  out: Buffer,
  at: number,
  group: readonly WalBatch[],
  file: FrameFile,
  syncedOffset: number,
): number {
  const last = group.length - 1;
  let position = at;
  for (let index = 0; index <= last; index++) {
    const { firstSequence, count, payload } = group[index] as WalBatch;
    out[position + 6] = BATCH;
    out[position + 7] = (index === 0 ? FIRST : 0) | (index === last ? LAST : 0);
    out.writeUInt32LE(payload.length, position + 8);
    out.writeUInt32LE(file.epoch, position + 12);
    writeUint53(out, file.id, position + 16);
    writeUint53(out, firstSequence, position + 24);
    out.writeUInt32LE(count, position + 32);
    out.writeUInt32LE(syncedOffset, position + 36);
    out.writeUInt16LE(headCheck(out, position, file.salt), position + 4);
    out.set(payload, position + FRAME_BYTES);
    const end = position + FRAME_BYTES + payload.length;
    out.writeUInt32LE(crc32(out.subarray(position + 4, end), file.salt), position);
    position = end;
  }
  return position;
}

/** Of so few bytes a loop takes a third of what the way into the library does. */
function headCheck(bytes: Buffer, at: number, salt: number): number {
  let crc = ~salt;
  for (let i = at + 6; i < at + FRAME_BYTES; i++) {
    crc = (CRC_TABLE[(crc ^ (bytes[i] as number)) & 0xff] as number) ^ (crc >>> 8);
  }
  return ~crc & 0xffff;
}

/** What a byte does to a CRC-32. */
const CRC_TABLE: Int32Array = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

/** A group that was read whole, and where its frames end. */
export interface ReadGroup {
  readonly batches: readonly WalBatch[];
  readonly end: number;
}

/** Where reading a group failed: the frame that is not what must stand there. */
export interface BadFrame {
  readonly badAt: number;
  /** Where it is only cut off: how far bytes have to reach to tell. Else 0. */
  readonly needs: number;
}

/**
 * Reads the group at `at`. Accepts it only whole, of this file and epoch, with the sequence that is
 * due and the synced offset that a group at this place has.
 */
export function readGroup(
  bytes: Buffer,
  at: number,
  file: FrameFile,
  firstSequence: number,
  syncedOffset: number,
): ReadGroup | BadFrame {
  const batches: WalBatch[] = [];
  let position = at;
  let due = firstSequence;
  for (;;) {
    const end = frameEnd(bytes, position, file, syncedOffset);
    if (end > bytes.length) return { badAt: position, needs: end };
    if (end === 0 || !isIntact(bytes, position, end, file)) return { badAt: position, needs: 0 };
    const flags = bytes[position + 7] as number;
    const count = bytes.readUInt32LE(position + 32);
    const inOrder =
      bytes.readUInt32LE(position + 12) === file.epoch &&
      readUint53(bytes, position + 24) === due &&
      count > 0;
    if (!inOrder || (flags & FIRST) !== (position === at ? FIRST : 0)) {
      return { badAt: position, needs: 0 };
    }
    const payload = bytes.subarray(position + FRAME_BYTES, end);
    batches.push({ firstSequence: due, count, payload });
    due += count;
    position = end;
    if ((flags & LAST) !== 0) return { batches, end };
  }
}

/** A frame whose head is proven. */
export interface FrameAt {
  readonly end: number;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly epoch: number;
  /** Undefined where the payload is not what was written. */
  readonly batch: WalBatch | undefined;
}

/** The frame at `at`, whatever its sequence; undefined where there is none with a whole head. */
export function frameAt(
  bytes: Buffer,
  at: number,
  file: FrameFile,
  syncedOffset: number,
): FrameAt | undefined {
  const end = at + FRAME_BYTES > bytes.length ? 0 : frameEnd(bytes, at, file, syncedOffset);
  if (end === 0) return undefined;
  const flags = bytes[at + 7] as number;
  const count = bytes.readUInt32LE(at + 32);
  const isWhole = end <= bytes.length && isIntact(bytes, at, end, file) && count > 0;
  const payload = bytes.subarray(at + FRAME_BYTES, end);
  const firstSequence = readUint53(bytes, at + 24);
  return {
    end,
    isFirst: (flags & FIRST) !== 0,
    isLast: (flags & LAST) !== 0,
    epoch: bytes.readUInt32LE(at + 12),
    batch: isWhole ? { firstSequence, count, payload } : undefined,
  };
}

/**
 * Whether some group of this file begins at `at`, whatever its sequence.
 *
 * @param syncedOffset where `at` is in the file.
 * @returns how far bytes have to reach to tell, where they do not.
 */
export function beginsGroup(
  bytes: Buffer,
  at: number,
  file: FrameFile,
  syncedOffset: number,
): boolean | number {
  const end = frameEnd(bytes, at, file, syncedOffset);
  if (end > bytes.length) return end;
  return end > 0 && isIntact(bytes, at, end, file) && ((bytes[at + 7] as number) & FIRST) !== 0;
}

/**
 * Where the frame at `at` ends, of which only the head is proven: behind the bytes, where it is cut
 * off. 0 where there is none.
 */
function frameEnd(bytes: Buffer, at: number, file: FrameFile, syncedOffset: number): number {
  if (at + FRAME_BYTES > bytes.length) return at + FRAME_BYTES;
  if (!claimsFrame(bytes, at, file.id, syncedOffset)) return 0;
  if (bytes.readUInt16LE(at + 4) !== headCheck(bytes, at, file.salt)) return 0;
  return at + FRAME_BYTES + bytes.readUInt32LE(at + 8);
}

function isIntact(bytes: Buffer, at: number, end: number, { salt }: FrameFile): boolean {
  return bytes.readUInt32LE(at) === crc32(bytes.subarray(at + 4, end), salt);
}

/** Whether what stands there says, unproven, that it is a frame of that file and place. */
export function claimsFrame(bytes: Buffer, at: number, id: number, syncedOffset: number): boolean {
  return (
    at + FRAME_BYTES <= bytes.length &&
    bytes[at + 6] === BATCH &&
    readUint53(bytes, at + 16) === id &&
    bytes.readUInt32LE(at + 36) === syncedOffset
  );
}
