import type { CatalogError } from "../base/error.ts";
import type { CatalogId, NamespaceId, TableId } from "../base/ids.ts";
import { LIMITS } from "../base/limits.ts";
import type { Item, Live } from "../pointer/port.ts";
import { BatchBuilder, never } from "./batch.ts";
import type { Actor, CatalogContext } from "./context.ts";
import { readEntity, type Stored, summaryOfItem } from "./entities.ts";
import {
  corrupt,
  entityProtected,
  locationTaken,
  relationExists,
  tableNotFound,
} from "./errors.ts";
import { guardOf } from "./guards.ts";
import { digits19, directoryOf, FAMILIES, keyOf, locationKey } from "./keys.ts";
import type { IcebergTable, Table } from "./model.ts";
import { checkName, checkPath, dotted } from "./names.ts";
import type { NamespaceRef } from "./namespaces.ts";
import { listPage, type Page, type PageRequest } from "./pages.ts";
import { byIdKey } from "./paths.ts";
import { assertMayUpdate } from "./payloads.ts";
import { type Attempt, type Planned, REPLAN, refuse, write } from "./repository.ts";
import type { Link, Resolver } from "./resolve.ts";
import { type Revised, revisedOf } from "./revised.ts";
import { nameSummary, summaryOf } from "./summaries.ts";

/** A table by name. */
export interface TableRef extends NamespaceRef {
  readonly name: string;
}

/** What a table is to be: `prepare` makes what must exist before it does (its metadata file). */
export interface TableDraft {
  readonly location: string;
  readonly iceberg: IcebergTable;
  readonly prepare?: () => Promise<void>;
}

/** The place of a name: its parent, the resolver key and the listing key. */
interface Place {
  readonly catalog: Link;
  readonly parent: Link;
  readonly relation: Item;
  readonly byName: Item;
  /** Of the location that was asked for. */
  readonly claim: Item | undefined;
}

/** The tables of one account. */
export class Tables {
  readonly #context: CatalogContext;
  readonly #resolver: Resolver;

  constructor(context: CatalogContext, resolver: Resolver) {
    this.#context = context;
    this.#resolver = resolver;
  }

  /**
   * Creates a table, or registers one: the draft says where its metadata lies. `draft` is asked
   * again after a lost race.
   *
   * @throws CatalogError `NAME_INVALID`, `NAMESPACE_NOT_FOUND`, `TABLE_ALREADY_EXISTS`,
   * `VIEW_ALREADY_EXISTS`, `LOCATION_TAKEN`, and what `draft` throws. Warm: one batch read, one
   * batch of 7 operations.
   */
  async create(
    actor: Actor,
    operation: "create-table" | "register-table",
    ref: TableRef,
    draft: () => Promise<TableDraft>,
  ): Promise<Revised<Table>> {
    const id = this.#context.ids.mint<TableId>();
    const clean = cleanRef(ref);
    return write(this.#context, actor, operation, (attempt) =>
      this.#planCreate(clean, id, draft, attempt),
    );
  }

  async #planCreate(
    ref: TableRef,
    id: TableId,
    draft: () => Promise<TableDraft>,
    attempt: Attempt,
  ): Promise<Planned<Revised<Table>>> {
    const { account, payloads } = this.#context;
    const { revision, updatedAtMs } = attempt.authorship;
    // Before the names are read, so that the claim is read with them.
    const { location, iceberg, prepare } = await draft();
    const place = await this.#place(ref, location);
    const { claim = never(locationKey(account, location)) } = place;
    if (place.relation.state === "live") throw takenError(place.relation, ref);
    if (claim.state === "live") throw locationTaken(location, summaryOfItem(claim).name);
    const entity: Table = {
      type: "table",
      id,
      name: ref.name,
      description: "",
      properties: {},
      createdAtMs: updatedAtMs,
      state: "ACTIVE",
      nameRevision: revision,
      protected: false,
      purgeAfterMs: 0,
      catalogId: place.catalog.summary.entityId as CatalogId,
      namespaceId: place.parent.summary.entityId as NamespaceId,
      format: "ICEBERG",
      location,
      iceberg,
    };
    const payload = payloads.encode(entity, attempt.authorship);
    const primary = byIdKey("table", account, id);
    const batch = new BatchBuilder(account).put(never(primary), {
      payload,
      summary: summaryOf(entity, payload),
    });
    putNames(batch, place, entity);
    batch
      .put(claim, { summary: nameSummary(entity) })
      .bump(guardOf(account, place.parent.summary, ref.name));
    const result = () => ({ entity, version: 1n, revision });
    return { batch, primary, result, ...(prepare === undefined ? {} : { prepare }) };
  }

  /**
   * Proves a table's name and answers its canonical pointer: no payload is read. Warm: one batch
   * read.
   *
   * @throws CatalogError `CATALOG_NOT_FOUND`, `NAMESPACE_NOT_FOUND`, `TABLE_NOT_FOUND`.
   */
  async find(ref: TableRef): Promise<Link> {
    return (await this.#resolver.resolve(cleanRef(ref))).table;
  }

  /** As `find`, with the payload. */
  async get(ref: TableRef): Promise<Stored<Table>> {
    return this.read(await this.find(ref), ref);
  }

  /** The payload behind a link. @throws CatalogError `TABLE_NOT_FOUND`: dropped meanwhile. */
  async read(link: Link, ref: TableRef): Promise<Stored<Table>> {
    return this.#read(link.item, ref);
  }

  /** Names of the tables of a namespace, in byte order. */
  async list(ref: NamespaceRef, request: PageRequest): Promise<Page<string>> {
    const { account, pointers } = this.#context;
    const { between } = await this.#resolver.resolve(
      { catalog: ref.catalog, path: checkPath(ref.path) },
      {
        between: ({ catalog, namespace }) =>
          listPage(
            pointers,
            directoryOf(FAMILIES.tableByName, account, catalog, namespace),
            request,
          ),
      },
    );
    return { ...between, items: between.items.map((item) => summaryOfItem(item).name) };
  }

  /**
   * Gives a table other content under the same name: one batch of 3 operations, 5 where its
   * location moves. `change` is asked again after a lost race, with what is there now.
   *
   * @throws CatalogError `TABLE_NOT_FOUND`, `LOCATION_TAKEN`, and what `change` throws.
   */
  async update(
    actor: Actor,
    operation: "commit-table" | "register-table",
    ref: TableRef,
    change: (current: Stored<Table>) => Promise<TableDraft | undefined>,
  ): Promise<Revised<Table>> {
    const { account, payloads, pointers } = this.#context;
    const clean = cleanRef(ref);
    return write(this.#context, actor, operation, async (attempt) => {
      const stored = await this.get(clean);
      assertMayUpdate(stored.envelope);
      const draft = await change(stored);
      if (draft === undefined) return { unchanged: revisedOf(stored) };
      const { location, iceberg, prepare } = draft;
      const entity: Table = { ...stored.entity, location, iceberg };
      const payload = payloads.encode(entity, attempt.authorship);
      const batch = new BatchBuilder(account).put(stored.item, {
        payload,
        summary: summaryOf(entity, payload),
      });
      if (location !== stored.entity.location) {
        const [oldClaim, newClaim] = await pointers.getMany([
          locationKey(account, stored.entity.location),
          locationKey(account, location),
        ]);
        if (!isOf(oldClaim, entity.id) || newClaim === undefined) return REPLAN;
        if (newClaim.state === "live") {
          return refuse(locationTaken(location, summaryOfItem(newClaim).name), stored.item);
        }
        batch.delete(oldClaim).put(newClaim, { summary: nameSummary(entity) });
      }
      const { revision } = attempt.authorship;
      const version = stored.item.version + 1n;
      const result = () => ({ entity, version, revision });
      const primary = stored.item.key;
      return { batch, primary, result, ...(prepare === undefined ? {} : { prepare }) };
    });
  }

  /**
   * Drops a table: its names and claims are free at once, its pointer stays for the retention.
   *
   * @throws CatalogError `TABLE_NOT_FOUND`, `PROTECTED`.
   */
  async drop(
    actor: Actor,
    ref: TableRef,
    options: { readonly purgeRequested: boolean },
  ): Promise<void> {
    const clean = cleanRef(ref);
    await write(this.#context, actor, "drop-table", (attempt) =>
      this.#planDrop(clean, options.purgeRequested, attempt),
    );
  }

  async #planDrop(
    ref: TableRef,
    purgeRequested: boolean,
    attempt: Attempt,
  ): Promise<Planned<void>> {
    const { account, payloads } = this.#context;
    const stored = await this.get(ref);
    assertMayUpdate(stored.envelope);
    if (stored.entity.protected) throw entityProtected(dotted([...ref.path, ref.name]));
    const names = await this.#namesOf(stored);
    if (names === undefined) return REPLAN;
    const purgeAfterMs = attempt.authorship.updatedAtMs + LIMITS.dropRetentionMs;
    const { iceberg } = stored.entity;
    const entity: Table = {
      ...stored.entity,
      state: "DROPPED",
      purgeAfterMs,
      ...(iceberg === undefined ? {} : { iceberg: { ...iceberg, purgeRequested } }),
    };
    const payload = payloads.encode(entity, attempt.authorship);
    const dropped = keyOf(FAMILIES.dropped, account, digits19(purgeAfterMs), entity.id);
    const batch = new BatchBuilder(account)
      .put(stored.item, { payload, summary: summaryOf(entity, payload) })
      .delete(names.relation)
      .deriveDelete(names.byName)
      .delete(names.claim)
      .put(never(dropped), { summary: nameSummary(entity) });
    return { batch, primary: stored.item.key, result: () => undefined };
  }

  /**
   * Renames a table, across namespaces of its catalog too; its location stays.
   *
   * @throws CatalogError `TABLE_NOT_FOUND`, `NAMESPACE_NOT_FOUND` (the new one),
   * `TABLE_ALREADY_EXISTS`, `VIEW_ALREADY_EXISTS`.
   */
  async rename(actor: Actor, from: TableRef, to: Omit<TableRef, "catalog">): Promise<void> {
    const source = cleanRef(from);
    const target = cleanRef({ ...to, catalog: from.catalog });
    await write(this.#context, actor, "rename-table", (attempt) =>
      this.#planRename(source, target, attempt),
    );
  }

  async #planRename(from: TableRef, to: TableRef, attempt: Attempt): Promise<Planned<void>> {
    const { account, payloads } = this.#context;
    const stored = await this.get(from);
    assertMayUpdate(stored.envelope);
    const place = await this.#place(to);
    if (place.relation.state === "live") return refuse(takenError(place.relation, to), stored.item);
    const names = await this.#namesOf(stored);
    if (names === undefined) return REPLAN;
    const entity: Table = {
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
    return { batch, primary: stored.item.key, result: () => undefined };
  }

  /** Resolves a parent and reads what stands under a name and location. Warm: one request. */
  async #place(ref: TableRef, location?: string): Promise<Place> {
    const { account } = this.#context;
    const claims = location === undefined ? [] : [locationKey(account, location)];
    const { catalog, namespace, also } = await this.#resolver.resolve(
      { catalog: ref.catalog, path: ref.path },
      {
        also: (ids) => [
          keyOf(FAMILIES.relationByName, account, ids.catalog, ids.namespace, ref.name),
          keyOf(FAMILIES.tableByName, account, ids.catalog, ids.namespace, ref.name),
          ...claims,
        ],
      },
    );
    const [relation, byName, claim] = also;
    if (relation === undefined || byName === undefined || also.length !== 2 + claims.length) {
      throw corrupt("store answered fewer items than asked for", { name: ref.name });
    }
    return { catalog, parent: namespace, relation, byName, claim };
  }

  /** The name and claim keys of a table that is there; undefined where one moved meanwhile. */
  async #namesOf(stored: Stored<Table>) {
    const { account, pointers } = this.#context;
    const { catalogId, namespaceId, name, location, id } = stored.entity;
    const [relation, byName, claim] = await pointers.getMany([
      keyOf(FAMILIES.relationByName, account, catalogId, namespaceId, name),
      keyOf(FAMILIES.tableByName, account, catalogId, namespaceId, name),
      locationKey(account, location),
    ]);
    const found = isOf(relation, id) && isOf(byName, id) && isOf(claim, id);
    return found ? { relation, byName, claim } : undefined;
  }

  async #read(item: Live, ref: TableRef): Promise<Stored<Table>> {
    const stored = await readEntity<Table>(this.#context, "table", item);
    if (stored === undefined || stored.entity.state !== "ACTIVE") {
      throw tableNotFound(ref.path, ref.name);
    }
    return stored;
  }
}

/** @throws CatalogError `NAME_INVALID`. */
function cleanRef(ref: TableRef): TableRef {
  return {
    catalog: ref.catalog,
    path: checkPath(ref.path),
    name: checkName(ref.name, "table"),
  };
}

function takenError(relation: Live, ref: TableRef): CatalogError {
  return relationExists(summaryOfItem(relation).entityType, ref.path, ref.name);
}

function isOf(item: Item | undefined, id: TableId): item is Live {
  return item?.state === "live" && summaryOfItem(item).entityId === id;
}

function putNames(batch: BatchBuilder, place: Place, entity: Table): void {
  const summary = nameSummary(entity);
  batch.put(place.relation, { summary }).derive(place.byName, { summary });
}
