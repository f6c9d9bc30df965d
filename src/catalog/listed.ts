import type { Live, Version } from "../pointer/port.ts";
import type { CatalogContext } from "./context.ts";
import { summaryOfItem } from "./entities.ts";
import type { Summary } from "./model.ts";
import type { Page } from "./pages.ts";
import { byIdKeys } from "./paths.ts";

/** An entry of a list: what its canonical pointer says. No payload is read for it. */
export interface Listed {
  readonly summary: Summary;
  readonly version: Version;
}

/**
 * A page of names with what their canonical pointers say: one batch read. What was dropped between
 * the two reads, or renamed away, is left out: a page may be shorter than was asked for.
 */
export async function listedPage(
  { account, pointers }: CatalogContext,
  page: Page<Live>,
  state: Summary["state"] = "ACTIVE",
): Promise<Page<Listed>> {
  const keyOf = byIdKeys(account);
  const names = page.items.map(summaryOfItem);
  const keys = names.map(({ entityType, entityId }) => keyOf(entityType, entityId));
  const found = keys.length === 0 ? [] : await pointers.getMany(keys);
  const items: Listed[] = [];
  for (const [i, item] of found.entries()) {
    if (item.state === "absent") continue;
    const summary = summaryOfItem(item);
    const isNamed = summary.nameRevision === names[i]?.nameRevision;
    if (isNamed && summary.state === state) items.push({ summary, version: item.version });
  }
  return { ...page, items };
}
