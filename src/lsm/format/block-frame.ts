import { constants, crc32, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { corrupt } from "./corrupt.ts";
import { readU32, writeU32 } from "./varint.ts";

/*
 * Every part of an SSTable lies in a frame: the stored bytes, then nine more.
 *
 *   bytes  what
 *   n      content, perhaps compressed
 *   1      codec: 0 none, 1 zstd, 2 lz4 (kept for later)
 *   4      bytes of the content when it is not compressed
 *   4      CRC-32 of all before it, begun at (file seed + offset of the frame) mod 2^32
 *
 * Integers have their lowest byte first. The file seed is the CRC-32 of the table's 16 id bytes, so
 * that a frame that was read from another place, or another table, does not pass.
 *
 * Example: the content "firn", file seed 0, at offset 4096, is 13 bytes:
 *
 *   6669726e 00 04000000 445e04bc
 */

export const FRAME_BYTES = 9;

/**
 * How long a frame's content is used: `passing`, not beyond what it was read with; `alone`, longer,
 * and nothing else was read with it, or refers to that. The content of these two is a view.
 */
export type Life = "kept" | "passing" | "alone";

/** How blocks are stored. A block that does not shrink by an eighth is stored as it is. */
export type Compression = "none" | "zstd";

const CODEC_NONE = 0;
const CODEC_ZSTD = 1;
const ZSTD_OPTIONS = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** Largest content of a frame: the largest entry with room to spare. Bounds what a reader makes. */
export const MAX_CONTENT_BYTES: number = 64 * 1024 * 1024;

/** Where frames of one file begin their checksums. */
export function fileSeed(idBytes: Uint8Array): number {
  return crc32(idBytes);
}

/**
 * Writes the frame of `content` at `at`, where there is room for it as it is and `FRAME_BYTES`.
 *
 * @param offset of the frame in its file.
 * @returns where it ends.
 */
export function writeFrame(
  out: Buffer,
  at: number,
  content: Uint8Array,
  compression: Compression,
  seed: number,
  offset: number,
): number {
  let stored = content;
  let codec = CODEC_NONE;
  if (compression === "zstd") {
    const packed = zstdCompressSync(content, ZSTD_OPTIONS);
    if (packed.length < content.length - content.length / 8) {
      stored = packed;
      codec = CODEC_ZSTD;
    }
  }
  out.set(stored, at);
  const end = at + stored.length;
  out[end] = codec;
  writeU32(out, end + 1, content.length);
  const sumAt = end + FRAME_BYTES - 4;
  writeU32(out, sumAt, crc32(out.subarray(at, sumAt), (seed + offset) >>> 0));
  return end + FRAME_BYTES;
}

/**
 * The content of a frame. A view of `bytes` where it is stored as it is and nothing much else would
 * be kept alive with it; so `bytes` must never change afterwards.
 *
 * @param part names it in errors.
 * @throws FirnError `Corrupt`, code `LSM_FILE_CORRUPT`.
 */
export function openFrame(
  bytes: Uint8Array,
  seed: number,
  offset: number,
  part: string,
  life: Life = "kept",
): Uint8Array {
  const stored = bytes.length - FRAME_BYTES;
  if (stored < 0) throw corrupt("sst", part, offset, "cut short");
  const sumAt = bytes.length - 4;
  if (readU32(bytes, sumAt) !== crc32(bytes.subarray(0, sumAt), (seed + offset) >>> 0)) {
    throw corrupt("sst", part, offset, "checksum differs");
  }
  const contentBytes = readU32(bytes, stored + 1);
  const codec = bytes[stored];
  if (contentBytes > MAX_CONTENT_BYTES) throw corrupt("sst", part, offset, "content too large");
  if (codec === CODEC_NONE) {
    if (contentBytes !== stored) throw corrupt("sst", part, offset, "length differs");
    return life === "kept" ? keepable(bytes, stored) : bytes.subarray(0, stored);
  }
  if (codec !== CODEC_ZSTD) throw corrupt("sst", part, offset, "unknown codec");
  return unpack(bytes.subarray(0, stored), contentBytes, part, offset);
}

/** A block that came with many others in one read must not keep all of them alive. */
function keepable(bytes: Uint8Array, stored: number): Uint8Array {
  const whole = bytes.buffer.byteLength;
  return whole <= bytes.length + 4_096
    ? bytes.subarray(0, stored)
    : new Uint8Array(bytes.subarray(0, stored));
}

function unpack(
  stored: Uint8Array,
  contentBytes: number,
  part: string,
  offset: number,
): Uint8Array {
  let content: Buffer;
  try {
    content = zstdDecompressSync(stored, { maxOutputLength: Math.max(1, contentBytes) });
  } catch {
    throw corrupt("sst", part, offset, "does not decompress");
  }
  if (content.length !== contentBytes) throw corrupt("sst", part, offset, "length differs");
  return content;
}
