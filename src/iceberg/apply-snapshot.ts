import type { IdSet } from "../base/id-map.ts";
import { type Steps, VALUES_AT_ONCE } from "../base/steps.ts";
import type { Draft } from "./draft.ts";
import type { EncryptionKey } from "./encryption-key.ts";
import { modelInvalid, staleCommit } from "./errors.ts";
import { ROW_LINEAGE_VERSION, SEQUENCE_NUMBERS_VERSION } from "./model.ts";
import { makeSnapshotLogEntry, type Snapshot } from "./snapshot.ts";
import { snapshotExists } from "./snapshot-list.ts";
import { MAIN_BRANCH, makeSnapshotRef, type RefTarget, sameRef } from "./snapshot-ref.ts";
import type { StatisticsFile } from "./statistics.ts";

const LONG_MAX = 2n ** 63n - 1n;

/**
 * Adds a snapshot; no reference names it yet.
 *
 * @throws FirnError `Conflict`: `COMMIT_STALE_SEQUENCE`, `COMMIT_STALE_ROW_ID`, made against
 * older metadata. `Invalid` `SNAPSHOT_INVALID`: its id is taken, or the table is not complete yet.
 */
export function addSnapshot(draft: Draft, snapshot: Snapshot): void {
  if (draft.schemas.length === 0 || draft.specs.length === 0 || draft.sortOrders.length === 0) {
    throw modelInvalid(
      "SNAPSHOT_INVALID",
      "a snapshot needs a schema, a partition spec and a sort order first",
    );
  }
  if (draft.snapshots.has(snapshot.snapshotId)) throw snapshotExists(snapshot.snapshotId);
  checkSequenceNumber(draft, snapshot);
  const nextRowId = assignRows(draft, snapshot);
  draft.snapshots.append(snapshot);
  draft.lastSequenceNumber = snapshot.sequenceNumber;
  draft.nextRowId = nextRowId;
  draft.addedSnapshotIds.add(snapshot.snapshotId);
  draft.changed = true;
}

/** Every snapshot has a new sequence number; one without a parent may share the last. */
function checkSequenceNumber(draft: Draft, snapshot: Snapshot): void {
  const { sequenceNumber, snapshotId } = snapshot;
  if (draft.formatVersion < SEQUENCE_NUMBERS_VERSION) {
    if (sequenceNumber === 0n) return;
    throw modelInvalid("SNAPSHOT_INVALID", "format version 1 has no sequence numbers", {
      snapshotId,
    });
  }
  const last = draft.lastSequenceNumber;
  if (sequenceNumber > last) return;
  if (sequenceNumber === last && snapshot.parentSnapshotId === undefined) return;
  throw staleCommit(
    "COMMIT_STALE_SEQUENCE",
    "sequence number is not above the last one: load the table again",
    {
      snapshotId,
      sequenceNumber,
      lastSequenceNumber: last,
    },
  );
}

/** The table's next row id behind this snapshot: above every id that its rows have. */
function assignRows(draft: Draft, snapshot: Snapshot): bigint {
  if (draft.formatVersion < ROW_LINEAGE_VERSION) return draft.nextRowId;
  const { firstRowId, addedRows, snapshotId } = snapshot;
  if (firstRowId === undefined || addedRows === undefined) {
    throw modelInvalid("SNAPSHOT_INVALID", "first-row-id is required in this format version", {
      snapshotId,
    });
  }
  if (firstRowId < draft.nextRowId) {
    throw staleCommit(
      "COMMIT_STALE_ROW_ID",
      "first-row-id is below next-row-id: load the table again",
      {
        snapshotId,
        firstRowId,
        nextRowId: draft.nextRowId,
      },
    );
  }
  const nextRowId = firstRowId + addedRows;
  if (nextRowId > LONG_MAX) {
    throw modelInvalid("SNAPSHOT_INVALID", "row ids are exhausted", { snapshotId });
  }
  return nextRowId;
}

/**
 * Points a branch or tag at a snapshot. Pointing main makes the snapshot current and logs it.
 *
 * @throws FirnError `Invalid` `SNAPSHOT_REF_INVALID`: no such snapshot, or main as a tag.
 */
export function setSnapshotRef(draft: Draft, name: string, target: RefTarget): void {
  const existing = draft.refs.get(name);
  if (existing !== undefined && sameRef(existing, target)) return;
  const snapshot = draft.snapshots.find(target.snapshotId);
  if (snapshot === undefined) {
    throw modelInvalid("SNAPSHOT_REF_INVALID", "snapshot does not exist", {
      ref: name,
      snapshotId: target.snapshotId,
    });
  }
  if (name === MAIN_BRANCH) {
    if (target.type !== "branch") {
      throw modelInvalid("SNAPSHOT_REF_INVALID", "main must be a branch", { ref: name });
    }
    setCurrentSnapshot(draft, snapshot);
  }
  draft.refs.set(name, makeSnapshotRef(target));
  draft.changed = true;
}

function setCurrentSnapshot(draft: Draft, snapshot: Snapshot): void {
  const { snapshotId } = snapshot;
  if (snapshotId === draft.currentSnapshotId) return;
  draft.currentSnapshotId = snapshotId;
  draft.mainSnapshotIds.add(snapshotId);
  // Going back to an older snapshot happens now, not when that snapshot was made.
  const added = draft.addedSnapshotIds.has(snapshotId);
  const timestampMs = added ? snapshot.timestampMs : draft.updateMs;
  draft.addedLog.push(makeSnapshotLogEntry(timestampMs, snapshotId));
}

/** Removes a branch or tag; without main, the table has no current snapshot. */
export function removeSnapshotRef(draft: Draft, name: string): void {
  if (name === MAIN_BRANCH && draft.currentSnapshotId !== undefined) {
    draft.currentSnapshotId = undefined;
    draft.changed = true;
  }
  if (draft.refs.delete(name)) draft.changed = true;
}

/** Removes snapshots with their statistics and every reference to them; unknown ids are ignored. */
export function* removeSnapshots(draft: Draft, snapshotIds: IdSet<bigint>): Steps<void> {
  const removed: bigint[] = [];
  let looked = 0;
  for (const id of snapshotIds) {
    if (draft.snapshots.remove(id)) removed.push(id);
    if (++looked % VALUES_AT_ONCE === 0) yield;
  }
  if (removed.length === 0) return;
  draft.snapshotsRemoved = true;
  draft.changed = true;
  for (const id of removed) {
    draft.statistics.remove(String(id));
    draft.partitionStatistics.remove(String(id));
    for (const name of draft.refs.namesOf(id)) removeSnapshotRef(draft, name);
    if (++looked % VALUES_AT_ONCE === 0) yield;
  }
  // Metadata of another writer may have a current snapshot and no main.
  const current = draft.currentSnapshotId;
  if (current !== undefined && snapshotIds.has(current)) draft.currentSnapshotId = undefined;
}

/** A snapshot has at most one statistics file, and at most one of partition statistics. */
export function setStatistics(
  draft: Draft,
  kind: "statistics" | "partitionStatistics",
  file: StatisticsFile,
): void {
  draft[kind].remove(String(file.snapshotId));
  draft[kind].append(file);
  draft.changed = true;
}

export function removeStatistics(
  draft: Draft,
  kind: "statistics" | "partitionStatistics",
  snapshotId: bigint,
): void {
  if (draft[kind].remove(String(snapshotId))) draft.changed = true;
}

/** Adds a key; one that is there already stays as it is. */
export function addEncryptionKey(draft: Draft, key: EncryptionKey): void {
  if (draft.encryptionKeys.get(key.keyId) !== undefined) return;
  draft.encryptionKeys.append(key);
  draft.changed = true;
}

export function removeEncryptionKey(draft: Draft, keyId: string): void {
  if (draft.encryptionKeys.remove(keyId)) draft.changed = true;
}
