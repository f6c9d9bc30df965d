import { IdSet } from "../base/id-map.ts";
import { type Steps, VALUES_AT_ONCE } from "../base/steps.ts";
import { ChunkedList } from "./chunked-list.ts";
import { checkPropertiesSize } from "./common-updates.ts";
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
 * @throws FirnError `Invalid`: the code of the part that does not fit the others.
 */
export function* finishDraft(draft: Draft, baseLocation: string | undefined): Steps<TableMetadata> {
  const { uuid, location, base } = draft;
  const needsUuid = base === undefined || draft.formatVersion > 1;
  if (location === undefined || (uuid === undefined && needsUuid)) {
    throw modelInvalid("UPDATE_INVALID", "a table needs a UUID and a location");
  }
  yield* checkPropertiesSize(draft, "TABLE_PROPERTY_INVALID");
  const schemas = draft.schemas.toArray();
  const specs = draft.specs.toArray();
  const sortOrders = draft.sortOrders.toArray();
  if (base === undefined || !hasStructureOf(draft, { schemas, specs, sortOrders }, base)) {
    checkStructure(draft);
  }
  yield;
  const snapshots = yield* draft.snapshots.toList();
  yield;
  const snapshotLog = yield* correctedLog(draft);
  yield;
  const lastUpdatedMs = updateTime(draft, snapshotLog);
  return {
    formatVersion: draft.formatVersion,
    uuid,
    location: stripTrailingSlash(location),
    lastSequenceNumber: draft.lastSequenceNumber,
    lastUpdatedMs,
    lastColumnId: draft.lastColumnId,
    currentSchemaId: draft.currentSchemaId,
    schemas,
    defaultSpecId: draft.defaultSpecId,
    specs,
    lastPartitionId: draft.lastPartitionId,
    defaultSortOrderId: draft.defaultSortOrderId,
    sortOrders,
    properties: draft.properties,
    currentSnapshotId: draft.currentSnapshotId,
    nextRowId: draft.nextRowId,
    encryptionKeys: draft.encryptionKeys.toArray(),
    refs: draft.refs.toMap(),
    snapshots,
    statistics: draft.statistics.toArray(),
    partitionStatistics: draft.partitionStatistics.toArray(),
    snapshotLog,
    metadataLog: nextMetadataLog(base, baseLocation, draft.properties),
    layout: canonicalLayout(draft.formatVersion, base?.layout ?? []),
  };
}

function checkStructure(draft: Draft): void {
  const schema = draft.schemas.get(String(draft.currentSchemaId));
  const spec = draft.specs.get(String(draft.defaultSpecId));
  const order = draft.sortOrders.get(String(draft.defaultSortOrderId));
  if (schema === undefined || spec === undefined || order === undefined) {
    throw modelInvalid(
      "UPDATE_INVALID",
      "a table needs a schema, a partition spec and a sort order",
    );
  }
  checkSpec(spec, schema);
  checkOrder(order, schema);
}

/** Whether nothing has moved that the base was not checked for when it was made or read. */
function hasStructureOf(
  draft: Draft,
  { schemas, specs, sortOrders }: Pick<TableMetadata, "schemas" | "specs" | "sortOrders">,
  base: TableMetadata,
): boolean {
  return (
    schemas === base.schemas &&
    specs === base.specs &&
    sortOrders === base.sortOrders &&
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
function* correctedLog(draft: Draft): Steps<ChunkedList<SnapshotLogEntry>> {
  const { addedSnapshotIds, mainSnapshotIds, currentSnapshotId, snapshots } = draft;
  const passing = new IdSet(
    [...mainSnapshotIds].filter((id) => addedSnapshotIds.has(id) && id !== currentSnapshotId),
  );
  const log = loggedBefore(draft).appendAll(draft.addedLog);
  if (passing.size === 0 && !draft.snapshotsRemoved) return log;
  let gap = 0;
  if (draft.snapshotsRemoved) {
    let index = 0;
    for (const { snapshotId } of log) {
      index++;
      if (!snapshots.has(snapshotId)) gap = index;
      if (index % VALUES_AT_ONCE === 0) yield;
    }
  }
  return yield* log.filterSteps(
    ({ snapshotId }, index) =>
      index >= gap && snapshots.has(snapshotId) && !passing.has(snapshotId),
  );
}

function loggedBefore({ base }: Draft): ChunkedList<SnapshotLogEntry> {
  return base?.snapshotLog ?? ChunkedList.of([]);
}

/**
 * The time of this update: now, or a snapshot's own, where its writer's clock is ahead of ours, so
 * that the metadata is never older than its own log.
 */
function updateTime(draft: Draft, log: ChunkedList<SnapshotLogEntry>): number {
  const added = draft.addedLog.length;
  if (added === 0) return draft.updateMs;
  const updateMs = Math.max(draft.updateMs, log.at(-1)?.timestampMs ?? 0);
  // The base's log is in order, so only the entries behind its last one can be out of it.
  checkLog(log.tail(added + 1), updateMs, "SNAPSHOT_INVALID", "snapshot-log");
  return updateMs;
}
