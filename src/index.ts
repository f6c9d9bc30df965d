import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CompactionStyle } from "./lsm/index.ts";
import { SystemClock } from "./runtime/clock.ts";
import { mintNodeId } from "./runtime/node-identity.ts";
import { readOptions } from "./runtime/open-settings.ts";
import { SystemPrng } from "./runtime/prng.ts";
import { requireSettings } from "./runtime/read-settings.ts";
import { CatalogScope, type DropOptions, dropCatalog } from "./runtime/row-scopes.ts";
import type { CheckRun } from "./runtime/scratch.ts";
import type { LogLevel, Profile, Settings } from "./runtime/settings.ts";
import { answerOf, type Embedded, type EmbeddedParts, openEmbedded } from "./server/embedded.ts";
import { type ActedOn, actingAs, OWN_ACTOR } from "./service/actor.ts";
import type { BesideReport } from "./service/backup/beside.ts";
import type { RestoreReport } from "./service/backup/restore.ts";
import type { BackupReport } from "./service/backup/take.ts";
import type { CatalogAdmin as Catalogs } from "./service/catalog-admin.ts";
import type { DroppedAdmin as Dropped } from "./service/dropped-admin.ts";
import type { EntityHistory as History } from "./service/entity-history.ts";
import type { MetricsReports as Reports } from "./service/metrics-reports.ts";
import type { TableSnapshots as Snapshots } from "./service/table-snapshots.ts";

export { type ErrorContext, type ErrorKind, FirnError } from "./base/error.ts";
export type { UndropTarget } from "./catalog/dropped.ts";
export type { Moment } from "./catalog/history.ts";
export type { MetricsReport } from "./catalog/reports.ts";
export {
  ApiError,
  type CallOptions,
  type ClientOptions,
  FirnClient,
  namespaceName,
  type Watched,
  type WatchOptions,
} from "./client/client.ts";
export type { CompactionStyle } from "./lsm/index.ts";
export type {
  Appended,
  ArchivedRows,
  ArchiveRequest,
  ArchiveRun,
  ClaimedTask,
  CommandKey,
  Configuration,
  ConfigurationChange,
  ConfigurationChanges,
  ConfigurationEntry,
  Counters,
  DeadTask,
  Deduplication,
  DeduplicationOptions,
  EventLog,
  IdempotencyStore,
  Lease,
  Leases,
  LinkDirection,
  LinkedRequest,
  Links,
  LogEvent,
  Queue,
  QueueOptions,
  Reservation,
  TaskClaim,
} from "./patterns/index.ts";
export type { RowTransaction } from "./rows/index.ts";
export type { PatternScope, RowArchive } from "./runtime/pattern-scopes.ts";
export {
  columns,
  type KeyOf,
  type NewRowOf,
  type RowOf,
  Schema,
  type SchemaColumn,
  type TableSchema,
} from "./runtime/row-schema.ts";
export type {
  CatalogScope,
  DropOptions,
  NamespaceScope,
  PendingNamespace,
  RowTable,
  ScanOptions,
  TablePlace,
  VersionedRow,
  WriteOptions,
} from "./runtime/row-scopes.ts";
export type { LogLevel, Profile } from "./runtime/settings.ts";
export type { BesideReport, LeftOut } from "./service/backup/beside.ts";
export type { RestoreReport } from "./service/backup/restore.ts";
export type { BackupReport } from "./service/backup/take.ts";
export type { CatalogInfo } from "./service/catalog-admin.ts";
export type {
  DroppedInfo,
  DroppedPage,
} from "./service/dropped-admin.ts";
export type {
  AuditQuery,
  ChangedEntity,
  ChangeInfo,
  ChangePage,
  EntityName,
  VersionInfo,
  VersionPage,
} from "./service/entity-history.ts";
export type { FindingCode, FindingLevel } from "./service/fsck/findings.ts";
export type { FsckFinding, FsckSummary } from "./service/fsck/fsck.ts";
export type { SnapshotPage } from "./service/table-snapshots.ts";

/** The use cases of an embedded Firn, called by the program itself. */
export type CatalogAdmin = ActedOn<
  Pick<Catalogs, "create" | "get" | "list" | "ensure" | "moveRoot">
>;
export type TableSnapshots = ActedOn<Snapshots>;
export type MetricsReports = ActedOn<Pick<Reports, "list">>;
export type DroppedAdmin = ActedOn<Dropped>;
export type EntityHistory = ActedOn<History>;

/** Which backup, and which time of it. */
export interface BackupChoice {
  /** Id of the backup; the newest of the location if absent. */
  readonly id?: string;
  /** A time within the history of the backup; its end if absent. */
  readonly at?: Date;
}

/** What of a store is backed up or restored: everything, where nothing is named. */
export interface BackupPart {
  /** Name of the only account; `default` where only a catalog is named. */
  readonly account?: string;
  /** Name of the only catalog. */
  readonly catalog?: string;
}

/** A catalog that is made again beside those that are there. */
export interface CatalogCopy extends BackupChoice {
  /** Name of the account in the backup, and of where it goes; the backup's main one if absent. */
  readonly account?: string;
  /** Name of the catalog in the backup. */
  readonly catalog: string;
  /** Name of the new catalog. */
  readonly as: string;
  /** Root of the new catalog; a directory of the warehouse if absent. */
  readonly location?: string;
}

/** The settings of an embedded Firn: the names of the flags, in camel case. */
export interface FirnOptions {
  /** `memory` if absent: an embedding program leaves nothing behind unless it asks for it. */
  readonly profile?: Profile;
  readonly dir?: string;
  readonly warehouse?: string;
  /** `name` or `name=uri`. */
  readonly catalog?: string | readonly string[];
  readonly allowLocation?: string | readonly string[];
  /** Keys of reserved properties that tables, views and namespaces may set all the same. */
  readonly allowProperty?: string | readonly string[];
  /** `name=dollars` for a million, in place of a list price: see the setting. */
  readonly price?: string | readonly string[];
  readonly allowAnonymous?: boolean;
  /** `none` if absent; with `required` every request needs an API key or token. */
  readonly auth?: "none" | "required";
  readonly plainHttp?: boolean;
  /** Files in PEM form: certificates, the server's first; and its private key. */
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  /** File of the audit log, and its size before it is rotated. */
  readonly auditLog?: string;
  readonly auditLogMib?: number;
  /** ARN of an IAM role whose sessions are lent to clients, for the files of single tables. */
  readonly vendRole?: string;
  readonly vendStsEndpoint?: string;
  readonly vendLifetime?: string;
  /** Which requests to S3 are signed for clients that ask for it: `off` if absent. */
  readonly remoteSigning?: "off" | "read" | "write";
  /** URLs that storage profiles of other accounts may name. */
  readonly storageEndpoint?: readonly string[];
  /** Requests a second of one principal; 0 or absent: no bound. */
  readonly principalRate?: number;
  /** Spans such as `1h`. */
  readonly tokenLifetime?: string;
  readonly accessStaleness?: string;
  /** API key of the first administrator: `firn_ID_SECRET`. */
  readonly bootstrapKey?: string;
  /** In its place: `ISSUER/SUBJECT` of an issuer in `issuers`, without a key. */
  readonly bootstrapAdmin?: string;
  /** File of issuers whose tokens sign in. */
  readonly issuers?: string;
  /** The one of them that signs users of the console in, and this server's client there. */
  readonly oidcIssuer?: string;
  readonly oidcClientId?: string;
  readonly oidcClientSecret?: string;
  readonly oidcScope?: string;
  readonly oidcOrigin?: string;
  readonly allowHost?: string | readonly string[];
  readonly trustedProxy?: string | readonly string[];
  readonly maxConnections?: number;
  readonly maxConnectionsPerAddress?: number;
  readonly maxInFlight?: number;
  /** `warn` if absent: a host program has its own log. */
  readonly logLevel?: LogLevel;
  /** `json` if absent, also on a terminal. */
  readonly logFormat?: "text" | "json";
  readonly standby?: boolean;
  readonly takeover?: boolean;
  readonly advertiseUrl?: string;
  /** Of the profiles `bucket` and `aws`: endpoint, region and credentials are the AWS SDK's own. */
  readonly s3Bucket?: string;
  readonly s3Prefix?: string;
  readonly s3PathStyle?: boolean;
  /** Where clients reach the S3 of their tables; `none` leaves it to them. */
  readonly s3ClientEndpoint?: string;
  readonly s3KmsKey?: string;
  readonly s3CheckMetadata?: boolean;
  readonly dynamodbTable?: string;
  /** Make bucket and table where they are absent. */
  readonly init?: boolean;
  /** Of the storage engine (profiles `local` and `bucket`); 256 if absent. */
  readonly engineMemoryMib?: number;
  /** What its compactions save: `balanced` if absent, or `write`, `read`, `space`. */
  readonly engineCompactionStyle?: CompactionStyle;
  /** Threads that compute its compactions; as many as there are processors, less one, up to 4. */
  readonly engineMergeThreads?: number;
  /** How long its log stays for subscribers, such as `12h`; `0` if absent. At most 1024 MiB. */
  readonly logRetention?: string;
  readonly logRetentionMib?: number;
  /** How far back SQL reads rows `AS OF SYSTEM TIME`, such as `12h`; `1m` if absent. */
  readonly rowHistory?: string;
  readonly cacheMemoryMib?: number;
  readonly cacheDiskMib?: number;
  /** The deployment's: 32 random characters or more, the same on every node. */
  readonly secret?: string;
  /** Also accepted while the secret is replaced. */
  readonly secretPrevious?: string;
  /**
   * Sends traces and metrics to the collector that the `OTEL_*` variables of the process name, as
   * `firn serve` does. Absent: nothing is sent, whatever they say.
   */
  readonly telemetry?: boolean;
  /** Absent: no socket is opened, `fetch` still serves. Port 0 takes any free one. */
  readonly listen?: {
    readonly host?: string;
    readonly port?: number;
    /** Where PostgreSQL clients connect; absent or `off`: they are not served. */
    readonly pgPort?: number | "off";
  };
}

/** Settings of an object are all there is here: `FIRN_*` variables are the command's. */
function settingsOf({ telemetry: _, ...options }: FirnOptions): Settings {
  const given = {
    ...options,
    profile: options.profile ?? "memory",
    logLevel: options.logLevel ?? "warn",
  };
  return requireSettings(readOptions(given, process.cwd()));
}

/**
 * A whole Firn inside this process.
 *
 * ```ts
 * const firn = await Firn.open({ profile: "memory" });
 * const response = await firn.fetch(new Request("http://firn/iceberg/v1/config"));
 * await firn.close();
 * ```
 */
export class Firn {
  /** Where it listens, if it does. */
  readonly url: string | undefined;
  /** Catalogs by name, beside the one named `default` that is always there. */
  readonly catalogs: CatalogAdmin;
  /** Snapshots of tables: by id, current, as of a time, ancestors, newest first. */
  readonly snapshots: TableSnapshots;
  /** What clients report of their scans and commits: the newest reports of each table. */
  readonly reports: MetricsReports;
  /** What was dropped and can be brought back. */
  readonly dropped: DroppedAdmin;
  /** Versions of entities, the change feed, the audit: within the history retention. */
  readonly history: EntityHistory;
  readonly #embedded: Embedded;
  readonly #scratch: string | undefined;
  #closing: Promise<void> | undefined;

  private constructor(embedded: Embedded, scratch: string | undefined) {
    const { composition, url } = embedded;
    this.#embedded = embedded;
    this.catalogs = actingAs(OWN_ACTOR, composition.catalogs);
    this.snapshots = actingAs(OWN_ACTOR, composition.snapshots);
    this.reports = actingAs(OWN_ACTOR, composition.reports);
    this.dropped = actingAs(OWN_ACTOR, composition.dropped);
    this.history = actingAs(OWN_ACTOR, composition.history);
    this.url = url;
    this.#scratch = scratch;
  }

  /**
   * Opens one, and refuses unknown and misplaced fields.
   *
   * In profile `memory` without `dir` and `warehouse`, tables lie in a new folder under
   * the system's temporary directory, which `close` removes.
   *
   * @throws FirnError `SETTINGS_INVALID`, naming every problem; `LISTEN_FAILED`.
   */
  static async open(options: FirnOptions = {}): Promise<Firn> {
    const asked = settingsOf(options);
    const inScratch =
      asked.profile === "memory" && options.dir === undefined && options.warehouse === undefined;
    const parts = { listens: options.listen !== undefined, tells: options.telemetry };
    if (!inScratch) return Firn.#start(asked, parts, undefined);
    const scratch = await mkdtemp(join(tmpdir(), "firn-"));
    try {
      const settings = settingsOf({ ...options, dir: scratch });
      return await Firn.#start(settings, parts, scratch);
    } catch (error) {
      await rm(scratch, { recursive: true, force: true });
      throw error;
    }
  }

  static async #start(
    settings: Settings,
    asked: Pick<EmbeddedParts, "listens" | "tells">,
    scratch: string | undefined,
  ): Promise<Firn> {
    const parts = { ...asked, clock: new SystemClock(), prng: new SystemPrng() };
    return new Firn(await openEmbedded(settings, parts), scratch);
  }

  /** A catalog by its name, for row tables. It need not exist. */
  catalog(name: string): CatalogScope {
    return new CatalogScope(this.#embedded.composition, name);
  }

  /** Names of all catalogs. */
  listCatalogs(): Promise<readonly string[]> {
    return this.catalogs.list();
  }

  /**
   * Drops a catalog, with `recursive` all that is in it.
   *
   * @throws FirnError `CATALOG_NOT_FOUND`, `CATALOG_NOT_EMPTY`.
   */
  dropCatalog(name: string, options: DropOptions = {}): Promise<void> {
    return dropCatalog(this.#embedded.composition, name, options);
  }

  /**
   * Checks everything that is stored, as `firn fsck` does, while others write. It yields each
   * finding and returns the summary. `repair`: derived pointers are put right.
   *
   * @throws FirnError what keeps it from reading: then it proves nothing.
   */
  check({ repair = false }: { readonly repair?: boolean } = {}): CheckRun {
    return this.#embedded.composition.check(repair);
  }

  /**
   * Backs up all accounts, or one, or one catalog, as `firn backup` does, while others write.
   *
   * @param uri a directory, `file:///path` or `s3://bucket/prefix`.
   * @throws FirnError `BACKUP_URI_INVALID`, `ACCOUNT_NOT_FOUND`, `CATALOG_NOT_FOUND`,
   *   `BACKUP_UNSETTLED`, `BACKUP_OVERTAKEN`; what the stores throw.
   */
  backup(uri: string, part: BackupPart = {}): Promise<BackupReport> {
    return this.#embedded.composition.housekeeping.backup({ uri, ...part });
  }

  /**
   * Makes one catalog of a backup again under another name, as `firn restore --as` does.
   *
   * @throws FirnError `BACKUP_NOT_FOUND`, `BACKUP_DAMAGED`, `ACCOUNT_NOT_FOUND`,
   *   `CATALOG_NOT_FOUND`, `CATALOG_ALREADY_EXISTS`, `RESTORE_UNFINISHED`,
   *   `RESTORE_TIME_INVALID`; what the stores throw.
   */
  restore(uri: string, { at, ...copy }: CatalogCopy): Promise<BesideReport> {
    return this.#embedded.composition.housekeeping.restore({ uri, atMs: at?.getTime(), ...copy });
  }

  /**
   * Restores a backup into the empty store that the options name, as `firn restore` does: before
   * it is opened for the first time. Not profile `memory`, whose store ends with its process.
   *
   * @throws FirnError `STORE_NOT_EMPTY`, `BACKUP_NOT_FOUND`, `BACKUP_DAMAGED`, `CATALOG_NOT_FOUND`,
   *   `RESTORE_TIME_INVALID`, `SETTINGS_INVALID`; what the stores throw.
   */
  static async restore(
    uri: string,
    options: FirnOptions,
    { at, ...chosen }: BackupChoice & BackupPart = {},
  ): Promise<RestoreReport> {
    const settings = settingsOf(options);
    const { restoreWhole } = await import("./runtime/restore-store.ts");
    const prng = new SystemPrng();
    return restoreWhole({ uri, atMs: at?.getTime(), ...chosen }, settings, {
      clock: new SystemClock(),
      prng,
      nodeId: mintNodeId(prng),
      onDefect: () => undefined,
      notify: () => undefined,
    });
  }

  /**
   * Answers a request as the server would, without a socket; a stream of events ends when its body
   * is cancelled. Only path, query, method, headers and
   * body of the request count, not the host of its URL.
   */
  fetch(request: Request): Promise<Response> {
    return answerOf(this.#embedded.server, request);
  }

  /** Lets requests under way finish, for at most 10 s, and closes everything. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    try {
      await this.#embedded.close();
    } finally {
      if (this.#scratch !== undefined) await rm(this.#scratch, { recursive: true, force: true });
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
