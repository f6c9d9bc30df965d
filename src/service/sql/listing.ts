import type { AccountCatalog } from "../../catalog/catalog.ts";
import type { RowTransaction } from "../../rows/index.ts";
import type { CatalogListing, ListedRelation } from "../../sql/catalog/listing.ts";

const PAGE = 1_000;

interface Paged<T> {
  readonly items: readonly T[];
  readonly next?: string | undefined;
}

/** All items of a list in pages. */
async function all<T>(
  page: (request: { readonly limit: number; readonly after?: string }) => Promise<Paged<T>>,
): Promise<readonly T[]> {
  const items: T[] = [];
  let after: string | undefined;
  do {
    const found = await page({ limit: PAGE, ...(after !== undefined && { after }) });
    items.push(...found.items);
    after = found.next;
  } while (after !== undefined);
  return items;
}

/**
 * What a catalog holds: namespaces, row tables with their descriptors, tables and views of the lake
 * by their names. Some requests of the store for each namespace, two for each thousand tables.
 */
export async function listCatalog(
  catalog: AccountCatalog,
  name: string,
  rows: RowTransaction,
): Promise<CatalogListing> {
  const paths = await pathsBelow(catalog, name, []);
  const descriptors = new Map((await rows.tables.list()).map((table) => [table.id, table]));
  const relations: ListedRelation[] = [];
  for (const path of paths) {
    const ref = { catalog: name, path };
    for (const { summary } of await all((request) => catalog.tables.page(ref, request))) {
      const { entityId: id, format } = summary;
      const base = { id, path, name: summary.name, comment: "" };
      const table = descriptors.get(id as never);
      if (format !== "ROW") relations.push({ ...base, kind: "lake" });
      // Its rows are not there yet, or are gone: another session's transaction is under way.
      else if (table !== undefined) {
        relations.push({ ...base, kind: "rows", table: { ...table, name: summary.name } });
      }
    }
    for (const { summary } of await all((request) => catalog.views.page(ref, request))) {
      relations.push({ id: summary.entityId, path, name: summary.name, kind: "view", comment: "" });
    }
  }
  const databases = await all((request) => catalog.catalogs.list(request));
  return { databases, namespaces: paths.map((path) => ({ path })), relations };
}

async function pathsBelow(
  catalog: AccountCatalog,
  name: string,
  path: readonly string[],
): Promise<readonly (readonly string[])[]> {
  const found: (readonly string[])[] = [];
  const children = await all((request) =>
    catalog.namespaces.list({ catalog: name, path }, request),
  );
  for (const child of children) {
    found.push(child, ...(await pathsBelow(catalog, name, child)));
  }
  return found;
}
