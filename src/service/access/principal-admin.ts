import type { Privilege } from "../../api/privileges.ts";
import { FirnError, invalid } from "../../base/error.ts";
import type { PrincipalId } from "../../base/ids.ts";
import type { AccountCatalog } from "../../catalog/catalog.ts";
import { principalNotFound } from "../../catalog/errors.ts";
import type { ApiKey, Grant, Principal } from "../../catalog/model.ts";
import type { JudgeAll } from "../../catalog/principals.ts";
import type { Actor } from "../actor.ts";
import type { PageTokens } from "../page-token.ts";
import { type PageAsked, type TokenPage, tokenPage } from "../resources/pages.ts";
import { adminStays } from "./administrators.ts";
import { mintKey } from "./api-keys.ts";
import { checkLocalName, EVERYONE, EXTERNAL_NAME, externalId } from "./names.ts";
import type { NeededPlace } from "./request-access.ts";
import { type AccessPath, bitOf, bitsOf, privilegesIn, Rights } from "./rights.ts";
import { LONGEST_TOKEN_MS } from "./signing-keys.ts";

/** A principal as shown, with the names of its roles. */
export interface ShownPrincipal {
  readonly principal: Principal;
  readonly roles: readonly string[];
}

/** What a grant is on; undefined: the account. */
export type GrantPlace = NeededPlace | undefined;

export interface GivenGrant {
  readonly principal: string;
  readonly place: GrantPlace;
  readonly privileges: readonly Privilege[];
}

/** What replaces a key, and until when it goes on. */
export interface KeyRotation {
  /** Absent: the old key's. */
  readonly description?: string;
  readonly expiresAtMs?: number;
  readonly oldExpiresAtMs?: number | undefined;
}

/** What a principal may do with a thing, and why. */
export interface Explanation {
  readonly allowed: boolean;
  readonly held: readonly Privilege[];
  readonly because: readonly string[];
}

/** Names of roles that an issuer's claim can name. */
const CLAIMED_ROLE = /^[A-Za-z0-9_-]{1,64}:[\x21-\x7e]{1,190}$/;

/** An object that was found, with all above it. */
interface FoundObject {
  readonly type: Grant["objectType"];
  readonly path: AccessPath;
}

/** Principals, roles and grants of one account, for those who manage them. */
export class PrincipalAdmin {
  readonly #catalog: AccountCatalog;
  readonly #tokens: PageTokens;
  /** Told of each change, so that this node sees it at once. */
  readonly #changed: () => void;

  constructor(catalog: AccountCatalog, tokens: PageTokens, changed: () => void) {
    this.#catalog = catalog;
    this.#tokens = tokens;
    this.#changed = changed;
  }

  async list(actor: Actor, page: PageAsked): Promise<TokenPage<ShownPrincipal>> {
    const { principals } = this.#catalog;
    return tokenPage(this.#tokens, actor, ["principals"], page, async (asked) => {
      const { items, ...next } = await principals.page(asked);
      const found = await Promise.all(
        items.map(({ summary }) => principals.byId(summary.entityId as PrincipalId)),
      );
      const shown = await Promise.all(
        found.flatMap((stored) => (stored === undefined ? [] : [this.#show(stored.entity)])),
      );
      return { ...next, items: shown };
    });
  }

  /** @throws FirnError `PRINCIPAL_NOT_FOUND`. */
  async get(_actor: Actor, name: string): Promise<ShownPrincipal> {
    return this.#show((await this.#catalog.principals.get(name)).entity);
  }

  /** @throws FirnError `NAME_INVALID`, `PRINCIPAL_ALREADY_EXISTS`. */
  async create(
    actor: Actor,
    kind: "LOCAL" | "ROLE",
    { name, description = "" }: { readonly name: string; readonly description?: string },
  ): Promise<ShownPrincipal> {
    if (kind === "LOCAL" || !CLAIMED_ROLE.test(name)) checkLocalName(name);
    const blank = { properties: {}, keys: [], grants: [], roles: [] };
    const { principals } = this.#catalog;
    const made = await principals.create(actor, { ...blank, name, kind, description });
    this.#changed();
    return this.#show(made.entity);
  }

  /** @throws FirnError `PRINCIPAL_NOT_FOUND`; `Conflict` `LAST_ADMIN`. */
  async update(
    actor: Actor,
    name: string,
    { description, suspended }: { readonly description?: string; readonly suspended?: boolean },
  ): Promise<ShownPrincipal> {
    const change = (entity: Principal): Principal => ({
      ...entity,
      description: description ?? entity.description,
      suspended: suspended ?? entity.suspended,
    });
    const judge = suspended === true ? this.#adminStays(name) : undefined;
    return this.#revise(actor, "update-principal", name, change, judge);
  }

  /** @throws FirnError `PRINCIPAL_NOT_FOUND`; `Conflict` `LAST_ADMIN`. */
  async delete(actor: Actor, name: string): Promise<void> {
    await this.#catalog.principals.delete(actor, name, this.#adminStays(name));
    this.#changed();
  }

  /** @throws FirnError `PRINCIPAL_NOT_FOUND`, `PRINCIPAL_KEYLESS`, `KEY_EXPIRY_INVALID`. */
  async createKey(
    actor: Actor,
    name: string,
    { description = "", expiresAtMs = 0 }: { description?: string; expiresAtMs?: number },
  ): Promise<{ readonly text: string; readonly key: ApiKey }> {
    const { context } = this.#catalog;
    const createdAtMs = context.clock.nowMs();
    if (expiresAtMs !== 0 && expiresAtMs <= createdAtMs) {
      throw invalid("KEY_EXPIRY_INVALID", "the key would have expired already", { expiresAtMs });
    }
    const minted = await mintKey(context.prng, { description, createdAtMs, expiresAtMs });
    await this.#revise(actor, "create-key", name, (entity) => {
      if (entity.kind !== "LOCAL") {
        const message = "only principals that were created here have keys";
        throw invalid("PRINCIPAL_KEYLESS", message, { name, kind: entity.kind });
      }
      return { ...entity, keys: [...entity.keys, minted.key] };
    });
    return minted;
  }

  /**
   * Gives a principal a new key in place of another one, which goes on until `oldExpiresAtMs`: by
   * default for a day, the longest that a token got with it can live. Keys of the principal that
   * have expired are removed.
   *
   * @throws FirnError `PRINCIPAL_NOT_FOUND`, `KEY_NOT_FOUND`, `KEY_EXPIRY_INVALID`.
   */
  async rotateKey(
    actor: Actor,
    name: string,
    id: string,
    { description, expiresAtMs = 0, oldExpiresAtMs }: KeyRotation = {},
  ): Promise<{ readonly text: string; readonly key: ApiKey }> {
    const { context } = this.#catalog;
    const createdAtMs = context.clock.nowMs();
    const endsAtMs = oldExpiresAtMs ?? createdAtMs + LONGEST_TOKEN_MS;
    const isPast = (atMs: number): boolean => atMs !== 0 && atMs <= createdAtMs;
    if (isPast(expiresAtMs) || endsAtMs <= createdAtMs) {
      const message = "a key would have expired already: to end one at once, delete it";
      throw invalid("KEY_EXPIRY_INVALID", message, { expiresAtMs, oldExpiresAtMs: endsAtMs });
    }
    const terms = { description: description ?? "", createdAtMs, expiresAtMs };
    let minted = await mintKey(context.prng, terms);
    await this.#revise(actor, "rotate-key", name, (entity) => {
      const old = entity.keys.find((key) => key.id === id);
      if (old === undefined) throw keyNotFound(id);
      minted = { ...minted, key: { ...minted.key, description: description ?? old.description } };
      // A rotation never makes a key live longer.
      const expires = old.expiresAtMs === 0 ? endsAtMs : Math.min(old.expiresAtMs, endsAtMs);
      const kept = entity.keys
        .map((key) => (key === old ? { ...key, expiresAtMs: expires } : key))
        .filter((key) => !isPast(key.expiresAtMs));
      return { ...entity, keys: [...kept, minted.key] };
    });
    return minted;
  }

  /** A principal that may do everything, made where it is absent, with a new key. */
  async createAdmin(
    actor: Actor,
    name: string,
  ): Promise<{ readonly text: string; readonly key: ApiKey }> {
    const { principals } = this.#catalog;
    if ((await principals.find(name)) === undefined) await this.create(actor, "LOCAL", { name });
    await this.grant(actor, { principal: name, place: undefined, privileges: ["admin"] });
    return this.createKey(actor, name, { description: "made by an operator" });
  }

  /** @throws FirnError `PRINCIPAL_NOT_FOUND`, `KEY_NOT_FOUND`. */
  async deleteKey(actor: Actor, name: string, id: string): Promise<void> {
    await this.#revise(actor, "delete-key", name, (entity) => {
      const keys = entity.keys.filter((key) => key.id !== id);
      if (keys.length < entity.keys.length) return { ...entity, keys };
      throw keyNotFound(id);
    });
  }

  /** @throws FirnError `PRINCIPAL_NOT_FOUND`, `ROLE_NESTED`. */
  async addMember(actor: Actor, roleName: string, member: string): Promise<ShownPrincipal> {
    const role = await this.#role(roleName);
    await this.#ensureExternal(actor, member);
    return this.#revise(actor, "add-member", member, (entity) => {
      if (entity.kind === "ROLE") {
        throw invalid("ROLE_NESTED", "a role is not a member of a role", { role: roleName });
      }
      if (entity.roles.includes(role)) return undefined;
      return { ...entity, roles: [...entity.roles, role] };
    });
  }

  /** @throws FirnError `PRINCIPAL_NOT_FOUND`; `Conflict` `LAST_ADMIN`. */
  async removeMember(actor: Actor, roleName: string, member: string): Promise<void> {
    const role = await this.#role(roleName);
    const change = (entity: Principal): Principal | undefined =>
      entity.roles.includes(role)
        ? { ...entity, roles: entity.roles.filter((each) => each !== role) }
        : undefined;
    await this.#revise(actor, "remove-member", member, change, this.#adminStays(member));
  }

  /** The grants of a principal or role itself. @throws FirnError `PRINCIPAL_NOT_FOUND`. */
  async grants(_actor: Actor, name: string): Promise<readonly Grant[]> {
    return (await this.#catalog.principals.get(name)).entity.grants;
  }

  /** @throws FirnError of the object that is missing; `PRINCIPAL_NOT_FOUND`. */
  async grant(actor: Actor, { principal, place, privileges }: GivenGrant): Promise<Grant> {
    const object = await this.#find(place);
    if (principal === EVERYONE) await this.#ensureEveryone(actor);
    await this.#ensureExternal(actor, principal);
    const next = (bits: number): number => bits | bitsOf(privileges);
    return this.#regrant(actor, "grant", principal, object, next);
  }

  /**
   * Whether a grant may be made or taken: its rule says so, and both of whom and what it is are
   * there. Nothing is written.
   *
   * @param given without a principal or a place where that is to be made first.
   * @throws FirnError as `grant`.
   */
  async judgeGrant(
    _actor: Actor,
    { principal, place }: Partial<Pick<GivenGrant, "principal">> & Omit<GivenGrant, "principal">,
  ): Promise<void> {
    if (place !== undefined) await this.#find(place);
    if (principal === undefined || principal === EVERYONE || EXTERNAL_NAME.test(principal)) return;
    await this.#catalog.principals.get(principal);
  }

  /** @throws FirnError as `grant`; `Conflict` `LAST_ADMIN`. */
  async revoke(actor: Actor, { principal, place, privileges }: GivenGrant): Promise<Grant> {
    const object = await this.#find(place);
    const next = (bits: number): number => bits & ~bitsOf(privileges);
    const isAdmin = place === undefined && privileges.includes("admin");
    const judge = isAdmin ? this.#adminStays(principal) : undefined;
    return this.#regrant(actor, "revoke", principal, object, next, judge);
  }

  /** Whether a principal holds a privilege. @throws FirnError as `grant`. */
  async explain(
    _actor: Actor,
    name: string,
    privilege: Privilege,
    place: GrantPlace,
  ): Promise<Explanation> {
    const { principals, context } = this.#catalog;
    const { path } = await this.#find(place);
    const { entity } = await principals.get(name);
    const roles = await Promise.all(entity.roles.map((role) => principals.byId(role)));
    const everyone = await principals.find(EVERYONE);
    const holders = [entity, ...roles.map((role) => role?.entity), everyone?.entity];
    const ids = new Set(path.map(({ id }) => id));
    const because: string[] = [];
    for (const holder of holders) {
      for (const { objectId, objectType, privileges } of holder?.grants ?? []) {
        if (!ids.has(objectId)) continue;
        const what = privilegesIn(privileges).join(", ");
        because.push(`${holder?.name} was granted ${what} on ${objectType} ${objectId}`);
      }
    }
    for (const { id, owner } of path) if (owner === entity.id) because.push(`${name} owns ${id}`);
    if (entity.suspended) because.push(`${name} is suspended`);
    const grants = holders.flatMap((holder) => holder?.grants ?? []);
    const rights = new Rights({ account: context.account, principalId: entity.id, grants });
    const held = entity.suspended ? 0 : rights.on(path);
    return { allowed: (held & bitOf(privilege)) !== 0, held: privilegesIn(held), because };
  }

  /** A user of an issuer can be named before their first sign-in. */
  async #ensureExternal(actor: Actor, name: string): Promise<void> {
    const { principals } = this.#catalog;
    if (!EXTERNAL_NAME.test(name) || (await principals.find(name)) !== undefined) return;
    const blank = { description: "", properties: {}, keys: [], grants: [], roles: [] };
    try {
      const id = externalId(name);
      await principals.create(stepOf(actor), { ...blank, name, kind: "EXTERNAL", id });
    } catch (error) {
      const isThere = error instanceof FirnError && error.code === "PRINCIPAL_ALREADY_EXISTS";
      if (!isThere) throw error;
    }
  }

  async #regrant(
    actor: Actor,
    operation: string,
    name: string,
    { type, path }: FoundObject,
    next: (bits: number) => number,
    judge?: JudgeAll,
  ): Promise<Grant> {
    const objectId = path.at(-1)?.id ?? "";
    const above = path.slice(1, -1).map(({ id }) => id);
    let given: Grant = { objectType: type, objectId, path: above, privileges: 0 };
    const change = (entity: Principal): Principal => {
      const known = entity.grants.find((each) => each.objectId === objectId);
      given = { ...given, privileges: next(known?.privileges ?? 0) };
      const others = entity.grants.filter((each) => each !== known);
      const grants = given.privileges === 0 ? others : [...others, given];
      return { ...entity, grants };
    };
    await this.#revise(actor, operation, name, change, judge);
    return given;
  }

  async #revise(
    actor: Actor,
    operation: string,
    name: string,
    change: (entity: Principal) => Principal | undefined,
    judge?: JudgeAll,
  ): Promise<ShownPrincipal> {
    const { principals } = this.#catalog;
    const revise = (stored: { readonly entity: Principal }) => change(stored.entity);
    const done = await principals.revise(actor, operation, name, revise, judge);
    this.#changed();
    return this.#show(done.entity);
  }

  async #role(name: string): Promise<PrincipalId> {
    const { entity } = await this.#catalog.principals.get(name);
    if (entity.kind !== "ROLE") throw principalNotFound(name);
    return entity.id;
  }

  async #ensureEveryone(actor: Actor): Promise<void> {
    const { principals } = this.#catalog;
    if ((await principals.find(EVERYONE)) !== undefined) return;
    const blank = { description: "", properties: {}, keys: [], grants: [], roles: [] };
    await principals.create(stepOf(actor), { ...blank, name: EVERYONE, kind: "ROLE" });
  }

  #adminStays(name: string): JudgeAll {
    return adminStays(this.#catalog.context.account, name);
  }

  async #show(principal: Principal): Promise<ShownPrincipal> {
    const { principals } = this.#catalog;
    const roles = await Promise.all(principal.roles.map((role) => principals.byId(role)));
    return { principal, roles: roles.flatMap((role) => role?.entity.name ?? []) };
  }

  /** The ids of a place, from the account on. */
  async #find(place: GrantPlace): Promise<FoundObject> {
    const { context, catalogs, namespaces, tables, views } = this.#catalog;
    const top = [{ id: context.account as string }];
    if (place === undefined) return { type: "account", path: top };
    const catalog = "name" in place.catalog ? place.catalog.name : place.catalog.id;
    const { namespace, relation } = place;
    const levels = namespace !== undefined && "path" in namespace ? namespace.path : [];
    const found = (await catalogs.get(catalog)).entity;
    const path: { id: string; owner?: PrincipalId | undefined }[] = [...top, found];
    for (let depth = 1; depth <= levels.length; depth++) {
      path.push((await namespaces.get({ catalog, path: levels.slice(0, depth) })).entity);
    }
    if (relation === undefined) {
      return { type: levels.length === 0 ? "catalog" : "namespace", path };
    }
    const ref = { catalog, path: levels, name: "name" in relation ? relation.name : relation.id };
    try {
      const { summary } = await tables.find(ref);
      return { type: "table", path: [...path, { id: summary.entityId, owner: summary.owner }] };
    } catch (error) {
      if (!(error instanceof FirnError) || error.code !== "TABLE_NOT_FOUND") throw error;
      const { summary } = await views.find(ref);
      return { type: "view", path: [...path, { id: summary.entityId, owner: summary.owner }] };
    }
  }
}

function keyNotFound(id: string): FirnError {
  return new FirnError("NotFound", "KEY_NOT_FOUND", "no such key", { key: id.slice(0, 64) });
}

/** The receipt of an idempotency key is that of the last step. */
function stepOf({ idempotency: _, ...actor }: Actor): Actor {
  return actor;
}
