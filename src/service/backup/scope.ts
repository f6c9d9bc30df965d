import type { AccountId, CatalogId } from "../../base/ids.ts";
import type { BlobStore } from "../../blob/port.ts";
import { decodePayload } from "../../catalog/codec/entities.ts";
import { summaryOfItem } from "../../catalog/entities.ts";
import { catalogNotFound } from "../../catalog/errors.ts";
import { FAMILIES, keyOf } from "../../catalog/keys.ts";
import type { ChangedKey, Entity, Summary } from "../../catalog/model.ts";
import { payloadPath } from "../../catalog/paths.ts";
import type { PointerStore } from "../../pointer/port.ts";

/** The catalog that a backup is of, where it is of one alone. */
export interface ScopedCatalog {
  readonly id: CatalogId;
  /** As it was called when the backup began. */
  readonly name: string;
}

type CanonicalType = Entity["type"];
const CANONICAL = /^\/accounts\/(?:by-id\/[^/]+|[^/]+\/([a-z]+)\/by-id\/([^/]+))$/;
const TYPES: Readonly<Record<string, CanonicalType>> = {
  catalogs: "catalog",
  namespaces: "namespace",
  tables: "table",
  views: "view",
  connectors: "connector",
};

/** Kind and id of the entity whose canonical key this is; undefined of any other key. */
export function canonicalOf(
  key: string,
): { readonly type: CanonicalType; readonly id: string } | undefined {
  const match = CANONICAL.exec(key);
  if (match === null) return undefined;
  const [, family, id] = match;
  if (family === undefined) return { type: "account", id: key.slice("/accounts/by-id/".length) };
  const type = TYPES[family];
  return type === undefined ? undefined : { type, id: id ?? "" };
}

/** @throws FirnError `NotFound` `CATALOG_NOT_FOUND`. */
export async function scopedCatalog(
  pointers: PointerStore,
  account: AccountId,
  name: string,
): Promise<ScopedCatalog> {
  const item = await pointers.get(keyOf(FAMILIES.catalogByName, account, name));
  if (item.state === "absent") throw catalogNotFound(name);
  return { id: summaryOfItem(item).entityId as CatalogId, name };
}

/** Whether an entity belongs to a catalog; every catalog needs its account. */
export function isOfCatalog(catalog: CatalogId, entity: Entity): boolean {
  switch (entity.type) {
    case "account":
      return true;
    case "connector":
      return false;
    case "catalog":
      return entity.id === catalog;
    case "namespace":
    case "table":
    case "view":
      return entity.catalogId === catalog;
  }
}

/**
 * What of an account belongs to one catalog. An entity never changes its catalog, so any version of
 * it tells: the summary that a sweep sees, else a payload.
 */
export class CatalogScope {
  readonly #account: AccountId;
  readonly #catalog: CatalogId;
  readonly #blobs: BlobStore;
  /** By id of the entity. */
  readonly #known = new Map<string, boolean>();

  constructor(account: AccountId, catalog: CatalogId, blobs: BlobStore) {
    this.#account = account;
    this.#catalog = catalog;
    this.#blobs = blobs;
  }

  /** Learns of a live canonical pointer. */
  saw({ entityType, entityId, catalogId }: Summary): boolean {
    const own = entityType === "catalog" ? entityId : catalogId;
    const isIn = entityType === "account" || own === this.#catalog;
    this.#known.set(entityId, isIn);
    return isIn;
  }

  /** Whether a table is known to belong to the catalog. */
  knows(id: string): boolean {
    return this.#known.get(id) === true;
  }

  /** Whether a change is one of the catalog. One read, where no sweep saw the entity. */
  async has({ key, blobFrom, blobTo }: ChangedKey): Promise<boolean> {
    const entity = canonicalOf(key);
    const hash = blobTo ?? blobFrom;
    if (entity === undefined) return false;
    const known = this.#known.get(entity.id);
    if (known !== undefined || hash === undefined) return known ?? false;
    const sha = Buffer.from(hash).toString("hex");
    const found = await this.#blobs.get(payloadPath(entity.type, this.#account, entity.id, sha));
    // Collected: then no state within the retention had it.
    if (found === undefined) return false;
    const isIn = isOfCatalog(this.#catalog, decodePayload(entity.type, found.bytes).entity);
    this.#known.set(entity.id, isIn);
    return isIn;
  }
}
