import { PRIVILEGES } from "../../api/privileges.ts";
import type { Shard, StatusOperations } from "../../api/status-operations.ts";
import { assertOnAccount } from "../../service/access/request-access.ts";
import { privilegesIn } from "../../service/access/rights.ts";
import type { ShardStatus } from "../shard-status.ts";
import type { Handlers } from "./call.ts";
import { timeText } from "./times.ts";

export const STATUS_HANDLERS: Handlers<keyof StatusOperations> = {
  getMe: async ({ actor: { account, principal, rights } }) => ({
    account,
    principal,
    privileges: rights === undefined ? PRIVILEGES : privilegesIn(rights.on([])),
  }),
  listShards: async ({ actor, node }) => {
    assertOnAccount(actor, "read-metadata");
    return { items: (await node.shards()).map(renderShard) };
  },
  getUsage: async ({ actor, node }) => {
    assertOnAccount(actor, "read-metadata");
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
