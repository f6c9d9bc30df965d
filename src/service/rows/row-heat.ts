import { entityById } from "../../catalog/by-id.ts";
import type { AccountCatalog } from "../../catalog/catalog.ts";
import type { Namespace, Table } from "../../catalog/model.ts";
import { decodeTablePrefix, FIRST_RELATION, TABLE_PREFIX_BYTES } from "../../keys/index.ts";
import type { Engine, HotGroup } from "../../lsm/index.ts";
import { APART_INDEX, type TableDescriptor } from "../../rows/index.ts";
import { shardsOf } from "./row-places.ts";
import type { RowShards } from "./row-shards.ts";

/** What the latest operations of a shard met: a table or one of its indexes. JSON-able. */
export interface HotTable {
  /** Dotted, with its namespace; absent of what the shard itself keeps, and of a dropped table. */
  readonly table?: string;
  /** Absent of the rows. */
  readonly index?: string;
  /** Of the operations of the shard: above 0, at most 1. */
  readonly share: number;
  readonly perSecond: number;
  /** Different keys that were seen, at least. */
  readonly keys: number;
  /** Of the operations on it, those on the key that is met most. */
  readonly topShare: number;
}

/** What is hot in a shard of row tables. JSON-able. */
export interface HotShard {
  readonly catalog: string;
  readonly shard: string;
  readonly reads: readonly HotTable[];
  readonly writes: readonly HotTable[];
}

export interface RowHeatParts {
  readonly catalog: AccountCatalog;
  readonly shards: RowShards;
}

/** Which row tables the latest operations met, of the shards that this process has open. */
export class RowHeat {
  readonly #parts: RowHeatParts;

  constructor(parts: RowHeatParts) {
    this.#parts = parts;
  }

  async hot(): Promise<readonly HotShard[]> {
    const { catalog, shards } = this.#parts;
    const found: HotShard[] = [];
    for (let after: string | undefined; ; ) {
      const page = await catalog.catalogs.list(after === undefined ? {} : { after });
      for (const name of page.items) {
        const { entity } = await catalog.catalogs.get(name);
        for (const shard of shardsOf(entity)) {
          const engine = await shards.opened(shard.id);
          if (engine === undefined) continue;
          found.push({ catalog: name, shard: shard.name, ...(await this.#of(engine, shard.id)) });
        }
      }
      after = page.next;
      if (after === undefined) return found;
    }
  }

  async #of(engine: Engine, shard: string): Promise<Pick<HotShard, "reads" | "writes">> {
    const { reads, writes } = engine.hotBelow(TABLE_PREFIX_BYTES);
    if (reads.length === 0 && writes.length === 0) return { reads: [], writes: [] };
    const store = await this.#parts.shards.of(shard);
    const tables = await store.run((tx) => tx.tables.list(), { readOnly: true });
    const byRelation = new Map(tables.map((table) => [table.relation, table]));
    const named = async (groups: readonly HotGroup[]): Promise<readonly HotTable[]> => {
      const found: HotTable[] = [];
      for (const group of groups) found.push(await this.#named(group, byRelation));
      return found;
    };
    return { reads: await named(reads), writes: await named(writes) };
  }

  async #named(
    { prefix, ...figures }: HotGroup,
    tables: ReadonlyMap<number, TableDescriptor>,
  ): Promise<HotTable> {
    const key = Buffer.from(prefix, "latin1");
    if (key.length < TABLE_PREFIX_BYTES) return figures;
    const { relation, index } = decodeTablePrefix(key);
    const table = relation < FIRST_RELATION ? undefined : tables.get(relation);
    if (table === undefined) return figures;
    const name = await this.#nameOf(table);
    if (index === 0) return { ...figures, table: name };
    if (index === APART_INDEX) return { ...figures, table: name, index: "long values" };
    const of = table.indexes.find((one) => one.id === index)?.name ?? String(index);
    return { ...figures, table: name, index: of };
  }

  /** As the catalog calls it now. */
  async #nameOf({ id, namespace, name }: TableDescriptor): Promise<string> {
    const { context } = this.#parts.catalog;
    const table = (await entityById<Table>(context, "table", id))?.entity;
    const space =
      table && (await entityById<Namespace>(context, "namespace", table.namespaceId))?.entity;
    const path = space?.path ?? namespace;
    return [...path, table?.name ?? name].join(".");
  }
}
