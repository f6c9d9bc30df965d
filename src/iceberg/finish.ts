import type { Draft } from "./draft.ts";
import { modelInvalid } from "./errors.ts";
import { CLOCK_TOLERANCE_MS, checkLog, checkRefs } from "./metadata-check.ts";
import { canonicalLayout, stripTrailingSlash, type TableMetadata } from "./model.ts";
import { checkSpec } from "./partition-spec.ts";
import { type MetadataLogEntry, makeMetadataLogEntry, type SnapshotLogEntry } from "./snapshot.ts";
import { checkOrder } from "./sort-order.ts";

const PREVIOUS_VERSIONS_MAX = "write.metadata.previous-versions-max";
const PREVIOUS_VERSIONS_MAX_DEFAULT = 100;
const DELETE_AFTER_COMMIT = "write.metadata.delete-after-commit.enabled";
const INTEGER = /^[+-]?\d{1,15}$/;

/**
 * The metadata that a draft has become: checks what the updates left behind together, corrects the
 * snapshot log and logs the base's file.
 *
 * @throws CatalogError `Invalid`: the code of the part that does not fit the others.
 */
export function finishDraft(draft: Draft, baseLocation: string | undefined): TableMetadata {
  const { uuid, location, base } = draft;
  if (location === undefined || uuid === undefined) {
    throw modelInvalid("UPDATE_INVALID", "a table needs a uuid and a location");
  }
  checkStructure(draft);
  checkRefs(draft.refs, draft.snapshots, draft.currentSnapshotId);
  const snapshotLog = correctedLog(draft);
  const lastUpdatedMs = updateTime(draft, snapshotLog);
  return {
    formatVersion: draft.formatVersion,
    uuid,
    location: stripTrailingSlash(location),
    lastSequenceNumber: draft.lastSequenceNumber,
    lastUpdatedMs,
    lastColumnId: draft.lastColumnId,
    currentSchemaId: draft.currentSchemaId,
    schemas: draft.schemas,
    defaultSpecId: draft.defaultSpecId,
    specs: draft.specs,
    lastPartitionId: draft.lastPartitionId,
    defaultSortOrderId: draft.defaultSortOrderId,
    sortOrders: draft.sortOrders,
    properties: draft.properties,
    currentSnapshotId: draft.currentSnapshotId,
    nextRowId: draft.nextRowId,
    encryptionKeys: draft.encryptionKeys,
    refs: draft.refs,
    snapshots: draft.snapshots,
    statistics: draft.statistics,
    partitionStatistics: draft.partitionStatistics,
    snapshotLog,
    metadataLog: nextMetadataLog(draft, baseLocation),
    layout: canonicalLayout(draft.formatVersion, base?.layout ?? []),
  };
}

function checkStructure(draft: Draft): void {
  const schema = draft.schemas.find(({ schemaId }) => schemaId === draft.currentSchemaId);
  const spec = draft.specs.find(({ specId }) => specId === draft.defaultSpecId);
  const order = draft.sortOrders.find(({ orderId }) => orderId === draft.defaultSortOrderId);
  if (schema === undefined || spec === undefined || order === undefined) {
    throw modelInvalid("UPDATE_INVALID", "a table needs a schema, a spec and a sort order");
  }
  checkSpec(spec, schema);
  checkOrder(order, schema);
}

/**
 * The snapshot log without what was never current for anyone: snapshots added in this request that
 * main left again in it. And where a logged snapshot was removed, without all before it: with a gap
 * the log would claim that its neighbour had been current in its stead.
 */
function correctedLog(draft: Draft): readonly SnapshotLogEntry[] {
  const { addedSnapshotIds, mainSnapshotIds, currentSnapshotId, snapshots } = draft;
  const passing = new Set(
    [...mainSnapshotIds].filter((id) => addedSnapshotIds.has(id) && id !== currentSnapshotId),
  );
  if (passing.size === 0 && !draft.snapshotsRemoved) return draft.snapshotLog;
  let log: SnapshotLogEntry[] = [];
  for (const entry of draft.snapshotLog) {
    if (!snapshots.has(entry.snapshotId)) {
      if (draft.snapshotsRemoved) log = [];
    } else if (!passing.has(entry.snapshotId)) {
      log.push(entry);
    }
  }
  if (currentSnapshotId !== undefined && log.at(-1)?.snapshotId !== currentSnapshotId) {
    throw modelInvalid("UPDATE_INVALID", "the log does not end with the current snapshot", {
      currentSnapshotId,
    });
  }
  return log;
}

/**
 * The time of this update: now, or where another writer's clock is ahead of ours but within the
 * tolerance, that writer's time, so that the metadata is never older than its own log.
 */
function updateTime(draft: Draft, log: readonly SnapshotLogEntry[]): number {
  if (draft.mainSnapshotIds.size === 0) return draft.updateMs;
  checkLog(log, draft.updateMs, "snapshot-log");
  const last = log.at(-1)?.timestampMs ?? draft.updateMs;
  return Math.max(draft.updateMs, Math.min(last, draft.updateMs + CLOCK_TOLERANCE_MS));
}

function nextMetadataLog(
  draft: Draft,
  baseLocation: string | undefined,
): readonly MetadataLogEntry[] {
  const { base } = draft;
  if (base === undefined) return [];
  if (baseLocation === undefined) return base.metadataLog;
  const max = Math.max(1, integerProperty(draft.properties, PREVIOUS_VERSIONS_MAX));
  const kept = base.metadataLog.slice(Math.max(0, base.metadataLog.length - max + 1));
  return [...kept, makeMetadataLogEntry(base.lastUpdatedMs, baseLocation)];
}

/** A value that is no integer counts as the default: a property must not end a table's commits. */
function integerProperty(properties: ReadonlyMap<string, string>, name: string): number {
  const value = properties.get(name) ?? "";
  return INTEGER.test(value) ? Number(value) : PREVIOUS_VERSIONS_MAX_DEFAULT;
}

/**
 * Metadata files that fell out of the log with a commit and may be deleted after it: none unless
 * the table's properties ask for that.
 */
export function removedMetadataFiles(base: TableMetadata, next: TableMetadata): readonly string[] {
  if (next.properties.get(DELETE_AFTER_COMMIT)?.toLowerCase() !== "true") return [];
  const kept = new Set(next.metadataLog.map((entry) => entry.metadataFile));
  const files = base.metadataLog.map((entry) => entry.metadataFile);
  return files.filter((file) => !kept.has(file));
}
