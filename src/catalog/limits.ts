import { assert } from "../base/assert.ts";
import { assertPositive, LIMITS } from "../base/limits.ts";

/** Maxima and spans of time of the catalog, each with its reason. */
export const CATALOG_LIMITS = {
  /** Dropped entities stay this long before they may be purged, unless a setting says otherwise. */
  dropRetentionMs: 604_800_000,
  /** How long a job is its holder's without a sign of life: every step renews it. */
  jobLeaseMs: 180_000,
  /** How long the record of a job that is over stays readable. */
  jobKeptMs: 604_800_000,
  /** Directories that due jobs spread over. */
  jobBuckets: 4,
  /**
   * A change record's: it is written once and never again, and its own put in S3 costs more
   * than the units of three more kilobytes in a transaction.
   */
  changeRecordBytes: 3_584,
  /** A location claim is a leaf kept as it is. */
  locationBytes: 1_024,
  /** Properties of one entity. */
  properties: 4_096,
  propertyKeyBytes: 1_024,
  propertyValueBytes: 1_048_576,
  /** Keys of one principal: enough for a rotation, and one batch ends them all. */
  principalKeys: 20,
  /** Grants of one principal or role: its payload is read whole. */
  principalGrants: 20_000,
  principalRoles: 1_000,
  /** Metrics reports kept of a table, the newest. */
  reportsPerTable: 100,
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
  /** How far back a record may still be added: an attempt, its requests' life, and the clocks. */
  changeSettledMs: 1_020_000,
} as const;

type CatalogLimits = { readonly [name in keyof typeof CATALOG_LIMITS]: number };

/** Asserts how they hang together, and with those that all share. Runs at every start. */
export function assertCatalogLimits(limits: CatalogLimits = CATALOG_LIMITS): void {
  assertPositive(limits);
  assert(
    limits.jobLeaseMs >= LIMITS.attemptMs + 2 * LIMITS.clockSkewMs,
    "a lease outlives the step that it was renewed for, by every node's clock",
  );
  assert(limits.holdRounds < limits.replans, "a wait for a hold ends before the replans do");
  assert(limits.reportsPerTable <= LIMITS.pageSize, "one list reads all reports of a table");
  assert(
    limits.changeSettledMs >= LIMITS.attemptMs + LIMITS.signatureLifeMs + LIMITS.clockSkewMs,
    "a minute of the history is settled once nothing can be added to it",
  );
}
