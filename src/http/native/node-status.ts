import type { Actor } from "../../service/actor.ts";
import type { UsageReport } from "../../service/usage.ts";

/** One LSM tree, as the process that owns it sees it. */
export interface ShardStatus {
  readonly name: string;
  readonly epoch: number;
  readonly lastSequence: number;
  readonly durableSequence: number;
  readonly memtableBytes: number;
  readonly compactionDebtBytes: number;
  readonly obsoleteBytes: number;
  /** Level 0 first, then the sorted runs, newest first. */
  readonly levels: readonly {
    readonly tables: number;
    readonly bytes: number;
    readonly entries: number;
    readonly deletions: number;
  }[];
}

/** What a node tells of itself. */
export interface NodeStatus {
  readonly version: string;
  shards(): Promise<readonly ShardStatus[]>;
  usage(actor: Actor): UsageReport;
}
