import type { Metrics } from "../base/metrics.ts";
import { DeferredBlobStore } from "../blob/deferred.ts";
import type { LocationScheme } from "../blob/locations.ts";
import { s3Scheme } from "../blob/s3/scheme.ts";
import type { SigningBucket } from "../service/access/remote-signing.ts";
import type { Properties } from "../service/requests.ts";
import type { LakeBucket } from "./s3-stores.ts";
import type { Settings } from "./settings.ts";
import type { Components } from "./stores.ts";

/** The buckets that tables lie in, whatever the profile: opened when they are first used. */
export interface Lake {
  readonly scheme: LocationScheme;
  /** What clients need to know of a bucket. @throws FirnError while S3 is silent. */
  configOf(bucket: string): Promise<Properties>;
  /** What signs requests to a bucket. `within`: a key below which it may be tried out. */
  signerOf(bucket: string, within: string): Promise<SigningBucket>;
  close(): Promise<void>;
}

/** No request, and no SDK is loaded, before a table in a bucket is asked for. */
export function openLake(settings: Settings, components: Components, metrics: Metrics): Lake {
  const buckets = new Map<string, Promise<LakeBucket>>();
  const bucketOf = (name: string): Promise<LakeBucket> => {
    const known = buckets.get(name);
    if (known !== undefined) return known;
    const opening = import("./s3-stores.ts").then(({ lakeBucket }) =>
      lakeBucket(name, settings, components, metrics),
    );
    buckets.set(name, opening);
    // Tried anew by any caller that asks next.
    opening.catch(() => buckets.delete(name));
    return opening;
  };
  const open = (name: string) => new DeferredBlobStore(async () => (await bucketOf(name)).store);
  return {
    scheme: s3Scheme({ open, watched: settings.s3CheckMetadata }),
    configOf: async (bucket) => (await bucketOf(bucket)).config,
    signerOf: async (bucket, within) => (await bucketOf(bucket)).signer(within),
    close: async () => {
      for (const bucket of await Promise.allSettled(buckets.values())) {
        if (bucket.status === "fulfilled") bucket.value.store.close();
      }
    },
  };
}
