import type { FirnError } from "../base/error.ts";
import type { AccountId } from "../base/ids.ts";
import type { Item, Live } from "../pointer/port.ts";
import { accountById, putAccount } from "./account-payloads.ts";
import { BatchBuilder, never } from "./batch.ts";
import type { Actor, CatalogContext } from "./context.ts";
import { isNamed } from "./delete-marks.ts";
import { type Stored, summaryOfItem } from "./entities.ts";
import { accountExists, accountNotFound, beingDeleted, corrupt } from "./errors.ts";
import { accessKey, directoryOf, FAMILIES, keyOf } from "./keys.ts";
import { type Listed, listedPage } from "./listed.ts";
import type { Account, Receipt } from "./model.ts";
import { checkName, checkProperties } from "./names.ts";
import { listPage, type Page, type PageRequest } from "./pages.ts";
import { byIdKey } from "./paths.ts";
import { assertMayUpdate } from "./payloads.ts";
import { bumpAccess } from "./principals.ts";
import { type Attempt, type Planned, REPLAN, write } from "./repository.ts";
import type { Revise } from "./revise.ts";
import { type RevisedEntity, revisedBy, revisedOf } from "./revised-entity.ts";
import { nameSummary } from "./summaries.ts";
import { tableIndexKey } from "./table-index.ts";

/*
 * The accounts of a deployment, as an operator sees them from the account that it works in. The
 * records and receipts of its changes lie there; each account's payload lies in that account.
 */

/** What a new account is made of. */
export type NewAccount = Pick<Account, "name" | "description" | "tags">;

/** The accounts of a deployment. */
export class Accounts {
  readonly #context: CatalogContext;

  constructor(context: CatalogContext) {
    this.#context = context;
  }

  async page(request: PageRequest): Promise<Page<Listed>> {
    const directory = directoryOf(FAMILIES.accountByName);
    return listedPage(this.#context, await listPage(this.#context.pointers, directory, request));
  }

  /** Two reads, and a payload. @throws FirnError `ACCOUNT_NOT_FOUND`, `NAME_INVALID`. */
  async get(text: string): Promise<Stored<Account>> {
    const name = checkName(text, "account");
    const named = await this.#context.pointers.get(keyOf(FAMILIES.accountByName, name));
    if (named.state === "absent") throw accountNotFound(name);
    return this.byId(summaryOfItem(named).entityId as AccountId);
  }

  /** One read, and a payload. @throws FirnError `ACCOUNT_NOT_FOUND`: also while it is deleted. */
  async byId(id: AccountId): Promise<Stored<Account>> {
    const stored = await accountById(this.#context, id);
    if (stored?.entity.state !== "ACTIVE") throw accountNotFound(id);
    return stored;
  }

  /** @throws FirnError `NAME_INVALID`, `PROPERTIES_INVALID`, `ACCOUNT_ALREADY_EXISTS`. */
  async create(actor: Actor, request: NewAccount): Promise<RevisedEntity<Account>> {
    const { pointers, ids } = this.#context;
    const name = checkName(request.name, "account");
    const { description } = request;
    const tags = checkProperties(request.tags);
    const id = ids.mint<AccountId>();
    const plan = async (attempt: Attempt): Promise<Planned<RevisedEntity<Account>>> => {
      const { revision, updatedAtMs } = attempt.authorship;
      const held = await pointers.get(keyOf(FAMILIES.accountByName, name));
      if (held.state === "live") {
        const why = await this.#held(held, name);
        if (why === undefined) return REPLAN;
        throw why;
      }
      const entity: Account = {
        type: "account",
        id,
        name,
        description,
        tags,
        createdAtMs: updatedAtMs,
        state: "ACTIVE",
        protected: false,
        purgeAfterMs: 0,
        nameRevision: revision,
      };
      const primary = byIdKey("account", id, id);
      const batch = new BatchBuilder(this.#context.account);
      this.#put(batch, never(primary), entity, attempt);
      batch
        .put(held, { summary: nameSummary(entity) })
        .derive(never(keyOf(FAMILIES.accountGuard, id)), {})
        .derive(never(tableIndexKey(id)), {});
      return { batch, primary, result: () => revisedBy(attempt.authorship, entity, 1n) };
    };
    return write(this.#context, actor, "create-account", plan, (done) => this.#replay(done));
  }

  /**
   * Gives an account other content; its name stays. `change` answers undefined for what is there
   * already, and is asked again after a lost race.
   *
   * @throws FirnError as `get`, `PROPERTIES_INVALID`, and what `change` throws.
   */
  async revise(
    actor: Actor,
    name: string,
    change: Revise<Account>,
  ): Promise<RevisedEntity<Account>> {
    const plan = async (attempt: Attempt): Promise<Planned<RevisedEntity<Account>>> => {
      const stored = await this.get(name);
      assertMayUpdate(stored.envelope);
      const entity = change(stored);
      const primary = stored.item.key;
      if (entity === undefined) return { unchanged: revisedOf(stored), primary };
      checkProperties(entity.tags);
      const batch = new BatchBuilder(this.#context.account);
      this.#put(batch, stored.item, entity, attempt);
      // Sessions of PostgreSQL look at it again: it may be suspended.
      bumpAccess(batch, await this.#context.pointers.get(accessKey(stored.entity.id)));
      const version = stored.item.version + 1n;
      return { batch, primary, result: () => revisedBy(attempt.authorship, entity, version) };
    };
    return write(this.#context, actor, "update-account", plan, (done) => this.#replay(done));
  }

  #put(batch: BatchBuilder, item: Item, entity: Account, { authorship }: Attempt): void {
    putAccount(this.#context, batch, item, entity, authorship);
  }

  /** Why a name that an account had is not free; undefined where it has become free meanwhile. */
  async #held(held: Live, name: string): Promise<FirnError | undefined> {
    const stored = await accountById(this.#context, summaryOfItem(held).entityId as AccountId);
    if (stored === undefined || !isNamed(stored.entity)) return undefined;
    return stored.entity.state === "DELETING" ? beingDeleted("account", name) : accountExists(name);
  }

  /** What an earlier request of the same key came to, as it stands now. */
  async #replay({ key }: Receipt): Promise<RevisedEntity<Account>> {
    const item = await this.#context.pointers.get(key);
    if (item.state === "absent") throw corrupt("an account is gone", { key });
    return revisedOf(await this.byId(summaryOfItem(item).entityId as AccountId));
  }
}
