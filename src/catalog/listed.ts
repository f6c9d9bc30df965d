import { LruMap } from "../base/lru.ts";
import type { Item, Live, PointerStore, Version } from "../pointer/port.ts";
import type { CatalogContext } from "./context.ts";
import { summaryOfItem } from "./entities.ts";
import type { Summary } from "./model.ts";
import type { Page } from "./pages.ts";
import { byIdKeys } from "./paths.ts";
import { areSame } from "./same.ts";

/** An entry of a list: what its canonical pointer says. No payload is read for it. */
export interface Listed {
  readonly summary: Summary;
  readonly version: Version;
}

/** A page as it was made of two reads. It holds as long as both find the very same items. */
interface Kept {
  readonly names: readonly Live[];
  readonly keys: readonly string[];
  readonly found: readonly Item[];
  readonly state: Summary["state"];
  readonly items: readonly Listed[];
}

/** Of the pages kept of one store. */
const KEPT_BYTES = 8_388_608;
/** Of an entry beside its bytes: two pointers, their decoded summaries, its key. */
const ENTRY_BYTES = 700;
/** Of its summary: as bytes, decoded, and as text that others make of it, alone and in a page. */
const COPIES = 5;

const keptPages = new WeakMap<PointerStore, LruMap<string, Kept>>();

function weightOf({ found }: Kept): number {
  return found.reduce((sum, item) => sum + ENTRY_BYTES + COPIES * bytesOf(item), ENTRY_BYTES);
}

function bytesOf(item: Item): number {
  return item.state === "live" ? (item.summary?.length ?? 0) : 0;
}

/** The pages of a store by the key of their first name. */
function pagesOf(pointers: PointerStore): LruMap<string, Kept> {
  let pages = keptPages.get(pointers);
  if (pages === undefined) {
    pages = new LruMap(KEPT_BYTES, weightOf);
    keptPages.set(pointers, pages);
  }
  return pages;
}

/**
 * A page of names with what their canonical pointers say: one batch read. What was dropped between
 * the two reads, or renamed away, is left out: a page may be shorter than was asked for.
 *
 * Both reads are made each time. Where they find the items of an earlier page, which stores hand
 * out unchanged, its list is answered again: what was made of that list may be kept beside it.
 */
export async function listedPage(
  { account, pointers }: CatalogContext,
  page: Page<Live>,
  state: Summary["state"] = "ACTIVE",
): Promise<Page<Listed>> {
  const { items: names } = page;
  const [first] = names;
  if (first === undefined) return { ...page, items: [] };
  const pages = pagesOf(pointers);
  const known = pages.get(first.key);
  const sameNames = known !== undefined && areSame(known.names, names) ? known : undefined;
  const found = await pointers.getMany(sameNames?.keys ?? canonicalKeys(account, names));
  if (sameNames?.state === state && areSame(sameNames.found, found)) {
    return { ...page, items: sameNames.items };
  }
  const items = joined(names, found, state);
  // The keys as the store has them: it finds its own texts faster than equal ones.
  pages.set(first.key, { names, keys: found.map(({ key }) => key), found, state, items });
  return { ...page, items };
}

function canonicalKeys(account: CatalogContext["account"], names: readonly Live[]): string[] {
  const keyOf = byIdKeys(account);
  return names.map((item) => {
    const { entityType, entityId } = summaryOfItem(item);
    return keyOf(entityType, entityId);
  });
}

function joined(
  names: readonly Live[],
  found: readonly Item[],
  state: Summary["state"],
): readonly Listed[] {
  const items: Listed[] = [];
  for (const [i, item] of found.entries()) {
    const name = names[i];
    if (item.state === "absent" || name === undefined) continue;
    const summary = summaryOfItem(item);
    const isNamed = summary.nameRevision === summaryOfItem(name).nameRevision;
    if (isNamed && summary.state === state) items.push({ summary, version: item.version });
  }
  return items;
}
