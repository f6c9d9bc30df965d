import { FirnError } from "../base/error.ts";
import { isJsonObject, type JsonObject, parseJson } from "../base/json.ts";
import { LIMITS } from "../base/limits.ts";
import { modelInvalid } from "./errors.ts";
import { ICEBERG_LIMITS } from "./limits.ts";

/** A metadata file is bounded by its size, and so may hold far more values than a request. */
const FILE_BOUNDS = { depth: LIMITS.jsonDepth, nodes: ICEBERG_LIMITS.metadataFileNodes };

/**
 * Parses the text of a metadata file, of a table or a view, by `read`.
 *
 * @throws FirnError `Invalid` `METADATA_INVALID`; context `reason`, and `cause` holds the code
 * of the part that was refused.
 */
export function parseMetadataFile<T>(text: string, read: (object: JsonObject) => T): T {
  try {
    const value = parseJson(text, FILE_BOUNDS);
    if (!isJsonObject(value)) throw modelInvalid("METADATA_INVALID", "not an object");
    return read(value);
  } catch (error) {
    if (!(error instanceof FirnError) || error.kind !== "Invalid") throw error;
    if (error.code === "METADATA_INVALID") throw error;
    const context = { ...error.context, reason: error.message, cause: error.code };
    throw new FirnError("Invalid", "METADATA_INVALID", error.message, context, error);
  }
}
