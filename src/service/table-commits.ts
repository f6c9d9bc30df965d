import type { Clock } from "../base/clock.ts";
import { CatalogError } from "../base/error.ts";
import type { IdSource, Revision, TableUuid } from "../base/ids.ts";
import type { Prng } from "../base/prng.ts";
import type { IcebergTable } from "../catalog/model.ts";
import { persist } from "../catalog/repository.ts";
import type { TableDraft } from "../catalog/tables.ts";
import { nextMetadataFileName } from "../iceberg/file-name.ts";
import type { TableMetadata } from "../iceberg/model.ts";
import type { MetadataFile, MetadataFiles } from "./metadata-files.ts";
import type { TableLocations } from "./table-locations.ts";

interface Ports {
  readonly clock: Clock;
  readonly prng: Prng;
  readonly ids: IdSource;
}

/** What a commit came to: the file that it names, or named already, and its answer. */
interface Kept<T> {
  readonly kept: MetadataFile;
  readonly value: T;
}

/** What the catalog stores of a table with this metadata. */
export function icebergOf(metadata: TableMetadata, metadataLocation: string): IcebergTable {
  return {
    metadataLocation,
    purgeRequested: false,
    ...(metadata.uuid === undefined ? {} : { tableUuid: metadata.uuid as TableUuid }),
    ...(metadata.currentSnapshotId === undefined
      ? {}
      : { currentSnapshotId: metadata.currentSnapshotId }),
  };
}

/** Whether an error says for certain that nothing was committed. Our own faults never do. */
function isCertain(error: unknown): boolean {
  if (!(error instanceof CatalogError)) return false;
  switch (error.kind) {
    case "Invalid":
    case "NotFound":
    case "AlreadyExists":
    case "Conflict":
    case "Forbidden":
    case "Unauthenticated":
    case "Overloaded":
    case "Unavailable":
      return true;
    case "Unknown":
    case "Corrupt":
    case "Internal":
      return false;
  }
}

/**
 * The metadata files of one commit. Each look at the table may lead to other metadata and so to
 * another file; only the one that the commit names is kept. While the outcome is in doubt all are:
 * an unreferenced file is harmless, a missing one is a lost table.
 */
export class CommitFiles {
  readonly #ports: Ports;
  readonly #files: MetadataFiles;
  readonly #places: TableLocations;
  readonly #written: MetadataFile[] = [];

  constructor(ports: Ports, files: MetadataFiles, places: TableLocations) {
    this.#ports = ports;
    this.#files = files;
    this.#places = places;
  }

  /**
   * A table at this metadata, whose file is written beside the payload. `location`: checked and
   * canonical. `base`: the metadata file that this one follows.
   */
  draft(
    location: string,
    metadata: TableMetadata,
    base: string | undefined,
  ): { readonly file: MetadataFile; readonly draft: TableDraft } {
    const unique = this.#ports.ids.mint<Revision>();
    const name = nextMetadataFileName(base, unique, metadata.properties);
    const directory = this.#places.metadataDirectory(location, metadata);
    const file = this.#files.render(`${directory}/${name}`, metadata);
    const prepare = () => this.#write(file);
    return { file, draft: { location, iceberg: icebergOf(metadata, file.location), prepare } };
  }

  /** Runs a commit and deletes the files it left behind, as far as its outcome is known. */
  async cleanAfter<T>(commit: () => Promise<Kept<T>>): Promise<T> {
    try {
      const { kept, value } = await commit();
      await this.#discard((file) => file !== kept);
      return value;
    } catch (error) {
      if (isCertain(error)) await this.#discard(() => true);
      throw error;
    }
  }

  async #write(file: MetadataFile): Promise<void> {
    if (this.#written.includes(file)) return;
    this.#written.push(file);
    let tried = false;
    await persist(this.#ports, async () => {
      try {
        await this.#files.write(file);
      } catch (error) {
        // The name is ours alone, so what stands there is what an earlier try of ours wrote.
        const ours = tried && error instanceof CatalogError && error.code === "LOCATION_TAKEN";
        if (!ours) throw error;
      } finally {
        tried = true;
      }
    });
  }

  /** Best effort: a file that stays is found by the orphan scan. */
  async #discard(which: (file: MetadataFile) => boolean): Promise<void> {
    await Promise.allSettled(this.#written.filter(which).map((file) => this.#files.discard(file)));
  }
}
