import { assert } from "../base/assert.ts";
import { splitKey } from "../base/key-text.ts";
import { LIMITS } from "../base/limits.ts";
import type { Live, PointerStore } from "../pointer/port.ts";
import { summaryOfItem } from "./entities.ts";
import type { Summary } from "./model.ts";

/** `after`: the leaf that the last page ended with. `limit` absent: everything. */
export interface PageRequest {
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

/** `next` is absent on the last page. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next?: string;
}

/** A page of which nearly everything is hidden ends after so many lists: it may be short. */
const LISTS_A_PAGE = 20;

/**
 * One page of a directory, of the entries that are shown; everything, in several requests, where
 * no limit is given.
 */
export async function listPage(
  pointers: PointerStore,
  directory: string,
  request: PageRequest,
  isShown?: (summary: Summary) => boolean,
): Promise<Page<Live>> {
  const items: Live[] = [];
  const { limit } = request;
  let after = request.after;
  for (let lists = 1; ; lists++) {
    const wanted = limit === undefined || isShown !== undefined ? LIMITS.pageSize : limit;
    const page = await pointers.list(directory, {
      limit: wanted,
      ...(after === undefined ? {} : { after }),
    });
    for (const item of page) {
      if (isShown !== undefined && !isShown(summaryOfItem(item))) continue;
      items.push(item);
      if (items.length === limit) return { items, next: splitKey(item.key).leaf };
    }
    const last = page.at(-1);
    if (last === undefined || page.length < wanted) return { items };
    const { leaf } = splitKey(last.key);
    assert(leaf !== after, "a list goes on behind its last page");
    after = leaf;
    if (limit !== undefined && lists === LISTS_A_PAGE) return { items, next: after };
  }
}
