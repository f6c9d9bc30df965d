import { PRIVILEGES } from "../../api/privileges.ts";
import type { Shard, StatusOperations } from "../../api/status-operations.ts";
import type { Actor } from "../../service/actor.ts";
import type { UsageReport } from "../../service/usage.ts";
import type { Handlers } from "./call.ts";
import { timeText } from "./times.ts";

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

export const STATUS_HANDLERS: Handlers<keyof StatusOperations> = {
  // There are no grants yet: whoever is let in may do everything.
  getMe: async ({ actor: { account, principal } }) => ({
    account,
    principal,
    privileges: PRIVILEGES,
  }),
  listShards: async ({ node }) => ({ items: (await node.shards()).map(renderShard) }),
  getUsage: async ({ actor, node }) => {
    const { sinceMs, prices, ...figures } = node.usage(actor);
    const { source, asOf, readUnits, writeUnits, s3Puts, s3Gets } = prices;
    return {
      account: actor.account,
      since: timeText(sinceMs),
      prices: { source, asOf, readUnits, writeUnits, s3Puts, s3Gets },
      ...figures,
    };
  },
};

function renderShard({ name, levels, ...figures }: ShardStatus): Shard {
  const { epoch, lastSequence, durableSequence } = figures;
  const { memtableBytes, compactionDebtBytes, obsoleteBytes } = figures;
  return {
    name,
    epoch: String(epoch),
    lastSequence: String(lastSequence),
    durableSequence: String(durableSequence),
    memtableBytes: String(memtableBytes),
    compactionDebtBytes: String(compactionDebtBytes),
    obsoleteBytes: String(obsoleteBytes),
    levels: levels.map(({ tables, bytes, entries, deletions }, level) => ({
      level,
      tables,
      bytes: String(bytes),
      entries: String(entries),
      tombstones: String(deletions),
    })),
  };
}
