import { assert } from "../base/assert.ts";
import { splitKey } from "../base/key-text.ts";
import { LIMITS } from "../base/limits.ts";
import type { Live, PointerStore } from "../pointer/port.ts";

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

/** One page of a directory; everything, in several requests, where no limit is given. */
export async function listPage(
  pointers: PointerStore,
  directory: string,
  request: PageRequest,
): Promise<Page<Live>> {
  const items: Live[] = [];
  let after = request.after;
  for (;;) {
    const wanted = request.limit === undefined ? LIMITS.pageSize : request.limit;
    const page = await pointers.list(directory, {
      limit: wanted,
      ...(after === undefined ? {} : { after }),
    });
    items.push(...page);
    const last = page.at(-1);
    if (last === undefined || page.length < wanted) return { items };
    const { leaf } = splitKey(last.key);
    assert(leaf !== after, "a list goes on behind its last page");
    after = leaf;
    if (request.limit !== undefined) return { items, next: after };
  }
}
