import { FirnError } from "../../base/error.ts";
import { normalizeS3Location } from "../../blob/s3/location.ts";
import type { Properties } from "../requests.ts";
import type { StoreConfig } from "../table-config.ts";

const NOTHING: Properties = {};

/** Configs by location: those of its store; none elsewhere, or while S3 is silent. */
export function bucketConfigs(ofStore: (location: string) => Promise<Properties>): StoreConfig {
  return async (location) => {
    try {
      return await ofStore(normalizeS3Location(location));
    } catch (error) {
      if (error instanceof FirnError) return NOTHING;
      throw error;
    }
  };
}
