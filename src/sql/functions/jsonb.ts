import type { ArrayDatum } from "../../rows/datum.ts";
import type { Numeric } from "../../rows/numeric.ts";
import { SqlError } from "../error.ts";
import { CODECS } from "../types/codecs.ts";
import { compareJson, type Json, jsonText, parseJson, sorted } from "../types/json.ts";
import { comparisons } from "./comparisons.ts";
import type { Family } from "./implementation.ts";
import { toInteger } from "./numerics.ts";

const order = (a: string, b: string): number => CODECS["jsonb"]?.compare?.(a, b) ?? 0;

function member(value: Json, key: string): Json | undefined {
  return value.kind === "object" ? value.members.get(key) : undefined;
}

function item(value: Json, index: number): Json | undefined {
  if (value.kind === "array") return value.items.at(index);
  // PostgreSQL keeps a scalar as an array of one.
  return value.kind !== "object" && (index === 0 || index === -1) ? value : undefined;
}

/** By a path of keys and indexes; NULL in the path finds nothing. */
function follow(value: Json, path: ArrayDatum): Json | undefined {
  let at: Json | undefined = value;
  for (const step of path.elements) {
    if (at === undefined || step === null) return undefined;
    const text = String(step);
    if (at.kind === "array") at = /^[+-]?\d+$/.test(text) ? at.items.at(Number(text)) : undefined;
    else at = member(at, text);
  }
  return at;
}

const shown = (value: Json | undefined): string | null =>
  value === undefined ? null : jsonText(value);

/** As text: a string without its quotation marks, and null as NULL. */
function plain(value: Json | undefined): string | null {
  if (value === undefined || value.kind === "null") return null;
  return value.kind === "string" ? value.value : jsonText(value);
}

function contains(a: Json, b: Json): boolean {
  if (a.kind === "object" && b.kind === "object") {
    return [...b.members].every(([key, wanted]) => {
      const found = a.members.get(key);
      return found !== undefined && contains(found, wanted);
    });
  }
  if (a.kind === "array" && b.kind === "array") {
    return b.items.every((wanted) => a.items.some((each) => contains(each, wanted)));
  }
  return a.kind === b.kind && a.kind !== "array" && a.kind !== "object" && compareJson(a, b) === 0;
}

/** An array also contains a scalar that is one of its items; only at the top. */
function containsTop(left: string, right: string): boolean {
  const [a, b] = [parseJson(left), parseJson(right)];
  const isScalar = b.kind !== "array" && b.kind !== "object";
  if (a.kind === "array" && isScalar) return a.items.some((each) => contains(each, b));
  return contains(a, b);
}

function hasKey(text: string, key: string): boolean {
  const value = parseJson(text);
  if (value.kind === "object") return value.members.has(key);
  const items = value.kind === "array" ? value.items : [value];
  return items.some((each) => each.kind === "string" && each.value === key);
}

const keysOf = (keys: ArrayDatum): readonly string[] =>
  keys.elements.filter((key) => key !== null).map(String);

function concatenate(left: string, right: string): string {
  const [a, b] = [parseJson(left), parseJson(right)];
  if (a.kind === "object" && b.kind === "object") {
    return jsonText({ kind: "object", members: sorted(new Map([...a.members, ...b.members])) });
  }
  const items = (value: Json): readonly Json[] => (value.kind === "array" ? value.items : [value]);
  return jsonText({ kind: "array", items: [...items(a), ...items(b)] });
}

function noScalar(value: Json): void {
  if (value.kind === "array" || value.kind === "object") return;
  throw new SqlError("22023", "cannot delete from scalar");
}

function deleteKeys(text: string, keys: readonly string[]): string {
  const value = parseJson(text);
  noScalar(value);
  if (value.kind === "object") {
    const members = new Map([...value.members].filter(([key]) => !keys.includes(key)));
    return jsonText({ kind: "object", members });
  }
  if (value.kind !== "array") return text;
  const items = value.items.filter((each) => each.kind !== "string" || !keys.includes(each.value));
  return jsonText({ kind: "array", items });
}

function deleteIndex(text: string, index: number): string {
  const value = parseJson(text);
  noScalar(value);
  if (value.kind === "object") {
    throw new SqlError("22023", "cannot delete from object using integer index");
  }
  if (value.kind !== "array") return text;
  const at = index < 0 ? value.items.length + index : index;
  return jsonText({ kind: "array", items: value.items.filter((_, i) => i !== at) });
}

function typeName(value: Json): string {
  return value.kind;
}

function arrayLength(value: Json): number {
  if (value.kind === "array") return value.items.length;
  const what = value.kind === "object" ? "a non-array" : "a scalar";
  throw new SqlError("22023", `cannot get array length of ${what}`);
}

function withoutNulls(value: Json): Json {
  if (value.kind === "array") return { kind: "array", items: value.items.map(withoutNulls) };
  if (value.kind !== "object") return value;
  const members = [...value.members]
    .filter(([, each]) => each.kind !== "null")
    .map(([key, each]): [string, Json] => [key, withoutNulls(each)]);
  return { kind: "object", members: new Map(members) };
}

function* elements(text: string): Generator<string> {
  const value = parseJson(text);
  if (value.kind !== "array") {
    const what = value.kind === "object" ? "an object" : "a scalar";
    throw new SqlError("22023", `cannot extract elements from ${what}`);
  }
  for (const each of value.items) yield jsonText(each);
}

function* elementTexts(text: string): Generator<string | null> {
  for (const each of elements(text)) yield plain(parseJson(each));
}

function* objectKeys(text: string): Generator<string> {
  const value = parseJson(text);
  if (value.kind !== "object") {
    const what = value.kind === "array" ? "an array" : "a scalar";
    throw new SqlError("22023", `cannot call jsonb_object_keys on ${what}`);
  }
  yield* value.members.keys();
}

function toNumeric(text: string, type: string): Numeric {
  const value = parseJson(text);
  if (value.kind === "number") return value.value;
  throw new SqlError("22023", `cannot cast jsonb ${value.kind} to type ${type}`);
}

function pretty(value: Json, indent: string): string {
  const inner = `${indent}    `;
  if (value.kind === "array") {
    const items = value.items.map((each) => `${inner}${pretty(each, inner)}`);
    return items.length === 0 ? `[\n${indent}]` : `[\n${items.join(",\n")}\n${indent}]`;
  }
  if (value.kind !== "object") return jsonText(value);
  const members = [...value.members].map(
    ([key, each]) => `${inner}${jsonText({ kind: "string", value: key })}: ${pretty(each, inner)}`,
  );
  return members.length === 0 ? `{\n${indent}}` : `{\n${members.join(",\n")}\n${indent}}`;
}

export const jsonbFamily: Family = {
  ...comparisons<string, string>("jsonb_", order),
  jsonb_object_field: (a: string, key: string) => shown(member(parseJson(a), key)),
  jsonb_object_field_text: (a: string, key: string) => plain(member(parseJson(a), key)),
  jsonb_array_element: (a: string, index: number) => shown(item(parseJson(a), index)),
  jsonb_array_element_text: (a: string, index: number) => plain(item(parseJson(a), index)),
  jsonb_extract_path: (a: string, path: ArrayDatum) => shown(follow(parseJson(a), path)),
  jsonb_extract_path_text: (a: string, path: ArrayDatum) => plain(follow(parseJson(a), path)),
  jsonb_contains: containsTop,
  jsonb_contained: (a: string, b: string) => containsTop(b, a),
  jsonb_exists: hasKey,
  jsonb_exists_any: (a: string, keys: ArrayDatum) => keysOf(keys).some((key) => hasKey(a, key)),
  jsonb_exists_all: (a: string, keys: ArrayDatum) => keysOf(keys).every((key) => hasKey(a, key)),
  jsonb_concat: concatenate,
  jsonb_delete: (a: string, key: string) => deleteKeys(a, [key]),
  jsonb_delete_array(a: string, keys: ArrayDatum) {
    if (keys.dimensions.length > 1) throw new SqlError("2202E", "wrong number of array subscripts");
    return deleteKeys(a, keysOf(keys));
  },
  jsonb_delete_idx: deleteIndex,
  jsonb_typeof: (a: string) => typeName(parseJson(a)),
  jsonb_array_length: (a: string) => arrayLength(parseJson(a)),
  jsonb_strip_nulls: (a: string) => jsonText(withoutNulls(parseJson(a))),
  jsonb_pretty: (a: string) => pretty(parseJson(a), ""),
  jsonb_array_elements: elements,
  jsonb_array_elements_text: elementTexts,
  jsonb_object_keys: objectKeys,
  jsonb_numeric: (a: string) => toNumeric(a, "numeric"),
  jsonb_bool(a: string) {
    const value = parseJson(a);
    if (value.kind === "boolean") return value.value;
    throw new SqlError("22023", `cannot cast jsonb ${value.kind} to type boolean`);
  },
  jsonb_int2: (a: string) => Number(toInteger(toNumeric(a, "smallint"), 16, "smallint")),
  jsonb_int4: (a: string) => Number(toInteger(toNumeric(a, "integer"), 32, "integer")),
  jsonb_int8: (a: string) => toInteger(toNumeric(a, "bigint"), 64, "bigint"),
  jsonb_float8: (a: string) => toNumeric(a, "double precision").toNumber(),
};
