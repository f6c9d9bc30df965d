import { invalid } from "../../base/error.ts";
import { contentTypeNotSupported } from "../failure.ts";
import type { ChangesRequest } from "./change-lines.ts";
import type { CheckpointRequest, ThrottleRequest } from "./shard-admin.ts";

/** A JSON object: what a page of another origin cannot send without asking first. */
export function fieldsOf(body: unknown): Readonly<Record<string, unknown>> {
  if (typeof body !== "object" || body === null) throw contentTypeNotSupported();
  return body as Readonly<Record<string, unknown>>;
}

export function nameOf({ name }: Readonly<Record<string, unknown>>): string {
  if (typeof name === "string") return name;
  throw invalid("LSM_CHECKPOINT_INVALID", "invalid checkpoint name: it must have 1 to 255 bytes");
}

export function checkpointOf(fields: Readonly<Record<string, unknown>>): CheckpointRequest {
  const { ttlMs } = fields;
  const name = nameOf(fields);
  if (ttlMs === undefined) return { name };
  if (typeof ttlMs === "number") return { name, ttlMs };
  throw invalid(
    "LSM_CHECKPOINT_INVALID",
    "invalid ttlMs: it must be a positive number of milliseconds",
  );
}

export function changesOf(fields: Readonly<Record<string, unknown>>): ChangesRequest {
  const { from, follow = false } = fields;
  if (typeof from === "number" && typeof follow === "boolean") return { from, follow };
  throw invalid(
    "LSM_CHANGES_INVALID",
    "invalid query: `from` must be a sequence number, `follow` true or false",
  );
}

export function throttleOf(fields: Readonly<Record<string, unknown>>): ThrottleRequest {
  const { prefix, writesPerSecond, forSeconds } = fields as Partial<ThrottleRequest>;
  const isWhole =
    typeof prefix === "string" &&
    typeof writesPerSecond === "number" &&
    typeof forSeconds === "number";
  if (isWhole) return { prefix, writesPerSecond, forSeconds };
  const message = "invalid rate limit: it needs prefix, writesPerSecond and forSeconds";
  throw invalid("LSM_THROTTLE_INVALID", message);
}

export function fsckOf(fields: Readonly<Record<string, unknown>>): boolean {
  const { repair = false } = fields;
  if (typeof repair === "boolean") return repair;
  throw invalid("FSCK_INVALID", "invalid check: `repair` must be true or false");
}
