import { IdSet } from "../base/id-map.ts";
import { type Steps, VALUES_AT_ONCE } from "../base/steps.ts";
import { printTableSteps } from "./metadata.ts";
import type { TableMetadata } from "./model.ts";
import type { Snapshot } from "./snapshot.ts";

/**
 * The metadata printed with only the snapshots that references name, for `snapshots=refs`. Logs,
 * statistics and all else stay: a client that wants more asks for all snapshots.
 */
export function* refSnapshotSteps(metadata: TableMetadata): Steps<readonly Uint8Array[]> {
  const named = new IdSet<bigint>();
  let looked = 0;
  for (const { snapshotId } of metadata.refs.values()) {
    named.add(snapshotId);
    if (++looked % VALUES_AT_ONCE === 0) yield;
  }
  const stays = ({ snapshotId }: Snapshot): boolean => named.has(snapshotId);
  const snapshots = yield* metadata.snapshots.filterSteps(stays);
  return yield* printTableSteps({ ...metadata, snapshots });
}
