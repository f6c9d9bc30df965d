import { FirnError } from "../base/error.ts";
import type { Locations } from "../blob/locations.ts";
import type { AccountCatalog } from "../catalog/catalog.ts";
import type { Version } from "../pointer/port.ts";
import type { Actor } from "./actor.ts";
import type { Properties } from "./requests.ts";

/** A catalog as shown: its name and the root of its tables. */
export interface CatalogInfo {
  readonly name: string;
  readonly location: string;
  readonly properties: Properties;
}

/** What a node was told of the catalogs that it makes. */
interface Given {
  /** A catalog without its own location lies in a folder of it. */
  readonly warehouse: string;
  /** Further roots of every catalog. */
  readonly allowed: readonly string[];
}

/** Catalogs of the default account: what the start and an embedding program need. */
export class CatalogAdmin {
  readonly #catalog: AccountCatalog;
  readonly #locations: Locations;
  readonly #warehouse: string;
  readonly #allowed: readonly string[];
  /** Of the roots that are all known here. */
  #rootsVersion: Version | undefined;

  constructor(catalog: AccountCatalog, locations: Locations, { warehouse, allowed }: Given) {
    this.#catalog = catalog;
    this.#locations = locations;
    this.#warehouse = warehouse;
    this.#allowed = allowed.map((root) => locations.normalize(root));
  }

  /**
   * `location.overlap.allowed` = `true` among the properties lets its tables and views lie within
   * each other's locations.
   *
   * @throws FirnError `CATALOG_ALREADY_EXISTS`, `NAME_INVALID`, `LOCATION_INVALID`,
   * `LOCATION_UNSUPPORTED`, `PROPERTIES_INVALID`.
   */
  async create(
    actor: Actor,
    name: string,
    location?: string,
    properties: Properties = {},
  ): Promise<CatalogInfo> {
    const defaultLocation = this.#locations.normalize(
      location ?? this.defaultLocationOf(actor, name),
    );
    const allowedLocations = this.#allowed;
    const request = { name, defaultLocation, properties, allowedLocations };
    await this.#catalog.catalogs.create(actor, request);
    return this.get(actor, name);
  }

  /** @throws FirnError `CATALOG_NOT_FOUND`. */
  async get(_actor: Actor, name: string): Promise<CatalogInfo> {
    const { entity } = await this.#catalog.catalogs.get(name);
    const location = this.#locations.addRoot(entity.defaultLocation);
    for (const root of entity.allowedLocations) this.#locations.addRoot(root);
    return { name: entity.name, location, properties: entity.properties };
  }

  async list(_actor: Actor): Promise<readonly string[]> {
    return (await this.#catalog.catalogs.list({})).items;
  }

  /** Makes a catalog that is absent; one that is there stays as it is. */
  async ensure(actor: Actor, name: string, location?: string): Promise<CatalogInfo> {
    try {
      return await this.create(actor, name, location);
    } catch (error) {
      const there = error instanceof FirnError && error.code === "CATALOG_ALREADY_EXISTS";
      if (!there) throw error;
      return this.get(actor, name);
    }
  }

  /**
   * Gives a catalog another root for new tables; those that are there stay where they are.
   *
   * @returns the root before, undefined where it was this one.
   */
  async moveRoot(actor: Actor, name: string, location: string): Promise<string | undefined> {
    const root = this.#locations.addRoot(location);
    const before = await this.#catalog.catalogs.moveRoot(actor, name, root);
    return before === root ? undefined : before;
  }

  /**
   * Lets tables of every catalog lie below the roots that this node was given: on every node, and
   * from now on.
   *
   * @returns the catalogs that did not allow all of them before.
   */
  async allowGiven(actor: Actor): Promise<readonly string[]> {
    const changed: string[] = [];
    if (this.#allowed.length === 0) return changed;
    for (const name of await this.list(actor)) {
      const before = await unlessGone(this.#catalog.catalogs.allow(actor, name, this.#allowed));
      if (before === undefined) continue;
      const known = [before.defaultLocation, ...before.allowedLocations];
      if (!this.#allowed.every((root) => known.includes(root))) changed.push(name);
    }
    return changed;
  }

  /**
   * Allows the roots of every catalog that is stored. One read where none has been added or moved
   * since the last time, by whatever node; else one more of each catalog.
   */
  async learnRoots(actor: Actor): Promise<void> {
    const version = await this.#catalog.catalogs.rootsVersion();
    if (version === this.#rootsVersion) return;
    for (const name of await this.list(actor)) await this.#rootsOf(actor, name);
    this.#rootsVersion = version;
  }

  /** One that was dropped or renamed since it was listed has no root to learn under that name. */
  async #rootsOf(actor: Actor, name: string): Promise<void> {
    await unlessGone(this.get(actor, name));
  }

  /** Where a catalog lies that is given no location. */
  defaultLocationOf(_actor: Actor, name: string): string {
    return `${this.#warehouse}/${encodeURIComponent(name)}`;
  }
}

/** Undefined where a catalog was dropped or renamed, or is being deleted, since it was listed. */
async function unlessGone<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    const gone = error instanceof FirnError && error.code === "CATALOG_NOT_FOUND";
    if (!gone) throw error;
    return undefined;
  }
}
