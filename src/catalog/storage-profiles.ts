import { assert } from "../base/assert.ts";
import { FirnError, invalid } from "../base/error.ts";
import type { AccountId, StorageProfileId, StorageSecretId } from "../base/ids.ts";
import { encodeSegment, splitKey } from "../base/key-text.ts";
import { isWithin } from "../blob/locations.ts";
import type { Live, Version } from "../pointer/port.ts";
import { BatchBuilder, never } from "./batch.ts";
import {
  decodeStorageRoot,
  decodeStoredSecret,
  encodeStorageRoot,
  encodeStoredSecret,
  type StoredSecret,
} from "./codec/storage-profile.ts";
import type { Actor, CatalogContext } from "./context.ts";
import { readEntity, type Stored, summaryOfItem } from "./entities.ts";
import { storageProfileExists, storageProfileNotFound } from "./errors.ts";
import { foundByName } from "./found-by-name.ts";
import { directoryOf, FAMILIES, keyOf, leafText, locationDirectory, locationKey } from "./keys.ts";
import { type Listed, listedPage } from "./listed.ts";
import type { Catalog, Receipt, StorageProfile } from "./model.ts";
import { visibleIn } from "./name-access.ts";
import { checkName, checkProperties } from "./names.ts";
import { listPage, type Page, type PageRequest } from "./pages.ts";
import { byIdKey } from "./paths.ts";
import { assertMayUpdate, ownedBy } from "./payloads.ts";
import { type Attempt, type Planned, REPLAN, write } from "./repository.ts";
import { anyVersion, type Expect } from "./revise.ts";
import { type RevisedEntity, revisedBy, revisedOf } from "./revised-entity.ts";
import { nameSummary, summaryOf } from "./summaries.ts";

/*
 * Storage profiles of one account. Roots of two accounts never overlap: each root stands beside all
 * accounts under its own key, and every batch that changes roots writes the guard of the default
 * account at the version that was read before them, so that two such batches never both commit.
 * That guard is bumped by every new catalog too, whose roots are judged alike.
 */

/** What a new profile is made of. */
export type NewStorageProfile = Omit<
  StorageProfile,
  "type" | "id" | "createdAtMs" | "state" | "nameRevision" | "owner" | "unknownFields"
>;

/** Sealed credentials that a change brings, under the id that the profile names. */
export interface NewSecret {
  readonly id: StorageSecretId;
  readonly createdAtMs: number;
  readonly sealed: Uint8Array;
}

/** The new content, and the credentials that belong to it; undefined: nothing is to change. */
export type ReviseProfile = (
  stored: Stored<StorageProfile>,
) => { readonly entity: StorageProfile; readonly secret?: NewSecret | undefined } | undefined;

/** Longer ones would be stored as hashes, which cannot be compared. */
const ROOT_BYTES = 200;
/** Claims that are looked through at a time. */
const CLAIMS = 1_000;
const DEFAULT_ACCOUNT = "default";

/** The storage profiles of one account. */
export class StorageProfiles {
  readonly #context: CatalogContext;

  constructor(context: CatalogContext) {
    this.#context = context;
  }

  /**
   * @throws FirnError `NAME_INVALID`, `STORAGE_PROFILE_ALREADY_EXISTS`, `STORAGE_ROOT_TAKEN`,
   * `STORAGE_ROOT_INVALID`.
   */
  async create(
    actor: Actor,
    request: NewStorageProfile,
    secret?: NewSecret,
  ): Promise<RevisedEntity<StorageProfile>> {
    const { account, pointers, payloads, ids } = this.#context;
    const name = checkName(request.name, "storage profile");
    checkProperties(request.properties);
    const id = ids.mint<StorageProfileId>();
    const primary = byIdKey("storageProfile", account, id);
    const plan = async (attempt: Attempt): Promise<Planned<RevisedEntity<StorageProfile>>> => {
      const { revision, updatedAtMs } = attempt.authorship;
      const guards = await this.#guards();
      const held = await pointers.get(this.#nameKey(name));
      if (held.state === "live") throw storageProfileExists(name);
      const entity: StorageProfile = {
        ...request,
        type: "storageProfile",
        id,
        name,
        createdAtMs: updatedAtMs,
        state: "ACTIVE",
        nameRevision: revision,
        ...ownedBy(attempt.authorship),
      };
      const payload = payloads.encode(entity, attempt.authorship);
      const batch = new BatchBuilder(account)
        .put(never(primary), { payload, summary: summaryOf(entity, payload) })
        .put(held, { summary: nameSummary(entity) });
      this.#holdGuards(batch, guards);
      assert(entity.roots.length > 0, "a profile has a root");
      await this.#joinRoots(batch, entity, [], entity.roots);
      this.#putSecret(batch, entity, secret);
      return { batch, primary, result: () => revisedBy(attempt.authorship, entity, 1n) };
    };
    const replay = (done: Receipt) => this.#replay(done, name);
    return write(this.#context, actor, "create-storage-profile", plan, replay);
  }

  /** Two reads, and a payload. @throws FirnError `STORAGE_PROFILE_NOT_FOUND`, `NAME_INVALID`. */
  async get(text: string): Promise<Stored<StorageProfile>> {
    return (await this.#find(checkName(text, "storage profile"))).stored;
  }

  async page(request: PageRequest): Promise<Page<Listed>> {
    const directory = directoryOf(FAMILIES.storageProfileByName, this.#context.account);
    const page = await listPage(this.#context.pointers, directory, request, visibleIn([]));
    return listedPage(this.#context, page);
  }

  /** Every profile of the account, whole: one list, one read of pointers, and their payloads. */
  async all(): Promise<readonly Stored<StorageProfile>[]> {
    const { account, pointers } = this.#context;
    const directory = directoryOf(FAMILIES.storageProfileByName, account);
    const { items } = await listPage(pointers, directory, {});
    const keys = items.map((item) =>
      byIdKey("storageProfile", account, summaryOfItem(item).entityId),
    );
    const found: Stored<StorageProfile>[] = [];
    for (const item of keys.length === 0 ? [] : await pointers.getMany(keys)) {
      if (item.state === "absent") continue;
      const stored = await readEntity<StorageProfile>(this.#context, "storageProfile", item);
      if (stored !== undefined) found.push(stored);
    }
    return found;
  }

  /** Changes with every write of a profile of the account. One read. */
  async version(): Promise<Version> {
    return (await this.#context.pointers.get(this.#guardKey())).version;
  }

  /** The sealed credentials of an id; undefined where there are none. One read. */
  async secret(id: StorageSecretId): Promise<StoredSecret | undefined> {
    const item = await this.#context.pointers.get(this.#secretKey(id));
    if (item.state === "absent" || item.summary === undefined) return undefined;
    return decodeStoredSecret(item.summary);
  }

  /**
   * Gives a profile other content; its name stays. `change` is asked again after a lost race.
   *
   * @throws FirnError as `get`, `create`; `STORAGE_PROFILE_IN_USE`; what `change` throws.
   */
  async revise(
    actor: Actor,
    text: string,
    change: ReviseProfile,
  ): Promise<RevisedEntity<StorageProfile>> {
    const { account, payloads } = this.#context;
    const name = checkName(text, "storage profile");
    const plan = async ({
      authorship,
    }: Attempt): Promise<Planned<RevisedEntity<StorageProfile>>> => {
      const guards = await this.#guards();
      const { stored } = await this.#find(name);
      assertMayUpdate(stored.envelope);
      const changed = change(stored);
      const primary = stored.item.key;
      if (changed === undefined) return { unchanged: revisedOf(stored), primary };
      const { entity, secret } = changed;
      assert(entity.id === stored.entity.id && entity.name === name, "id and name stay");
      checkProperties(entity.properties);
      const payload = payloads.encode(entity, authorship);
      const batch = new BatchBuilder(account).put(stored.item, {
        payload,
        summary: summaryOf(entity, payload),
      });
      this.#holdGuards(batch, guards);
      assert(entity.roots.length > 0, "a profile keeps a root");
      const gone = stored.entity.roots.filter((root) => !entity.roots.includes(root));
      if (gone.length > 0) await this.#assertUnused(stored.entity, entity.roots);
      await this.#joinRoots(batch, entity, stored.entity.roots, entity.roots);
      this.#putSecret(batch, entity, secret);
      if (entity.secretId !== stored.entity.secretId) {
        await this.#deleteSecret(batch, stored.entity);
      }
      const version = stored.item.version + 1n;
      return { batch, primary, result: () => revisedBy(authorship, entity, version) };
    };
    const replay = (done: Receipt) => this.#replay(done, name);
    return write(this.#context, actor, "update-storage-profile", plan, replay);
  }

  /**
   * Deletes a profile for good, with its credentials.
   *
   * @throws FirnError as `get`; `STORAGE_PROFILE_IN_USE`.
   */
  async delete(
    actor: Actor,
    text: string,
    expect: Expect<StorageProfile> = anyVersion,
  ): Promise<void> {
    const name = checkName(text, "storage profile");
    const plan = async (): Promise<Planned<void>> => {
      const guards = await this.#guards();
      const { stored, named } = await this.#find(name);
      expect(stored);
      assertMayUpdate(stored.envelope);
      if (named.state === "absent") return REPLAN;
      await this.#assertUnused(stored.entity, []);
      const batch = new BatchBuilder(this.#context.account).delete(stored.item).delete(named);
      this.#holdGuards(batch, guards);
      await this.#joinRoots(batch, stored.entity, stored.entity.roots, []);
      await this.#deleteSecret(batch, stored.entity);
      return { batch, primary: stored.item.key, result: () => undefined };
    };
    await write(this.#context, actor, "delete-storage-profile", plan, async () => undefined);
  }

  /**
   * Puts credentials in the place of the same ones that another secret of the deployment sealed.
   * Lost races are another node's doing of the same.
   */
  async resealed(id: StorageSecretId, sealed: Uint8Array): Promise<void> {
    const item = await this.#context.pointers.get(this.#secretKey(id));
    if (item.state === "absent" || item.summary === undefined) return;
    const summary = encodeStoredSecret({ ...decodeStoredSecret(item.summary), sealed });
    const op = { op: "put", key: item.key, expected: item.version, summary } as const;
    await this.#context.pointers.commit({ writerId: this.#context.ids.mint(), ops: [op] });
  }

  /**
   * Refuses roots of a new catalog that overlap with a profile of another account.
   *
   * @throws FirnError `Conflict` `STORAGE_ROOT_TAKEN`.
   */
  async assertFree(roots: readonly string[]): Promise<void> {
    for await (const { root, owner } of this.#roots()) {
      if (owner.account === this.#context.account) continue;
      for (const own of roots) if (overlap(own, root)) throw taken(own);
    }
  }

  async *#roots(): AsyncGenerator<{
    readonly root: string;
    readonly owner: { readonly account: AccountId; readonly profile: StorageProfileId };
  }> {
    for (let after: string | undefined; ; ) {
      const directory = directoryOf(FAMILIES.storageRoot);
      const { items, next } = await listPage(this.#context.pointers, directory, {
        ...(after !== undefined && { after }),
      });
      for (const item of items) {
        const root = leafText(item.key) ?? "";
        yield { root, owner: decodeStorageRoot(item.summary ?? new Uint8Array()) };
      }
      if (next === undefined) return;
      after = next;
    }
  }

  /** Roots that come and roots that go. @throws FirnError `STORAGE_ROOT_TAKEN`. */
  async #joinRoots(
    batch: BatchBuilder,
    { id }: StorageProfile,
    before: readonly string[],
    after: readonly string[],
  ): Promise<void> {
    assert(new Set(after).size === after.length, "a profile has a root once");
    const { account, pointers } = this.#context;
    const come = after.filter((root) => !before.includes(root));
    const go = before.filter((root) => !after.includes(root));
    for (const root of come) {
      if (encodeSegment(root, Number.MAX_SAFE_INTEGER).length <= ROOT_BYTES) continue;
      throw invalid("STORAGE_ROOT_INVALID", "root too long: choose a shorter one", { root });
    }
    await this.assertFree(come);
    await this.#assertNotDefaultsRoots(come);
    const keys = [...come, ...go].map((root) => keyOf(FAMILIES.storageRoot, root));
    const items = keys.length === 0 ? [] : await pointers.getMany(keys);
    for (const [i, item] of items.entries()) {
      const isNew = i < come.length;
      if (isNew && item.state === "live") throw taken(come[i] ?? "");
      if (isNew) batch.derive(item, { bytes: encodeStorageRoot({ account, profile: id }) });
      else if (item.state === "live") batch.deriveDelete(item);
    }
  }

  /** No profile of another account reaches what catalogs of the default account hold. */
  async #assertNotDefaultsRoots(roots: readonly string[]): Promise<void> {
    if (roots.length === 0) return;
    const of = await this.#defaultAccount();
    if (of === this.#context.account) return;
    for (const theirs of await catalogRoots(this.#context, of)) {
      for (const root of roots) if (overlap(root, theirs)) throw taken(root);
    }
  }

  /**
   * @param kept roots of the profile that stay.
   * @throws FirnError `Conflict` `STORAGE_PROFILE_IN_USE`: a catalog or a table of the account lies
   *   at or below a root that goes.
   */
  async #assertUnused(profile: StorageProfile, kept: readonly string[]): Promise<void> {
    const others = (await this.all()).filter(({ entity }) => entity.id !== profile.id);
    const elsewhere = [...others.flatMap(({ entity }) => entity.roots), ...kept];
    const isServed = (location: string): boolean => {
      const own = longest(profile.roots, location);
      return own !== undefined && (longest(elsewhere, location)?.length ?? -1) < own.length;
    };
    const { account } = this.#context;
    for (const root of await catalogRoots(this.#context, account)) {
      if (isServed(root)) throw inUse(profile.name, "catalog", root);
    }
    for (const root of profile.roots) {
      for await (const location of this.#claimsIn(root)) {
        if (isServed(location)) throw inUse(profile.name, "table", location);
      }
    }
  }

  /** Locations at or below a root that are claimed. One list for a thousand of them. */
  async *#claimsIn(root: string): AsyncGenerator<string> {
    const { account, pointers } = this.#context;
    const own = await pointers.get(locationKey(account, root));
    if (own.state === "live") yield root;
    const begins = `${splitKey(own.key).leaf}%2F`;
    for (let after = begins; ; ) {
      const page = await pointers.list(locationDirectory(account), { after, limit: CLAIMS });
      for (const item of page) {
        const { leaf } = splitKey(item.key);
        if (!leaf.startsWith(begins)) return;
        yield leafText(item.key) ?? root;
        after = leaf;
      }
      if (page.length < CLAIMS) return;
    }
  }

  #putSecret(
    batch: BatchBuilder,
    { id: profile, secretId }: StorageProfile,
    secret: NewSecret | undefined,
  ): void {
    if (secret === undefined) return;
    assert(secret.id === secretId, "a profile names the credentials that come with it");
    const { createdAtMs, sealed } = secret;
    const bytes = encodeStoredSecret({ profile, createdAtMs, sealed });
    batch.derive(never(this.#secretKey(secret.id)), { bytes });
  }

  async #deleteSecret(batch: BatchBuilder, { secretId }: StorageProfile): Promise<void> {
    if (secretId === undefined) return;
    const item = await this.#context.pointers.get(this.#secretKey(secretId));
    if (item.state === "live") batch.deriveDelete(item);
  }

  /** Read before what a change rests on. */
  async #guards(): Promise<readonly Live[]> {
    const { pointers } = this.#context;
    const keys = new Set([
      keyOf(FAMILIES.accountGuard, await this.#defaultAccount()),
      this.#guardKey(),
    ]);
    const items = await pointers.getMany([...keys]);
    const alive = items.filter((item): item is Live => item.state === "live");
    if (alive.length < keys.size) {
      throw new FirnError("Conflict", "ACCOUNT_DELETING", "the account is being deleted");
    }
    return alive;
  }

  #holdGuards(batch: BatchBuilder, guards: readonly Live[]): void {
    assert(guards.length > 0, "roots change under a guard alone");
    for (const guard of guards) batch.derive(guard, {});
  }

  async #defaultAccount(): Promise<AccountId> {
    const key = keyOf(FAMILIES.accountByName, DEFAULT_ACCOUNT);
    const item = await this.#context.pointers.get(key);
    // A store of one account, under another name.
    if (item.state === "absent") return this.#context.account;
    return summaryOfItem(item).entityId as AccountId;
  }

  async #find(name: string) {
    const key = this.#nameKey(name);
    const notFound = storageProfileNotFound;
    return await foundByName<StorageProfile>(this.#context, {
      type: "storageProfile",
      name,
      key,
      notFound,
    });
  }

  #nameKey(name: string): string {
    return keyOf(FAMILIES.storageProfileByName, this.#context.account, name);
  }

  #secretKey(id: StorageSecretId): string {
    return keyOf(FAMILIES.storageSecret, this.#context.account, id);
  }

  #guardKey(): string {
    return keyOf(FAMILIES.accountGuard, this.#context.account);
  }

  /** What an earlier request of the same key came to, as it stands now. */
  async #replay({ key }: Receipt, name: string): Promise<RevisedEntity<StorageProfile>> {
    const item = await this.#context.pointers.get(key);
    if (item.state === "absent") throw storageProfileNotFound(name);
    const stored = await readEntity<StorageProfile>(this.#context, "storageProfile", item);
    if (stored === undefined) throw storageProfileNotFound(name);
    return revisedOf(stored);
  }
}

/** Accounts that have storage profiles. One list. */
export async function storageAccounts(
  pointers: CatalogContext["pointers"],
): Promise<readonly AccountId[]> {
  const found = new Set<AccountId>();
  for (let after: string | undefined; ; ) {
    const asked = after === undefined ? {} : { after };
    const { items, next } = await listPage(pointers, directoryOf(FAMILIES.storageRoot), asked);
    for (const { summary } of items) {
      found.add(decodeStorageRoot(summary ?? new Uint8Array()).account);
    }
    if (next === undefined) return [...found];
    after = next;
  }
}

/** The longest root that a location is at or below. */
export function longest(roots: readonly string[], location: string): string | undefined {
  let found: string | undefined;
  for (const root of roots) {
    if (isWithin(location, root) && root.length > (found?.length ?? -1)) found = root;
  }
  return found;
}

/** Roots of every catalog of an account that is there. */
async function catalogRoots(
  context: CatalogContext,
  account: AccountId,
): Promise<readonly string[]> {
  const { pointers, payloads } = context;
  const { items } = await listPage(pointers, directoryOf(FAMILIES.catalogByName, account), {});
  const keys = items.map((item) => byIdKey("catalog", account, summaryOfItem(item).entityId));
  const roots: string[] = [];
  const within = { ...context, account, payloads: payloads.of(account) };
  for (const item of keys.length === 0 ? [] : await pointers.getMany(keys)) {
    if (item.state === "absent") continue;
    const stored = await readEntity<Catalog>(within, "catalog", item);
    if (stored === undefined) continue;
    const { defaultLocation, allowedLocations } = stored.entity;
    roots.push(defaultLocation, ...allowedLocations);
  }
  return roots;
}

function overlap(a: string, b: string): boolean {
  return isWithin(a, b) || isWithin(b, a);
}

/** Says nothing of whose it is. */
function taken(root: string): FirnError {
  const message = "the root, or a place above or below it, is in use: choose another one";
  return new FirnError("Conflict", "STORAGE_ROOT_TAKEN", message, { root });
}

function inUse(profile: string, by: string, location: string): FirnError {
  const message = `a ${by} lies below a root of the storage profile: drop it first`;
  return new FirnError("Conflict", "STORAGE_PROFILE_IN_USE", message, { profile, location });
}
