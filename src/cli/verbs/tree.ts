import type { Page, Summary } from "../../api/resources.ts";
import { namespaceName } from "../../client/client.ts";
import type { Place } from "../place.ts";

/** Entries of a page. */
const PAGE = 1_000;

/** All pages of a list, one by one. */
export async function* pagesOf<T>(
  next: (query: { readonly pageSize: number; readonly pageToken?: string }) => Promise<Page<T>>,
): AsyncGenerator<readonly T[]> {
  for (let pageToken: string | undefined; ; ) {
    const page = await next({ pageSize: PAGE, ...(pageToken !== undefined && { pageToken }) });
    yield page.items;
    pageToken = page.nextPageToken;
    if (pageToken === undefined) return;
  }
}

/**
 * What lies below names: catalogs; namespaces of a catalog; child namespaces, then tables, then
 * views of a namespace.
 *
 * @param above a catalog and the levels of a namespace; empty: the root.
 */
export async function* childrenOf(
  { client }: Place,
  above: readonly string[],
): AsyncGenerator<readonly Summary[]> {
  const [catalog, ...levels] = above;
  if (catalog === undefined) {
    yield* pagesOf((query) => client.call("listCatalogs", { query }));
    return;
  }
  const parent = levels.length === 0 ? {} : { parent: namespaceName(levels) };
  yield* pagesOf((query) =>
    client.call("listNamespaces", { path: { catalog }, query: { ...query, ...parent } }),
  );
  if (levels.length === 0) return;
  const path = { catalog, namespace: namespaceName(levels) };
  yield* pagesOf((query) => client.call("listTables", { path, query }));
  yield* pagesOf((query) => client.call("listViews", { path, query }));
}
