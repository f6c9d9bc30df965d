import type { Clock } from "../base/clock.ts";
import { FirnError } from "../base/error.ts";
import type { AccountId, TableId } from "../base/ids.ts";
import type { JsonObject } from "../base/json.ts";
import type { Metrics } from "../base/metrics.ts";
import { StoreObservers } from "../base/store-observers.ts";
import type { WorkLimits } from "../base/work-threads.ts";
import type { Locations } from "../blob/locations.ts";
import { MemoryBlobStore } from "../blob/memory.ts";
import type { BlobStore } from "../blob/port.ts";
import type { AccountStores } from "../catalog/accounts.ts";
import { AccountCatalog } from "../catalog/catalog.ts";
import type { JobLease } from "../catalog/jobs.ts";
import type { Table } from "../catalog/model.ts";
import { unjudged } from "../catalog/name-access.ts";
import { NameIndex } from "../catalog/name-index.ts";
import type { TableMetadata } from "../iceberg/model.ts";
import type { ViewMetadata } from "../iceberg/view-metadata.ts";
import type { RowStore } from "../rows/index.ts";
import type { SpillSpace } from "../sql/exec/spill.ts";
import type { FileAccessNews } from "./access/file-access-news.ts";
import type { RemoteSigning } from "./access/remote-signing.ts";
import type { Vending } from "./access/vending.ts";
import { AccountPurge } from "./account-purge.ts";
import { DEFAULT_ACCOUNT, OWN_ACTOR } from "./actor.ts";
import type { AuditSource } from "./audit-trail.ts";
import { CatalogAdmin } from "./catalog-admin.ts";
import { ChangeStreams } from "./change-streams.ts";
import { DeltaLogs } from "./delta/logs.ts";
import { DroppedAdmin } from "./dropped-admin.ts";
import { EntityHistory } from "./entity-history.ts";
import { Fsck, type FsckParts } from "./fsck/fsck.ts";
import { judgeRowsWith } from "./fsck/row-tables.ts";
import { judgeFilesWith } from "./fsck/table-files.ts";
import { Collector } from "./gc/collector.ts";
import type { GcParts, GcSettings, Scratch } from "./gc/parts.ts";
import { IcebergNamespaces } from "./iceberg-namespaces.ts";
import { IcebergTables } from "./iceberg-tables.ts";
import { IcebergViews } from "./iceberg-views.ts";
import { ImportJobs } from "./import-jobs.ts";
import { JobRunner, type OnJobFailed } from "./job-runner.ts";
import { JobsAdmin } from "./jobs-admin.ts";
import { SERVICE_LIMITS } from "./limits.ts";
import { MetadataFiles, TABLE_FORMAT, VIEW_FORMAT } from "./metadata-files.ts";
import { MetricsReports } from "./metrics-reports.ts";
import { type CallGuard, guardedBy, icebergOperations, type UseCases } from "./operations.ts";
import { PageTokens } from "./page-token.ts";
import { type OnUnreadableFiles, Purge } from "./purge.ts";
import { inlineReading, type Reading, readObject } from "./reading.ts";
import { RecursiveDelete } from "./recursive-delete.ts";
import { RelationCopies } from "./relation-copies.ts";
import type { RemoteFetch } from "./remote-request.ts";
import type { IcebergService } from "./requests.ts";
import { ReservedProperties } from "./reserved-properties.ts";
import { ResourceNames } from "./resources/names.ts";
import type { RelationResources } from "./resources/relations.ts";
import { RowShardResources } from "./resources/row-shards.ts";
import {
  type ModelParts,
  type ModelService,
  modelService,
  type OfRows,
} from "./resources/service.ts";
import type { StorageSupport } from "./resources/storage-profiles.ts";
import { Archives } from "./rows/archives.ts";
import { PatternRequests } from "./rows/pattern-requests.ts";
import { RowCursors } from "./rows/row-cursors.ts";
import { RowIndexJobs } from "./rows/row-index-jobs.ts";
import { RowIndexes } from "./rows/row-indexes.ts";
import { RowMoveJobs } from "./rows/row-move-jobs.ts";
import { RowMoves } from "./rows/row-moves.ts";
import { RowRequests } from "./rows/row-requests.ts";
import { RowShardJobs } from "./rows/row-shard-jobs.ts";
import { type RowShard, RowShards } from "./rows/row-shards.ts";
import { RowTables } from "./rows/row-tables.ts";
import type { OnUnreleased, SqlParts } from "./sql/catalog-view.ts";
import { SqlRequests } from "./sql/requests.ts";
import { SqlService } from "./sql/service.ts";
import type { ProfileIndex } from "./stores/profile-index.ts";
import { ProfileSecrets } from "./stores/profile-secrets.ts";
import { type StoreConfig, TableConfigs } from "./table-config.ts";
import { TableImport } from "./table-import.ts";
import { TableLayouts } from "./table-layouts.ts";
import { TableLocations } from "./table-locations.ts";
import { TableSnapshots } from "./table-snapshots.ts";
import { Tombstones } from "./tombstones.ts";

/** What a node is made of below its use cases. */
export interface NodeParts {
  readonly stores: AccountStores;
  readonly locations: Locations;
  readonly metrics: Metrics;
  /** Signs page tokens: nodes that share it open each other's. 32 bytes. */
  readonly secret: Uint8Array;
  /** Their page tokens are taken too. */
  readonly otherSecrets?: readonly Uint8Array[];
  /** Where a catalog lies that is given no location. */
  readonly warehouse: string;
  /** Roots that every catalog may use apart from those it stores: of a node that has no other. */
  readonly sharedRoots: readonly string[];
  /** Properties that requests may set though they are reserved. */
  readonly allowedProperties?: readonly string[];
  /** What clients need to know of the store behind a location. */
  readonly storeConfig?: StoreConfig;
  /** Roots that are stored with every catalog, so that all nodes allow them. */
  readonly allowedLocations?: readonly string[];
  /** The pointer store removes tombstones past their life by itself, though late. */
  readonly pointersExpire?: boolean | undefined;
  /** Nothing but this node writes to the pointer store: names can be kept in memory. */
  readonly writesAlone?: boolean | undefined;
  readonly onJobFailed?: OnJobFailed | undefined;
  readonly onUnreadable?: OnUnreadableFiles | undefined;
  readonly onUnreleased?: OnUnreleased | undefined;
  /** How garbage is collected; absent: as `LIMITS` says, sorted in memory. */
  readonly gc?: NodeGc;
  /** Opens a shard of row tables; absent: there are none. */
  readonly openRowShard?: ((shard: string) => Promise<RowShard>) | undefined;
  readonly hasRowShard?: ((shard: string) => Promise<boolean>) | undefined;
  /** Deletes the files of one that is not open. */
  readonly removeRowShard?: ((shard: string) => Promise<void>) | undefined;
  /** Other nodes may own them. */
  readonly areShardsShared?: boolean | undefined;
  /** Where SQL statements have temporary files; absent: what they keep stays in memory. */
  readonly spillSpace?: SpillSpace | undefined;
  /** Whose resources they are; absent: the default account, made where it is not there yet. */
  readonly account?: { readonly name: string; readonly id: AccountId } | undefined;
  /** Lends credentials for the files of tables; absent: clients use their own. */
  readonly vending?: Vending | undefined;
  readonly signing?: RemoteSigning | undefined;
  /** The storage profiles of the account, for what reaches files. */
  readonly profiles?: ProfileIndex | undefined;
  /** What their changes need of the process. */
  readonly storage?: Partial<Omit<StorageSupport, "secrets" | "changed">> | undefined;
  /** Told of what these give away. */
  readonly fileNews?: FileAccessNews | undefined;
  /** The audit log; absent: none is written. */
  readonly auditLog?: AuditSource | undefined;
  /** Asks other catalogs; absent: none is asked. */
  readonly remote?: RemoteFetch | undefined;
  /** Makes what reads large and hostile input; where it is absent, that is read in place. */
  readonly reading?: (limits?: Partial<WorkLimits>) => Reading;
}

/** What a node's collector is given. */
export interface NodeGc
  extends GcSettings,
    Partial<Pick<GcParts, "scratch" | "onDeleted" | "onStopped" | "onDone">> {
  /** The payloads without a cache before them; absent: as the catalog reads them. */
  readonly blobs?: BlobStore;
}

/** The use cases of one node over one account. */
export interface CatalogNode {
  /** Told of each change of who may do what: what is kept of it is old. */
  readonly accessNews: { onChanged: () => void };
  readonly catalog: AccountCatalog;
  readonly catalogs: UseCases<CatalogAdmin>;
  readonly iceberg: IcebergService;
  readonly snapshots: UseCases<TableSnapshots>;
  readonly reports: MetricsReports;
  readonly dropped: UseCases<DroppedAdmin>;
  readonly jobsAdmin: UseCases<JobsAdmin>;
  readonly history: UseCases<EntityHistory>;
  /** What the native API calls. */
  /** Sessions of SQL. */
  readonly sql: SqlService;
  readonly model: ModelService;
  /** Row tables, for programs that embed Firn and for SQL. */
  readonly rows: UseCases<RowTables>;
  readonly indexes: UseCases<RowIndexes>;
  /** The JSON of a body that is too large to be parsed within a turn. See `readObject`. */
  readonly readBody: (bytes: Uint8Array) => Promise<JsonObject>;
  /** Of tables and views, for what restores them. */
  readonly copies: RelationCopies;
  /** Not started. */
  readonly jobs: JobRunner;
  /** Not started. */
  readonly tombstones: Tombstones;
  /** Not started. */
  readonly collector: Collector;
  /**
   * A check of everything that is stored. `scratch`: empty, for what it sorts. `uncached`: the
   * payloads as they are on the store.
   */
  readonly fsck: (scratch: BlobStore, uncached?: BlobStore) => Fsck;
  /** Stops the jobs and waits for what follows answers that were given. Idempotent. */
  close(): Promise<void>;
}

/**
 * Wires the use cases of an account over given ports, for the process, its tests and its simulation
 * alike. Makes the default account where it is not there yet, and no catalog.
 *
 * @throws FirnError `Unavailable`, `Unknown`: the stores do not answer.
 */
export async function openNode(parts: NodeParts): Promise<CatalogNode> {
  const { stores, locations, metrics, secret, warehouse, sharedRoots } = parts;
  const { allowedLocations: allowed = [], pointersExpire: expires = false } = parts;
  const { historyRetentionMs = SERVICE_LIMITS.historyRetentionMs } = parts.gc ?? {};
  const collector = new Collector(stores.pointers);
  const tombstones = new Tombstones(collector.pointers, { ...stores, metrics, expires });
  const streams = new ChangeStreams(tombstones.pointers, stores, () => history);
  const names = new NameIndex(streams.pointers, stores.clock);
  const told = { ...stores, pointers: names.pointers };
  const catalog = await catalogOf(parts, told);
  tombstones.serve(catalog);
  const places = new TableLocations(catalog, locations, sharedRoots);
  const reserved = new ReservedProperties(parts.allowedProperties);
  const configs = new TableConfigs(reserved, parts.storeConfig);
  const { reading, ofLayouts, logs, close: closeReading } = readingOf(parts);
  const { files, viewFiles } = filesOf(catalog, locations, reading);
  const tokens = new PageTokens(secret, parts.otherSecrets);
  const namespaces = new IcebergNamespaces(catalog, places, tokens, reserved);
  const tables = new IcebergTables(catalog, locations, files, places, configs, parts);
  const views = new IcebergViews(catalog, viewFiles, places, configs);
  const reports = new MetricsReports(catalog, metrics, stores.onDefect);
  const sources = () => ({ snapshots, historyRetentionMs, principals: model.principals });
  const { closeRows, sql, requestsOf, ...ofRows } = rowsOf(parts, catalog, places, sources);
  const tableImport = importOf(parts, { catalog, reading, namespaces, tables });
  const work = { catalog, collector, tombstones, files, viewFiles, places, tableImport, ...ofRows };
  const { jobs, ofJobs } = jobsOf(parts, work);
  const guard = guardOf(catalog, jobs, metrics, parts.account?.name);
  const snapshots = guardedBy(guard, new TableSnapshots(catalog, files, logs));
  const dropped = guardedBy(guard, new DroppedAdmin(catalog, places));
  const jobsAdmin = guardedBy(guard, new JobsAdmin(catalog, jobs));
  const history = guardedBy(guard, new EntityHistory(catalog, tokens, historyRetentionMs));
  const accessNews = { onChanged: () => {} };
  const model = modelService(guard, {
    catalog,
    ...ofProcess(parts),
    names: parts.writesAlone === true ? names : undefined,
    accessChanged: () => accessNews.onChanged(),
    locations,
    places,
    iceberg: namespaces,
    tableImport,
    reserved,
    logs,
    warehouse,
    allowed: allowed.map((root) => locations.normalize(root)),
    icebergViews: guardedBy(guard, views),
    snapshots,
    layouts: guardedBy(guard, new TableLayouts(catalog, files, { locations, reading: ofLayouts })),
    dropped,
    jobs: jobsAdmin,
    changes: history,
    changeStreams: guardedBy(guard, streams),
    rowsOf: (names, resources) => requestsOf(names, resources, tokens),
    sql: guardedBy(guard, new SqlRequests(sql)),
    tokens,
  });
  return {
    accessNews,
    catalog,
    catalogs: guardedBy(guard, catalogsOf(catalog, parts, { warehouse, allowed })),
    iceberg: icebergOperations(guard, { namespaces, tables, views, reports }),
    snapshots,
    reports,
    dropped,
    jobsAdmin,
    history,
    model,
    sql,
    rows: guardedBy(guard, ofRows.rows),
    indexes: guardedBy(guard, ofRows.indexes),
    copies: new RelationCopies({ catalog, locations, tables: files, views: viewFiles, places }),
    readBody: (bytes) => readObject(reading, bytes),
    jobs,
    tombstones,
    collector,
    fsck: (scratch, blobs = told.blobs) =>
      fsckOf({ ...told, blobs, scratch, historyRetentionMs }, work),
    close: async () => {
      await Promise.all([closeReading(), ofJobs.close(), streams.close(), sql.close()]);
      // A job that waited for a reader has ended, and another node takes it up.
      await jobs.stop().then(() => tombstones.stop());
      await Promise.all([closeRows(), reports.settled()]);
      await catalog.context.background.settled();
    },
  };
}

function filesOf(
  { context: { clock } }: AccountCatalog,
  locations: NodeParts["locations"],
  reading: ReturnType<typeof readingOf>["reading"],
) {
  return {
    files: new MetadataFiles(clock, locations, TABLE_FORMAT, reading),
    viewFiles: new MetadataFiles(clock, locations, VIEW_FORMAT, reading),
  };
}

async function catalogOf(parts: NodeParts, stores: AccountStores): Promise<AccountCatalog> {
  const { account } = parts;
  const catalog =
    account === undefined
      ? await AccountCatalog.open(stores, DEFAULT_ACCOUNT)
      : AccountCatalog.of(stores, account.id);
  serveProfiles(parts, catalog);
  return catalog;
}

/** What every use case passes first. */
function guardOf(
  catalog: AccountCatalog,
  jobs: JobRunner,
  metrics: Metrics,
  account = DEFAULT_ACCOUNT,
): CallGuard {
  const names = new ResourceNames(catalog);
  return {
    account,
    // A node that is used looks for jobs that others have left.
    onCall: () => jobs.used(),
    look: (place) => names.look(place),
    observers: StoreObservers.of(metrics),
  };
}

interface ImportInto {
  readonly catalog: AccountCatalog;
  readonly reading: Reading;
  readonly namespaces: IcebergNamespaces;
  readonly tables: IcebergTables;
}

/** What brings tables of other catalogs here. */
function importOf(
  { remote: fetch, locations }: NodeParts,
  { catalog, reading, namespaces, tables }: ImportInto,
): TableImport {
  const readBody = (bytes: Uint8Array) => readObject(reading, bytes);
  const remote = fetch && { fetch, readBody };
  return new TableImport({
    catalog,
    locations,
    iceberg: namespaces,
    icebergTables: tables,
    remote,
  });
}

/** What the native API needs of the process. */
function ofProcess(parts: NodeParts): Pick<ModelParts, "auditLog" | "storage"> {
  return { auditLog: parts.auditLog, storage: storageOf(parts) };
}

function storageOf(parts: NodeParts): StorageSupport {
  const { storage, secret, otherSecrets = [], stores, profiles } = parts;
  return {
    readFile: () => Promise.reject(new FirnError("Unavailable", "NO_FILES", "no file is read")),
    ...storage,
    secrets: new ProfileSecrets([secret, ...otherSecrets], stores.prng),
    changed: () => profiles?.changed(),
  };
}

/** What reaches files learns which profiles serve them, and locations learn their roots. */
function serveProfiles({ profiles, locations }: NodeParts, catalog: AccountCatalog): void {
  const own = { account: catalog.context.account, profiles: catalog.storageProfiles };
  profiles?.serve(
    async () => [own],
    (roots) => {
      for (const root of roots) locations.addRoot(root);
    },
  );
}

function catalogsOf(
  catalog: AccountCatalog,
  { locations, profiles }: NodeParts,
  roots: ConstructorParameters<typeof CatalogAdmin>[2],
): CatalogAdmin {
  const catalogs = new CatalogAdmin(catalog, locations, roots);
  // It may be a request that asks, and all roots are learned.
  locations.learnRoots(async (uri) => {
    await unjudged(() => catalogs.learnRoots(OWN_ACTOR));
    // Their roots lie in S3.
    if (!uri.startsWith("file:")) await profiles?.refresh();
  });
  return catalogs;
}

/** What reads for requests. */
function readingOf(parts: NodeParts) {
  const { reading: make } = parts;
  const reading = make?.() ?? inlineReading();
  // Its own threads: a large or hostile table must not keep other requests waiting.
  const ofLayouts = make?.({ taskMs: SERVICE_LIMITS.layoutManifestMs }) ?? inlineReading();
  const logs = deltaLogsOf(parts);
  const close = async () => {
    await Promise.all([reading.close(), ofLayouts.close(), logs.close()]);
  };
  return { reading, ofLayouts, logs, close };
}

/** Reads the logs of Delta tables; what that takes is loaded with the first. */
function deltaLogsOf({ locations, reading, stores: { clock } }: NodeParts): DeltaLogs {
  return new DeltaLogs(locations, async () => {
    const { openLogWork } = await import("./delta/log-work.ts");
    return openLogWork(clock, reading === undefined);
  });
}

function rowsOf(
  parts: NodeParts,
  catalog: AccountCatalog,
  places: TableLocations,
  sources: SqlParts["sources"],
) {
  const { openRowShard: open, hasRowShard: has, areShardsShared: areShared } = parts;
  const { removeRowShard: remove } = parts;
  const { clock, prng } = parts.stores;
  const publish = async (store: RowStore): Promise<void> => await rows.publish(OWN_ACTOR, store);
  const account = parts.account?.name ?? DEFAULT_ACCOUNT;
  const heal = async (store: RowStore, shard: string): Promise<void> => {
    await moveJobs.heal(store, shard);
    await shardJobs.heal(store);
  };
  const opening = { open, has, remove, areShared, publish, heal };
  const shards = new RowShards({ clock, prng, account, ...opening });
  const moveJobs = new RowMoveJobs({ catalog, shards, blobs: parts.stores.blobs });
  const moves = new RowMoves(catalog, moveJobs);
  const json = onceLoaded(async () => {
    const { JsonRows } = await import("./rows/json-rows.ts");
    return new JsonRows(clock, prng);
  });
  const rows = new RowTables({ catalog, places, shards, jsonRows: json });
  const shardJobs = new RowShardJobs({ catalog, shards, rows, blobs: parts.stores.blobs });
  const archives = new Archives(rows, places, parts.locations);
  const indexes = new RowIndexes(catalog);
  const cursors = new RowCursors(clock);
  const { ids } = catalog.context;
  const requestsOf = (
    names: ResourceNames,
    tables: RelationResources<Table>,
    tokens: PageTokens,
  ): OfRows => {
    const newId = () => ids.mint<TableId>();
    return {
      rows: new RowRequests({ clock, tokens, rows, tables, cursors, indexes, moves, newId, json }),
      patterns: new PatternRequests({ clock, ids, rows, archives, names, tables }),
      rowShards: new RowShardResources({
        catalog,
        names,
        store: (id) => shards.of(id),
        deletions: shardJobs,
        opened: (id) => shards.opened(id),
      }),
    };
  };
  const { onUnreleased, spillSpace } = parts;
  const told = { onUnreleased, spillSpace };
  const sql = new SqlService({ catalog, tables: rows, indexes, moves, shards, sources, ...told });
  const closeRows = async (): Promise<void> => {
    cursors.close();
    await shards.close();
  };
  return { closeRows, rows, indexes, moveJobs, shardJobs, sql, requestsOf };
}

function onceLoaded<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => {
    loaded ??= load();
    return loaded;
  };
}

/** What background jobs work on. */
interface Work {
  readonly catalog: AccountCatalog;
  readonly collector: Collector;
  readonly tombstones: Tombstones;
  readonly files: MetadataFiles<TableMetadata>;
  readonly viewFiles: MetadataFiles<ViewMetadata>;
  readonly places: TableLocations;
  readonly rows: RowTables;
  readonly moveJobs: RowMoveJobs;
  readonly shardJobs: RowShardJobs;
  readonly tableImport: TableImport;
}

/** A check of everything that is stored, what lies in shards included. */
function fsckOf(parts: FsckParts, { files, viewFiles, rows }: Work): Fsck {
  const ofFiles = judgeFilesWith(parts, { tables: files, views: viewFiles });
  const checkRows = (table: Table) => rows.check(OWN_ACTOR, table);
  return new Fsck({ ...parts, files: judgeRowsWith(checkRows, ofFiles) });
}

/** The runner of the background jobs, and what reads files for them. */
function jobsOf(
  parts: NodeParts,
  { catalog, collector, tombstones, files, viewFiles, places, rows, tableImport, ...work }: Work,
): { readonly jobs: JobRunner; readonly ofJobs: Reading } {
  const { stores, locations, metrics, pointersExpire: expires = false } = parts;
  const { clock } = catalog.context;
  const { onJobFailed, onUnreadable } = parts;
  // Its own threads: what a job reads must not keep requests waiting.
  const ofJobs = parts.reading?.() ?? inlineReading();
  const purge = new Purge(catalog, {
    locations,
    files,
    metrics,
    reading: ofJobs,
    onUnreadable,
    purgeRows: (table) => rows.purge(OWN_ACTOR, table),
  });
  const deletion = new RecursiveDelete(catalog);
  const ofAccounts = new AccountPurge(catalog, stores.blobs, (within) => purge.within(within));
  const imports = new ImportJobs(catalog, tableImport);
  const builds = new RowIndexJobs(catalog, rows);
  const works = {
    import: imports.run.bind(imports),
    "build-index": builds.run.bind(builds),
    "move-table": work.moveJobs.run.bind(work.moveJobs),
    "delete-shard": work.shardJobs.run.bind(work.shardJobs),
    purge: (lease: JobLease, ended: AbortSignal) =>
      lease.job.subject.type === "account" ? ofAccounts.run(lease, ended) : purge.run(lease, ended),
    delete: deletion.run.bind(deletion),
    "forget-tombstones": tombstones.sweep.bind(tombstones),
    "collect-garbage": collector.run.bind(collector),
  };
  const { blobs = stores.blobs, scratch = memoryScratch(clock), ...gc } = parts.gc ?? {};
  collector.serve({
    catalog,
    blobs,
    locations,
    files,
    viewFiles,
    places,
    metrics,
    scratch,
    expires,
    settings: gc,
    onDeleted: gc.onDeleted,
    onStopped: gc.onStopped,
    onDone: gc.onDone,
  });
  const jobs = new JobRunner(catalog, works, metrics, onJobFailed);
  return { jobs, ofJobs };
}

function memoryScratch(clock: Clock): () => Promise<Scratch> {
  return async () => ({ store: new MemoryBlobStore(clock), close: async () => {} });
}
