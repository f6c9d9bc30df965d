import { assert } from "./assert.ts";

/**
 * Maxima and spans of time that several layers share, each with its reason; a layer's own are in
 * its `limits.ts`. They hang together: `assertLimits` of each states how, and runs at every start.
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
  /**
   * A tombstone outlives every request that could still be under way against its key. Its life is
   * told by its writer before it is sent, and it may stand only an attempt and a signature's life
   * later: who read the key just before may be as late again.
   */
  tombstoneLifeMs: 2_100_000,
  receiptLifeMs: 1_800_000,
  /** Operations of one pointer batch (DynamoDB's transaction limit). */
  batchOps: 100,
  /** A pointer's summary: keeps an item within one 1 KB write unit. */
  summaryBytes: 700,
  /** One key, and one listed directory or leaf (DynamoDB's partition and sort key). */
  keyBytes: 2_048,
  leafBytes: 1_024,
  /** A key segment longer than this is stored as the hash of its text. */
  segmentBytes: 200,
  /** A name of a catalog, namespace level, table or view, in UTF-8. */
  nameBytes: 255,
  /** Levels of a nested namespace: its path must fit a listed directory. */
  namespaceLevels: 32,
  /**
   * Names and values of all of them together. Every commit of a table prints and stores them anew.
   */
  propertiesBytes: 8_388_608,
  /** A request body, and its JSON. */
  bodyBytes: 67_108_864,
  /** How long a body may stand still. A network that loses packets sends them again sooner. */
  bodyIdleMs: 5_000,
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
  /**
   * A metadata file, unpacked, and its JSON. Far more than 100,000 snapshots (some 1 KB and 25
   * values each) beside 20,000 columns (some 120 bytes and 6 values each) in each of ten schemas.
   */
  metadataFileBytes: 268_435_456,
  /** Files and bodies larger than this are read in a thread: less is read within one turn. */
  turnBytes: 1_048_576,
  /** What a thread may take to read one input, and its heap: far more than the largest needs. */
  workMs: 30_000,
  workHeapMib: 2_048,
  /** One page of a list. */
  pageSize: 1_000,
} as const;

export type Limits = { readonly [name in keyof typeof LIMITS]: number };

/** @throws FirnError `Internal` where a limit is not a positive integer. */
export function assertPositive(limits: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(limits)) {
    assert(Number.isSafeInteger(value) && value > 0, `limit ${name} is a positive integer`);
  }
}

/**
 * Asserts how the limits hang together. Each line has a schedule behind it that loses data without
 * it.
 */
export function assertLimits(limits: Limits = LIMITS): void {
  const { attemptMs, signatureLifeMs, clockSkewMs, marginMs } = limits;
  assertPositive(limits);
  const lateMs = attemptMs + signatureLifeMs;
  assert(
    limits.tombstoneLifeMs >= 2 * (lateMs + clockSkewMs) + marginMs,
    "a tombstone that landed late outlives every request that may still land on its key",
  );
  assert(
    limits.receiptLifeMs >= lateMs + 2 * clockSkewMs + marginMs,
    "a receipt outlives every copy of its batch",
  );
  assert(limits.workMs < attemptMs, "what takes too long to read is refused within an attempt");
  assert(limits.segmentBytes <= limits.leafBytes, "a segment fits a leaf");
  assert(limits.leafBytes <= limits.keyBytes, "a leaf fits a key");
}
