import { assert } from "./assert.ts";

/**
 * Every maximum and every span of time that correctness rests on, in one place, with its reason.
 * They hang together: `assertLimits` states how, and runs at every start.
 */
export const LIMITS = {
  /**
   * One logical attempt, first read to verdict, resends included. Past it only certainty answers.
   */
  attemptMs: 45_000,
  /** How long a store may still accept a request that was signed before its sender died. */
  signatureLifeMs: 900_000,
  /** Largest clock skew between nodes and stores that is tolerated; more refuses the start. */
  clockSkewMs: 60_000,
  /** Slack added to every inequality below. */
  marginMs: 60_000,
  /** From the start of a payload put to the send of the batch that points at it. */
  maxPutToCommitMs: 600_000,
  /** Floor of the catalog GC grace: no payload younger than this is ever a candidate. */
  catalogGcFloorMs: 3_600_000,
  /**
   * A tombstone outlives every request that could still be under way against its key. Its life is
   * told by its writer before it is sent, and it may stand only an attempt and a signature's life
   * later: who read the key just before may be as late again.
   */
  tombstoneLifeMs: 2_100_000,
  receiptLifeMs: 1_800_000,
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
  /** Dropped entities stay this long before they may be purged, unless a setting says otherwise. */
  dropRetentionMs: 604_800_000,
  /** Change records, and what they name, stay this long. The default, too. */
  historyRetentionMs: 604_800_000,
  /** From the end of a collection's first mark to the start of its second. The default, too. */
  gcGraceMs: 86_400_000,
  /** A store that is written to is collected this often. */
  gcPeriodMs: 86_400_000,
  /** What a collection may ask of the stores: far less than requests do. */
  gcRequestsPerSecond: 200,
  gcBytesPerSecond: 33_554_432,
  /** Blobs that go at a time, once the keys that may lead to them were read again. */
  gcBatchBlobs: 500,
  /** How far back a record may still be added: an attempt, its requests' life, and the clocks. */
  changeSettledMs: 1_020_000,
  /** How long a job is its holder's without a sign of life: every step renews it. */
  jobLeaseMs: 180_000,
  /** While it is used, a node looks for jobs of others this often at most: one list a bucket. */
  jobPollMs: 60_000,
  /** A job that failed is tried again after this, doubled each time up to the cap. */
  jobRetryMs: 60_000,
  jobRetryCapMs: 3_600_000,
  /** Directories that due jobs spread over. */
  jobBuckets: 4,
  /** Files that a purge deletes between two looks at the claims around them. */
  purgeBatchFiles: 500,
  /** Operations of one pointer batch (DynamoDB's transaction limit). */
  batchOps: 100,
  /** A pointer's summary: keeps an item within one 1 KB write unit. */
  summaryBytes: 700,
  /**
   * A change record's: it is written once and never again, and its own put in S3 costs more
   * than the units of three more kilobytes in a transaction.
   */
  changeRecordBytes: 3_584,
  /** One key, and one listed directory or leaf (DynamoDB's partition and sort key). */
  keyBytes: 2_048,
  leafBytes: 1_024,
  /** A key segment longer than this is stored as the hash of its text. */
  segmentBytes: 200,
  /** A name of a catalog, namespace level, table or view, in UTF-8. */
  nameBytes: 255,
  /** Levels of a nested namespace: its path must fit a listed directory. */
  namespaceLevels: 32,
  /** A location claim is a leaf kept as it is. */
  locationBytes: 1_024,
  /** Directories between a root and a location: each is one operation of the batch that claims. */
  locationLevels: 64,
  /** Properties of one entity. */
  properties: 4_096,
  propertyKeyBytes: 1_024,
  propertyValueBytes: 1_048_576,
  /**
   * Names and values of all of them together. Every commit of a table prints and stores them anew.
   */
  propertiesBytes: 8_388_608,
  /** A request body, and its JSON. */
  bodyBytes: 67_108_864,
  /** How long a body may stand still. A network that loses packets sends them again sooner. */
  bodyIdleMs: 5_000,
  /** A body that an operator sends. */
  operatorBodyBytes: 65_536,
  jsonDepth: 64,
  /**
   * Values of a body: what 400,000 columns, or as many updates of one id each, need. No client
   * comes near, and a tree of them takes some 150 MB.
   */
  jsonNodes: 2_000_000,
  /** Members of one object of a body: to list their names takes the platform one stretch. */
  jsonMembers: 65_536,
  /**
   * Values of one part of a request that is read within a turn: a partition spec, a sort order, a
   * view version. What real clients fill (schemas, properties, lists of updates and of ids) is read
   * in steps, and has no bound but the body's.
   */
  partValues: 100_000,
  /** Entries of a snapshot's summary, or of the properties that something is made with. */
  mapEntries: 20_000,
  /**
   * Characters of a member's name, and of any other text that a map is keyed by: V8 hashes texts
   * of more than 16,383 by their length alone, so that all of one length collide.
   */
  jsonKeyChars: 8_192,
  /** A name of a field that a request adds, and with those around it, joined by dots. */
  fieldNameBytes: 1_024,
  fullNameBytes: 8_192,
  /** A name of a branch or tag that a request sets. */
  refNameBytes: 1_024,
  /**
   * A metadata file, unpacked, and its JSON. Far more than 100,000 snapshots (some 1 KB and 25
   * values each) beside 20,000 columns (some 120 bytes and 6 values each) in each of ten schemas.
   */
  metadataFileBytes: 268_435_456,
  metadataFileNodes: 8_000_000,
  /** Files and bodies larger than this are read in a thread: less is read within one turn. */
  turnBytes: 1_048_576,
  /** What a thread may take to read one input, and its heap: far more than the largest needs. */
  workMs: 30_000,
  workHeapMib: 2_048,
  /** Metrics reports kept of a table, the newest. */
  reportsPerTable: 100,
  /** A report that is kept; most have a few kibibytes. */
  reportBytes: 262_144,
  /** Reports that wait to be stored behind their answers. */
  reportsWaiting: 1_000,
  reportsWaitingBytes: 8_388_608,
  /** Answers from this size on are compressed for clients on other machines that accept it. */
  compressFromBytes: 262_144,
  /** Compressed answers kept, by their ETags. */
  compressedBytesKept: 67_108_864,
  /** Bytes of request bodies that have come and are not done with: several of the largest. */
  bodyBytesInFlight: 268_435_456,
  /** Commits that wait for their turn on one table; more than that would only wait to time out. */
  commitsWaiting: 64,
  /** What one block of an Avro file may hold, unpacked, and all of them. */
  avroBlockBytes: 67_108_864,
  avroFileBytes: 1_073_741_824,
  /** One page of a list. */
  pageSize: 1_000,
  pageSizeDefault: 100,
  /** Guards of one parent: creators spread over them by name, so that they rarely collide. */
  guards: 8,
  /** Shards of one minute of change records. */
  changeShards: 16,
  /**
   * New snapshots of one batch whose payload and pointers are written before it. Those of more
   * (a registered history) follow in the background, so that no commit waits for them.
   */
  snapshotsInCommit: 100,
  /** Times that a change is planned anew after it lost a race, before the caller learns of it. */
  replans: 10,
  /** Of these, times that another's hold of a location is waited for: a second or so. */
  holdRounds: 8,
  /** When a client may ask again for a location that another is about to take. */
  holdRetryAfterMs: 5_000,
} as const;

export type Limits = { readonly [name in keyof typeof LIMITS]: number };

/**
 * Asserts how the limits hang together. Each line has a schedule behind it that loses data without
 * it.
 */
export function assertLimits(limits: Limits = LIMITS): void {
  const {
    attemptMs,
    signatureLifeMs,
    clockSkewMs,
    marginMs,
    maxPutToCommitMs,
    catalogGcFloorMs,
    tombstoneLifeMs,
    receiptLifeMs,
  } = limits;
  for (const [name, value] of Object.entries(limits)) {
    assert(Number.isSafeInteger(value) && value > 0, `limit ${name} is a positive integer`);
  }
  assert(
    maxPutToCommitMs + signatureLifeMs + clockSkewMs + marginMs <= catalogGcFloorMs,
    "a payload is young until the batch that names it can no longer land",
  );
  const lateMs = attemptMs + signatureLifeMs;
  assert(limits.gcGraceMs >= catalogGcFloorMs, "the grace is no shorter than its floor");
  assert(
    limits.changeSettledMs >= attemptMs + signatureLifeMs + clockSkewMs,
    "a minute of the history is settled once nothing can be added to it",
  );
  assert(
    tombstoneLifeMs >= 2 * (lateMs + clockSkewMs) + marginMs,
    "a tombstone that landed late outlives every request that may still land on its key",
  );
  assert(
    receiptLifeMs >= lateMs + 2 * clockSkewMs + marginMs,
    "a receipt outlives every copy of its batch",
  );
  assert(limits.reportsPerTable <= limits.pageSize, "one list reads all reports of a table");
  assert(limits.reportBytes <= limits.reportsWaitingBytes, "a report may wait to be stored");
  assert(limits.bodyBytes <= limits.bodyBytesInFlight, "the largest body may be taken");
  assert(limits.holdRounds < limits.replans, "who waits for a hold hears of it, not of a contest");
  assert(limits.workMs < attemptMs, "what takes too long to read is refused within an attempt");
  assert(
    limits.jobLeaseMs >= attemptMs + 2 * clockSkewMs,
    "a lease outlives the step that it was renewed for, by every clock",
  );
  assert(limits.pageSizeDefault <= limits.pageSize, "default page fits the largest page");
  assert(limits.segmentBytes <= limits.leafBytes, "a segment fits a leaf");
  assert(limits.leafBytes <= limits.keyBytes, "a leaf fits a key");
}
