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
import type { ServedProfile } from "../service/stores/profile-index.ts";
import { StoreCosts } from "../service/stores/store-costs.ts";
import { signerOnce } from "./request-signer.ts";
import { NO_ENDPOINT } from "./setting-values.ts";
import type { Settings } from "./settings.ts";
import type { Components } from "./stores.ts";
import type { StsOptions } from "./sts.ts";

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
  { options: given, clientEndpoint: told, signsWrites: writes }: BucketSource,
  { clock, prng }: Pick<Components, "clock" | "prng">,
  metrics: Metrics,
): Promise<LakeBucket> {
  const components = { clock, prng, onRequest: StoreCosts.of(metrics).blob };
  const asked = { ...given, maxGetBytes: LIMITS.metadataFileBytes };
  const options = atHome(await inItsRegion(asked, components));
  const address = await bucketAddress(options, clock);
  const config = address === undefined ? {} : clientConfig(address, told);
  const clientEndpoint = told === NO_ENDPOINT ? undefined : told;
  const signer = signerOnce({ options, clock, prng, writes, clientEndpoint });
  return { store: new S3BlobStore(options, components), config, signer };
}

/** How a bucket is reached. */
export interface BucketSource {
  readonly options: S3Options;
  /** What clients are told in place of the endpoint; `NO_ENDPOINT`: none. */
  readonly clientEndpoint: string | undefined;
  readonly signsWrites: boolean;
}

/** As the settings say. */
export function ambientBucket(bucket: string, settings: Settings): BucketSource {
  return {
    options: s3Options(bucket, settings),
    clientEndpoint: settings.s3ClientEndpoint,
    signsWrites: settings.remoteSigning === "write",
  };
}

const FIRST_REGION = "us-east-1";

/** As a storage profile says, with its credentials. */
export function profileBucket(bucket: string, served: ServedProfile): BucketSource {
  const { profile, credentials } = served;
  const { region, endpoint, pathStyle, kmsKeys } = profile;
  const [keyId] = kmsKeys;
  const where = endpoint || awsEndpoint("s3", region || FIRST_REGION, served);
  const options = {
    bucket,
    pathStyle,
    region: region || FIRST_REGION,
    ...(where !== undefined && { endpoint: where }),
    ...(credentials !== undefined && { credentials }),
    ...(keyId !== undefined && { encryption: { kind: "kms", keyId } as const }),
  };
  return { options, clientEndpoint: undefined, signsWrites: profile.sign === "WRITE" };
}

/** What lends sessions of the role of a storage profile. */
export function profileRole(served: ServedProfile): StsOptions {
  const { profile, credentials } = served;
  const region = profile.region || FIRST_REGION;
  const endpoint = profile.stsEndpoint || awsEndpoint("sts", region, served);
  return { roleArn: profile.roleArn, region, endpoint, credentials };
}

/** AWS's own, where the environment would lead the SDK elsewhere with credentials of others. */
function awsEndpoint(
  service: "s3" | "sts",
  region: string,
  { profile }: ServedProfile,
): string | undefined {
  const elsewhere = [...ENDPOINTS, "AWS_ENDPOINT_URL_STS"].some((name) => process.env[name]);
  if (profile.secretKind === "AMBIENT" || !elsewhere) return undefined;
  return `https://${service}.${region}.${region.startsWith("cn-") ? AWS_CHINA : AWS}`;
}

const AWS = "amazonaws.com";
const AWS_CHINA = `${AWS}.cn`;

/** AWS's own endpoint is that of the region which the bucket turned out to be in. */
function atHome(options: S3Options): S3Options {
  const { endpoint, region } = options;
  const own = endpoint && /^https:\/\/s3\.[a-z0-9-]+\.(amazonaws\.com(?:\.cn)?)$/.exec(endpoint);
  return own && region ? { ...options, endpoint: `https://s3.${region}.${own[1]}` } : options;
}

/** By the names of every client's settings. Of AWS the region is enough. */
function clientConfig(address: BucketAddress, told: string | undefined): Properties {
  const { region, pathStyle } = address;
  const endpoint = told ?? address.endpoint ?? NO_ENDPOINT;
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
