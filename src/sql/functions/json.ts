import type { ArrayDatum } from "../../rows/datum.ts";
import { SqlError } from "../error.ts";
import { type Json, jsonText, parseJson, quoteJson } from "../types/json.ts";
import type { Family } from "./implementation.ts";
import { type JsonSlices, plainSlice, sliceJson } from "./json-slices.ts";

/*
 * Functions of `json`, whose parts keep the spelling of the whole, and those that give several
 * columns, of `json` and `jsonb`.
 */

/** Of keys that come twice the last one counts. */
function member(value: JsonSlices, key: string): string | undefined {
  if (value.kind !== "object") return undefined;
  return value.members.findLast(([name]) => name === key)?.[1];
}

function item(value: JsonSlices, index: number): string | undefined {
  return value.kind === "array" ? value.items.at(index) : undefined;
}

function follow(text: string, path: ArrayDatum): string | undefined {
  let at: string | undefined = text.replace(/^[ \t\n\r]+|[ \t\n\r]+$/g, "");
  for (const step of path.elements) {
    if (at === undefined || step === null) return undefined;
    const value: JsonSlices = sliceJson(at);
    const name = String(step);
    if (value.kind === "array")
      at = /^[+-]?\d+$/.test(name) ? item(value, Number(name)) : undefined;
    else at = member(value, name);
  }
  return at;
}

function itemsOf(text: string, name: string): readonly string[] {
  const value = sliceJson(text);
  if (value.kind === "array") return value.items;
  const isSingle = value.kind !== "object";
  throw new SqlError("22023", `cannot call ${name} on a ${isSingle ? "scalar" : "non-array"}`);
}

function membersOf(text: string, name: string): readonly (readonly [string, string])[] {
  const value = sliceJson(text);
  if (value.kind === "object") return value.members;
  const what = value.kind === "array" ? "array" : "scalar";
  if (name === "json_object_keys") {
    throw new SqlError("22023", `cannot call ${name} on ${what === "array" ? "an" : "a"} ${what}`);
  }
  const message =
    what === "array" ? "cannot deconstruct an array as an object" : "cannot deconstruct a scalar";
  throw new SqlError("22023", message);
}

function arrayLength(text: string): number {
  const value = sliceJson(text);
  if (value.kind === "array") return value.items.length;
  const what = value.kind === "object" ? "a non-array" : "a scalar";
  throw new SqlError("22023", `cannot get array length of ${what}`);
}

/** Without members that are null, and without blanks. */
function withoutNulls(text: string): string {
  const value = sliceJson(text);
  if (value.kind === "array") return `[${value.items.map(withoutNulls).join(",")}]`;
  if (value.kind === "string") return quoteJson(plainSlice(value.text) ?? "");
  if (value.kind !== "object") return value.text;
  const members = value.members
    .filter(([, each]) => each !== "null")
    .map(([key, each]) => `${quoteJson(key)}:${withoutNulls(each)}`);
  return `{${members.join(",")}}`;
}

function plain(value: Json): string | null {
  if (value.kind === "null") return null;
  return value.kind === "string" ? value.value : jsonText(value);
}

function binaryMembers(text: string, name: string): Iterable<readonly [string, Json]> {
  const value = parseJson(text);
  if (value.kind === "object") return value.members;
  throw new SqlError("22023", `cannot call ${name} on a non-object`);
}

export const jsonFamily: Family = {
  json_object_field: (text: string, key: string) => member(sliceJson(text), key) ?? null,
  json_object_field_text: (text: string, key: string) => plainSlice(member(sliceJson(text), key)),
  json_array_element: (text: string, index: number) => item(sliceJson(text), index) ?? null,
  json_array_element_text: (text: string, index: number) =>
    plainSlice(item(sliceJson(text), index)),
  json_extract_path: (text: string, path: ArrayDatum) => follow(text, path) ?? null,
  json_extract_path_text: (text: string, path: ArrayDatum) => plainSlice(follow(text, path)),
  json_array_length: arrayLength,
  json_typeof: (text: string) => sliceJson(text).kind,
  json_array_elements: (text: string) => itemsOf(text, "json_array_elements"),
  json_array_elements_text: (text: string) =>
    itemsOf(text, "json_array_elements_text").map(plainSlice),
  json_object_keys: (text: string) => membersOf(text, "json_object_keys").map(([key]) => key),
  json_strip_nulls: withoutNulls,
  json_each: (text: string) => membersOf(text, "json_each"),
  json_each_text: (text: string) =>
    membersOf(text, "json_each_text").map(([key, value]) => [key, plainSlice(value)]),
  jsonb_each: (text: string) =>
    Array.from(binaryMembers(text, "jsonb_each"), ([key, value]) => [key, jsonText(value)]),
  jsonb_each_text: (text: string) =>
    Array.from(binaryMembers(text, "jsonb_each_text"), ([key, value]) => [key, plain(value)]),
};
