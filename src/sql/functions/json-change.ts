import type { ArrayDatum } from "../../rows/datum.ts";
import { invalidParameter, SqlError } from "../error.ts";
import { type Json, jsonText, parseJson, sorted } from "../types/json.ts";
import type { Family } from "./implementation.ts";

/** What happens at the end of a path. `create` also replaces. */
type Change = "create" | "replace" | "delete" | "before" | "after";

interface At {
  readonly path: readonly (string | null)[];
  readonly change: Change;
  readonly value: Json;
}

/** Before the first item: of an index that counts back beyond it. */
const BEFORE_ALL = -1;

const ADDING: ReadonlySet<Change> = new Set(["create", "before", "after"]);

function changed(target: Json, level: number, at: At): Json {
  const { path } = at;
  if (level < path.length && path[level] === null) {
    throw new SqlError("22004", `path element at position ${level + 1} is null`);
  }
  if (target.kind === "object") return inObject(target.members, level, at);
  return target.kind === "array" ? inArray(target.items, level, at) : target;
}

function inObject(members: ReadonlyMap<string, Json>, level: number, at: At): Json {
  const { path, change, value } = at;
  const key = path[level] as string;
  const isLast = level === path.length - 1;
  const found = members.get(key);
  const next = new Map(members);
  if (found === undefined) {
    if (isLast && ADDING.has(change)) next.set(key, value);
  } else if (!isLast) next.set(key, changed(found, level + 1, at));
  else if (change === "before" || change === "after") {
    const hint = "Try using the function jsonb_set to replace key value.";
    throw invalidParameter("cannot replace existing key", { hint });
  } else if (change === "delete") next.delete(key);
  else next.set(key, value);
  return { kind: "object", members: sorted(next) };
}

function indexOf(step: string, level: number, size: number): number {
  if (!/^\s*[+-]?\d+\s*$/.test(step) || Math.abs(Number(step)) > 2_147_483_647) {
    const message = `path element at position ${level + 1} is not an integer: "${step}"`;
    throw new SqlError("22P02", message);
  }
  const index = Number(step);
  if (index < 0) return -index > size ? BEFORE_ALL : size + index;
  return Math.min(index, size);
}

function inArray(items: readonly Json[], level: number, at: At): Json {
  const { path, change, value } = at;
  const index = indexOf(path[level] as string, level, items.length);
  const isLast = level === path.length - 1;
  const next = [...items];
  const found = items[index];
  if (!isLast) {
    if (found !== undefined) next[index] = changed(found, level + 1, at);
  } else if (found === undefined) {
    if (ADDING.has(change)) next.splice(index === BEFORE_ALL ? 0 : items.length, 0, value);
  } else if (change === "before") next.splice(index, 0, value);
  else if (change === "after") next.splice(index + 1, 0, value);
  else if (change === "delete") next.splice(index, 1);
  else next[index] = value;
  return { kind: "array", items: next };
}

function atPath(
  text: string,
  steps: ArrayDatum,
  change: Change,
  value: Json,
  verb: string,
): string {
  if (steps.dimensions.length > 1) {
    throw new SqlError("2202E", "wrong number of array subscripts");
  }
  const target = parseJson(text);
  if (target.kind !== "array" && target.kind !== "object") {
    throw invalidParameter(`cannot ${verb} path in scalar`);
  }
  const size = target.kind === "array" ? target.items.length : target.members.size;
  if (steps.elements.length === 0) return text;
  if (size === 0 && (change === "replace" || change === "delete")) return text;
  const path = steps.elements.map((step) => (step === null ? null : String(step)));
  return jsonText(changed(target, 0, { path, change, value }));
}

function set(target: string, path: ArrayDatum, value: string, isCreated: boolean): string {
  return atPath(target, path, isCreated ? "create" : "replace", parseJson(value), "set");
}

function deletePath(target: string, path: ArrayDatum): string {
  return atPath(target, path, "delete", { kind: "null" }, "delete");
}

const TREATMENTS =
  'null_value_treatment must be "delete_key", "return_target", "use_json_null", ' +
  'or "raise_exception"';

function setLax(
  target: string | null,
  path: ArrayDatum | null,
  value: string | null,
  isCreated: boolean | null,
  treatment: string | null,
): string | null {
  if (target === null || path === null || isCreated === null) return null;
  if (treatment === null) throw invalidParameter(TREATMENTS);
  if (value !== null) return set(target, path, value, isCreated);
  switch (treatment) {
    case "raise_exception":
      throw new SqlError("22004", "JSON value must not be null", {
        detail: 'Exception was raised because null_value_treatment is "raise_exception".',
        hint:
          "To avoid, either change the null_value_treatment argument or ensure that an SQL NULL " +
          "is not passed.",
      });
    case "use_json_null":
      return set(target, path, "null", isCreated);
    case "delete_key":
      return deletePath(target, path);
    case "return_target":
      return target;
    default:
      throw invalidParameter(TREATMENTS);
  }
}

export const jsonChangeFamily: Family = {
  jsonb_set: set,
  jsonb_set_lax: setLax,
  jsonb_insert: (target: string, path: ArrayDatum, value: string, isAfter: boolean) =>
    atPath(target, path, isAfter ? "after" : "before", parseJson(value), "set"),
  jsonb_delete_path: deletePath,
};
