import { assert } from "../base/assert.ts";
import { type FirnError, invalid } from "../base/error.ts";
import type { CatalogId, NamespaceId } from "../base/ids.ts";
import type { Item, Live } from "../pointer/port.ts";
import { BatchBuilder, never } from "./batch.ts";
import type { Actor, CatalogContext } from "./context.ts";
import { isNamed } from "./delete-marks.ts";
import { afterDropKeys, purgeAfterMsOf, putAfterDrop } from "./drops.ts";
import { readEntity, type Stored, summaryOfItem } from "./entities.ts";
import {
  beingDeleted,
  entityProtected,
  hasChildNamespaces,
  namespaceExists,
  namespaceNotFound,
  notEmpty,
} from "./errors.ts";
import { deleteGuards, guardKeys, guardOf, putGuards } from "./guards.ts";
import { childDirectory, directoryOf, FAMILIES, keyOf } from "./keys.ts";
import { type Listed, listedPage } from "./listed.ts";
import type { Namespace, Properties, Receipt, Summary } from "./model.ts";
import { visibleIn } from "./name-access.ts";
import { checkPath, checkProperties, dotted } from "./names.ts";
import { listPage, type Page, type PageRequest } from "./pages.ts";
import { byIdKey } from "./paths.ts";
import { assertMayUpdate, ownedBy } from "./payloads.ts";
import { type Attempt, type Planned, REPLAN, refuse, write } from "./repository.ts";
import type { Resolver } from "./resolve.ts";
import { anyVersion, type Expect, type Revise, reviseEntity } from "./revise.ts";
import { type RevisedEntity, revisedBy, revisedOf } from "./revised-entity.ts";
import { nameSummary, summaryOf } from "./summaries.ts";

/** A namespace by name. */
export interface NamespaceRef {
  readonly catalog: string;
  readonly path: readonly string[];
}

/** New properties, or undefined for none, and what to answer of it, as JSON. */
export interface NamespaceChange {
  readonly properties: Properties | undefined;
  readonly detail: string;
}

/** The parent that a path appears under, and what stands at the path. */
interface Place {
  readonly parent: Summary;
  readonly catalogId: CatalogId;
  readonly item: Item;
}

/** The namespaces of one account. */
export class Namespaces {
  readonly #context: CatalogContext;
  readonly #resolver: Resolver;

  constructor(context: CatalogContext, resolver: Resolver) {
    this.#context = context;
    this.#resolver = resolver;
  }

  /**
   * Creates a namespace under a parent that is there. One batch of 13 operations.
   *
   * @throws FirnError `NAME_INVALID`, `PROPERTIES_INVALID`, `CATALOG_NOT_FOUND`,
   * `NAMESPACE_NOT_FOUND` (the parent), `NAMESPACE_ALREADY_EXISTS`, `CATALOG_DELETING`,
   * `NAMESPACE_DELETING` (also of the parent).
   */
  async create(
    actor: Actor,
    ref: NamespaceRef,
    properties: Properties,
  ): Promise<RevisedEntity<Namespace>> {
    const { account, payloads, ids } = this.#context;
    const path = checkPath(ref.path);
    const name = path.at(-1) ?? "";
    checkProperties(properties);
    const id = ids.mint<NamespaceId>();
    const plan = async (attempt: Attempt): Promise<Planned<RevisedEntity<Namespace>>> => {
      const { revision, updatedAtMs } = attempt.authorship;
      const place = await this.#place({ catalog: ref.catalog, path });
      if (place.item.state === "live") {
        const held = await this.#held(place.item, path);
        if (held === undefined) return REPLAN;
        throw held;
      }
      const entity: Namespace = {
        type: "namespace",
        id,
        name,
        path,
        description: "",
        properties,
        createdAtMs: updatedAtMs,
        state: "ACTIVE",
        nameRevision: revision,
        guardGeneration: 1,
        protected: false,
        purgeAfterMs: 0,
        catalogId: place.catalogId,
        parentId: place.parent.entityId as NamespaceId,
        ...ownedBy(attempt.authorship),
      };
      const payload = payloads.encode(entity, attempt.authorship);
      const primary = byIdKey("namespace", account, id);
      const batch = new BatchBuilder(account)
        .put(never(primary), { payload, summary: summaryOf(entity, payload) })
        .put(place.item, { summary: nameSummary(entity) })
        .bump(guardOf(account, place.parent, name));
      putGuards(batch, account, entity);
      return { batch, primary, result: () => revisedBy(attempt.authorship, entity, 1n) };
    };
    return write(this.#context, actor, "create-namespace", plan, (done) =>
      this.#replay(done, path),
    );
  }

  /**
   * `into`: something is to appear there.
   *
   * @throws FirnError `CATALOG_NOT_FOUND`, `NAMESPACE_NOT_FOUND`; `Conflict` `CATALOG_DELETING`,
   * `NAMESPACE_DELETING`, where `into` is said.
   */
  async get(ref: NamespaceRef, into?: true): Promise<Stored<Namespace>> {
    const path = checkPath(ref.path);
    const name = { catalog: ref.catalog, path };
    const { namespace } = await this.#resolver.resolve(name, into === true ? { into } : {});
    return this.#read(namespace.item, path);
  }

  /** Proves that it is there, without reading its payload. */
  async exists(ref: NamespaceRef): Promise<void> {
    await this.#resolver.resolve({ catalog: ref.catalog, path: checkPath(ref.path) });
  }

  /** The direct children of a path, or of the catalog for an empty one, as whole paths. */
  async list(ref: NamespaceRef, request: PageRequest): Promise<Page<readonly string[]>> {
    const { account, pointers } = this.#context;
    const path = ref.path.length === 0 ? [] : checkPath(ref.path);
    const { between } = await this.#resolver.resolve(
      path.length === 0 ? { catalog: ref.catalog } : { catalog: ref.catalog, path },
      {
        between: (ids) =>
          listPage(
            pointers,
            childDirectory(account, ids.catalog, path),
            request,
            visibleIn(ids.objects),
          ),
      },
    );
    return { ...between, items: between.items.map((item) => [...path, summaryOfItem(item).name]) };
  }

  /**
   * Changes the content of a namespace; names stay. `change` answers the new properties, undefined
   * for those that are there, and what the caller has to know of it again when it is replayed; it
   * is asked again after a lost race.
   */
  async update(
    actor: Actor,
    ref: NamespaceRef,
    change: (current: Namespace) => NamespaceChange,
  ): Promise<string | undefined> {
    const { account, payloads } = this.#context;
    const plan = async (attempt: Attempt): Promise<Planned<string | undefined>> => {
      const stored = await this.get(ref);
      assertMayUpdate(stored.envelope);
      const { properties, detail } = change(stored.entity);
      const primary = stored.item.key;
      if (properties === undefined) return { unchanged: detail, primary, detail };
      const entity: Namespace = { ...stored.entity, properties: checkProperties(properties) };
      const payload = payloads.encode(entity, attempt.authorship);
      const summary = summaryOf(entity, payload);
      const batch = new BatchBuilder(account).put(stored.item, { payload, summary });
      return { batch, primary, detail, result: () => detail };
    };
    return write(this.#context, actor, "update-namespace", plan, async ({ detail }) => detail);
  }

  /**
   * Gives a namespace other content; its names stay. `change` answers undefined for what is there
   * already, and is asked again after a lost race.
   *
   * @throws FirnError as `get`, `PROPERTIES_INVALID`, and what `change` throws.
   */
  async revise(
    actor: Actor,
    ref: NamespaceRef,
    change: Revise<Namespace>,
  ): Promise<RevisedEntity<Namespace>> {
    const find = () => this.get(ref);
    const replay = (done: Receipt) => this.#replay(done, ref.path);
    return reviseEntity(this.#context, actor, "update-namespace", find, change, replay);
  }

  /** The direct children of a path, or of the catalog for an empty one. One batch read more. */
  async page(ref: NamespaceRef, request: PageRequest): Promise<Page<Listed>> {
    const { account, pointers } = this.#context;
    const path = ref.path.length === 0 ? [] : checkPath(ref.path);
    const { between } = await this.#resolver.resolve(
      path.length === 0 ? { catalog: ref.catalog } : { catalog: ref.catalog, path },
      {
        between: (ids) =>
          listPage(
            pointers,
            childDirectory(account, ids.catalog, path),
            request,
            visibleIn(ids.objects),
          ),
      },
    );
    return listedPage(this.#context, between);
  }

  /**
   * Renames or moves a namespace that has no child namespaces; tables go with it.
   *
   * @throws FirnError `NAMESPACE_NOT_FOUND`, `NAMESPACE_ALREADY_EXISTS`,
   * `NAMESPACE_HAS_CHILDREN`, `NAME_INVALID`.
   */
  async rename(
    actor: Actor,
    ref: NamespaceRef,
    to: readonly string[],
    expect: Expect<Namespace> = anyVersion,
  ): Promise<RevisedEntity<Namespace>> {
    const from = { catalog: ref.catalog, path: checkPath(ref.path) };
    const target = { catalog: ref.catalog, path: checkPath(to) };
    if (isBelow(target.path, from.path)) {
      throw invalid("NAME_INVALID", "a namespace cannot move below itself", {
        why: "the target is below the namespace",
      });
    }
    return write(
      this.#context,
      actor,
      "rename-namespace",
      (attempt) => this.#planRename(from, target, attempt, expect),
      (done) => this.#replay(done, target.path),
    );
  }

  async #planRename(
    from: NamespaceRef,
    to: NamespaceRef,
    attempt: Attempt,
    expect: Expect<Namespace>,
  ): Promise<Planned<RevisedEntity<Namespace>>> {
    const { account, payloads } = this.#context;
    const { revision } = attempt.authorship;
    const found = await this.#vanishing(from);
    if (found === undefined) return REPLAN;
    const { stored, guards, nameItem } = found;
    expect(stored);
    if (await this.#hasAny(childDirectory(account, stored.entity.catalogId, from.path))) {
      return refuse(hasChildNamespaces(from.path), stored.item);
    }
    const place = await this.#place(to);
    if (place.item.state === "live") return refuse(namespaceExists(to.path), stored.item);
    assert(!isBelow(to.path, from.path), "a namespace never lies below itself");
    const name = to.path.at(-1) ?? "";
    const entity: Namespace = {
      ...stored.entity,
      name,
      path: to.path,
      parentId: place.parent.entityId as NamespaceId,
      nameRevision: revision,
      guardGeneration: stored.entity.guardGeneration + 1,
    };
    const payload = payloads.encode(entity, attempt.authorship);
    const batch = new BatchBuilder(account)
      .put(stored.item, { payload, summary: summaryOf(entity, payload) })
      .delete(nameItem)
      .put(place.item, { summary: nameSummary(entity) })
      .bump(guardOf(account, place.parent, name));
    deleteGuards(batch, guards);
    putGuards(batch, account, entity);
    const version = stored.item.version + 1n;
    const result = () => revisedBy(attempt.authorship, entity, version);
    return { batch, primary: stored.item.key, result };
  }

  /**
   * Drops an empty namespace.
   *
   * @throws FirnError `NAMESPACE_NOT_FOUND`, `NAMESPACE_NOT_EMPTY`, `PROTECTED`.
   */
  async drop(
    actor: Actor,
    ref: NamespaceRef,
    expect: Expect<Namespace> = anyVersion,
  ): Promise<void> {
    const from = { catalog: ref.catalog, path: checkPath(ref.path) };
    const plan = (attempt: Attempt) => this.#planDrop(from, attempt, expect);
    await write(this.#context, actor, "drop-namespace", plan, async () => undefined);
  }

  async #planDrop(
    ref: NamespaceRef,
    attempt: Attempt,
    expect: Expect<Namespace>,
  ): Promise<Planned<void>> {
    const { account, payloads } = this.#context;
    const purgeAfterMs = purgeAfterMsOf(this.#context, attempt.authorship);
    const found = await this.#vanishing(ref, purgeAfterMs);
    if (found === undefined) return REPLAN;
    const { stored, guards, nameItem } = found;
    expect(stored);
    if (stored.entity.protected) throw entityProtected(dotted(ref.path));
    const { id, catalogId } = stored.entity;
    const children = [
      directoryOf(FAMILIES.tableByName, account, catalogId, id),
      directoryOf(FAMILIES.viewByName, account, catalogId, id),
      childDirectory(account, catalogId, ref.path),
    ];
    const full = await Promise.all(children.map((directory) => this.#hasAny(directory)));
    if (full.includes(true)) {
      const error = notEmpty("NAMESPACE_NOT_EMPTY", { namespace: dotted(ref.path) });
      return refuse(error, stored.item);
    }
    const entity: Namespace = { ...stored.entity, state: "DROPPED", purgeAfterMs };
    const payload = payloads.encode(entity, attempt.authorship);
    const batch = new BatchBuilder(account)
      .put(stored.item, { payload, summary: summaryOf(entity, payload) })
      .delete(nameItem);
    putAfterDrop(batch, entity, found.left);
    deleteGuards(batch, guards);
    return { batch, primary: stored.item.key, result: () => undefined };
  }

  async #hasAny(directory: string): Promise<boolean> {
    return (await this.#context.pointers.list(directory, { limit: 1 })).length > 0;
  }

  /** Resolves the parent of a path and reads what stands there, in one request when warm. */
  async #place(ref: NamespaceRef): Promise<Place> {
    const { account } = this.#context;
    const above = ref.path.slice(0, -1);
    const resolved = await this.#resolver.resolve(
      above.length === 0 ? { catalog: ref.catalog } : { catalog: ref.catalog, path: above },
      {
        also: (ids) => [keyOf(FAMILIES.namespaceByPath, account, ids.catalog, ref.path)],
        into: true,
      },
    );
    const catalogId = resolved.catalog.summary.entityId as CatalogId;
    const parent = above.length === 0 ? resolved.catalog.summary : resolved.namespace.summary;
    const key = keyOf(FAMILIES.namespaceByPath, account, catalogId, ref.path);
    return { parent, catalogId, item: resolved.also[0] ?? never(key) };
  }

  /** What a rename or drop needs, guards read before anything below is looked at. */
  async #vanishing(ref: NamespaceRef, purgeAfterMs?: number) {
    const { account, pointers } = this.#context;
    const { namespace, also } = await this.#resolver.resolve(ref, {
      also: (ids) => [keyOf(FAMILIES.namespaceByPath, account, ids.catalog, ref.path)],
    });
    const stored = await this.#read(namespace.item, ref.path);
    assertMayUpdate(stored.envelope);
    const { id, guardGeneration } = stored.entity;
    const keys = guardKeys(account, "namespace", id, guardGeneration);
    const more = purgeAfterMs === undefined ? [] : afterDropKeys(account, id, purgeAfterMs);
    const items = await pointers.getMany([...keys, ...more]);
    const [guards, left] = [items.slice(0, keys.length), items.slice(keys.length)];
    const [nameItem] = also;
    const alive = guards.every((guard) => guard.state === "live") && nameItem?.state === "live";
    return alive ? { stored, guards, nameItem, left } : undefined;
  }

  /** Why a path that a namespace had is not free; undefined where it has become free meanwhile. */
  async #held(held: Live, path: readonly string[]): Promise<FirnError | undefined> {
    const { account, pointers } = this.#context;
    const item = await pointers.get(byIdKey("namespace", account, summaryOfItem(held).entityId));
    if (item.state === "absent" || !isNamed(summaryOfItem(item))) return undefined;
    const isLeaving = summaryOfItem(item).state === "DELETING";
    return isLeaving ? beingDeleted("namespace", dotted(path)) : namespaceExists(path);
  }

  /** What an earlier request of the same key came to, as it stands now. */
  async #replay({ key }: Receipt, path: readonly string[]): Promise<RevisedEntity<Namespace>> {
    const item = await this.#context.pointers.get(key);
    if (item.state === "absent") throw namespaceNotFound(path);
    const stored = await readEntity<Namespace>(this.#context, "namespace", item);
    if (stored === undefined) throw namespaceNotFound(path);
    return revisedOf(stored);
  }

  async #read(item: Live, path: readonly string[]): Promise<Stored<Namespace>> {
    const stored = await readEntity<Namespace>(this.#context, "namespace", item);
    if (stored === undefined || stored.entity.state !== "ACTIVE") throw namespaceNotFound(path);
    return stored;
  }
}

function isBelow(path: readonly string[], above: readonly string[]): boolean {
  return path.length > above.length && above.every((level, i) => path[i] === level);
}
