import type { NodeSetting } from "../../api/status-operations.ts";
import type { Engine } from "../../lsm/index.ts";
import type { Actor } from "../../service/actor.ts";
import type { UsageReport } from "../../service/usage.ts";
import type { ShardStatus, SharedShardAdmin } from "../shard-status.ts";

/** What a node tells of itself. */
export interface NodeStatus {
  readonly version: string;
  /** The wall time, in milliseconds. */
  nowMs(): number;
  shards(): Promise<readonly ShardStatus[]>;
  /** Of a shard that this process has open. */
  levelsOf(shard: string, engine: Engine): Promise<ShardStatus>;
  /** Absent where this node owns all of its shards. */
  readonly shared?: SharedShardAdmin | undefined;
  usage(actor: Actor): UsageReport;
  /** Without what is secret. */
  readonly settings: readonly NodeSetting[];
  /** Where PostgreSQL clients connect; undefined: nowhere. */
  postgresPort(): number | undefined;
}
