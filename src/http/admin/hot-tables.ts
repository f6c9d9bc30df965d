import type { FastifyInstance } from "fastify";
import type { HotShard } from "../../service/rows/row-heat.ts";

/** The hot row tables of a process. JSON-able. */
export interface HotTables {
  readonly shards: readonly HotShard[];
}

/** The route of the row tables that are read and written most. `firn lsm hot` is its client. */
export function addHotRoute(app: FastifyInstance, hotTables: () => Promise<HotTables>): void {
  app.get("/admin/v1/hot-tables", async () => hotTables());
}
