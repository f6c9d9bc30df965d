import { assert } from "../base/assert.ts";
import { FirnError, invalid } from "../base/error.ts";
import type { StoredItem } from "./batch.ts";
import type { Item } from "./port.ts";

/*
 * A pointer as the value of a row; its key is the row's key.
 *
 *   bytes   what
 *   1       format, 1
 *   1       flags: 1 tombstone, 2 blob path, 4 summary; the others are 0
 *   8       version, lowest byte first
 *   8       tombstone only: when it may be forgotten, wall time in ms, lowest byte first
 *   2 + n   writer id: its length, lowest byte first, and UTF-8
 *   2 + n   blob path, if flagged: as above
 *   n       summary, if flagged: the rest
 *
 * Invariant: every byte is accounted for. A flag that a reader does not know may change what the
 * rest means, so it refuses the row (`POINTER_ROW_UNSUPPORTED`) rather than guess. Integrity is the
 * engine's: log frames and table blocks carry checksums.
 *
 * Example: version 300 by writer "w", blob path "b", summary 0a 01, 18 bytes:
 *
 *   01 06 2c01000000000000
 *   0100 77
 *   0100 62
 *   0a01
 */

const FORMAT = 1;
const TOMBSTONE = 1;
const BLOB_PATH = 2;
const SUMMARY = 4;
const KNOWN_FLAGS = TOMBSTONE | BLOB_PATH | SUMMARY;
const HEAD_BYTES = 10;
const TIME_BYTES = 8;
const LENGTH_BYTES = 2;
const MAX_TEXT_BYTES = 0xffff;

/** @throws FirnError `Invalid`, code `POINTER_ROW_TOO_LARGE`: a text over 65,535 bytes. */
export function encodeRow(item: StoredItem): Uint8Array {
  assert(item.version > 0n, "what is stored has a version: `decodeRow` refuses 0");
  const dead = item.state === "absent";
  const blobPath = dead ? undefined : item.blobPath;
  const summary = dead ? undefined : item.summary;
  const writerBytes = textBytes(item.writerId);
  const pathBytes = blobPath === undefined ? 0 : textBytes(blobPath);
  const row = Buffer.alloc(
    HEAD_BYTES +
      (dead ? TIME_BYTES : 0) +
      LENGTH_BYTES +
      writerBytes +
      (blobPath === undefined ? 0 : LENGTH_BYTES + pathBytes) +
      (summary?.length ?? 0),
  );
  row[0] = FORMAT;
  row[1] =
    (dead ? TOMBSTONE : 0) |
    (blobPath === undefined ? 0 : BLOB_PATH) |
    (summary === undefined ? 0 : SUMMARY);
  let at = row.writeBigUInt64LE(item.version, 2);
  if (dead) at = row.writeBigUInt64LE(BigInt(item.deadUntilMs), at);
  at = row.writeUInt16LE(writerBytes, at);
  at += row.write(item.writerId, at, "utf8");
  if (blobPath !== undefined) {
    at = row.writeUInt16LE(pathBytes, at);
    at += row.write(blobPath, at, "utf8");
  }
  if (summary !== undefined) row.set(summary, at);
  return row;
}

/**
 * The pointer of a row. Nothing of `bytes` is kept.
 *
 * @throws FirnError `Corrupt`, code `POINTER_ROW_CORRUPT`; `Unavailable`, code
 *   `POINTER_ROW_UNSUPPORTED`: a newer version wrote it. Both name the key.
 */
export function decodeRow(key: string, bytes: Uint8Array): StoredItem {
  const row = new RowReader(key, bytes);
  const flags = row.head();
  const version = row.u64();
  const deadUntilMs = (flags & TOMBSTONE) === 0 ? undefined : Number(row.u64());
  const writerId = row.text();
  const blobPath = (flags & BLOB_PATH) === 0 ? undefined : row.text();
  const summary = (flags & SUMMARY) === 0 ? undefined : row.rest();
  row.assertEnd();
  if (version === 0n) throw row.corrupt("version 0");
  if (deadUntilMs === undefined) {
    return {
      state: "live",
      key,
      version,
      writerId,
      ...(blobPath !== undefined && { blobPath }),
      ...(summary !== undefined && { summary }),
    };
  }
  if (blobPath !== undefined || summary !== undefined)
    throw row.corrupt("a tombstone of something");
  return { state: "absent", key, version, writerId, deadUntilMs };
}

/** Whether a row is a tombstone, by its head alone: lists pass thousands of them. */
export function isTombstoneRow(bytes: Uint8Array): boolean {
  return bytes[0] === FORMAT && bytes[1] === TOMBSTONE;
}

/** What a key holds: nothing stored means version 0. */
export function itemOfRow(key: string, bytes: Uint8Array | undefined): Item {
  return bytes === undefined ? { state: "absent", key, version: 0n } : decodeRow(key, bytes);
}

/** Reads a row from its start to its end. */
class RowReader {
  readonly #key: string;
  readonly #bytes: Buffer;
  #at = 0;

  constructor(key: string, bytes: Uint8Array) {
    this.#key = key;
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** @returns the flags. */
  head(): number {
    const start = this.#take(2);
    const format = this.#bytes[start] as number;
    const flags = this.#bytes[start + 1] as number;
    if (format === FORMAT && (flags & ~KNOWN_FLAGS) === 0) return flags;
    const context = { key: this.#key, format, flags };
    const message = "a pointer that a newer version wrote";
    throw new FirnError("Unavailable", "POINTER_ROW_UNSUPPORTED", message, context);
  }

  u64(): bigint {
    return this.#bytes.readBigUInt64LE(this.#take(8));
  }

  text(): string {
    const bytes = this.#bytes.readUInt16LE(this.#take(LENGTH_BYTES));
    const start = this.#take(bytes);
    return this.#bytes.toString("utf8", start, start + bytes);
  }

  rest(): Uint8Array {
    const start = this.#take(this.#bytes.length - this.#at);
    return new Uint8Array(this.#bytes.subarray(start));
  }

  assertEnd(): void {
    if (this.#at !== this.#bytes.length) throw this.corrupt("bytes behind the end");
  }

  corrupt(what: string): FirnError {
    const context = { key: this.#key, offset: this.#at };
    return new FirnError("Corrupt", "POINTER_ROW_CORRUPT", `stored pointer: ${what}`, context);
  }

  #take(count: number): number {
    const start = this.#at;
    if (start + count > this.#bytes.length) throw this.corrupt("it ends early");
    this.#at += count;
    return start;
  }
}

function textBytes(text: string): number {
  const bytes = Buffer.byteLength(text, "utf8");
  if (bytes <= MAX_TEXT_BYTES) return bytes;
  const facts = { bytes, limit: MAX_TEXT_BYTES };
  throw invalid("POINTER_ROW_TOO_LARGE", "text of a pointer too long", facts);
}
