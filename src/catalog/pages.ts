import { assert } from "../base/assert.ts";
import { splitKey } from "../base/key-text.ts";
import { LIMITS } from "../base/limits.ts";
import type { Live, PointerStore } from "../pointer/port.ts";
import { type ListFilter, shownOf } from "./shown-pages.ts";

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
  filter?: ListFilter,
): Promise<Page<Live>> {
  // Most lists are one page, which is handed on as it is.
  const parts: (readonly Live[])[] = [];
  const { limit } = request;
  const wanted = limit === undefined || filter !== undefined ? LIMITS.pageSize : limit;
  let room = limit ?? Number.POSITIVE_INFINITY;
  let after = request.after;
  for (let lists = 1; ; lists++) {
    const page = await pointers.list(directory, {
      limit: wanted,
      ...(after === undefined ? {} : { after }),
    });
    const shown = filter === undefined ? page : shownOf(pointers, page, filter);
    const taken = shown.length > room ? shown.slice(0, room) : shown;
    parts.push(taken);
    room -= taken.length;
    const end = room === 0 ? taken.at(-1) : undefined;
    if (end !== undefined) return { items: joined(parts), next: splitKey(end.key).leaf };
    const last = page.at(-1);
    if (last === undefined || page.length < wanted) return { items: joined(parts) };
    const { leaf } = splitKey(last.key);
    assert(leaf !== after, "a list goes on behind its last page");
    after = leaf;
    if (limit !== undefined && lists === LISTS_A_PAGE) return { items: joined(parts), next: after };
  }
}

function joined(parts: readonly (readonly Live[])[]): readonly Live[] {
  const [first = []] = parts;
  return parts.length <= 1 ? first : parts.flat();
}
