import { tmpdir } from "node:os";
import type { OnDefect } from "../base/background.ts";
import { type ErrorContext, FirnError } from "../base/error.ts";
import { IdSource } from "../base/ids.ts";
import { LIMITS } from "../base/limits.ts";
import { Counts, createMetrics, type Metrics } from "../base/metrics.ts";
import { Locations } from "../blob/locations.ts";
import type { BlobStore } from "../blob/port.ts";
import { S3_SCHEMES } from "../blob/s3/location.ts";
import type { Table } from "../catalog/model.ts";
import type { HotTables } from "../http/admin/hot-tables.ts";
import type { Housekeeping, PageAsked } from "../http/admin/housekeeping.ts";
import type { KeyAdmin } from "../http/admin/key-admin.ts";
import type { ShardAdmin } from "../http/admin/shard-admin.ts";
import { type Access, openAccess } from "../service/access/access.ts";
import { FileAccessRelay } from "../service/access/file-access-news.ts";
import { ensureFirstPrincipal } from "../service/access/first-principal.ts";
import { resetAdmin } from "../service/access/reset-admin.ts";
import { LONGEST_TOKEN_MS, SigningKeys } from "../service/access/signing-keys.ts";
import {
  AccountNodes,
  type AccountUseCases,
  type OpenAccountNode,
  type OtherAccount,
} from "../service/account-nodes.ts";
import { type Actor, OWN_ACTOR } from "../service/actor.ts";
import type { RowEngines } from "../service/backup/rows.ts";
import { ensureCatalogs } from "../service/first-catalogs.ts";
import { collectNow, type GcAnswer } from "../service/gc/now.ts";
import type { GarbageReport } from "../service/gc/report.ts";
import type { JobInfo } from "../service/jobs-admin.ts";
import { type CatalogNode, openNode } from "../service/node.ts";
import { threadReading } from "../service/reading.ts";
import { DEFAULT_CATALOG } from "../service/requests.ts";
import type { SharedShards } from "../service/shards/shared-shards.ts";
import { bucketConfigs } from "../service/stores/bucket-configs.ts";
import { pricesWith } from "../service/stores/prices.ts";
import { assertReachable } from "../service/stores/ready.ts";
import { StoreCosts } from "../service/stores/store-costs.ts";
import { fileAccessOf, ownFolder, profileIndex, readSecretFile } from "./account-profiles.ts";
import { AuditFiles } from "./audit-files.ts";
import { directoryTrouble } from "./directory.ts";
import { assertEveryLimit } from "./every-limit.ts";
import { assertSignsIn, oidcOf, openIssuers } from "./issuers.ts";
import { accountLake, type Lake, openLake } from "./lake.ts";
import { fileUri } from "./location.ts";
import { ownLocations } from "./own-locations.ts";
import { remoteFetch } from "./remote-fetch.ts";
import { type CheckRun, scratchOf, withScratch } from "./scratch.ts";
import { otherSecrets } from "./secret.ts";
import type { Settings } from "./settings.ts";
import { peerKeys } from "./shared-row-shards.ts";
import { type Components, localStores, memoryStores, type Stores } from "./stores.ts";
import { SQL_FILES } from "./temporary-files.ts";

/** Everything a running Firn consists of below its protocols. */
export interface Composition
  extends Pick<
      CatalogNode,
      | "readBody"
      | "catalogs"
      | "snapshots"
      | "reports"
      | "dropped"
      | "history"
      | "rows"
      | "indexes"
      | "close"
    >,
    AccountUseCases {
  /** Tells who asks; absent under `--auth none`. */
  readonly access: Access | undefined;
  readonly metrics: Metrics;
  /** What operators ask of the catalog. */
  readonly housekeeping: Housekeeping;
  /** The row tables that are read and written most, of the shards that this process has open. */
  hotTables(): Promise<HotTables>;
  /** Tells its listener of each access to the files of tables that is given away. */
  readonly fileNews: FileAccessRelay;
  /** Keys of the deployment, for operators. */
  readonly keyAdmin: KeyAdmin;
  /** Of the shards that this process owns. */
  readonly shards: readonly ShardAdmin[];
  /** Of row tables, where several nodes share them. */
  readonly sharedShards: SharedShards | undefined;
  /** What nodes sign requests to each other with: the first; the others are taken too. */
  readonly peerKeys: readonly Uint8Array[];
  /** Checks everything that is stored, while others write. */
  check(repair: boolean): CheckRun;
  /** Collects garbage at once, or says what would go. As `collectNow`. */
  collect(force: boolean, ended: AbortSignal): Promise<GcAnswer>;
  /** Resolves while the stores can be reached. @throws FirnError `Unavailable` */
  ready(): Promise<void>;
  /** Says where it listens, for other processes that want its stores. Never fails for that. */
  listens(url: string): Promise<void>;
  /** Says that `close` is to follow, so that they wait for it. Never fails for that. */
  drain(): Promise<void>;
}

/**
 * Wires the adapters that the settings name.
 *
 * @throws FirnError what makes the stores of the profile unusable, naming what mends it.
 */
export async function compose(settings: Settings, components: Components): Promise<Composition> {
  assertEveryLimit();
  const metrics = createMetrics();
  StoreCosts.price(metrics, pricesWith(settings.price));
  const started = { closing: async () => {} };
  try {
    const stores = await openStores(settings, components, metrics);
    started.closing = stores.close;
    return await composeOver(stores, settings, components, metrics);
  } catch (error) {
    const told = withAdvice(settings, error);
    // Where the disk is full, it cannot be told to another process either.
    await started.closing().catch(() => undefined);
    throw told;
  }
}

/** An error of the start, in words that name what the profile can do about it. */
function withAdvice({ profile, dir }: Settings, error: unknown): unknown {
  if (profile === "local") return directoryTrouble(dir, error);
  const torn = error instanceof FirnError && error.code === "CATALOG_CORRUPT";
  if (profile !== "aws" || !torn) return error;
  const advice = "do --s3-bucket, --s3-prefix and --dynamodb-table belong together?";
  const { kind, code, message, context } = error;
  return new FirnError(kind, code, `${message}: ${advice}`, context, error);
}

/** The use cases over stores that are open, and what reads the lake for them. */
async function openNodeOver(
  { blobs, pointers, pointersExpire, secret, ...stores }: Stores,
  lake: Lake,
  settings: Settings,
  components: Components,
  metrics: Metrics,
  account?: OtherAccount,
): Promise<CatalogNode> {
  const { clock, prng } = components;
  const ids = new IdSource(clock, prng);
  const inMemory = settings.profile === "memory";
  const { warehouse } = settings;
  // No account reaches another one's files: each has its folder, which the default one never uses.
  const accounts = `${warehouse}/${ACCOUNTS_FOLDER}`;
  const folder = account === undefined ? undefined : `${accounts}/${account.id}`;
  const profiles = profileIndex(secret, settings, components);
  const own = accountLake({ lake, profiles, settings, assertOwn: ownFolder(folder) });
  const sharedRoots = inMemory && account === undefined ? [fileUri(tmpdir())] : [];
  const locations = new Locations({
    clock,
    prng,
    allowedRoots: folder === undefined ? sharedRoots : [folder],
    durable: !inMemory,
    reserved: [...ownLocations(settings), ...(account === undefined ? [accounts] : [])],
    schemes: new Map(S3_SCHEMES.map((name) => [name, own.scheme])),
  });
  return openNode({
    account,
    stores: {
      clock,
      prng,
      ids,
      blobs,
      pointers,
      dropRetentionMs: settings.dropRetention,
      onDefect: counted(components, metrics),
    },
    locations,
    metrics,
    secret,
    otherSecrets: otherSecrets(settings),
    warehouse: folder ?? warehouse,
    sharedRoots,
    storeConfig: bucketConfigs(own.configOf),
    allowedLocations: account === undefined ? settings.allowLocation : [],
    pointersExpire,
    writesAlone: settings.profile !== "aws",
    onUnreadable: (facts) =>
      components.warn?.("a purge cannot read files: what only they name stays", facts),
    onUnreleased: (facts) =>
      components.warn?.("SQL left a name in the catalog: the next use of it removes it", facts),
    onJobFailed: (facts) => components.warn?.("a job failed, and is tried again later", facts),
    allowedProperties: settings.allowProperty,
    gc: {
      historyRetentionMs: settings.historyRetention,
      gcGraceMs: settings.gcGrace,
      scratch: scratchOf(settings.profile, components),
      onDeleted: ({ paths, ...facts }) =>
        components.notify("garbage collection deleted", { ...facts, paths: paths.join(" ") }),
      onStopped: (facts) => components.warn?.("garbage collection stopped", facts),
      onDone: ({ run, report }) =>
        components.notify("garbage collection ended", { run, ...countsOf(report) }),
    },
    reading: (limits) => threadReading(clock, limits),
    ...fileAccessOf(settings, components, locations, profiles, own),
    profiles,
    storage: {
      readFile: readSecretFile,
      check: async (served, externalId) =>
        (await import("./storage-check.ts")).checkProfile(served, externalId, components),
      ...(account !== undefined && {
        limits: { endpoints: settings.storageEndpoint, excluded: [warehouse] },
      }),
    },
    fileNews: components.fileNews,
    auditLog: settings.auditLog === undefined ? undefined : new AuditFiles(settings.auditLog),
    // Administrators of other accounts must not make this machine ask addresses of their choice.
    remote: account === undefined ? remoteFetch : undefined,
    openRowShard: stores.openRowShard,
    removeRowShard: stores.removeRowShard,
    hasRowShard: stores.hasRowShard,
    areShardsShared: stores.sharedShards !== undefined,
    // Profile `memory` writes no file: its statements keep their rows in memory.
    spillSpace: inMemory ? undefined : SQL_FILES,
  });
}

/** Opens an account for one command: nothing is made or started in it. */
function accountReader(...over: AccountParts): OpenAccountNode {
  return openAccount(over, (node, actor) => node.catalogs.learnRoots(actor));
}

/** Opens what serves another account, with the catalog that its clients ask for by default. */
function accountOpener(...over: AccountParts): OpenAccountNode {
  const [, , , components] = over;
  return openAccount(over, async (node, actor) => {
    await node.catalogs.ensure(actor, DEFAULT_CATALOG);
    await node.catalogs.learnRoots(actor);
    startJobs(node, components);
  });
}

type AccountParts = [stores: Stores, lake: Lake, settings: Settings, components: Components];

/** @param prepare what is done before the node is used; one that it fails for is closed. */
function openAccount(
  over: AccountParts,
  prepare: (node: CatalogNode, actor: Actor) => Promise<void>,
): OpenAccountNode {
  return async (account) => {
    const node = await openNodeOver(...over, createMetrics(), account);
    try {
      await prepare(node, { ...OWN_ACTOR, account: account.name });
      return node;
    } catch (error) {
      await node.close().catch(() => undefined);
      throw error;
    }
  };
}

function startJobs({ tombstones, collector, jobs }: CatalogNode, { isIdle }: Components): void {
  tombstones.start();
  if (isIdle === true) return;
  collector.start();
  jobs.start();
}

/**
 * The catalog of a store for one command: nothing is made or started in it.
 *
 * @throws FirnError as `compose`.
 */
export async function openHousekeeping(
  settings: Settings,
  components: Components,
): Promise<{
  readonly housekeeping: Housekeeping;
  readonly keyAdmin: KeyAdmin;
  /** What a server over the same stores would serve, without a socket or background work. */
  readonly serves: Pick<Composition, "iceberg" | "model" | "readBody" | "metrics">;
  /** As `JobsAdmin.run`: no other process may do it. */
  readonly runJob: (id: string) => Promise<JobInfo | undefined>;
  readonly close: () => Promise<void>;
}> {
  assertEveryLimit();
  const metrics = createMetrics();
  StoreCosts.price(metrics, pricesWith(settings.price));
  const stores = await openStores(settings, components, metrics);
  try {
    const lake = openLake(settings, components, metrics);
    const node = await openNodeOver(stores, lake, settings, components, metrics);
    await node.catalogs.learnRoots(OWN_ACTOR);
    const accounts = new AccountNodes(node, accountReader(stores, lake, settings, components));
    return {
      housekeeping: housekeepingOf(node, accounts, stores, settings, components),
      keyAdmin: keyAdminOf(node, stores, settings),
      serves: { iceberg: node.iceberg, model: node.model, readBody: node.readBody, metrics },
      runJob: (id) => node.jobsAdmin.run(OPERATOR, id),
      close: async () => {
        try {
          await accounts.close();
          await node.close();
        } finally {
          await lake.close();
          await stores.close();
        }
      },
    };
  } catch (error) {
    await stores.close().catch(() => undefined);
    throw error;
  }
}

/** Below the warehouse: no catalog has this name as its folder, where names are escaped. */
const ACCOUNTS_FOLDER = "@accounts";

const OPERATOR = { ...OWN_ACTOR, requestId: "operator" };

function housekeepingOf(
  node: CatalogNode,
  accounts: AccountNodes,
  stores: Stores,
  settings: Settings,
  components: Components,
): Housekeeping {
  const { dropped, jobsAdmin } = node;
  const pageOf = ({ after }: PageAsked) => ({ limit: LIMITS.pageSize, ...(after && { after }) });
  return {
    dropped: (page) => dropped.list(OPERATOR, pageOf(page)),
    undrop: async (target, name) => {
      const { id } = await dropped.find(OPERATOR, target);
      return dropped.undrop(OPERATOR, id, { name });
    },
    jobs: (page) => jobsAdmin.list(OPERATOR, pageOf(page)),
    job: (id) => jobsAdmin.get(OPERATOR, id),
    retryJob: (id) => jobsAdmin.retry(OPERATOR, id),
    cancelJob: (id) => jobsAdmin.cancel(OPERATOR, id),
    backup: async (request) => {
      const { backUp } = await import("./backups.ts");
      const read = stores.readRowShard;
      const rows: RowEngines = (shard) => read?.(shard) ?? node.rows.engineOf(OPERATOR, shard);
      return backUp({ ...stores, rows }, request, settings, components);
    },
    restore: async (request) => {
      const { restoreInto } = await import("./backups.ts");
      return restoreInto(
        stores,
        (actor) => accounts.of(actor),
        request,
        OPERATOR,
        settings,
        components,
      );
    },
  };
}

/** Who can reach the store and knows its secret can do everything, and so this. */
function keyAdminOf(node: CatalogNode, { secret }: Stores, settings: Settings): KeyAdmin {
  const { catalog, accessNews } = node;
  const secrets = [secret, ...otherSecrets(settings)] as const;
  const keys = new SigningKeys({ stores: catalog.context, secrets, tokenLifeMs: LONGEST_TOKEN_MS });
  return {
    signingKeys: () => keys.list(),
    rotateSigningKeys: () => keys.replace(),
    resetAdmin: async (name, keepsKeys) => {
      await keys.assertSecret();
      const made = await resetAdmin(catalog, OPERATOR, name, { keepsKeys });
      accessNews.onChanged();
      return made;
    },
  };
}

/** A node over stores that are open; they are closed with it. @throws FirnError as `compose`. */
export async function composeOver(
  stores: Stores,
  settings: Settings,
  given: Components,
  metrics: Metrics,
): Promise<Composition> {
  const fileNews = new FileAccessRelay();
  const components = { ...given, fileNews };
  const { blobs, pointers, owner, shardAdmin, close, assertUsable } = stores;
  const lake = openLake(settings, components, metrics);
  const node = await openNodeOver(stores, lake, settings, components, metrics);
  const { warehouse, catalog: catalogs, allowLocation: allowedLocations } = settings;
  const isAsked = settings.given.includes("warehouse");
  const wanted = { warehouse, isAsked, catalogs, allowedLocations };
  await ensureCatalogs(node.catalogs, wanted, components.notify);
  const { access, onOpened } = await openAccessOver(node, stores, settings, components);
  startJobs(node, components);
  const open = accountOpener(stores, lake, settings, components);
  const accounts = new AccountNodes(node, async (account) => onOpened(await open(account)));
  return {
    ...node,
    ...accounts.useCases,
    access,
    metrics,
    housekeeping: housekeepingOf(node, accounts, stores, settings, components),
    hotTables: async () => ({ shards: await node.rows.hot(OPERATOR) }),
    fileNews,
    keyAdmin: keyAdminOf(node, stores, settings),
    shards: shardAdmin === undefined ? [] : [shardAdmin],
    sharedShards: stores.sharedShards,
    peerKeys: peerKeys([stores.secret, ...otherSecrets(settings)]),
    collect: (force, ended) => collectNow(node, force, ended),
    check: (repair) =>
      withScratch(settings.profile, components, (scratch) =>
        checkServed(node, stores, lake, settings, components, scratch, repair),
      ),
    ready: async () => {
      assertUsable?.();
      await assertReachable(pointers, settings.profile === "aws" ? blobs : undefined);
    },
    listens: async (url) => {
      await told(components, owner?.advertise(settings.advertiseUrl ?? reachable(url)));
    },
    drain: () => told(components, owner?.drain()),
    close: async () => {
      try {
        await accounts.close();
        await node.close();
      } finally {
        await lake.close();
        await close();
      }
    },
  };
}

/** Checks the stores of a process that serves; it reads the rows that it owns as it serves them. */
async function* checkServed(
  { rows }: CatalogNode,
  stores: Stores,
  lake: Lake,
  settings: Settings,
  components: Components,
  scratch: BlobStore,
  repair: boolean,
): CheckRun {
  const { checkOver, rowsBeside } = await import("./check-over.ts");
  const { readRowShard: read } = stores;
  const own = {
    check: (table: Table) => rows.check(OWN_ACTOR, table),
    close: async () => undefined,
  };
  const checked = { stores, lake, rows: read === undefined ? own : rowsBeside(read, components) };
  return yield* checkOver(checked, settings, components, scratch, repair);
}

/** Authentication, with the first administrator made where there is none. */
async function openAccessOver(
  node: CatalogNode,
  { secret }: Stores,
  settings: Settings,
  { clock, prng, warn = () => undefined, tellKey = () => undefined }: Components,
): Promise<{ readonly access: Access | undefined; onOpened(node: CatalogNode): CatalogNode }> {
  if (settings.auth === "none") return { access: undefined, onOpened: (node) => node };
  const { catalog } = node;
  const { accessStaleness: stalenessMs, tokenLifetime: tokenLifeMs } = settings;
  const opened =
    settings.issuers === undefined
      ? undefined
      : await openIssuers(settings.issuers, { clock, warn });
  const { bootstrapKey: key, bootstrapAdmin: external } = settings;
  if (external !== undefined) assertSignsIn(opened?.issuers ?? [], external);
  await ensureFirstPrincipal(catalog, { prng, key, external, tell: tellKey });
  const secrets = [secret, ...otherSecrets(settings)] as const;
  const issued = { foreign: opened?.tokens, oidc: opened && oidcOf(settings, opened, warn) };
  const access = openAccess({ catalog, secrets, prng, stalenessMs, tokenLifeMs, ...issued });
  const onOpened = (other: CatalogNode): CatalogNode => {
    const own = access.accessOf(other.catalog.context.account);
    other.accessNews.onChanged = () => own.changed();
    return other;
  };
  onOpened(node);
  return { access, onOpened };
}

/** What went, by kind, as the log shows it. */
function countsOf({ garbage }: GarbageReport): ErrorContext {
  const went = Object.entries(garbage).filter(([, { count }]) => count > 0);
  return Object.fromEntries(went.map(([kind, { count }]) => [kind, count]));
}

/** Others do well to know, and nothing rests on it. */
async function told({ notify }: Components, telling: Promise<void> | undefined): Promise<void> {
  try {
    await telling;
  } catch (error) {
    if (!(error instanceof FirnError)) throw error;
    notify("other processes could not be told", { code: error.code });
  }
}

/** Where a process of this machine reaches who listens on all of its addresses. */
function reachable(url: string): string {
  return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
}

function counted({ onDefect }: Components, metrics: Metrics): OnDefect {
  const defects = new Counts(metrics, {
    name: "firn_background_defects_total",
    help: "Pieces of work in the background that a defect ended",
  });
  return (error) => {
    defects.add(1);
    onDefect(error);
  };
}

/** The stores of the profile. @throws FirnError as `compose`. */
export async function openStores(
  settings: Settings,
  components: Components,
  metrics: Metrics,
): Promise<Stores> {
  const { profile } = settings;
  switch (profile) {
    case "memory":
      return memoryStores(settings, components, metrics);
    case "local":
      return localStores(settings, components, metrics);
    case "bucket":
      return (await import("./bucket-stores.ts")).bucketStores(settings, components, metrics);
    case "aws":
      return (await import("./aws-stores.ts")).awsStores(settings, components, metrics);
  }
}
