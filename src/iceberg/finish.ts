import type { ChunkedList } from "./chunked-list.ts";
import type { Draft } from "./draft.ts";
import { modelInvalid } from "./errors.ts";
import { checkLog } from "./metadata-check.ts";
import { nextMetadataLog } from "./metadata-log.ts";
import { canonicalLayout, stripTrailingSlash, type TableMetadata } from "./model.ts";
import { checkSpec } from "./partition-spec.ts";
import type { SnapshotLogEntry } from "./snapshot.ts";
import { checkOrder } from "./sort-order.ts";

/**
 * The metadata that a draft has become: checks what the updates left behind together, corrects the
 * snapshot log and logs the base's file.
 *
 * @throws CatalogError `Invalid`: the code of the part that does not fit the others.
 */
export function finishDraft(draft: Draft, baseLocation: string | undefined): TableMetadata {
  const { uuid, location, base } = draft;
  const needsUuid = base === undefined || draft.formatVersion > 1;
  if (location === undefined || (uuid === undefined && needsUuid)) {
    throw modelInvalid("UPDATE_INVALID", "a table needs a uuid and a location");
  }
  checkStructure(draft);
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
    metadataLog: nextMetadataLog(base, baseLocation, draft.properties),
    layout: canonicalLayout(draft.formatVersion, base?.layout ?? []),
  };
}

function checkStructure(draft: Draft): void {
  if (draft.base !== undefined && hasStructureOf(draft, draft.base)) return;
  const schema = draft.schemas.find(({ schemaId }) => schemaId === draft.currentSchemaId);
  const spec = draft.specs.find(({ specId }) => specId === draft.defaultSpecId);
  const order = draft.sortOrders.find(({ orderId }) => orderId === draft.defaultSortOrderId);
  if (schema === undefined || spec === undefined || order === undefined) {
    throw modelInvalid("UPDATE_INVALID", "a table needs a schema, a spec and a sort order");
  }
  checkSpec(spec, schema);
  checkOrder(order, schema);
}

/** Whether nothing has moved that the base was not checked for when it was made or read. */
function hasStructureOf(draft: Draft, base: TableMetadata): boolean {
  return (
    draft.schemas === base.schemas &&
    draft.specs === base.specs &&
    draft.sortOrders === base.sortOrders &&
    draft.currentSchemaId === base.currentSchemaId &&
    draft.defaultSpecId === base.defaultSpecId &&
    draft.defaultSortOrderId === base.defaultSortOrderId
  );
}

/**
 * The snapshot log without what was never current for anyone: snapshots added in this request that
 * main left again in it. And where a logged snapshot was removed, without all before it: with a gap
 * the log would claim that its neighbour had been current in its stead.
 */
function correctedLog(draft: Draft): ChunkedList<SnapshotLogEntry> {
  const { addedSnapshotIds, mainSnapshotIds, currentSnapshotId, snapshots } = draft;
  const passing = new Set(
    [...mainSnapshotIds].filter((id) => addedSnapshotIds.has(id) && id !== currentSnapshotId),
  );
  if (passing.size === 0 && !draft.snapshotsRemoved) return draft.snapshotLog;
  let gap = 0;
  if (draft.snapshotsRemoved) {
    let index = 0;
    for (const { snapshotId } of draft.snapshotLog) {
      index++;
      if (!snapshots.has(snapshotId)) gap = index;
    }
  }
  return draft.snapshotLog.filter(
    ({ snapshotId }, index) =>
      index >= gap && snapshots.has(snapshotId) && !passing.has(snapshotId),
  );
}

/**
 * The time of this update: now, or where another writer's clock is ahead of ours but within the
 * tolerance, that writer's time, so that the metadata is never older than its own log.
 */
function updateTime(draft: Draft, log: ChunkedList<SnapshotLogEntry>): number {
  const added = draft.snapshotLog.length - (draft.base?.snapshotLog.length ?? 0);
  if (added === 0) return draft.updateMs;
  // The base's log is in order, so only the entries behind its last one can be out of it.
  checkLog(log.tail(added + 1), draft.updateMs, "SNAPSHOT_INVALID", "snapshot-log");
  return Math.max(draft.updateMs, log.at(-1)?.timestampMs ?? 0);
}
