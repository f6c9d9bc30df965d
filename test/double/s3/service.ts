import type { Handler, Request, Response } from "../server.ts";
import { onBucket } from "./bucket.ts";
import { checksumsOf, rangeOf, refusedBody, refusedRead, refusedWrite } from "./conditions.ts";
import { keptHeaders, type S3Context } from "./context.ts";
import { type Bucket, etagOf, S3Model, type StoredObject } from "./model.ts";
import { multipart } from "./multipart.ts";
import { type Accounts, refusedSignature } from "./signature.ts";
import { empty, failure } from "./xml.ts";

export interface S3ServiceOptions {
  readonly model?: S3Model;
  readonly region?: string;
  /** Wall time of the service; the machine's own if absent. */
  readonly now?: () => number;
  /** Who may sign requests; without it nobody's signature is looked at. */
  readonly accounts?: Accounts;
  /** The code that an operation on a key is refused with (403), if it is. */
  readonly refuses?: (operation: string, key: string) => string | undefined;
  readonly minPartBytes?: number;
  /** Most keys of one page, however many were asked for: the service may always stop early. */
  readonly maxListed?: number;
}

const MAX_KEY_BYTES = 1_024;
const MIN_PART_BYTES = 5 * 1_024 * 1_024;

/** What each method of a plain object request is called in policies. */
const OPERATIONS: Readonly<Record<string, string>> = {
  GET: "GetObject",
  HEAD: "GetObject",
  PUT: "PutObject",
  POST: "PutObject",
  DELETE: "DeleteObject",
};

/** The parts of S3 that the adapter speaks to, in path style. Each request is one atomic step. */
export class S3Service implements S3Context {
  readonly model: S3Model;
  readonly region: string;
  readonly now: () => number;
  readonly refuses: (operation: string, key: string) => string | undefined;
  readonly minPartBytes: number;
  readonly maxListed: number;
  readonly #accounts: Accounts | undefined;
  readonly handler: Handler = (request) => this.#answer(request);

  constructor(options: S3ServiceOptions = {}) {
    this.model = options.model ?? new S3Model();
    this.region = options.region ?? "us-east-1";
    this.now = options.now ?? Date.now;
    this.refuses = options.refuses ?? (() => undefined);
    this.minPartBytes = options.minPartBytes ?? MIN_PART_BYTES;
    this.maxListed = options.maxListed ?? 1_000;
    this.#accounts = options.accounts;
  }

  #answer(request: Request): Response {
    const { status, headers, body } = this.#route(request);
    return { status, headers: { date: new Date(this.now()).toUTCString(), ...headers }, body };
  }

  #route(request: Request): Response {
    const [, name = "", ...rest] = request.path.split("/");
    const key = rest.map(decodeURIComponent).join("/");
    // The SDK names the operation in the query; the service does not look at it.
    const { "x-id": _, ...query } = request.query;
    const asked: Request = { ...request, query };
    const refused = this.#refused(request, key, query);
    if (refused !== undefined) return refused;
    if (key === "") return onBucket(this, decodeURIComponent(name), asked);
    const bucket = this.model.buckets.get(decodeURIComponent(name));
    if (bucket === undefined) return failure(404, "NoSuchBucket", { BucketName: name });
    if (Buffer.byteLength(key) > MAX_KEY_BYTES) return failure(400, "KeyTooLongError");
    return multipart(this, bucket, key, asked) ?? this.#onObject(bucket, key, asked);
  }

  #refused(request: Request, key: string, query: Request["query"]): Response | undefined {
    if (this.#accounts !== undefined) {
      const refused = refusedSignature(request, this.#accounts, this.region, this.now());
      if (refused !== undefined) return refused;
    }
    const operation = operationOf(request.method, key, query);
    const code = operation === undefined ? undefined : this.refuses(operation, key);
    return code === undefined ? refusedBody(request) : failure(403, code);
  }

  #onObject(bucket: Bucket, key: string, request: Request): Response {
    const found = bucket.get(key);
    switch (request.method) {
      case "GET":
      case "HEAD":
        return found === undefined ? failure(404, "NoSuchKey", { Key: key }) : read(found, request);
      case "DELETE":
        bucket.delete(key);
        return empty(204);
      case "PUT":
        return refusedWrite(request, found) ?? this.#put(bucket, key, request);
      default:
        return failure(405, "MethodNotAllowed");
    }
  }

  #put(bucket: Bucket, key: string, request: Request): Response {
    const etag = etagOf(request.body);
    const headers = keptHeaders(request);
    const checksums = checksumsOf(request);
    const modifiedMs = this.now();
    bucket.set(key, { body: request.body, etag, modifiedMs, headers, checksums });
    return empty(200, { etag: `"${etag}"`, ...checksums });
  }
}

/** What the operation is called where permissions are given; undefined where none is asked for. */
function operationOf(method: string, key: string, query: Request["query"]): string | undefined {
  if (key !== "") return OPERATIONS[method];
  if (method === "GET" && query["list-type"] !== undefined) return "ListBucket";
  if (method === "HEAD") return "ListBucket";
  if (method === "PUT") {
    return query["lifecycle"] === undefined ? "CreateBucket" : "PutLifecycleConfiguration";
  }
  return undefined;
}

function read(object: StoredObject, request: Request): Response {
  const refused = refusedRead(request, object);
  if (refused !== undefined) return refused;
  const { body, etag, modifiedMs } = object;
  const headers: Record<string, string> = {
    ...object.headers,
    "accept-ranges": "bytes",
    etag: `"${etag}"`,
    "last-modified": new Date(modifiedMs).toUTCString(),
  };
  const range = rangeOf(request.headers["range"], body.length);
  if (range === "unsatisfiable") return failure(416, "InvalidRange");
  if (range === undefined) {
    const shown = request.headers["x-amz-checksum-mode"] === "ENABLED" ? object.checksums : {};
    return { status: 200, headers: { ...headers, ...shown }, body };
  }
  headers["content-range"] = `bytes ${range.from}-${range.to - 1}/${body.length}`;
  return { status: 206, headers, body: body.subarray(range.from, range.to) };
}
