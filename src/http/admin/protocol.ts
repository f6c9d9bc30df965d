import type { IncomingMessage } from "node:http";
import type { FastifyInstance } from "fastify";
import type { Clock } from "../../base/clock.ts";
import type { Framework } from "../framework.ts";
import type { Protocol } from "../protocol.ts";
import { addGcRoute, type CollectGarbage } from "./gc-admin.ts";
import { addHotRoute, type HotTables } from "./hot-tables.ts";
import { addHousekeepingRoutes, type Housekeeping } from "./housekeeping.ts";
import { addKeyRoutes, type KeyAdmin } from "./key-admin.ts";
import { addShardRoutes, addStoreRoutes } from "./routes.ts";
import type { ShardAdmin } from "./shard-admin.ts";
import type { StoreAdmin } from "./store-admin.ts";

export interface AdminOptions {
  readonly shards: readonly ShardAdmin[];
  readonly store?: StoreAdmin | undefined;
  /** Of the catalog that this process serves. */
  readonly housekeeping?: Housekeeping | undefined;
  readonly keys?: KeyAdmin | undefined;
  readonly hotTables?: (() => Promise<HotTables>) | undefined;
  readonly gc?: { readonly collect: CollectGarbage; readonly clock: Clock } | undefined;
  /** @throws FirnError where a request may not ask for it. Called before its body is read. */
  readonly authorize: (request: IncomingMessage) => void;
}

/**
 * What an operator asks of the shards that this process owns: how they are, a compaction, to keep
 * states, to follow what is written, to hold writes back; and of its catalog: what was dropped,
 * and its jobs.
 *
 * Keys are of all accounts: so it is answered to those who may open the server's own directory
 * (`server/operator-access.ts`).
 */
export function adminProtocol(
  framework: Framework,
  { shards, store, housekeeping, hotTables, keys, gc, authorize }: AdminOptions,
): Protocol {
  const routes = async (app: FastifyInstance): Promise<void> => {
    app.addHook("onRequest", async ({ raw }) => authorize(raw));
    addShardRoutes(app, shards);
    if (store !== undefined) addStoreRoutes(app, store);
    if (housekeeping !== undefined) addHousekeepingRoutes(app, housekeeping);
    if (hotTables !== undefined) addHotRoute(app, hotTables);
    if (keys !== undefined) addKeyRoutes(app, keys);
    if (gc !== undefined) addGcRoute(app, gc.collect, gc.clock);
  };
  const drain = (): void => {
    for (const shardAdmin of shards) shardAdmin.stop();
    store?.stop();
  };
  return { ...framework.protocol(routes, /^\/admin(?:\/|$)/), drain };
}
