import { assert } from "../../base/assert.ts";
import { type FirnError, invalid } from "../../base/error.ts";
import type { Compression } from "../format/block-frame.ts";
import type { EntryBytes } from "../format/cursor.ts";
import { APART, bytesOfKey, END_OF_KEYS, type Kind, PUT } from "../format/entry.ts";
import type { PrefixRule } from "../format/prefix-filter.ts";
import type { SstMeta } from "../format/sst-meta.ts";
import { SstWriter } from "../format/sst-writer.ts";
import type { Ulid } from "../format/ulid.ts";
import { encodeValue, referenceTo, withValue } from "../format/value-reference.ts";
import type { KeyBounds } from "./bounds.ts";
import { isSameKey, type KeyRanges, sortedOrder } from "./sort-order.ts";

/** The sequence of all entries in the file of an ingested table: it gets its own when published. */
export const INGEST_SEQUENCE = 1;

/** Rows in one array, each a key and, right behind it, its value. */
export interface SortableRows {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Where the key of each row ends, and its value; the first row begins at 0. */
  readonly keyEnds: Uint32Array<ArrayBuffer>;
  readonly valueEnds: Uint32Array<ArrayBuffer>;
}

/** Rows, in any order, that are to become a table. Plain data: it goes to another thread. */
export interface SortSpec {
  readonly id: Ulid;
  readonly rows: SortableRows;
  /** All keys lie within them; ascending, none meets another. */
  readonly ranges: readonly KeyBounds[];
  readonly compression: Compression;
  readonly blockBytes: number;
  readonly prefixes: PrefixRule | undefined;
  /** Longer values go apart, each under one of these ids: there are as many. */
  readonly inlineValueBytes: number;
  readonly valueIds: readonly Ulid[];
}

export interface SortedTable {
  readonly meta: SstMeta;
  /** The file. */
  readonly chunks: readonly Uint8Array<ArrayBuffer>[];
  /** Objects of values that the table refers to. */
  readonly values: readonly SortedValue[];
}

export interface SortedValue {
  readonly id: Ulid;
  readonly object: Uint8Array<ArrayBuffer>;
}

/** Rows whose values go apart. */
export function longRows(
  { keyEnds, valueEnds }: Pick<SortableRows, "keyEnds" | "valueEnds">,
  inlineValueBytes: number,
): number {
  let rows = 0;
  for (let row = 0; row < keyEnds.length; row++) {
    if ((valueEnds[row] as number) - (keyEnds[row] as number) > inlineValueBytes) rows++;
  }
  return rows;
}

/** What of a key an error shows. */
const SHOWN_BYTES = 64;

/**
 * Sorts rows into a table.
 *
 * @throws FirnError `Invalid`, codes `LSM_INGEST_DUPLICATE_KEY`, `LSM_INGEST_OUT_OF_RANGE`.
 */
export function sortRows(spec: SortSpec): SortedTable {
  const { id, rows, compression, blockBytes, prefixes } = spec;
  const { bytes, keyEnds, valueEnds } = rows;
  assert(keyEnds.length > 0 && keyEnds.length === valueEnds.length, "each row has both its ends");
  assert(valueEnds.at(-1) === bytes.length, "rows fill their array, or one of them was cut");
  const starts = new Uint32Array(keyEnds.length);
  starts.set(valueEnds.subarray(0, -1), 1);
  const keys: KeyRanges = { bytes, starts, ends: keyEnds };
  const writer = new SstWriter(id, { compression, blockBytes, prefixes });
  const assertWithin = rangeCheck(spec.ranges);
  const entry = new RowEntry(bytes);
  const values: SortedValue[] = [];
  let before = -1;
  for (const row of sortedOrder(keys)) {
    const [from, end] = [starts[row] as number, keyEnds[row] as number];
    if (before >= 0 && isSameKey(keys, before, row)) {
      throw duplicate(bytes.subarray(from, end));
    }
    before = row;
    assertWithin(bytes, from, end);
    entry.keyStart = from;
    entry.keyEnd = end;
    entry.valueEnd = valueEnds[row] as number;
    writer.append(longEntry(entry, spec, values) ?? entry);
  }
  assert(values.length === spec.valueIds.length, "each id that was minted is one value's");
  const meta = writer.finish();
  assert(meta.stats.entries === keyEnds.length, "a table holds every row that was to be sorted");
  return { meta, chunks: writer.takeChunks().map(whole), values };
}

/** The entry of a value that goes apart; undefined of a shorter one. */
function longEntry(
  entry: RowEntry,
  { inlineValueBytes, valueIds, compression }: SortSpec,
  values: SortedValue[],
): EntryBytes | undefined {
  const { keySource, keyEnd, valueEnd } = entry;
  if (valueEnd - keyEnd <= inlineValueBytes) return undefined;
  const id = valueIds[values.length];
  assert(id !== undefined, "each value that goes apart has an id");
  const value = keySource.subarray(keyEnd, valueEnd);
  values.push({ id, object: whole(encodeValue(id, value, compression)) });
  return withValue(entry, (PUT | APART) as Kind, referenceTo(id, value));
}

/** A row as a writer of tables takes it: one object for all of them. */
class RowEntry implements EntryBytes {
  readonly keySource: Uint8Array;
  readonly sequence = INGEST_SEQUENCE;
  readonly kind = PUT;
  readonly operator = 0;
  readonly expiresAtMs = 0;
  keyStart = 0;
  keyEnd = 0;
  valueEnd = 0;

  constructor(bytes: Uint8Array) {
    this.keySource = bytes;
  }

  get valueSource(): Uint8Array {
    return this.keySource;
  }

  get valueStart(): number {
    return this.keyEnd;
  }
}

/** For keys that ascend. */
function rangeCheck(
  ranges: readonly KeyBounds[],
): (bytes: Uint8Array, from: number, to: number) => void {
  const bounds = ranges.map(({ from, to }) => ({ from: bytesOfKey(from), to: endOf(to) }));
  let at = 0;
  return (bytes, from, end) => {
    for (; at < bounds.length; at++) {
      const { to } = bounds[at] as (typeof bounds)[number];
      if (to === undefined || compareBytes(bytes, from, end, to) < 0) break;
    }
    const range = bounds[at];
    if (range !== undefined && compareBytes(bytes, from, end, range.from) >= 0) return;
    throw invalid("LSM_INGEST_OUT_OF_RANGE", "a key lies outside the ranges of its ingest", {
      key: shown(bytes.subarray(from, end)),
    });
  };
}

function endOf(to: string): Uint8Array | undefined {
  return to === END_OF_KEYS ? undefined : bytesOfKey(to);
}

/** Compares [from, to) of some bytes with others. */
function compareBytes(bytes: Uint8Array, from: number, to: number, other: Uint8Array): number {
  const most = Math.min(to - from, other.length);
  for (let i = 0; i < most; i++) {
    const difference = (bytes[from + i] as number) - (other[i] as number);
    if (difference !== 0) return difference;
  }
  return to - from - other.length;
}

/** Two rows of one ingest have the same key. */
export function duplicate(key: Uint8Array | undefined): FirnError {
  const context = key === undefined ? {} : { key: shown(key) };
  const message = "two rows of one ingest have the same key: leave one of them out";
  return invalid("LSM_INGEST_DUPLICATE_KEY", message, context);
}

function shown(key: Uint8Array): string {
  return Buffer.from(key.subarray(0, SHOWN_BYTES)).toString("hex");
}

/** An array changes hands as a whole. */
function whole(chunk: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, length } = chunk;
  return buffer instanceof ArrayBuffer && 2 * length >= buffer.byteLength
    ? new Uint8Array(buffer, byteOffset, length)
    : new Uint8Array(chunk);
}
