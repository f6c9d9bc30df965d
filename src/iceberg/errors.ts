import { type ErrorContext, FirnError, invalid } from "../base/error.ts";

/** What of the format a value breaks; every code stands for one part of the model. */
export type ModelCode =
  | "SCHEMA_INVALID"
  | "PARTITION_SPEC_INVALID"
  | "SORT_ORDER_INVALID"
  | "SNAPSHOT_INVALID"
  | "SNAPSHOT_REF_INVALID"
  | "FORMAT_VERSION_INVALID"
  | "TABLE_PROPERTY_INVALID"
  | "VIEW_VERSION_INVALID"
  | "VIEW_DIALECT_REPEATED"
  | "VIEW_DIALECT_DROPPED"
  | "VIEW_PROPERTY_INVALID"
  | "UPDATE_INVALID"
  | "REQUIREMENT_INVALID"
  | "METADATA_INVALID"
  | "MANIFEST_INVALID";

/** An `Invalid` error whose context repeats the reason, for adapters that render their own text. */
export function modelInvalid(
  code: ModelCode,
  reason: string,
  context: ErrorContext = {},
): FirnError {
  return invalid(code, reason, { reason, ...context });
}

/** A commit that was made against older metadata: reading again and retrying can succeed. */
export function staleCommit(
  code: "COMMIT_STALE_SEQUENCE" | "COMMIT_STALE_ROW_ID",
  reason: string,
  context: ErrorContext,
): FirnError {
  return new FirnError("Conflict", code, reason, { reason, ...context });
}
