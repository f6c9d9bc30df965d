import type { AccountId, CatalogId } from "../../base/ids.ts";
import type { BlobStore } from "../../blob/port.ts";
import { decodePayload } from "../../catalog/codec/entities.ts";
import { summaryOfItem } from "../../catalog/entities.ts";
import { catalogNotFound } from "../../catalog/errors.ts";
import { FAMILIES, keyOf, parseKey } from "../../catalog/keys.ts";
import type { Entity, Summary } from "../../catalog/model.ts";
import { payloadPath } from "../../catalog/paths.ts";
import type { PointerStore } from "../../pointer/port.ts";
import { SortedLines, type SortPorts } from "../gc/sorted-lines.ts";
import type { ChangeLine, ScopedCatalog } from "./format.ts";
import { jsonLine, jsonOf, type SweptState, stateLine, stateOf, zipped } from "./lines.ts";

type CanonicalType = Entity["type"];
const CANONICAL = /^\/accounts\/(?:by-id\/[^/]+|[^/]+\/([a-z-]+)\/by-id\/([^/]+))$/;
const TYPES: Readonly<Record<string, CanonicalType>> = {
  catalogs: "catalog",
  namespaces: "namespace",
  tables: "table",
  views: "view",
  connectors: "connector",
  principals: "principal",
  "storage-profiles": "storageProfile",
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
    case "principal":
    case "storageProfile":
      return false;
    case "catalog":
      return entity.id === catalog;
    case "namespace":
    case "table":
    case "view":
      return entity.catalogId === catalog;
  }
}

/** A change of one key, and what it belongs to. */
interface Owned {
  /** Id of the entity, of a table where the key is of its statistics or constraints. */
  readonly owner: string;
  readonly type: CanonicalType | "part";
  /** Of a payload of the entity. */
  readonly sha: string | undefined;
}

/**
 * What of an account belongs to one catalog. An entity never changes its catalog, so any version of
 * it tells: the summary that a sweep sees, else a payload. Everything is asked at the end, since a
 * store may show parts of a table before it.
 */
export class CatalogScope {
  readonly #account: AccountId;
  readonly #catalog: CatalogId;
  readonly #blobs: BlobStore;
  /** Ids of the live entities that a sweep saw, and whether they belong to the catalog. */
  readonly #entities: SortedLines;
  /** What belongs to a table, by its id. */
  readonly #ofTables: SortedLines;
  readonly #changes: SortedLines;
  /** The keys of the changes, by the id of what they belong to. */
  readonly #keys: SortedLines;

  constructor(account: AccountId, catalog: CatalogId, blobs: BlobStore, ports: SortPorts) {
    this.#account = account;
    this.#catalog = catalog;
    this.#blobs = blobs;
    this.#entities = new SortedLines(ports, "scope-entities");
    this.#ofTables = new SortedLines(ports, "scope-of-tables");
    this.#changes = new SortedLines(ports, "scope-changes");
    this.#keys = new SortedLines(ports, "scope-keys");
  }

  /** Learns of a live canonical pointer. @returns whether it belongs to the catalog. */
  async saw({ entityType, entityId, catalogId }: Summary): Promise<boolean> {
    const own = entityType === "catalog" ? entityId : catalogId;
    const isIn = entityType === "account" || own === this.#catalog;
    await this.#entities.add(`${entityId} ${isIn ? IN : OUT}`);
    return isIn;
  }

  /** Keeps a pointer of a table's statistics, constraints or snapshots. */
  async addOfTable(table: string, state: SweptState): Promise<void> {
    await this.#ofTables.add(`${table} ${stateLine(state)}`);
  }

  /** Keeps a change. */
  async addChange(change: ChangeLine): Promise<void> {
    await this.#changes.add(jsonLine(change.id, change));
    for (const [index, [key, , , from, to]] of change.keys.entries()) {
      const { owner, type, sha } = ownedBy(key, to ?? from ?? undefined);
      // What tells of an entity comes before what belongs to it.
      const rank = type === "part" ? 1 : 0;
      await this.#keys.add(`${owner} ${rank} ${change.id} ${index} ${type} ${sha ?? ""}`);
    }
  }

  /** The pointers that were kept, and belong to the catalog. */
  async *ofTables(): AsyncGenerator<SweptState> {
    for await (const [line, found] of zipped(this.#ofTables.lines(), this.#entities.lines())) {
      if (found?.endsWith(IN) === true) yield stateOf(line.slice(line.indexOf(" ") + 1));
    }
  }

  /** The changes that were kept, with the keys alone that belong to the catalog. */
  async *changes(ports: SortPorts): AsyncGenerator<ChangeLine> {
    const kept = new SortedLines(ports, "scope-kept");
    for await (const line of this.#keysIn()) {
      const [, , id, index] = line.split(" ");
      await kept.add(`${id} ${index}`);
    }
    const indexes = kept.lines();
    let next = await indexes.next();
    for await (const line of this.#changes.lines()) {
      const change = jsonOf<ChangeLine>(line);
      const own = new Set<number>();
      while (next.done !== true && next.value.startsWith(`${change.id} `)) {
        own.add(Number(next.value.slice(change.id.length + 1)));
        next = await indexes.next();
      }
      if (own.size > 0) yield { ...change, keys: change.keys.filter((_, i) => own.has(i)) };
    }
  }

  /** One read for each entity that the sweep did not see. */
  async *#keysIn(): AsyncGenerator<string> {
    let last: { readonly owner: string; isIn: boolean | undefined } | undefined;
    for await (const [line, found] of zipped(this.#keys.lines(), this.#entities.lines())) {
      const [owner = "", , , , type, sha] = line.split(" ");
      if (last?.owner !== owner) {
        last = { owner, isIn: found === undefined ? undefined : found.endsWith(IN) };
      }
      if (last.isIn === undefined && type !== "part" && sha !== undefined && sha !== "") {
        last.isIn = await this.#isPayloadIn(type as CanonicalType, owner, sha);
      }
      if (last.isIn === true) yield line;
    }
  }

  /** @returns undefined where it was collected: then no state within the retention had it. */
  async #isPayloadIn(type: CanonicalType, id: string, sha: string): Promise<boolean | undefined> {
    const found = await this.#blobs.get(payloadPath(type, this.#account, id, sha));
    if (found === undefined) return undefined;
    return isOfCatalog(this.#catalog, decodePayload(type, found.bytes).entity);
  }
}

const IN = "in";
const OUT = "out";

function ownedBy(key: string, sha: string | undefined): Owned {
  const entity = canonicalOf(key);
  if (entity !== undefined) return { owner: entity.id, type: entity.type, sha };
  return { owner: parseKey(key).values[1] ?? "", type: "part", sha };
}
