import { FirnError } from "../../base/error.ts";
import { LruMap } from "../../base/lru.ts";
import type { Locations } from "../../blob/locations.ts";
import type { Column, TableSnapshot } from "../../catalog/model.ts";
import type { DeltaActions, DeltaMetadata, LogWork } from "./log-work.ts";
import { columnsOf } from "./schema.ts";

/** What the log of a Delta table says. */
export interface DeltaTable {
  readonly version: number;
  readonly description: string;
  readonly columns: readonly Column[];
  readonly partitionKeys: readonly string[];
  readonly properties: Readonly<Record<string, string>>;
  /** A version is a snapshot; of those whose commits are still in the log. Oldest first. */
  readonly snapshots: readonly TableSnapshot[];
}

/** A file of a log, by its name. */
interface LogFile {
  readonly location: string;
  readonly size: number;
  readonly modifiedAtMs: number;
}

/** Checkpoints of a version: the parts of each are complete. */
interface Checkpoint {
  readonly version: number;
  readonly parts: readonly LogFile[];
}

interface Listing {
  readonly commits: ReadonlyMap<number, LogFile>;
  /** Newest first. */
  readonly checkpoints: readonly Checkpoint[];
}

const LOG = "_delta_log";
const COMMIT = /^(\d{20})\.json$/;
const CHECKPOINT =
  /^(\d{20})\.checkpoint(?:\.(\d{10})\.(\d{10})|\.([0-9a-f-]{36}))?\.(?:parquet|json)$/;
/** Newest version of the reader's part of the protocol, and features without a log of files. */
const READER_VERSION = 3;
const UNREADABLE_FEATURES: ReadonlySet<string> = new Set([
  "catalogManaged",
  "catalogOwned-preview",
]);
/** Versions that are read of a log; older ones are not shown. */
const MAX_COMMITS = 5_000;
const MAX_FILE_BYTES = 67_108_864;
/** Commits of all tables that are kept parsed. */
const KEPT_COMMITS = 20_000;
const AT_ONCE = 8;

function invalidLog(location: string, why: string, facts: Readonly<Record<string, number>> = {}) {
  const context = { location, ...facts };
  return new FirnError("Invalid", "DELTA_LOG_INVALID", `invalid Delta log: ${why}`, context);
}

/**
 * The transaction logs of Delta tables. A commit never changes, so that each is read once as long
 * as it is kept; a look at a log costs one list beside that.
 */
export class DeltaLogs {
  readonly #locations: Locations;
  readonly #open: () => Promise<LogWork>;
  readonly #kept: LruMap<string, DeltaActions> = new LruMap(KEPT_COMMITS);
  #work: Promise<LogWork> | undefined;

  /** `open`: what reads files; asked for with the first. */
  constructor(locations: Locations, open: () => Promise<LogWork>) {
    this.#locations = locations;
    this.#open = open;
  }

  /**
   * The table at a location; undefined where no Delta log lies there.
   *
   * @throws FirnError `Invalid`: `DELTA_LOG_INVALID`, `DELTA_CHECKPOINT_INVALID`,
   * `DELTA_PROTOCOL_UNSUPPORTED`, `DELTA_FILE_TOO_LARGE`; `LOCATION_NOT_ALLOWED`; as `Workers.run`.
   */
  async read(location: string): Promise<DeltaTable | undefined> {
    const { commits, checkpoints } = await this.#list(`${location}/${LOG}`);
    const versions = [...commits.keys(), ...checkpoints.map(({ version }) => version)];
    if (versions.length === 0) return undefined;
    const version = versions.reduce((newest, each) => Math.max(newest, each));
    const from = firstOf(commits, version);
    const [newest] = checkpoints;
    const isWhole = from === 0 || (newest !== undefined && newest.version >= from - 1);
    if (!isWhole) {
      throw invalidLog(location, "commits are missing behind its newest checkpoint", { version });
    }
    const read = await this.#commits(commits, Math.max(from, version - MAX_COMMITS + 1), version);
    const told = await this.#told(location, read, checkpoints);
    assertReadable(location, told);
    const { metadata } = told;
    if (metadata === undefined) throw invalidLog(location, "no metadata in it", { version });
    return { version, ...describe(metadata), snapshots: snapshotsOf(read) };
  }

  /** Idempotent. */
  async close(): Promise<void> {
    await (await this.#work)?.close();
  }

  async #list(directory: string): Promise<Listing> {
    const commits = new Map<number, LogFile>();
    const parts = new Map<string, { version: number; of: number; files: LogFile[] }>();
    for await (const file of this.#locations.list(directory)) {
      const name = file.location.slice(directory.length + 1);
      const [, commit] = COMMIT.exec(name) ?? [];
      if (commit !== undefined) commits.set(Number(commit), file);
      const [, version, , count = "1", uuid = ""] = CHECKPOINT.exec(name) ?? [];
      if (version === undefined) continue;
      const key = `${version}.${count}.${uuid}`;
      const known = parts.get(key) ?? { version: Number(version), of: Number(count), files: [] };
      known.files.push(file);
      parts.set(key, known);
    }
    const whole = [...parts.values()].filter(({ of, files }) => files.length === of);
    const checkpoints = whole
      .map(({ version, files }) => ({ version, parts: files }))
      .sort((a, b) => b.version - a.version);
    return { commits, checkpoints };
  }

  /** Oldest first. */
  async #commits(
    commits: ReadonlyMap<number, LogFile>,
    from: number,
    to: number,
  ): Promise<readonly ReadCommit[]> {
    const files = Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => {
      const file = commits.get(from + i);
      return file === undefined ? [] : [{ version: from + i, file }];
    }).flat();
    const read: ReadCommit[] = [];
    for (let at = 0; at < files.length; at += AT_ONCE) {
      const some = files.slice(at, at + AT_ONCE).map(async ({ version, file }) => {
        const actions = await this.#actions("commit", file);
        return { version, actions, modifiedAtMs: file.modifiedAtMs };
      });
      read.push(...(await Promise.all(some)));
    }
    return read;
  }

  /** What the newest commit that says it says, or the newest checkpoint behind them. */
  async #told(
    location: string,
    commits: readonly ReadCommit[],
    checkpoints: readonly Checkpoint[],
  ): Promise<Pick<DeltaActions, "metadata" | "protocol">> {
    const newest = (name: "metadata" | "protocol") =>
      commits.findLast(({ actions }) => actions[name] !== undefined)?.actions;
    let metadata = newest("metadata")?.metadata;
    let protocol = newest("protocol")?.protocol;
    if (metadata === undefined || protocol === undefined) {
      const [checkpoint] = checkpoints;
      if (checkpoint === undefined) throw invalidLog(location, "no metadata and no checkpoint");
      for (const part of checkpoint.parts) {
        const task = part.location.endsWith(".json") ? "commit" : "checkpoint";
        const actions = await this.#actions(task, part);
        metadata ??= actions.metadata;
        protocol ??= actions.protocol;
      }
    }
    return { ...(metadata && { metadata }), ...(protocol && { protocol }) };
  }

  async #actions(task: "commit" | "checkpoint", file: LogFile): Promise<DeltaActions> {
    const { location, size, modifiedAtMs } = file;
    const key = `${location} ${size} ${modifiedAtMs}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    if (size > MAX_FILE_BYTES) {
      const message = `a file of the Delta log is larger than ${MAX_FILE_BYTES} bytes`;
      throw new FirnError("Invalid", "DELTA_FILE_TOO_LARGE", message, { location, size });
    }
    const blob = await this.#locations.read(location);
    if (blob === undefined) throw invalidLog(location, "a file of it is gone: try again");
    this.#work ??= this.#open();
    const work = await this.#work;
    let actions: DeltaActions = {};
    for await (const piece of work.run(task, { bytes: blob.bytes })) actions = piece;
    this.#kept.set(key, actions);
    return actions;
  }
}

interface ReadCommit {
  readonly version: number;
  readonly actions: DeltaActions;
  readonly modifiedAtMs: number;
}

/** The oldest version from which every commit up to the newest one is there. */
function firstOf(commits: ReadonlyMap<number, LogFile>, newest: number): number {
  let first = newest + 1;
  while (commits.has(first - 1)) first--;
  return first;
}

function assertReadable(location: string, { protocol }: DeltaActions): void {
  if (protocol === undefined) throw invalidLog(location, "no protocol in it");
  const { minReaderVersion, readerFeatures } = protocol;
  const feature = readerFeatures.find((each) => UNREADABLE_FEATURES.has(each));
  if (minReaderVersion <= READER_VERSION && feature === undefined) return;
  const message = "the Delta table asks for a newer reader";
  throw new FirnError("Invalid", "DELTA_PROTOCOL_UNSUPPORTED", message, {
    location,
    minReaderVersion,
    ...(feature !== undefined && { feature }),
  });
}

function describe(metadata: DeltaMetadata) {
  const { description, schemaString, partitionColumns, configuration } = metadata;
  return {
    description,
    columns: columnsOf(schemaString),
    partitionKeys: partitionColumns,
    properties: configuration,
  };
}

/**
 * A version as a snapshot: its id and sequence number are the version. Its time is what its commit
 * says, else when its file was written, and never before that of the version before it.
 */
function snapshotsOf(commits: readonly ReadCommit[]): readonly TableSnapshot[] {
  let beforeMs = Number.NEGATIVE_INFINITY;
  return commits.map(({ version, actions: { commitInfo }, modifiedAtMs }) => {
    const timestampMs = Math.max(commitInfo?.timestampMs ?? modifiedAtMs, beforeMs + 1);
    beforeMs = timestampMs;
    return {
      snapshotId: BigInt(version),
      timestampMs,
      sequenceNumber: BigInt(version),
      manifestList: "",
      operation: commitInfo?.operation ?? "",
      summary: commitInfo?.facts ?? {},
      ...(version > 0 && { parentSnapshotId: BigInt(version - 1) }),
    };
  });
}
