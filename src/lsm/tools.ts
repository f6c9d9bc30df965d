/** The other door: what works on a shard without its engine, as the commands `firn lsm` do. */

export type { Manifest } from "./format/manifest.ts";
export { isUlid } from "./format/ulid.ts";
export { noShard, type ShardFiles } from "./manifest/shard-files.ts";
export { type Cloned, cloneShard } from "./tools/clone.ts";
export { deleteShard } from "./tools/delete.ts";
export { ExternalCheckpoints } from "./tools/external-checkpoints.ts";
export { inspectLog, inspectShard, inspectTable } from "./tools/inspect.ts";
export { type ReadableStates, readableStates } from "./tools/readable-states.ts";
export type { Loss } from "./tools/repair/loss.ts";
export {
  assertRepairable,
  type Repaired,
  type RepairSource,
  type RepairTarget,
  repairShard,
} from "./tools/repair/repair.ts";
export { placeTaken } from "./tools/repair/write-run.ts";
export {
  type KeepReplaced,
  type Restored,
  type RestoreParts,
  restoreShard,
} from "./tools/restore.ts";
export { type Verified, verifyShard } from "./tools/verify.ts";
export type { Finding } from "./tools/verify-table.ts";
