import type { TableMetadata } from "./model.ts";
import type { Snapshot } from "./snapshot.ts";

/** A snapshot and those it grew out of, newest first, as far as the table still has them. */
export function ancestorsOf(metadata: TableMetadata, snapshotId: bigint): readonly Snapshot[] {
  const ancestors = new Set<Snapshot>();
  let next = metadata.snapshots.find(snapshotId);
  // A file of another writer may have a circle in it.
  while (next !== undefined && !ancestors.has(next)) {
    ancestors.add(next);
    const { parentSnapshotId } = next;
    next = parentSnapshotId === undefined ? undefined : metadata.snapshots.find(parentSnapshotId);
  }
  return [...ancestors];
}

/**
 * What a reader saw at a time: of the table the snapshot that was current then, by its log; of a
 * branch the newest of its ancestors, since a snapshot that was rolled back is not an answer.
 */
export function snapshotAsOf(
  metadata: TableMetadata,
  timestampMs: number,
  branch?: string,
): Snapshot | undefined {
  if (branch !== undefined) {
    const head = metadata.refs.get(branch);
    if (head === undefined) return undefined;
    const ancestors = ancestorsOf(metadata, head.snapshotId);
    return ancestors.find((snapshot) => snapshot.timestampMs <= timestampMs);
  }
  const log = metadata.snapshotLog.toArray();
  const entry = log.findLast((one) => one.timestampMs <= timestampMs);
  return entry === undefined ? undefined : metadata.snapshots.find(entry.snapshotId);
}

/** All snapshots, the newest first; those of one instant by their ids, the highest first. */
export function newestFirst(metadata: TableMetadata): readonly Snapshot[] {
  return metadata.snapshots.items
    .toArray()
    .sort((a, b) => b.timestampMs - a.timestampMs || (a.snapshotId < b.snapshotId ? 1 : -1));
}
