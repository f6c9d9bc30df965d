import { assert } from "../base/assert.ts";
import { LruMap } from "../base/lru.ts";
import type { Live, PointerStore } from "../pointer/port.ts";
import { summaryOfItem } from "./entities.ts";
import type { Summary } from "./model.ts";
import { areSame } from "./same.ts";

/*
 * To judge an entry of a list is a look at what its reader holds, and a list has thousands. What
 * was found of a page is kept as a bit an entry: it is right as long as the page has the very same
 * items, and for the very same holder, since neither an item nor a holder ever changes.
 */

/** Which entries of lists may be known. */
export interface ListFilter {
  /** Whose they are: it never changes, and filters of the same one show the same. */
  readonly holder?: object;
  readonly shows: (summary: Summary) => boolean;
}

/** The items of a page, with a number that no other page ever had. */
interface KnownPage {
  readonly items: readonly Live[];
  readonly number: number;
}

/** A bit for each item of a page; undefined: all of them. */
type Shown = Uint8Array | undefined;

/** Names in the pages kept of one store: the items are its own, as long as it keeps them. */
const KEPT_NAMES = 40_960;
/** Of what all holders are shown. */
const KEPT_BYTES = 8_388_608;
const ENTRY_BYTES = 300;

const pagesOfStores = new WeakMap<PointerStore, LruMap<string, KnownPage>>();
const numbers = new WeakMap<object, number>();
const shown = new LruMap<string, { readonly bits: Shown }>(
  KEPT_BYTES,
  ({ bits }) => ENTRY_BYTES + (bits?.length ?? 0),
);
let lastNumber = 0;

/** The items of a page of a directory that are shown; the page itself where all of them are. */
export function shownOf(
  pointers: PointerStore,
  items: readonly Live[],
  { holder, shows }: ListFilter,
): readonly Live[] {
  const [first] = items;
  if (first === undefined) return items;
  if (holder === undefined) return items.filter((item) => shows(summaryOfItem(item)));
  const page = knownPage(pointers, first.key, items);
  const key = `${numberOf(holder)} ${page.number}`;
  const known = shown.get(key);
  const bits = known === undefined ? judged(page.items, shows) : known.bits;
  if (known === undefined) shown.set(key, { bits });
  const isWhole = bits === undefined || bits.length === Math.ceil(page.items.length / 8);
  assert(isWhole, "what was found of a page has a bit for each of its items");
  return bits === undefined
    ? page.items
    : page.items.filter((_, i) => ((bits[i >> 3] ?? 0) & (1 << (i & 7))) !== 0);
}

function knownPage(pointers: PointerStore, key: string, items: readonly Live[]): KnownPage {
  let pages = pagesOfStores.get(pointers);
  if (pages === undefined) {
    pages = new LruMap(KEPT_NAMES, ({ items: { length } }) => length);
    pagesOfStores.set(pointers, pages);
  }
  const known = pages.get(key);
  if (known !== undefined && areSame(known.items, items)) return known;
  const page = { items, number: ++lastNumber };
  pages.set(key, page);
  return page;
}

function numberOf(holder: object): number {
  const known = numbers.get(holder);
  if (known !== undefined) return known;
  numbers.set(holder, ++lastNumber);
  return lastNumber;
}

function judged(items: readonly Live[], shows: (summary: Summary) => boolean): Shown {
  const bits = new Uint8Array(Math.ceil(items.length / 8));
  let count = 0;
  for (const [i, item] of items.entries()) {
    if (!shows(summaryOfItem(item))) continue;
    count++;
    bits[i >> 3] = (bits[i >> 3] ?? 0) | (1 << (i & 7));
  }
  return count === items.length ? undefined : bits;
}
