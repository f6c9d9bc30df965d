import { type ModelCode, modelInvalid } from "./errors.ts";
import type { TableMetadata } from "./model.ts";
import type { MetadataLogEntry, SnapshotLogEntry } from "./snapshot.ts";
import type { SnapshotList } from "./snapshot-list.ts";
import { MAIN_BRANCH, type SnapshotRef } from "./snapshot-ref.ts";

/** Writers' clocks may differ by this much before a log counts as out of order. */
const CLOCK_TOLERANCE_MS = 60_000;

/**
 * What has to hold between the parts of one table metadata.
 *
 * @throws FirnError `Invalid` `METADATA_INVALID`.
 */
export function checkMetadata(metadata: TableMetadata): void {
  const { lastSequenceNumber, snapshots, refs, currentSnapshotId, lastUpdatedMs } = metadata;
  for (const { sequenceNumber, snapshotId } of snapshots.items) {
    if (sequenceNumber > lastSequenceNumber) {
      throw modelInvalid("METADATA_INVALID", "snapshot is newer than the last sequence number", {
        snapshotId,
        sequenceNumber,
        lastSequenceNumber,
      });
    }
  }
  if (currentSnapshotId !== undefined && !snapshots.has(currentSnapshotId)) {
    throw modelInvalid("METADATA_INVALID", "current snapshot does not exist", {
      currentSnapshotId,
    });
  }
  checkRefs(refs, snapshots, currentSnapshotId);
  checkLog(metadata.snapshotLog, lastUpdatedMs, "METADATA_INVALID", "snapshot-log");
  checkLog(metadata.metadataLog, lastUpdatedMs, "METADATA_INVALID", "metadata-log");
}

/** References name snapshots that exist, and main is the current one. */
function checkRefs(
  refs: ReadonlyMap<string, SnapshotRef>,
  snapshots: SnapshotList,
  currentSnapshotId: bigint | undefined,
): void {
  for (const [name, { snapshotId }] of refs) {
    if (!snapshots.has(snapshotId)) {
      throw modelInvalid("METADATA_INVALID", "snapshot of a reference does not exist", {
        ref: name,
        snapshotId,
      });
    }
  }
  const main = refs.get(MAIN_BRANCH);
  if (main === undefined) return;
  if (main.type !== "branch" || main.snapshotId !== currentSnapshotId) {
    throw modelInvalid("METADATA_INVALID", "main is not the branch of the current snapshot");
  }
}

/**
 * Entries are in the order of time, and none is younger than the metadata, tolerance aside.
 *
 * @throws FirnError `Invalid`, the code given.
 */
export function checkLog(
  log: Iterable<SnapshotLogEntry | MetadataLogEntry>,
  lastUpdatedMs: number,
  code: ModelCode,
  path: string,
): void {
  let last = Number.NEGATIVE_INFINITY;
  for (const { timestampMs } of log) {
    if (timestampMs < last - CLOCK_TOLERANCE_MS) {
      throw modelInvalid(code, "log is not in the order of time", { path });
    }
    last = timestampMs;
  }
  if (lastUpdatedMs < last - CLOCK_TOLERANCE_MS) {
    throw modelInvalid(code, "log is ahead of the last update", { path });
  }
}
