import { entityById } from "../../catalog/by-id.ts";
import type { CatalogContext } from "../../catalog/context.ts";
import type { Catalog, Table } from "../../catalog/model.ts";
import { FIRST_SHARD, type NamedShard, shardNotFound } from "../../rows/index.ts";

/** The shard that the rows of a table lie in, by its id. */
export function shardOf({ shard, catalogId }: Pick<Table, "shard" | "catalogId">): string {
  return shard ?? catalogId;
}

/** The shards of a catalog: the first one has its id. */
export function shardsOf({ id, rowShards = [] }: Catalog): readonly [NamedShard, ...NamedShard[]] {
  return [{ id, name: FIRST_SHARD }, ...rowShards.map(({ id, name }) => ({ id, name }))];
}

/** @throws FirnError `NotFound`, code `ROW_SHARD_NOT_FOUND` (42704). */
export function shardNamed(catalog: Catalog, name: string | undefined): NamedShard {
  const shards = shardsOf(catalog);
  if (name === undefined || name === "") return shards[0];
  const found = shards.find((one) => one.name === name);
  if (found === undefined) throw shardNotFound(name);
  return found;
}

/** The shard of a table that is known by its id alone; undefined where there is none. */
export async function placeById(
  context: CatalogContext,
  id: Table["id"],
): Promise<string | undefined> {
  const stored = await entityById<Table>(context, "table", id);
  return stored && shardOf(stored.entity);
}
