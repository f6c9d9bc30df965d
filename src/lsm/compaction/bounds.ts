import { assert } from "../../base/assert.ts";
import type { EntryBytes } from "../format/cursor.ts";
import { END_OF_KEYS, type Key } from "../format/entry.ts";
import type { Fragment } from "../format/range-map.ts";
import type { SstMeta } from "../format/sst-meta.ts";

/** Keys [from, to). */
export interface KeyBounds {
  /** Empty: from the first key on. */
  readonly from: Key;
  /** `END_OF_KEYS`: up to the last one. */
  readonly to: Key;
}

export const ALL_KEYS: KeyBounds = { from: "", to: END_OF_KEYS };

/** All keys below an end, cut: neighbours meet, and nothing lies between them. */
export function boundsBetween(cuts: readonly Key[], end: Key = END_OF_KEYS): readonly KeyBounds[] {
  const isSorted = cuts.every((cut, i) => cut > (cuts[i - 1] ?? "") && cut < end);
  assert(isSorted, "cuts ascend, so that no subrange is empty and none meets another");
  return [...cuts, end].map((to, i) => ({ from: cuts[i - 1] ?? "", to }));
}

/** Whether a table may say something of keys within the bounds. */
export function meets({ stats }: SstMeta, { from, to }: KeyBounds): boolean {
  return stats.lastKey >= from && stats.firstKey < to;
}

/** What of range tombstones, which are in order, lies within the bounds. */
export function clipped(fragments: readonly Fragment[], bounds: KeyBounds): readonly Fragment[] {
  return fragments
    .filter(({ from, to }) => from < bounds.to && to > bounds.from)
    .map(({ from, to, sequences }) => ({
      from: from < bounds.from ? bounds.from : from,
      to: to > bounds.to ? bounds.to : to,
      sequences,
    }));
}

/** Whether an entry's key comes before a bound, compared where it lies. */
export function isBelow({ keySource, keyStart, keyEnd }: EntryBytes, bound: Uint8Array): boolean {
  const length = keyEnd - keyStart;
  const most = Math.min(length, bound.length);
  for (let i = 0; i < most; i++) {
    const difference = (keySource[keyStart + i] as number) - (bound[i] as number);
    if (difference !== 0) return difference < 0;
  }
  return length < bound.length;
}
