import type { JsonObject, JsonValue } from "../../base/json.ts";
import { jsonKeys } from "../../base/json.ts";
import {
  arrayOf,
  asInt,
  asLong,
  asObject,
  asString,
  asStringMap,
  assertFewValues,
  fieldInvalid,
  member,
  memberPath,
  optionalMember,
  requireInt,
  requireLong,
  requireMember,
  requireString,
} from "../../base/json-read.ts";

/**
 * Checks a metrics report against the contract: of a scan or of a commit, which name what they are.
 * What a filter means is not looked at.
 *
 * @throws FirnError `Invalid`, naming the member that is wrong.
 */
export function decodeMetricsReport(body: JsonObject): JsonObject {
  assertFewValues(body, "body");
  const type = requireString(body, "report-type");
  requireString(body, "table-name");
  requireLong(body, "snapshot-id");
  switch (type) {
    case "scan-report":
      requireMember(body, "filter", asPredicate);
      requireInt(body, "schema-id");
      requireMember(body, "projected-field-ids", arrayOf(asInt));
      requireMember(body, "projected-field-names", arrayOf(asString));
      break;
    case "commit-report":
      requireLong(body, "sequence-number");
      requireString(body, "operation");
      break;
    default:
      throw fieldInvalid("report-type", "scan-report or commit-report");
  }
  requireMember(body, "metrics", asMetrics);
  optionalMember(body, "metadata", asStringMap);
  return body;
}

/** A literal truth, or an expression that names its type. */
function asPredicate(value: JsonValue | undefined, at: string): void {
  if (typeof value === "boolean") return;
  requireString(asObject(value, at), "type", at);
}

function asMetrics(value: JsonValue | undefined, at: string): void {
  const metrics = asObject(value, at);
  for (const name of jsonKeys(metrics)) asMetric(member(metrics, name), memberPath(at, name));
}

/** A counter, or a timer. */
function asMetric(value: JsonValue | undefined, at: string): void {
  const metric = asObject(value, at);
  if (member(metric, "unit") !== undefined) {
    requireString(metric, "unit", at);
    requireMember(metric, "value", asLong, at);
    return;
  }
  requireString(metric, "time-unit", at);
  requireMember(metric, "count", asLong, at);
  requireMember(metric, "total-duration", asLong, at);
}
