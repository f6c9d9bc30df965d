import type { Datum } from "../../rows/datum.ts";
import { invalidParameter } from "../error.ts";
import type { SqlContext } from "../types/context.ts";
import { jsonText, parseJson } from "../types/json.ts";
import type { TypeRegistry } from "../types/registry.ts";
import type { Aggregate, AggregateState } from "./aggregate.ts";
import { type JsonWriter, jsonWriter } from "./json-build.ts";

/** The aggregate of PostgreSQL's transition function; nothing where it does not make JSON. */
export function jsonAggregate(
  transition: string,
  types: TypeRegistry,
  oids: readonly number[],
): Aggregate | undefined {
  const [first, second] = oids.map((oid) => jsonWriter(types, oid));
  const isBinary = transition.startsWith("jsonb_");
  if (first === undefined) return undefined;
  switch (transition) {
    case "json_agg_transfn":
    case "jsonb_agg_transfn":
      return { create: () => items(first, isBinary) };
    case "json_object_agg_transfn":
    case "jsonb_object_agg_transfn":
      return second && { create: () => members(first, second, isBinary) };
    default:
      return undefined;
  }
}

const finished = (text: string, isBinary: boolean): string =>
  isBinary ? jsonText(parseJson(text)) : text;

function items(writer: JsonWriter, isBinary: boolean): AggregateState {
  const texts: string[] = [];
  return {
    add([value = null], at) {
      // Arrays and rows begin a line.
      const isLong = writer.kind === "array" || writer.kind === "row";
      const line = texts.length > 0 && isLong && value !== null ? "\n " : "";
      texts.push(line + (value === null ? "null" : writer.text(value, at)));
    },
    result: () => (texts.length === 0 ? null : finished(`[${texts.join(", ")}]`, isBinary)),
  };
}

function members(key: JsonWriter, value: JsonWriter, isBinary: boolean): AggregateState {
  const texts: string[] = [];
  return {
    add([name = null, member = null]: readonly Datum[], at: SqlContext) {
      if (name === null) throw invalidParameter("field name must not be null");
      const shown = member === null ? "null" : value.text(member, at);
      texts.push(`${key.key(name, at)} : ${shown}`);
    },
    result: () => (texts.length === 0 ? null : finished(`{ ${texts.join(", ")} }`, isBinary)),
  };
}
