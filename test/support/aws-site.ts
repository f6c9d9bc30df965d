import { vi } from "vitest";
import { DynamoDouble, type DynamoDoubleOptions } from "../double/dynamo/service.ts";
import { Bucket } from "../double/s3/model.ts";
import { S3Service, type S3ServiceOptions } from "../double/s3/service.ts";
import { type Handler, type Serving, serve } from "../double/server.ts";

/** The bucket and the table of every site. */
export const NAME = "firn-test";

const serving: Serving[] = [];

/** Ends every double that was opened, and takes back what the environment said of them. */
export async function closeSites(): Promise<void> {
  vi.unstubAllEnvs();
  for (const each of serving.splice(0)) await each.close();
}

export type Through = (handler: Handler) => Handler;

export interface SiteOptions {
  readonly s3?: S3ServiceOptions;
  readonly dynamo?: DynamoDoubleOptions;
  /** What is there; both are, with the keys that pointers need. */
  readonly bucket?: boolean;
  readonly keys?: { readonly partition: string; readonly sort: string };
  readonly table?: boolean;
  /** What stands between the SDK and each service. */
  readonly toS3?: Through;
  readonly toDynamo?: Through;
}

export interface Site {
  readonly s3: S3Service;
  readonly dynamo: DynamoDouble;
  readonly objects: Serving;
  readonly items: Serving;
}

/** Doubles of both services, and the environment in which the SDK finds them. */
export async function openSite(options: SiteOptions = {}): Promise<Site> {
  const { toS3 = (handler) => handler, toDynamo = (handler) => handler } = options;
  const s3 = new S3Service(options.s3);
  const dynamo = new DynamoDouble(options.dynamo);
  if (options.bucket !== false) s3.model.buckets.set(NAME, new Bucket(s3.region));
  const keys = options.keys ?? { partition: "p", sort: "s" };
  if (options.table !== false) dynamo.tables.createReady(NAME, keys);
  const objects = await serve(toS3(s3.handler));
  const items = await serve(toDynamo(dynamo.handler));
  serving.push(objects, items);
  const env = {
    AWS_ENDPOINT_URL_S3: objects.url,
    AWS_ENDPOINT_URL_DYNAMODB: items.url,
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
  };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  return { s3, dynamo, objects, items };
}
