import { gunzipSync, gzipSync } from "node:zlib";
import { utf8, utf8Text } from "../base/bytes.ts";
import { CatalogError, invalid } from "../base/error.ts";
import { LIMITS } from "../base/limits.ts";
import { LruMap } from "../base/lru.ts";
import type { Locations } from "../blob/locations.ts";
import { isGzipMetadata } from "../iceberg/file-name.ts";
import { parseTableMetadata, printTableMetadata, withLocation } from "../iceberg/metadata.ts";
import type { TableMetadata } from "../iceberg/model.ts";
import { snapshotsOfRefs } from "../iceberg/refs.ts";

/**
 * Weight of what is kept, counted in bytes of metadata text; parsed forms weigh a few times that.
 */
const CACHED_BYTES = 128 * 1_048_576;
const ENTRY_BYTES = 2_048;

/** A metadata file that was parsed and validated once: only such bytes are ever answered. */
export class MetadataFile {
  readonly location: string;
  readonly metadata: TableMetadata;
  /** UTF-8 JSON, never compressed. */
  readonly bytes: Uint8Array;
  #refs: Uint8Array | undefined;

  constructor(location: string, metadata: TableMetadata, bytes: Uint8Array) {
    this.location = location;
    this.metadata = metadata;
    this.bytes = bytes;
  }

  /** The same with only the snapshots that a branch or tag names. */
  get refs(): Uint8Array {
    this.#refs ??= utf8(snapshotsOfRefs(this.metadata));
    return this.#refs;
  }
}

function gunzip(location: string, bytes: Uint8Array): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: LIMITS.metadataFileBytes });
  } catch (error) {
    throw new CatalogError("Invalid", "METADATA_INVALID", "not gzip", { location }, error);
  }
}

function textOf(location: string, bytes: Uint8Array): string {
  try {
    return utf8Text(bytes);
  } catch (error) {
    throw new CatalogError("Invalid", "METADATA_INVALID", "not utf-8", { location }, error);
  }
}

function missing(location: string): CatalogError {
  return new CatalogError("NotFound", "METADATA_FILE_MISSING", "no metadata file", { location });
}

/** Iceberg metadata files at their locations, parsed once and kept: they never change. */
export class MetadataFiles {
  readonly #locations: Locations;
  readonly #kept: LruMap<string, MetadataFile> = new LruMap(
    CACHED_BYTES,
    (file) => file.bytes.length + ENTRY_BYTES,
  );

  constructor(locations: Locations) {
    this.#locations = locations;
  }

  /**
   * Reads a metadata file. One that was read before still has to be there: one `stat`.
   *
   * @throws CatalogError `NotFound` `METADATA_FILE_MISSING`; `Invalid` `METADATA_INVALID`,
   * `LOCATION_NOT_ALLOWED`.
   */
  async load(location: string): Promise<MetadataFile> {
    const kept = this.#kept.get(location);
    if (kept !== undefined) {
      await this.assertThere(location);
      return kept;
    }
    const blob = await this.#locations.read(location);
    if (blob === undefined) throw missing(location);
    if (blob.bytes.length > LIMITS.metadataFileBytes) {
      throw invalid("METADATA_INVALID", "metadata file too large", { location });
    }
    const bytes = isGzipMetadata(location) ? gunzip(location, blob.bytes) : blob.bytes;
    const file = this.#canonical(location, parseTableMetadata(textOf(location, bytes)), bytes);
    this.#kept.set(location, file);
    return file;
  }

  /** A file of another writer may spell its table's location otherwise than we answer it. */
  #canonical(location: string, metadata: TableMetadata, bytes: Uint8Array): MetadataFile {
    const canonical = this.#locations.normalize(metadata.location);
    return canonical === metadata.location
      ? new MetadataFile(location, metadata, bytes)
      : this.render(location, withLocation(metadata, canonical));
  }

  /** @throws CatalogError `NotFound` `METADATA_FILE_MISSING`. */
  async assertThere(location: string): Promise<void> {
    if (await this.#locations.exists(location)) return;
    this.#kept.delete(location);
    throw missing(location);
  }

  /** The file as it will stand at the location, not written yet. */
  render(location: string, metadata: TableMetadata): MetadataFile {
    return new MetadataFile(location, metadata, utf8(printTableMetadata(metadata)));
  }

  /** Writes a rendered file under its name, which nothing else ever has. */
  async write(file: MetadataFile): Promise<void> {
    const { location, bytes } = file;
    await this.#locations.write(location, isGzipMetadata(location) ? gzipSync(bytes) : bytes);
    this.#kept.set(location, file);
  }

  /** Takes back a file that no commit names. */
  async discard(file: MetadataFile): Promise<void> {
    this.#kept.delete(file.location);
    await this.#locations.delete(file.location);
  }
}
