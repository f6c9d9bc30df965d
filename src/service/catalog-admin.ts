import { CatalogError } from "../base/error.ts";
import type { Locations } from "../blob/locations.ts";
import type { AccountCatalog } from "../catalog/catalog.ts";
import type { Properties } from "./requests.ts";

/** A catalog as shown: its name and the root of its tables. */
export interface CatalogInfo {
  readonly name: string;
  readonly location: string;
  readonly properties: Properties;
}

const ACTOR = { requestId: "admin", principal: "firn" };

/** Catalogs of the default account: what the start and an embedding program need. */
export class CatalogAdmin {
  readonly #catalog: AccountCatalog;
  readonly #locations: Locations;
  readonly #warehouse: string;

  /** `warehouse`: a catalog without a location of its own lies in a folder of it. */
  constructor(catalog: AccountCatalog, locations: Locations, warehouse: string) {
    this.#catalog = catalog;
    this.#locations = locations;
    this.#warehouse = warehouse;
  }

  /**
   * `location.overlap.allowed` = `true` among the properties lets its tables and views lie within
   * each other's locations.
   *
   * @throws CatalogError `CATALOG_ALREADY_EXISTS`, `NAME_INVALID`, `LOCATION_INVALID`,
   * `LOCATION_UNSUPPORTED`, `PROPERTIES_INVALID`.
   */
  async create(name: string, location?: string, properties: Properties = {}): Promise<CatalogInfo> {
    const defaultLocation = this.#locations.normalize(location ?? this.#defaultFor(name));
    await this.#catalog.catalogs.create(ACTOR, { name, defaultLocation, properties });
    return this.get(name);
  }

  /** @throws CatalogError `CATALOG_NOT_FOUND`. */
  async get(name: string): Promise<CatalogInfo> {
    const { entity } = await this.#catalog.catalogs.get(name);
    const location = this.#locations.addRoot(entity.defaultLocation);
    for (const root of entity.allowedLocations) this.#locations.addRoot(root);
    return { name: entity.name, location, properties: entity.properties };
  }

  async list(): Promise<readonly string[]> {
    return (await this.#catalog.catalogs.list({})).items;
  }

  /** Makes a catalog that is absent; one that is there stays as it is. */
  async ensure(name: string, location?: string): Promise<CatalogInfo> {
    try {
      return await this.create(name, location);
    } catch (error) {
      const there = error instanceof CatalogError && error.code === "CATALOG_ALREADY_EXISTS";
      if (!there) throw error;
      return this.get(name);
    }
  }

  /**
   * Gives a catalog another root for new tables; those that are there stay where they are.
   *
   * @returns the root before, undefined where it was this one.
   */
  async moveRoot(name: string, location: string): Promise<string | undefined> {
    const root = this.#locations.addRoot(location);
    const before = await this.#catalog.catalogs.moveRoot(ACTOR, name, root);
    return before === root ? undefined : before;
  }

  /** Allows the roots of every catalog that is stored. One read of each. */
  async allowRoots(): Promise<void> {
    for (const name of await this.list()) await this.get(name);
  }

  #defaultFor(name: string): string {
    return `${this.#warehouse}/${encodeURIComponent(name)}`;
  }
}
