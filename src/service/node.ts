import type { Clock } from "../base/clock.ts";
import type { JsonObject } from "../base/json.ts";
import type { Metrics } from "../base/metrics.ts";
import { StoreObservers } from "../base/store-observers.ts";
import type { Locations } from "../blob/locations.ts";
import { MemoryBlobStore } from "../blob/memory.ts";
import type { BlobStore } from "../blob/port.ts";
import type { AccountStores } from "../catalog/accounts.ts";
import { AccountCatalog } from "../catalog/catalog.ts";
import type { TableMetadata } from "../iceberg/model.ts";
import type { ViewMetadata } from "../iceberg/view-metadata.ts";
import { DEFAULT_ACCOUNT, OWN_ACTOR } from "./actor.ts";
import { CatalogAdmin } from "./catalog-admin.ts";
import { ChangeStreams } from "./change-streams.ts";
import { DroppedAdmin } from "./dropped-admin.ts";
import { EntityHistory } from "./entity-history.ts";
import { Fsck } from "./fsck/fsck.ts";
import { judgeFilesWith } from "./fsck/table-files.ts";
import { Collector } from "./gc/collector.ts";
import type { GcParts, GcSettings, Scratch } from "./gc/parts.ts";
import { IcebergNamespaces } from "./iceberg-namespaces.ts";
import { IcebergTables } from "./iceberg-tables.ts";
import { IcebergViews } from "./iceberg-views.ts";
import { JobRunner, type OnJobFailed } from "./job-runner.ts";
import { JobsAdmin } from "./jobs-admin.ts";
import { SERVICE_LIMITS } from "./limits.ts";
import { MetadataFiles, TABLE_FORMAT, VIEW_FORMAT } from "./metadata-files.ts";
import { MetricsReports } from "./metrics-reports.ts";
import { guardedBy, icebergOperations, type UseCases } from "./operations.ts";
import { PageTokens } from "./page-token.ts";
import { type OnUnreadableFiles, Purge } from "./purge.ts";
import { inlineReading, type Reading, readObject } from "./reading.ts";
import { RelationCopies } from "./relation-copies.ts";
import type { IcebergService } from "./requests.ts";
import { ReservedProperties } from "./reserved-properties.ts";
import { type ModelService, modelService } from "./resources/service.ts";
import { type StoreConfig, TableConfigs } from "./table-config.ts";
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
  readonly onJobFailed?: OnJobFailed | undefined;
  readonly onUnreadable?: OnUnreadableFiles | undefined;
  /** How garbage is collected; absent: as `LIMITS` says, sorted in memory. */
  readonly gc?: NodeGc;
  /** Makes what reads large and hostile input; where it is absent, that is read in place. */
  readonly reading?: () => Reading;
}

/** What a node's collector is given. */
export interface NodeGc
  extends GcSettings,
    Partial<Pick<GcParts, "scratch" | "onDeleted" | "onStopped" | "onDone">> {
  /** The payloads without a cache before them; absent: as the catalog reads them. */
  readonly blobs?: BlobStore;
}

/** The use cases of one node over the default account. */
export interface CatalogNode {
  readonly catalog: AccountCatalog;
  readonly catalogs: UseCases<CatalogAdmin>;
  readonly iceberg: IcebergService;
  readonly snapshots: UseCases<TableSnapshots>;
  readonly reports: MetricsReports;
  readonly dropped: UseCases<DroppedAdmin>;
  readonly jobsAdmin: UseCases<JobsAdmin>;
  readonly history: UseCases<EntityHistory>;
  /** What the native API calls. */
  readonly model: ModelService;
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
 * Wires the use cases over given ports, for the process, its tests and its simulation alike. Makes
 * the default account where it is not there yet, and no catalog.
 *
 * @throws FirnError `Unavailable`, `Unknown`: the stores do not answer.
 */
export async function openNode(parts: NodeParts): Promise<CatalogNode> {
  const {
    stores,
    locations,
    metrics,
    secret,
    warehouse,
    sharedRoots,
    allowedLocations: allowed = [],
  } = parts;
  const { pointersExpire: expires = false } = parts;
  const retentionMs = parts.gc?.historyRetentionMs ?? SERVICE_LIMITS.historyRetentionMs;
  const { onDefect } = stores;
  const collector = new Collector(stores.pointers);
  const tombstones = new Tombstones(collector.pointers, { metrics, expires, onDefect });
  const streams = new ChangeStreams(tombstones.pointers, stores, () => history);
  const told = { ...stores, pointers: streams.pointers };
  const catalog = await AccountCatalog.open(told, DEFAULT_ACCOUNT);
  tombstones.serve(catalog);
  const places = new TableLocations(catalog, locations, sharedRoots);
  const reserved = new ReservedProperties(parts.allowedProperties);
  const configs = new TableConfigs(reserved, parts.storeConfig);
  const reading = parts.reading?.() ?? inlineReading();
  const { clock } = catalog.context;
  const files = new MetadataFiles(clock, locations, TABLE_FORMAT, reading);
  const viewFiles = new MetadataFiles(clock, locations, VIEW_FORMAT, reading);
  const tokens = new PageTokens(secret);
  const namespaces = new IcebergNamespaces(catalog, places, tokens, reserved);
  const tables = new IcebergTables(catalog, locations, files, places, configs);
  const views = new IcebergViews(catalog, viewFiles, places, configs);
  const reports = new MetricsReports(catalog, metrics, stores.onDefect);
  const work = { catalog, collector, tombstones, files, viewFiles, places };
  const { jobs, ofJobs } = jobsOf(parts, work);
  // A node that is used looks for jobs that others have left.
  const observers = StoreObservers.of(metrics);
  const guard = { account: DEFAULT_ACCOUNT, onCall: () => jobs.used(), observers };
  const catalogs = new CatalogAdmin(catalog, locations, { warehouse, allowed });
  locations.learnRoots(() => catalogs.learnRoots(OWN_ACTOR));
  const snapshots = guardedBy(guard, new TableSnapshots(catalog, files));
  const dropped = guardedBy(guard, new DroppedAdmin(catalog, places));
  const jobsAdmin = guardedBy(guard, new JobsAdmin(catalog, jobs));
  const history = guardedBy(guard, new EntityHistory(catalog, tokens, retentionMs));
  const model = modelService(guard, {
    catalog,
    locations,
    places,
    iceberg: namespaces,
    reserved,
    warehouse,
    allowed: allowed.map((root) => locations.normalize(root)),
    snapshots,
    dropped,
    jobs: jobsAdmin,
    changes: history,
    changeStreams: guardedBy(guard, streams),
    tokens,
  });
  return {
    catalog,
    catalogs: guardedBy(guard, catalogs),
    iceberg: icebergOperations(guard, { namespaces, tables, views, reports }),
    snapshots,
    reports,
    dropped,
    jobsAdmin,
    history,
    model,
    copies: new RelationCopies({ catalog, locations, tables: files, views: viewFiles, places }),
    readBody: (bytes) => readObject(reading, bytes),
    jobs,
    tombstones,
    collector,
    fsck: (scratch, blobs = told.blobs) => {
      const checked = { ...told, blobs, scratch };
      const readers = { tables: files, views: viewFiles };
      const judgeFiles = judgeFilesWith(checked, readers);
      return new Fsck({ ...checked, files: judgeFiles, historyRetentionMs: retentionMs });
    },
    close: async () => {
      // A job that waits for it ends at once, and is taken up by another node.
      await Promise.all([reading.close(), ofJobs.close(), streams.close()]);
      await jobs.stop();
      await tombstones.stop();
      await reports.settled();
      await catalog.context.background.settled();
    },
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
}

/** The runner of the background jobs, and what reads files for them. */
function jobsOf(
  parts: NodeParts,
  { catalog, collector, tombstones, files, viewFiles, places }: Work,
): { readonly jobs: JobRunner; readonly ofJobs: Reading } {
  const { stores, locations, metrics, pointersExpire: expires = false } = parts;
  const { clock } = catalog.context;
  const { onJobFailed, onUnreadable } = parts;
  // Its own threads: what a job reads must not keep requests waiting.
  const ofJobs = parts.reading?.() ?? inlineReading();
  const purge = new Purge(catalog, { locations, files, metrics, reading: ofJobs, onUnreadable });
  const works = {
    purge: purge.run.bind(purge),
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
