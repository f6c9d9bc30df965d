import { JsonNumber, type JsonValue, printJson } from "../../base/json.ts";
import type { ArrayDatum, Datum } from "../../rows/datum.ts";
import type { SqlContext } from "../../sql/types/context.ts";
import { OID } from "../../sql/types/oids.ts";
import type { TypeRegistry } from "../../sql/types/registry.ts";

/** JSON text of a value that is not NULL. */
export type JsonWriter = (value: Exclude<Datum, null>) => string;

const PLAIN: ReadonlySet<number> = new Set([OID.bool, OID.int2, OID.int4, OID.oid]);
const FLOATS: ReadonlySet<number> = new Set([OID.float4, OID.float8]);
const JSONS: ReadonlySet<number> = new Set([OID.json, OID.jsonb]);

/**
 * How values of a type are written in JSON. What a JavaScript number would not keep is PostgreSQL's
 * text: int8, numeric, floats that are not finite, and all other types.
 */
export function jsonWriter(types: TypeRegistry, oid: number, context: SqlContext): JsonWriter {
  const base = types.baseOf(oid);
  if (PLAIN.has(base)) return (value) => String(value);
  const { codec } = types.get(base);
  if (FLOATS.has(base)) {
    return (value) => {
      const text = codec.output(value, context);
      return Number.isFinite(value) ? printJson(Number(text)) : JSON.stringify(text);
    };
  }
  // Line feeds stand between tokens alone: a row stays one line.
  if (JSONS.has(base)) return (value) => String(value).replace(/[\n\r]/g, " ");
  if (!types.isArray(base)) return (value) => JSON.stringify(codec.output(value, context));
  const ofElement = jsonWriter(types, types.elementOf(base), context);
  return (value) => arrayText(value as ArrayDatum, ofElement);
}

/** An array as one of JSON, its elements written by `ofElement`. */
export function arrayText({ dimensions, elements }: ArrayDatum, ofElement: JsonWriter): string {
  let at = 0;
  const level = (depth: number): string => {
    const parts = Array.from({ length: dimensions[depth] ?? 0 }, () => {
      if (depth + 1 < dimensions.length) return level(depth + 1);
      const element = elements[at++] ?? null;
      return element === null ? "null" : ofElement(element);
    });
    return `[${parts.join(",")}]`;
  };
  return level(0);
}

/** A parameter as text that PostgreSQL's input of its type reads; null for NULL. */
export function parameterText(value: JsonValue, isArray: boolean): string | null {
  if (value === null) return null;
  if (typeof value === "string") return value;
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (typeof value === "number") return String(value);
  if (value instanceof JsonNumber) return value.token;
  return isArray && Array.isArray(value) ? literalOf(value) : printJson(value);
}

/** An array in PostgreSQL's curly braces. */
function literalOf(values: readonly JsonValue[]): string {
  const parts = values.map((value) => {
    if (Array.isArray(value)) return literalOf(value);
    const text = parameterText(value, false);
    return text === null ? "NULL" : `"${text.replace(/["\\]/g, "\\$&")}"`;
  });
  return `{${parts.join(",")}}`;
}
