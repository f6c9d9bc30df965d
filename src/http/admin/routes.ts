import { Readable } from "node:stream";
import type { FastifyInstance } from "fastify";
import { FirnError } from "../../base/error.ts";
import { changesOf, checkpointOf, fieldsOf, fsckOf, nameOf, throttleOf } from "./requests.ts";
import type { ShardAdmin } from "./shard-admin.ts";
import type { StoreAdmin } from "./store-admin.ts";

const SHARD = "/admin/v1/shards/:shard";

/** The routes of the shards that this process owns. `firn lsm` is their client. */
export function addShardRoutes(app: FastifyInstance, shards: readonly ShardAdmin[]): void {
  const adminOf = ({ params }: { params: unknown }): ShardAdmin => {
    const name = (params as Readonly<Record<string, string>>)["shard"];
    const shardAdmin = shards.find((one) => one.name === name);
    if (shardAdmin !== undefined) return shardAdmin;
    const message = "this process owns no such shard";
    throw new FirnError("NotFound", "SHARD_NOT_FOUND", message, { shards: shards.length });
  };
  app.get(SHARD, async (request) => adminOf(request).report());
  app.get(`${SHARD}/compaction`, async (request) => {
    const report = adminOf(request).compaction;
    if (report !== undefined) return report;
    throw new FirnError(
      "NotFound",
      "COMPACTION_NOT_FOUND",
      "no compaction was requested since the start",
    );
  });
  app.post(`${SHARD}/compaction`, async (request, reply) => {
    const shardAdmin = adminOf(request);
    fieldsOf(request.body);
    reply.code(202);
    return shardAdmin.compact();
  });
  app.get(`${SHARD}/checkpoints`, async (request) => adminOf(request).checkpoints());
  app.post(`${SHARD}/checkpoints`, async (request, reply) => {
    const made = await adminOf(request).checkpoint(checkpointOf(fieldsOf(request.body)));
    reply.code(201);
    return made;
  });
  app.delete(`${SHARD}/checkpoints`, async (request) => {
    const shardAdmin = adminOf(request);
    return shardAdmin.deleteCheckpoint(nameOf(fieldsOf(request.body)));
  });
  // The answer may never end: it is a request that reads, with what it asks for in its body.
  app.post(`${SHARD}/changes`, async (request, reply) => {
    const shardAdmin = adminOf(request);
    const { lines, close } = await shardAdmin.changes(changesOf(fieldsOf(request.body)));
    reply.raw.once("close", close);
    return reply.type("application/x-ndjson").send(Readable.from(lines));
  });
  app.post(`${SHARD}/throttles`, async (request) => {
    const shardAdmin = adminOf(request);
    await shardAdmin.throttle(throttleOf(fieldsOf(request.body)));
    return shardAdmin.report();
  });
}

/** The route of what all stores of this process need. `firn fsck` is its client. */
export function addStoreRoutes(app: FastifyInstance, store: StoreAdmin): void {
  // It may take hours: findings are sent as they are met.
  app.post("/admin/v1/fsck", async (request, reply) => {
    const lines = store.check(fsckOf(fieldsOf(request.body)));
    return reply.type("application/x-ndjson").send(Readable.from(lines));
  });
}
