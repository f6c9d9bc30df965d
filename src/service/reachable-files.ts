import type { Clock } from "../base/clock.ts";
import { FirnError } from "../base/error.ts";
import { isJsonArray } from "../base/json.ts";
import { Pauses } from "../base/pauses.ts";
import type { PieceOf } from "../base/work.ts";
import { isWithin, type Locations } from "../blob/locations.ts";
import type { TableMetadata } from "../iceberg/model.ts";
import type { Snapshot } from "../iceberg/snapshot.ts";
import type { MetadataFiles } from "./metadata-files.ts";
import type { Reading, ReadingTasks } from "./reading.ts";

/** Told of every file that could not be followed: what it names is not known. */
export type OnUnreadable = (error: FirnError, location: string) => void;

/** Snapshots that are looked at in one turn. */
const SNAPSHOTS_A_TURN = 500;
/** Data files that are remembered, so that each is named once as a rule. */
const REMEMBERED = 200_000;

export interface ReachableFilesParts {
  readonly locations: Locations;
  readonly files: MetadataFiles<TableMetadata>;
  readonly reading: Reading;
  readonly clock: Clock;
  /** Called before each file that is read. */
  readonly onFile: () => Promise<void>;
}

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
 * reason to pass anything over, and neither is a file of the table's own location that this node
 * may not read.
 */
export class ReachableFiles {
  readonly #parts: ReachableFilesParts;
  readonly #locations: Locations;
  readonly #metadata: TableMetadata;
  readonly #onUnreadable: OnUnreadable;
  #roots: Roots | undefined;

  /** `metadata`: the current one, which was read already. */
  constructor(parts: ReachableFilesParts, metadata: TableMetadata, onUnreadable: OnUnreadable) {
    this.#parts = parts;
    this.#locations = parts.locations;
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
      // All of a list, so that none waits in a thread while its manifests are read in others.
      const named: string[] = [];
      for await (const paths of this.#piecesOf("manifestList", list)) {
        for (const path of paths) {
          if (seen.has(path)) continue;
          seen.add(path);
          named.push(path);
        }
      }
      yield* named;
    }
  }

  /**
   * Data and delete files that are part of a snapshot. Those that a snapshot removed are part of an
   * earlier one, or no longer the table's. One read a manifest.
   */
  async *data(): AsyncGenerator<string> {
    const seen = new Set<string>();
    for await (const manifest of this.manifests()) {
      for await (const entries of this.#piecesOf("manifest", manifest)) {
        for (const { status, path } of entries) {
          if (status === "deleted" || seen.has(path)) continue;
          if (seen.size >= REMEMBERED) seen.clear();
          seen.add(path);
          yield path;
        }
      }
    }
  }

  async #read(): Promise<Roots> {
    if (this.#roots !== undefined) return this.#roots;
    const roots: Roots = { lists: new Set(), manifests: new Set(), statistics: new Set() };
    await this.#collect(this.#metadata, roots);
    for (const location of this.log()) {
      await this.#parts.onFile();
      const older = await this.#follow(location, () => this.#parts.files.peek(location));
      if (older !== undefined) await this.#collect(older.metadata, roots);
    }
    this.#roots = roots;
    return roots;
  }

  async #collect(metadata: TableMetadata, roots: Roots): Promise<void> {
    const { lists, manifests, statistics } = roots;
    const pauses = new Pauses(this.#parts.clock, SNAPSHOTS_A_TURN);
    for (const snapshot of metadata.snapshots.items) {
      if (snapshot.manifestList !== undefined) lists.add(snapshot.manifestList);
      else for (const path of manifestsOf(snapshot)) manifests.add(path);
      const pause = pauses.step();
      if (pause !== undefined) await pause;
    }
    const { statistics: tables, partitionStatistics } = metadata;
    for (const { path } of [...tables, ...partitionStatistics]) statistics.add(path);
  }

  /** What an Avro file says, read elsewhere, up to where it stops being readable. */
  async *#piecesOf<N extends "manifestList" | "manifest">(
    task: N,
    location: string,
  ): AsyncGenerator<PieceOf<ReadingTasks[N]>> {
    await this.#parts.onFile();
    const blob = await this.#follow(location, async () => {
      const found = await this.#locations.read(location);
      if (found !== undefined) return found;
      throw new FirnError("NotFound", "MANIFEST_MISSING", "file not found", { location });
    });
    if (blob === undefined) return;
    const pieces = this.#parts.reading.run(task, { bytes: blob.bytes });
    try {
      for (;;) {
        const next = await this.#follow(location, () => pieces.next());
        if (next === undefined || next.done === true) return;
        yield next.value;
      }
    } finally {
      await pieces.return();
    }
  }

  /** Passes over what is wrong with the file; not over what is wrong with the store or here. */
  async #follow<T>(location: string, read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof FirnError)) throw error;
      if (!isFault(error) && !this.#isForeign(location, error)) throw error;
      this.#onUnreadable(error, location);
      return undefined;
    }
  }

  /** What lies elsewhere, below no root of any catalog, was never the table's to name. */
  #isForeign(location: string, { code }: FirnError): boolean {
    if (code !== "LOCATION_NOT_ALLOWED") return false;
    const [file, own] = [location, this.#metadata.location].map((at) =>
      this.#locations.normalize(at),
    );
    return !isWithin(file ?? "", own ?? "");
  }
}

/**
 * Whether an error is of the file itself, for every node and at any time: it is not there, or not
 * what it should be. A location that no known root allows is not: another node, or this one with
 * other settings, may read it.
 */
export function isFault(error: unknown): error is FirnError {
  if (!(error instanceof FirnError) || error.code === "LOCATION_NOT_ALLOWED") return false;
  // A defect of ours that the file brings up is there at the next try as well.
  return error.kind === "Invalid" || error.kind === "NotFound" || error.code === "WORK_FAILED";
}

/** Of a snapshot of format version 1 that lists its manifests itself. */
export function manifestsOf({ fragment }: Snapshot): readonly string[] {
  const paths = fragment.object["manifests"];
  return isJsonArray(paths) ? paths.filter((path) => typeof path === "string") : [];
}
