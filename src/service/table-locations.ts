import { FirnError, invalid } from "../base/error.ts";
import type { TableId, TableUuid, ViewUuid } from "../base/ids.ts";
import { settleAll } from "../base/settle-all.ts";
import { isWithin, type Locations } from "../blob/locations.ts";
import type { AccountCatalog } from "../catalog/catalog.ts";
import { directoriesAbove, overlapping } from "../catalog/claims.ts";
import { locationOverlaps } from "../catalog/errors.ts";
import { FAMILIES, keyOf, locationKey } from "../catalog/keys.ts";
import type { Catalog, Namespace, Properties } from "../catalog/model.ts";
import { dotted } from "../catalog/names.ts";
import type { Surroundings } from "../catalog/relations.ts";
import type { Live } from "../pointer/port.ts";
import { SERVICE_LIMITS } from "./limits.ts";
import type { Metadata } from "./metadata-files.ts";

/** Set on a catalog: `true` lets tables and views lie within each other's locations. */
const OVERLAP_ALLOWED = "location.overlap.allowed";
/** Set on a namespace: where the tables below it go by default. */
export const LOCATION = "location";
const METADATA_PATH = "write.metadata.path";
/** Where clients write, the names that older ones know included. */
export const WRITE_PATHS: readonly string[] = [
  METADATA_PATH,
  "write.data.path",
  "write.object-storage.path",
  "write.folder-storage.path",
];

type LocatedMetadata = Pick<Metadata, "location" | "properties">;

/** A directory's name stays well below the 255 bytes that file systems allow. */
const MAX_PLAIN = 128;

/**
 * A name in characters that every file system, object store and client agrees on. Two names may
 * share one: only the uuid in the last segment tells tables apart.
 */
function plain(name: string): string {
  const safe = name.slice(0, MAX_PLAIN).replace(/[^A-Za-z0-9._-]/g, "_");
  return safe.startsWith(".") ? `_${safe.slice(1)}` : safe;
}

/** What a namespace says itself; an empty one says nothing. */
function ownLocation(properties: Properties): string | undefined {
  return properties[LOCATION] || undefined;
}

/** What a default location ends with. */
function suffixOf(uuid: string): string {
  return `-${uuid.slice(-12)}`;
}

/** Whether both say that the same places are written to. */
export function samePlaces(a: LocatedMetadata, b: LocatedMetadata): boolean {
  const samePath = (property: string) => a.properties.get(property) === b.properties.get(property);
  return a.location === b.location && WRITE_PATHS.every(samePath);
}

function tooDeep(levels: number): FirnError {
  const limit = SERVICE_LIMITS.locationLevels;
  const facts = { levels, limit };
  return invalid(
    "LOCATION_TOO_DEEP",
    "location has too many parent directories: choose a shorter path",
    facts,
  );
}

/** Where the tables of one catalog may lie, by its roots as one read found them. */
export class CatalogPlaces {
  readonly catalog: Catalog;
  readonly #locations: Locations;
  readonly #roots: readonly string[];
  readonly #overlaps: boolean;
  /** Of the namespace that it was read for, and those above it, the nearest first. */
  readonly #namespaces: readonly Namespace[];

  constructor(
    catalog: Catalog,
    locations: Locations,
    sharedRoots: readonly string[],
    namespaces: readonly Namespace[] = [],
  ) {
    // State of the catalog, which another node may have changed since this one started.
    const own = [catalog.defaultLocation, ...catalog.allowedLocations];
    for (const root of own) locations.addRoot(root);
    this.catalog = catalog;
    this.#locations = locations;
    this.#namespaces = namespaces;
    this.#overlaps = catalog.properties[OVERLAP_ALLOWED]?.toLowerCase() === "true";
    this.#roots = [...own, ...sharedRoots].map((root) => locations.normalize(root));
  }

  /** Whether tables may lie within each other's locations. */
  get overlaps(): boolean {
    return this.#overlaps;
  }

  /**
   * The canonical form of a location that a client chose.
   *
   * @throws FirnError `Invalid`: `LOCATION_NOT_ALLOWED`, `LOCATION_INVALID`,
   * `LOCATION_UNSUPPORTED`.
   */
  allowed(uri: string): string {
    const location = this.#locations.assertAllowed(uri);
    if (this.#roots.some((root) => isWithin(location, root))) return location;
    throw invalid("LOCATION_NOT_ALLOWED", "location outside the catalog's roots", { location });
  }

  /** As `allowed`, under the scheme as the client gave it. */
  spelled(uri: string): string {
    this.allowed(uri);
    return this.#locations.spelled(uri);
  }

  /**
   * The directories over a location in which no other relation may lie, from the outermost root
   * that allows it; none where the catalog allows overlaps.
   *
   * @throws FirnError `Invalid` `LOCATION_TOO_DEEP`: each is an operation of the batch.
   */
  above(location: string): readonly string[] {
    if (this.#overlaps) return [];
    const roots = this.#roots.filter((root) => isWithin(location, root));
    const outermost = roots.sort((a, b) => a.length - b.length)[0];
    const above = directoriesAbove(location, outermost);
    if (above.length <= SERVICE_LIMITS.locationLevels) return above;
    throw tooDeep(above.length);
  }

  /**
   * What must not be claimed around a location. Others may lie below it unless it is `fresh`: named
   * for a uuid that was minted for it here. One that came with a request proves nothing.
   */
  surroundings(location: string, fresh = false): Surroundings {
    if (this.#overlaps) return {};
    return { above: this.above(location), chosen: !fresh };
  }

  /**
   * Adds the directories outside its location that a relation writes to, save those that it wrote
   * to before: no other relation may lie at, above or below one.
   *
   * @throws FirnError `Invalid` `LOCATION_TOO_DEEP`.
   */
  withWritePaths(
    around: Surroundings,
    location: string,
    { properties }: LocatedMetadata,
    before?: LocatedMetadata,
  ): Surroundings {
    if (this.#overlaps) return around;
    const elsewhere = WRITE_PATHS.flatMap((property) => {
      const path = properties.get(property);
      if (path === undefined || path === before?.properties.get(property)) return [];
      const directory = this.allowed(path);
      return isWithin(directory, location) ? [] : [directory];
    });
    if (elsewhere.length === 0) return around;
    const over = elsewhere.flatMap((directory) => [...this.above(directory), directory]);
    const above = [...new Set([...(around.above ?? []), ...over])];
    if (above.length > SERVICE_LIMITS.locationLevels) throw tooDeep(above.length);
    return { ...around, above, elsewhere };
  }

  /** Whether a location is a catalog's root or above it; one that allows overlaps says nothing. */
  #holds(location: string, { id, defaultLocation }: Catalog): boolean {
    if (this.#overlaps && id === this.catalog.id) return false;
    return isWithin(this.#locations.normalize(defaultLocation), location);
  }

  /** Whether a location lies in another catalog's root, and in no deeper root of this catalog. */
  #isInside(location: string, { id, defaultLocation }: Catalog): boolean {
    const root = this.#locations.normalize(defaultLocation);
    if (id === this.catalog.id || !isWithin(location, root)) return false;
    return !this.#roots.some((own) => isWithin(location, own) && isWithin(own, root));
  }

  /** Whether it lies where tables of a namespace go by default, its own directory. */
  isAtHome(namespace: readonly string[], location: string): boolean {
    const home = this.#homeIn(namespace);
    if (home === undefined) return false;
    return location.startsWith(`${home}/`) && !location.slice(home.length + 1).includes("/");
  }

  /** @throws FirnError `Invalid` `LOCATION_OVERLAPS`, `LOCATION_NOT_ALLOWED`. */
  assertApartFrom(location: string, other: Catalog): void {
    const { name, defaultLocation } = other;
    if (this.#holds(location, other)) throw locationOverlaps(location, defaultLocation, name);
    if (!this.#isInside(location, other)) return;
    const why = "location inside another catalog's root: choose one below this catalog's";
    throw invalid("LOCATION_NOT_ALLOWED", why, { location, root: defaultLocation, catalog: name });
  }

  /**
   * A table there would be in the way of all default locations of a namespace.
   *
   * @throws FirnError `Invalid` `LOCATION_OVERLAPS`.
   */
  assertNotAbove(namespace: readonly string[], location: string): void {
    if (this.#overlaps) return;
    for (let depth = namespace.length; depth > 0; depth--) {
      const path = namespace.slice(0, depth);
      const home = this.#homeIn(path);
      if (home !== undefined && isWithin(home, location))
        throw locationOverlaps(location, home, dotted(path));
    }
  }

  /** The namespace whose default home would be this very directory, by names that spell it. */
  namespaceAt(location: string): readonly string[] {
    const root = this.#locations.normalize(this.catalog.defaultLocation);
    if (this.#overlaps || location === root || !isWithin(location, root)) return [];
    return location.slice(root.endsWith("/") ? root.length : root.length + 1).split("/");
  }

  /**
   * Where tables of a namespace go by default: `<root>/<namespace>`. The nearest namespace that
   * sets `location` replaces root and namespace. The places were read for it, or for its parent.
   *
   * @throws FirnError `Invalid`: `LOCATION_INVALID`, `LOCATION_UNSUPPORTED`, where that
   * `location` has no canonical form.
   */
  homeOf(namespace: readonly string[]): string {
    for (const { path, properties } of this.#namespaces) {
      const own = ownLocation(properties);
      if (own === undefined || path.length > namespace.length) continue;
      const below = namespace.slice(path.length).map(plain);
      return [this.#locations.normalize(own), ...below].join("/");
    }
    const root = this.#locations.normalize(this.catalog.defaultLocation);
    return [root, ...namespace.map(plain)].join("/");
  }

  /**
   * The default location in the namespace that the places were read for: its home, and
   * `<name>-<end of the uuid or id>`, so that a successor under the same name never shares a
   * directory.
   */
  defaultFor(
    namespace: readonly string[],
    name: string,
    id: TableId | TableUuid | ViewUuid,
  ): string {
    return `${this.homeOf(namespace)}/${plain(name)}${suffixOf(id)}`;
  }

  /**
   * What is answered of a namespace: its properties, with the location that clients such as Trino
   * put new tables below. Its own wins; none where its parent's is not a location at all.
   */
  propertiesOf({ path, properties }: Pick<Namespace, "path" | "properties">): Properties {
    if (ownLocation(properties) !== undefined) return properties;
    const home = this.#homeIn(path);
    return home === undefined ? properties : { ...properties, [LOCATION]: home };
  }

  /** As `homeOf`, undefined where that is not a location at all. */
  #homeIn(namespace: readonly string[]): string | undefined {
    try {
      return this.homeOf(namespace);
    } catch (error) {
      if (error instanceof FirnError && error.kind === "Invalid") return undefined;
      throw error;
    }
  }

  /**
   * Where a namespace says that its tables go. @throws FirnError `Invalid`: `LOCATION_INVALID`,
   * `LOCATION_UNSUPPORTED`, `LOCATION_NOT_ALLOWED`.
   */
  locationIn(properties: Properties): string | undefined {
    const own = ownLocation(properties);
    return own === undefined ? undefined : this.allowed(own);
  }

  /** The canonical location of a table, once every place that its metadata names is allowed. */
  locationOf(metadata: LocatedMetadata): string {
    for (const property of WRITE_PATHS) {
      const path = metadata.properties.get(property);
      if (path !== undefined) this.allowed(path);
    }
    return this.allowed(metadata.location);
  }
}

/** Undefined where nothing has the name, or nothing could. */
async function unlessAbsent<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    const absent =
      error instanceof FirnError && (error.kind === "NotFound" || error.kind === "Invalid");
    if (!absent) throw error;
    return undefined;
  }
}

/** Where tables may lie and where they go by default. */
export class TableLocations {
  readonly #catalog: AccountCatalog;
  readonly #locations: Locations;
  readonly #sharedRoots: readonly string[];

  /** `sharedRoots`: those that every catalog may use, apart from its own. */
  constructor(catalog: AccountCatalog, locations: Locations, sharedRoots: readonly string[]) {
    this.#catalog = catalog;
    this.#locations = locations;
    this.#sharedRoots = sharedRoots;
  }

  /**
   * The places of a catalog. `namespace`: where the default location in it will be asked for. All
   * is read side by side: warm, one batch read where the store joins what is asked for together.
   *
   * @throws FirnError `CATALOG_NOT_FOUND`, `NAMESPACE_NOT_FOUND`.
   */
  async of(
    catalog: string,
    namespace: readonly string[] = [],
    into?: true,
  ): Promise<CatalogPlaces> {
    const { catalogs, namespaces } = this.#catalog;
    const paths = namespace.map((_, i) => namespace.slice(0, namespace.length - i));
    const [{ entity }, ...stored] = await settleAll([
      catalogs.get(catalog, into),
      ...paths.map((path) => namespaces.get({ catalog, path }, into)),
    ]);
    const above = stored.map((one) => one.entity);
    return new CatalogPlaces(entity, this.#locations, this.#sharedRoots, above);
  }

  /**
   * Shows that a location that came with a request overlaps nothing: it holds no catalog's root
   * and no home of a namespace, and lies in no other catalog's root. A directory right below its
   * namespace's home needs no look here; else one list, a batch read that is warm as a rule, and
   * one read.
   *
   * @throws FirnError `Invalid` `LOCATION_OVERLAPS`, `LOCATION_NOT_ALLOWED`.
   */
  async assertApart(
    places: CatalogPlaces,
    namespace: readonly string[],
    location: string,
  ): Promise<void> {
    places.assertNotAbove(namespace, location);
    if (places.isAtHome(namespace, location)) return;
    const { catalogs } = this.#catalog;
    const names = (await catalogs.list({})).items;
    const [others] = await settleAll([
      settleAll(names.map((name) => unlessAbsent(catalogs.get(name)))),
      this.assertNoHome(places, location),
    ]);
    for (const other of others) {
      if (other !== undefined) places.assertApartFrom(location, other.entity);
    }
  }

  /**
   * Shows that a location is not the home of a namespace. Once more when the location is held: a
   * namespace that came meanwhile either is seen here, or sees the hold and goes elsewhere. One
   * read.
   *
   * @throws FirnError `Invalid` `LOCATION_OVERLAPS`.
   */
  async assertNoHome(places: CatalogPlaces, location: string): Promise<void> {
    const path = places.namespaceAt(location);
    if (path.length === 0) return;
    const found = await unlessAbsent(this.#namespaceAt(places.catalog, path));
    if (found !== undefined && ownLocation(found.entity.properties) === undefined) {
      throw locationOverlaps(location, location, dotted(path));
    }
  }

  /** One read where there is none. @throws FirnError `NotFound`, `Invalid`: nor can be one. */
  async #namespaceAt({ id, name }: Catalog, path: readonly string[]) {
    const { context, namespaces } = this.#catalog;
    const at = await context.pointers.get(
      keyOf(FAMILIES.namespaceByPath, context.account, id, path),
    );
    return at.state === "absent" ? undefined : namespaces.get({ catalog: name, path });
  }

  /**
   * Another home for a namespace whose default one is a table's, or lies in one: else no table
   * could be made there by default. Undefined where it needs none. One batch read.
   */
  async otherHome(places: CatalogPlaces, { id, path }: Namespace): Promise<string | undefined> {
    const home = places.homeOf(path);
    const claim = await this.#claimAround(places, home);
    return claim === undefined ? undefined : `${home}${suffixOf(id)}`;
  }

  /**
   * Looks at the location that a namespace is given, if any: one batch read.
   *
   * @throws FirnError `Invalid`: `LOCATION_INVALID`, `LOCATION_UNSUPPORTED`,
   * `LOCATION_NOT_ALLOWED`; `LOCATION_OVERLAPS`: it is a table's or view's, or lies in one.
   */
  async assertNamespaceMayBe(places: CatalogPlaces, properties: Properties): Promise<void> {
    const location = places.locationIn(properties);
    if (location === undefined) return;
    const claim = await this.#claimAround(places, location);
    if (claim !== undefined) throw overlapping(location, claim);
  }

  /** A table or view at a location or above it. */
  async #claimAround(places: CatalogPlaces, location: string): Promise<Live | undefined> {
    const { account, pointers } = this.#catalog.context;
    const around = [...places.above(location), location];
    const items = await pointers.getMany(around.map((at) => locationKey(account, at)));
    // A hold counts: its holder looks for namespaces behind it, and may have seen none yet.
    return items.find((item) => item.state === "live");
  }

  /** Directory of the metadata files of a table or view, as it was given. */
  metadataDirectory(location: string, metadata: LocatedMetadata): string {
    return this.metadataPath(metadata) ?? `${location}/metadata`;
  }

  /** Where the properties of a table or view want its metadata files, as it was given. */
  metadataPath({ properties }: LocatedMetadata): string | undefined {
    return properties.get(METADATA_PATH);
  }
}
