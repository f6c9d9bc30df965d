import { join } from "node:path";
import { assert } from "../base/assert.ts";
import { LIMITS } from "../base/limits.ts";
import type { Metrics } from "../base/metrics.ts";
import { CachedBlobStore, isContentHashed } from "../blob/cached.ts";
import { MeteredBlobStore } from "../blob/metered.ts";
import type { BlobStore } from "../blob/port.ts";
import { type BucketAddress, bucketAddress } from "../blob/s3/bucket-address.ts";
import { initBucket } from "../blob/s3/init.ts";
import type { S3Options } from "../blob/s3/options.ts";
import { probeBucket } from "../blob/s3/probe.ts";
import { inItsRegion } from "../blob/s3/region.ts";
import { S3BlobStore } from "../blob/s3/store.ts";
import type { SigningBucket } from "../service/access/remote-signing.ts";
import type { Properties } from "../service/requests.ts";
import { StoreCosts } from "../service/stores/store-costs.ts";
import { signerOnce } from "./request-signer.ts";
import { NO_ENDPOINT } from "./setting-values.ts";
import type { Settings } from "./settings.ts";
import type { Components } from "./stores.ts";

/** Where the SDK finds the endpoint of a server that is not AWS's own. */
const ENDPOINTS = ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"];

const MIB = 1_048_576;

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

/** A bucket that tables lie in. */
export interface LakeBucket {
  /** The whole of it: paths are keys. */
  readonly store: S3BlobStore;
  /** What clients need to know of it, as their settings. */
  readonly config: Properties;
  /** As `Lake.signerOf`. */
  signer(within: string): Promise<SigningBucket>;
}

/**
 * A bucket that tables lie in, which may be in another region than the catalog's own. One request.
 *
 * @throws FirnError as `inItsRegion`.
 */
export async function lakeBucket(
  bucket: string,
  settings: Settings,
  { clock, prng }: Components,
  metrics: Metrics,
): Promise<LakeBucket> {
  const components = { clock, prng, onRequest: StoreCosts.of(metrics).blob };
  const asked = { ...s3Options(bucket, settings), maxGetBytes: LIMITS.metadataFileBytes };
  const options = await inItsRegion(asked, components);
  const address = await bucketAddress(options, clock);
  const config = address === undefined ? {} : clientConfig(address, settings);
  const { remoteSigning, s3ClientEndpoint } = settings;
  const clientEndpoint = s3ClientEndpoint === NO_ENDPOINT ? undefined : s3ClientEndpoint;
  const writes = remoteSigning === "write";
  const signer = signerOnce({ options, clock, prng, writes, clientEndpoint });
  return { store: new S3BlobStore(options, components), config, signer };
}

/** By the names of every client's settings. Of AWS the region is enough. */
function clientConfig(address: BucketAddress, { s3ClientEndpoint }: Settings): Properties {
  const { region, pathStyle } = address;
  const endpoint = s3ClientEndpoint ?? address.endpoint ?? NO_ENDPOINT;
  return {
    "s3.region": region,
    "client.region": region,
    ...(endpoint !== NO_ENDPOINT && {
      "s3.endpoint": endpoint,
      "s3.path-style-access": `${pathStyle}`,
      // PyIceberg's word for the same.
      "s3.force-virtual-addressing": `${!pathStyle}`,
    }),
  };
}

/** The catalog's own objects, below their prefix. */
export interface CatalogBucket {
  readonly blobs: BlobStore;
  /** The same without the cache. */
  readonly uncached: BlobStore;
  /** Ends when what is cached lies on the disk: nothing of this process writes there any more. */
  close(): Promise<void>;
}

/**
 * The catalog's bucket, once it is known to hold objects as it must; made first where `init` asks
 * for it.
 *
 * @throws FirnError as `initBucket` and `probeBucket`, naming the setting and what mends it.
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
  return { blobs: cache ?? metered, uncached: metered, close };
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
    metrics,
    isImmutable: isContentHashed,
    memoryBytes: cacheMemoryMib * MIB,
    maxBlobBytes: largestMib * MIB * SHARE,
    ...(cacheDiskMib > 0 && { disk }),
  });
}
