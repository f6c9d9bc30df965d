import { type JsonObject, jsonKeys } from "../base/json.ts";
import type { Steps } from "../base/steps.ts";
import type { TableSnapshot } from "../catalog/model.ts";
import type { SnapshotChange } from "../catalog/snapshots.ts";
import type { TableMetadata } from "../iceberg/model.ts";
import type { Snapshot as IcebergSnapshot } from "../iceberg/snapshot.ts";
import { SnapshotList } from "../iceberg/snapshot-list.ts";

const NONE = SnapshotList.of([]);

/** What the catalog keeps of a snapshot of an Iceberg table. */
export function catalogSnapshot(snapshot: IcebergSnapshot): TableSnapshot {
  const { parentSnapshotId, schemaId, fragment } = snapshot;
  const { operation, summary } = summaryOf(fragment.object);
  return {
    snapshotId: snapshot.snapshotId,
    timestampMs: snapshot.timestampMs,
    sequenceNumber: snapshot.sequenceNumber,
    manifestList: snapshot.manifestList ?? "",
    operation,
    summary,
    ...(parentSnapshotId === undefined ? {} : { parentSnapshotId }),
    ...(schemaId === undefined ? {} : { schemaId }),
  };
}

/** Strings all of them, as was checked when the snapshot was parsed. */
function summaryOf(snapshot: JsonObject): Pick<TableSnapshot, "operation" | "summary"> {
  const given = (snapshot["summary"] ?? {}) as JsonObject;
  const summary: Record<string, string> = {};
  let operation = "";
  for (const key of jsonKeys(given)) {
    if (key === "operation") operation = String(given[key]);
    else summary[key] = String(given[key]);
  }
  return { operation, summary };
}

/** What a change of metadata does to the snapshots; `base`: undefined for a new table. */
export function* snapshotChange(
  base: TableMetadata | undefined,
  next: TableMetadata,
): Steps<SnapshotChange | undefined> {
  const before = base?.snapshots ?? NONE;
  const added = yield* next.snapshots.lackingSteps(before);
  const removed = yield* before.lackingSteps(next.snapshots);
  if (added.length === 0 && removed.length === 0) return undefined;
  return {
    added: {
      length: added.length,
      slice: (from, to) => added.slice(from, to).map(catalogSnapshot),
    },
    removed: removed.map(({ snapshotId, timestampMs }) => ({ snapshotId, timestampMs })),
  };
}
