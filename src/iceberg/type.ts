import type { JsonObject, JsonValue } from "../base/json.ts";
import type { Steps } from "../base/steps.ts";

export type PrimitiveName =
  | "boolean"
  | "int"
  | "long"
  | "float"
  | "double"
  | "decimal"
  | "date"
  | "time"
  | "timestamp"
  | "timestamptz"
  | "timestamp_ns"
  | "timestamptz_ns"
  | "string"
  | "uuid"
  | "fixed"
  | "binary"
  | "unknown"
  | "variant"
  | "geometry"
  | "geography";

/** `text` is the type as printed, parameters included: `decimal(10, 2)`. */
export interface PrimitiveType {
  readonly kind: "primitive";
  readonly name: PrimitiveName;
  readonly text: string;
}

export interface StructType {
  readonly kind: "struct";
  readonly fields: readonly NestedField[];
}

export interface ListType {
  readonly kind: "list";
  readonly elementId: number;
  readonly elementRequired: boolean;
  readonly element: IcebergType;
}

export interface MapType {
  readonly kind: "map";
  readonly keyId: number;
  readonly key: IcebergType;
  readonly valueId: number;
  readonly valueRequired: boolean;
  readonly value: IcebergType;
}

export type IcebergType = PrimitiveType | StructType | ListType | MapType;

export interface NestedField {
  readonly id: number;
  readonly name: string;
  readonly required: boolean;
  readonly type: IcebergType;
  readonly doc?: string | undefined;
  readonly initialDefault?: JsonValue | undefined;
  readonly writeDefault?: JsonValue | undefined;
}

/** Format version from which a type may stand in a schema; all others stand in any. */
export const MIN_FORMAT_VERSION: ReadonlyMap<PrimitiveName, number> = new Map([
  ["timestamp_ns", 3],
  ["timestamptz_ns", 3],
  ["variant", 3],
  ["unknown", 3],
  ["geometry", 3],
  ["geography", 3],
]);

/** Fields that are handled between two steps. */
export const FIELDS_A_STEP = 256;

/** Fields as JSON, their members in the order in which Iceberg's own writers print them. */
export function* fieldsToJson(fields: readonly NestedField[]): Steps<readonly JsonObject[]> {
  const out: JsonObject[] = [];
  for (const field of fields) {
    const { type } = field;
    out.push(fieldToJson(field, type.kind === "primitive" ? type.text : yield* typeToJson(type)));
    if (out.length % FIELDS_A_STEP === 0) yield;
  }
  return out;
}

function* typeToJson(type: IcebergType): Steps<JsonValue> {
  switch (type.kind) {
    case "primitive":
      return type.text;
    case "struct":
      return { type: "struct", fields: yield* fieldsToJson(type.fields) };
    case "list":
      return {
        type: "list",
        "element-id": type.elementId,
        element: yield* typeToJson(type.element),
        "element-required": type.elementRequired,
      };
    case "map":
      return {
        type: "map",
        "key-id": type.keyId,
        key: yield* typeToJson(type.key),
        "value-id": type.valueId,
        value: yield* typeToJson(type.value),
        "value-required": type.valueRequired,
      };
  }
}

function fieldToJson(field: NestedField, type: JsonValue): JsonObject {
  const { id, name, required } = field;
  const out: Record<string, JsonValue> = { id, name, required, type };
  if (field.doc !== undefined) out["doc"] = field.doc;
  if (field.initialDefault !== undefined) out["initial-default"] = field.initialDefault;
  if (field.writeDefault !== undefined) out["write-default"] = field.writeDefault;
  return out;
}
