import { FirnError } from "../../base/error.ts";
import { isJsonArray, isJsonObject, type JsonValue, parseJson } from "../../base/json.ts";
import {
  asBoolean,
  asInt,
  asObject,
  asString,
  member,
  requireArray,
  requireMember,
  requireString,
} from "../../base/json-read.ts";
import type { Column } from "../../catalog/model.ts";

/** Levels of a nested type. */
const MAX_DEPTH = 64;
const FIELD_ID = "delta.columnMapping.id";

/**
 * The columns of a Delta schema, a JSON text in the log's `metaData`. Nested types are spelled as
 * Spark's DDL has them: `array<string>`, `map<string,integer>`, `struct<x:double,y:float>`.
 *
 * @throws FirnError `Invalid` `DELTA_LOG_INVALID`, and what JSON of a wrong shape throws.
 */
export function columnsOf(schemaString: string): readonly Column[] {
  const schema = asObject(parseJson(schemaString), "schema");
  return requireArray(schema, "fields", "schema").map((each, i) => {
    const at = `schema.fields[${i}]`;
    const field = asObject(each, at);
    const metadata = asObject(member(field, "metadata") ?? {}, `${at}.metadata`);
    const comment = member(metadata, "comment");
    const id = member(metadata, FIELD_ID);
    return {
      name: requireString(field, "name", at),
      type: typeText(member(field, "type"), at, 0),
      nullable: requireMember(field, "nullable", asBoolean, at),
      comment: comment === undefined ? "" : asString(comment, `${at}.comment`),
      ...(id !== undefined && { fieldId: asInt(id, `${at}.${FIELD_ID}`) }),
    };
  });
}

function typeText(type: JsonValue | undefined, at: string, depth: number): string {
  if (typeof type === "string") return type;
  if (depth >= MAX_DEPTH) {
    throw new FirnError("Invalid", "DELTA_LOG_INVALID", "a type of the schema is nested too deep", {
      at,
    });
  }
  const nested = asObject(type, at);
  const inner = (name: string) => typeText(member(nested, name), at, depth + 1);
  switch (member(nested, "type")) {
    case "array":
      return `array<${inner("elementType")}>`;
    case "map":
      return `map<${inner("keyType")},${inner("valueType")}>`;
    case "struct": {
      const fields = member(nested, "fields");
      const parts = (fields !== undefined && isJsonArray(fields) ? fields : []).map((each) => {
        const field = isJsonObject(each) ? each : {};
        const type = typeText(member(field, "type"), at, depth + 1);
        return `${requireString(field, "name", at)}:${type}`;
      });
      return `struct<${parts.join(",")}>`;
    }
    default:
      throw new FirnError("Invalid", "DELTA_LOG_INVALID", "a type of the schema is unknown", {
        at,
      });
  }
}
