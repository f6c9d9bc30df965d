import { assert } from "../base/assert.ts";
import { FirnError } from "../base/error.ts";
import type { AccountId } from "../base/ids.ts";
import { type Actor, DEFAULT_ACCOUNT, SYSTEM_ACCOUNT } from "./actor.ts";
import type { CatalogNode } from "./node.ts";
import type { IcebergService } from "./requests.ts";
import type { ModelService } from "./resources/service.ts";
import type { SqlService } from "./sql/service.ts";

/** An account that has been proven to be there. */
export interface OtherAccount {
  readonly name: string;
  readonly id: AccountId;
}

/** What protocols call. */
export interface AccountUseCases {
  readonly iceberg: IcebergService;
  readonly model: ModelService;
  readonly sql: Pick<SqlService, "open">;
}

/** Opens what serves another account than the default one. */
export type OpenAccountNode = (account: OtherAccount) => Promise<CatalogNode>;

type Method = (actor: Actor, ...rest: unknown[]) => unknown;
type Methods = Readonly<Record<string, Method>>;

/** Administrators of the account `system` act as operators do, on accounts and the audit log. */
function asOperator(actor: Actor): Actor {
  const { rights, principal } = actor;
  if (rights === undefined || !rights.holds("admin", [])) {
    const message = "the privilege admin on the account system is missing: ask an operator";
    throw new FirnError("Forbidden", "PRIVILEGE_MISSING", message, { privilege: "admin" });
  }
  const author = `${SYSTEM_ACCOUNT}/${principal}`;
  return { ...actor, account: DEFAULT_ACCOUNT, rights: undefined, principal: author };
}

function operatorsReadNoData(): FirnError {
  const message =
    "principals of the account system manage accounts only: use a credential of the account " +
    "whose data you want";
  return new FirnError("Forbidden", "OPERATOR_HAS_NO_DATA", message);
}

/** Use cases of the model that the account `system` has, as every account does. */
const OWN_OF_SYSTEM: ReadonlySet<string> = new Set(["principals"]);

/**
 * The use cases of all accounts of a deployment. The credential of a request decides whose are
 * called; those of an account are opened with its first request.
 */
export class AccountNodes {
  readonly #own: CatalogNode;
  readonly #open: OpenAccountNode;
  readonly #nodes = new Map<AccountId, Promise<CatalogNode>>();
  #closing: Promise<void> | undefined;

  constructor(own: CatalogNode, open: OpenAccountNode) {
    this.#own = own;
    this.#open = open;
  }

  /** The use cases, each of the account that the caller's credential decides. */
  get useCases(): AccountUseCases {
    const { iceberg, model, sql } = this.#own;
    const parts = Object.keys(model).filter((name) => name !== "tokens") as (keyof ModelService)[];
    const dispatched = parts.map((name) => [
      name,
      this.#dispatched(name, model[name] as unknown as Methods, (node) => node.model[name]),
    ]);
    return {
      iceberg: this.#dispatched("iceberg", iceberg as unknown as Methods, (node) => node.iceberg),
      model: { ...Object.fromEntries(dispatched), tokens: model.tokens },
      sql: {
        open: async (actor, login) =>
          actor.account === DEFAULT_ACCOUNT
            ? sql.open(actor, login)
            : (await this.#dataOf(actor)).sql.open(actor, login),
      },
    };
  }

  /** What serves the account of an operator's call, which is there. */
  async of(actor: Actor): Promise<CatalogNode> {
    return actor.account === DEFAULT_ACCOUNT ? this.#own : await this.#nodeOf(actor);
  }

  /** Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    for (const node of await Promise.allSettled(this.#nodes.values())) {
      if (node.status === "fulfilled") await node.value.close();
    }
  }

  #dispatched<T>(name: string, own: Methods, of: (node: CatalogNode) => unknown): T {
    const entries = Object.entries(own).map(([method, call]) => {
      const dispatch: Method = (actor, ...rest) => {
        if (actor.account === DEFAULT_ACCOUNT) return call(actor, ...rest);
        return this.#elsewhere(name, method, of, actor, rest);
      };
      return [method, dispatch];
    });
    return Object.fromEntries(entries) as T;
  }

  async #elsewhere(
    name: string,
    method: string,
    of: (node: CatalogNode) => unknown,
    actor: Actor,
    rest: readonly unknown[],
  ): Promise<unknown> {
    const forOperators =
      name === "accounts" || (name === "audit" && actor.account === SYSTEM_ACCOUNT);
    if (forOperators) return this.#asOperator(name, method, actor, rest);
    const isOwn = OWN_OF_SYSTEM.has(name);
    const node = isOwn ? await this.#nodeOf(actor) : await this.#dataOf(actor);
    return (of(node) as Methods)[method]?.(actor, ...rest);
  }

  async #asOperator(
    name: "accounts" | "audit",
    method: string,
    actor: Actor,
    rest: readonly unknown[],
  ): Promise<unknown> {
    const call = (this.#own.model[name] as unknown as Methods)[method];
    // Of every other account, the use case itself refuses: only operators have what it needs.
    if (actor.account !== SYSTEM_ACCOUNT) {
      return call?.({ ...actor, account: DEFAULT_ACCOUNT }, ...rest);
    }
    return call?.(asOperator(actor), ...rest);
  }

  async #dataOf(actor: Actor): Promise<CatalogNode> {
    if (actor.account === SYSTEM_ACCOUNT) throw operatorsReadNoData();
    return this.#nodeOf(actor);
  }

  /** By its id: an account that came after another one of its name is not that one. */
  async #nodeOf({ account: name, accountId: id }: Actor): Promise<CatalogNode> {
    assert(id !== undefined, "the account of a credential has an id");
    if (this.#closing !== undefined) {
      throw new FirnError("Unavailable", "SERVER_STOPPED", "server is stopped");
    }
    let opening = this.#nodes.get(id);
    if (opening === undefined) {
      opening = this.#open({ name, id });
      this.#nodes.set(id, opening);
      // One that could not be opened is tried again by the next caller.
      opening.catch(() => this.#nodes.delete(id));
    }
    return opening;
  }
}
