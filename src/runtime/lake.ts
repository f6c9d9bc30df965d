import type { Metrics } from "../base/metrics.ts";
import { DeferredBlobStore } from "../blob/deferred.ts";
import type { LocationScheme } from "../blob/locations.ts";
import { s3Scheme } from "../blob/s3/scheme.ts";
import type { Settings } from "./settings.ts";
import type { Components } from "./stores.ts";

/** The buckets that tables lie in, whatever the profile: opened when they are first used. */
export interface Lake {
  readonly scheme: LocationScheme;
  close(): Promise<void>;
}

/** No request, and no SDK is loaded, before a table's file in a bucket is asked for. */
export function openLake(settings: Settings, components: Components, metrics: Metrics): Lake {
  const opened: Promise<{ close(): void }>[] = [];
  const open = (bucket: string) =>
    new DeferredBlobStore(async () => {
      const store = import("./s3-stores.ts").then(({ lakeBucket }) =>
        lakeBucket(bucket, settings, components, metrics),
      );
      opened.push(store);
      return store;
    });
  return {
    scheme: s3Scheme({ open, watched: settings.s3CheckMetadata }),
    close: async () => {
      for (const store of await Promise.allSettled(opened)) {
        if (store.status === "fulfilled") store.value.close();
      }
    },
  };
}
