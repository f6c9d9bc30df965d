import { IdSet } from "../base/id-map.ts";
import { printTableMetadata } from "./metadata.ts";
import type { TableMetadata } from "./model.ts";

/**
 * The metadata printed with only the snapshots that references name, for `snapshots=refs`. Logs,
 * statistics and all else stay: a client that wants more asks for all snapshots.
 */
export function snapshotsOfRefs(metadata: TableMetadata): readonly Uint8Array[] {
  const named = new IdSet(Array.from(metadata.refs.values(), (ref) => ref.snapshotId));
  const snapshots = metadata.snapshots.filter(({ snapshotId }) => named.has(snapshotId));
  return printTableMetadata({ ...metadata, snapshots });
}
