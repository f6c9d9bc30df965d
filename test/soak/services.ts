import { once } from "node:events";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { DynamoDouble } from "../double/dynamo/service.ts";
import { Bucket } from "../double/s3/model.ts";
import { S3Service } from "../double/s3/service.ts";
import { serve } from "../double/server.ts";

/*
 * Doubles of S3 and DynamoDB in a thread: the heap of the nodes' thread is theirs alone, and the
 * services compute beside them. Both threads read one clock, which lies in memory that they share.
 */

/** The name of a table, or of a bucket, is that of what it holds. */
export const TABLES = ["firn", "restored"] as const;
export const BUCKETS = ["payloads", "warehouse", "backups", "restored"] as const;

export type SoakTable = (typeof TABLES)[number];
export type SoakBucket = (typeof BUCKETS)[number];

/** What is stored. */
export interface Stored {
  readonly pointers: number;
  readonly objects: number;
  readonly bytes: number;
  /** Metadata files, but for those that are left. */
  readonly files: number;
  /** Metadata files of tables that were dropped without a purge: nobody may delete them. */
  readonly left: number;
}

/** Where the services are, and what they are told beside the wire. */
export interface Services {
  readonly itemsUrl: string;
  readonly objectsUrl: string;
  /** Deletes what the expiry of the service would. */
  expire(): Promise<void>;
  /** @param leftBelow prefixes in the warehouse. */
  stored(leftBelow: readonly string[]): Promise<Stored>;
  close(): Promise<void>;
}

type Request =
  | { readonly ask: "expire" }
  | { readonly ask: "stored"; readonly leftBelow: readonly string[] };

interface Urls {
  readonly itemsUrl: string;
  readonly objectsUrl: string;
}

/** @param now wall time in milliseconds, one 64-bit integer. */
export async function openServices(now: SharedArrayBuffer): Promise<Services> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { now } });
  const next = async <T>(): Promise<T> => (await once(worker, "message"))[0];
  const ask = <T>(request: Request): Promise<T> => {
    const answer = next<T>();
    worker.postMessage(request);
    return answer;
  };
  return {
    ...(await next<Urls>()),
    expire: () => ask({ ask: "expire" }),
    stored: (leftBelow) => ask({ ask: "stored", leftBelow }),
    close: async () => void (await worker.terminate()),
  };
}

async function run(now: SharedArrayBuffer): Promise<void> {
  const cell = new BigInt64Array(now);
  const nowMs = () => Number(Atomics.load(cell, 0));
  const dynamo = new DynamoDouble({ nowMs });
  const s3 = new S3Service({ now: nowMs });
  for (const name of TABLES) dynamo.tables.createReady(name, { partition: "p", sort: "s" });
  for (const name of BUCKETS) s3.model.buckets.set(name, new Bucket(s3.region));
  const [items, objects] = [await serve(dynamo.handler), await serve(s3.handler)];
  const answer = (request: Request): Stored | undefined => {
    if (request.ask === "stored") return stored(dynamo, s3, request.leftBelow);
    dynamo.tables.expire();
    return undefined;
  };
  parentPort?.on("message", (request: Request) => parentPort?.postMessage(answer(request)));
  parentPort?.postMessage({ itemsUrl: items.url, objectsUrl: objects.url } satisfies Urls);
}

function stored(dynamo: DynamoDouble, s3: S3Service, leftBelow: readonly string[]): Stored {
  const bucket = (name: SoakBucket): Bucket => s3.model.buckets.get(name) ?? new Bucket("");
  const payloads = bucket("payloads");
  const keys = payloads.keys();
  const files = bucket("warehouse").keys();
  const tables = new Set(leftBelow);
  const left = files.filter((key) => tables.has(key.replace(/\/metadata\/[^/]*$/, ""))).length;
  return {
    pointers: dynamo.tables.ready("firn").all().length,
    objects: keys.length,
    bytes: keys.reduce((sum, key) => sum + (payloads.get(key)?.body.length ?? 0), 0),
    files: files.length - left,
    left,
  };
}

if (!isMainThread) await run((workerData as { readonly now: SharedArrayBuffer }).now);
