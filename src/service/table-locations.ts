import { invalid } from "../base/error.ts";
import type { TableUuid } from "../base/ids.ts";
import type { Locations } from "../blob/locations.ts";
import type { AccountCatalog } from "../catalog/catalog.ts";
import type { Catalog } from "../catalog/model.ts";
import type { TableMetadata } from "../iceberg/model.ts";
import type { NamespaceRef } from "./requests.ts";

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

/** File systems take 255 bytes a segment: a longer name is cut, the uuid keeps leaves apart. */
const LEAF_NAME_CHARS = 240;

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

function isWithin(location: string, root: string): boolean {
  return location === root || location.startsWith(root.endsWith("/") ? root : `${root}/`);
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
    this.#sharedRoots = sharedRoots.map((root) => locations.normalize(root));
  }

  /**
   * The default location: `<root>/<namespace>/<name>-<end of the table uuid>`, so that a successor
   * under the same name never shares a directory. The nearest namespace that sets `location`
   * replaces root and namespace.
   */
  async defaultFor(ref: NamespaceRef, name: string, uuid: TableUuid): Promise<string> {
    const leaf = `${plain(name).slice(0, LEAF_NAME_CHARS)}-${uuid.slice(-12)}`;
    for (let depth = ref.namespace.length; depth > 0; depth--) {
      const path = ref.namespace.slice(0, depth);
      const { entity } = await this.#catalog.namespaces.get({ catalog: ref.catalog, path });
      const own = entity.properties[LOCATION];
      if (own === undefined || own === "") continue;
      const below = ref.namespace.slice(depth).map(plain);
      return this.allowed(ref.catalog, [this.#locations.normalize(own), ...below, leaf].join("/"));
    }
    const { entity } = await this.#catalog.catalogs.get(ref.catalog);
    const root = this.#locations.normalize(entity.defaultLocation);
    return [root, ...ref.namespace.map(plain), leaf].join("/");
  }

  /**
   * The canonical form of a location that a client chose.
   *
   * @throws CatalogError `Invalid`: `LOCATION_NOT_ALLOWED`, `LOCATION_INVALID`,
   * `LOCATION_UNSUPPORTED`.
   */
  async allowed(catalog: string, uri: string): Promise<string> {
    const location = this.#locations.assertAllowed(uri);
    const { entity } = await this.#catalog.catalogs.get(catalog);
    if (this.#rootsOf(entity).some((root) => isWithin(location, root))) return location;
    throw invalid("LOCATION_NOT_ALLOWED", "location outside the catalog's roots", { location });
  }

  /** Checks every place that the metadata tells clients to write to. */
  async assertWritable(catalog: string, metadata: TableMetadata): Promise<void> {
    for (const property of WRITE_PATHS) {
      const path = metadata.properties.get(property);
      if (path !== undefined) await this.allowed(catalog, path);
    }
  }

  /** Directory of a table's metadata files, without a trailing slash. */
  metadataDirectory(location: string, metadata: TableMetadata): string {
    const own = metadata.properties.get(METADATA_PATH);
    return own === undefined ? `${location}/metadata` : this.#locations.normalize(own);
  }

  #rootsOf(catalog: Catalog): readonly string[] {
    const own = [catalog.defaultLocation, ...catalog.allowedLocations];
    return [...own.map((root) => this.#locations.normalize(root)), ...this.#sharedRoots];
  }
}
