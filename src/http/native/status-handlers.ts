import { PRIVILEGES, type Privilege } from "../../api/privileges.ts";
import type { Info } from "../../api/resources.ts";
import type {
  Me,
  Shard,
  StatusOperations,
  Usage,
  UsagePeriod,
} from "../../api/status-operations.ts";
import { assertOnAccount } from "../../service/access/request-access.ts";
import { privilegesIn } from "../../service/access/rights.ts";
import { type Actor, DEFAULT_ACCOUNT } from "../../service/actor.ts";
import type { UsagePeriod as Period } from "../../service/usage.ts";
import type { ShardStatus } from "../shard-status.ts";
import type { Handlers } from "./call.ts";
import type { NodeStatus } from "./node-status.ts";
import { timeText } from "./times.ts";

export const STATUS_HANDLERS: Handlers<keyof StatusOperations> = {
  getMe: async ({ actor }) => meOf(actor),
  getNode: async ({ actor, node }) => {
    const isAdmin = actor.account === DEFAULT_ACCOUNT && mayOnAccount(actor, "admin");
    return {
      info: infoOf(actor, node),
      me: meOf(actor),
      ...(mayOnAccount(actor, "read-metadata") && { usage: usageOf(actor, node) }),
      ...(isAdmin && { settings: node.settings }),
    };
  },
  listShards: async ({ actor, node }) => {
    assertOnAccount(actor, "read-metadata");
    return { items: (await node.shards()).map(renderShard) };
  },
  getUsage: async ({ actor, node }) => {
    assertOnAccount(actor, "read-metadata");
    return usageOf(actor, node);
  },
};

export function infoOf({ account }: Actor, node: NodeStatus): Info {
  const postgresPort = node.postgresPort();
  const base = { name: "firn", version: node.version, account } as const;
  return postgresPort === undefined ? base : { ...base, postgresPort };
}

function meOf({ account, principal, rights }: Actor): Me {
  const privileges = rights === undefined ? PRIVILEGES : privilegesIn(rights.on([]));
  return { account, principal, privileges };
}

function usageOf(actor: Actor, node: NodeStatus): Usage {
  const { sinceMs, prices, hours, days, ...figures } = node.usage(actor);
  const { source, asOf, readUnits, writeUnits, s3Puts, s3Gets } = prices;
  return {
    account: actor.account,
    since: timeText(sinceMs),
    prices: { source, asOf, readUnits, writeUnits, s3Puts, s3Gets },
    ...figures,
    hours: hours.map(renderPeriod),
    days: days.map(renderPeriod),
  };
}

/** Whether an actor holds a privilege on its account. */
export function mayOnAccount({ account, rights }: Actor, privilege: Privilege): boolean {
  return rights?.holds(privilege, [{ id: account }]) ?? true;
}

export function renderPeriod({ startMs, ...figures }: Period): UsagePeriod {
  return { start: timeText(startMs), ...figures };
}

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
