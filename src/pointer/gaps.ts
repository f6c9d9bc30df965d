import { assert } from "../base/assert.ts";
import { splitKey } from "../base/key-text.ts";
import { LruMap } from "../base/lru.ts";

/*
 * Where the directories of a store of rows hold nothing alive. A name that died stays as a row, and
 * later as a deletion in the engine, so a list that met a thousand of them says so to the next one.
 *
 * Invariant: at every state of the engine from a gap's own sequence on, no direct child of the
 * directory in [from, to) is alive, except those that were put since: these have cut the gap, or
 * will when it is noted. A put is announced before it can be in any state, and until it is durable,
 * which is the level that lists read at. So a list that notes a gap knows every put that its own
 * state does not show.
 */

/** A stretch of a directory, [from, to), in which no direct child is alive. */
export interface Gap {
  readonly from: string;
  readonly to: string;
  /** Of the state that showed it: an older one may hold something there. */
  readonly sequence: number;
  /** Rows and deletions that a scan of it passes, as far as is known. */
  readonly passed: number;
}

/** One list under way. */
export interface Listing {
  readonly directory: string;
  /** Children that were put while it was under way, or were being put when it began. */
  readonly written: Set<string>;
}

/** Gaps kept in all directories together, and of one; each takes some 200 bytes. */
const MAX_GAPS = 16_384;
const MAX_GAPS_OF_ONE = 2_048;

/** The gaps that lists of one engine have met. All of its writers announce their puts here. */
export class Gaps {
  /** Each in order, without overlaps. */
  readonly #gaps = new LruMap<string, Gap[]>(MAX_GAPS, ({ length }) => length);
  /** Per directory, the children that are being put, and by how many. */
  readonly #writing = new Map<string, Map<string, number>>();
  readonly #listings = new Map<string, Set<Listing>>();

  /** Before a put, whatever comes of it. */
  beginPut(key: string): void {
    const { directory } = splitKey(key);
    let keys = this.#writing.get(directory);
    if (keys === undefined) {
      keys = new Map();
      this.#writing.set(directory, keys);
    }
    keys.set(key, (keys.get(key) ?? 0) + 1);
    for (const { written } of this.#listings.get(directory) ?? []) written.add(key);
    this.#cut(directory, key);
  }

  /** Once it is durable, or certainly was not applied. Never, where that is not known. */
  endPut(key: string): void {
    const { directory } = splitKey(key);
    const keys = this.#writing.get(directory);
    const left = (keys?.get(key) ?? 0) - 1;
    assert(left >= 0, "a put ends once: a gap would be noted over one that goes on");
    if (left > 0) keys?.set(key, left);
    else keys?.delete(key);
    if (keys?.size === 0) this.#writing.delete(directory);
  }

  /** With the snapshot that the list is of, in the same turn. */
  beginList(directory: string): Listing {
    const listing = { directory, written: new Set(this.#writing.get(directory)?.keys()) };
    const others = this.#listings.get(directory);
    if (others === undefined) this.#listings.set(directory, new Set([listing]));
    else others.add(listing);
    return listing;
  }

  endList(listing: Listing): void {
    const listings = this.#listings.get(listing.directory);
    assert(listings?.has(listing) === true, "a list ends once, and is told of puts until then");
    listings.delete(listing);
    if (listings.size === 0) this.#listings.delete(listing.directory);
  }

  /** The first gap that ends behind `at`, of those that hold at a state. */
  next(directory: string, at: string, sequence: number): Gap | undefined {
    const gaps = this.#gaps.get(directory);
    if (gaps === undefined) return undefined;
    for (let i = firstBehind(gaps, at); i < gaps.length; i++) {
      const gap = gaps[i] as Gap;
      if (gap.sequence <= sequence) return gap;
    }
    return undefined;
  }

  /** Notes a gap in place of those inside it, cut where something was put meanwhile. */
  note({ directory, written }: Listing, gap: Gap): void {
    const cuts = [...written].filter((key) => key >= gap.from && key < gap.to).sort();
    const pieces: Gap[] = [];
    let { from } = gap;
    const passed = Math.floor(gap.passed / (cuts.length + 1));
    for (const cut of cuts) {
      if (from < cut) pieces.push({ ...gap, from, to: cut, passed });
      from = keyBehind(cut);
    }
    if (from < gap.to) pieces.push({ ...gap, from, passed });
    const gaps = this.#gaps.get(directory) ?? [];
    const first = firstBehind(gaps, gap.from);
    let end = first;
    while ((gaps[end]?.from ?? gap.to) < gap.to) end++;
    this.#replace(directory, gaps, first, end, pieces);
  }

  #cut(directory: string, key: string): void {
    const gaps = this.#gaps.get(directory);
    if (gaps === undefined) return;
    const at = firstBehind(gaps, key);
    const gap = gaps[at];
    if (gap === undefined || gap.from > key) return;
    const passed = gap.passed >> 1;
    const before = gap.from < key ? [{ ...gap, to: key, passed }] : [];
    const from = keyBehind(key);
    const behind = from < gap.to ? [{ ...gap, from, passed }] : [];
    this.#replace(directory, gaps, at, at + 1, [...before, ...behind]);
  }

  /** Puts others in the place of [first, end). Too many lose the shorter half of them. */
  #replace(
    directory: string,
    gaps: Gap[],
    first: number,
    end: number,
    others: readonly Gap[],
  ): void {
    gaps.splice(first, end - first, ...others);
    assert(isApart(gaps, first, others.length), "gaps come in order, apart: one skips no pointer");
    let kept = gaps;
    if (gaps.length > MAX_GAPS_OF_ONE) {
      const longest = gaps.toSorted((a, b) => b.passed - a.passed).slice(0, MAX_GAPS_OF_ONE >> 1);
      kept = longest.sort((a, b) => (a.from < b.from ? -1 : 1));
    }
    if (kept.length === 0) this.#gaps.delete(directory);
    else this.#gaps.set(directory, kept);
  }
}

/** The first key behind one. */
export function keyBehind(key: string): string {
  return `${key}\0`;
}

/** Whether what was put among the gaps, and its neighbours, do not overlap. */
function isApart(gaps: readonly Gap[], first: number, count: number): boolean {
  for (let at = Math.max(1, first); at <= Math.min(first + count, gaps.length - 1); at++) {
    if ((gaps[at - 1] as Gap).to > (gaps[at] as Gap).from) return false;
  }
  return true;
}

/** Index of the first gap that ends behind a key. */
function firstBehind(gaps: readonly Gap[], key: string): number {
  let low = 0;
  let high = gaps.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((gaps[middle] as Gap).to <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}
