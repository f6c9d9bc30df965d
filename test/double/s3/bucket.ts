import { compareUtf8 } from "../../../src/base/bytes.ts";
import type { Request, Response } from "../server.ts";
import { hasDigest } from "./conditions.ts";
import type { S3Context } from "./context.ts";
import { Bucket } from "./model.ts";
import { type Element, empty, failure, insidesOf, textsOf, xml } from "./xml.ts";

/** One request about a bucket as a whole. */
export function onBucket(service: S3Context, name: string, request: Request): Response {
  const { method, query } = request;
  const bucket = service.model.buckets.get(name);
  if (method === "PUT" && Object.keys(query).length === 0) return create(service, name, bucket);
  if (bucket === undefined) return failure(404, "NoSuchBucket", { BucketName: name });
  if (method === "HEAD") return empty(200, { "x-amz-bucket-region": bucket.region });
  if (method === "GET" && query["list-type"] === "2") return list(service, bucket, query);
  if (method === "GET" && query["uploads"] !== undefined) return uploads(bucket);
  if (method === "POST" && query["delete"] !== undefined)
    return deleteMany(service, bucket, request);
  if (query["lifecycle"] !== undefined) return lifecycle(bucket, request);
  if (method === "DELETE") return remove(service, name, bucket);
  return failure(501, "NotImplemented");
}

function create(service: S3Context, name: string, found: Bucket | undefined): Response {
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name)) return failure(400, "InvalidBucketName");
  if (found !== undefined) return failure(409, "BucketAlreadyOwnedByYou");
  service.model.buckets.set(name, new Bucket(service.region));
  return empty(200, { location: `/${name}` });
}

function remove(service: S3Context, name: string, bucket: Bucket): Response {
  if (bucket.keys().length > 0) return failure(409, "BucketNotEmpty");
  service.model.buckets.delete(name);
  return empty(204);
}

function lifecycle(bucket: Bucket, { method, body }: Request): Response {
  if (method === "PUT") {
    bucket.lifecycle = Buffer.from(body).toString();
    return empty(200);
  }
  if (method !== "GET") return failure(405, "MethodNotAllowed");
  if (bucket.lifecycle === undefined) return failure(404, "NoSuchLifecycleConfiguration");
  return { status: 200, headers: {}, body: Buffer.from(bucket.lifecycle) };
}

function uploads(bucket: Bucket): Response {
  const found = [...bucket.uploads].map(([id, { key }]): Element => {
    return [
      "Upload",
      [
        ["Key", key],
        ["UploadId", id],
      ],
    ];
  });
  return xml("ListMultipartUploadsResult", [["IsTruncated", "false"], ...found]);
}

function list(service: S3Context, bucket: Bucket, query: Request["query"]): Response {
  if (query["delimiter"] !== undefined) return failure(501, "NotImplemented");
  const asked = query["max-keys"] === undefined ? 1_000 : Number(query["max-keys"]);
  if (!Number.isInteger(asked) || asked < 0) return failure(400, "InvalidArgument");
  const limit = Math.min(asked, 1_000, service.maxListed);
  const { prefix = "", "start-after": startAfter = "" } = query;
  const token = query["continuation-token"];
  const after = token === undefined ? startAfter : Buffer.from(token, "base64url").toString();
  const keys = bucket.keys();
  // Keys of one prefix stand together.
  const first = Math.max(firstAfter(keys, after), firstOf(keys, prefix));
  let end = first;
  while (end < first + limit && keys[end]?.startsWith(prefix) === true) end++;
  const page = keys.slice(first, end);
  const truncated = keys[end]?.startsWith(prefix) === true;
  const shown = query["encoding-type"] === "url" ? urlEncoded : (text: string) => text;
  return xml("ListBucketResult", [
    ["Prefix", shown(prefix)],
    ["KeyCount", String(page.length)],
    ["MaxKeys", String(asked)],
    ["IsTruncated", String(truncated)],
    ...(query["encoding-type"] === "url" ? [URL_ENCODED] : []),
    ...(truncated ? [next(page.at(-1) ?? "")] : []),
    ...page.map((key) => entry(key, shown, bucket)),
  ]);
}

const URL_ENCODED: Element = ["EncodingType", "url"];

function next(key: string): Element {
  return ["NextContinuationToken", Buffer.from(key).toString("base64url")];
}

function entry(key: string, shown: (text: string) => string, bucket: Bucket): Element {
  const object = bucket.get(key);
  return [
    "Contents",
    [
      ["Key", shown(key)],
      ["LastModified", new Date(seconds(object?.modifiedMs ?? 0)).toISOString()],
      ["ETag", `"${object?.etag}"`],
      ["Size", String(object?.body.length)],
      ["StorageClass", "STANDARD"],
    ],
  ];
}

/** Where the keys greater than this text begin. */
function firstAfter(keys: readonly string[], after: string): number {
  return after === "" ? 0 : firstWhere(keys, (key) => compareUtf8(key, after) > 0);
}

/** Where the keys begin that are not less than this text. */
function firstOf(keys: readonly string[], prefix: string): number {
  return prefix === "" ? 0 : firstWhere(keys, (key) => compareUtf8(key, prefix) >= 0);
}

function firstWhere(keys: readonly string[], isThere: (key: string) => boolean): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isThere(keys[middle] ?? "")) high = middle;
    else low = middle + 1;
  }
  return low;
}

function seconds(ms: number): number {
  return Math.floor(ms / 1_000) * 1_000;
}

function urlEncoded(text: string): string {
  return encodeURIComponent(text).replaceAll("%2F", "/").replaceAll("%20", "+");
}

function deleteMany(service: S3Context, bucket: Bucket, request: Request): Response {
  if (!hasDigest(request)) return failure(400, "InvalidRequest");
  const document = Buffer.from(request.body).toString();
  const keys = insidesOf(document, "Object").flatMap((object) => textsOf(object, "Key"));
  if (keys.length === 0 || keys.length > 1_000) return failure(400, "MalformedXML");
  const quiet = textsOf(document, "Quiet")[0] === "true";
  const result: Element[] = [];
  for (const key of keys) {
    const denied = service.refuses("DeleteObject", key);
    if (denied !== undefined) {
      result.push([
        "Error",
        [
          ["Key", key],
          ["Code", denied],
          ["Message", denied],
        ],
      ]);
      continue;
    }
    bucket.delete(key);
    if (!quiet) result.push(["Deleted", [["Key", key]]]);
  }
  return xml("DeleteResult", result);
}
