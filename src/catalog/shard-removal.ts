import { assert } from "../base/assert.ts";
import type { CatalogId } from "../base/ids.ts";
import type { Fence } from "./batch.ts";
import type { Actor, CatalogContext } from "./context.ts";
import { catalogNotFound } from "./errors.ts";
import { reviseFenced } from "./fenced-revision.ts";
import type { Catalog } from "./model.ts";

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
  assert(shard !== id, "the first shard of a catalog goes with it alone");
  const of = { type: "catalog", id, fence } as const;
  await reviseFenced<Catalog>(context, actor, "delete-row-shard", of, (entity) => {
    if (entity?.state !== "ACTIVE") throw catalogNotFound(entity?.name ?? id);
    const { rowShards = [], ...rest } = entity;
    const left = rowShards.filter((one) => one.id !== shard);
    return left.length === 0 ? rest : { ...rest, rowShards: left };
  });
}
