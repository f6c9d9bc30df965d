import { FirnError } from "../../base/error.ts";
import type { TableId } from "../../base/ids.ts";
import { entityById } from "../../catalog/by-id.ts";
import type { AccountCatalog } from "../../catalog/catalog.ts";
import type { Namespace, Table } from "../../catalog/model.ts";
import { unjudged } from "../../catalog/name-access.ts";
import type { CatalogView, NamespaceContent, TableName } from "../../sql/catalog/view.ts";
import { SYSTEM_DATABASE } from "../../sql/catalog/virtual.ts";
import { SqlError } from "../../sql/error.ts";
import type { SpillSpace } from "../../sql/exec/spill.ts";
import type { Actor } from "../actor.ts";
import type { RowIndexes } from "../rows/row-indexes.ts";
import type { RowMoves } from "../rows/row-moves.ts";
import { placeById, shardNamed } from "../rows/row-places.ts";
import type { RowShards } from "../rows/row-shards.ts";
import type { RowTables } from "../rows/row-tables.ts";
import { beginOver } from "./begin-over.ts";
import { listCatalog } from "./listing.ts";
import type { SessionAccess } from "./session-access.ts";
import { type RoleParts, sessionRoles } from "./session-roles.ts";
import { systemView } from "./system/system-view.ts";
import { type SystemSources, systemTables } from "./system/tables.ts";

export interface SqlParts {
  readonly catalog: AccountCatalog;
  readonly tables: RowTables;
  readonly indexes: RowIndexes;
  readonly moves: RowMoves;
  readonly shards: RowShards;
  /** What system tables are read from beside the catalog. */
  readonly sources: () => Pick<SystemSources, "snapshots" | "historyRetentionMs"> &
    Pick<RoleParts, "principals">;
  /** Told of a name in the catalog that the next statement which wants it removes. */
  readonly onUnreleased?: OnUnreleased | undefined;
  /** Where statements have temporary files; absent: what they keep stays in memory. */
  readonly spillSpace?: SpillSpace | undefined;
}

export type OnUnreleased = (facts: {
  readonly catalog: string;
  readonly code: string;
  readonly message: string;
}) => void;

/** The namespace that SQL's names without a schema mean: made with its first table. */
const PUBLIC = "public";

/**
 * One catalog, as SQL sees it: its namespaces, and its row tables. Names are judged as they are
 * looked up. Changes were judged when their statements ran: a commit makes them as they stand.
 */
export function catalogView(parts: SqlParts, access: SessionAccess, name: string): CatalogView {
  const { catalog, tables, indexes, moves, shards, sources } = parts;
  const virtual = systemTables({ catalog, shards, ...sources() }, access, name);
  const roles = sessionRoles({ catalog, access, database: name, ...sources() });
  if (name === SYSTEM_DATABASE) return systemView(catalog, access, virtual, roles);
  const { actor } = access;
  const refOf = (at: TableName) => ({ catalog: name, path: at.path, name: at.name });
  return {
    ...lookUps(parts, access, name),
    virtual,
    roles,
    newTableId: () => catalog.context.ids.mint<TableId>(),
    claimNamespace: async (path) => {
      const ref = { catalog: name, path };
      await named(`schema "${path.join(".")}"`, "42P06", () =>
        catalog.namespaces.create(actor, ref, {}),
      );
      const undo = () => unjudged(() => catalog.namespaces.drop(actor, ref));
      return { kept: () => undefined, undo };
    },
    dropNamespace: (path) =>
      unjudged(async () => void (await catalog.namespaces.drop(actor, { catalog: name, path }))),
    claimTable: async (at, table, shard) => {
      if (at.path.length === 1 && at.path[0] === PUBLIC) await ensurePublic(catalog, actor, name);
      return await named(`relation "${at.name}"`, "42P07", () =>
        tables.claim(actor, refOf(at), table, shard),
      );
    },
    buildIndex: async (id, spec, signal) => {
      const { entity } = await unjudged(() => catalog.catalogs.get(name));
      const place = await unjudged(() => placeById(catalog.context, id));
      const store = await shards.of(place ?? entity.id);
      await unjudged(() => indexes.build(actor, { store, id }, spec, signal));
    },
    moveTable: (table, shard, signal) =>
      unjudged(() => moves.move(actor, { table, shard }, signal)),
    releaseTable: (at, id) => unjudged(() => tables.release(actor, refOf(at), id)),
    renameTable: async (from, to) => {
      await named(`relation "${to.name}"`, "42P07", () =>
        catalog.tables.rename(actor, refOf(from), to),
      );
      const undo = async (): Promise<void> => {
        await unjudged(() => catalog.tables.rename(actor, refOf(to), from));
      };
      return { kept: () => undefined, undo };
    },
  };
}

type LookUps = Pick<
  CatalogView,
  "begin" | "list" | "hasNamespace" | "heldOn" | "entry" | "placeOf" | "contentOf"
>;

/** What a session may know of a catalog. */
function lookUps(
  { catalog, tables, shards }: SqlParts,
  access: SessionAccess,
  name: string,
): LookUps {
  const { actor } = access;
  const namespaceAt = (path: readonly string[]) =>
    access.found(() => orNone(catalog.namespaces.get({ catalog: name, path })));
  return {
    begin: async ({ shard, ...options }) => {
      const { entity } = await unjudged(() => catalog.catalogs.get(name));
      const home = shardNamed(entity, shard);
      return await beginOver({ shards, catalog }, entity, home, options);
    },
    list: (rows) => listCatalog(catalog, access, name, rows),
    hasNamespace: async (path) => (await namespaceAt(path)).value !== undefined,
    heldOn: async (path) => {
      if (path.length === 0) return (await access.found(() => catalog.catalogs.get(name))).held;
      const { value, held } = await namespaceAt(path);
      return value === undefined ? undefined : held;
    },
    entry: async (at) => {
      const ref = { catalog: name, path: at.path, name: at.name };
      const { value, held } = await access.found(() => orNone(tables.entry(actor, ref)));
      return value && { id: value.id, held };
    },
    placeOf: async (id) => {
      const { context } = catalog;
      const table = (await entityById<Table>(context, "table", id))?.entity;
      if (table === undefined) return undefined;
      const { namespaceId } = table;
      const namespace = (await entityById<Namespace>(context, "namespace", namespaceId))?.entity;
      return namespace && { path: namespace.path, name: table.name };
    },
    contentOf: async (path) => {
      const ref = { catalog: name, path };
      const seen = await access.judged(() => contentOf(catalog, ref));
      if (seen.other !== undefined) return seen;
      const all = await unjudged(() => contentOf(catalog, ref));
      const isWhole = all.other === undefined && all.tables.length === seen.tables.length;
      return isWhole ? seen : { ...seen, other: "an object that you may not see" };
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
