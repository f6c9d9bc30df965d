import { assert } from "../base/assert.ts";
import type { AccountId } from "../base/ids.ts";
import type { Item, Live } from "../pointer/port.ts";
import { type BatchBuilder, fitSummary } from "./batch.ts";
import { type CatalogContext, contextWithin } from "./context.ts";
import { readEntity, type Stored } from "./entities.ts";
import type { Account } from "./model.ts";
import { byIdKey } from "./paths.ts";
import type { Authorship } from "./payloads.ts";
import { summaryOf } from "./summaries.ts";

/*
 * The payload of an account lies in that account, whichever account its writer works in.
 */

/** An account in whatever state, by its id; undefined where it is gone. One read, one payload. */
export async function accountById(
  context: CatalogContext,
  id: AccountId,
): Promise<Stored<Account> | undefined> {
  const item = await context.pointers.get(byIdKey("account", id, id));
  return item.state === "live" ? readAccount(context, id, item) : undefined;
}

/** The account behind its canonical pointer; undefined where that died meanwhile. */
export async function readAccount(
  context: CatalogContext,
  id: AccountId,
  item: Live,
): Promise<Stored<Account> | undefined> {
  return readEntity<Account>(contextWithin(context, id), "account", item);
}

/** Writes an account over the item that was read, as part of a batch of another account. */
export function putAccount(
  { payloads }: CatalogContext,
  batch: BatchBuilder,
  item: Item,
  entity: Account,
  authorship: Authorship,
): void {
  const payload = payloads.of(entity.id).encode(entity, authorship);
  assert(payload.decoded.envelope.accountId === entity.id, "an account lies in itself");
  const { path, bytes } = payload;
  batch.put(item, { blob: { path, bytes }, bytes: fitSummary(summaryOf(entity, payload)) });
}
