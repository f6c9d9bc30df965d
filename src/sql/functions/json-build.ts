import { type ArrayDatum, type Datum, isArrayDatum } from "../../rows/datum.ts";
import { invalidParameter, SqlError } from "../error.ts";
import type { SqlContext } from "../types/context.ts";
import { dateText, timestampText } from "../types/date-time-text.ts";
import { isInfinite, offsetAt, sessionZone } from "../types/dates.ts";
import { jsonText, parseJson, quoteJson } from "../types/json.ts";
import { OID } from "../types/oids.ts";
import type { TypeRegistry } from "../types/registry.ts";
import type { RowColumn, RowValue } from "../types/row-value.ts";
import { type CallTypes, type Family, typed } from "./implementation.ts";

/** Writes values of one type as JSON. */
export interface JsonWriter {
  readonly kind: "scalar" | "array" | "row" | "json";
  /** @param value not NULL */
  text(value: Datum, at: SqlContext): string;
  /** As the key of an object. @throws SqlError 22023 for arrays and JSON. */
  key(value: Datum, at: SqlContext): string;
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const NUMBERS: ReadonlySet<number> = new Set([
  OID.int2,
  OID.int4,
  OID.int8,
  OID.float4,
  OID.float8,
  OID.numeric,
]);

/** Times as XML Schema has them: a `T` before the time, and zones with their minutes. */
function timeText(value: bigint, offset?: number): string {
  const zone = offset === undefined ? undefined : { offset, abbreviation: "" };
  const text = timestampText(value, zone).replace(" ", "T");
  return offset === undefined ? text : text.replace(/([+-]\d\d)( BC)?$/, "$1:00$2");
}

function scalarText(
  types: TypeRegistry,
  oid: number,
): (value: Datum, at: SqlContext) => { readonly text: string; readonly isBare: boolean } {
  const { codec } = types.get(oid);
  const quoted = (text: string) => ({ text, isBare: false });
  if (oid === OID.bool) return (value) => ({ text: String(value), isBare: true });
  if (NUMBERS.has(oid)) {
    return (value, at) => {
      const text = codec.output(value, at);
      return { text, isBare: NUMBER.test(text) };
    };
  }
  if (oid === OID.date) return (value) => quoted(dateText(value as number));
  if (oid === OID.timestamp) return (value) => quoted(timeText(value as bigint));
  if (oid === OID.timestamptz) {
    return (value, at) => {
      const micros = value as bigint;
      if (isInfinite(micros)) return quoted(timeText(micros));
      return quoted(timeText(micros, offsetAt(micros, sessionZone(at))));
    };
  }
  return (value, at) => quoted(codec.output(value, at));
}

export function jsonWriter(types: TypeRegistry, given: number): JsonWriter {
  const oid = types.baseOf(given === OID.unknown ? OID.text : given);
  const noKey = (): never => {
    throw invalidParameter("key value must be scalar, not array, composite, or json");
  };
  if (oid === OID.json || oid === OID.jsonb) {
    return { kind: "json", text: (value) => value as string, key: noKey };
  }
  if (types.isArray(oid)) {
    const element = jsonWriter(types, types.elementOf(oid));
    return { kind: "array", text: (value, at) => arrayText(value, element, at, ","), key: noKey };
  }
  if (types.isRow(oid)) {
    const columns = types.columnsOf(oid);
    const text = (value: Datum, at: SqlContext): string => rowText(types, columns, value, at, ",");
    return { kind: "row", text, key: noKey };
  }
  const show = scalarText(types, oid);
  return {
    kind: "scalar",
    text: (value, at) => {
      const { text, isBare } = show(value, at);
      return isBare ? text : quoteJson(text);
    },
    key: (value, at) => quoteJson(show(value, at).text),
  };
}

/**
 * A row by the names of its columns; `between` separates them.
 *
 * @param declared its columns, where its type has them; else the value tells of them.
 */
function rowText(
  types: TypeRegistry,
  declared: readonly RowColumn[] | undefined,
  value: Datum,
  at: SqlContext,
  between: string,
): string {
  const { fields, columns: own } = value as RowValue;
  const columns = declared ?? own;
  const members = columns.map(({ name, oid }, i) => {
    const field = fields[i] ?? null;
    const text = field === null ? "null" : writerOf(types, oid).text(field, at);
    return `${quoteJson(name)}:${text}`;
  });
  return `{${members.join(between)}}`;
}

const writers = new WeakMap<TypeRegistry, Map<number, JsonWriter>>();

/** Of PostgreSQL's own types, which do not change, they are kept. */
function writerOf(types: TypeRegistry, oid: number): JsonWriter {
  if (types.isOwn(oid)) return jsonWriter(types, oid);
  const kept = writers.get(types) ?? new Map<number, JsonWriter>();
  writers.set(types, kept);
  const writer = kept.get(oid) ?? jsonWriter(types, oid);
  kept.set(oid, writer);
  return writer;
}

/** An array by its dimensions; `between` separates the outermost items. */
function arrayText(value: Datum, element: JsonWriter, at: SqlContext, between: string): string {
  if (!isArrayDatum(value)) throw new SqlError("XX000", "not an array");
  const { dimensions, elements } = value;
  if (dimensions.length === 0) return "[]";
  let next = 0;
  const level = (depth: number, separator: string): string => {
    const items: string[] = [];
    for (let i = 0; i < (dimensions[depth] ?? 0); i++) {
      if (depth + 1 < dimensions.length) items.push(level(depth + 1, ","));
      else {
        const item = elements[next++] ?? null;
        items.push(item === null ? "null" : element.text(item, at));
      }
    }
    return `[${items.join(separator)}]`;
  };
  return level(0, between);
}

/** `json` as it is written, `jsonb` as PostgreSQL stores it. */
type Finish = (text: string) => string;
const asJson: Finish = (text) => text;
const asJsonb: Finish = (text) => jsonText(parseJson(text));

const textOrNull = (writer: JsonWriter, value: Datum, at: SqlContext): string =>
  value === null ? "null" : writer.text(value, at);

function toJson(finish: Finish): Family[string] {
  return typed(({ types, arguments: [oid = 0] }) => {
    const writer = jsonWriter(types, oid);
    return (value: Datum, at: SqlContext) => finish(writer.text(value, at));
  });
}

type Values = readonly [...(readonly Datum[]), SqlContext];

function writersOf({ types, arguments: oids }: CallTypes): readonly JsonWriter[] {
  return oids.map((oid) => jsonWriter(types, oid));
}

function buildArray(finish: Finish): Family[string] {
  return typed((call) => {
    const writers = writersOf(call);
    return (...values: Values) => {
      const at = values.at(-1) as SqlContext;
      const items = writers.map((writer, i) => textOrNull(writer, values[i] as Datum, at));
      return finish(`[${items.join(", ")}]`);
    };
  });
}

function buildObject(name: string, finish: Finish): Family[string] {
  return typed((call) => {
    const writers = writersOf(call);
    return (...values: Values) => {
      const at = values.at(-1) as SqlContext;
      if (writers.length % 2 !== 0) {
        throw invalidParameter("argument list must have even number of elements", {
          hint: `The arguments of ${name}() must consist of alternating keys and values.`,
        });
      }
      const members: string[] = [];
      for (let i = 0; i < writers.length; i += 2) {
        const [key, value] = [writers[i] as JsonWriter, writers[i + 1] as JsonWriter];
        if (values[i] === null) {
          const message =
            name === "json_build_object"
              ? `argument ${i + 1} cannot be null`
              : `argument ${i + 1}: key must not be null`;
          throw invalidParameter(message, { hint: "Object keys should be text." });
        }
        const shown = textOrNull(value, values[i + 1] as Datum, at);
        members.push(`${key.key(values[i] as Datum, at)} : ${shown}`);
      }
      return finish(`{${members.join(", ")}}`);
    };
  });
}

/** Texts as an object: keys and values by turns, in pairs, or in two arrays. */
function objectOfTexts(finish: Finish): (keys: ArrayDatum, values?: ArrayDatum) => string {
  return (keys, values) => {
    const pairs = values === undefined ? pairsOf(keys) : zipped(keys, values);
    const members = pairs.map(([key, value]) => {
      if (key === null) throw new SqlError("22004", "null value not allowed for object key");
      return `${quoteJson(String(key))} : ${value === null ? "null" : quoteJson(String(value))}`;
    });
    return finish(`{${members.join(", ")}}`);
  };
}

type Pair = readonly [Datum, Datum];

function pairsOf({ dimensions, elements }: ArrayDatum): readonly Pair[] {
  if (dimensions.length > 2) throw new SqlError("2202E", "wrong number of array subscripts");
  if (dimensions.length === 2 && dimensions[1] !== 2) {
    throw new SqlError("2202E", "array must have two columns");
  }
  if (elements.length % 2 !== 0) {
    throw new SqlError("2202E", "array must have even number of elements");
  }
  return Array.from(
    { length: elements.length / 2 },
    (_, i): Pair => [elements[2 * i] ?? null, elements[2 * i + 1] ?? null],
  );
}

function zipped(keys: ArrayDatum, values: ArrayDatum): readonly Pair[] {
  if (keys.dimensions.length > 1 || values.dimensions.length > 1) {
    throw new SqlError("2202E", "wrong number of array subscripts");
  }
  if (keys.elements.length !== values.elements.length) {
    throw new SqlError("2202E", "mismatched array dimensions");
  }
  return keys.elements.map((key, i): Pair => [key, values.elements[i] ?? null]);
}

/** The call's last argument is the context, also where `values` is absent. */
const oneArray =
  (make: (keys: ArrayDatum) => string) =>
  (keys: ArrayDatum): string =>
    make(keys);

export const jsonBuildFamily: Family = {
  to_json: toJson(asJson),
  to_jsonb: toJson(asJsonb),
  row_to_json: toJson(asJson),
  row_to_json_pretty: typed(({ types, arguments: [oid = 0] }) => {
    const columns = types.columnsOf(oid);
    return (value: Datum, isPretty: boolean, at: SqlContext) =>
      rowText(types, columns, value, at, isPretty ? ",\n " : ",");
  }),
  array_to_json: toJson(asJson),
  array_to_json_pretty: typed(({ types, arguments: [oid = 0] }) => {
    const element = jsonWriter(types, types.elementOf(types.baseOf(oid)));
    return (value: Datum, isPretty: boolean, at: SqlContext) =>
      arrayText(value, element, at, isPretty ? ",\n " : ",");
  }),
  json_build_array: buildArray(asJson),
  json_build_array_noargs: () => "[]",
  jsonb_build_array: buildArray(asJsonb),
  jsonb_build_array_noargs: () => "[]",
  json_build_object: buildObject("json_build_object", asJson),
  json_build_object_noargs: () => "{}",
  jsonb_build_object: buildObject("jsonb_build_object", asJsonb),
  jsonb_build_object_noargs: () => "{}",
  json_object: oneArray(objectOfTexts(asJson)),
  json_object_two_arg: (keys: ArrayDatum, values: ArrayDatum) =>
    objectOfTexts(asJson)(keys, values),
  jsonb_object: oneArray(objectOfTexts(asJsonb)),
  jsonb_object_two_arg: (keys: ArrayDatum, values: ArrayDatum) =>
    objectOfTexts(asJsonb)(keys, values),
};
