import { assert } from "../base/assert.ts";
import type { CatalogId } from "../base/ids.ts";
import { BatchBuilder, type Fence } from "./batch.ts";
import type { Actor, CatalogContext } from "./context.ts";
import { readEntity } from "./entities.ts";
import { catalogNotFound } from "./errors.ts";
import type { Catalog } from "./model.ts";
import { byIdKey } from "./paths.ts";
import { assertMayUpdate } from "./payloads.ts";
import { write } from "./repository.ts";
import { summaryOf } from "./summaries.ts";

/**
 * The batch that takes a shard of row tables out of its catalog: its name is free from then on.
 * Nothing but the job changes where the catalog has it no more. `fence`: of the job that has closed
 * the shard.
 *
 * @throws FirnError `CATALOG_NOT_FOUND`: it was dropped; `Conflict` `JOB_LEASE_LOST`; `Unknown`
 *   `OUTCOME_UNKNOWN`.
 */
export async function removeShard(
  context: CatalogContext,
  actor: Actor,
  id: CatalogId,
  shard: string,
  fence: Fence,
): Promise<void> {
  const { account, payloads, pointers } = context;
  assert(shard !== id, "the first shard of a catalog goes with it alone");
  await write(context, actor, "delete-row-shard", async ({ authorship }) => {
    const [item, job] = await pointers.getMany([byIdKey("catalog", account, id), fence.key]);
    const stored =
      item?.state === "live" ? await readEntity<Catalog>(context, "catalog", item) : undefined;
    const { entity } = stored ?? {};
    if (stored === undefined || entity?.state !== "ACTIVE") {
      throw catalogNotFound(entity?.name ?? id);
    }
    assertMayUpdate(stored.envelope);
    const { rowShards = [], ...rest } = entity;
    const left = rowShards.filter((one) => one.id !== shard);
    const smaller: Catalog = left.length === 0 ? rest : { ...rest, rowShards: left };
    const payload = payloads.encode(smaller, authorship);
    const batch = new BatchBuilder(account).put(stored.item, {
      payload,
      summary: summaryOf(smaller, payload),
    });
    const told = fence.join(batch, job);
    return { batch, primary: stored.item.key, result: told };
  });
}
