import { CatalogError } from "../base/error.ts";
import { LIMITS } from "../base/limits.ts";
import type { Metrics } from "../base/metrics.ts";
import { Counter } from "../base/prom.ts";
import { isWithin, type Locations } from "../blob/locations.ts";
import type { AccountCatalog } from "../catalog/catalog.ts";
import { isAlone } from "../catalog/claims.ts";
import type { Lease } from "../catalog/jobs.ts";
import type { Table } from "../catalog/model.ts";
import {
  beginPurge,
  deleteDerived,
  endPurge,
  FIRST_STEP,
  sharesFiles,
} from "../catalog/purging.ts";
import type { TableMetadata } from "../iceberg/model.ts";
import type { MetadataFile, MetadataFiles } from "./metadata-files.ts";
import { Reachable } from "./reachable.ts";

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
}

/** Ends the life of what was dropped, of any type, once its retention is over. */
export class Purge {
  readonly #catalog: AccountCatalog;
  readonly #parts: Parts;
  readonly #deleted: Counter;

  constructor(catalog: AccountCatalog, parts: Parts) {
    this.#catalog = catalog;
    this.#parts = parts;
    this.#deleted = new Counter({
      name: "firn_purged_files_total",
      help: "Files of purged tables that were deleted",
      registers: [parts.metrics],
    });
  }

  /** Carries a purge on from where it stands, and answers whether it is over. See `JobWork`. */
  async run(lease: Lease, ended: AbortSignal): Promise<boolean> {
    const { context } = this.#catalog;
    const table = await beginPurge(context, lease);
    if (table !== undefined && (await this.#files(lease, table, ended)) === "interrupted") {
      return false;
    }
    if (!(await deleteDerived(context, lease, ended))) return false;
    await endPurge(context, lease);
    return true;
  }

  async #files(lease: Lease, table: Table, ended: AbortSignal): Promise<Went> {
    const root = table.iceberg?.metadataLocation ?? "";
    if (lease.job.step !== ROOT) {
      const file = await this.#metadataOf(lease, root);
      if (file === undefined || (await this.#mustKeep(table, file.metadata))) return "kept";
      const went = await this.#levels(lease, table, file.metadata, ended);
      if (went !== "all") return went;
    }
    return this.#delete(lease, table, [root], ended);
  }

  /** A table whose metadata cannot be read names no files. */
  async #metadataOf(
    lease: Lease,
    location: string,
  ): Promise<MetadataFile<TableMetadata> | undefined> {
    try {
      return await this.#parts.files.peek(location);
    } catch (error) {
      const unreadable =
        error instanceof CatalogError && (error.kind === "Invalid" || error.kind === "NotFound");
      if (!unreadable) throw error;
      const failures = lease.job.failures + 1;
      await lease.renew({ failures, lastFailure: error.code });
      return undefined;
    }
  }

  async #mustKeep(table: Table, { properties }: TableMetadata): Promise<boolean> {
    if (properties.get(GC_ENABLED)?.toLowerCase() === "false") return true;
    return sharesFiles(this.#catalog.context, table);
  }

  /** Deletes level by level, from the one that the job stands at. */
  async #levels(
    lease: Lease,
    table: Table,
    metadata: TableMetadata,
    ended: AbortSignal,
  ): Promise<Went> {
    // Each level reads again what is above it, so what is wrong there is told once, at the first.
    const failed: string[] = [];
    const reachable = new Reachable(this.#parts, metadata, ({ code }) => failed.push(code));
    const first = LEVELS.indexOf(lease.job.step as Level);
    for (const [i, level] of LEVELS.entries()) {
      if (i < first) continue;
      const went = await this.#level(lease, table, filesAt(reachable, level), ended);
      if (went !== "all") return went;
      const step = LEVELS[i + 1] ?? ROOT;
      const failures = lease.job.failures + failed.length;
      const lastFailure = failed.at(-1);
      const told = level !== FIRST_STEP || lastFailure === undefined;
      await lease.renew(told ? { step } : { step, failures, lastFailure });
    }
    return "all";
  }

  async #level(
    lease: Lease,
    table: Table,
    paths: AsyncIterable<string> | Iterable<string>,
    ended: AbortSignal,
  ): Promise<Went> {
    let batch: string[] = [];
    for await (const path of paths) {
      batch.push(path);
      if (batch.length < LIMITS.purgeBatchFiles) continue;
      const went = await this.#delete(lease, table, batch, ended);
      if (went !== "all") return went;
      batch = [];
    }
    return this.#delete(lease, table, batch, ended);
  }

  /**
   * Deletes the files of a batch that lie under the table's location, as long as that is nobody
   * else's and the job is ours: both are looked at before every batch.
   */
  async #delete(
    lease: Lease,
    table: Table,
    paths: readonly string[],
    ended: AbortSignal,
  ): Promise<Went> {
    if (ended.aborted) return "interrupted";
    await lease.renew();
    const own = paths.flatMap((path) => this.#ownFile(table, path));
    if (own.length === 0) return "all";
    if (!(await isAlone(this.#catalog.context, table.location, table.id))) {
      const failures = lease.job.failures + 1;
      await lease.renew({ failures, lastFailure: "LOCATION_OVERLAPS" });
      return "kept";
    }
    lease.assertHeld();
    await this.#parts.locations.deleteMany(own);
    this.#deleted.inc(own.length);
    return "all";
  }

  /** The canonical location of a file under the table's own, and nothing of any other. */
  #ownFile({ location }: Table, path: string): readonly string[] {
    try {
      const file = this.#parts.locations.assertAllowed(path);
      return file !== location && isWithin(file, location) ? [file] : [];
    } catch (error) {
      if (error instanceof CatalogError && error.kind === "Invalid") return [];
      throw error;
    }
  }
}

function filesAt(reachable: Reachable, level: Level): AsyncIterable<string> | Iterable<string> {
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
