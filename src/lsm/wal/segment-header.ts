/**
 * The header of a segment, alone in its first block of 4 KiB, little-endian.
 *
 * | at | bytes | field |
 * |---|---|---|
 * | 0 | 4 | magic `FWAL` |
 * | 4 | 2 | format version: 1 |
 * | 6 | 2 | 0 |
 * | 8 | 8 | segment id, 1 and up |
 * | 16 | 4 | epoch of the writer |
 * | 20 | 4 | salt of the frames' checksums |
 * | 24 | 8 | first sequence that may stand here |
 * | 32 | 8 | id of the segment before this one, 0 where there is none |
 * | 40 | 8 | where the groups of that segment end |
 * | 48 | 8 | last sequence before this segment |
 * | 56 | 4 | 0 |
 * | 60 | 4 | CRC-32 of bytes 0 to 60 |
 * | 64 | | zeros up to 4,096, not read |
 *
 * Invariant: the header is on the disk before the first frame is written, and fits one sector, so
 * it is there whole or not at all. What the segment before holds past its end was written by a
 * writer that was fenced, or torn: it was never acknowledged and is never read again.
 *
 * Example: segment 5 of epoch 3, salt 0x01020304, after segment 4, which ended at 12,288 with
 * sequence 6:
 *
 * ```hex
 * 46 57 41 4c 01 00 00 00 05 00 00 00 00 00 00 00
 * 03 00 00 00 04 03 02 01 07 00 00 00 00 00 00 00
 * 04 00 00 00 00 00 00 00 00 30 00 00 00 00 00 00
 * 06 00 00 00 00 00 00 00 00 00 00 00 39 86 b6 17
 * ```
 */

import { crc32 } from "node:zlib";
import { assert } from "../../base/assert.ts";
import { readUint53, writeUint53 } from "./integers.ts";

/** Header and groups are multiples of it, so that no acknowledged sector is written again. */
export const BLOCK_BYTES = 4_096;
const USED_BYTES = 64;
const MAGIC = Buffer.from("FWAL", "latin1");
const VERSION = 1;

export interface SegmentHeader {
  readonly id: number;
  readonly epoch: number;
  readonly salt: number;
  readonly firstSequence: number;
  readonly previous: {
    readonly id: number;
    readonly end: number;
    readonly lastSequence: number;
  };
}

/** `length` rounded up to whole blocks. */
export function wholeBlocks(length: number): number {
  return Math.ceil(length / BLOCK_BYTES) * BLOCK_BYTES;
}

/** One block. */
export function encodeSegmentHeader(header: SegmentHeader): Buffer {
  assert(header.firstSequence >= 1, "sequences begin with 1");
  assert(header.previous.id < header.id, "a segment comes behind the one that it names");
  const out = Buffer.alloc(BLOCK_BYTES);
  out.set(MAGIC, 0);
  out.writeUInt16LE(VERSION, 4);
  writeUint53(out, header.id, 8);
  out.writeUInt32LE(header.epoch, 16);
  out.writeUInt32LE(header.salt, 20);
  writeUint53(out, header.firstSequence, 24);
  writeUint53(out, header.previous.id, 32);
  writeUint53(out, header.previous.end, 40);
  writeUint53(out, header.previous.lastSequence, 48);
  out.writeUInt32LE(crc32(out.subarray(0, 60)), 60);
  return out;
}

/**
 * The header, or why there is none: `unwritten` (its write was torn, or it is another segment's,
 * from before the file was recycled), `newer`, a format version that this code does not know, or
 * `impossible`, numbers that no writer writes.
 */
export function decodeSegmentHeader(
  bytes: Buffer,
  id: number,
): SegmentHeader | "unwritten" | "newer" | "impossible" {
  if (bytes.length < USED_BYTES || !bytes.subarray(0, 4).equals(MAGIC)) return "unwritten";
  if (bytes.readUInt32LE(60) !== crc32(bytes.subarray(0, 60))) return "unwritten";
  if (bytes.readUInt16LE(4) !== VERSION) return "newer";
  const header: SegmentHeader = {
    id: readUint53(bytes, 8),
    epoch: bytes.readUInt32LE(16),
    salt: bytes.readUInt32LE(20),
    firstSequence: readUint53(bytes, 24),
    previous: {
      id: readUint53(bytes, 32),
      end: readUint53(bytes, 40),
      lastSequence: readUint53(bytes, 48),
    },
  };
  if (header.id !== id) return "unwritten";
  const { end, lastSequence } = header.previous;
  // Not a number is what exceeds 2^53.
  const isPossible =
    header.firstSequence >= 1 && header.previous.id < id && end + lastSequence >= 0;
  return isPossible ? header : "impossible";
}
