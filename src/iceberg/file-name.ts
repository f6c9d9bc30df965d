import { modelInvalid } from "./errors.ts";

const CODEC = "write.metadata.compression-codec";
const VERSION = /^\d{1,9}$/;

/**
 * The name of the next metadata file, `00003-<uuid>.metadata.json`: counts up from the base's name,
 * and from 0 where there is no base or its name holds no number. With the gzip codec the name ends
 * in `.gz.metadata.json`, and the caller writes gzip.
 *
 * @throws FirnError `Invalid` `TABLE_PROPERTY_INVALID`: another codec than none or gzip.
 */
export function nextMetadataFileName(
  baseLocation: string | undefined,
  uuid: string,
  properties: ReadonlyMap<string, string>,
): string {
  const version = baseLocation === undefined ? 0 : fileVersion(baseLocation) + 1;
  const suffix = metadataCodec(properties) === "gzip" ? ".gz" : "";
  return `${String(version).padStart(5, "0")}-${uuid}${suffix}.metadata.json`;
}

/** How a table's metadata files are written, by its properties. */
export function metadataCodec(properties: ReadonlyMap<string, string>): "none" | "gzip" {
  const codec = (properties.get(CODEC) ?? "none").toLowerCase();
  if (codec === "none" || codec === "gzip") return codec;
  throw modelInvalid("TABLE_PROPERTY_INVALID", "unknown metadata codec", {
    property: CODEC,
    codec,
  });
}

/** Whether a metadata file is gzip, by its name; older writers put the suffix last. */
export function isGzipMetadata(location: string): boolean {
  return location.endsWith(".gz.metadata.json") || location.endsWith(".metadata.json.gz");
}

/** Number at the start of a metadata file's name, -1 for a name of another scheme. */
function fileVersion(location: string): number {
  const name = location.slice(location.lastIndexOf("/") + 1);
  const number = name.slice(0, Math.max(0, name.indexOf("-")));
  return VERSION.test(number) ? Number(number) : -1;
}

const FIRN_NAME = /^\d{5,9}-([0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12})\./;

/** The uuid in a name that `nextMetadataFileName` made, a UUIDv7; undefined in any other. */
export function uuidOfFileName(location: string): string | undefined {
  return FIRN_NAME.exec(location.slice(location.lastIndexOf("/") + 1))?.[1];
}
