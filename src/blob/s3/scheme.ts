import type { LocationScheme } from "../locations.ts";
import type { BlobStore } from "../port.ts";
import { normalizeS3Location, partsOfS3Location } from "./location.ts";

export interface S3SchemeOptions {
  /** The whole of a bucket, paths being keys; asked once for each bucket. */
  readonly open: (bucket: string) => BlobStore;
  /** Whether files that are kept in memory are looked after: a request each time. */
  readonly watched: boolean;
}

/** The scheme `s3:` of `Locations`: every root of a bucket is served by one store. */
export function s3Scheme({ open, watched }: S3SchemeOptions): LocationScheme {
  const stores = new Map<string, BlobStore>();
  const storeOf = (bucket: string): BlobStore => {
    const store = stores.get(bucket) ?? open(bucket);
    stores.set(bucket, store);
    return store;
  };
  return {
    normalize: normalizeS3Location,
    open: (root) => ({
      store: storeOf(partsOfS3Location(root).bucket),
      pathOf: (location) => (location === root ? "" : partsOfS3Location(location).key),
      unwatched: !watched,
    }),
  };
}
