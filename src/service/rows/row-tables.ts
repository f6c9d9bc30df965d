import { FirnError, invalid } from "../../base/error.ts";
import {
  type CatalogId,
  mintedAtMs,
  type ShardId,
  type TableId,
  type TableUuid,
} from "../../base/ids.ts";
import { entityById } from "../../catalog/by-id.ts";
import type { AccountCatalog } from "../../catalog/catalog.ts";
import type { Stored } from "../../catalog/entities.ts";
import { namespaceNotFound, tableNotFound } from "../../catalog/errors.ts";
import type { Table } from "../../catalog/model.ts";
import { byIdKey } from "../../catalog/paths.ts";
import type { RelationDraft, RelationRef } from "../../catalog/relations.ts";
import { reviseEntity } from "../../catalog/revise.ts";
import { revisedOf } from "../../catalog/revised-entity.ts";
import type { Engine } from "../../lsm/index.ts";
import type { RowStore, TableDescriptor, TableSpec } from "../../rows/index.ts";
import { type Actor, OWN_ACTOR } from "../actor.ts";
import type { TableLocations } from "../table-locations.ts";
import type { JsonRows } from "./json-rows.ts";
import { type HotShard, RowHeat } from "./row-heat.ts";
import { shardNamed, shardOf } from "./row-places.ts";
import type { RowShards } from "./row-shards.ts";
import { checkRowTable, columnsOf, type RowTableReport, sameColumns } from "./table-check.ts";

/** A row table that is to be made: its columns, key and indexes. */
export interface NewRowTable extends Omit<TableSpec, "id" | "namespace" | "unnamed"> {
  readonly description?: string;
}

/** The rows of a table: its id leads to its descriptor, in a transaction of the store. */
export interface OpenRowTable {
  readonly store: RowStore;
  readonly id: TableId;
}

/** The rows of a table that was found by its name, and what writes them as JSON. */
export interface NamedRowTable extends OpenRowTable {
  /** Loaded with the first call: it brings the types of SQL along. */
  readonly jsonRows: () => Promise<JsonRows>;
}

/** A name that was taken for a table. */
export interface TableClaim {
  readonly kept: () => void;
  readonly undo: () => Promise<void>;
}

export interface RowTablesParts {
  readonly catalog: AccountCatalog;
  readonly places: TableLocations;
  readonly shards: RowShards;
  readonly jsonRows: () => Promise<JsonRows>;
}

/** Row tables of the catalog. */
export class RowTables {
  readonly #parts: RowTablesParts;
  readonly #swept = new Set<string>();
  /** The end of the last publication of each store. */
  readonly #publishing = new WeakMap<RowStore, Promise<void>>();
  /** Tables whose names are taken, and whose descriptors are about to be committed. */
  readonly #claimed = new Set<TableId>();

  constructor(parts: RowTablesParts) {
    this.#parts = parts;
  }

  /**
   * Creates a table of format `ROW`: its descriptor in the shard first, then the catalog's entry.
   *
   * @throws FirnError `CATALOG_NOT_FOUND`, `NAMESPACE_NOT_FOUND`, `TABLE_ALREADY_EXISTS`,
   *   `VIEW_ALREADY_EXISTS`; of its columns `ROW_TABLE_INVALID`, `ROW_KEY_TYPE_INVALID`.
   */
  async create(
    actor: Actor,
    namespace: Omit<RelationRef, "name">,
    request: NewRowTable,
  ): Promise<NamedRowTable> {
    const { catalog, shards } = this.#parts;
    const { description = "", shard, ...spec } = request;
    const ref: RelationRef = { ...namespace, name: spec.name };
    await catalog.tables.assertFree(ref);
    const { entity: parent } = await catalog.catalogs.get(ref.catalog);
    const place = shardNamed(parent, shard).id;
    const store = await shards.of(place);
    await this.#sweepOnce(actor, place);
    const id = catalog.context.ids.mint<TableId>();
    const made = await store.run(
      async (tx) => await tx.createTable({ ...spec, id, namespace: ref.path, unnamed: true }),
    );
    try {
      const entity = await this.#enter(
        actor,
        ref,
        { catalogId: parent.id, place },
        made,
        description,
      );
      if (entity.id === id) return { store, id, jsonRows: this.#parts.jsonRows };
      // A request that was answered before is answered with what it made then.
      await forget(store, id);
      return await this.of(OWN_ACTOR, entity);
    } catch (error) {
      // Where it may have been made after all, its rows stay: the check of the store finds them.
      if (!(error instanceof FirnError) || error.kind !== "Unknown") await forget(store, id);
      throw error;
    }
  }

  /**
   * Takes the catalog's name for a table whose descriptor is about to be committed: `undo` gives it
   * back. An entry that a crash left without a descriptor makes way.
   *
   * @param shard the first one of the catalog where absent.
   * @throws FirnError as `create`.
   */
  async claim(
    actor: Actor,
    ref: RelationRef,
    table: TableDescriptor,
    shard?: string,
  ): Promise<TableClaim> {
    const { catalog } = this.#parts;
    const { entity: parent } = await catalog.catalogs.get(ref.catalog);
    const at = { catalogId: parent.id, place: shard ?? parent.id };
    await this.#sweepOnce(actor, at.place);
    const { id } = table;
    this.#claimed.add(id);
    const kept = (): void => {
      this.#claimed.delete(id);
    };
    try {
      await this.#enter(actor, ref, at, table, "").catch(async (error: unknown) => {
        if (!isTaken(error) || !(await this.#makesWay(actor, ref))) throw error;
        await this.#enter(actor, ref, at, table, "");
      });
    } catch (error) {
      kept();
      throw error;
    }
    const undo = async (): Promise<void> => {
      kept();
      await this.release(actor, ref, id);
    };
    return { kept, undo };
  }

  /** Removes the entry of a table whose rows are gone; nothing where the name is another's. */
  async release(actor: Actor, ref: RelationRef, id: TableId): Promise<void> {
    const expect = ({ entity }: { readonly entity: Table }): void => {
      if (entity.id !== id) throw tableNotFound(ref.path, ref.name);
    };
    try {
      await this.#parts.catalog.tables.drop(actor, ref, { purgeRequested: true }, expect);
    } catch (error) {
      if (!(error instanceof FirnError) || error.kind !== "NotFound") throw error;
    }
  }

  /**
   * Whether an entry was left behind by a transaction that made or dropped its table, and is gone
   * now: the shard has no descriptor of it, and no transaction is about to commit one.
   */
  async #makesWay(actor: Actor, ref: RelationRef): Promise<boolean> {
    const { catalog } = this.#parts;
    const { entity } = await catalog.tables.get(ref);
    if (entity.format !== "ROW" || this.#claimed.has(entity.id)) return false;
    const store = await this.#storeOf(entity);
    const known = await store?.run(async (tx) => await tx.tables.find(entity.id), {
      readOnly: true,
    });
    // One that was claimed meanwhile is about to be there.
    if (known !== undefined || this.#claimed.has(entity.id)) return false;
    await this.release(actor, ref, entity.id);
    return true;
  }

  /** Makes the catalog's entry of a table that the shard has, or is about to have. */
  async #enter(
    actor: Actor,
    ref: RelationRef,
    { catalogId, place }: TablePlace,
    table: TableDescriptor,
    description: string,
  ): Promise<Table> {
    const columns = columnsOf(table);
    const shard = place === catalogId ? {} : { shard: place as ShardId };
    const content = { format: "ROW", description, properties: {}, columns, ...shard } as const;
    const draft = async () => await this.#draft(ref, catalogId, content);
    const { tables } = this.#parts.catalog;
    const { entity } = await tables.create(actor, "create-table", ref, draft, table.id);
    return entity;
  }

  /**
   * The rows of a table.
   *
   * @throws FirnError `CATALOG_NOT_FOUND`, `NAMESPACE_NOT_FOUND`, `TABLE_NOT_FOUND`; `Invalid`,
   *   code `FORMAT_UNSUPPORTED`: it is not a row table.
   */
  async open(_actor: Actor, ref: RelationRef): Promise<NamedRowTable> {
    const { entity } = await this.#parts.catalog.tables.get(ref);
    return await this.of(OWN_ACTOR, entity);
  }

  /** The rows of a table that was found. @throws FirnError `Invalid`, code `FORMAT_UNSUPPORTED`. */
  async of(_actor: Actor, table: Table): Promise<NamedRowTable> {
    assertRows(table);
    const { shards, jsonRows } = this.#parts;
    return { store: await shards.of(shardOf(table)), id: table.id, jsonRows };
  }

  /** What the catalog says of a row table. @throws FirnError as `open`. */
  async entry(_actor: Actor, ref: RelationRef): Promise<Table> {
    const { entity } = await this.#parts.catalog.tables.get(ref);
    assertRows(entity);
    return entity;
  }

  /** A shard, for backups; undefined where it was never made. */
  async engineOf(_actor: Actor, shard: string): Promise<Engine | undefined> {
    return await this.#parts.shards.engineOf(shard);
  }

  /** Which tables are read and written most, of the shards that this process has open. */
  async hot(_actor: Actor): Promise<readonly HotShard[]> {
    return await new RowHeat(this.#parts).hot();
  }

  /** What was read is answered if no other process had taken the shard over by then. */
  async confirm(_actor: Actor, store: RowStore): Promise<void> {
    await store.run(async () => undefined, { readOnly: true });
  }

  /**
   * Compares the indexes of a row table with its rows, all of one state.
   *
   * @returns what does not agree; undefined where the shard does not know the table.
   */
  check(_actor: Actor, table: Table): Promise<RowTableReport | undefined> {
    return checkRowTable(this.#parts.shards, table);
  }

  /**
   * Drops what a crash left between the shard and the catalog: descriptors that no table of the
   * catalog names, and none will, since the request that would is too old to land.
   *
   * @returns how many.
   */
  async sweep(_actor: Actor, shard: string): Promise<number> {
    const { pointers, account, clock } = this.#parts.catalog.context;
    const store = await this.#parts.shards.of(shard);
    const known = await store.run(async (tx) => await tx.tables.list(), { readOnly: true });
    const olderThan = clock.nowMs() - LEFT_BEHIND_MS;
    const old = known.filter(({ id }) => mintedAtMs(id) < olderThan);
    if (old.length === 0) return 0;
    const found = await pointers.getMany(old.map(({ id }) => byIdKey("table", account, id)));
    const left = old.filter((_, i) => found[i]?.state === "absent");
    for (const { id } of left) await forget(store, id);
    return left.length;
  }

  /**
   * Shows the columns of tables as their shard has them now: those that were changed, a change that
   * a crash kept from being shown included. What fails stays due.
   */
  async publish(_actor: Actor, store: RowStore): Promise<void> {
    const before = this.#publishing.get(store) ?? Promise.resolve();
    // One after the other: no older columns are written over newer ones.
    const done = before.then(() => this.#publishDue(store)).catch(() => undefined);
    this.#publishing.set(store, done);
    await done;
  }

  async #publishDue(store: RowStore): Promise<void> {
    const due = await store.run(async (tx) => await tx.tables.unpublished(), { readOnly: true });
    for (const { id } of due) {
      const table = await store.run(async (tx) => await tx.tables.find(id), { readOnly: true });
      if (table !== undefined) await this.#show(table);
      const version = table?.version ?? due.find((one) => one.id === id)?.version ?? 0;
      await store.run((tx) => tx.tables.published({ id, version }));
    }
  }

  async #show(table: TableDescriptor): Promise<void> {
    const { context } = this.#parts.catalog;
    const find = async (): Promise<Stored<Table>> => {
      const stored = await entityById<Table>(context, "table", table.id);
      if (stored === undefined) throw tableNotFound(table.namespace, table.name);
      return stored;
    };
    const columns = columnsOf(table);
    const change = ({ entity }: Stored<Table>): Table | undefined =>
      sameColumns(entity.columns, columns) ? undefined : { ...entity, columns };
    const replay = async () => revisedOf(await find());
    try {
      await reviseEntity(context, OWN_ACTOR, "update-table", find, change, replay);
    } catch (error) {
      // A table that was dropped shows nothing.
      if (!(error instanceof FirnError) || error.kind !== "NotFound") throw error;
    }
  }

  /** Deletes the rows of a table that is PURGING: nothing can bring it back. */
  async purge(_actor: Actor, table: Table): Promise<void> {
    const store = await this.#storeOf(table);
    if (store !== undefined) await forget(store, table.id);
  }

  /** Undefined where the shard was deleted, which knew no table by then. */
  async #storeOf(table: Table): Promise<RowStore | undefined> {
    return await this.#parts.shards.of(shardOf(table)).catch((error: unknown) => {
      if (error instanceof FirnError && error.code === "ROW_SHARD_NOT_FOUND") return undefined;
      throw error;
    });
  }

  /** Before the first table that this process makes in a shard. */
  async #sweepOnce(actor: Actor, shard: string): Promise<void> {
    if (this.#swept.has(shard)) return;
    this.#swept.add(shard);
    await this.publish(actor, await this.#parts.shards.of(shard));
    await this.sweep(actor, shard);
  }

  async #draft(
    ref: RelationRef,
    catalogId: CatalogId,
    content: NonNullable<RelationDraft<Table>["content"]>,
  ): Promise<RelationDraft<Table>> {
    const { catalog, places: all } = this.#parts;
    const places = await all.of(ref.catalog, ref.path);
    // The catalog's name may be another one's by now, whose rows lie in another shard.
    const { entity } = await catalog.catalogs.get(ref.catalog);
    if (entity.id !== catalogId) throw namespaceNotFound(ref.path);
    const uuid = catalog.context.ids.mint<TableUuid>();
    const location = places.defaultFor(ref.path, ref.name, uuid);
    return { location, fresh: true, content, ...places.surroundings(location, true) };
  }
}

/** Longer than any request of a node that died may still land, clocks apart included. */
const LEFT_BEHIND_MS = 3_600_000;

interface TablePlace {
  readonly catalogId: CatalogId;
  /** The id of a shard. */
  readonly place: string;
}

/** @throws FirnError `Invalid`, code `FORMAT_UNSUPPORTED`. */
function assertRows({ name, format }: Table): void {
  if (format === "ROW") return;
  const message = `table ${name} has format ${format}: only row tables have rows`;
  throw invalid("FORMAT_UNSUPPORTED", message, { format });
}

function isTaken(error: unknown): boolean {
  return error instanceof FirnError && error.code === "TABLE_ALREADY_EXISTS";
}

/** Drops what a shard knows of a table, if anything. */
async function forget(store: RowStore, id: TableId): Promise<void> {
  await store.run(async (tx) => {
    if ((await tx.tables.find(id)) !== undefined) await tx.dropTable(id, { cascade: true });
  });
}
