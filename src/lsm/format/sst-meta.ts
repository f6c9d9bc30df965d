import { assert } from "../../base/assert.ts";
import { END_OF_KEYS, type Key, type Sequence } from "./entry.ts";
import { EXPIRY, FILTER_PARTS, MERGES, RANGES, VALUES_APART } from "./features.ts";
import { type FieldReader, FieldWriter, type UnknownFields } from "./fields.ts";
import { isHome } from "./home.ts";
import { bytesOfUlid, ULID_BYTES, type Ulid, ulidOfBytes } from "./ulid.ts";

/*
 * What is known of a table without its blocks, as fields (`fields.ts`). The statistics stand in the
 * table itself and again, inside its description, in the manifest.
 *
 * Statistics:                              Description:
 *
 *   1 number of entries                      1 id, 16 bytes
 *   2 of those, deletions                    2 bytes of the file
 *   3 number of distinct keys                3 bytes of its tail
 *   4 first key                              4 statistics
 *   5 last key                               5 prefix of the shard with which its file lies,
 *                                              if that is another one
 *                                            6 sequence of all its entries, if it was ingested: the
 *                                              file was written before that was known
 *                                            7 statistics of the file, where a compaction has
 *                                              taken its first keys: 4 is then of the rest
 *   6 smallest sequence
 *   7 largest sequence
 *   8 bytes of keys and values as given
 *   9 number of data blocks
 *   10 merges, if any
 *   11 stretches of range tombstones, if any
 *   12 earliest expiry, ms, if any
 *   14 latest expiry, if any
 *   15 entries that expire, if any
 *   13 ids of values apart, 16 bytes each, in the order of their entries: in the table alone
 *   16 parts of the index that have filters, if any
 *   17 values apart, if any
 *   18 their bytes
 *
 * Keys and sequences are those of the entries and of the range tombstones together. The last key is
 * then the first one behind the last tombstone, if no entry lies there or further on, and is left
 * out where that has no end. A table of tombstones alone has no entries, keys and blocks.
 *
 * Example: the statistics of put("a", 1, "x"), 24 bytes:
 *
 *   01 01 01  02 01 00  03 01 01  04 01 61  05 01 61  06 01 01  07 01 01  08 01 02
 *   09 01 01
 */

export interface SstStats {
  readonly entries: number;
  readonly deletions: number;
  readonly keys: number;
  readonly firstKey: Key;
  readonly lastKey: Key;
  readonly minSequence: Sequence;
  readonly maxSequence: Sequence;
  /** Bytes of keys and values as they were given, before any encoding. */
  readonly rawBytes: number;
  readonly dataBlocks: number;
  readonly merges: number;
  /** Stretches of keys that range tombstones cover. */
  readonly ranges: number;
  /** Entries that expire, and when the first and the last of them do; 0 where there are none. */
  readonly expiring: number;
  readonly firstExpiryMs: number;
  readonly lastExpiryMs: number;
  /** Parts of its index where each has a filter; 0: one filter at most, in the tail. */
  readonly filterParts: number;
  /** Entries whose values are objects apart, and the bytes of these. */
  readonly apart: number;
  readonly apartBytes: number;
  readonly unknown: UnknownFields;
}

/** A table file as the manifest lists it. */
export interface SstMeta {
  readonly id: Ulid;
  /** Bytes of the file, which is what it costs to store. */
  readonly fileBytes: number;
  /** Bytes at its end that open it: one suffix read of this length. */
  readonly tailBytes: number;
  readonly stats: SstStats;
  /** Prefix of the shard that wrote it, of which this one is a clone; absent: it is our own. */
  readonly home?: string | undefined;
  /**
   * Of an ingested table: the sequence of all its entries, whatever its file says. The statistics
   * here have it too.
   */
  readonly sequence?: Sequence | undefined;
  /**
   * Statistics of the whole file, where a compaction has taken what lies below a bound. `stats` is
   * then of the rest, which begins at its first key: what the file holds below that is not read.
   * Entries are counted, the other counts in proportion to them.
   */
  readonly whole?: SstStats | undefined;
  readonly unknown: UnknownFields;
}

/** The first key of a table that is read; empty: all of its file is. */
export function lowerBound({ whole, stats }: Pick<SstMeta, "whole" | "stats">): Key {
  return whole === undefined ? "" : stats.firstKey;
}

/** Of the file, the bytes that are still read, about: more than none, as its tombstones are. */
export function liveBytes({ fileBytes, whole, stats }: SstMeta): number {
  if (whole === undefined || whole.entries === 0) return fileBytes;
  return Math.max(1, Math.ceil((fileBytes * stats.entries) / whole.entries));
}

/**
 * A table of which what lies below a bound is not read any more.
 *
 * @param entries that are left: there may be none, where range tombstones reach beyond the bound.
 */
export function cutBelow(meta: SstMeta, from: Key, entries: number): SstMeta {
  const { stats } = meta;
  const isWithin = stats.firstKey < from && from <= stats.lastKey;
  assert(isWithin, "a bound leaves something of a table, and not all");
  const isCounted = entries <= stats.entries && (entries > 0 || stats.ranges > 0);
  assert(isCounted, "what is left of a table is no more than there was, and something");
  const share = stats.entries === 0 ? 0 : entries / stats.entries;
  const some = (count: number): number => Math.floor(count * share);
  const least = Math.min(1, entries);
  const expiring = stats.expiring === 0 ? 0 : Math.max(least, some(stats.expiring));
  const left: SstStats = {
    ...stats,
    entries,
    deletions: some(stats.deletions),
    keys: Math.max(least, some(stats.keys)),
    firstKey: from,
    rawBytes: some(stats.rawBytes),
    dataBlocks: Math.max(least, some(stats.dataBlocks)),
    merges: some(stats.merges),
    expiring,
    firstExpiryMs: expiring === 0 ? 0 : stats.firstExpiryMs,
    lastExpiryMs: expiring === 0 ? 0 : stats.lastExpiryMs,
    ...apartOf(stats, entries),
  };
  return { ...meta, stats: left, whole: meta.whole ?? stats };
}

/** What lies apart of so many entries that are left: something, as long as anything may. */
function apartOf(
  { entries: all, apart, apartBytes }: SstStats,
  entries: number,
): Pick<SstStats, "apart" | "apartBytes"> {
  const some = (count: number): number => Math.ceil((count * entries) / Math.max(1, all));
  return { apart: some(apart), apartBytes: some(apartBytes) };
}

/** @param apartIds of the values apart, which only the table itself lists. */
export function encodeStats(stats: SstStats, apartIds: readonly Uint8Array[] = []): Uint8Array {
  assert(stats.firstKey <= stats.lastKey, "a table ends behind its beginning");
  assert(stats.minSequence <= stats.maxSequence, "sequences of a table have a least and a most");
  assert(stats.keys <= stats.entries, "each key of a table has a version");
  const fields = new FieldWriter()
    .number(1, stats.entries)
    .number(2, stats.deletions)
    .number(3, stats.keys)
    .key(4, stats.firstKey)
    .number(6, stats.minSequence)
    .number(7, stats.maxSequence)
    .number(8, stats.rawBytes)
    .number(9, stats.dataBlocks)
    .optionalNumber(10, unlessZero(stats.merges))
    .optionalNumber(11, unlessZero(stats.ranges))
    .optionalNumber(12, unlessZero(stats.firstExpiryMs))
    .optionalNumber(14, unlessZero(stats.lastExpiryMs))
    .optionalNumber(15, unlessZero(stats.expiring))
    .optionalNumber(16, unlessZero(stats.filterParts))
    .optionalNumber(17, unlessZero(stats.apart))
    .optionalNumber(18, unlessZero(stats.apartBytes))
    .unknown(stats.unknown);
  for (const id of apartIds) fields.bytes(13, id);
  if (stats.lastKey !== END_OF_KEYS) fields.key(5, stats.lastKey);
  return fields.finish();
}

function unlessZero(count: number): number | undefined {
  return count === 0 ? undefined : count;
}

/** @throws FirnError `Corrupt`, as the reader's fault makes it. */
export function decodeStats(fields: FieldReader): SstStats {
  const stats = {
    entries: fields.number(1),
    deletions: fields.number(2),
    keys: fields.number(3),
    firstKey: fields.key(4),
    lastKey: fields.optionalKey(5) ?? END_OF_KEYS,
    minSequence: fields.number(6),
    maxSequence: fields.number(7),
    rawBytes: fields.number(8),
    dataBlocks: fields.number(9),
    merges: fields.optionalNumber(10) ?? 0,
    ranges: fields.optionalNumber(11) ?? 0,
    firstExpiryMs: fields.optionalNumber(12) ?? 0,
    lastExpiryMs: fields.optionalNumber(14) ?? 0,
    expiring: fields.optionalNumber(15) ?? 0,
    filterParts: fields.optionalNumber(16) ?? 0,
    apart: fields.optionalNumber(17) ?? 0,
    apartBytes: fields.optionalNumber(18) ?? 0,
    unknown: fields.unknown(),
  };
  const { entries, deletions, keys, dataBlocks, ranges, merges, expiring } = stats;
  const counted =
    keys <= entries &&
    deletions + merges <= entries &&
    dataBlocks <= entries &&
    expiring <= entries &&
    stats.apart + deletions + merges <= entries;
  const whole = entries === 0 ? ranges > 0 : keys > 0 && dataBlocks > 0;
  const ended = ranges > 0 || stats.lastKey !== END_OF_KEYS;
  const ordered = stats.firstKey <= stats.lastKey && stats.minSequence <= stats.maxSequence;
  const { firstExpiryMs, lastExpiryMs } = stats;
  const timed = expiring > 0 ? firstExpiryMs > 0 && firstExpiryMs <= lastExpiryMs : !lastExpiryMs;
  if (!counted || !whole || !ended || !ordered || !timed || stats.firstKey === "") {
    throw fields.fault("statistics contradict themselves");
  }
  return stats;
}

/** What a reader of a table with these statistics has to know (`features.ts`). */
export function featuresOf({ merges, ranges, expiring, filterParts, apart }: SstStats): number {
  const ofPuts = (expiring > 0 ? EXPIRY : 0) | (apart > 0 ? VALUES_APART : 0);
  const ofEntries = (merges > 0 ? MERGES : 0) | ofPuts;
  return ofEntries | (ranges > 0 ? RANGES : 0) | (filterParts > 0 ? FILTER_PARTS : 0);
}

/**
 * Descriptions as they are stored. Each state of a shard names most tables of the one before: to
 * encode thousands of them again for each would hold the event loop for a tenth of a second.
 */
const STORED = new WeakMap<SstMeta, Uint8Array>();

/** Never write to what it answers: it is answered again. */
export function encodeSstMeta(meta: SstMeta): Uint8Array {
  const known = STORED.get(meta);
  if (known !== undefined) return known;
  const bytes = encode(meta);
  STORED.set(meta, bytes);
  return bytes;
}

function encode(meta: SstMeta): Uint8Array {
  assert(meta.tailBytes <= meta.fileBytes, "the tail is part of the file");
  const fields = new FieldWriter()
    .bytes(1, bytesOfUlid(meta.id))
    .number(2, meta.fileBytes)
    .number(3, meta.tailBytes)
    .bytes(4, encodeStats(meta.stats))
    .unknown(meta.unknown);
  if (meta.home !== undefined) fields.text(5, meta.home);
  if (meta.sequence !== undefined) fields.number(6, meta.sequence);
  if (meta.whole !== undefined) fields.bytes(7, encodeStats(meta.whole));
  return fields.finish();
}

/** Whether statistics may be of what is left of a file, of which the others are. */
function isRest(stats: SstStats, whole: SstStats): boolean {
  return (
    whole.firstKey < stats.firstKey &&
    whole.lastKey === stats.lastKey &&
    stats.entries <= whole.entries
  );
}

/** @throws FirnError `Corrupt`, as the reader's fault makes it. */
export function decodeSstMeta(fields: FieldReader): SstMeta {
  const id = fields.bytes(1);
  if (id.length !== ULID_BYTES) throw fields.fault("id has not 16 bytes");
  const fileBytes = fields.number(2);
  const tailBytes = fields.number(3);
  const stats = fields.record(4, decodeStats);
  if (stats === undefined || tailBytes > fileBytes) throw fields.fault("table without its extent");
  const home = fields.optionalText(5);
  if (home !== undefined && !isHome(home)) throw fields.fault("no shard can lie there");
  const sequence = fields.optionalNumber(6);
  const { minSequence, maxSequence } = stats;
  if (sequence !== undefined && (minSequence !== sequence || maxSequence !== sequence)) {
    throw fields.fault("an ingested table with another sequence");
  }
  const whole = fields.record(7, decodeStats);
  if (whole !== undefined && !isRest(stats, whole)) throw fields.fault("no rest of its file");
  const extent = { fileBytes, tailBytes, stats };
  // Without the name of a field that it has not: that is how it is described elsewhere.
  const place = {
    ...(home === undefined ? {} : { home }),
    ...(sequence === undefined ? {} : { sequence }),
    ...(whole === undefined ? {} : { whole }),
  };
  const meta: SstMeta = { id: ulidOfBytes(id), ...extent, ...place, unknown: fields.unknown() };
  STORED.set(meta, Buffer.from(fields.stored));
  return meta;
}
