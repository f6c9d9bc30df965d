import { assert } from "../base/assert.ts";
import { LIMITS } from "../base/limits.ts";
import type { Metrics } from "../base/metrics.ts";
import { MeteredBlobStore } from "../blob/metered.ts";
import type { BlobStore } from "../blob/port.ts";
import type { S3Options } from "../blob/s3/options.ts";
import { S3BlobStore } from "../blob/s3/store.ts";
import type { Settings } from "./settings.ts";
import { StoreCosts } from "./store-costs.ts";
import type { Components } from "./stores.ts";

/** Where the SDK finds the endpoint of a server that is not AWS's own. */
const ENDPOINTS = ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"];

/** What is said of a bucket; endpoint, region and credentials the SDK finds by itself. */
export function s3Options(bucket: string, settings: Settings): S3Options {
  const { s3PathStyle, s3KmsKey } = settings;
  const elsewhere = ENDPOINTS.some((name) => (process.env[name] ?? "") !== "");
  return {
    bucket,
    pathStyle: s3PathStyle ?? elsewhere,
    ...(s3KmsKey !== undefined && { encryption: { kind: "kms", keyId: s3KmsKey } }),
  };
}

/** A bucket that tables lie in, whole: paths are keys. No request. */
export function lakeBucket(
  bucket: string,
  settings: Settings,
  { clock, prng }: Components,
  metrics: Metrics,
): S3BlobStore {
  const options = { ...s3Options(bucket, settings), maxGetBytes: LIMITS.metadataFileBytes };
  return new S3BlobStore(options, { clock, prng, onRequest: StoreCosts.of(metrics).blob });
}

/** The catalog's own objects, below their prefix. */
export interface CatalogBucket {
  readonly blobs: BlobStore;
  close(): void;
}

/** @throws CatalogError what the bucket cannot do, naming the setting and what mends it. */
export async function catalogBucket(
  settings: Settings,
  { clock, prng }: Components,
  metrics: Metrics,
): Promise<CatalogBucket> {
  const { s3Bucket, s3Prefix } = settings;
  assert(s3Bucket !== undefined, "a profile in S3 has a bucket");
  const options = { ...s3Options(s3Bucket, settings), prefix: s3Prefix };
  const onRequest = StoreCosts.of(metrics).blob;
  const store = new S3BlobStore(options, { clock, prng, onRequest });
  return {
    blobs: new MeteredBlobStore(store, { clock, metrics }),
    close: () => store.close(),
  };
}
