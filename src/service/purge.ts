import { FirnError } from "../base/error.ts";
import { Counts, type Metrics } from "../base/metrics.ts";
import { settleAll } from "../base/settle-all.ts";
import { isWithin, type Locations } from "../blob/locations.ts";
import type { AccountCatalog } from "../catalog/catalog.ts";
import { isAlone } from "../catalog/claims.ts";
import type { JobLease } from "../catalog/jobs.ts";
import type { Table } from "../catalog/model.ts";
import {
  beginPurge,
  deleteDerived,
  endPurge,
  FIRST_STEP,
  rootsAbove,
  sharesFiles,
} from "../catalog/purging.ts";
import { sharedByIndex } from "../catalog/table-index.ts";
import type { TableMetadata } from "../iceberg/model.ts";
import { SERVICE_LIMITS } from "./limits.ts";
import type { MetadataFile, MetadataFiles } from "./metadata-files.ts";
import { isFault, ReachableFiles } from "./reachable-files.ts";
import type { Reading } from "./reading.ts";

/*
 * The end of what was dropped. Where the drop asked for it, the table's files go first, by
 * reference and never by prefix: those that its metadata and its log lead to, and that lie under
 * its own location. They go level by level from below, each level read from those above it, which
 * still stand; the job remembers the level. So a purge that is killed anywhere starts again there
 * and comes to the same end, and the metadata file goes last.
 */

const GC_ENABLED = "gc.enabled";

/** The levels, from below; after the last one, the current metadata file itself. */
const LEVELS = [FIRST_STEP, "manifests", "lists", "log"] as const;
type Level = (typeof LEVELS)[number];
const ROOT = "root";

/** `kept`: for a reason, so that what is left of the table goes without its files. */
type Went = "all" | "kept" | "interrupted";

interface Parts {
  readonly locations: Locations;
  readonly files: MetadataFiles<TableMetadata>;
  readonly metrics: Metrics;
  /** Reads Avro. */
  readonly reading: Reading;
  readonly onUnreadable?: OnUnreadableFiles | undefined;
  /** Deletes the rows of a row table; again where it was ended midway. */
  readonly purgeRows: (table: Table) => Promise<void>;
}

/** Told of files that a purge could not read, and why the last: what only they name stays. */
export type OnUnreadableFiles = (facts: {
  readonly job: string;
  readonly table: string;
  readonly files: number;
  readonly last: string;
  readonly code: string;
  readonly message: string;
}) => void;

interface Unreadable {
  readonly error: FirnError;
  readonly location: string;
}

interface Counted {
  readonly deleted: Counts;
  readonly unreadable: Counts;
}

function countedBy(metrics: Metrics): Counted {
  return {
    deleted: new Counts(metrics, {
      name: "firn_purged_files_total",
      help: "Files of purged tables that were deleted",
    }),
    unreadable: new Counts(metrics, {
      name: "firn_purge_unreadable_files_total",
      help: "Files of purged tables that could not be read, so that what only they name stays",
    }),
  };
}

/** Ends the life of what was dropped, of any type, once its retention is over. */
export class Purge {
  readonly #catalog: AccountCatalog;
  readonly #parts: Parts;
  readonly #counted: Counted;

  constructor(catalog: AccountCatalog, parts: Parts, counted: Counted = countedBy(parts.metrics)) {
    this.#catalog = catalog;
    this.#parts = parts;
    this.#counted = counted;
  }

  /** The purges of another account. */
  within(catalog: AccountCatalog): Purge {
    return new Purge(catalog, this.#parts, this.#counted);
  }

  /** Carries a purge on from where it stands, and answers whether it is over. See `JobWork`. */
  async run(lease: JobLease, ended: AbortSignal): Promise<boolean> {
    const { context } = this.#catalog;
    const table = await beginPurge(context, lease);
    if (table?.format === "ROW") await this.#parts.purgeRows(table);
    else if (table !== undefined) {
      await this.#learnRoots(table);
      if ((await this.#files(lease, table, ended)) === "interrupted") return false;
    }
    if (!(await deleteDerived(context, lease, ended))) return false;
    await endPurge(context, lease);
    return true;
  }

  /** One that was dropped is not listed: nodes that started since do not know its roots. */
  async #learnRoots(table: Table): Promise<void> {
    const { locations } = this.#parts;
    for (const root of await rootsAbove(this.#catalog.context, table)) locations.addRoot(root);
  }

  async #files(lease: JobLease, table: Table, ended: AbortSignal): Promise<Went> {
    const root = table.iceberg?.metadataLocation ?? "";
    if (lease.job.step !== ROOT) {
      const file = await this.#metadataOf(lease, table, root);
      if (file === undefined || (await this.#mustKeep(lease, table, file.metadata))) return "kept";
      const went = await this.#levels(lease, table, file.metadata, ended);
      if (went !== "all") return went;
    }
    return this.#delete(lease, table, [root], ended);
  }

  /**
   * A table whose metadata is not there, or not what it should be, names no files. One that this
   * node cannot read is another matter: the job is given back.
   */
  async #metadataOf(
    lease: JobLease,
    table: Table,
    location: string,
  ): Promise<MetadataFile<TableMetadata> | undefined> {
    try {
      return await this.#parts.files.peek(location);
    } catch (error) {
      if (!isFault(error)) throw error;
      await lease.renew(this.#told(lease, table, 1, { error, location }));
      return undefined;
    }
  }

  /** Files could not be read, for good: what only they name stays, and the job says so. */
  #told(
    { job }: JobLease,
    { id }: Table,
    files: number,
    { error: { code, message }, location }: Unreadable,
  ): { readonly failures: number; readonly lastFailure: string; readonly lastMessage: string } {
    this.#counted.unreadable.add(files);
    this.#parts.onUnreadable?.({ job: job.id, table: id, files, last: location, code, message });
    return { failures: job.failures + files, lastFailure: code, lastMessage: message };
  }

  async #mustKeep(lease: JobLease, table: Table, { properties }: TableMetadata): Promise<boolean> {
    if (properties.get(GC_ENABLED)?.toLowerCase() === "false") return true;
    // Without an index it reads all tables, and on DynamoDB every item: longer than a lease.
    return lease.during(sharesFiles(this.#catalog.context, table));
  }

  /** Deletes level by level, from the one that the job stands at. */
  async #levels(
    lease: JobLease,
    table: Table,
    metadata: TableMetadata,
    ended: AbortSignal,
  ): Promise<Went> {
    // Each level reads again what is above it, so what is wrong there is told once, at the first.
    const failed: { count: number; last?: Unreadable } = { count: 0 };
    const { clock } = this.#catalog.context;
    const parts = { ...this.#parts, clock, onFile: () => lease.keep() };
    const reachable = new ReachableFiles(parts, metadata, (error, location) => {
      failed.count++;
      failed.last = { error, location };
    });
    const first = LEVELS.indexOf(lease.job.step as Level);
    for (const [i, level] of LEVELS.entries()) {
      if (i < first) continue;
      const went = await this.#level(lease, table, filesAt(reachable, level), ended);
      if (went !== "all") return went;
      const step = LEVELS[i + 1] ?? ROOT;
      const { count, last } = failed;
      const isTold = level !== FIRST_STEP || last === undefined;
      await lease.renew(isTold ? { step } : { step, ...this.#told(lease, table, count, last) });
    }
    return "all";
  }

  async #level(
    lease: JobLease,
    table: Table,
    paths: AsyncIterable<string> | Iterable<string>,
    ended: AbortSignal,
  ): Promise<Went> {
    let batch: string[] = [];
    for await (const path of paths) {
      batch.push(path);
      if (batch.length < SERVICE_LIMITS.purgeBatchFiles) continue;
      const went = await this.#delete(lease, table, batch, ended);
      if (went !== "all") return went;
      batch = [];
    }
    return this.#delete(lease, table, batch, ended);
  }

  /**
   * Deletes the files of a batch that lie under the table's location, as long as no other relation
   * has claimed it, no other table shares the files, and this node holds the job: all three are
   * checked before every batch.
   */
  async #delete(
    lease: JobLease,
    table: Table,
    paths: readonly string[],
    ended: AbortSignal,
  ): Promise<Went> {
    if (ended.aborted) return "interrupted";
    await lease.renew();
    // Where the store is memory nothing waits for anything.
    await this.#catalog.context.clock.sleep(0);
    const own = await this.#ownFiles(table, paths);
    if (own.length === 0) return "all";
    const { context } = this.#catalog;
    const [alone, shared] = await settleAll([
      isAlone(context, table.location, table.id),
      sharedByIndex(context, table),
    ]);
    if (!alone || shared === true) {
      const failures = lease.job.failures + 1;
      await lease.renew({ failures, lastFailure: alone ? "FILES_SHARED" : "LOCATION_OVERLAPS" });
      return "kept";
    }
    lease.assertHeld();
    await this.#parts.locations.deleteMany(own);
    this.#counted.deleted.add(own.length);
    return "all";
  }

  /**
   * The canonical locations of the files under the table's own, and nothing of any other.
   *
   * @throws FirnError `LOCATION_NOT_ALLOWED`: it is not this node's to delete them.
   */
  async #ownFiles({ location }: Table, paths: readonly string[]): Promise<readonly string[]> {
    const { locations } = this.#parts;
    const own: string[] = [];
    for (const path of paths) {
      const file = canonical(locations, path);
      if (file === undefined || file === location || !isWithin(file, location)) continue;
      own.push(await locations.allowed(file));
    }
    return own;
  }
}

/** Undefined where it has no canonical form: then it is not below any location. */
function canonical(locations: Locations, path: string): string | undefined {
  try {
    return locations.normalize(path);
  } catch (error) {
    if (error instanceof FirnError && error.kind === "Invalid") return undefined;
    throw error;
  }
}

function filesAt(
  reachable: ReachableFiles,
  level: Level,
): AsyncIterable<string> | Iterable<string> {
  switch (level) {
    case "data":
      return reachable.data();
    case "manifests":
      return reachable.manifests();
    case "lists":
      return reachable.lists();
    case "log":
      return reachable.log();
  }
}
