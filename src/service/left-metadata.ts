import { FirnError } from "../base/error.ts";
import type { TableId } from "../base/ids.ts";
import { isWithin, type Locations } from "../blob/locations.ts";
import type { AccountCatalog } from "../catalog/catalog.ts";
import type { TableRef } from "../catalog/tables.ts";
import { uuidOfFileName } from "../iceberg/file-name.ts";
import { DELETE_AFTER_COMMIT, removedMetadataFiles } from "../iceberg/metadata-log.ts";
import type { TableMetadata } from "../iceberg/model.ts";
import type { MetadataFile, MetadataFiles } from "./metadata-files.ts";
import { headOf } from "./relation-commits.ts";
import type { TableLocations } from "./table-locations.ts";

/** What the start of a UUIDv7 says: the millisecond that it was minted in. */
const MINTED = "00000000-0000".length;

/** What a commit came to, as far as it was a change of what was there. */
interface Came {
  readonly file?: MetadataFile<TableMetadata> | undefined;
  readonly base?: MetadataFile<TableMetadata> | undefined;
}

interface Parts {
  readonly catalog: AccountCatalog;
  readonly locations: Locations;
  readonly files: MetadataFiles<TableMetadata>;
  readonly places: TableLocations;
}

/**
 * Deletes metadata files that have left a table's log, where its properties ask for that: behind
 * the answer to a commit, and never before the commit is certain. What is not deleted by the node
 * that committed, since it ended or the store refused, stays: a file too many does no harm.
 *
 * Only files that commits of this very table wrote, and that lie in its metadata directory below
 * its own location. Its claim on the location keeps every other name from such a file; what an
 * earlier holder of the name wrote may be wanted by its undrop.
 */
export class LeftMetadata {
  readonly #parts: Parts;
  /** Of tables that have work waiting: it is done for all their commits so far at once. */
  readonly #left: Map<string, Set<string>> = new Map();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** A commit to `ref` is certain, and came to this file. */
  committed(ref: TableRef, { file, base }: Came): void {
    if (file === undefined || base === undefined) return;
    // Most tables do not ask for it.
    if (!file.metadata.properties.has(DELETE_AFTER_COMMIT)) return;
    // Where an earlier request of the same key had won, the file does not follow what we looked at.
    if (file.metadata.metadataLog.at(-1)?.metadataFile !== base.location) return;
    const removed = removedMetadataFiles(base.metadata, file.metadata);
    if (removed.length === 0) return;
    const key = JSON.stringify([ref.catalog, ref.path, ref.name]);
    const waiting = this.#left.get(key);
    for (const path of removed) waiting?.add(path);
    if (waiting !== undefined) return;
    this.#left.set(key, new Set(removed));
    this.#parts.catalog.context.background.run(async () => {
      const paths = this.#left.get(key) ?? [];
      this.#left.delete(key);
      await this.#delete(ref, paths);
    });
  }

  /** Looks at the table once more: another commit, a register above all, may name a file again. */
  async #delete(ref: TableRef, paths: Iterable<string>): Promise<void> {
    const { catalog, locations, files, places } = this.#parts;
    const stored = await catalog.tables.get(ref);
    const { entity } = stored;
    const head = headOf(stored);
    if (head === undefined) return;
    const { metadata } = await files.load(head);
    const named = new Set([
      head.location,
      ...Array.from(metadata.metadataLog, (e) => e.metadataFile),
    ]);
    const directory = places.metadataDirectory(entity.location, metadata);
    const own = [...paths].filter(
      (path) =>
        !named.has(path) &&
        isWrittenSince(path, entity.id) &&
        isWithin(this.#canonical(path), entity.location) &&
        isWithin(this.#canonical(path), this.#canonical(directory)),
    );
    if (own.length > 0) await locations.deleteMany(own);
  }

  /** Empty for a path of another store: nothing holds it. */
  #canonical(path: string): string {
    try {
      return this.#parts.locations.normalize(path);
    } catch (error) {
      if (error instanceof FirnError && error.kind === "Invalid") return "";
      throw error;
    }
  }
}

/** Whether a file has a name that Firn gave it, and got it when the table was there already. */
function isWrittenSince(path: string, table: TableId): boolean {
  const uuid = uuidOfFileName(path);
  return uuid !== undefined && uuid.slice(0, MINTED) >= table.slice(0, MINTED);
}
