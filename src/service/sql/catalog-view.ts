import { FirnError } from "../../base/error.ts";
import type { TableId } from "../../base/ids.ts";
import type { AccountCatalog } from "../../catalog/catalog.ts";
import type { CatalogView, NamespaceContent, TableName } from "../../sql/catalog/view.ts";
import { SqlError } from "../../sql/error.ts";
import type { Actor } from "../actor.ts";
import type { RowIndexes } from "../rows/row-indexes.ts";
import type { RowShards } from "../rows/row-shards.ts";
import type { RowTables } from "../rows/row-tables.ts";
import { listCatalog } from "./listing.ts";

export interface SqlParts {
  readonly catalog: AccountCatalog;
  readonly tables: RowTables;
  readonly indexes: RowIndexes;
  readonly shards: RowShards;
  /** Told of a name in the catalog that the next statement which wants it removes. */
  readonly onUnreleased?: OnUnreleased | undefined;
}

export type OnUnreleased = (facts: {
  readonly catalog: string;
  readonly code: string;
  readonly message: string;
}) => void;

/** The namespace that SQL's names without a schema mean: made with its first table. */
const PUBLIC = "public";

/** One catalog, as SQL sees it: its namespaces, and its row tables. */
export function catalogView(
  { catalog, tables, indexes, shards }: SqlParts,
  actor: Actor,
  name: string,
): CatalogView {
  const refOf = (at: TableName) => ({ catalog: name, path: at.path, name: at.name });
  return {
    begin: async (options) => {
      const { entity } = await catalog.catalogs.get(name);
      const store = await shards.of(entity.id);
      return await store.begin(options);
    },
    list: (rows) => listCatalog(catalog, name, rows),
    hasNamespace: async (path) => {
      const found = catalog.namespaces.get({ catalog: name, path });
      return (await orNone(found)) !== undefined;
    },
    tableId: async (at) => (await orNone(tables.open(actor, refOf(at))))?.id,
    newTableId: () => catalog.context.ids.mint<TableId>(),
    contentOf: (path) => contentOf(catalog, { catalog: name, path }),
    claimNamespace: async (path) => {
      const ref = { catalog: name, path };
      await named(`schema "${path.join(".")}"`, "42P06", () =>
        catalog.namespaces.create(actor, ref, {}),
      );
      return { kept: () => undefined, undo: () => catalog.namespaces.drop(actor, ref) };
    },
    dropNamespace: async (path) => {
      await catalog.namespaces.drop(actor, { catalog: name, path });
    },
    claimTable: async (at, table) => {
      if (at.path.length === 1 && at.path[0] === PUBLIC) await ensurePublic(catalog, actor, name);
      return await named(`relation "${at.name}"`, "42P07", () =>
        tables.claim(actor, refOf(at), table),
      );
    },
    buildIndex: async (id, spec, signal) => {
      const { entity } = await catalog.catalogs.get(name);
      await indexes.build(actor, { store: await shards.of(entity.id), id }, spec, signal);
    },
    releaseTable: (at, id) => tables.release(actor, refOf(at), id),
    renameTable: async (from, to) => {
      await named(`relation "${to.name}"`, "42P07", () =>
        catalog.tables.rename(actor, refOf(from), to),
      );
      const undo = async (): Promise<void> => {
        await catalog.tables.rename(actor, refOf(to), from);
      };
      return { kept: () => undefined, undo };
    },
  };
}

async function contentOf(
  catalog: AccountCatalog,
  ref: { readonly catalog: string; readonly path: readonly string[] },
): Promise<NamespaceContent> {
  const tables: { name: string; id: TableId }[] = [];
  let other: string | undefined;
  for (const { summary } of (await catalog.tables.page(ref, {})).items) {
    const { name, entityId, format } = summary;
    if (format === "ROW") tables.push({ name, id: entityId as TableId });
    else other = `table ${name}`;
  }
  const [child] = (await catalog.namespaces.list(ref, { limit: 1 })).items;
  if (child !== undefined) other = `schema ${child.join(".")}`;
  const [view] = (await catalog.views.list(ref, { limit: 1 })).items;
  if (view !== undefined) other = `view ${view}`;
  return other === undefined ? { tables } : { tables, other };
}

async function ensurePublic(catalog: AccountCatalog, actor: Actor, name: string): Promise<void> {
  try {
    await catalog.namespaces.create(actor, { catalog: name, path: [PUBLIC] }, {});
  } catch (error) {
    if (!(error instanceof FirnError) || error.kind !== "AlreadyExists") throw error;
  }
}

/** What is found; nothing where a name leads nowhere. @throws SqlError 42809. */
async function orNone<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (!(error instanceof FirnError)) throw error;
    if (error.code === "FORMAT_UNSUPPORTED") {
      const hint = "Read it with an Iceberg engine.";
      throw new SqlError("42809", error.message, { hint }, error);
    }
    // No entity has a name that none may have.
    if (error.kind === "NotFound" || error.code === "NAME_INVALID") return undefined;
    throw error;
  }
}

/** Two that take one name at once: the catalog lets one of them. */
async function named<T>(what: string, sqlState: string, take: () => Promise<T>): Promise<T> {
  try {
    return await take();
  } catch (error) {
    if (!(error instanceof FirnError)) throw error;
    if (error.kind === "AlreadyExists") {
      throw new SqlError(sqlState, `${what} already exists`, {}, error);
    }
    if (error.code === "NAMESPACE_NOT_FOUND") throw new SqlError("3F000", error.message, {}, error);
    throw error;
  }
}
