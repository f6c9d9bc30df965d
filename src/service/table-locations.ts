import { invalid } from "../base/error.ts";
import type { TableUuid, ViewUuid } from "../base/ids.ts";
import { LIMITS } from "../base/limits.ts";
import { settleAll } from "../base/settle.ts";
import { isWithin, type Locations } from "../blob/locations.ts";
import type { AccountCatalog } from "../catalog/catalog.ts";
import { directoriesAbove } from "../catalog/claims.ts";
import type { Catalog, Namespace } from "../catalog/model.ts";
import type { Surroundings } from "../catalog/relations.ts";
import type { Metadata } from "./metadata-files.ts";

/** Set on a catalog: `true` lets tables and views lie within each other's locations. */
const OVERLAP_ALLOWED = "location.overlap.allowed";
/** Set on a namespace: where the tables below it go by default. */
const LOCATION = "location";
const METADATA_PATH = "write.metadata.path";
/** Where clients write, the names that older ones know included. */
const WRITE_PATHS = [
  METADATA_PATH,
  "write.data.path",
  "write.object-storage.path",
  "write.folder-storage.path",
];

type Places = Pick<Metadata, "location" | "properties">;

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

/** What a default location ends with. */
function suffixOf(uuid: string): string {
  return `-${uuid.slice(-12)}`;
}

/** Whether a location is named for a relation of this uuid. */
export function isNamedFor(location: string, uuid: string | undefined): boolean {
  return uuid !== undefined && location.endsWith(suffixOf(uuid));
}

/** Whether both say that the same places are written to. */
export function samePlaces(a: Places, b: Places): boolean {
  const samePath = (property: string) => a.properties.get(property) === b.properties.get(property);
  return a.location === b.location && WRITE_PATHS.every(samePath);
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
    const own = [catalog.defaultLocation, ...catalog.allowedLocations];
    this.catalog = catalog;
    this.#locations = locations;
    this.#namespaces = namespaces;
    this.#overlaps = catalog.properties[OVERLAP_ALLOWED]?.toLowerCase() === "true";
    this.#roots = [...own, ...sharedRoots].map((root) => locations.normalize(root));
  }

  /**
   * The canonical form of a location that a client chose.
   *
   * @throws CatalogError `Invalid`: `LOCATION_NOT_ALLOWED`, `LOCATION_INVALID`,
   * `LOCATION_UNSUPPORTED`.
   */
  allowed(uri: string): string {
    const location = this.#locations.assertAllowed(uri);
    if (this.#roots.some((root) => isWithin(location, root))) return location;
    throw invalid("LOCATION_NOT_ALLOWED", "location outside the catalog's roots", { location });
  }

  /**
   * The directories over a location in which no other relation may lie, from the outermost root
   * that allows it; none where the catalog allows overlaps.
   *
   * @throws CatalogError `Invalid` `LOCATION_TOO_DEEP`: each is an operation of the batch.
   */
  above(location: string): readonly string[] {
    if (this.#overlaps) return [];
    const roots = this.#roots.filter((root) => isWithin(location, root));
    const outermost = roots.sort((a, b) => a.length - b.length)[0];
    const above = directoriesAbove(location, outermost);
    if (above.length <= LIMITS.locationLevels) return above;
    throw invalid("LOCATION_TOO_DEEP", "too many directories above a location", {
      levels: above.length,
      limit: LIMITS.locationLevels,
    });
  }

  /** Nobody else can lie below a directory that is named for the relation's own uuid. */
  surroundings(location: string, uuid: string | undefined): Surroundings {
    if (this.#overlaps) return {};
    return { above: this.above(location), chosen: !isNamedFor(location, uuid) };
  }

  /**
   * The default location in the namespace that the places were read for:
   * `<root>/<namespace>/<name>-<end of the table uuid>`, so that a successor under the same name
   * never shares a directory. The nearest namespace that sets `location` replaces root and
   * namespace.
   */
  defaultFor(namespace: readonly string[], name: string, uuid: TableUuid | ViewUuid): string {
    const leaf = `${plain(name)}${suffixOf(uuid)}`;
    for (const { path, properties } of this.#namespaces) {
      const own = properties[LOCATION];
      if (own === undefined || own === "") continue;
      const below = namespace.slice(path.length).map(plain);
      return [this.#locations.normalize(own), ...below, leaf].join("/");
    }
    const root = this.#locations.normalize(this.catalog.defaultLocation);
    return [root, ...namespace.map(plain), leaf].join("/");
  }

  /** The canonical location of a table, once every place that its metadata names is allowed. */
  locationOf(metadata: Places): string {
    for (const property of WRITE_PATHS) {
      const path = metadata.properties.get(property);
      if (path !== undefined) this.allowed(path);
    }
    return this.allowed(metadata.location);
  }
}

/** Where tables may lie and where they go by default. */
export class TableLocations {
  readonly #catalog: AccountCatalog;
  readonly #locations: Locations;
  readonly #sharedRoots: readonly string[];

  /** `sharedRoots`: those that every catalog may use, besides its own. */
  constructor(catalog: AccountCatalog, locations: Locations, sharedRoots: readonly string[]) {
    this.#catalog = catalog;
    this.#locations = locations;
    this.#sharedRoots = sharedRoots;
  }

  /**
   * The places of a catalog. `namespace`: where the default location in it will be asked for. All
   * is read side by side: warm, one batch read where the store joins what is asked for together.
   *
   * @throws CatalogError `CATALOG_NOT_FOUND`, `NAMESPACE_NOT_FOUND`.
   */
  async of(catalog: string, namespace: readonly string[] = []): Promise<CatalogPlaces> {
    const { catalogs, namespaces } = this.#catalog;
    const paths = namespace.map((_, i) => namespace.slice(0, namespace.length - i));
    const [{ entity }, ...stored] = await settleAll([
      catalogs.get(catalog),
      ...paths.map((path) => namespaces.get({ catalog, path })),
    ]);
    const above = stored.map((one) => one.entity);
    return new CatalogPlaces(entity, this.#locations, this.#sharedRoots, above);
  }

  /** Directory of the metadata files of a table or view, as it was given. */
  metadataDirectory(location: string, metadata: Places): string {
    return metadata.properties.get(METADATA_PATH) ?? `${location}/metadata`;
  }
}
