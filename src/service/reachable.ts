import { CatalogError } from "../base/error.ts";
import { isJsonArray } from "../base/json.ts";
import type { Locations } from "../blob/locations.ts";
import { readManifest, readManifestList } from "../iceberg/manifest.ts";
import type { TableMetadata } from "../iceberg/model.ts";
import type { Snapshot } from "../iceberg/snapshot.ts";
import type { MetadataFiles } from "./metadata-files.ts";

/** Told of every file that could not be followed: what it names is not known. */
export type OnUnreadable = (error: CatalogError) => void;

/** Data files that are remembered, so that each is named once as a rule. */
const REMEMBERED = 200_000;

/** Snapshots of the same table share most of what they name. */
interface Roots {
  readonly lists: Set<string>;
  /** Named by snapshots of format version 1 that have no list. */
  readonly manifests: Set<string>;
  readonly statistics: Set<string>;
}

/**
 * The files that a table's metadata and its log name, level by level. Each level is read from those
 * above it, so that a deletion from below can start again at any level. What is not there, or not
 * what it should be, is passed over: `onUnreadable` is told. A store that does not answer is no
 * reason to pass anything over.
 */
export class Reachable {
  readonly #locations: Locations;
  readonly #files: MetadataFiles<TableMetadata>;
  readonly #metadata: TableMetadata;
  readonly #onUnreadable: OnUnreadable;
  #roots: Roots | undefined;

  /** `metadata`: the current one, which was read already. */
  constructor(
    parts: { readonly locations: Locations; readonly files: MetadataFiles<TableMetadata> },
    metadata: TableMetadata,
    onUnreadable: OnUnreadable,
  ) {
    this.#locations = parts.locations;
    this.#files = parts.files;
    this.#metadata = metadata;
    this.#onUnreadable = onUnreadable;
  }

  /** Older metadata files. */
  *log(): Generator<string> {
    for (const { metadataFile } of this.#metadata.metadataLog) yield metadataFile;
  }

  /** Manifest lists, and statistics of tables and partitions. One read a metadata file. */
  async *lists(): AsyncGenerator<string> {
    const { lists, statistics } = await this.#read();
    yield* lists;
    yield* statistics;
  }

  /** Manifests. One read a list. */
  async *manifests(): AsyncGenerator<string> {
    const { lists, manifests } = await this.#read();
    yield* manifests;
    const seen = new Set(manifests);
    for (const list of lists) {
      for await (const path of this.#valuesOf(list, readManifestList)) {
        if (seen.has(path)) continue;
        seen.add(path);
        yield path;
      }
    }
  }

  /**
   * Data and delete files that are part of a snapshot. Those that a snapshot removed are part of an
   * earlier one, or no longer the table's. One read a manifest.
   */
  async *data(): AsyncGenerator<string> {
    const seen = new Set<string>();
    for await (const manifest of this.manifests()) {
      for await (const { status, path } of this.#valuesOf(manifest, readManifest)) {
        if (status === "deleted" || seen.has(path)) continue;
        if (seen.size >= REMEMBERED) seen.clear();
        seen.add(path);
        yield path;
      }
    }
  }

  async #read(): Promise<Roots> {
    if (this.#roots !== undefined) return this.#roots;
    const roots: Roots = { lists: new Set(), manifests: new Set(), statistics: new Set() };
    collect(this.#metadata, roots);
    for (const location of this.log()) {
      const older = await this.#follow(() => this.#files.peek(location));
      if (older !== undefined) collect(older.metadata, roots);
    }
    this.#roots = roots;
    return roots;
  }

  /** The values of a file, up to where it stops being readable. */
  async *#valuesOf<T>(
    location: string,
    parse: (bytes: Uint8Array) => Generator<T>,
  ): AsyncGenerator<T> {
    const values = await this.#follow(async () => {
      const blob = await this.#locations.read(location);
      if (blob !== undefined) return parse(blob.bytes);
      throw new CatalogError("NotFound", "MANIFEST_MISSING", "no such file", { location });
    });
    if (values === undefined) return;
    for (;;) {
      const next = await this.#follow(async () => values.next());
      if (next === undefined || next.done === true) return;
      yield next.value;
    }
  }

  /** Passes over what is wrong with the file; not over what is wrong with the store. */
  async #follow<T>(read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      const known = error instanceof CatalogError;
      if (!known || (error.kind !== "Invalid" && error.kind !== "NotFound")) throw error;
      this.#onUnreadable(error);
      return undefined;
    }
  }
}

function collect(metadata: TableMetadata, { lists, manifests, statistics }: Roots): void {
  for (const snapshot of metadata.snapshots.items) {
    if (snapshot.manifestList !== undefined) lists.add(snapshot.manifestList);
    else for (const path of manifestsOf(snapshot)) manifests.add(path);
  }
  const { statistics: tables, partitionStatistics } = metadata;
  for (const { path } of [...tables, ...partitionStatistics]) statistics.add(path);
}

function manifestsOf({ fragment }: Snapshot): readonly string[] {
  const paths = fragment.object["manifests"];
  return isJsonArray(paths) ? paths.filter((path) => typeof path === "string") : [];
}
