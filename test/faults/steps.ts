import { utf8Text } from "../../src/base/bytes.ts";
import { type Attributes, keyOfItem } from "../../src/pointer/dynamo/item.ts";
import { parsedKey } from "../catalog/support/read-store.ts";
import { operationOf } from "../double/dynamo/service.ts";
import type { Request } from "../double/server.ts";

/** The services behind the adapters. */
export type ServiceName = "s3" | "dynamo";

/** What a request is about, so that the faults can be told that may come to it. */
export interface Step {
  readonly service: ServiceName;
  /** Says what is asked of what: the same for a request and its resend. */
  readonly label: string;
  readonly act: "read" | "list" | "write";
  /** A write that the service refuses where something else stands, or several at once. */
  readonly condition: "none" | "one" | "many";
}

export function stepOf(service: ServiceName, request: Request): Step {
  return service === "s3" ? s3Step(request) : dynamoStep(request);
}

function s3Step({ method, path, query, headers }: Request): Step {
  const key = path.split("/").slice(2).map(decodeURIComponent).join("/");
  const isList = method === "GET" && query["list-type"] !== undefined;
  const isRead = method === "GET" || method === "HEAD";
  const of = isList ? fileKind(`${query["prefix"] ?? ""}x`) : fileKind(key);
  const conditional = (headers["if-none-match"] ?? headers["if-match"]) !== undefined;
  return {
    service: "s3",
    label: `${isList ? "LIST" : method} ${of}`,
    act: isList ? "list" : isRead ? "read" : "write",
    condition: method === "PUT" && conditional ? "one" : "none",
  };
}

/** The folder of the engine, the kind of payload, or the first segment of a path. */
function fileKind(key: string): string {
  const segments = key.split("/");
  if (segments[0] === "shards") return segments[2] ?? "shard";
  if (segments[0] === "accounts") return segments.at(-2) ?? "payload";
  return segments[0] ?? "";
}

const READS: ReadonlySet<string> = new Set(["GetItem", "BatchGetItem"]);
const LISTS: ReadonlySet<string> = new Set(["Query", "Scan"]);

function dynamoStep(request: Request): Step {
  const operation = operationOf(request);
  const act = LISTS.has(operation) ? "list" : READS.has(operation) ? "read" : "write";
  const many = operation === "TransactWriteItems";
  const single = act === "write" && !many;
  const label = single ? `${operation} ${familyOf(request)}` : operation;
  return { service: "dynamo", label, act, condition: many ? "many" : single ? "one" : "none" };
}

/** The family of the key that a write of one item names. */
function familyOf({ body }: Request): string {
  const asked = JSON.parse(utf8Text(body)) as { Item?: Attributes; Key?: Attributes };
  return parsedKey(keyOfItem(asked.Item ?? asked.Key ?? {})).family;
}
