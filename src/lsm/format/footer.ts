import { crc32 } from "node:zlib";
import { assert } from "../../base/assert.ts";
import { corrupt } from "./corrupt.ts";
import { assertReadable, FORMAT_VERSION, PREFIX_FILTER } from "./features.ts";
import { bytesOfUlid, ULID_BYTES, type Ulid, ulidOfBytes } from "./ulid.ts";
import { readU32, readU64, writeU32, writeU64 } from "./varint.ts";

/*
 * The last 116 bytes of a table.
 *
 *   offset  bytes  what
 *   0       16     id of the table, highest byte first
 *   16      8      bytes of the file
 *   24      4      bytes of the tail: from its first section to the end of the file
 *   28      4      required features (`features.ts`)
 *   32      4      optional features
 *   36      2      format version: 1
 *   38      2      0
 *   40      64     eight sections of the tail: offset in the tail (4), bytes of the frame (4);
 *                  0 and 0 where there is none. In order: index, filter, statistics,
 *                  range tombstones, prefix filter, three more. Without entries there is
 *                  neither index nor filter
 *   104     4      CRC-32 of all before it
 *   108     8      "FIRNSST\n"
 *
 * Integers have their lowest byte first, the id apart.
 *
 * Example: a table of 1,000 bytes with a tail of 600, whose index is its first 100 bytes, then a
 * filter of 200 and statistics of 184:
 *
 *   0190a5b0c0000123456789abcdef0123 e803000000000000 58020000
 *   00000000 00000000 0100 0000
 *   00000000 64000000  64000000 c8000000  2c010000 b8000000
 *   0000000000000000 0000000000000000 0000000000000000 0000000000000000 0000000000000000
 *   acb63112 4649524e5353540a
 */

export const FOOTER_BYTES = 116;
/** A first guess at a tail, for a table whose description is not known. */
export const TAIL_GUESS_BYTES: number = 64 * 1024;

const SLOTS_AT = 40;
const SLOT_COUNT = 8;
const CRC_AT = 104;
const MAGIC_AT = 108;
const MAGIC: Uint8Array = Buffer.from("FIRNSST\n", "latin1");

/** A frame in the tail. */
export interface Section {
  /** From the start of the tail. */
  readonly offset: number;
  readonly bytes: number;
}

export interface Footer {
  readonly id: Ulid;
  readonly fileBytes: number;
  readonly tailBytes: number;
  readonly requiredFeatures: number;
  readonly optionalFeatures: number;
  /** Undefined where the table has range tombstones alone. */
  readonly index: Section | undefined;
  readonly filter: Section | undefined;
  readonly stats: Section;
  readonly ranges: Section | undefined;
  readonly prefixes: Section | undefined;
}

export function encodeFooter(footer: Footer): Uint8Array {
  const out = new Uint8Array(FOOTER_BYTES);
  out.set(bytesOfUlid(footer.id));
  writeU64(out, 16, footer.fileBytes);
  writeU32(out, 24, footer.tailBytes);
  writeU32(out, 28, footer.requiredFeatures);
  writeU32(out, 32, footer.optionalFeatures);
  out[36] = FORMAT_VERSION;
  const { index, filter, stats, ranges, prefixes, tailBytes } = footer;
  assert(tailBytes <= footer.fileBytes, "the tail is part of the file");
  const isAnnounced = (footer.optionalFeatures & PREFIX_FILTER) !== 0;
  assert(
    isAnnounced === (prefixes !== undefined),
    "a filter of prefixes and its feature go together",
  );
  [index, filter, stats, ranges, prefixes].forEach((section, slot) => {
    const end = section === undefined ? 0 : section.offset + section.bytes;
    assert(end <= tailBytes - FOOTER_BYTES, "a section lies in the tail, before the footer");
    writeU32(out, SLOTS_AT + 8 * slot, section?.offset ?? 0);
    writeU32(out, SLOTS_AT + 8 * slot + 4, section?.bytes ?? 0);
  });
  writeU32(out, CRC_AT, crc32(out.subarray(0, CRC_AT)));
  out.set(MAGIC, MAGIC_AT);
  return out;
}

/**
 * Reads the footer at the end of `tail`, the last bytes of a table. Sections lie inside the tail.
 *
 * @throws FirnError `Corrupt`, code `LSM_FILE_CORRUPT`; `Unavailable`, code
 *   `LSM_FORMAT_UNSUPPORTED`.
 */
export function decodeFooter(tail: Uint8Array): Footer {
  if (tail.length < FOOTER_BYTES) throw corrupt("sst", "footer", 0, "cut short");
  const bytes = tail.subarray(tail.length - FOOTER_BYTES);
  if (Buffer.compare(bytes.subarray(MAGIC_AT), MAGIC) !== 0) {
    throw corrupt("sst", "footer", MAGIC_AT, "no table");
  }
  if (crc32(bytes.subarray(0, CRC_AT)) !== readU32(bytes, CRC_AT)) {
    throw corrupt("sst", "footer", CRC_AT, "checksum differs");
  }
  const version = (bytes[36] ?? 0) | ((bytes[37] ?? 0) << 8);
  const requiredFeatures = readU32(bytes, 28);
  assertReadable("sst", version, requiredFeatures);
  const fileBytes = readU64(bytes, 16) ?? 0;
  const tailBytes = readU32(bytes, 24);
  if (tailBytes < FOOTER_BYTES || tailBytes > fileBytes) {
    throw corrupt("sst", "footer", 24, "tail does not fit");
  }
  const [index, filter, stats, ranges, prefixes] = sections(bytes, tailBytes - FOOTER_BYTES);
  if (stats === undefined || (index === undefined && ranges === undefined)) {
    throw corrupt("sst", "footer", SLOTS_AT, "no index or no statistics");
  }
  const id = ulidOfBytes(bytes.subarray(0, ULID_BYTES));
  const optionalFeatures = readU32(bytes, 32);
  // What stands in a section is what its feature says.
  const hasPrefixes = (optionalFeatures & PREFIX_FILTER) !== 0;
  if (hasPrefixes !== (prefixes !== undefined)) {
    throw corrupt("sst", "footer", SLOTS_AT, "a filter of prefixes and no feature, or the reverse");
  }
  const features = { requiredFeatures, optionalFeatures };
  return { id, fileBytes, tailBytes, ...features, index, filter, stats, ranges, prefixes };
}

function sections(bytes: Uint8Array, end: number): readonly (Section | undefined)[] {
  return Array.from({ length: SLOT_COUNT }, (_, slot) => {
    const at = SLOTS_AT + 8 * slot;
    const section = { offset: readU32(bytes, at), bytes: readU32(bytes, at + 4) };
    if (section.offset + section.bytes > end) {
      throw corrupt("sst", "footer", at, "section outside the tail");
    }
    return section.bytes === 0 ? undefined : section;
  });
}
