/** Orders two items: below zero, zero or above, as for `Array.sort`. */
type Order<T> = (left: T, right: T) => number;

/** Fewer items than these are sorted by insertion. */
const FEW = 7;
/** More items than these take their pivot of nine of them. */
const MANY = 40;

/**
 * Sorts in place, by the quicksort of Bentley and McIlroy ("Engineering a Sort Function", 1993)
 * that PostgreSQL has: the same items in the same order before are in the same order behind, equal
 * ones too. SQL leaves it open which of equal rows a window has first, so that only this gives
 * PostgreSQL's first_value and lead. Many equal items take fewer comparisons than in a merge.
 */
export function quicksort<T>(items: T[], compare: Order<T>): T[] {
  // Items that are made to defeat the pivots would take the square of their count.
  const depth = 2 * Math.ceil(Math.log2(items.length + 1));
  sortPart(items, compare, 0, items.length, depth);
  return items;
}

function sortPart<T>(items: T[], compare: Order<T>, from: number, to: number, depth: number): void {
  if (isSorted(items, compare, from, to)) return;
  if (to - from < FEW) {
    insert(items, compare, from, to);
    return;
  }
  if (depth === 0) {
    const sorted = items.slice(from, to).sort(compare);
    for (const [i, item] of sorted.entries()) items[from + i] = item;
    return;
  }
  swap(items, from, pivotOf(items, compare, from, to));
  const [below, above] = split(items, compare, from, to);
  sortPart(items, compare, from, below, depth - 1);
  sortPart(items, compare, above, to, depth - 1);
}

function isSorted<T>(items: readonly T[], compare: Order<T>, from: number, to: number): boolean {
  for (let at = from + 1; at < to; at++) {
    if (compare(items[at - 1] as T, items[at] as T) > 0) return false;
  }
  return true;
}

function insert<T>(items: T[], compare: Order<T>, from: number, to: number): void {
  for (let next = from + 1; next < to; next++) {
    const item = items[next] as T;
    let at = next;
    for (; at > from && compare(items[at - 1] as T, item) > 0; at--) items[at] = items[at - 1] as T;
    items[at] = item;
  }
}

function pivotOf<T>(items: readonly T[], compare: Order<T>, from: number, to: number): number {
  const size = to - from;
  const middle = from + (size >> 1);
  if (size === FEW) return middle;
  const last = to - 1;
  const median = (a: number, b: number, c: number): number => {
    const [x, y, z] = [items[a] as T, items[b] as T, items[c] as T];
    if (compare(x, y) < 0) {
      if (compare(y, z) < 0) return b;
      return compare(x, z) < 0 ? c : a;
    }
    if (compare(y, z) > 0) return b;
    return compare(x, z) < 0 ? a : c;
  };
  if (size <= MANY) return median(from, middle, last);
  const step = size >> 3;
  return median(
    median(from, from + step, from + 2 * step),
    median(middle - step, middle, middle + step),
    median(last - 2 * step, last - step, last),
  );
}

/** Splits by the first item: where those below it end, and where those above it start. */
function split<T>(items: T[], compare: Order<T>, from: number, to: number): [number, number] {
  const pivot = items[from] as T;
  // Equal items gather at both ends, and go to the middle when all are seen.
  let [left, low, high, right] = [from + 1, from + 1, to - 1, to - 1];
  for (;;) {
    for (; low <= high; low++) {
      const order = compare(items[low] as T, pivot);
      if (order > 0) break;
      if (order === 0) swap(items, left++, low);
    }
    for (; low <= high; high--) {
      const order = compare(items[high] as T, pivot);
      if (order < 0) break;
      if (order === 0) swap(items, high, right--);
    }
    if (low > high) break;
    swap(items, low++, high--);
  }
  exchange(items, from, low, Math.min(left - from, low - left));
  exchange(items, low, to, Math.min(right - high, to - right - 1));
  return [from + (low - left), to - (right - high)];
}

function swap<T>(items: T[], a: number, b: number): void {
  const item = items[a] as T;
  items[a] = items[b] as T;
  items[b] = item;
}

/** Exchanges so many items at a place with those before an end. */
function exchange<T>(items: T[], at: number, end: number, count: number): void {
  for (let i = 0; i < count; i++) swap(items, at + i, end - count + i);
}
