import { invalid } from "../../base/error.ts";
import { LIMITS } from "../../base/limits.ts";
import type { PageRequest, SnapshotsMode } from "../../service/requests.ts";
import { decodeUrlPart, splitNamespace } from "./path.ts";

/** Parameters of one request; unknown ones stay here unread. */
export type Query = ReadonlyMap<string, string>;

/** Nothing that we read needs more; a longer list costs only its sender. */
const MAX_PARAMETERS = 64;
const NONE: Query = new Map();

/**
 * Parses what follows the `?`.
 *
 * @throws FirnError `Invalid`: `URL_INVALID`, or `PARAMETER_INVALID` for one that comes twice.
 */
export function parseQuery(raw: string): Query {
  if (raw === "") return NONE;
  const query = new Map<string, string>();
  for (const pair of raw.split("&", MAX_PARAMETERS + 1)) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = decodeUrlPart(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? "" : decodeUrlPart(pair.slice(equals + 1));
    if (query.has(name)) throw parameterInvalid(name, "repeated");
    query.set(name, value);
    if (query.size > MAX_PARAMETERS)
      throw parameterInvalid(name, `one of more than ${MAX_PARAMETERS}`);
  }
  return query;
}

function parameterInvalid(parameter: string, why: string): Error {
  return invalid("PARAMETER_INVALID", `query parameter ${parameter.slice(0, 64)}: ${why}`);
}

/** `pageToken` and `pageSize`; a larger page than the limit is cut to it, as the spec allows. */
export function pageOf(query: Query): PageRequest {
  const pageToken = query.get("pageToken");
  const size = query.get("pageSize");
  if (size === undefined) return { pageToken };
  if (!/^[0-9]{1,18}$/.test(size) || Number(size) === 0) {
    throw parameterInvalid("pageSize", "must be a positive integer");
  }
  return { pageToken, pageSize: Math.min(Number(size), LIMITS.pageSize) };
}

/** `parent` of a listing; absent and empty both mean the top. */
export function parentOf(query: Query): readonly string[] {
  const parent = query.get("parent") ?? "";
  return parent === "" ? [] : splitNamespace(parent);
}

export function snapshotsOf(query: Query): SnapshotsMode {
  const mode = query.get("snapshots") ?? "all";
  if (mode === "all" || mode === "refs") return mode;
  throw parameterInvalid("snapshots", "must be all or refs");
}

/** Asks what a commit would do: taken by its word alone, since a typo would be a commit. */
export function dryRunOf(query: Query): boolean {
  const value = query.get("dry-run") ?? "false";
  if (value === "true" || value === "false") return value === "true";
  throw parameterInvalid("dry-run", "must be true or false");
}

/**
 * Refuses a dry run where there is none: who asks for one wants nothing to happen.
 *
 * @throws FirnError `Invalid` `PARAMETER_INVALID`.
 */
export function refuseDryRun(query: Query): void {
  if (query.has("dry-run")) throw parameterInvalid("dry-run", "this operation has no dry run");
}

/** `true` in any case: PyIceberg writes `True`. */
export function purgeRequestedOf(query: Query): boolean {
  const value = (query.get("purgeRequested") ?? "false").toLowerCase();
  if (value === "true" || value === "false") return value === "true";
  throw parameterInvalid("purgeRequested", "must be true or false");
}
