import { Background, type OnDefect } from "../base/background.ts";
import type { AccountId } from "../base/ids.ts";
import type { BlobStore } from "../blob/port.ts";
import { BatchBuilder, never } from "./batch.ts";
import type { CatalogContext } from "./context.ts";
import { summaryOfItem } from "./entities.ts";
import { JobNews } from "./job-news.ts";
import { FAMILIES, keyOf } from "./keys.ts";
import type { Account } from "./model.ts";
import { checkName } from "./names.ts";
import { byIdKey } from "./paths.ts";
import { Payloads } from "./payloads.ts";
import { write } from "./repository.ts";
import { nameSummary, summaryOf } from "./summaries.ts";
import { tableIndexKey } from "./table-index.ts";

/** What an account is opened with: the stores and ports, without what belongs to the account. */
export type AccountStores = Omit<
  CatalogContext,
  "account" | "payloads" | "background" | "jobNews"
> & {
  readonly blobs: BlobStore;
  /** Told of defects of work in the background, which otherwise end in `background.settled`. */
  readonly onDefect?: OnDefect;
};

/**
 * Opens an account by name and makes it where it is not there yet. Nodes that start together agree:
 * one makes it, the others find it.
 */
export async function openAccount(stores: AccountStores, text: string): Promise<CatalogContext> {
  const name = checkName(text, "account");
  const fresh = stores.ids.mint<AccountId>();
  const context = accountContext(stores, fresh);
  const actor = { requestId: "start", principal: "firn" };
  const id = await write(context, actor, "create-account", async (attempt) => {
    const held = await stores.pointers.get(keyOf(FAMILIES.accountByName, name));
    if (held.state === "live") return { unchanged: summaryOfItem(held).entityId as AccountId };
    const account: Account = {
      type: "account",
      id: fresh,
      name,
      description: "",
      tags: {},
      createdAtMs: attempt.authorship.updatedAtMs,
      state: "ACTIVE",
      protected: false,
      purgeAfterMs: 0,
      nameRevision: attempt.authorship.revision,
    };
    const payload = context.payloads.encode(account, attempt.authorship);
    const primary = byIdKey("account", fresh, fresh);
    const batch = new BatchBuilder(fresh)
      .put(never(primary), { payload, summary: summaryOf(account, payload) })
      .put(held, { summary: nameSummary(account) })
      .derive(never(keyOf(FAMILIES.accountGuard, fresh)), {})
      .derive(never(tableIndexKey(fresh)), {});
    return { batch, primary, result: () => fresh };
  });
  return accountContext(stores, id);
}

/** What an account that is there is opened with. No request. */
export function accountContext(stores: AccountStores, account: AccountId): CatalogContext {
  const { blobs, onDefect, ...ports } = stores;
  return {
    ...ports,
    account,
    payloads: new Payloads(blobs, account),
    background: new Background(onDefect),
    jobNews: new JobNews(),
  };
}
