import type { ShardId, TableId } from "../base/ids.ts";
import type { Fence } from "./batch.ts";
import type { Actor, CatalogContext } from "./context.ts";
import { readEntity, type Stored } from "./entities.ts";
import { tableNotFound } from "./errors.ts";
import { reviseFenced } from "./fenced-revision.ts";
import type { Table } from "./model.ts";
import { byIdKey } from "./paths.ts";

/** A table by its id, one that was dropped too. */
export async function anyTableById(
  context: CatalogContext,
  id: TableId,
): Promise<Stored<Table> | undefined> {
  const item = await context.pointers.get(byIdKey("table", context.account, id));
  return item.state === "absent" ? undefined : await readEntity<Table>(context, "table", item);
}

/** From one shard to another one, by their ids. */
export interface ShardMove {
  readonly from: string;
  readonly to: string;
}

/**
 * The batch that moves a row table to another shard. `fence`: of the job that has copied its rows,
 * so that no other try of it can have begun.
 *
 * @throws FirnError `TABLE_NOT_FOUND`: it was dropped; `Conflict` `JOB_LEASE_LOST`; `Unknown`
 *   `OUTCOME_UNKNOWN`.
 */
export async function moveToShard(
  context: CatalogContext,
  actor: Actor,
  id: TableId,
  { from, to }: ShardMove,
  fence: Fence,
): Promise<void> {
  const of = { type: "table", id, fence } as const;
  await reviseFenced<Table>(context, actor, "move-table-rows", of, (entity) => {
    const isThere = entity?.state === "ACTIVE" && (entity.shard ?? entity.catalogId) === from;
    if (entity === undefined || !isThere) throw tableNotFound([], entity?.name ?? id);
    const { shard: _shard, ...rest } = entity;
    const isFirst = to === entity.catalogId;
    return isFirst ? rest : { ...rest, shard: to as ShardId };
  });
}
