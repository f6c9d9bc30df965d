import type { FirnError } from "../base/error.ts";
import type { CatalogId } from "../base/ids.ts";
import type { Live, Version } from "../pointer/port.ts";
import { BatchBuilder, never } from "./batch.ts";
import type { Actor, CatalogContext } from "./context.ts";
import { isNamed } from "./delete-marks.ts";
import { afterDropKeys, purgeAfterMsOf, putAfterDrop } from "./drops.ts";
import { readEntity, type Stored, summaryOfItem } from "./entities.ts";
import {
  beingDeleted,
  catalogExists,
  catalogNotFound,
  entityProtected,
  notEmpty,
} from "./errors.ts";
import { deleteGuards, guardKeys, putGuards } from "./guards.ts";
import { childDirectory, directoryOf, FAMILIES, keyOf } from "./keys.ts";
import { type Listed, listedPage } from "./listed.ts";
import type { Catalog, Properties, Receipt } from "./model.ts";
import { visibleIn } from "./name-access.ts";
import { checkCatalogName, checkProperties } from "./names.ts";
import { listPage, type Page, type PageRequest } from "./pages.ts";
import { byIdKey } from "./paths.ts";
import { assertMayUpdate, ownedBy } from "./payloads.ts";
import { type Attempt, type Planned, REPLAN, refuse, write } from "./repository.ts";
import type { Resolver } from "./resolve.ts";
import { anyVersion, type Expect, type Revise, reviseEntity } from "./revise.ts";
import { type RevisedEntity, revisedBy, revisedOf } from "./revised-entity.ts";
import { nameSummary, summaryOf } from "./summaries.ts";

/** What a new catalog is made of. `defaultLocation` is the warehouse root, as a URI. */
export interface NewCatalog {
  readonly name: string;
  readonly defaultLocation: string;
  readonly description?: string;
  readonly properties?: Properties;
  readonly allowedLocations?: readonly string[];
}

type Roots = Pick<Catalog, "defaultLocation" | "allowedLocations">;

/** The catalogs of one account. */
export class Catalogs {
  readonly #context: CatalogContext;
  readonly #resolver: Resolver;

  constructor(context: CatalogContext, resolver: Resolver) {
    this.#context = context;
    this.#resolver = resolver;
  }

  /**
   * One batch of 13 operations.
   *
   * @throws FirnError `NAME_INVALID`, `CATALOG_ALREADY_EXISTS`, `CATALOG_DELETING`.
   */
  async create(actor: Actor, request: NewCatalog): Promise<RevisedEntity<Catalog>> {
    const { account, pointers, payloads, ids } = this.#context;
    const name = checkCatalogName(request.name);
    const properties = checkProperties(request.properties ?? {});
    const id = ids.mint<CatalogId>();
    const plan = async (attempt: Attempt): Promise<Planned<RevisedEntity<Catalog>>> => {
      const { revision, updatedAtMs } = attempt.authorship;
      const held = await pointers.get(keyOf(FAMILIES.catalogByName, account, name));
      if (held.state === "live") {
        const why = await this.#held(held, name);
        if (why === undefined) return REPLAN;
        throw why;
      }
      const entity: Catalog = {
        type: "catalog",
        id,
        name,
        description: request.description ?? "",
        properties,
        createdAtMs: updatedAtMs,
        state: "ACTIVE",
        nameRevision: revision,
        guardGeneration: 1,
        protected: false,
        purgeAfterMs: 0,
        defaultLocation: request.defaultLocation,
        allowedLocations: request.allowedLocations ?? [],
        defaultTableProperties: {},
        ...ownedBy(attempt.authorship),
      };
      const payload = payloads.encode(entity, attempt.authorship);
      const primary = byIdKey("catalog", account, id);
      const batch = new BatchBuilder(account)
        .put(never(primary), { payload, summary: summaryOf(entity, payload) })
        .put(held, { summary: nameSummary(entity) })
        .bump(keyOf(FAMILIES.accountGuard, account));
      putGuards(batch, account, entity);
      return { batch, primary, result: () => revisedBy(attempt.authorship, entity, 1n) };
    };
    return write(this.#context, actor, "create-catalog", plan, (done) => this.#replay(done, name));
  }

  /**
   * `into`: something is to appear there.
   *
   * @throws FirnError `CATALOG_NOT_FOUND`; `Conflict` `CATALOG_DELETING`, where `into` is said.
   */
  async get(name: string, into?: true): Promise<Stored<Catalog>> {
    const ref = { catalog: checkCatalogName(name) };
    const { catalog } = await this.#resolver.resolve(ref, into === true ? { into } : {});
    return this.#read(catalog.item, name);
  }

  async list(request: PageRequest): Promise<Page<string>> {
    const directory = directoryOf(FAMILIES.catalogByName, this.#context.account);
    const page = await listPage(this.#context.pointers, directory, request, visibleIn([]));
    return { ...page, items: page.items.map((item) => summaryOfItem(item).name) };
  }

  /** As `list`, with what the canonical pointers say. One batch read more. */
  async page(request: PageRequest): Promise<Page<Listed>> {
    const directory = directoryOf(FAMILIES.catalogByName, this.#context.account);
    return listedPage(
      this.#context,
      await listPage(this.#context.pointers, directory, request, visibleIn([])),
    );
  }

  /**
   * Gives a catalog other content; name and roots stay. `change` answers undefined for what is
   * there already, and is asked again after a lost race.
   *
   * @throws FirnError as `get`, `PROPERTIES_INVALID`, and what `change` throws.
   */
  async revise(
    actor: Actor,
    name: string,
    change: Revise<Catalog>,
  ): Promise<RevisedEntity<Catalog>> {
    const find = () => this.get(name);
    const replay = (done: Receipt) => this.#replay(done, name);
    return reviseEntity(this.#context, actor, "update-catalog", find, change, replay);
  }

  /**
   * Renames a catalog: a create that is still under way below the old name resolves it again.
   *
   * @throws FirnError `CATALOG_NOT_FOUND`, `CATALOG_ALREADY_EXISTS`, `NAME_INVALID`.
   */
  async rename(
    actor: Actor,
    from: string,
    to: string,
    expect: Expect<Catalog> = anyVersion,
  ): Promise<RevisedEntity<Catalog>> {
    const { account, payloads } = this.#context;
    const [oldName, newName] = [checkCatalogName(from), checkCatalogName(to)];
    const plan = async (attempt: Attempt): Promise<Planned<RevisedEntity<Catalog>>> => {
      const { revision } = attempt.authorship;
      const byName = (name: string) => keyOf(FAMILIES.catalogByName, account, name);
      const found = await this.#vanishing(oldName, [byName(newName)]);
      if (found === undefined) return REPLAN;
      const { stored, guards, nameItem, also } = found;
      expect(stored);
      const [target] = also;
      if (target === undefined || target.state === "live") throw catalogExists(newName);
      const entity: Catalog = {
        ...stored.entity,
        name: newName,
        nameRevision: revision,
        guardGeneration: stored.entity.guardGeneration + 1,
      };
      const payload = payloads.encode(entity, attempt.authorship);
      const batch = new BatchBuilder(account)
        .put(stored.item, { payload, summary: summaryOf(entity, payload) })
        .delete(nameItem)
        .put(target, { summary: nameSummary(entity) })
        .bump(keyOf(FAMILIES.accountGuard, account));
      deleteGuards(batch, guards);
      putGuards(batch, account, entity);
      const version = stored.item.version + 1n;
      const result = () => revisedBy(attempt.authorship, entity, version);
      return { batch, primary: stored.item.key, result };
    };
    return write(this.#context, actor, "rename-catalog", plan, (done) =>
      this.#replay(done, newName),
    );
  }

  /**
   * Gives a catalog another root for new tables. Those that are there keep their locations: the
   * root before stays allowed. Nothing is written where it is the root already.
   *
   * @returns the root before.
   * @throws FirnError `CATALOG_NOT_FOUND`.
   */
  async moveRoot(actor: Actor, name: string, root: string): Promise<string> {
    const before = await this.#setRoots(actor, "move-catalog-root", name, (catalog) =>
      catalog.defaultLocation === root
        ? undefined
        : {
            defaultLocation: root,
            allowedLocations: [catalog.defaultLocation, ...catalog.allowedLocations],
          },
    );
    return before.defaultLocation;
  }

  /**
   * Lets tables of a catalog lie below further roots. Nothing is written where all are known.
   *
   * @returns the catalog before.
   * @throws FirnError `CATALOG_NOT_FOUND`.
   */
  async allow(actor: Actor, name: string, roots: readonly string[]): Promise<Catalog> {
    return this.#setRoots(actor, "allow-catalog-roots", name, (catalog) => {
      const { defaultLocation, allowedLocations } = catalog;
      const known = new Set([defaultLocation, ...allowedLocations]);
      return roots.every((root) => known.has(root))
        ? undefined
        : { defaultLocation, allowedLocations: [...allowedLocations, ...roots] };
    });
  }

  /**
   * A version that moves with every catalog that is made or renamed, and with the roots of each:
   * a node that has seen it before knows them all. One read.
   */
  async rootsVersion(): Promise<Version> {
    const { account, pointers } = this.#context;
    return (await pointers.get(keyOf(FAMILIES.accountGuard, account))).version;
  }

  /** @returns the catalog before. */
  async #setRoots(
    actor: Actor,
    operation: string,
    text: string,
    change: (catalog: Catalog) => Roots | undefined,
  ): Promise<Catalog> {
    const { account, payloads } = this.#context;
    const name = checkCatalogName(text);
    return write(this.#context, actor, operation, async (attempt) => {
      const stored = await this.get(name);
      assertMayUpdate(stored.envelope);
      const primary = stored.item.key;
      const roots = change(stored.entity);
      if (roots === undefined) return { unchanged: stored.entity, primary };
      const { defaultLocation } = roots;
      const others = new Set(roots.allowedLocations);
      others.delete(defaultLocation);
      const entity: Catalog = { ...stored.entity, defaultLocation, allowedLocations: [...others] };
      const payload = payloads.encode(entity, attempt.authorship);
      const summary = summaryOf(entity, payload);
      const batch = new BatchBuilder(account)
        .put(stored.item, { payload, summary })
        .bump(keyOf(FAMILIES.accountGuard, account));
      return { batch, primary, result: () => stored.entity };
    });
  }

  /**
   * Drops an empty catalog.
   *
   * @throws FirnError `CATALOG_NOT_FOUND`, `CATALOG_NOT_EMPTY`, `PROTECTED`.
   */
  async drop(actor: Actor, text: string, expect: Expect<Catalog> = anyVersion): Promise<void> {
    const name = checkCatalogName(text);
    const plan = (attempt: Attempt) => this.#planDrop(name, attempt, expect);
    await write(this.#context, actor, "drop-catalog", plan, async () => undefined);
  }

  async #planDrop(name: string, attempt: Attempt, expect: Expect<Catalog>): Promise<Planned<void>> {
    const { account, pointers, payloads } = this.#context;
    const purgeAfterMs = purgeAfterMsOf(this.#context, attempt.authorship);
    const found = await this.#vanishing(name, [], purgeAfterMs);
    if (found === undefined) return REPLAN;
    const { stored, guards, nameItem, left } = found;
    expect(stored);
    if (stored.entity.protected) throw entityProtected(name);
    const children = childDirectory(account, stored.entity.id, []);
    if ((await pointers.list(children, { limit: 1 })).length > 0) {
      return refuse(notEmpty("CATALOG_NOT_EMPTY", { catalog: name }), stored.item);
    }
    const entity: Catalog = { ...stored.entity, state: "DROPPED", purgeAfterMs };
    const payload = payloads.encode(entity, attempt.authorship);
    const batch = new BatchBuilder(account)
      .put(stored.item, { payload, summary: summaryOf(entity, payload) })
      .delete(nameItem);
    putAfterDrop(batch, entity, left);
    deleteGuards(batch, guards);
    return { batch, primary: stored.item.key, result: () => undefined };
  }

  /** What a rename or drop needs, guards read before anything below is looked at. */
  async #vanishing(name: string, more: readonly string[], purgeAfterMs?: number) {
    const { account, pointers } = this.#context;
    const nameKey = keyOf(FAMILIES.catalogByName, account, name);
    const { catalog, also } = await this.#resolver.resolve(
      { catalog: name },
      { also: () => [nameKey, ...more] },
    );
    const stored = await this.#read(catalog.item, name);
    assertMayUpdate(stored.envelope);
    const { id, guardGeneration } = stored.entity;
    const keys = guardKeys(account, "catalog", id, guardGeneration);
    const later = purgeAfterMs === undefined ? [] : afterDropKeys(account, id, purgeAfterMs);
    const items = await pointers.getMany([...keys, ...later]);
    const [guards, left] = [items.slice(0, keys.length), items.slice(keys.length)];
    const [nameItem, ...rest] = also;
    const alive = guards.every((guard) => guard.state === "live") && nameItem?.state === "live";
    return alive ? { stored, guards, left, nameItem, also: rest } : undefined;
  }

  /** Why a name that a catalog had is not free; undefined where it has become free meanwhile. */
  async #held(held: Live, name: string): Promise<FirnError | undefined> {
    const { account, pointers } = this.#context;
    const item = await pointers.get(byIdKey("catalog", account, summaryOfItem(held).entityId));
    if (item.state === "absent" || !isNamed(summaryOfItem(item))) return undefined;
    const isLeaving = summaryOfItem(item).state === "DELETING";
    return isLeaving ? beingDeleted("catalog", name) : catalogExists(name);
  }

  /** What an earlier request of the same key came to, as it stands now. */
  async #replay({ key }: Receipt, name: string): Promise<RevisedEntity<Catalog>> {
    const item = await this.#context.pointers.get(key);
    if (item.state === "absent") throw catalogNotFound(name);
    const stored = await readEntity<Catalog>(this.#context, "catalog", item);
    if (stored === undefined) throw catalogNotFound(name);
    return revisedOf(stored);
  }

  async #read(item: Live, name: string): Promise<Stored<Catalog>> {
    const stored = await readEntity<Catalog>(this.#context, "catalog", item);
    if (stored === undefined || stored.entity.state !== "ACTIVE") throw catalogNotFound(name);
    return stored;
  }
}
