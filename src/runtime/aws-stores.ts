import { FirnError } from "../base/error.ts";
import type { Metrics } from "../base/metrics.ts";
import { dynamoPointers } from "./dynamo-pointers.ts";
import { catalogBucket } from "./s3-stores.ts";
import { sharedSecret } from "./secret.ts";
import type { Settings } from "./settings.ts";
import { sharedRowShards } from "./shared-row-shards.ts";
import type { Components, Stores } from "./stores.ts";

/**
 * Objects in a bucket, pointers in a DynamoDB table: any number of nodes may serve them. Loaded
 * only by the profile that needs it, with the SDKs.
 *
 * @throws FirnError as `catalogBucket` and `dynamoPointers`; where neither can be used, of both.
 */
export async function awsStores(
  settings: Settings,
  components: Components,
  metrics: Metrics,
): Promise<Stores> {
  const [bucket, table] = await Promise.allSettled([
    catalogBucket(settings, components, metrics),
    dynamoPointers(settings, components, metrics),
  ]);
  if (bucket.status === "fulfilled" && table.status === "fulfilled") {
    const { blobs, uncached } = bucket.value;
    const { pointers, assertUsable } = table.value;
    const rows = sharedRowShards({ blobs, uncached, pointers }, settings, components, metrics);
    const close = async () => {
      try {
        await rows.sharedShards.close();
      } finally {
        await bucket.value.close();
        await table.value.close();
      }
    };
    return {
      ...rows,
      blobs,
      uncached,
      pointers,
      pointersExpire: true,
      secret: sharedSecret(settings),
      close,
      ...(assertUsable && { assertUsable }),
    };
  }
  if (bucket.status === "fulfilled") await bucket.value.close();
  if (table.status === "fulfilled") await table.value.close();
  const errors = [bucket, table].flatMap((each) =>
    each.status === "rejected" ? [each.reason] : [],
  );
  throw together(errors);
}

/** Who mends the first should not have to start again to learn of the second. */
function together(errors: readonly unknown[]): unknown {
  const [first, second] = errors;
  if (!(first instanceof FirnError) || !(second instanceof FirnError)) return first;
  const context = { ...second.context, ...first.context };
  const message = `${first.message}; and ${second.message}`;
  return new FirnError(first.kind, first.code, message, context, first);
}
