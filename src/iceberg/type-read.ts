import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import {
  asKey,
  member,
  memberPath,
  requireArray,
  requireBoolean,
  requireInt,
  requireMember,
} from "../base/json-read.ts";
import type { Steps } from "../base/steps.ts";
import { parseDefault } from "./default-value.ts";
import { modelInvalid } from "./errors.ts";
import {
  FIELDS_A_STEP,
  type IcebergType,
  type ListType,
  type MapType,
  type NestedField,
  type PrimitiveName,
  type PrimitiveType,
  type StructType,
} from "./type.ts";

const PLAIN: ReadonlySet<string> = new Set<PrimitiveName>([
  "boolean",
  "int",
  "long",
  "float",
  "double",
  "date",
  "time",
  "timestamp",
  "timestamptz",
  "timestamp_ns",
  "timestamptz_ns",
  "string",
  "uuid",
  "binary",
  "unknown",
  "variant",
  "geometry",
  "geography",
]);

/** Longer type names are refused before a pattern is tried on them. */
const MAX_TYPE_LENGTH = 256;
const MAX_PRECISION = 38;
const FIXED = /^fixed\[ *(\d{1,10}) *\]$/;
const DECIMAL = /^decimal\( *(\d{1,3}) *, *(\d{1,3}) *\)$/;
const GEOMETRY = /^geometry *\(([^()]+)\)$/i;
const GEOGRAPHY = /^geography *\(([^(),]+)(?:,([^(),]+))?\)$/i;
const EDGE_ALGORITHMS = new Set(["spherical", "vincenty", "thomas", "andoyer", "karney"]);

/**
 * A struct's fields.
 *
 * @throws FirnError `Invalid`: `SCHEMA_INVALID`, or a `FIELD_…` code of a malformed member.
 */
export function* structSteps(object: JsonObject, at: string): Steps<StructType> {
  const fields: NestedField[] = [];
  const path = memberPath(at, "fields");
  for (const [i, field] of requireArray(object, "fields", at).entries()) {
    fields.push(yield* fieldSteps(field, memberPath(path, i)));
    if (i % FIELDS_A_STEP === FIELDS_A_STEP - 1) yield;
  }
  return { kind: "struct", fields };
}

function* typeSteps(value: JsonValue | undefined, at: string): Steps<IcebergType> {
  if (typeof value === "string") return parsePrimitive(value, at);
  if (isJsonObject(value)) {
    const kind = member(value, "type");
    if (kind === "struct") return yield* structSteps(value, at);
    if (kind === "list") return yield* listSteps(value, at);
    if (kind === "map") return yield* mapSteps(value, at);
  }
  throw modelInvalid("SCHEMA_INVALID", "not a type", { path: at });
}

function* fieldSteps(value: JsonValue, at: string): Steps<NestedField> {
  if (!isJsonObject(value)) throw modelInvalid("SCHEMA_INVALID", "not a field", { path: at });
  const type = yield* typeSteps(member(value, "type"), memberPath(at, "type"));
  const required = requireBoolean(value, "required", at);
  if (required && type.kind === "primitive" && type.name === "unknown") {
    throw modelInvalid("SCHEMA_INVALID", "a field of type unknown must be optional", { path: at });
  }
  const doc = member(value, "doc");
  if (doc !== undefined && typeof doc !== "string") {
    throw modelInvalid("SCHEMA_INVALID", "doc is not a string", { path: at });
  }
  return {
    id: requireInt(value, "id", at),
    name: requireMember(value, "name", asKey, at),
    required,
    type,
    doc,
    initialDefault: parseDefault(type, member(value, "initial-default"), at),
    writeDefault: parseDefault(type, member(value, "write-default"), at),
  };
}

function* listSteps(object: JsonObject, at: string): Steps<ListType> {
  return {
    kind: "list",
    elementId: requireInt(object, "element-id", at),
    elementRequired: requireBoolean(object, "element-required", at),
    element: yield* typeSteps(member(object, "element"), memberPath(at, "element")),
  };
}

function* mapSteps(object: JsonObject, at: string): Steps<MapType> {
  return {
    kind: "map",
    keyId: requireInt(object, "key-id", at),
    key: yield* typeSteps(member(object, "key"), memberPath(at, "key")),
    valueId: requireInt(object, "value-id", at),
    valueRequired: requireBoolean(object, "value-required", at),
    value: yield* typeSteps(member(object, "value"), memberPath(at, "value")),
  };
}

function parsePrimitive(text: string, at: string): PrimitiveType {
  const type = text.length > MAX_TYPE_LENGTH ? undefined : readPrimitive(text);
  if (type !== undefined) return type;
  throw modelInvalid("SCHEMA_INVALID", "unknown type", {
    path: at,
    type: text.slice(0, MAX_TYPE_LENGTH),
  });
}

function readPrimitive(text: string): PrimitiveType | undefined {
  const lower = text.toLowerCase();
  if (PLAIN.has(lower)) {
    return { kind: "primitive", name: lower as PrimitiveName, text: lower };
  }
  const length = FIXED.exec(lower)?.[1];
  if (length !== undefined) {
    if (Number(length) >= 2 ** 31) return undefined;
    return { kind: "primitive", name: "fixed", text: `fixed[${Number(length)}]` };
  }
  const decimal = DECIMAL.exec(lower);
  if (decimal !== null) {
    const [precision, scale] = [Number(decimal[1]), Number(decimal[2])];
    if (precision < 1 || precision > MAX_PRECISION || scale > MAX_PRECISION) return undefined;
    return { kind: "primitive", name: "decimal", text: `decimal(${precision}, ${scale})` };
  }
  return readGeo(text);
}

/** The coordinate reference system keeps its case; it is a name of another registry. */
function readGeo(text: string): PrimitiveType | undefined {
  const crs = GEOMETRY.exec(text)?.[1]?.trim();
  if (crs) return { kind: "primitive", name: "geometry", text: `geometry(${crs})` };
  const geography = GEOGRAPHY.exec(text);
  const system = geography?.[1]?.trim();
  if (!system) return undefined;
  const algorithm = geography?.[2]?.trim().toLowerCase();
  if (algorithm === undefined) {
    return { kind: "primitive", name: "geography", text: `geography(${system})` };
  }
  if (!EDGE_ALGORITHMS.has(algorithm)) return undefined;
  return { kind: "primitive", name: "geography", text: `geography(${system}, ${algorithm})` };
}
