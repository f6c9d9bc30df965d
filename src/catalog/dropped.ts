import { assert } from "../base/assert.ts";
import { type ErrorKind, FirnError } from "../base/error.ts";
import type { AccountId, CatalogId, NamespaceId } from "../base/ids.ts";
import type { Item, Live } from "../pointer/port.ts";
import { putAccount, readAccount } from "./account-payloads.ts";
import { BatchBuilder } from "./batch.ts";
import type { Actor, CatalogContext } from "./context.ts";
import { afterDropKeys, type Droppable, deleteAfterDrop } from "./drops.ts";
import { readEntity, type Stored, summaryOfItem } from "./entities.ts";
import {
  accountExists,
  beingDeleted,
  beingPurged,
  catalogExists,
  catalogNotFound,
  isBeingDeleted,
  isLocationTaken,
  namespaceExists,
  namespaceNotFound,
  notDropped,
  relationExists,
} from "./errors.ts";
import { guardOf, putGuards } from "./guards.ts";
import { directoryOf, FAMILIES, keyOf, locationKey } from "./keys.ts";
import { type Listed, listedPage } from "./listed.ts";
import type { Account, Catalog, Entity, Namespace, Relation } from "./model.ts";
import { checkCatalogName, checkName, checkPath, dotted } from "./names.ts";
import { listPage, type Page, type PageRequest } from "./pages.ts";
import { byIdKey } from "./paths.ts";
import { assertMayUpdate } from "./payloads.ts";
import type { Surroundings } from "./relations.ts";
import { type Attempt, type Planned, REPLAN, refuse, write } from "./repository.ts";
import type { Resolver } from "./resolve.ts";
import { type RevisedEntity, revisedBy, revisedOf } from "./revised-entity.ts";
import { nameSummary, summaryOf } from "./summaries.ts";
import { lookAround, takeLocation } from "./taking.ts";

/** Where something dropped is to come back: what is absent stays as it was. */
export interface UndropTarget {
  /** The namespace of a relation; the namespace above a namespace, `[]` for the top level. */
  readonly parent?: readonly string[] | undefined;
  readonly name?: string | undefined;
}

/** What must not be claimed by others for a relation to take its location again. */
export type Around = (relation: Relation) => Promise<Surroundings>;

/** Where dropped things were: a catalog has no parent, a namespace at the top has its catalog. */
export interface DroppedScope {
  readonly type: Droppable["type"];
  readonly parentId?: string | undefined;
}

const KINDS: readonly Droppable["type"][] = ["table", "view", "namespace", "catalog", "account"];

/** Refusals that state what stands in the store: proven before they are answered. */
const FACTS: ReadonlySet<ErrorKind> = new Set(["NotFound", "AlreadyExists"]);

function isFact(error: FirnError): boolean {
  return FACTS.has(error.kind) || isLocationTaken(error) || isBeingDeleted(error);
}

/** What a caller wants back, and where, and what was read on the way there. */
interface Wish {
  readonly to: UndropTarget;
  readonly around: Around;
  readonly attempt: Attempt;
  readonly proof: Item[];
}

/** The last level of a path, and those before it. */
function splitPath(path: readonly string[]) {
  return { above: path.slice(0, -1), name: path.at(-1) ?? "" };
}

/** What was dropped in one account and can be brought back until a purge takes it up. */
export class Dropped {
  readonly #context: CatalogContext;
  readonly #resolver: Resolver;

  constructor(context: CatalogContext, resolver: Resolver) {
    this.#context = context;
    this.#resolver = resolver;
  }

  /** What can be brought back, what will go first at the head. One list a page, one read each. */
  async list(request: PageRequest): Promise<Page<Droppable>> {
    const { account, pointers } = this.#context;
    const directory = directoryOf(FAMILIES.dropped, account);
    const page = await listPage(pointers, directory, request);
    const keys = page.items.map((item) => {
      const { entityType, entityId } = summaryOfItem(item);
      return byIdKey(entityType as Entity["type"], account, entityId);
    });
    const found = keys.length === 0 ? [] : await pointers.getMany(keys);
    const stored = await Promise.all(
      found.map((item) => (item.state === "live" ? this.#read(item) : undefined)),
    );
    // One that came back, or went for good, between the two reads is no longer dropped.
    const items = stored.flatMap((one) => (one?.entity.state === "DROPPED" ? [one.entity] : []));
    return { ...page, items };
  }

  /**
   * A page of what was dropped out of one place, what will go first at the head. The dropped things
   * of all places are one list, of which a page reads a bounded part: it may be short, or empty,
   * and still have a next one.
   */
  async page({ type, parentId }: DroppedScope, request: PageRequest): Promise<Page<Listed>> {
    const { account, pointers } = this.#context;
    const directory = directoryOf(FAMILIES.dropped, account);
    const page = await listPage(pointers, directory, request, {
      shows: (summary) => summary.entityType === type && summary.parentId === parentId,
    });
    return listedPage(this.#context, page, "DROPPED");
  }

  /**
   * What was dropped under an id. Two requests.
   *
   * @throws FirnError `DROPPED_NOT_FOUND`; `Conflict` `BEING_PURGED`.
   */
  async get(id: string): Promise<Stored<Droppable>> {
    const stored = await this.#find(id);
    if (stored?.entity.state === "PURGING") throw beingPurged(id);
    if (stored?.entity.state !== "DROPPED") throw notDropped(id);
    return stored;
  }

  async #find(id: string): Promise<Stored<Droppable> | undefined> {
    const { account, pointers } = this.#context;
    const items = await pointers.getMany(KINDS.map((type) => byIdKey(type, account, id)));
    const item = items.find((one) => one.state === "live");
    return item === undefined ? undefined : this.#read(item);
  }

  /** Where a namespace is now, by its id; undefined where it is gone. */
  async namespacePath(id: NamespaceId): Promise<readonly string[] | undefined> {
    const stored = await this.#parent<Namespace>("namespace", id);
    return stored?.entity.state === "ACTIVE" ? stored.entity.path : undefined;
  }

  /** What a catalog is called now, by its id; undefined where it is gone. */
  async catalogName(id: CatalogId): Promise<string | undefined> {
    const stored = await this.#parent<Catalog>("catalog", id);
    return stored?.entity.state === "ACTIVE" ? stored.entity.name : undefined;
  }

  async #parent<E extends Catalog | Namespace>(
    type: E["type"],
    id: E["id"],
    proof: Item[] = [],
  ): Promise<Stored<E> | undefined> {
    const { account, pointers } = this.#context;
    const item = await pointers.get(byIdKey(type, account, id));
    proof.push(item);
    return item.state === "live" ? readEntity<E>(this.#context, type, item) : undefined;
  }

  /** @throws FirnError `NAMESPACE_NOT_FOUND`, by its last path; `Conflict` `NAMESPACE_DELETING`. */
  async #pathOf(id: NamespaceId, proof: Item[]): Promise<readonly string[]> {
    const stored = await this.#parent<Namespace>("namespace", id, proof);
    if (stored?.entity.state === "DELETING") {
      throw beingDeleted("namespace", dotted(stored.entity.path));
    }
    if (stored?.entity.state !== "ACTIVE") throw namespaceNotFound(stored?.entity.path ?? [id]);
    return stored.entity.path;
  }

  /** @throws FirnError `CATALOG_NOT_FOUND`, by its last name; `Conflict` `CATALOG_DELETING`. */
  async #catalogOf(id: CatalogId, proof: Item[]): Promise<string> {
    const stored = await this.#parent<Catalog>("catalog", id, proof);
    if (stored?.entity.state === "DELETING") throw beingDeleted("catalog", stored.entity.name);
    if (stored?.entity.state !== "ACTIVE") throw catalogNotFound(stored?.entity.name ?? id);
    return stored.entity.name;
  }

  /**
   * Brings something back, under its old name and parent or others of its catalog: names, claims
   * and guards in one batch. What was in a namespace or catalog is brought back by itself, later.
   *
   * @throws FirnError `DROPPED_NOT_FOUND`; `Conflict` `BEING_PURGED`; `CATALOG_NOT_FOUND` and
   * `NAMESPACE_NOT_FOUND` of the parent; of what has been taken meanwhile `TABLE_ALREADY_EXISTS`,
   * `VIEW_ALREADY_EXISTS`, `NAMESPACE_ALREADY_EXISTS`, `CATALOG_ALREADY_EXISTS`,
   * `LOCATION_TAKEN`, `LOCATION_OVERLAPS`; `NAME_INVALID`.
   */
  async undrop(
    actor: Actor,
    id: string,
    to: UndropTarget = {},
    around: Around = async () => ({}),
  ): Promise<RevisedEntity<Droppable>> {
    // Whatever has become of it: a repeat of the request finds it back.
    const found = await this.#find(id);
    if (found === undefined) throw notDropped(id);
    const { type } = found.entity;
    const plan = async (attempt: Attempt): Promise<Planned<RevisedEntity<Droppable>>> => {
      const stored = await this.get(id);
      assertMayUpdate(stored.envelope);
      const proof: Item[] = [stored.item];
      try {
        return await this.#planUndrop(stored, { to, around, attempt, proof });
      } catch (error) {
        if (!(error instanceof FirnError && isFact(error))) throw error;
        return refuse(error, ...proof);
      }
    };
    return write(this.#context, actor, `undrop-${type}`, plan, async ({ key }) => {
      const item = await this.#context.pointers.get(key);
      const stored = item.state === "live" ? await this.#read(item) : undefined;
      if (stored === undefined) throw notDropped(id);
      return revisedOf(stored);
    });
  }

  async #planUndrop(
    stored: Stored<Droppable>,
    wish: Wish,
  ): Promise<Planned<RevisedEntity<Droppable>>> {
    const { entity } = stored;
    switch (entity.type) {
      case "account":
        return this.#planAccount({ ...stored, entity }, wish);
      case "catalog":
        return this.#planCatalog({ ...stored, entity }, wish);
      case "namespace":
        return this.#planNamespace({ ...stored, entity }, wish);
      case "table":
      case "view":
        return this.#planRelation({ ...stored, entity }, wish);
    }
  }

  async #planRelation(
    stored: Stored<Relation>,
    { to, attempt, proof, around }: Wish,
  ): Promise<Planned<RevisedEntity<Droppable>>> {
    const { account } = this.#context;
    const was = stored.entity;
    const { above = [], chosen = false } = await around(was);
    const name = checkName(to.name ?? was.name, was.type);
    const catalog = await this.#catalogOf(was.catalogId, proof);
    const path =
      to.parent === undefined ? await this.#pathOf(was.namespaceId, proof) : checkPath(to.parent);
    const listing = was.type === "table" ? FAMILIES.tableByName : FAMILIES.viewByName;
    const resolved = await this.#resolver.resolve(
      { catalog, path },
      {
        also: (ids) => [
          keyOf(FAMILIES.relationByName, account, ids.catalog, ids.namespace, name),
          keyOf(listing, account, ids.catalog, ids.namespace, name),
          locationKey(account, was.location),
          ...afterDropKeys(account, was.id, was.purgeAfterMs),
        ],
        into: true,
      },
    );
    const [relation, byName, claim, index, state, due] = resolved.also;
    const left = [index, state, due].filter((item) => item !== undefined);
    if (relation === undefined || byName === undefined || claim === undefined)
      throw notDropped(was.id);
    if (relation.state === "live") {
      throw relationExists(summaryOfItem(relation).entityType, path, name, { type: was.type });
    }
    const namespace = resolved.namespace.summary;
    const moved = to.parent === undefined && namespace.entityId !== was.namespaceId;
    if (moved) return REPLAN;
    const entity: Relation = {
      ...withoutPurge(was),
      ...this.#again(attempt),
      name,
      namespaceId: namespace.entityId as NamespaceId,
    };
    const taking = { relation: entity, above, chosen, elsewhere: [], fresh: false, proof };
    const taken = await takeLocation(this.#context, attempt, taking, claim);
    if (!("claim" in taken)) return taken;
    const met = await lookAround(this.#context, attempt, taking);
    if (met !== undefined) return met;
    const batch = this.#batch(stored, entity, attempt, left);
    const summary = nameSummary(entity);
    batch
      .put(relation, { summary })
      .derive(byName, { summary })
      .put(taken.claim, { summary })
      .bump(guardOf(account, namespace, name));
    for (const directory of above) batch.checkAbsent(locationKey(account, directory));
    return this.#planned(stored, entity, batch, attempt);
  }

  async #planNamespace(
    stored: Stored<Namespace>,
    { to, attempt, proof }: Wish,
  ): Promise<Planned<RevisedEntity<Droppable>>> {
    const { account } = this.#context;
    const was = stored.entity;
    const old = splitPath(was.path);
    const path = checkPath([...(to.parent ?? old.above), to.name ?? old.name]);
    const { above, name } = splitPath(path);
    const catalog = await this.#catalogOf(was.catalogId, proof);
    const resolved = await this.#resolver.resolve(
      above.length === 0 ? { catalog } : { catalog, path: above },
      {
        also: (ids) => [
          keyOf(FAMILIES.namespaceByPath, account, ids.catalog, path),
          ...afterDropKeys(account, was.id, was.purgeAfterMs),
        ],
        into: true,
      },
    );
    const [place, ...left] = resolved.also;
    if (place === undefined) throw notDropped(was.id);
    if (place.state === "live") throw namespaceExists(path);
    const parent = above.length === 0 ? resolved.catalog.summary : resolved.namespace.summary;
    // It came back by another request meanwhile, to where its parent was looked for.
    if (parent.entityId === was.id) return REPLAN;
    const entity: Namespace = {
      ...was,
      ...this.#again(attempt),
      name,
      path,
      parentId: parent.entityId as NamespaceId,
      guardGeneration: was.guardGeneration + 1,
    };
    const batch = this.#batch(stored, entity, attempt, left);
    batch.put(place, { summary: nameSummary(entity) }).bump(guardOf(account, parent, name));
    putGuards(batch, account, entity);
    return this.#planned(stored, entity, batch, attempt);
  }

  async #planCatalog(
    stored: Stored<Catalog>,
    { to, attempt }: Wish,
  ): Promise<Planned<RevisedEntity<Droppable>>> {
    const { account, pointers } = this.#context;
    const was = stored.entity;
    const name = checkCatalogName(to.name ?? was.name);
    const [place, ...left] = await pointers.getMany([
      keyOf(FAMILIES.catalogByName, account, name),
      ...afterDropKeys(account, was.id, was.purgeAfterMs),
    ]);
    if (place === undefined) throw notDropped(was.id);
    if (place.state === "live") throw catalogExists(name);
    const entity: Catalog = {
      ...was,
      ...this.#again(attempt),
      name,
      guardGeneration: was.guardGeneration + 1,
    };
    const batch = this.#batch(stored, entity, attempt, left);
    batch.put(place, { summary: nameSummary(entity) }).bump(keyOf(FAMILIES.accountGuard, account));
    putGuards(batch, account, entity);
    return this.#planned(stored, entity, batch, attempt);
  }

  async #planAccount(
    stored: Stored<Account>,
    { to, attempt }: Wish,
  ): Promise<Planned<RevisedEntity<Droppable>>> {
    const { account, pointers } = this.#context;
    const { operator, ...was } = stored.entity;
    assert(operator === account, "an account comes back where it was dropped");
    const name = checkName(to.name ?? was.name, "account");
    const [place, guard, ...left] = await pointers.getMany([
      keyOf(FAMILIES.accountByName, name),
      keyOf(FAMILIES.accountGuard, was.id),
      ...afterDropKeys(account, was.id, was.purgeAfterMs),
    ]);
    if (place === undefined || guard === undefined) throw notDropped(was.id);
    if (place.state === "live") throw accountExists(name);
    // It came back by another request meanwhile.
    if (guard.state === "live") return REPLAN;
    const entity: Account = { ...was, ...this.#again(attempt), name };
    const batch = this.#batch(stored, entity, attempt, left);
    batch.put(place, { summary: nameSummary(entity) }).derive(guard, {});
    return this.#planned(stored, entity, batch, attempt);
  }

  #again({ authorship }: Attempt) {
    return { state: "ACTIVE", purgeAfterMs: 0, nameRevision: authorship.revision } as const;
  }

  /** What bringing back always writes: the canonical pointer, and nothing left of the drop. */
  #batch(
    stored: Stored<Droppable>,
    entity: Droppable,
    { authorship }: Attempt,
    left: Parameters<typeof deleteAfterDrop>[2],
  ): BatchBuilder {
    const batch = new BatchBuilder(this.#context.account);
    if (entity.type === "account")
      putAccount(this.#context, batch, stored.item, entity, authorship);
    else {
      const payload = this.#context.payloads.encode(entity, authorship);
      batch.put(stored.item, { payload, summary: summaryOf(entity, payload) });
    }
    deleteAfterDrop(batch, entity, left);
    return batch;
  }

  #planned(
    { item }: Stored<Droppable>,
    entity: Droppable,
    batch: BatchBuilder,
    { authorship }: Attempt,
  ): Planned<RevisedEntity<Droppable>> {
    const result = revisedBy(authorship, entity, item.version + 1n);
    return { batch, primary: item.key, result: () => result };
  }

  async #read(item: Live): Promise<Stored<Droppable> | undefined> {
    const { entityType, entityId } = summaryOfItem(item);
    if (entityType === "account") {
      const stored = await readAccount(this.#context, entityId as AccountId, item);
      const { operator } = stored?.entity ?? {};
      return operator === undefined || operator === this.#context.account ? stored : undefined;
    }
    return readEntity<Droppable>(this.#context, entityType as Droppable["type"], item);
  }
}

/** A table that comes back has not been asked to go. */
function withoutPurge(relation: Relation): Relation {
  if (relation.type === "view" || relation.iceberg === undefined) return relation;
  return { ...relation, iceberg: { ...relation.iceberg, purgeRequested: false } };
}
