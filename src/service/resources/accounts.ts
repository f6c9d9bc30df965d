import { FirnError } from "../../base/error.ts";
import { type AccountId, parseId } from "../../base/ids.ts";
import type { AccountCatalog } from "../../catalog/catalog.ts";
import { accountInUse, accountNotFound } from "../../catalog/errors.ts";
import type { Listed } from "../../catalog/listed.ts";
import type { Account, ApiKey } from "../../catalog/model.ts";
import { type RevisedEntity, revisedOf } from "../../catalog/revised-entity.ts";
import { PrincipalAdmin } from "../access/principal-admin.ts";
import { type Actor, DEFAULT_ACCOUNT, SYSTEM_ACCOUNT } from "../actor.ts";
import type { JobInfo, JobsAdmin } from "../jobs-admin.ts";
import type { PageTokens } from "../page-token.ts";
import type { Properties } from "../requests.ts";
import type { ReservedProperties } from "../reserved-properties.ts";
import { type PageAsked, type TokenPage, tokenPage } from "./pages.ts";
import { mergedProperties } from "./patch.ts";
import { type AccountPlace, expecting, type Precondition, type Resource } from "./resource.ts";

/** Without them, no caller could end the suspension. */
const NEVER_SUSPENDED: ReadonlySet<string> = new Set([DEFAULT_ACCOUNT, SYSTEM_ACCOUNT]);

export interface NewAccountResource {
  readonly name: string;
  readonly description?: string | undefined;
  readonly tags?: Properties | undefined;
}

export interface AccountUpdate extends Precondition {
  readonly description?: string | undefined;
  readonly protected?: boolean | undefined;
  /** No credential of a suspended account is accepted. */
  readonly suspended?: boolean | undefined;
  /** Null removes a tag. */
  readonly tags?: Readonly<Record<string, string | null>> | undefined;
}

export interface AccountParts {
  readonly catalog: AccountCatalog;
  readonly jobs: Pick<JobsAdmin, "begun">;
  readonly tokens: PageTokens;
  readonly reserved: ReservedProperties;
}

/** The accounts of the deployment, as the native API has them: for operators alone. */
export class AccountResources {
  readonly #parts: AccountParts;

  constructor(parts: AccountParts) {
    this.#parts = parts;
  }

  async list(actor: Actor, page: PageAsked): Promise<TokenPage<Listed>> {
    const { catalog, tokens } = this.#parts;
    return tokenPage(tokens, actor, ["accounts"], page, (asked) => catalog.accounts.page(asked));
  }

  /** @throws FirnError `ACCOUNT_ALREADY_EXISTS`, `NAME_INVALID`, `PROPERTY_SECRET`. */
  async create(actor: Actor, request: NewAccountResource): Promise<Resource<Account>> {
    const { catalog, reserved } = this.#parts;
    const { name, description = "", tags = {} } = request;
    reserved.assertNoSecret(tags);
    return shown(await catalog.accounts.create(actor, { name, description, tags }));
  }

  /** @throws FirnError `ACCOUNT_NOT_FOUND`, `ID_INVALID`. */
  async get(_actor: Actor, place: AccountPlace): Promise<Resource<Account>> {
    return shown(revisedOf(await this.#find(place)));
  }

  /** @throws FirnError as `get`; `PRECONDITION_FAILED`, `PROPERTY_SECRET`, `ACCOUNT_KEPT`. */
  async update(
    actor: Actor,
    place: AccountPlace,
    { description, protected: isProtected, suspended, tags, ...precondition }: AccountUpdate,
  ): Promise<Resource<Account>> {
    const { catalog, reserved } = this.#parts;
    const { id, name } = (await this.#find(place)).entity;
    if (suspended === true && NEVER_SUSPENDED.has(name)) {
      throw new FirnError("Conflict", "ACCOUNT_KEPT", "this account cannot be suspended", { name });
    }
    const expect = expecting<Account>(precondition, id, () => accountNotFound(name));
    const done = await catalog.accounts.revise(actor, name, (stored) => {
      expect(stored);
      const { entity } = stored;
      const next = {
        description: description ?? entity.description,
        protected: isProtected ?? entity.protected,
        tags: mergedProperties(entity.tags, tags),
      };
      const ends = suspended ?? entity.suspended === true;
      const isSame = next.description === entity.description && next.tags === entity.tags;
      const isAsBefore = isSame && next.protected === entity.protected;
      if (isAsBefore && ends === (entity.suspended === true)) return undefined;
      reserved.assertNoSecret(next.tags);
      const { suspended: _before, ...rest } = entity;
      return { ...rest, ...next, ...(ends && { suspended: true as const }) };
    });
    return shown(done);
  }

  /**
   * Drops an account without catalogs. From now on no credential of it is valid; it comes back with
   * its principals and connectors.
   *
   * @throws FirnError as `get`; `ACCOUNT_NOT_EMPTY`, `ACCOUNT_IN_USE`, `PROTECTED`,
   * `PRECONDITION_FAILED`.
   */
  async drop(actor: Actor, place: AccountPlace, precondition: Precondition = {}): Promise<void> {
    const { deletes } = this.#parts.catalog;
    const { find, expect } = await this.#leaving(place, precondition);
    await deletes.dropAccount(actor, find, expect);
  }

  /**
   * Drops an account with all that is in it, by a job of the operators' account.
   *
   * @throws FirnError as `drop`, but `ACCOUNT_NOT_EMPTY`.
   */
  async dropAll(
    actor: Actor,
    place: AccountPlace,
    precondition: Precondition = {},
  ): Promise<JobInfo> {
    const { catalog, jobs } = this.#parts;
    const { find, expect } = await this.#leaving(place, precondition);
    return jobs.begun(actor, await catalog.deletes.begin(actor, "account", find, expect));
  }

  async #leaving(place: AccountPlace, precondition: Precondition) {
    const { accounts, context } = this.#parts.catalog;
    const { id, name } = (await this.#find(place)).entity;
    if (id === context.account) throw accountInUse(name);
    const expect = expecting<Account>(precondition, id, () => accountNotFound(name));
    return { find: () => accounts.get(name), expect };
  }

  /**
   * Gives an account an administrator with a new key: its first one, or one more where no
   * administrator of it can sign in. Makes the account `system` where it is not there yet.
   *
   * @throws FirnError as `get`; `NAME_INVALID`, `PRINCIPAL_KEYLESS`.
   */
  async createAdmin(
    actor: Actor,
    place: AccountPlace,
    name: string,
  ): Promise<{ readonly text: string; readonly key: ApiKey }> {
    const { catalog, tokens } = this.#parts;
    await this.#ensureSystem(actor, place);
    const { entity } = await this.#find(place);
    return new PrincipalAdmin(catalog.within(entity.id), tokens, () => {}).createAdmin(actor, name);
  }

  async #ensureSystem(actor: Actor, { account }: AccountPlace): Promise<void> {
    if (!("name" in account) || account.name !== SYSTEM_ACCOUNT) return;
    try {
      await this.create(actor, { name: SYSTEM_ACCOUNT, description: "Operators" });
    } catch (error) {
      if (!(error instanceof FirnError) || error.code !== "ACCOUNT_ALREADY_EXISTS") throw error;
    }
  }

  #find({ account }: AccountPlace) {
    const { accounts } = this.#parts.catalog;
    return "name" in account
      ? accounts.get(account.name)
      : accounts.byId(parseId<AccountId>(account.id));
  }
}

function shown(revised: RevisedEntity<Account>): Resource<Account> {
  return { ...revised, above: {} };
}
