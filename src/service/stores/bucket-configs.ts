import { FirnError } from "../../base/error.ts";
import { normalizeS3Location, partsOfS3Location } from "../../blob/s3/location.ts";
import type { Properties } from "../requests.ts";
import type { StoreConfig } from "../table-config.ts";

const NOTHING: Properties = {};

/** Configs by location: those of its bucket; none elsewhere, or while S3 is silent. */
export function bucketConfigs(ofBucket: (bucket: string) => Promise<Properties>): StoreConfig {
  return async (location) => {
    try {
      const { bucket } = partsOfS3Location(normalizeS3Location(location));
      return await ofBucket(bucket);
    } catch (error) {
      if (error instanceof FirnError) return NOTHING;
      throw error;
    }
  };
}
