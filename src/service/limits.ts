import { assert } from "../base/assert.ts";
import { assertPositive, LIMITS } from "../base/limits.ts";

/** Maxima and spans of time of the use cases, each with its reason. */
export const SERVICE_LIMITS = {
  /** From the start of a payload put to the send of the batch that points at it. */
  maxPutToCommitMs: 600_000,
  /** Floor of the catalog GC grace: no payload younger than this is ever a candidate. */
  catalogGcFloorMs: 3_600_000,
  /** Tombstones that a node remembers in order to forget them: some 200 bytes each. */
  tombstonesRemembered: 50_000,
  /** They go so many at a time, which share a write of the log, and so many a second. */
  forgottenAtOnce: 50,
  forgottenPerSecond: 500,
  /** How long a tombstone past its life waits for others to go with it. */
  forgetSpreadMs: 60_000,
  /** A sweep for what dead nodes have left: this often at most, and so many pointers a second. */
  tombstoneSweepMs: 86_400_000,
  sweptAtOnce: 1_000,
  sweptPerSecond: 5_000,
  /** Change records, and what they name, stay this long, unless a setting says otherwise. */
  historyRetentionMs: 604_800_000,
  /** From a collection's first mark to its second, unless a setting says otherwise. */
  gcGraceMs: 86_400_000,
  /** Statistics may come before their snapshot, which has so long to follow. */
  earlyStatsMs: 86_400_000,
  /** A store that is written to is collected this often. */
  gcPeriodMs: 86_400_000,
  /** What a collection may ask of the stores: far less than requests do. */
  gcRequestsPerSecond: 200,
  gcBytesPerSecond: 33_554_432,
  /** Blobs that go at a time, once the keys that may lead to them were read again. */
  gcBatchBlobs: 500,
  /** While it is used, a node looks for jobs of others this often at most: one list a bucket. */
  jobPollMs: 60_000,
  /** A job that failed is tried again after this, doubled each time up to the cap. */
  jobRetryMs: 60_000,
  jobRetryCapMs: 3_600_000,
  /** Files that a purge deletes between two looks at the claims around them. */
  purgeBatchFiles: 500,
  /** Directories between a root and a location: each is one operation of the batch that claims. */
  locationLevels: 64,
  /** A report that is kept; most have a few kibibytes. */
  reportBytes: 262_144,
  /** Reports that wait to be stored behind their answers. */
  reportsWaiting: 1_000,
  reportsWaitingBytes: 8_388_608,
  /** Commits that wait for their turn on one table; more than that would only wait to time out. */
  commitsWaiting: 64,
  /** One page of a list whose caller names no size. */
  pageSizeDefault: 100,
  /** Tables of an account whose use is counted one by one: some 300 bytes each. */
  usageTables: 1_000,
  /** A change stream is silent for so long at most: proxies close what is silent for a minute. */
  changeBeatMs: 15_000,
  /** Changes of other nodes are looked for this often while there are streams. */
  changePollMs: 5_000,
  /** Changes of this node wait so long for others to come with them. */
  changeGapMs: 100,
  /** Changes that are kept for slower streams, and ids by which repeats are told: some 10 MB. */
  changeTailKept: 5_000,
  changeIdsKept: 20_000,
  /** Names that one request of a search looks at: some 20 lists, each a read of the store. */
  searchedNames: 20_000,
  /** A request imports tables for so long; then it answers with where it stands. */
  importMs: 10_000,
  /** Between two notes of how far an import in the background has come. */
  importNoteMs: 1_000,
  /** Of another catalog, and the tables of one of its namespaces. */
  importedNamespaces: 10_000,
  importedTables: 200_000,
  /** A request reads manifests for so long; then it answers with what it has read. */
  layoutMs: 10_000,
  /** What reading one manifest may take: longer, and it is refused. */
  layoutManifestMs: 10_000,
  /** Manifests of a snapshot: some 300 bytes each are kept. */
  layoutManifests: 100_000,
  /** Manifests that are read at once, each in memory whole. */
  layoutLanes: 2,
} as const;

type ServiceLimits = { readonly [name in keyof typeof SERVICE_LIMITS]: number };

/** Asserts how they hang together, and with those that all share. Runs at every start. */
export function assertServiceLimits(limits: ServiceLimits = SERVICE_LIMITS): void {
  assertPositive(limits);
  const { signatureLifeMs, clockSkewMs, marginMs } = LIMITS;
  const { catalogGcFloorMs } = limits;
  assert(
    limits.maxPutToCommitMs + signatureLifeMs + clockSkewMs + marginMs <= catalogGcFloorMs,
    "a payload is young until the batch that names it can no longer land",
  );
  assert(limits.gcGraceMs >= catalogGcFloorMs, "the grace is no shorter than its floor");
  assert(limits.reportBytes <= limits.reportsWaitingBytes, "a report may wait to be stored");
  assert(limits.pageSizeDefault <= LIMITS.pageSize, "default page fits the largest page");
}
