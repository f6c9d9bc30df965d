import type { Clock } from "../../base/clock.ts";
import type { AccountId, PrincipalId } from "../../base/ids.ts";
import type { Grant, Principal } from "../../catalog/model.ts";
import type { Principals } from "../../catalog/principals.ts";
import { EVERYONE, externalId } from "./names.ts";
import { Rights } from "./rights.ts";

/** One state of an account's principals, as far as it was asked for. */
interface Generation {
  readonly version: bigint;
  readonly principals: Map<PrincipalId, Promise<Principal | undefined>>;
  readonly rights: Map<PrincipalId, Promise<Rights>>;
  readonly roles: Map<string, Promise<PrincipalId | undefined>>;
  /** Of principals that signed in by their names. */
  readonly names: Map<string, Promise<Principal | undefined>>;
  everyone: Promise<readonly Grant[]> | undefined;
}

/** What a user of an issuer may do. */
export interface ExternalAccess {
  readonly principalId: PrincipalId;
  readonly suspended: boolean;
  readonly rights: Rights;
}

/**
 * The principals of one account as a node keeps them. It reads the version of the account's access
 * pointer before it trusts what it keeps, at most once in the staleness time; and
 * never without a request.
 */
export class AccountAccess {
  readonly account: AccountId;
  readonly #principals: Principals;
  readonly #clock: Clock;
  readonly #stalenessMs: number;
  #generation: Generation | undefined;
  #checkedMs = Number.NEGATIVE_INFINITY;
  #checking: Promise<Generation> | undefined;

  constructor(account: AccountId, principals: Principals, clock: Clock, stalenessMs: number) {
    this.account = account;
    this.#principals = principals;
    this.#clock = clock;
    this.#stalenessMs = stalenessMs;
  }

  /** What is known, if it is young enough to be trusted. */
  get fresh(): object | undefined {
    return this.#isFresh() ? this.#generation : undefined;
  }

  /** What is known, checked now unless it is young. One read of a pointer, shared. */
  async current(): Promise<object> {
    return this.#current();
  }

  /** A change by this node is seen at once on it. */
  changed(): void {
    this.#checkedMs = Number.NEGATIVE_INFINITY;
  }

  async principal(id: PrincipalId): Promise<Principal | undefined> {
    return this.#principalIn(await this.#current(), id);
  }

  /** What a principal may do, with the roles that it is a member of. */
  async rightsOf(id: PrincipalId): Promise<Rights> {
    const generation = await this.#current();
    return kept(generation.rights, id, async () => {
      const principal = await this.#principalIn(generation, id);
      const roles = await this.#grantsOf(generation, principal?.roles ?? []);
      const grants = [...(principal?.grants ?? []), ...roles];
      return new Rights({ account: this.account, principalId: id, grants });
    });
  }

  /** What the named roles may do, for a token that is limited to them. */
  async rightsOfRoles(
    roles: readonly PrincipalId[],
    principalId: PrincipalId | undefined,
  ): Promise<Rights> {
    const generation = await this.#current();
    return new Rights({
      account: this.account,
      principalId,
      grants: await this.#grantsOf(generation, roles),
    });
  }

  /** A user of an issuer, stored only where a grant names them. */
  async external(
    name: string,
    claimed: readonly string[],
    limitedTo: readonly PrincipalId[] | undefined,
  ): Promise<ExternalAccess> {
    const generation = await this.#current();
    const principalId = externalId(name);
    const stored = await this.#principalIn(generation, principalId);
    const named = await Promise.all(claimed.map((role) => this.#roleIn(generation, role)));
    const held = [...(stored?.roles ?? []), ...named.flatMap((role) => role ?? [])];
    const suspended = stored?.suspended ?? false;
    if (limitedTo !== undefined) {
      const roles = limitedTo.filter((role) => held.includes(role));
      return { principalId, suspended, rights: await this.rightsOfRoles(roles, undefined) };
    }
    const grants = [...(stored?.grants ?? []), ...(await this.#grantsOf(generation, held))];
    return {
      principalId,
      suspended,
      rights: new Rights({ account: this.account, principalId, grants }),
    };
  }

  /** The roles that a user is a member of, or that a claim of theirs names. */
  async rolesHeldBy({
    principalId,
    claimed = [],
  }: {
    readonly principalId: PrincipalId;
    readonly claimed?: readonly string[] | undefined;
  }): Promise<readonly PrincipalId[]> {
    const generation = await this.#current();
    const stored = await this.#principalIn(generation, principalId);
    const named = await Promise.all(claimed.map((role) => this.#roleIn(generation, role)));
    return [...(stored?.roles ?? []), ...named.flatMap((role) => role ?? [])];
  }

  /** A principal by its name; undefined where there is none. */
  async principalByName(name: string): Promise<Principal | undefined> {
    const generation = await this.#current();
    return kept(generation.names, name, async () => (await this.#principals.find(name))?.entity);
  }

  /** The id of a role by its name; undefined where there is none. */
  async roleByName(name: string): Promise<PrincipalId | undefined> {
    return this.#roleIn(await this.#current(), name);
  }

  #roleIn(generation: Generation, name: string): Promise<PrincipalId | undefined> {
    return kept(generation.roles, name, async () => {
      const found = await this.#principals.find(name);
      return found?.entity.kind === "ROLE" ? found.entity.id : undefined;
    });
  }

  async #grantsOf(generation: Generation, roles: readonly PrincipalId[]): Promise<Grant[]> {
    generation.everyone ??= this.#everyone();
    const found = await Promise.all(roles.map((role) => this.#principalIn(generation, role)));
    const granted = found.flatMap((role) => (role?.kind === "ROLE" ? role.grants : []));
    return [...granted, ...(await generation.everyone)];
  }

  async #everyone(): Promise<readonly Grant[]> {
    const found = await this.#principals.find(EVERYONE);
    return found?.entity.grants ?? [];
  }

  #principalIn(generation: Generation, id: PrincipalId): Promise<Principal | undefined> {
    return kept(generation.principals, id, async () => (await this.#principals.byId(id))?.entity);
  }

  #isFresh(): boolean {
    return this.#clock.monotonicMs() - this.#checkedMs < this.#stalenessMs;
  }

  async #current(): Promise<Generation> {
    if (this.#generation !== undefined && this.#isFresh()) return this.#generation;
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  async #check(): Promise<Generation> {
    // From before the read: what it answers may be as old as that.
    const askedMs = this.#clock.monotonicMs();
    const version = await this.#principals.accessVersion();
    if (this.#generation?.version !== version) {
      this.#generation = {
        version,
        principals: new Map(),
        rights: new Map(),
        roles: new Map(),
        names: new Map(),
        everyone: undefined,
      };
    }
    this.#checkedMs = askedMs;
    return this.#generation;
  }
}

/** What a map has, or is made; a failure is not kept. */
function kept<K, V>(map: Map<K, Promise<V>>, key: K, make: () => Promise<V>): Promise<V> {
  const known = map.get(key);
  if (known !== undefined) return known;
  const making = make();
  map.set(key, making);
  making.catch(() => map.delete(key));
  return making;
}
