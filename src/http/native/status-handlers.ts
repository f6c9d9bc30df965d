import { PRIVILEGES } from "../../api/privileges.ts";
import type { Shard, StatusOperations } from "../../api/status-operations.ts";
import type { Handlers } from "./call.ts";
import type { ShardStatus } from "./node-status.ts";
import { timeText } from "./times.ts";

export const STATUS_HANDLERS: Handlers<keyof StatusOperations> = {
  // There are no grants yet: every caller may do everything.
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
