import type { Actor } from "../../service/actor.ts";
import type { UsageReport } from "../../service/usage.ts";
import type { ShardStatus } from "../shard-status.ts";

/** What a node tells of itself. */
export interface NodeStatus {
  readonly version: string;
  /** The wall time, in milliseconds. */
  nowMs(): number;
  shards(): Promise<readonly ShardStatus[]>;
  usage(actor: Actor): UsageReport;
}
