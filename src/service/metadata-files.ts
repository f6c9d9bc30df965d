import { gunzipSync, gzipSync } from "node:zlib";
import { inOnePiece, lengthOf, utf8Text } from "../base/bytes.ts";
import { CatalogError, invalid } from "../base/error.ts";
import { LIMITS } from "../base/limits.ts";
import { LruMap } from "../base/lru.ts";
import type { Locations, Watch } from "../blob/locations.ts";
import { isGzipMetadata } from "../iceberg/file-name.ts";
import { type LayoutEntry, withLocation } from "../iceberg/layout.ts";
import { parseTableMetadata, printTableMetadata } from "../iceberg/metadata.ts";
import { stripTrailingSlash, type TableMetadata } from "../iceberg/model.ts";
import {
  parseViewMetadata,
  printViewMetadata,
  type ViewMetadata,
} from "../iceberg/view-metadata.ts";

const MIB = 1_048_576;
const ENTRY_BYTES = 2_048;

/** What the metadata of tables and of views have in common. */
export interface Metadata {
  readonly uuid: string | undefined;
  readonly location: string;
  readonly properties: ReadonlyMap<string, string>;
  readonly layout: readonly LayoutEntry[];
}

/** How one kind of metadata file is read and written. */
export interface MetadataFormat<M extends Metadata> {
  readonly parse: (text: string) => M;
  readonly print: (metadata: M) => readonly Uint8Array[];
  /**
   * How locations are answered. Clients join the paths of data files onto a table's, and some of
   * them know one spelling alone. Nothing lies at a view's but its metadata files, and clients
   * compare it with what they asked for, so it keeps their spelling.
   */
  readonly locations: "canonical" | "as given";
  /** Weight of what is kept, in bytes of metadata text; parsed forms weigh a few times that. */
  readonly cachedBytes: number;
}

export const TABLE_FORMAT: MetadataFormat<TableMetadata> = {
  parse: parseTableMetadata,
  print: printTableMetadata,
  locations: "canonical",
  cachedBytes: 128 * MIB,
};
export const VIEW_FORMAT: MetadataFormat<ViewMetadata> = {
  parse: parseViewMetadata,
  print: printViewMetadata,
  locations: "as given",
  cachedBytes: 16 * MIB,
};

/** A metadata file that was parsed and validated once: only such bytes are ever answered. */
export class MetadataFile<M extends Metadata> {
  readonly location: string;
  readonly metadata: M;
  /** UTF-8 JSON, never compressed, in pieces that other files of the table may share. */
  readonly pieces: readonly Uint8Array[];
  readonly length: number;
  #shorter: readonly Uint8Array[] | undefined;

  constructor(location: string, metadata: M, pieces: readonly Uint8Array[]) {
    this.location = location;
    this.metadata = metadata;
    this.pieces = pieces;
    this.length = lengthOf(pieces);
  }

  /** What another print of the same metadata leaves of it, made once: there is one such print. */
  shorter(print: (metadata: M) => readonly Uint8Array[]): readonly Uint8Array[] {
    this.#shorter ??= print(this.metadata);
    return this.#shorter;
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

/** `stands`: whether the file is still where it was read or written. */
interface Kept<M extends Metadata> {
  readonly file: MetadataFile<M>;
  readonly stands: Watch;
}

/** Iceberg metadata files at their locations, parsed once and kept: they never change. */
export class MetadataFiles<M extends Metadata> {
  readonly #locations: Locations;
  readonly #format: MetadataFormat<M>;
  readonly #kept: LruMap<string, Kept<M>>;

  constructor(locations: Locations, format: MetadataFormat<M>) {
    this.#locations = locations;
    this.#format = format;
    this.#kept = new LruMap(format.cachedBytes, ({ file }) => file.length + ENTRY_BYTES);
  }

  /**
   * Reads a metadata file. One that was read before still has to be there, where files are looked
   * after: one `stat`.
   *
   * @throws CatalogError `NotFound` `METADATA_FILE_MISSING`; `Invalid` `METADATA_INVALID`,
   * `LOCATION_NOT_ALLOWED`.
   */
  async load(location: string): Promise<MetadataFile<M>> {
    return this.at(location);
  }

  /** As `load`, and at once where a file is kept and a look at it takes no waiting. */
  at(location: string): MetadataFile<M> | Promise<MetadataFile<M>> {
    const kept = this.#kept.get(location);
    if (kept === undefined) return this.#read(location);
    const stands = kept.stands();
    return stands === true ? kept.file : this.#standing(kept.file, stands);
  }

  /** As `load`, and it has to be there wherever it lies: one request. */
  async loadStored(location: string): Promise<MetadataFile<M>> {
    const kept = this.#kept.get(location);
    return kept === undefined
      ? this.#read(location)
      : this.#standing(kept.file, this.#locations.exists(location));
  }

  async #standing(
    file: MetadataFile<M>,
    stands: boolean | Promise<boolean>,
  ): Promise<MetadataFile<M>> {
    if (await stands) return file;
    throw this.#gone(file.location);
  }

  async #read(location: string): Promise<MetadataFile<M>> {
    const file = await this.peek(location);
    this.#keep(file);
    return file;
  }

  /**
   * As `load`, of a file that is not asked for again: it is not kept, and takes nobody's place. One
   * read.
   */
  async peek(location: string): Promise<MetadataFile<M>> {
    const blob = await this.#locations.read(location);
    if (blob === undefined) throw missing(location);
    if (blob.bytes.length > LIMITS.metadataFileBytes) {
      throw invalid("METADATA_INVALID", "metadata file too large", { location });
    }
    const bytes = isGzipMetadata(location) ? gunzip(location, blob.bytes) : blob.bytes;
    return this.#canonical(location, this.#format.parse(textOf(location, bytes)), bytes);
  }

  #keep(file: MetadataFile<M>): void {
    this.#kept.set(file.location, { file, stands: this.#locations.watch(file.location) });
  }

  #gone(location: string): CatalogError {
    this.#kept.delete(location);
    return missing(location);
  }

  /** A file of another writer may spell its own location otherwise than we answer it. */
  #canonical(location: string, metadata: M, bytes: Uint8Array): MetadataFile<M> {
    const canonical = this.spelled(metadata.location);
    return canonical === metadata.location
      ? new MetadataFile(location, metadata, [bytes])
      : this.render(location, withLocation(metadata, canonical));
  }

  /** A location as it is answered, without a trailing slash. @throws CatalogError `Invalid`. */
  spelled(location: string): string {
    return this.#format.locations === "canonical"
      ? this.#locations.normalize(location)
      : stripTrailingSlash(location);
  }

  /** As `load`, without the file. @throws CatalogError `NotFound` `METADATA_FILE_MISSING`. */
  async assertThere(location: string): Promise<void> {
    const kept = this.#kept.get(location);
    const stands = kept === undefined ? this.#locations.stands(location) : kept.stands();
    if (!(await stands)) throw this.#gone(location);
  }

  /** The file as it will stand at the location, not written yet. */
  render(location: string, metadata: M): MetadataFile<M> {
    return new MetadataFile(location, metadata, this.#format.print(metadata));
  }

  /**
   * Writes a rendered file under its name, which nothing else ever has. `again`: after a try whose
   * outcome is unknown.
   */
  async write(file: MetadataFile<M>, again: boolean): Promise<void> {
    const { location, pieces } = file;
    const content = isGzipMetadata(location) ? gzipSync(inOnePiece(pieces)) : pieces;
    if (again) await this.#locations.writeAgain(location, content);
    else await this.#locations.write(location, content);
    this.#keep(file);
  }

  /** Keeps a file no longer, which stays where it is: another one follows it. */
  release(file: MetadataFile<M>): void {
    this.#kept.delete(file.location);
  }

  /** Takes back a file that no commit names. */
  async discard(file: MetadataFile<M>): Promise<void> {
    this.#kept.delete(file.location);
    await this.#locations.delete(file.location);
  }
}
