import { assert } from "../base/assert.ts";
import type { CatalogId, TableId } from "../base/ids.ts";
import { BatchBuilder, type Fence } from "./batch.ts";
import type { Actor, CatalogContext } from "./context.ts";
import { readEntity } from "./entities.ts";
import type { Catalog, Table } from "./model.ts";
import { byIdKey } from "./paths.ts";
import { assertMayUpdate } from "./payloads.ts";
import { write } from "./repository.ts";
import { summaryOf } from "./summaries.ts";

/** What a job changes. */
export type Fenced =
  | { readonly type: "catalog"; readonly id: CatalogId }
  | { readonly type: "table"; readonly id: TableId };

/**
 * Gives an entity other content in the name of a job: no other try of that can have begun.
 *
 * @param change of what is there, undefined where nothing is: then it throws.
 * @throws FirnError `Conflict` `JOB_LEASE_LOST`; `Unknown` `OUTCOME_UNKNOWN`; what `change` throws.
 */
export async function reviseFenced<E extends Catalog | Table>(
  context: CatalogContext,
  actor: Actor,
  operation: "move-table-rows" | "delete-row-shard",
  { type, id, fence }: Fenced & { readonly fence: Fence },
  change: (entity: E | undefined) => E,
): Promise<void> {
  const { account, payloads, pointers } = context;
  await write(context, actor, operation, async ({ authorship }) => {
    const [item, job] = await pointers.getMany([byIdKey(type, account, id), fence.key]);
    const stored = item?.state === "live" ? await readEntity<E>(context, type, item) : undefined;
    const changed = change(stored?.entity);
    assert(stored !== undefined, "what is not there is not changed");
    assertMayUpdate(stored.envelope);
    const payload = payloads.encode(changed, authorship);
    const batch = new BatchBuilder(account).put(stored.item, {
      payload,
      summary: summaryOf(changed, payload),
    });
    const told = fence.join(batch, job);
    return { batch, primary: stored.item.key, result: told };
  });
}
