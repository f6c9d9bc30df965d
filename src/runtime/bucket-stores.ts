import { createMetrics, type Metrics } from "../base/metrics.ts";
import type { OpenOptions } from "../lsm/index.ts";
import { openBucketShard, shardPartsIn } from "./bucket-shard.ts";
import { nodeIdentity } from "./node-identity.ts";
import { catalogBucket } from "./s3-stores.ts";
import { sharedSecret } from "./secret.ts";
import type { Settings } from "./settings.ts";
import type { OwningParts } from "./shard-parts.ts";
import {
  type Components,
  engineParts,
  hasShard,
  ofRows,
  ownershipOf,
  owningOf,
  removeShard,
  type Stores,
  shardStores,
} from "./stores.ts";

/**
 * Everything in one bucket: objects, and pointers as rows of a shard that one process owns. Loaded
 * only by the profile that needs it, with the SDK.
 *
 * @throws FirnError as `catalogBucket` and `openBucketShard`.
 */
export async function bucketStores(
  settings: Settings,
  components: Components,
  metrics: Metrics,
): Promise<Stores> {
  const { clock, prng } = components;
  const bucket = await catalogBucket(settings, components, metrics);
  try {
    const { node, ...owning } = ownershipOf(settings, components);
    const options = {
      clock,
      prng,
      ...owning,
      node: nodeIdentity({ ...node, prng, oneHost: false }),
      ...engineParts(settings, metrics),
    };
    const shard = await openBucketShard(bucket.blobs, options);
    const openRowShard = (name: string) =>
      openBucketShard(bucket.blobs, { ...ofRows(settings, options), shard: name });
    const { blobs, uncached } = bucket;
    const parts = { blobs, uncached, secret: sharedSecret(settings) };
    const stores = shardStores(shard, parts, components, metrics);
    const close = async () => {
      try {
        await stores.close();
      } finally {
        await bucket.close();
      }
    };
    const hasRowShard = (name: string) => hasShard(bucket.blobs, name);
    const own = owningOf({ ...options, node });
    const removeRowShard = (name: string) => removeShard(shardPartsIn(bucket.blobs, name, own));
    return { ...stores, openRowShard, hasRowShard, removeRowShard, close };
  } catch (error) {
    await bucket.close();
    throw error;
  }
}

/** A shard of the bucket, for those who do not serve it. @throws as `catalogBucket`. */
export async function bucketParts(
  settings: Settings,
  shard: string,
  components: Components,
  owning: OwningParts,
): Promise<{ readonly parts: OpenOptions; readonly close: () => Promise<void> }> {
  const bucket = await catalogBucket(settings, components, createMetrics());
  return { parts: shardPartsIn(bucket.blobs, shard, owning), close: () => bucket.close() };
}
