import { join } from "node:path";
import { assert } from "../base/assert.ts";
import { LIMITS } from "../base/limits.ts";
import type { Metrics } from "../base/metrics.ts";
import { CachedBlobStore, isContentHashed } from "../blob/cached.ts";
import { MeteredBlobStore } from "../blob/metered.ts";
import type { BlobStore } from "../blob/port.ts";
import { initBucket } from "../blob/s3/init.ts";
import type { S3Options } from "../blob/s3/options.ts";
import { probeBucket } from "../blob/s3/probe.ts";
import { inItsRegion } from "../blob/s3/region.ts";
import { S3BlobStore } from "../blob/s3/store.ts";
import type { Settings } from "./settings.ts";
import { StoreCosts } from "./store-costs.ts";
import type { Components } from "./stores.ts";

/** Where the SDK finds the endpoint of a server that is not AWS's own. */
const ENDPOINTS = ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"];

const MIB = 1_048_576;

/** What is said of a bucket; endpoint, region and credentials the SDK finds by itself. */
export function s3Options(bucket: string, settings: Settings): S3Options {
  const { s3PathStyle, s3KmsKey, awsTransport: transport } = settings;
  const elsewhere = ENDPOINTS.some((name) => (process.env[name] ?? "") !== "");
  return {
    ...{ bucket, transport },
    pathStyle: s3PathStyle ?? elsewhere,
    ...(s3KmsKey !== undefined && { encryption: { kind: "kms", keyId: s3KmsKey } }),
  };
}

/**
 * A bucket that tables lie in, whole: paths are keys. It may lie in another region than the
 * catalog's own. One request.
 *
 * @throws CatalogError as `inItsRegion`.
 */
export async function lakeBucket(
  bucket: string,
  settings: Settings,
  { clock, prng }: Components,
  metrics: Metrics,
): Promise<S3BlobStore> {
  const components = { clock, prng, onRequest: StoreCosts.of(metrics).blob };
  const asked = { ...s3Options(bucket, settings), maxGetBytes: LIMITS.metadataFileBytes };
  return new S3BlobStore(await inItsRegion(asked, components), components);
}

/** The catalog's own objects, below their prefix. */
export interface CatalogBucket {
  readonly blobs: BlobStore;
  /** Ends when what is cached lies on the disk: nothing of this process writes there any more. */
  close(): Promise<void>;
}

/**
 * The catalog's bucket, once it is known to hold objects as it must; made first where `init` asks
 * for it.
 *
 * @throws CatalogError as `initBucket` and `probeBucket`, naming the setting and what mends it.
 */
export async function catalogBucket(
  settings: Settings,
  { clock, prng, notify }: Components,
  metrics: Metrics,
): Promise<CatalogBucket> {
  const { s3Bucket: bucket, s3Prefix, init } = settings;
  assert(bucket !== undefined, "a profile in S3 has a bucket");
  const options = { ...s3Options(bucket, settings), prefix: s3Prefix };
  const components = { clock, prng, onRequest: StoreCosts.of(metrics).blob };
  if (init) {
    const made = await initBucket(options, components);
    if (made.bucket === "created") notify("made the bucket", { bucket });
    for (const warning of made.warnings) notify(warning, { bucket });
  }
  const { warnings, clockSkewMs } = await probeBucket(options, components);
  for (const warning of warnings) notify(warning, { bucket, clockSkewMs });
  const store = new S3BlobStore(options, components);
  const metered = new MeteredBlobStore(store, { clock, metrics });
  const cache = await cached(metered, settings, metrics);
  const close = async () => {
    store.close();
    await cache?.settled();
  };
  return { blobs: cache ?? metered, close };
}

/** The largest blob that is kept, as a share of the cache. */
const SHARE = 1 / 8;

/** Payloads are named by their hash, so what is kept of them is never old. */
async function cached(
  store: BlobStore,
  { dir, cacheMemoryMib, cacheDiskMib }: Settings,
  metrics: Metrics,
): Promise<CachedBlobStore | undefined> {
  const largestMib = Math.max(cacheMemoryMib, cacheDiskMib);
  if (largestMib === 0) return undefined;
  const disk = { directory: join(dir, "cache"), bytes: cacheDiskMib * MIB };
  return CachedBlobStore.open(store, {
    ...{ metrics, isImmutable: isContentHashed, memoryBytes: cacheMemoryMib * MIB },
    maxBlobBytes: largestMib * MIB * SHARE,
    ...(cacheDiskMib > 0 && { disk }),
  });
}
