import { assert } from "../../base/assert.ts";
import { END_OF_KEYS, type Key } from "../format/entry.ts";
import type { IndexBlock } from "../format/index-block.ts";
import { liveBytes, type SstMeta } from "../format/sst-meta.ts";
import { bytesOf, type SortedTables } from "./plan.ts";

/** Bytes that lie about at a key. */
export interface Point {
  readonly key: Key;
  readonly bytes: number;
}

/** What bounds the number of subranges of a merge. */
export interface CutOptions {
  /** As many as get on at once. */
  readonly width: number;
  /** Of input, for each of them at least. */
  readonly subrangeBytes: number;
  /** What is merged of the input, at most. */
  readonly mostBytes: number;
  /** Windows of all inputs have to have room, each of so many bytes at least. */
  readonly roomBytes: number;
  readonly leastWindowBytes: number;
}

/** A merge holds two windows of each input; one that fills as another is read. */
const WINDOWS = 4;
/** A table that makes up this share of a subrange of an input is looked into. */
const LOOK_SHARE = 1 / 4;
/** How finely, as a share of the same. */
const GRAIN_SHARE = 1 / 8;

/** What is asked for of each input at once, where so many inputs share the room. */
export function windowBytesOf(roomBytes: number, inputs: number): number {
  assert(inputs > 0, "a merge has an input, which needs a window");
  return Math.ceil(roomBytes / inputs / WINDOWS);
}

/** Into how many subranges a merge is cut; 1: it stays whole. */
export function subrangesOf(inputs: readonly SortedTables[], options: CutOptions): number {
  const { width, subrangeBytes, mostBytes, roomBytes, leastWindowBytes } = options;
  const bytes = Math.min(mostBytes, bytesOf(inputs.flat()));
  const byBytes = Math.floor(bytes / subrangeBytes);
  const byRoom = Math.floor(windowBytesOf(roomBytes, inputs.length) / leastWindowBytes);
  return Math.max(1, Math.min(width, byBytes, byRoom));
}

/** Tables of which their bounds say too little of where their bytes lie. */
export function largeOf(inputs: readonly SortedTables[], subranges: number): readonly SstMeta[] {
  const tables = inputs.flat();
  const most = shareOf(inputs, subranges) * LOOK_SHARE;
  return tables.filter((meta) => liveBytes(meta) > most && meta.stats.entries > 0);
}

/**
 * The tables that say where the first bytes of the inputs end: they, and what lies among them, hold
 * so many before the first key of the others.
 */
export function firstOf(inputs: readonly SortedTables[], bytes: number): readonly SortedTables[] {
  const sorted = inputs.flat().toSorted((a, b) => compareKeys(a.stats.firstKey, b.stats.firstKey));
  let reaching: SstMeta[] = [];
  let below = 0;
  for (const [i, table] of sorted.entries()) {
    reaching.push(table);
    const next = sorted[i + 1]?.stats.firstKey;
    if (next === undefined) break;
    const left = reaching.filter(({ stats }) => stats.lastKey >= next);
    below += bytesOf(reaching) - bytesOf(left);
    reaching = left;
    if (below < bytes) continue;
    const isFirst = ({ stats }: SstMeta): boolean => stats.firstKey < next;
    return inputs.map((tables) => tables.filter(isFirst)).filter((tables) => tables.length > 0);
  }
  return inputs;
}

/** Of a table that is not looked into. */
export function pointsOfBounds(meta: SstMeta): readonly Point[] {
  const { firstKey, lastKey } = meta.stats;
  return ends(firstKey, lastKey, liveBytes(meta));
}

/** Of a table whose index is in memory: its blocks, or parts of its index with what lies below. */
export function pointsOfIndex(
  index: IndexBlock,
  { fileBytes, stats }: SstMeta,
  grainBytes: number,
): readonly Point[] {
  const points: Point[] = [];
  const scale = fileBytes / Math.max(1, index.end - index.start);
  let from = stats.firstKey;
  let bytes = 0;
  for (let entry = 0; entry < index.count; entry++) {
    const to = index.separators[entry] as Key;
    if (to < from) continue;
    bytes += index.bytes(entry) * scale;
    if (bytes < grainBytes && entry + 1 < index.count) continue;
    points.push(...ends(from, to, bytes));
    [from, bytes] = [to, 0];
  }
  return points;
}

/** Where between two keys bytes lie is not known: half of them at each is wrong either way. */
function ends(from: Key, to: Key, bytes: number): readonly Point[] {
  return [from, to].map((key) => ({ key, bytes: bytes / 2 }));
}

/** So fine that cuts can be told apart, and no finer: what is sorted is sorted in one turn. */
export function grainOf(inputs: readonly SortedTables[], subranges: number): number {
  return shareOf(inputs, subranges) * GRAIN_SHARE;
}

/** Of an input in a subrange. A cut goes through one table of each input at most. */
function shareOf(inputs: readonly SortedTables[], subranges: number): number {
  return bytesOf(inputs.flat()) / subranges / inputs.length;
}

/**
 * Where a merge is cut so that about as many bytes lie between two cuts; ascending, each within the
 * keys of the inputs. Fewer, where that many bytes lie at one key.
 */
export function cutsOf(points: readonly Point[], subranges: number): readonly Key[] {
  const sorted = points.toSorted((a, b) => compareKeys(a.key, b.key));
  const all = sorted.reduce((sum, { bytes }) => sum + bytes, 0);
  const cuts: Key[] = [];
  let before = 0;
  let due = all / subranges;
  for (const { key, bytes } of sorted) {
    if (cuts.length + 1 === subranges) break;
    before += bytes;
    // Nothing lies before the first of the keys, behind the last, or between two cuts that are one.
    const isWithin = key > (cuts.at(-1) ?? sorted[0]?.key ?? "") && key < END_OF_KEYS;
    if (before < due || !isWithin) continue;
    cuts.push(key);
    due = before + (all - before) / (subranges - cuts.length);
  }
  assert(cuts.length < subranges, "cuts are one fewer than what they part");
  return cuts;
}

function compareKeys(a: Key, b: Key): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
