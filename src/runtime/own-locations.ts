import { join } from "node:path";
import { fileUri } from "./location.ts";
import { isRemote, type Settings } from "./settings.ts";

/** Where the catalog keeps its own objects, as locations: none of a client's may lie there. */
export function ownLocations(settings: Partial<Settings>): readonly string[] {
  const { profile, dir, s3Bucket, s3Prefix } = settings;
  if (isRemote(profile)) {
    const known = s3Bucket !== undefined && s3Prefix !== undefined;
    return known ? [`s3://${s3Bucket}/${s3Prefix.slice(0, -1)}`] : [];
  }
  if (profile !== "local" || dir === undefined) return [];
  try {
    return [fileUri(join(dir, "store"))];
  } catch (error) {
    // No location can spell this directory, so none can lie in it.
    if (error instanceof RangeError) return [];
    throw error;
  }
}
