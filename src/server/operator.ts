import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { FastifyInstance } from "fastify";
import { CatalogError, invalid } from "../base/error.ts";
import { contentTypeNotSupported } from "../http/failure.ts";
import type { ChangesRequest } from "../runtime/change-lines.ts";
import type { CheckpointRequest, ShardDesk, ThrottleRequest } from "../runtime/shard-desk.ts";

const SHARD = "/admin/v1/shards/:shard";

/** What else than GET there is below `/admin/v1/shards/`, by what follows the shard's name. */
const METHODS: Readonly<Record<string, readonly string[]>> = {
  "": ["GET"],
  "/compaction": ["GET", "POST"],
  "/checkpoints": ["GET", "POST", "DELETE"],
  "/changes": ["POST"],
  "/throttles": ["POST"],
};

/** The methods of an operator's route; undefined where there is none. */
export function operatorMethods(path: string): readonly string[] | undefined {
  const rest = /^\/admin\/v1\/shards\/[^/]+(\/[a-z]+)?$/.exec(path);
  return rest === null ? undefined : METHODS[rest[1] ?? ""];
}

export interface OperatorOptions {
  readonly desks: readonly ShardDesk[];
  /** @throws CatalogError where a request may not ask for it. Called before its body is read. */
  readonly authorize: (request: IncomingMessage) => void;
}

/**
 * What an operator asks of the shards that this process owns: how they are, a compaction, to keep
 * states, to follow what is written, to hold writes back. `firn lsm` is its client.
 *
 * Keys are of all accounts: so it is answered to those who may open the server's own directory
 * (`operator-access.ts`).
 */
export function addOperatorRoutes(
  app: FastifyInstance,
  { desks, authorize }: OperatorOptions,
): void {
  app.register(async (scope) => {
    scope.addHook("onRequest", async ({ raw }) => authorize(raw));
    addShardRoutes(scope, desks);
  });
}

function addShardRoutes(app: FastifyInstance, desks: readonly ShardDesk[]): void {
  const deskOf = ({ params }: { params: unknown }): ShardDesk => {
    const name = (params as Readonly<Record<string, string>>)["shard"];
    const desk = desks.find((one) => one.name === name);
    if (desk !== undefined) return desk;
    const message = "this process owns no such shard";
    throw new CatalogError("NotFound", "SHARD_NOT_FOUND", message, { shards: desks.length });
  };
  app.get(SHARD, async (request) => deskOf(request).report());
  app.get(`${SHARD}/compaction`, async (request) => {
    const report = deskOf(request).compaction;
    if (report !== undefined) return report;
    throw new CatalogError("NotFound", "COMPACTION_NOT_FOUND", "nobody has asked for one");
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

/** A JSON object: what a page of another origin cannot send without asking first. */
function fieldsOf(body: unknown): Readonly<Record<string, unknown>> {
  if (typeof body !== "object" || body === null) throw contentTypeNotSupported();
  return body as Readonly<Record<string, unknown>>;
}

function nameOf({ name }: Readonly<Record<string, unknown>>): string {
  if (typeof name === "string") return name;
  throw invalid("LSM_CHECKPOINT_INVALID", "a checkpoint has a name");
}

function checkpointOf(fields: Readonly<Record<string, unknown>>): CheckpointRequest {
  const { ttlMs } = fields;
  const name = nameOf(fields);
  if (ttlMs === undefined) return { name };
  if (typeof ttlMs === "number") return { name, ttlMs };
  throw invalid("LSM_CHECKPOINT_INVALID", "a checkpoint lives for so many milliseconds");
}

function changesOf(fields: Readonly<Record<string, unknown>>): ChangesRequest {
  const { from, follow = false } = fields;
  if (typeof from === "number" && typeof follow === "boolean") return { from, follow };
  throw invalid("LSM_CHANGES_INVALID", "changes are asked for by from, a sequence, and follow");
}

function throttleOf(fields: Readonly<Record<string, unknown>>): ThrottleRequest {
  const { prefix, writesPerSecond, forSeconds } = fields as Partial<ThrottleRequest>;
  const isWhole =
    typeof prefix === "string" &&
    typeof writesPerSecond === "number" &&
    typeof forSeconds === "number";
  if (isWhole) return { prefix, writesPerSecond, forSeconds };
  const message = "a throttle has prefix, writesPerSecond and forSeconds";
  throw invalid("LSM_THROTTLE_INVALID", message);
}
