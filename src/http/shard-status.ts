import type { LsmStats } from "../lsm/index.ts";

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
  readonly levels: LsmStats["tree"]["levels"];
}
