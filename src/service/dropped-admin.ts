import { FirnError } from "../base/error.ts";
import type { AccountCatalog } from "../catalog/catalog.ts";
import type { UndropTarget } from "../catalog/dropped.ts";
import type { Droppable } from "../catalog/drops.ts";
import { notDropped } from "../catalog/errors.ts";
import type { Relation } from "../catalog/model.ts";
import type { Surroundings } from "../catalog/relations.ts";
import type { Actor } from "./actor.ts";
import { afterCommit } from "./commit-files.ts";
import type { TableLocations } from "./table-locations.ts";

/** Something dropped, as shown. */
export interface DroppedInfo {
  readonly id: string;
  readonly type: Droppable["type"];
  /** The catalog that it was in, undefined where that is gone or it is one. */
  readonly catalog: string | undefined;
  /**
   * The namespace that a table or view was in, where it is now; undefined where that is gone. Of a
   * namespace the path above it.
   */
  readonly namespace: readonly string[] | undefined;
  readonly name: string;
  /** From then on it may go for good, at any time. In milliseconds of wall time. */
  readonly purgeAfterMs: number;
  /** Its files go with it; else only what the catalog knows of it. */
  readonly purgeRequested: boolean;
}

export interface DroppedPage {
  readonly items: readonly DroppedInfo[];
  /** Absent on the last page. */
  readonly next?: string;
}

/** Dropped things read at once while a name is looked for. */
const FIND_PAGE = 100;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** What a person may call it: its name, and that after each part of where it was. */
function namesOf({ catalog, namespace, name }: DroppedInfo): readonly string[] {
  const above = [...(catalog === undefined ? [] : [catalog]), ...(namespace ?? [])];
  return [0, ...above.keys()].map((from) => [...above.slice(from), name].join(".")).concat(name);
}

/**
 * The id of what a person means, as `DroppedAdmin.find` takes it.
 *
 * @throws FirnError `DROPPED_NOT_FOUND`; `Conflict` `DROPPED_AMBIGUOUS`, naming the ids.
 */
export async function findDropped(
  target: string,
  pageAfter: (after: string | undefined) => Promise<DroppedPage>,
): Promise<string> {
  if (isUuid(target)) return target;
  const found: DroppedInfo[] = [];
  for (let after: string | undefined; ; ) {
    const page = await pageAfter(after);
    found.push(...page.items.filter((item) => namesOf(item).includes(target)));
    after = page.next;
    if (after === undefined) break;
  }
  const [first] = found;
  if (first === undefined) throw notDropped(target);
  if (found.length === 1) return first.id;
  const ids = found.map(({ id }) => id).slice(0, 10);
  const message = "several dropped things have this name: give the id of one";
  throw new FirnError("Conflict", "DROPPED_AMBIGUOUS", message, { ids: ids.join(" ") });
}

/** Only operators, who are not judged, see accounts. */
function isJudged({ rights }: Actor): boolean {
  return rights !== undefined;
}

/** What was dropped in the default account, until it is purged. */
export class DroppedAdmin {
  readonly #catalog: AccountCatalog;
  readonly #places: TableLocations;

  constructor(catalog: AccountCatalog, places: TableLocations) {
    this.#catalog = catalog;
    this.#places = places;
  }

  /**
   * What can be brought back, that which goes first at the head: everything, or a page of at most
   * `limit` after the `next` of the page before.
   */
  async list(
    actor: Actor,
    page: { readonly limit?: number; readonly after?: string } = {},
  ): Promise<DroppedPage> {
    const { items, next } = await this.#catalog.dropped.list(page);
    const seen = items.filter(({ type }) => type !== "account" || !isJudged(actor));
    const shown = await Promise.all(seen.map((entity) => this.#show(entity)));
    return next === undefined ? { items: shown } : { items: shown, next };
  }

  /**
   * What a person means by an id, a name, or a name after its namespace and catalog, joined with
   * dots. Reads the whole list unless it is an id.
   *
   * @throws FirnError `DROPPED_NOT_FOUND`; `Conflict` `DROPPED_AMBIGUOUS`, naming the ids.
   */
  async find(actor: Actor, target: string): Promise<DroppedInfo> {
    const id = await findDropped(target, (after) =>
      this.list(actor, { limit: FIND_PAGE, ...(after && { after }) }),
    );
    return this.#show((await this.#catalog.dropped.get(id)).entity);
  }

  /**
   * Brings something back, to where it was unless `to` says otherwise: another name, another
   * parent in its catalog, or both. A catalog or namespace comes back empty; what was in it comes
   * back by itself.
   *
   * @throws FirnError `DROPPED_NOT_FOUND`; `Conflict` `BEING_PURGED`; `NAMESPACE_NOT_FOUND` and
   * `CATALOG_NOT_FOUND` of the parent; an `AlreadyExists` of the name, where another has
   * it by now; `Invalid` `LOCATION_TAKEN`, `LOCATION_OVERLAPS`; `NAME_INVALID`.
   */
  async undrop(actor: Actor, id: string, to: UndropTarget = {}): Promise<DroppedInfo> {
    if (isJudged(actor) && (await this.#catalog.dropped.get(id)).entity.type === "account") {
      throw notDropped(id);
    }
    const around = (relation: Relation) => this.#around(relation);
    const { entity } = await this.#catalog.dropped.undrop(actor, id, to, around);
    return afterCommit(this.#show(entity));
  }

  /** A catalog that is gone is refused where the relation is to appear. */
  async #around({ catalogId, location }: Relation): Promise<Surroundings> {
    const name = await this.#catalog.dropped.catalogName(catalogId);
    return name === undefined ? {} : (await this.#places.of(name)).surroundings(location);
  }

  async #show(entity: Droppable): Promise<DroppedInfo> {
    const { id, type, name, purgeAfterMs } = entity;
    const { dropped } = this.#catalog;
    const isIn = entity.type !== "account" && entity.type !== "catalog";
    const inCatalog = isIn ? await dropped.catalogName(entity.catalogId) : undefined;
    return {
      id,
      type,
      name,
      purgeAfterMs,
      catalog: inCatalog,
      namespace: await this.#namespaceOf(entity),
      purgeRequested: entity.type === "table" && entity.iceberg?.purgeRequested === true,
    };
  }

  async #namespaceOf(entity: Droppable): Promise<readonly string[] | undefined> {
    switch (entity.type) {
      case "account":
      case "catalog":
        return undefined;
      case "namespace":
        return entity.path.slice(0, -1);
      case "table":
      case "view":
        return this.#catalog.dropped.namespacePath(entity.namespaceId);
    }
  }
}
