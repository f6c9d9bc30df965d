import { type JsonObject, jsonKeys } from "../base/json.ts";
import type { Snapshot } from "../catalog/model.ts";
import type { SnapshotChange } from "../catalog/snapshots.ts";
import type { TableMetadata } from "../iceberg/model.ts";
import type { Snapshot as IcebergSnapshot } from "../iceberg/snapshot.ts";
import { SnapshotList } from "../iceberg/snapshot-list.ts";

const NONE = SnapshotList.of([]);

/** What the catalog keeps of a snapshot of an Iceberg table. */
export function catalogSnapshot(snapshot: IcebergSnapshot): Snapshot {
  const { parentSnapshotId, schemaId, fragment } = snapshot;
  const { operation = "", ...summary } = summaryOf(fragment.object);
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
function summaryOf(snapshot: JsonObject): Readonly<Record<string, string>> {
  const summary = (snapshot["summary"] ?? {}) as JsonObject;
  return Object.fromEntries(jsonKeys(summary).map((key) => [key, String(summary[key])]));
}

/** What a change of metadata does to the snapshots; `base`: undefined for a new table. */
export function snapshotChange(
  base: TableMetadata | undefined,
  next: TableMetadata,
): SnapshotChange | undefined {
  const before = base?.snapshots ?? NONE;
  const added = next.snapshots.lacking(before);
  const removed = before.lacking(next.snapshots);
  if (added.length === 0 && removed.length === 0) return undefined;
  return {
    added: {
      length: added.length,
      slice: (from, to) => added.slice(from, to).map(catalogSnapshot),
    },
    removed: removed.map(({ snapshotId, timestampMs }) => ({ snapshotId, timestampMs })),
  };
}
