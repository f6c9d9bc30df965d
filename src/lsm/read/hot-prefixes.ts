import type { Key } from "../format/entry.ts";

/** What so many of the latest operations have in common. */
export interface HotPrefix {
  readonly prefix: Key;
  /** Of all operations, those below it: above 0, at most 1. */
  readonly share: number;
  readonly perSecond: number;
  /** Different keys below it that were seen; where few carry it all, it is a hot spot. */
  readonly keys: number;
}

/** What the keys below one prefix of a given length are met for. */
export interface HotGroup extends HotPrefix {
  /** Of the operations below it, those on the key that is met most. */
  readonly topShare: number;
}

/** What has a smaller share is not told of. */
const LEAST_SHARE = 0.05;
const LEAST_GROUP = 0.01;
/** A hot spot: what spreads over more keys than this is load, which a tree bears well. */
const SPOT_KEYS = 8;

/**
 * The prefixes that are met most, the largest share first: hierarchical heavy hitters, which are
 * the longest ones that hold `LEAST_SHARE` of the keys, and shorter ones that hold as much outside
 * those found below them; and of each hot spot the shortest one that means nothing else. What all
 * keys have in common is not news, unless it is a hot spot. At most 2 / `LEAST_SHARE`.
 *
 * @param perSecond operations that `keys` stand for.
 */
export function hotPrefixes(keys: readonly Key[], perSecond: number): readonly HotPrefix[] {
  const sorted = keys.toSorted();
  const least = Math.max(1, Math.ceil(LEAST_SHARE * sorted.length));
  const found: HotPrefix[] = [];
  /** How many of [from, to) are told of. */
  const look = (from: number, to: number, depth: number, inSpot: boolean): number => {
    if (to - from < least) return 0;
    const end = commonLength(sorted[from] as Key, sorted[to - 1] as Key, depth);
    const different = distinct(sorted, from, to);
    const isSpot = different <= SPOT_KEYS;
    let told = 0;
    for (let at = from; at < to; ) {
      const next = endOfBranch(sorted, at, to, end);
      // Keys that end here have no branch below.
      if ((sorted[at] as Key).length > end) told += look(at, next, end + 1, isSpot);
      at = next;
    }
    const isAll = to - from === sorted.length;
    const isNews = to - from - told >= least && !isAll;
    if (!isNews && !(isSpot && !inSpot)) return told;
    const share = (to - from) / sorted.length;
    const prefix = (sorted[from] as Key).slice(0, end);
    found.push({ prefix, share, perSecond: perSecond * share, keys: different });
    return to - from;
  };
  look(0, sorted.length, 0, false);
  return found.sort((a, b) => b.share - a.share || (a.prefix < b.prefix ? -1 : 1));
}

/**
 * The operations by what their keys begin with, so many bytes of each, the largest share first. A
 * share of less than 1 % is not told of.
 */
export function hotGroups(
  keys: readonly Key[],
  length: number,
  perSecond: number,
): readonly HotGroup[] {
  const groups = Map.groupBy(keys, (key) => key.slice(0, length));
  const found = [...groups].map(([prefix, met]) => {
    const share = met.length / keys.length;
    const each = [...Map.groupBy(met, (key) => key).values()].map((same) => same.length);
    const topShare = Math.max(...each) / met.length;
    return { prefix, share, perSecond: perSecond * share, keys: each.length, topShare };
  });
  return found
    .filter(({ share }) => share >= LEAST_GROUP)
    .sort((a, b) => b.share - a.share || (a.prefix < b.prefix ? -1 : 1));
}

/** The largest of the hot spots: a prefix that many operations meet on few keys. */
export function hotSpot(prefixes: readonly HotPrefix[]): HotPrefix | undefined {
  return prefixes.find(({ keys }) => keys <= SPOT_KEYS);
}

/** Of two keys, and all that are sorted between them, that are alike up to `from`. */
function commonLength(a: Key, b: Key, from: number): number {
  const most = Math.min(a.length, b.length);
  let length = Math.min(from, most);
  while (length < most && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  return length;
}

/** Where the keys end that have the byte at `depth` of the one at `from`. */
function endOfBranch(sorted: readonly Key[], from: number, to: number, depth: number): number {
  const unit = (sorted[from] as Key).charCodeAt(depth);
  let [low, high] = [from + 1, to];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const isSame = Object.is((sorted[middle] as Key).charCodeAt(depth), unit);
    if (isSame) low = middle + 1;
    else high = middle;
  }
  return low;
}

function distinct(sorted: readonly Key[], from: number, to: number): number {
  let keys = 1;
  for (let i = from + 1; i < to; i++) if (sorted[i] !== sorted[i - 1]) keys++;
  return keys;
}
