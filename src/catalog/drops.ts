import { assert } from "../base/assert.ts";
import type { AccountId, JobId } from "../base/ids.ts";
import type { Item } from "../pointer/port.ts";
import type { BatchBuilder } from "./batch.ts";
import type { CatalogContext } from "./context.ts";
import { corrupt } from "./errors.ts";
import { deleteJob, jobKeys, putJob } from "./jobs.ts";
import { digits19, FAMILIES, keyOf, leafText } from "./keys.ts";
import { CATALOG_LIMITS } from "./limits.ts";
import type { DroppableEntity, Entity } from "./model.ts";
import type { Authorship } from "./payloads.ts";
import { nameSummary } from "./summaries.ts";

/** What can be dropped, and brought back for a while. */
export type Droppable = DroppableEntity;

/** The account among whose jobs and dropped things an entity is. */
export function keeperOf(account: AccountId, entity: Entity): AccountId {
  return entity.type === "account" ? (entity.operator ?? account) : account;
}

/**
 * The keys of what a drop leaves behind apart from the canonical pointer: its place among what can
 * be brought back, and the job that ends its life.
 */
export function afterDropKeys(
  account: AccountId,
  id: Droppable["id"],
  purgeAfterMs: number,
): readonly string[] {
  const index = keyOf(FAMILIES.dropped, account, `${digits19(purgeAfterMs)}-${id}`);
  return [index, ...jobKeys(account, id as string as JobId, purgeAfterMs)];
}

/** When what is dropped now may be purged. */
export function purgeAfterMsOf(
  { dropRetentionMs = CATALOG_LIMITS.dropRetentionMs }: Pick<CatalogContext, "dropRetentionMs">,
  { updatedAtMs }: Pick<Authorship, "updatedAtMs">,
): number {
  return updatedAtMs + dropRetentionMs;
}

/** Adds to a drop what it leaves behind. `items`: under `afterDropKeys`, in their order. */
export function putAfterDrop(batch: BatchBuilder, entity: Droppable, items: readonly Item[]): void {
  const { purgeAfterMs, id } = entity;
  assert(entity.state === "DROPPED" && purgeAfterMs > 0, "what was dropped is purged at a time");
  const [index, state, due] = threeOf(items, entity);
  const isIndexed = leafText(index.key) === `${digits19(purgeAfterMs)}-${id}`;
  assert(isIndexed, "what was dropped is listed in the order in which it is purged");
  batch.put(index, { summary: nameSummary(entity) });
  putJob(batch, [state, due], {
    id: entity.id as string as JobId,
    kind: "purge",
    subject: { type: entity.type, id: entity.id },
    step: "",
    dueMs: entity.purgeAfterMs,
    heldUntilMs: 0,
    tries: 0,
    failures: 0,
  });
}

/** Takes back what a drop left behind. */
export function deleteAfterDrop(
  batch: BatchBuilder,
  entity: Droppable,
  items: readonly Item[],
): void {
  assert(entity.state === "ACTIVE", "what leaves the list of the dropped is back");
  const [index, state, due] = threeOf(items, entity);
  batch.delete(index);
  deleteJob(batch, [state, due]);
}

function threeOf(items: readonly Item[], { id }: Droppable): readonly [Item, Item, Item] {
  const [index, state, due] = items;
  if (index === undefined || state === undefined || due === undefined) {
    throw corrupt("store answered fewer items than asked for", { id });
  }
  return [index, state, due];
}
