import { Readable } from "node:stream";
import type { FastifyInstance } from "fastify";
import { FirnError } from "../../base/error.ts";
import { changesOf, checkpointOf, fieldsOf, nameOf, throttleOf } from "./requests.ts";
import type { ShardDesk } from "./shard-desk.ts";

const SHARD = "/admin/v1/shards/:shard";

/** The routes of the shards that this process owns. `firn lsm` is their client. */
export function addShardRoutes(app: FastifyInstance, desks: readonly ShardDesk[]): void {
  const deskOf = ({ params }: { params: unknown }): ShardDesk => {
    const name = (params as Readonly<Record<string, string>>)["shard"];
    const desk = desks.find((one) => one.name === name);
    if (desk !== undefined) return desk;
    const message = "this process owns no such shard";
    throw new FirnError("NotFound", "SHARD_NOT_FOUND", message, { shards: desks.length });
  };
  app.get(SHARD, async (request) => deskOf(request).report());
  app.get(`${SHARD}/compaction`, async (request) => {
    const report = deskOf(request).compaction;
    if (report !== undefined) return report;
    throw new FirnError(
      "NotFound",
      "COMPACTION_NOT_FOUND",
      "no compaction was requested since the start",
    );
  });
  app.post(`${SHARD}/compaction`, async (request, reply) => {
    const desk = deskOf(request);
    fieldsOf(request.body);
    reply.code(202);
    return desk.compact();
  });
  app.get(`${SHARD}/checkpoints`, async (request) => deskOf(request).checkpoints());
  app.post(`${SHARD}/checkpoints`, async (request, reply) => {
    const made = await deskOf(request).checkpoint(checkpointOf(fieldsOf(request.body)));
    reply.code(201);
    return made;
  });
  app.delete(`${SHARD}/checkpoints`, async (request) => {
    const desk = deskOf(request);
    return desk.deleteCheckpoint(nameOf(fieldsOf(request.body)));
  });
  // The answer may never end: it is a request that reads, with what it asks for in its body.
  app.post(`${SHARD}/changes`, async (request, reply) => {
    const desk = deskOf(request);
    const { lines, close } = await desk.changes(changesOf(fieldsOf(request.body)));
    reply.raw.once("close", close);
    return reply.type("application/x-ndjson").send(Readable.from(lines));
  });
  app.post(`${SHARD}/throttles`, async (request) => {
    const desk = deskOf(request);
    await desk.throttle(throttleOf(fieldsOf(request.body)));
    return desk.report();
  });
}
