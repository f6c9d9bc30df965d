import type { Clock } from "../base/clock.ts";
import { FirnError, invalid } from "../base/error.ts";
import type { IdSource, Revision } from "../base/ids.ts";
import { LIMITS } from "../base/limits.ts";
import { persist } from "../base/persist.ts";
import type { Prng } from "../base/prng.ts";
import { inTurns, type Steps } from "../base/steps.ts";
import type { Relation } from "../catalog/model.ts";
import type { RelationDraft } from "../catalog/relations.ts";
import { isGzipMetadata, nextMetadataFileName } from "../iceberg/file-name.ts";
import { type Head, type Metadata, MetadataFile, type MetadataFiles } from "./metadata-files.ts";
import type { TableLocations } from "./table-locations.ts";

interface Ports {
  readonly clock: Clock;
  readonly prng: Prng;
  readonly ids: IdSource;
}

/** What the catalog is told of a relation whose metadata file lies there. */
export type Described<E extends Relation> = (
  metadataLocation: string,
) => Pick<RelationDraft<E>, "iceberg" | "snapshots">;

/** Works out what the catalog is told of this metadata; `base`: what the relation had before. */
export type Describe<E extends Relation, M> = (
  metadata: M,
  base: M | undefined,
) => Steps<Described<E>>;

/** A file with what the catalog is told of it. */
export interface Drafted<E extends Relation, M extends Metadata> {
  readonly file: MetadataFile<M>;
  readonly draft: RelationDraft<E>;
}

/** @throws FirnError `Invalid` `METADATA_TOO_LARGE`: nothing is stored that cannot be read. */
function checkLength({ length }: MetadataFile<Metadata>): void {
  const maxBytes = LIMITS.metadataFileBytes;
  if (length <= maxBytes) return;
  const message = "metadata file would be too large: expire snapshots or remove properties";
  throw invalid("METADATA_TOO_LARGE", message, { bytes: length, maxBytes });
}

/** Whether an error says for certain that nothing was committed. Our own faults never do. */
function isCertain(error: unknown): boolean {
  if (!(error instanceof FirnError)) return false;
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
 * What remains to be done when a change is committed, as reading what to answer. Where it fails the
 * change still stands, so no answer may say that it does not.
 *
 * @throws FirnError `Unknown` `OUTCOME_UNKNOWN` for every error that would say so.
 */
export async function afterCommit<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!isCertain(error)) throw error;
    const why = "committed, and not answered";
    throw new FirnError("Unknown", "OUTCOME_UNKNOWN", why, {}, error);
  }
}

/**
 * The metadata files of one commit. Each look at the relation may lead to other metadata and so to
 * another file; only the one that the commit names is kept. While the outcome is in doubt all are:
 * an unreferenced file is harmless, a missing one is a lost table or view.
 */
export class CommitFiles<E extends Relation, M extends Metadata> {
  readonly #ports: Ports;
  readonly #files: MetadataFiles<M>;
  readonly #places: TableLocations;
  readonly #describe: Describe<E, M>;
  readonly #written: MetadataFile<M>[] = [];

  constructor(
    ports: Ports,
    files: MetadataFiles<M>,
    places: TableLocations,
    describe: Describe<E, M>,
  ) {
    this.#ports = ports;
    this.#files = files;
    this.#places = places;
    this.#describe = describe;
  }

  /**
   * A relation at this metadata, whose file is written beside the payload. `location`: checked and
   * canonical. `base`: the metadata file that this one follows.
   */
  async draft(
    location: string,
    metadata: M,
    base: MetadataFile<M> | undefined,
  ): Promise<Drafted<E, M>> {
    const { clock, ids } = this.#ports;
    const unique = ids.mint<Revision>();
    const own = this.#places.metadataPath(metadata);
    const directory = own === undefined ? `${location}/metadata` : this.#files.directory(own);
    const describe = await inTurns(clock, this.#describe(metadata, base?.metadata));
    const name = nextMetadataFileName(base?.location, unique, metadata.properties);
    const isGzip = isGzipMetadata(name);
    const where = `${directory}/${name}`;
    const pieces = await inTurns(clock, this.#files.print(metadata));
    const file = new MetadataFile(where, metadata, pieces);
    checkLength(file);
    const prepare = () => this.#write(file, isGzip);
    return { file, draft: { location, prepare, ...describe(where) } };
  }

  /**
   * Runs a commit and deletes the files it left behind, as far as its outcome is known: all but
   * those of the heads that `headsOf` answers, which are kept in memory as well.
   */
  async cleanAfter<T>(commit: () => Promise<T>, headsOf: (done: T) => readonly Head[]): Promise<T> {
    try {
      const done = await commit();
      const heads = headsOf(done);
      for (const head of heads) this.#files.keepWritten(head);
      await this.#discard(({ location }) => heads.every((head) => head.location !== location));
      return done;
    } catch (error) {
      if (isCertain(error)) await this.#discard(() => true);
      throw error;
    } finally {
      for (const file of this.#written) this.#files.letGo(file);
    }
  }

  async #write(file: MetadataFile<M>, isGzip: boolean): Promise<void> {
    if (this.#written.includes(file)) return;
    this.#written.push(file);
    let again = false;
    await persist(this.#ports, () => {
      const writing = this.#files.write(file, { isGzip, again });
      again = true;
      return writing;
    });
  }

  /** Best effort: a file that stays is found by the orphan scan. */
  async #discard(which: (file: MetadataFile<M>) => boolean): Promise<void> {
    const left = this.#written.filter(which);
    if (left.length === 0) return;
    await Promise.allSettled(left.map((file) => this.#files.discard(file)));
  }
}
