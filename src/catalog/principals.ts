import { assert } from "../base/assert.ts";
import { invalid } from "../base/error.ts";
import type { PrincipalId } from "../base/ids.ts";
import type { Item, Live } from "../pointer/port.ts";
import { BatchBuilder, never } from "./batch.ts";
import { type ApiKeyOwner, decodeApiKey, encodeApiKey } from "./codec/principal.ts";
import type { Actor, CatalogContext } from "./context.ts";
import { readEntity, type Stored, summaryOfItem } from "./entities.ts";
import { principalExists, principalNotFound } from "./errors.ts";
import { foundByName } from "./found-by-name.ts";
import { accessKey, directoryOf, FAMILIES, keyOf } from "./keys.ts";
import { CATALOG_LIMITS } from "./limits.ts";
import { type Listed, listedPage } from "./listed.ts";
import type { Principal, Receipt } from "./model.ts";
import { checkName, checkProperties } from "./names.ts";
import { listPage, type Page, type PageRequest } from "./pages.ts";
import { byIdKey } from "./paths.ts";
import { assertMayUpdate } from "./payloads.ts";
import { type Attempt, type Planned, REPLAN, write } from "./repository.ts";
import type { Revise } from "./revise.ts";
import { type RevisedEntity, revisedBy, revisedOf } from "./revised-entity.ts";
import { nameSummary, summaryOf } from "./summaries.ts";

/*
 * Principals and roles of one account: who may sign in, with which keys, and what they may do.
 * They share one name space, as in PostgreSQL. Every batch that changes one also writes the
 * account's access pointer: a node whose copy is of another version of that reads anew.
 */

/** What a new principal is made of. */
export type NewPrincipal = Pick<
  Principal,
  "name" | "kind" | "description" | "properties" | "keys" | "grants" | "roles"
> & {
  /** Of an external principal, whose id follows from its name; absent: a new one. */
  readonly id?: PrincipalId;
};

/**
 * Judges what the principals and roles of the account would be after a change. None of them changes
 * between the judgement and the write. Throws what refuses the change.
 */
export type JudgeAll = (before: readonly Principal[], after: readonly Principal[]) => void;

/** The account and principal that an API key belongs to. One read. */
export async function ownerOfKey(
  { pointers }: Pick<CatalogContext, "pointers">,
  keyId: string,
): Promise<ApiKeyOwner | undefined> {
  const item = await pointers.get(keyOf(FAMILIES.apiKey, keyId));
  return item.state === "live" && item.summary !== undefined
    ? decodeApiKey(item.summary)
    : undefined;
}

export class Principals {
  readonly #context: CatalogContext;

  constructor(context: CatalogContext) {
    this.#context = context;
  }

  /** Changes with every write of a principal of the account; 0 before the first. One read. */
  async accessVersion(): Promise<bigint> {
    return (await this.#context.pointers.get(accessKey(this.#context.account))).version;
  }

  /** @throws FirnError `NAME_INVALID`, `PROPERTIES_INVALID`, `PRINCIPAL_ALREADY_EXISTS`. */
  async create(actor: Actor, request: NewPrincipal): Promise<RevisedEntity<Principal>> {
    const { account, payloads, ids } = this.#context;
    const name = checkName(request.name, "principal");
    checkContent(request);
    const id = request.id ?? ids.mint<PrincipalId>();
    const primary = byIdKey("principal", account, id);
    const plan = async (attempt: Attempt): Promise<Planned<RevisedEntity<Principal>>> => {
      const { revision, updatedAtMs } = attempt.authorship;
      const [held, access] = await this.#readBoth(this.#nameKey(name));
      if (held.state === "live") throw principalExists(name);
      // An id that comes back was deleted before.
      const place =
        request.id === undefined ? never(primary) : await this.#context.pointers.get(primary);
      if (place.state === "live") throw principalExists(name);
      const entity: Principal = {
        ...request,
        type: "principal",
        id,
        name,
        createdAtMs: updatedAtMs,
        state: "ACTIVE",
        nameRevision: revision,
        suspended: false,
      };
      const payload = payloads.encode(entity, attempt.authorship);
      const batch = new BatchBuilder(account)
        .put(place, { payload, summary: summaryOf(entity, payload) })
        .put(held, { summary: nameSummary(entity) })
        .bump(keyOf(FAMILIES.accountGuard, account));
      bumpAccess(batch, access);
      await this.#joinKeys(batch, undefined, entity);
      return { batch, primary, result: () => revisedBy(attempt.authorship, entity, 1n) };
    };
    return write(this.#context, actor, "create-principal", plan, (done) =>
      this.#replay(done, name),
    );
  }

  /** Two reads, and a payload. @throws FirnError `PRINCIPAL_NOT_FOUND`, `NAME_INVALID`. */
  async get(text: string): Promise<Stored<Principal>> {
    return (await this.#find(checkName(text, "principal"))).stored;
  }

  /** As `get`; undefined where there is none. */
  async find(name: string): Promise<Stored<Principal> | undefined> {
    const named = await this.#context.pointers.get(this.#nameKey(name));
    return named.state === "absent"
      ? undefined
      : this.byId(summaryOfItem(named).entityId as PrincipalId);
  }

  /** One read, and a payload; undefined where none has the id. */
  async byId(id: PrincipalId): Promise<Stored<Principal> | undefined> {
    const item = await this.#context.pointers.get(byIdKey("principal", this.#context.account, id));
    if (item.state === "absent") return undefined;
    return readEntity<Principal>(this.#context, "principal", item);
  }

  async page(request: PageRequest): Promise<Page<Listed>> {
    const directory = directoryOf(FAMILIES.principalByName, this.#context.account);
    return listedPage(this.#context, await listPage(this.#context.pointers, directory, request));
  }

  /** Every principal and role, whole: one list, one read of pointers, and their payloads. */
  async all(): Promise<readonly Principal[]> {
    const { account, pointers } = this.#context;
    const directory = directoryOf(FAMILIES.principalByName, account);
    const { items: names } = await listPage(pointers, directory, {});
    const keys = names.map((item) => byIdKey("principal", account, summaryOfItem(item).entityId));
    const found: Principal[] = [];
    for (const item of keys.length === 0 ? [] : await pointers.getMany(keys)) {
      if (item.state === "absent") continue;
      const stored = await readEntity<Principal>(this.#context, "principal", item);
      if (stored !== undefined) found.push(stored.entity);
    }
    return found;
  }

  /**
   * Gives a principal other content; its name and kind stay. `change` answers undefined for what is
   * there already, and is asked again after a lost race.
   *
   * @throws FirnError as `get`, `PROPERTIES_INVALID`, and what `change` throws.
   */
  async revise(
    actor: Actor,
    operation: string,
    text: string,
    change: Revise<Principal>,
    judge?: JudgeAll,
  ): Promise<RevisedEntity<Principal>> {
    const { account, payloads } = this.#context;
    const name = checkName(text, "principal");
    const plan = async ({ authorship }: Attempt): Promise<Planned<RevisedEntity<Principal>>> => {
      const [{ stored }, access] = await Promise.all([
        this.#find(name),
        this.#context.pointers.get(accessKey(account)),
      ]);
      assertMayUpdate(stored.envelope);
      const entity = change(stored);
      const primary = stored.item.key;
      if (entity === undefined) return { unchanged: revisedOf(stored), primary };
      assert(entity.name === name && entity.kind === stored.entity.kind, "name and kind stay");
      checkContent(entity);
      if (judge !== undefined) await this.#judge(judge, entity.id, entity);
      const payload = payloads.encode(entity, authorship);
      const batch = new BatchBuilder(account).put(stored.item, {
        payload,
        summary: summaryOf(entity, payload),
      });
      bumpAccess(batch, access, judge !== undefined);
      await this.#joinKeys(batch, stored.entity, entity);
      const version = stored.item.version + 1n;
      return { batch, primary, result: () => revisedBy(authorship, entity, version) };
    };
    return write(this.#context, actor, operation, plan, (done) => this.#replay(done, name));
  }

  /** Deletes a principal or role for good, with its keys. @throws FirnError as `get`. */
  async delete(actor: Actor, text: string, judge?: JudgeAll): Promise<void> {
    const name = checkName(text, "principal");
    const { account } = this.#context;
    const plan = async (): Promise<Planned<void>> => {
      const { stored, named } = await this.#find(name);
      assertMayUpdate(stored.envelope);
      const access = await this.#context.pointers.get(accessKey(account));
      if (named.state === "absent") return REPLAN;
      if (judge !== undefined) await this.#judge(judge, stored.entity.id, undefined);
      const batch = new BatchBuilder(account).delete(stored.item).delete(named);
      bumpAccess(batch, access, judge !== undefined);
      await this.#joinKeys(batch, stored.entity, { ...stored.entity, keys: [] });
      return { batch, primary: stored.item.key, result: () => undefined };
    };
    await write(this.#context, actor, "delete-principal", plan, async () => undefined);
  }

  /** After the access pointer was read: the batch holds that at its version. */
  async #judge(judge: JudgeAll, id: PrincipalId, becomes: Principal | undefined): Promise<void> {
    const before = await this.all();
    const others = before.filter((each) => each.id !== id);
    judge(before, becomes === undefined ? others : [...others, becomes]);
  }

  /** Keys that go and keys that come. */
  async #joinKeys(
    batch: BatchBuilder,
    before: Principal | undefined,
    after: Principal,
  ): Promise<void> {
    const kept = new Set(after.keys.map(({ id }) => id));
    const known = new Set(before?.keys.map(({ id }) => id));
    const gone = before?.keys.filter(({ id }) => !kept.has(id)) ?? [];
    const owner = encodeApiKey({ account: this.#context.account, principal: after.id });
    const { pointers } = this.#context;
    const items = gone.length === 0 ? [] : await pointers.getMany(gone.map(keyOfApiKey));
    for (const item of items) if (item.state === "live") batch.deriveDelete(item);
    for (const key of after.keys) {
      if (!known.has(key.id)) batch.derive(never(keyOfApiKey(key)), { bytes: owner });
    }
  }

  async #readBoth(key: string): Promise<readonly [Item, Item]> {
    const { account, pointers } = this.#context;
    const [first, access] = await pointers.getMany([key, accessKey(account)]);
    assert(first !== undefined && access !== undefined, "a read answers every key");
    return [first, access];
  }

  async #find(name: string) {
    const key = this.#nameKey(name);
    const notFound = principalNotFound;
    return await foundByName<Principal>(this.#context, { type: "principal", name, key, notFound });
  }

  #nameKey(name: string): string {
    return keyOf(FAMILIES.principalByName, this.#context.account, name);
  }

  /** What an earlier request of the same key came to, as it stands now. */
  async #replay({ key }: Receipt, name: string): Promise<RevisedEntity<Principal>> {
    const item = await this.#context.pointers.get(key);
    const stored =
      item.state === "absent"
        ? undefined
        : await readEntity<Principal>(this.#context, "principal", item as Live);
    if (stored === undefined) throw principalNotFound(name);
    return revisedOf(stored);
  }
}

function keyOfApiKey({ id }: { readonly id: string }): string {
  return keyOf(FAMILIES.apiKey, id);
}

/**
 * Tells every node that what it knows of the account's principals is old.
 *
 * @param holds whether the batch fails where another one did so since `access` was read.
 */
export function bumpAccess(batch: BatchBuilder, access: Item, holds = false): void {
  if (access.state === "live" && !holds) batch.bump(access.key);
  else batch.derive(access, {});
}

function checkContent({
  properties,
  keys,
  grants,
  roles,
}: Pick<Principal, "properties" | "keys" | "grants" | "roles">): void {
  checkProperties(properties);
  const { principalKeys, principalGrants, principalRoles } = CATALOG_LIMITS;
  const refuse = (what: string, limit: number) =>
    invalid("PRINCIPAL_TOO_LARGE", `too many ${what}: remove some, or use a role`, { limit });
  if (keys.length > principalKeys) throw refuse("keys", principalKeys);
  if (grants.length > principalGrants) throw refuse("grants", principalGrants);
  if (roles.length > principalRoles) throw refuse("roles", principalRoles);
}
