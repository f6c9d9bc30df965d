import type { StoredShardOwner } from "../catalog/codec/shard-owner.ts";
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

/** A shard of row tables that nodes share. */
export interface SharedShardStatus {
  /** Absent where no node has owned it. */
  readonly owner?: StoredShardOwner | undefined;
  /** Its figures, where this node has it open. */
  readonly status?: ShardStatus | undefined;
}

/** Shards of row tables that several nodes share, by the ids of their catalogs. */
export interface SharedShardAdmin {
  list(ids: readonly string[]): Promise<readonly SharedShardStatus[]>;
  /** Moves a shard to this node. @throws FirnError `PEER_UNREACHABLE`, `PEER_LOST`. */
  move(id: string): Promise<void>;
  /** @throws as `move`. */
  drain(id: string): Promise<void>;
  /** @throws FirnError `SHARD_OWNER_ALIVE`. */
  release(id: string): Promise<void>;
}
