import { assert } from "../../base/assert.ts";
import { ENTRY, type MissingBlock } from "../format/cursor.ts";
import { DataBlockCursor } from "../format/data-block-cursor.ts";
import { DELETE, END_OF_KEYS, type Key, MAX_SEQUENCE, type Sequence } from "../format/entry.ts";
import type { IndexBlock } from "../format/index-block.ts";
import type { RangeMap } from "../format/range-map.ts";
import { liveBytes } from "../format/sst-meta.ts";
import type { Maybe } from "../maybe.ts";
import type { Memtable } from "../memtable/memtable.ts";
import type { Bounds } from "../range.ts";
import { RangeCover } from "./covered-cursor.ts";
import type { ReadViews, SharedView } from "./read-view.ts";
import type { SsTable } from "./ss-table.ts";
import type { TableCache } from "./table-cache.ts";

/** How much a range holds, about: see `Engine.estimate`. */
export interface RangeEstimate {
  /** Rows. */
  readonly entries: number;
  /** Bytes of their keys and values. */
  readonly bytes: number;
  /** Distinct values of the first `prefixBytes` bytes of their keys; 0 unless asked for. */
  readonly distinctPrefixes: number;
}

/** What one memtable, table or run holds of a range. */
interface Part {
  readonly keys: number;
  /** Of the keys, those whose newest version deletes. */
  readonly deletions: number;
  readonly bytes: number;
  readonly prefixes: number;
  readonly first: Key;
  readonly last: Key;
}

interface Counted {
  /** Within the bounds; the bytes are those of the newest version of each key. */
  keys: number;
  deletions: number;
  bytes: number;
  /** In the whole block: what says how often prefixes change. */
  allKeys: number;
  changes: number;
}

/** Estimates of ranges: counted in the blocks at its ends, by bytes of blocks between them. */
export class Estimates {
  readonly #tables: TableCache;
  readonly #views: ReadViews;
  readonly #cursor = new DataBlockCursor();

  constructor(tables: TableCache, views: ReadViews) {
    this.#tables = tables;
    this.#views = views;
  }

  estimate(view: SharedView, bounds: Bounds, prefixBytes: number): Maybe<RangeEstimate> {
    const missing: MissingBlock[] = [];
    const found = this.#estimate(view, bounds, prefixBytes, missing);
    return missing.length === 0 ? found : this.#wait(view, bounds, prefixBytes, missing);
  }

  async #wait(
    view: SharedView,
    bounds: Bounds,
    prefixBytes: number,
    first: readonly MissingBlock[],
  ): Promise<RangeEstimate> {
    const held = [this.#views.pin(view)];
    try {
      for (let missing = [...first]; ; ) {
        held.push(await this.#tables.load(missing));
        missing = [];
        const found = this.#estimate(view, bounds, prefixBytes, missing);
        if (missing.length === 0) return found;
      }
    } finally {
      for (const letGo of held) letGo();
    }
  }

  #estimate(
    view: SharedView,
    bounds: Bounds,
    prefixBytes: number,
    missing: MissingBlock[],
  ): RangeEstimate {
    const sources: Part[] = [];
    const { from, to } = bounds;
    const deleted = new Deleted(bounds);
    for (const memtable of [view.active, ...view.frozen]) {
      deleted.add(memtable.ranges);
      const keys = deleted.hides(memtable.maxSequence) ? 0 : memtable.keysWithin(from, to);
      if (keys > 0) sources.push(partOfMemtable(memtable, keys, bounds, prefixBytes));
    }
    for (const run of [...view.l0.map((table) => [table]), ...view.runs.map((r) => r.tables)]) {
      const tables = run.filter(({ meta: { stats } }) => {
        return stats.lastKey >= from && (to === undefined || stats.firstKey < to);
      });
      for (const table of tables) {
        if (table.meta.stats.ranges === 0) continue;
        if (table.open === undefined) missing.push(table.missingTail);
        else deleted.add(table.open.sst.ranges);
      }
      const parts = tables
        .filter(({ meta: { stats } }) => stats.entries > 0 && !deleted.hides(stats.maxSequence))
        .map((table) => this.#partOf(table, bounds, prefixBytes, missing))
        .filter((part) => part !== undefined);
      if (parts.length > 0) sources.push(joined(parts));
    }
    return total(sources.filter(({ keys }) => keys > 0));
  }

  /** Undefined where something is missing. */
  #partOf(
    table: SsTable,
    bounds: Bounds,
    prefixBytes: number,
    missing: MissingBlock[],
  ): Part | undefined {
    const { stats } = table.meta;
    const { from, to } = bounds;
    const isWhole = stats.firstKey >= from && (to === undefined || stats.lastKey < to);
    const limits = {
      first: stats.firstKey > from ? stats.firstKey : from,
      last: to === undefined || stats.lastKey < to ? stats.lastKey : to,
    };
    const { keys, deletions, rawBytes, entries } = stats;
    if (isWhole && prefixBytes === 0) {
      return { keys, deletions, bytes: (rawBytes * keys) / entries, prefixes: 0, ...limits };
    }
    if (table.open === undefined) {
      missing.push(table.missingTail);
      return undefined;
    }
    const { index } = table.open.sst;
    const low = placeOf(table, index, limits.first, missing);
    const high = placeOf(table, index, to ?? END_OF_KEYS, missing);
    if (low === undefined || high === undefined) return undefined;
    const ends = low.offset === high.offset ? [low] : [low, high];
    const counted: Counted = { keys: 0, deletions: 0, bytes: 0, allKeys: 0, changes: 0 };
    const before = missing.length;
    for (const { offset, bytes } of ends) {
      const block = table.data(offset);
      if (block === undefined) missing.push({ file: table.meta.id, kind: "data", offset, bytes });
      else this.#count(block, { from: limits.first, to }, prefixBytes, counted);
    }
    if (missing.length > before) return undefined;
    const indexBytes = index.level === 0 ? 0 : index.end - index.start;
    const fileBytes = index.level === 0 ? index.end - index.start : table.tailAt - indexBytes;
    const dataBytes = (fileBytes * liveBytes(table.meta)) / table.meta.fileBytes;
    assert(dataBytes > 0, "a table with entries has blocks");
    const between = Math.min(1, Math.max(0, high.offset - low.offset - low.bytes) / dataBytes);
    const partKeys = counted.keys + between * keys;
    const pairs = Math.max(1, counted.allKeys - ends.length);
    return {
      keys: partKeys,
      deletions: counted.deletions + between * deletions,
      bytes: counted.bytes + (between * keys * rawBytes) / entries,
      prefixes:
        prefixBytes === 0
          ? 0
          : (ofSeparators(leavesOf(table, index, bounds), bounds, prefixBytes) ??
            distinct(partKeys, counted.changes / pairs)),
      ...limits,
    };
  }

  /** The keys of a block, those within bounds apart. */
  #count(
    block: Parameters<DataBlockCursor["reset"]>[0],
    { from, to }: Bounds,
    prefixBytes: number,
    into: Counted,
  ): void {
    const cursor = this.#cursor;
    cursor.reset(block);
    let before: Key | undefined;
    for (let goesOn = cursor.first(); goesOn; goesOn = cursor.next()) {
      const { key } = cursor;
      if (key === before) continue;
      into.allKeys++;
      if (before !== undefined && !isAlike(key, before, prefixBytes)) into.changes++;
      before = key;
      if (key < from || (to !== undefined && key >= to)) continue;
      into.keys++;
      into.bytes += key.length + cursor.valueEnd - cursor.valueStart;
      if (cursor.kind === DELETE) into.deletions++;
    }
  }
}

interface BlockPlace {
  readonly offset: number;
  readonly bytes: number;
}

/** What range tombstones of newer sources delete of all of the bounds. */
class Deleted {
  readonly #bounds: Bounds;
  readonly #ranges: RangeMap[] = [];

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  add(ranges: RangeMap | undefined): void {
    if (ranges !== undefined) this.#ranges.push(ranges);
  }

  hides(maxSequence: Sequence): boolean {
    if (this.#ranges.length === 0) return false;
    const cover = new RangeCover(this.#ranges, MAX_SEQUENCE);
    const deletedAt = cover.over(this.#bounds.from);
    return deletedAt >= maxSequence && cover.to >= (this.#bounds.to ?? END_OF_KEYS);
  }
}

/** The block that a key lies in or would; behind all, the last one. Undefined: it is missing. */
function placeOf(
  table: SsTable,
  index: IndexBlock,
  key: Key,
  missing: MissingBlock[],
): BlockPlace | undefined {
  const place = entryOf(index, key);
  if (index.level === 0) return place;
  const leaf = table.index(place.offset);
  if (leaf !== undefined) return entryOf(leaf, key);
  missing.push({ file: table.meta.id, kind: "index", ...place });
  return undefined;
}

function entryOf(index: IndexBlock, key: Key): BlockPlace {
  const entry = Math.min(index.count - 1, index.find(key, MAX_SEQUENCE));
  return { offset: index.offset(entry), bytes: index.bytes(entry) };
}

/** Of keys in order: the share of them that begin with other bytes than the one before. */
function distinct(keys: number, changing: number): number {
  return keys === 0 ? 0 : 1 + changing * (keys - 1);
}

/** The index of the blocks within bounds, or the parts at both ends and how many lie between. */
interface Leaves {
  readonly ends: readonly IndexBlock[];
  readonly between: number;
}

/** Both ends are in memory: blocks of them were counted. */
function leavesOf(table: SsTable, index: IndexBlock, { from, to }: Bounds): Leaves {
  if (index.level === 0) return { ends: [index], between: 0 };
  const partOf = (key: Key): number => Math.min(index.count - 1, index.find(key, MAX_SEQUENCE));
  const [low, high] = [partOf(from), partOf(to ?? END_OF_KEYS)];
  const parts = low === high ? [low] : [low, high];
  const leaves = parts.map((part) => table.index(index.offset(part)));
  const ends = leaves.filter((leaf) => leaf !== undefined);
  return { ends, between: high - low + 1 - ends.length };
}

/**
 * As the separators of an index have them: undefined where nearly each of them has its own, so that
 * there may be more between two of them. What lies between two parts is taken to be like them.
 */
function ofSeparators(
  { ends, between }: Leaves,
  { from, to }: Bounds,
  prefixBytes: number,
): number | undefined {
  let steps = 0;
  let changes = 0;
  let within = between * (ends[0]?.count ?? 0);
  for (const leaf of ends) {
    const { separators } = leaf;
    const bounds = [from, to ?? END_OF_KEYS].map((key) => leaf.find(key, MAX_SEQUENCE));
    const [first = 0, last = 0] = bounds.map((entry) => Math.min(leaf.count - 1, entry));
    within += last - first;
    const [low, high] = between === 0 ? [first, last] : [0, leaf.count - 1];
    for (let i = low + 1; i <= high; i++) {
      if (!isAlike(separators[i] as Key, separators[i - 1] as Key, prefixBytes)) changes++;
    }
    assert(low <= high, "a range does not end before it begins");
    steps += high - low;
  }
  if (steps < 4 || changes > 0.8 * steps) return undefined;
  return (changes * within) / steps + 1;
}

/** Of a memtable: a range of so few keys is counted; of more, the first so many are a sample. */
const SAMPLED_KEYS = 256;
/** Versions of one key that no compaction has dropped yet are passed one by one. */
const SAMPLED_ENTRIES = 4 * SAMPLED_KEYS;

/** `keys`: how many keys of the memtable lie within the bounds, at least one. */
function partOfMemtable(
  memtable: Memtable,
  keys: number,
  { from, to }: Bounds,
  prefixBytes: number,
): Part {
  const cursor = memtable.cursor();
  // Of a range that is not counted a sample says how often prefixes change, and nothing else.
  const most = keys <= SAMPLED_KEYS ? keys : prefixBytes === 0 ? 1 : SAMPLED_KEYS;
  const seen = { keys: 0, deletions: 0, bytes: 0, changes: 0 };
  let first: Key | undefined;
  let before: Key | undefined;
  let left = SAMPLED_ENTRIES;
  for (let step = cursor.seek(from); step === ENTRY; step = cursor.next()) {
    if (seen.keys === most || left-- === 0) break;
    const { key } = cursor;
    if (key === before) continue;
    seen.keys++;
    seen.bytes += key.length + cursor.valueEnd - cursor.valueStart;
    if (cursor.kind === DELETE) seen.deletions++;
    if (before !== undefined && !isAlike(key, before, prefixBytes)) seen.changes++;
    before = key;
    first ??= key;
  }
  assert(first !== undefined, "a range that holds keys has a first one");
  const isCounted = seen.keys === keys;
  const share = keys / memtable.keys;
  if ((to === undefined ? cursor.last() : cursor.seekBefore(to)) === ENTRY) before = cursor.key;
  return {
    keys,
    deletions: isCounted ? seen.deletions : Math.min(keys, share * memtable.deletions),
    bytes: isCounted ? seen.bytes : (keys * memtable.rawBytes) / memtable.entries,
    prefixes:
      prefixBytes === 0 ? 0 : distinct(keys, seen.keys < 2 ? 0 : seen.changes / (seen.keys - 1)),
    first,
    last: before as Key,
  };
}

function isAlike(a: Key, b: Key, prefixBytes: number): boolean {
  return a.slice(0, prefixBytes) === b.slice(0, prefixBytes);
}

/** Tables of one run, whose keys are apart. */
function joined(parts: readonly Part[]): Part {
  const sum = (of: (part: Part) => number): number =>
    parts.reduce((all, part) => all + of(part), 0);
  return {
    keys: sum(({ keys }) => keys),
    deletions: sum(({ deletions }) => deletions),
    bytes: sum(({ bytes }) => bytes),
    prefixes: sum(({ prefixes }) => prefixes),
    first: (parts[0] as Part).first,
    last: (parts.at(-1) as Part).last,
  };
}

/** A deletion is not a row, and hides one of an older source. */
function total(sources: readonly Part[]): RangeEstimate {
  let rows = 0;
  let bytes = 0;
  for (const [i, { keys, deletions, bytes: own }] of sources.entries()) {
    const hides = i === sources.length - 1 ? 0 : deletions;
    rows += keys - deletions - hides;
    bytes += keys === 0 ? 0 : (own * (keys - deletions - hides)) / keys;
  }
  const entries = Math.max(0, Math.round(rows));
  const sorted = sources.toSorted((a, b) => (a.first < b.first ? -1 : 1));
  const areApart = sorted.every((part, i) => i === 0 || (sorted[i - 1] as Part).last < part.first);
  const prefixes = sources.map(({ prefixes: own }) => own);
  const all = areApart ? prefixes.reduce((a, b) => a + b, 0) : Math.max(0, ...prefixes);
  return {
    entries,
    bytes: Math.max(0, Math.round(bytes)),
    distinctPrefixes: Math.min(entries, Math.round(all)),
  };
}
