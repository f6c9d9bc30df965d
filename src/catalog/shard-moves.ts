import type { ShardId, TableId } from "../base/ids.ts";
import { BatchBuilder, type Fence } from "./batch.ts";
import type { Actor, CatalogContext } from "./context.ts";
import { readEntity, type Stored } from "./entities.ts";
import { tableNotFound } from "./errors.ts";
import type { Table } from "./model.ts";
import { byIdKey } from "./paths.ts";
import { assertMayUpdate } from "./payloads.ts";
import { write } from "./repository.ts";
import { summaryOf } from "./summaries.ts";

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
  const { account, payloads, pointers } = context;
  await write(context, actor, "move-table-rows", async ({ authorship }) => {
    const [item, job] = await pointers.getMany([byIdKey("table", account, id), fence.key]);
    const stored =
      item?.state === "live" ? await readEntity<Table>(context, "table", item) : undefined;
    const { entity } = stored ?? {};
    const isThere = entity?.state === "ACTIVE" && (entity.shard ?? entity.catalogId) === from;
    if (stored === undefined || entity === undefined || !isThere) {
      throw tableNotFound([], entity?.name ?? id);
    }
    assertMayUpdate(stored.envelope);
    const { shard: _shard, ...rest } = entity;
    const isFirst = to === entity.catalogId;
    const moved: Table = isFirst ? rest : { ...rest, shard: to as ShardId };
    const payload = payloads.encode(moved, authorship);
    const batch = new BatchBuilder(account).put(stored.item, {
      payload,
      summary: summaryOf(moved, payload),
    });
    const told = fence.join(batch, job);
    return { batch, primary: stored.item.key, result: told };
  });
}
