import { type AccountId, parseId } from "../../base/ids.ts";
import type { AccountCatalog } from "../../catalog/catalog.ts";
import { accountNotFound } from "../../catalog/errors.ts";
import type { Listed } from "../../catalog/listed.ts";
import type { Account } from "../../catalog/model.ts";
import { type RevisedEntity, revisedOf } from "../../catalog/revised-entity.ts";
import type { Actor } from "../actor.ts";
import type { PageTokens } from "../page-token.ts";
import type { Properties } from "../requests.ts";
import type { ReservedProperties } from "../reserved-properties.ts";
import { type PageAsked, type TokenPage, tokenPage } from "./pages.ts";
import { mergedProperties } from "./patch.ts";
import { type AccountPlace, expecting, type Precondition, type Resource } from "./resource.ts";

export interface NewAccountResource {
  readonly name: string;
  readonly description?: string | undefined;
  readonly tags?: Properties | undefined;
}

export interface AccountUpdate extends Precondition {
  readonly description?: string | undefined;
  /** Null removes a tag. */
  readonly tags?: Readonly<Record<string, string | null>> | undefined;
}

export interface AccountParts {
  readonly catalog: AccountCatalog;
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

  /** @throws FirnError as `get`; `PRECONDITION_FAILED`, `PROPERTY_SECRET`. */
  async update(
    actor: Actor,
    place: AccountPlace,
    { description, tags, ...precondition }: AccountUpdate,
  ): Promise<Resource<Account>> {
    const { catalog, reserved } = this.#parts;
    const { id, name } = (await this.#find(place)).entity;
    const expect = expecting<Account>(precondition, id, () => accountNotFound(name));
    const done = await catalog.accounts.revise(actor, name, (stored) => {
      expect(stored);
      const { entity } = stored;
      const next = {
        description: description ?? entity.description,
        tags: mergedProperties(entity.tags, tags),
      };
      if (next.description === entity.description && next.tags === entity.tags) return undefined;
      reserved.assertNoSecret(next.tags);
      return { ...entity, ...next };
    });
    return shown(done);
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
