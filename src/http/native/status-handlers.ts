import { PRIVILEGES, type Privilege } from "../../api/privileges.ts";
import type { Info } from "../../api/resources.ts";
import type {
  Me,
  Shard,
  StatusOperations,
  Usage,
  UsagePeriod,
} from "../../api/status-operations.ts";
import { FirnError, invalid } from "../../base/error.ts";
import { LIMITS } from "../../base/limits.ts";
import type { StoredShardOwner } from "../../catalog/codec/shard-owner.ts";
import { FIRST_SHARD } from "../../rows/index.ts";
import { assertOnAccount } from "../../service/access/request-access.ts";
import { privilegesIn } from "../../service/access/rights.ts";
import { type Actor, DEFAULT_ACCOUNT } from "../../service/actor.ts";
import type { ModelService } from "../../service/resources/service.ts";
import type { UsagePeriod as Period } from "../../service/usage.ts";
import type { ShardStatus, SharedShardAdmin } from "../shard-status.ts";
import type { Call, Handlers } from "./call.ts";
import { catalogOf } from "./names.ts";
import type { NodeStatus } from "./node-status.ts";
import { renderCatalog, renderJob, renderSummary } from "./render.ts";
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
  listShards: async (call) => {
    const { actor, node, service } = call;
    assertOnAccount(actor, "read-metadata");
    const own = (await node.shards()).map((status) => renderShard(status));
    const known = await rowShardsOf(service, actor);
    const rows =
      node.shared === undefined
        ? await ownedShards(call, known)
        : await sharedShards(node.shared, known);
    return { items: [...own, ...rows] };
  },
  createShard: async (call) => {
    const { actor, service, params, body, node } = call;
    const place = catalogOf(params);
    const { id, name } = await service.rowShards.create(actor, place, body.name);
    const catalog = renderCatalog(await service.catalogs.get(actor, place)).name;
    const known = [{ id, catalog, name }];
    const shown =
      node.shared === undefined
        ? await ownedShards(call, known)
        : await sharedShards(node.shared, known);
    return shown[0] ?? notFound(catalog);
  },
  dropShard: async ({ actor, service, params, query: { shard = FIRST_SHARD } }) =>
    renderJob(
      await service.jobs.begun(
        actor,
        await service.rowShards.drop(actor, catalogOf(params), shard),
      ),
    ),
  moveShard: (call) => changeShard(call, (shared, id) => shared.move(id)),
  drainShard: (call) => changeShard(call, (shared, id) => shared.drain(id)),
  releaseShard: (call) => changeShard(call, (shared, id) => shared.release(id)),
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

/** A shard of row tables: its id, its catalog's name and its own. */
interface RowShardName {
  readonly id: string;
  readonly catalog: string;
  readonly name: string;
}

async function rowShardsOf(service: ModelService, actor: Actor): Promise<readonly RowShardName[]> {
  const found: RowShardName[] = [];
  for (let pageToken: string | undefined; ; ) {
    const asked = { pageSize: LIMITS.pageSize, ...(pageToken !== undefined && { pageToken }) };
    const page = await service.catalogs.list(actor, asked);
    for (const { name: catalog } of page.items.map((item) => renderSummary(item))) {
      const shards = await service.rowShards.list(actor, { catalog: { name: catalog } });
      found.push(...shards.map(({ id, name }) => ({ id, catalog, name })));
    }
    pageToken = page.nextPageToken;
    if (pageToken === undefined) return found;
  }
}

/** Those that some node has owned. */
async function sharedShards(
  shared: SharedShardAdmin,
  known: readonly RowShardName[],
): Promise<readonly Shard[]> {
  const found = await shared.list(known.map(({ id }) => id));
  return found.flatMap(({ owner, status }, i) => {
    const of = known[i];
    return owner === undefined || of === undefined ? [] : [renderShared(of, owner, status)];
  });
}

/** Those that this process has opened: it alone owns them. */
async function ownedShards(
  { actor, node, service }: Pick<Call<"listShards">, "actor" | "node" | "service">,
  known: readonly RowShardName[],
): Promise<readonly Shard[]> {
  const shown: Shard[] = [];
  for (const { id, catalog, name: shard } of known) {
    const engine = await service.rowShards.opened(actor, id);
    if (engine === undefined) continue;
    shown.push({ ...renderShard(await node.levelsOf(id, engine)), catalog, shard });
  }
  return shown;
}

type ShardCall = Call<"moveShard" | "drainShard" | "releaseShard">;

async function changeShard(
  { actor, service, params, query, node }: ShardCall,
  change: (shared: SharedShardAdmin, id: string) => Promise<void>,
): Promise<Shard> {
  assertOnAccount(actor, "admin");
  const { shared } = node;
  if (shared === undefined) {
    throw invalid("SHARDS_NOT_SHARED", "one process owns all shards of this profile");
  }
  const place = catalogOf(params);
  const { name: catalog } = renderCatalog(await service.catalogs.get(actor, place));
  const { shard = FIRST_SHARD } = query;
  const found = (await service.rowShards.list(actor, place)).find(({ name }) => name === shard);
  if (found === undefined) return notFound(catalog);
  await change(shared, found.id);
  const [shown] = await sharedShards(shared, [{ ...found, catalog }]);
  return shown ?? notFound(catalog);
}

function notFound(catalog: string): never {
  const message = "the catalog has no such row shard yet: its first row table makes the default";
  throw new FirnError("NotFound", "SHARD_NOT_FOUND", message, { catalog });
}

const NO_FIGURES: Omit<ShardStatus, "name" | "epoch"> = {
  lastSequence: 0,
  durableSequence: 0,
  memtableBytes: 0,
  compactionDebtBytes: 0,
  obsoleteBytes: 0,
  levels: [],
};

function renderShared(
  { id: name, catalog, name: shard }: RowShardName,
  { epoch, state, node, host, url, sinceMs }: StoredShardOwner,
  status: ShardStatus | undefined,
): Shard {
  const figures = { ...(status ?? NO_FIGURES), name, epoch };
  const since = timeText(sinceMs);
  const owner = { state, node, host, url, since, isHere: status !== undefined };
  return { ...renderShard(figures), catalog, shard, owner };
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
