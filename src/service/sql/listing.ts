import type { AccountCatalog } from "../../catalog/catalog.ts";
import type { Summary } from "../../catalog/model.ts";
import { type ObjectPath, objectOf } from "../../catalog/name-access.ts";
import type { RowTransaction } from "../../rows/index.ts";
import { isDescribed } from "../../sql/catalog/held.ts";
import type { CatalogListing, ListedNamespace, ListedRelation } from "../../sql/catalog/listing.ts";
import { SYSTEM_DATABASE } from "../../sql/catalog/virtual.ts";
import type { SessionAccess } from "./session-access.ts";

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
  access: SessionAccess,
  name: string,
  rows: RowTransaction,
): Promise<CatalogListing> {
  return await access.judged(async () => {
    const top = await access.found(() => catalog.catalogs.get(name));
    const objects = [objectOf(top.value.summary)];
    const namespaces = await namespacesBelow({ catalog, access, name }, [], objects);
    const relations = await relationsIn({ catalog, access, name }, namespaces, rows);
    const databases = await databasesOf(catalog, access);
    return { databases, held: top.held, namespaces, relations };
  });
}

/** The databases that a session may know: catalogs, and that of the system tables. */
export async function databasesOf(
  catalog: AccountCatalog,
  access: SessionAccess,
): Promise<readonly string[]> {
  const list = () => all((request) => catalog.catalogs.list(request));
  return [...(await access.judged(list)), SYSTEM_DATABASE];
}

interface Listed {
  readonly catalog: AccountCatalog;
  readonly access: SessionAccess;
  readonly name: string;
}

interface FoundNamespace extends ListedNamespace {
  readonly objects: ObjectPath;
}

async function relationsIn(
  { catalog, access, name }: Listed,
  namespaces: readonly FoundNamespace[],
  rows: RowTransaction,
): Promise<readonly ListedRelation[]> {
  const descriptors = new Map((await rows.tables.list()).map((table) => [table.id, table]));
  const relations: ListedRelation[] = [];
  for (const { path, objects } of namespaces) {
    const heldOn = (summary: Summary) =>
      access.on([name, ...path, summary.name].join("."), [...objects, objectOf(summary)]);
    const ref = { catalog: name, path };
    for (const { summary } of await all((request) => catalog.tables.page(ref, request))) {
      const { entityId: id, format } = summary;
      const held = heldOn(summary);
      const base = { id, path, name: summary.name, comment: "", held };
      const table = descriptors.get(id as never);
      if (format !== "ROW") relations.push({ ...base, kind: "lake" });
      // Its rows are not there yet, or are gone: another session's transaction is under way.
      else if (table !== undefined) {
        const named = { ...table, name: summary.name };
        relations.push({ ...base, kind: "rows", table: isDescribed(held) ? named : undefined });
      }
    }
    for (const { summary } of await all((request) => catalog.views.page(ref, request))) {
      const base = { id: summary.entityId, path, name: summary.name, comment: "" };
      relations.push({ ...base, kind: "view", held: heldOn(summary) });
    }
  }
  return relations;
}

async function namespacesBelow(
  listed: Listed,
  above: readonly string[],
  objects: ObjectPath,
): Promise<readonly FoundNamespace[]> {
  const { catalog, access, name } = listed;
  const found: FoundNamespace[] = [];
  const ref = { catalog: name, path: above };
  for (const { summary } of await all((request) => catalog.namespaces.page(ref, request))) {
    const path = [...above, summary.name];
    const own = [...objects, objectOf(summary)];
    found.push({ path, objects: own, held: access.on([name, ...path].join("."), own) });
    found.push(...(await namespacesBelow(listed, path, own)));
  }
  return found;
}
