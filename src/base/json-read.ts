import { utf8Length } from "./bytes.ts";
import { type ErrorContext, type FirnError, invalid } from "./error.ts";
import {
  isJsonArray,
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  jsonKeys,
} from "./json.ts";
import { LIMITS } from "./limits.ts";
import { type Steps, VALUES_AT_ONCE } from "./steps.ts";

const LONG_MIN = -(2n ** 63n);
const LONG_MAX = 2n ** 63n - 1n;

/** The error of a member that is there but is not what it has to be. */
export function fieldInvalid(path: string, expected: string, more?: ErrorContext): FirnError {
  return invalid("FIELD_INVALID", `${path} must be ${expected}`, { path, expected, ...more });
}

/** The own member, never one of `Object.prototype`. Null counts as absent. */
export function member(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? (object[name] ?? undefined) : undefined;
}

/** Path of a member, for errors. */
export function memberPath(at: string, name: string | number): string {
  if (typeof name === "number") return `${at}[${name}]`;
  return at === "" ? name : `${at}.${name}`;
}

/** The value as an object. */
export function asObject(value: JsonValue | undefined, at: string): JsonObject {
  if (!isJsonObject(value)) throw fieldInvalid(at === "" ? "body" : at, "an object");
  return value;
}

/** The value as an array. */
export function asArray(value: JsonValue | undefined, at: string): JsonArray {
  if (!isJsonArray(value)) throw fieldInvalid(at === "" ? "body" : at, "an array");
  return value;
}

/** The value as a text. */
export function asString(value: JsonValue | undefined, at: string): string {
  if (typeof value !== "string") throw fieldInvalid(at, "a string");
  return value;
}

/** The value as a text that maps may be keyed by, no longer than a member's name. */
export function asKey(value: JsonValue | undefined, at: string): string {
  const text = asString(value, at);
  const max = LIMITS.jsonKeyChars;
  if (text.length > max) throw fieldInvalid(at, `a string of at most ${max} characters`);
  return text;
}

/** The value as a name of so many bytes of UTF-8 at most. */
export function asNameOf(maxBytes: number): JsonReader<string> {
  return (value, at) => {
    const text = asKey(value, at);
    if (utf8Length(text) > maxBytes)
      throw fieldInvalid(at, `a string of at most ${maxBytes} bytes`);
    return text;
  };
}

/** The value as a 32-bit integer. */
export function asInt(value: JsonValue | undefined, at: string): number {
  if (typeof value !== "number" || value !== (value | 0)) {
    throw fieldInvalid(at, "a 32-bit integer");
  }
  return value;
}

/** The value as a 64-bit integer. */
export function asLong(value: JsonValue | undefined, at: string): bigint {
  const long =
    typeof value === "bigint"
      ? value
      : typeof value === "number" && Number.isSafeInteger(value)
        ? BigInt(value)
        : undefined;
  if (long === undefined || long < LONG_MIN || long > LONG_MAX) {
    throw fieldInvalid(at, "a 64-bit integer");
  }
  return long;
}

/** The value as a time in milliseconds: an integer that a number holds exactly. */
export function asMillis(value: JsonValue | undefined, at: string): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value)) {
    throw fieldInvalid(at, "an integer of milliseconds");
  }
  return value;
}

/** The value as a map of texts, in its order; a `Map`, since its keys are anyone's. */
export function asStringMap(value: JsonValue | undefined, at: string): Map<string, string> {
  const object = asObject(value, at);
  const out = new Map<string, string>();
  for (const key of jsonKeys(object)) out.set(key, asString(object[key], memberPath(at, key)));
  return out;
}

/**
 * Bounds what is read within a turn. Costs a look at each value, up to the bound.
 *
 * @throws FirnError `Invalid` `FIELD_INVALID`, which says the limit.
 */
export function assertFewValues(
  value: JsonValue | undefined,
  at: string,
  most: number = LIMITS.partValues,
): void {
  const left = valuesLeft(value, most);
  if (left < 0) throw fieldInvalid(at, `of at most ${most} values`, { maxValues: most });
}

/** How many of so many values are left; below 0 as soon as there are more. */
function valuesLeft(value: JsonValue | undefined, most: number): number {
  let left = most - 1;
  if (isJsonArray(value)) {
    for (const element of value) if (left >= 0) left = valuesLeft(element, left);
  } else if (isJsonObject(value)) {
    for (const key in value) {
      if (left < 0) break;
      left = valuesLeft(value[key], left);
    }
  }
  return left;
}

export type JsonReader<T> = (value: JsonValue | undefined, at: string) => T;

/**
 * A member that has to be there.
 *
 * @throws FirnError `Invalid`: `FIELD_MISSING` where it is absent or null, else what `read`
 * throws, by custom `FIELD_INVALID`. Both name the member's `path`, which starts with `at`, where
 * the object itself was found.
 */
export function requireMember<T>(
  object: JsonObject,
  name: string,
  read: JsonReader<T>,
  at = "",
): T {
  const path = memberPath(at, name);
  const value = member(object, name);
  if (value === undefined) throw invalid("FIELD_MISSING", `${path} is missing`, { path });
  return read(value, path);
}

/**
 * A member that may be absent or null.
 *
 * @throws FirnError `Invalid`: what `read` throws, by custom `FIELD_INVALID`.
 */
export function optionalMember<T>(
  object: JsonObject,
  name: string,
  read: JsonReader<T>,
  at = "",
): T | undefined {
  const value = member(object, name);
  return value === undefined ? undefined : read(value, memberPath(at, name));
}

export function requireString(object: JsonObject, name: string, at = ""): string {
  return requireMember(object, name, asString, at);
}

export function optionalString(object: JsonObject, name: string, at = ""): string | undefined {
  return optionalMember(object, name, asString, at);
}

export function requireBoolean(object: JsonObject, name: string, at = ""): boolean {
  return requireMember(object, name, asBoolean, at);
}

export function optionalBoolean(object: JsonObject, name: string, at = ""): boolean | undefined {
  return optionalMember(object, name, asBoolean, at);
}

/** The value as a boolean. */
export function asBoolean(value: JsonValue | undefined, at: string): boolean {
  if (typeof value !== "boolean") throw fieldInvalid(at, "a boolean");
  return value;
}

/** A 32-bit integer. */
export function requireInt(object: JsonObject, name: string, at = ""): number {
  return requireMember(object, name, asInt, at);
}

/** A 32-bit integer. */
export function optionalInt(object: JsonObject, name: string, at = ""): number | undefined {
  return optionalMember(object, name, asInt, at);
}

/** A 64-bit integer. */
export function requireLong(object: JsonObject, name: string, at = ""): bigint {
  return requireMember(object, name, asLong, at);
}

/** A 64-bit integer. */
export function optionalLong(object: JsonObject, name: string, at = ""): bigint | undefined {
  return optionalMember(object, name, asLong, at);
}

export function requireObject(object: JsonObject, name: string, at = ""): JsonObject {
  return requireMember(object, name, asObject, at);
}

export function optionalObject(object: JsonObject, name: string, at = ""): JsonObject | undefined {
  return optionalMember(object, name, asObject, at);
}

export function requireArray(object: JsonObject, name: string, at = ""): JsonArray {
  return requireMember(object, name, asArray, at);
}

/** Every element read alike. */
export function arrayOf<T>(read: JsonReader<T>): JsonReader<readonly T[]> {
  return (value, at) => asArray(value, at).map((element, i) => read(element, memberPath(at, i)));
}

/** Reads the elements of an array that may be long, and hands on each. */
export function* elementSteps<T>(
  value: JsonValue | undefined,
  at: string,
  read: JsonReader<T>,
  take: (element: T) => void,
): Steps<void> {
  let index = 0;
  for (const element of asArray(value, at)) {
    take(read(element, memberPath(at, index)));
    if (++index % VALUES_AT_ONCE === 0) yield;
  }
}

/** As `asStringMap`, of a map that may be large. */
export function* stringMapSteps(
  value: JsonValue | undefined,
  at: string,
): Steps<Map<string, string>> {
  const object = asObject(value, at);
  const out = new Map<string, string>();
  for (const key of jsonKeys(object)) {
    out.set(key, asString(object[key], memberPath(at, key)));
    if (out.size % VALUES_AT_ONCE === 0) yield;
  }
  return out;
}
