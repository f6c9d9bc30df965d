import { assert } from "../base/assert.ts";
import { FirnError } from "../base/error.ts";
import type { CatalogId, NamespaceId } from "../base/ids.ts";
import { settleAll } from "../base/settle-all.ts";
import type { Item, Live, Version } from "../pointer/port.ts";
import { BatchBuilder, type Fence, never } from "./batch.ts";
import type { Actor, CatalogContext } from "./context.ts";
import { afterDropKeys, purgeAfterMsOf, putAfterDrop } from "./drops.ts";
import { readEntity, type Stored, summaryOfItem } from "./entities.ts";
import { corrupt, entityProtected, relationExists, relationNotFound } from "./errors.ts";
import { guardOf } from "./guards.ts";
import { directoryOf, FAMILIES, keyOf, leafText, locationKey } from "./keys.ts";
import { type Listed, listedPage } from "./listed.ts";
import type { Namespace, Receipt, Relation, Table, View } from "./model.ts";
import { visibleIn } from "./name-access.ts";
import { checkName, checkPath, dotted } from "./names.ts";
import type { NamespaceRef } from "./namespaces.ts";
import { listPage, type Page, type PageRequest } from "./pages.ts";
import { byIdKey } from "./paths.ts";
import { assertMayUpdate, ownedBy } from "./payloads.ts";
import { type Attempt, type Planned, REPLAN, type Refused, refuse, write } from "./repository.ts";
import type { Link, Resolver } from "./resolve.ts";
import { anyVersion, type Expect, type Revise, reviseEntity } from "./revise.ts";
import { type RevisedEntity, revisedBy, revisedOf } from "./revised-entity.ts";
import { joinSnapshots, type SnapshotChange } from "./snapshots.ts";
import { nameSummary, summaryOf } from "./summaries.ts";
import { changedIndex, joinIndex } from "./table-index.ts";
import { lookAround, type Taking, takeLocation, takeUuid, type UuidGiven } from "./taking.ts";

/** A table or view by name. */
export interface RelationRef extends NamespaceRef {
  readonly name: string;
}

/** What of a table of another format than Iceberg is the registrar's to say. */
export type TableContent = Pick<Table, "format" | "description" | "properties"> &
  Pick<Table, "columns" | "partitionKeys" | "upstream" | "shard">;

/** What a relation is to be: `prepare` makes what must exist before it does (its metadata file). */
export interface RelationDraft<E extends Relation> {
  readonly location: string;
  /** Directories over the location that no other relation may have claimed. */
  readonly above?: readonly string[];
  /** A client chose the location, so others may lie below it: one list more to see that. */
  readonly chosen?: boolean;
  /** Directories elsewhere that it writes to: no other relation may lie below one either. */
  readonly elsewhere?: readonly string[];
  /** Named for this relation as it is made, so it was never claimed before: no read to check. */
  readonly fresh?: boolean;
  /** Its uuid was not minted here. */
  readonly uuidGiven?: UuidGiven;
  /** Looks for what else may be in the way of a chosen location, once that is held. */
  readonly apart?: () => Promise<void>;
  /** Absent of a table of another format. */
  readonly iceberg?: NonNullable<E["iceberg"]>;
  /** What the catalog itself says of a table without a metadata file. */
  readonly content?: TableContent;
  readonly prepare?: () => Promise<void>;
  /** What becomes of its snapshots, where it has some. */
  readonly snapshots?: SnapshotChange;
}

/** What must not be claimed by others for a relation to take a location. */
export type Surroundings = Pick<RelationDraft<Relation>, "above" | "chosen" | "elsewhere">;

/** What tells tables and views apart. */
export interface RelationKind<E extends Relation> {
  readonly type: E["type"];
  /** Serves listings; names are claimed in the one family that both types share. */
  readonly listing: typeof FAMILIES.tableByName | typeof FAMILIES.viewByName;
  /** A new entity of what all relations have. */
  readonly make: (common: Omit<View, "type" | "id" | "iceberg">, id: E["id"]) => E;
}

/** What one relation adds to a batch, once everything that it rests on was read. */
export interface Share<T> {
  /** Its canonical pointer. */
  readonly primary: string;
  readonly prepare?: () => Promise<void>;
  readonly join: (batch: BatchBuilder) => void;
  /** Looks for what is in the way of its location, once all shares of a batch have theirs. */
  readonly look?: () => Promise<Refused | typeof REPLAN | undefined>;
  /** Of a location that it claims: the directories over it. */
  readonly above: readonly string[];
  /** What was read of it, where it is there already. A refusal that names it reads it again. */
  readonly was?: Live;
  readonly result: T;
}

/** What a look at one relation came to. `at`: the pointer that stays as it is. */
export type Step<T> =
  | Share<T>
  | Refused
  | typeof REPLAN
  | { readonly unchanged: T; readonly at: Live };

/** The place of a name: its parent, the resolver key and the listing key. */
interface Place {
  readonly catalog: Link;
  readonly parent: Link;
  readonly relation: Item;
  readonly byName: Item;
  /** What a refusal that rests on it and on later reads has to read again. */
  readonly proof: readonly Item[];
}

/** Of a relation that moves: the claim that it leaves, the one that it takes, what stays free. */
interface Claims {
  readonly from?: Live;
  readonly to?: Item;
  readonly absent: readonly string[];
  readonly look?: Share<never>["look"];
}

/**
 * The relations of one type in one account. Whatever its type, a relation holds its name among all
 * relations of its namespace, and its location among all of the account.
 */
export class Relations<E extends Relation> {
  readonly #context: CatalogContext;
  readonly #resolver: Resolver;
  readonly #kind: RelationKind<E>;

  constructor(context: CatalogContext, resolver: Resolver, kind: RelationKind<E>) {
    this.#context = context;
    this.#resolver = resolver;
    this.#kind = kind;
  }

  /**
   * Creates a relation, or registers one: the draft says where its metadata lies. `draft` is asked
   * again after a lost race.
   *
   * @param id minted by the caller, who has stored it elsewhere already.
   * @throws FirnError `NAME_INVALID`, `NAMESPACE_NOT_FOUND`, `TABLE_ALREADY_EXISTS`,
   * `VIEW_ALREADY_EXISTS`, `LOCATION_TAKEN`, `LOCATION_OVERLAPS`, `TABLE_UUID_TAKEN`, and what
   * `draft` throws. Warm: one batch read beside those of `draft`; for a location that is not fresh
   * one read and one list more, and for a uuid that is to be its own one list; one batch of 8
   * operations (views: 7), one more for a uuid that was given, and for each directory above the
   * location.
   */
  async create(
    actor: Actor,
    operation: `create-${E["type"]}` | `register-${E["type"]}`,
    ref: RelationRef,
    draft: () => Promise<RelationDraft<E>>,
    id: E["id"] = this.#context.ids.mint<E["id"]>(),
  ): Promise<RevisedEntity<E>> {
    const clean = this.#clean(ref);
    return write(
      this.#context,
      actor,
      operation,
      async (attempt) => this.#alone(await this.stepCreate(clean, id, draft, attempt)),
      (receipt) => this.#replay(receipt, clean),
    );
  }

  /** The part of `create` that plans. */
  async stepCreate(
    ref: RelationRef,
    id: E["id"],
    draft: () => Promise<RelationDraft<E>>,
    attempt: Attempt,
  ): Promise<Step<RevisedEntity<E>>> {
    const { account, payloads } = this.#context;
    const { revision, updatedAtMs } = attempt.authorship;
    const [drafted, place] = await settleAll([draft(), this.#place(ref)]);
    if (place.relation.state === "live") throw this.#taken(place.relation, ref);
    const { location, above = [], iceberg, content, prepare, snapshots } = drafted;
    const common = {
      name: ref.name,
      description: "",
      properties: {},
      createdAtMs: updatedAtMs,
      state: "ACTIVE" as const,
      nameRevision: revision,
      protected: false,
      purgeAfterMs: 0,
      catalogId: place.catalog.summary.entityId as CatalogId,
      namespaceId: place.parent.summary.entityId as NamespaceId,
      location,
      ...ownedBy(attempt.authorship),
    };
    const entity: E = {
      ...this.#kind.make(common, id),
      ...(iceberg !== undefined && { iceberg }),
      ...content,
    };
    assert(entity.id === id, "a step that is planned again makes the same entity");
    const index = await takeUuid(this.#context, attempt, entity, drafted.uuidGiven, place.proof);
    if (!("puts" in index)) return index;
    const taking = takingOf(entity, drafted, place.proof);
    const taken = await takeLocation(this.#context, attempt, taking);
    if (!("claim" in taken)) return taken;
    const payload = payloads.encode(entity, attempt.authorship);
    const primary = byIdKey(entity.type, account, id);
    const join = (batch: BatchBuilder) => {
      batch.put(never(primary), { payload, summary: summaryOf(entity, payload) });
      putNames(batch, place, entity);
      batch
        .put(taken.claim, { summary: nameSummary(entity) })
        .bump(guardOf(account, place.parent.summary, ref.name));
      joinIndex(batch, index);
      this.#joinSnapshots(batch, entity, 0n, snapshots, attempt);
      for (const directory of above) batch.checkAbsent(locationKey(account, directory));
    };
    const look = () => lookAround(this.#context, attempt, taking);
    const result = revisedBy(attempt.authorship, entity, 1n);
    return { primary, join, look, above, result, ...(prepare === undefined ? {} : { prepare }) };
  }

  /**
   * Proves a relation's name and answers its canonical pointer: no payload is read. Warm: one batch
   * read.
   *
   * @throws FirnError `CATALOG_NOT_FOUND`, `NAMESPACE_NOT_FOUND`, `TABLE_NOT_FOUND` or
   * `VIEW_NOT_FOUND`, also where the name is one of the other type.
   */
  async find(ref: RelationRef): Promise<Link> {
    const { catalog, path, name } = this.#clean(ref);
    const relation = { type: this.#kind.type, name };
    return (await this.#resolver.resolve({ catalog, path, relation })).relation;
  }

  /**
   * Proves that nothing has a name.
   *
   * @throws FirnError `CATALOG_NOT_FOUND`, `NAMESPACE_NOT_FOUND`, `TABLE_ALREADY_EXISTS`,
   * `VIEW_ALREADY_EXISTS`.
   */
  async assertFree(ref: RelationRef): Promise<void> {
    const clean = this.#clean(ref);
    const { relation } = await this.#place(clean);
    if (relation.state === "live") throw this.#taken(relation, clean);
  }

  /** As `find`, with the payload. */
  async get(ref: RelationRef): Promise<Stored<E>> {
    return this.read(await this.find(ref), ref);
  }

  /** The payload behind a link. @throws FirnError as `find`: dropped meanwhile. */
  async read(link: Link, ref: RelationRef): Promise<Stored<E>> {
    return this.#read(link.item, ref);
  }

  /**
   * Names of the relations of this type in a namespace, in byte order. Where `isListed` leaves some
   * out, a page is shorter than was asked for.
   */
  async list(
    ref: NamespaceRef,
    request: PageRequest,
    isListed: (item: Live) => boolean = () => true,
  ): Promise<Page<string>> {
    const { account, pointers } = this.#context;
    const { between } = await this.#resolver.resolve(
      { catalog: ref.catalog, path: checkPath(ref.path) },
      {
        between: ({ catalog, namespace, objects }) =>
          listPage(
            pointers,
            directoryOf(this.#kind.listing, account, catalog, namespace),
            request,
            visibleIn(objects),
          ),
      },
    );
    // The leaf is the name, unless that was too long to be one: a summary costs a decoding each.
    const nameOf = (item: Live) => leafText(item.key) ?? summaryOfItem(item).name;
    return { ...between, items: between.items.filter(isListed).map(nameOf) };
  }

  /** As `list`, with what the canonical pointers say. One batch read more. */
  async page(ref: NamespaceRef, request: PageRequest): Promise<Page<Listed>> {
    const { account, pointers } = this.#context;
    const { between } = await this.#resolver.resolve(
      { catalog: ref.catalog, path: checkPath(ref.path) },
      {
        between: ({ catalog, namespace, objects }) =>
          listPage(
            pointers,
            directoryOf(this.#kind.listing, account, catalog, namespace),
            request,
            visibleIn(objects),
          ),
      },
    );
    return listedPage(this.#context, between);
  }

  /**
   * Gives a relation other content of the catalog's own: names, location and metadata stay.
   * `change` answers undefined for what is there already, and is asked again after a lost race.
   *
   * @throws FirnError as `find`, and what `change` throws.
   */
  async revise(actor: Actor, ref: RelationRef, change: Revise<E>): Promise<RevisedEntity<E>> {
    const clean = this.#clean(ref);
    const find = () => this.get(clean);
    const replay = (receipt: Receipt) => this.#replay(receipt, clean);
    const operation = `update-${this.#kind.type}`;
    return reviseEntity(this.#context, actor, operation, find, change, replay);
  }

  /**
   * Gives a relation other content under the same name: one batch of 3 operations, 5 where its
   * location moves. `change` is asked again after a lost race, with what is there now.
   *
   * @throws FirnError `LOCATION_TAKEN`, `LOCATION_OVERLAPS`, as `find`, and what `change`
   * throws.
   */
  async update(
    actor: Actor,
    operation: `commit-${E["type"]}` | `register-${E["type"]}`,
    ref: RelationRef,
    change: (current: Stored<E>) => Promise<RelationDraft<E> | undefined>,
  ): Promise<RevisedEntity<E>> {
    const clean = this.#clean(ref);
    return write(
      this.#context,
      actor,
      operation,
      async (attempt) => this.#alone(await this.stepUpdate(clean, change, attempt)),
      (receipt) => this.#replay(receipt, clean),
    );
  }

  /** The part of `update` that plans. */
  async stepUpdate(
    ref: RelationRef,
    change: (current: Stored<E>) => Promise<RelationDraft<E> | undefined>,
    attempt: Attempt,
  ): Promise<Step<RevisedEntity<E>>> {
    const { payloads } = this.#context;
    const stored = await this.get(ref);
    assertMayUpdate(stored.envelope);
    const draft = await change(stored);
    if (draft === undefined) return { unchanged: revisedOf(stored), at: stored.item };
    const { location, iceberg, prepare, snapshots } = draft;
    assert(iceberg !== undefined, "what has no metadata file is not committed to");
    const entity: E = { ...stored.entity, location, iceberg };
    const claims = await this.#claimsOf(stored, entity, draft, attempt);
    if (!("absent" in claims)) return claims;
    const index = await changedIndex(this.#context, stored.entity, entity);
    const payload = payloads.encode(entity, attempt.authorship);
    const join = (batch: BatchBuilder) => {
      batch.put(stored.item, { payload, summary: summaryOf(entity, payload) });
      if (claims.from !== undefined) batch.delete(claims.from);
      if (claims.to !== undefined) batch.put(claims.to, { summary: nameSummary(entity) });
      joinIndex(batch, index);
      this.#joinSnapshots(batch, entity, stored.item.version, snapshots, attempt);
      for (const key of claims.absent) batch.checkAbsent(key);
    };
    const result = revisedBy(attempt.authorship, entity, stored.item.version + 1n);
    const primary = stored.item.key;
    const { above = [] } = draft;
    const more = {
      ...(prepare === undefined ? {} : { prepare }),
      ...(claims.look === undefined ? {} : { look: claims.look }),
    };
    return { primary, join, above, was: stored.item, result, ...more };
  }

  #joinSnapshots(
    batch: BatchBuilder,
    entity: E,
    version: Version,
    change: SnapshotChange | undefined,
    { authorship }: Attempt,
  ): void {
    if (entity.type !== "table" || change === undefined) return;
    joinSnapshots(this.#context, batch, authorship, { id: entity.id, version }, change);
  }

  /**
   * Gives a name this content, whether a relation of this type holds it or nothing does. Which of
   * the two it is is looked at anew in every round, so no caller is told that it was the other one.
   *
   * @throws FirnError as `create` where the name is of the other type, and as `update`.
   */
  async createOrUpdate(
    actor: Actor,
    operation: `register-${E["type"]}`,
    ref: RelationRef,
    draft: (current?: Stored<E>) => Promise<RelationDraft<E>>,
  ): Promise<RevisedEntity<E>> {
    const id = this.#context.ids.mint<E["id"]>();
    const clean = this.#clean(ref);
    return write(
      this.#context,
      actor,
      operation,
      async (attempt) => this.#alone(await this.#stepEither(clean, id, draft, attempt)),
      (receipt) => this.#replay(receipt, clean),
    );
  }

  async #stepEither(
    ref: RelationRef,
    id: E["id"],
    draft: (current?: Stored<E>) => Promise<RelationDraft<E>>,
    attempt: Attempt,
  ): Promise<Step<RevisedEntity<E>>> {
    const type = this.#kind.type === "view" ? "VIEW" : "TABLE";
    const isRefusal = (error: unknown, code: string) =>
      error instanceof FirnError && error.code === code;
    try {
      return await this.stepUpdate(ref, draft, attempt);
    } catch (error) {
      // Of a namespace that is being deleted only who wants to make something there is told so.
      const isMissing = isRefusal(error, `${type}_NOT_FOUND`);
      if (!isMissing && !isRefusal(error, "NAMESPACE_NOT_FOUND")) throw error;
    }
    try {
      return await this.stepCreate(ref, id, () => draft(), attempt);
    } catch (error) {
      if (isRefusal(error, `${type}_ALREADY_EXISTS`)) return REPLAN;
      throw error;
    }
  }

  /** The claims that a move changes, and those that must not be there: none where it stays. */
  async #claimsOf(
    { entity: { location: from }, item }: Stored<E>,
    entity: E,
    draft: RelationDraft<E>,
    attempt: Attempt,
  ): Promise<Claims | Refused | typeof REPLAN> {
    const { account, pointers } = this.#context;
    const { above = [] } = draft;
    const moves = entity.location !== from;
    if (!moves && above.length === 0) return { absent: [] };
    const absent = above.map((at) => locationKey(account, at));
    const taking = takingOf(entity, draft, [item]);
    const look = () => lookAround(this.#context, attempt, taking);
    if (!moves) return { absent, look };
    const [left, known] = await pointers.getMany(
      [from, entity.location].map((at) => locationKey(account, at)),
    );
    if (!isOf(left, entity.id)) return REPLAN;
    const taken = await takeLocation(this.#context, attempt, taking, known);
    return "claim" in taken ? { from: left, to: taken.claim, absent, look } : taken;
  }

  /** A batch of one share. */
  async #alone<T>(step: Step<T>): Promise<Planned<T>> {
    if ("unchanged" in step) return { unchanged: step.unchanged, primary: step.at.key };
    if (!("join" in step)) return step;
    const met = await step.look?.();
    if (met !== undefined) return met;
    const { join, primary, prepare, result } = step;
    const batch = new BatchBuilder(this.#context.account);
    join(batch);
    return { batch, primary, result: () => result, ...(prepare === undefined ? {} : { prepare }) };
  }

  /**
   * Drops a relation: its names and claims are free at once, its pointer stays for the retention.
   * `mark` adds what the drop asks for, and is asked again after a lost race.
   */
  protected async dropMarked(
    actor: Actor,
    operation: `drop-${E["type"]}` | "unregister-table",
    ref: RelationRef,
    mark: (entity: E) => Promise<E>,
    expect: Expect<E> = anyVersion,
  ): Promise<RevisedEntity<E>> {
    const clean = this.#clean(ref);
    return write(
      this.#context,
      actor,
      operation,
      (attempt) => this.#planDrop(clean, mark, attempt, expect),
      (receipt) => this.#replay(receipt, clean),
    );
  }

  /**
   * Drops what a request has made, which must not stay. Any process that has its name by now keeps
   * it.
   */
  async takeBack(actor: Actor, ref: RelationRef, id: E["id"]): Promise<void> {
    const { type } = this.#kind;
    const gone = relationNotFound(type, ref.path, ref.name);
    const mark = async (entity: E): Promise<E> => {
      if (entity.id !== id) throw gone;
      return entity;
    };
    try {
      await this.dropMarked(actor, `drop-${type}` as const, ref, mark);
    } catch (error) {
      if (!(error instanceof FirnError && error.code === gone.code)) throw error;
    }
  }

  async #planDrop(
    ref: RelationRef,
    mark: (entity: E) => Promise<E>,
    attempt: Attempt,
    expect: Expect<E>,
  ): Promise<Planned<RevisedEntity<E>>> {
    const stored = await this.get(ref);
    expect(stored);
    if (stored.entity.protected) throw entityProtected(dotted([...ref.path, ref.name]));
    return this.#dropOf(stored, mark, attempt);
  }

  /** `fence`: the job that drops it, which every batch of the job moves on. */
  async #dropOf(
    stored: Stored<E>,
    mark: (entity: E) => Promise<E>,
    attempt: Attempt,
    fence?: Fence,
  ): Promise<Planned<RevisedEntity<E>>> {
    const { account, payloads } = this.#context;
    assertMayUpdate(stored.envelope);
    const purgeAfterMs = purgeAfterMsOf(this.#context, attempt.authorship);
    const left = afterDropKeys(account, stored.entity.id, purgeAfterMs);
    const names = await this.#namesOf(stored, fence === undefined ? left : [...left, fence.key]);
    if (names === undefined) return REPLAN;
    const entity: E = { ...(await mark(stored.entity)), state: "DROPPED", purgeAfterMs };
    const payload = payloads.encode(entity, attempt.authorship);
    const batch = new BatchBuilder(account)
      .put(stored.item, { payload, summary: summaryOf(entity, payload) })
      .delete(names.relation)
      .deriveDelete(names.byName)
      .delete(names.claim);
    putAfterDrop(batch, entity, names.more.slice(0, left.length));
    const moved = fence?.join(batch, names.more[left.length]);
    const version = stored.item.version + 1n;
    const result = () => {
      moved?.();
      return revisedBy(attempt.authorship, entity, version);
    };
    return { batch, primary: stored.item.key, result };
  }

  /**
   * Drops a relation that a job has found below what it deletes: by its id, as long as it is there.
   *
   * @returns whether it was dropped.
   * @throws FirnError `PROTECTED`; `Conflict` `JOB_LEASE_LOST`.
   */
  async dropIn(
    actor: Actor,
    namespace: Pick<Namespace, "id" | "path">,
    id: string,
    fence: Fence,
  ): Promise<boolean> {
    const { account, pointers } = this.#context;
    const { type } = this.#kind;
    const plan = async (attempt: Attempt): Promise<Planned<RevisedEntity<E> | undefined>> => {
      const item = await pointers.get(byIdKey(type, account, id));
      const stored =
        item.state === "live" ? await readEntity<E>(this.#context, type, item) : undefined;
      const isIn = stored?.entity.state === "ACTIVE" && stored.entity.namespaceId === namespace.id;
      if (stored === undefined || !isIn) return { unchanged: undefined };
      if (stored.entity.protected) {
        throw entityProtected(dotted([...namespace.path, stored.entity.name]));
      }
      return this.#dropOf(stored, async (entity) => entity, attempt, fence);
    };
    return (await write(this.#context, actor, `drop-${type}`, plan)) !== undefined;
  }

  /**
   * Renames a relation, across namespaces of its catalog too; its location stays.
   *
   * @throws FirnError `NAMESPACE_NOT_FOUND` (the new one too), `TABLE_ALREADY_EXISTS`,
   * `VIEW_ALREADY_EXISTS`, as `find`.
   */
  async rename(
    actor: Actor,
    from: RelationRef,
    to: Omit<RelationRef, "catalog">,
    expect: Expect<E> = anyVersion,
  ): Promise<RevisedEntity<E>> {
    const source = this.#clean(from);
    const target = this.#clean({ ...to, catalog: from.catalog });
    return write(
      this.#context,
      actor,
      `rename-${this.#kind.type}`,
      (attempt) => this.#planRename(source, target, attempt, expect),
      (receipt) => this.#replay(receipt, target),
    );
  }

  async #planRename(
    from: RelationRef,
    to: RelationRef,
    attempt: Attempt,
    expect: Expect<E>,
  ): Promise<Planned<RevisedEntity<E>>> {
    const { account, payloads } = this.#context;
    const [stored, place] = await settleAll([this.get(from), this.#place(to)]);
    expect(stored);
    assertMayUpdate(stored.envelope);
    if (place.relation.state === "live") {
      return refuse(this.#taken(place.relation, to, from), stored.item, ...place.proof);
    }
    const names = await this.#namesOf(stored);
    // What is renamed to its own name came to be after the place was read.
    const isSame = names?.relation.key === place.relation.key;
    if (names === undefined || isSame) return REPLAN;
    const entity: E = {
      ...stored.entity,
      name: to.name,
      namespaceId: place.parent.summary.entityId as NamespaceId,
      nameRevision: attempt.authorship.revision,
    };
    const payload = payloads.encode(entity, attempt.authorship);
    const batch = new BatchBuilder(account)
      .put(stored.item, { payload, summary: summaryOf(entity, payload) })
      .delete(names.relation)
      .deriveDelete(names.byName)
      .put(names.claim, { summary: nameSummary(entity) })
      .bump(guardOf(account, place.parent.summary, to.name));
    putNames(batch, place, entity);
    const version = stored.item.version + 1n;
    const result = () => revisedBy(attempt.authorship, entity, version);
    return { batch, primary: stored.item.key, result };
  }

  /** Resolves a parent and reads what stands under a name. Warm: one request. */
  async #place(ref: RelationRef): Promise<Place> {
    const { account } = this.#context;
    const { catalog, namespace, also } = await this.#resolver.resolve(
      { catalog: ref.catalog, path: ref.path },
      {
        also: (ids) => [
          keyOf(FAMILIES.relationByName, account, ids.catalog, ids.namespace, ref.name),
          keyOf(this.#kind.listing, account, ids.catalog, ids.namespace, ref.name),
        ],
        into: true,
      },
    );
    const [relation, byName] = also;
    if (relation === undefined || byName === undefined) {
      throw corrupt("store answered fewer items than asked for", { name: ref.name });
    }
    const proof = [catalog.item, namespace.item, relation];
    return { catalog, parent: namespace, relation, byName, proof };
  }

  /** The name and claim keys of a relation that is there; undefined where one moved meanwhile. */
  async #namesOf(stored: Stored<E>, others: readonly string[] = []) {
    const { account, pointers } = this.#context;
    const { catalogId, namespaceId, name, location, id } = stored.entity;
    const [relation, byName, claim, ...more] = await pointers.getMany([
      keyOf(FAMILIES.relationByName, account, catalogId, namespaceId, name),
      keyOf(this.#kind.listing, account, catalogId, namespaceId, name),
      locationKey(account, location),
      ...others,
    ]);
    const found = isOf(relation, id) && isOf(byName, id) && isOf(claim, id);
    return found ? { relation, byName, claim, more } : undefined;
  }

  /** What an earlier request of the same key came to, as it stands now. */
  async #replay({ key }: Receipt, ref: RelationRef): Promise<RevisedEntity<E>> {
    const { type } = this.#kind;
    const item = await this.#context.pointers.get(key);
    const stored =
      item.state === "live" ? await readEntity<E>(this.#context, type, item) : undefined;
    if (stored === undefined) throw relationNotFound(type, ref.path, ref.name);
    return revisedOf(stored);
  }

  async #read(item: Live, ref: RelationRef): Promise<Stored<E>> {
    const { type } = this.#kind;
    const stored = await readEntity<E>(this.#context, type, item);
    if (stored === undefined || stored.entity.state !== "ACTIVE") {
      throw relationNotFound(type, ref.path, ref.name);
    }
    return stored;
  }

  /** @throws FirnError `NAME_INVALID`. */
  #clean(ref: RelationRef): RelationRef {
    return {
      catalog: ref.catalog,
      path: checkPath(ref.path),
      name: checkName(ref.name, this.#kind.type),
    };
  }

  #taken(holder: Live, ref: RelationRef, from?: RelationRef): FirnError {
    const { type } = this.#kind;
    const wanted =
      from === undefined ? { type } : { type, from: dotted([...from.path, from.name]) };
    return relationExists(summaryOfItem(holder).entityType, ref.path, ref.name, wanted);
  }
}

function isOf(item: Item | undefined, id: Relation["id"]): item is Live {
  return item?.state === "live" && summaryOfItem(item).entityId === id;
}

function putNames(batch: BatchBuilder, place: Place, entity: Relation): void {
  const summary = nameSummary(entity);
  batch.put(place.relation, { summary }).derive(place.byName, { summary });
}

/** What a draft asks for of the location that the relation has by it. */
function takingOf<E extends Relation>(
  relation: E,
  { above = [], chosen = false, elsewhere = [], fresh = false, apart }: RelationDraft<E>,
  proof: readonly Item[],
): Taking {
  return { relation, above, chosen, elsewhere, fresh, apart, proof };
}
