import fc from "fast-check";
import type { ColumnType, Datum } from "../../../src/rows/index.ts";
import { INT64_MAX, INT64_MIN } from "../../../src/rows/index.ts";

const scalarType: fc.Arbitrary<ColumnType> = fc.oneof(
  fc.constantFrom<ColumnType>(
    { kind: "bool" },
    { kind: "int2" },
    { kind: "int4" },
    { kind: "int8" },
    { kind: "float4" },
    { kind: "float8" },
    { kind: "numeric" },
    { kind: "text" },
    { kind: "bytea" },
    { kind: "date" },
    { kind: "time" },
    { kind: "timetz" },
    { kind: "timestamp" },
    { kind: "timestamptz" },
    { kind: "interval" },
    { kind: "uuid" },
    { kind: "json" },
    { kind: "jsonb" },
    { kind: "enum", typeId: 1, name: "mood", labels: ["sad", "ok", "happy"] },
  ),
  fc.integer({ min: 1, max: 9 }).map((length): ColumnType => ({ kind: "varchar", length })),
  fc.integer({ min: 1, max: 9 }).map((length): ColumnType => ({ kind: "char", length })),
);

const plainType: fc.Arbitrary<ColumnType> = fc.oneof(
  { weight: 4, arbitrary: scalarType },
  { weight: 1, arbitrary: scalarType.map((element): ColumnType => ({ kind: "array", element })) },
);

/** Fields that have lost some beside them: their ids have gaps, and are in any order. */
const compositeType: fc.Arbitrary<ColumnType> = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 1, max: 1_600 }), plainType), {
    selector: ([id]) => id,
    maxLength: 5,
  })
  .map((fields) => ({
    kind: "composite",
    typeId: 20_000,
    name: "made",
    schema: "public",
    fields: fields.map(([id, type]) => ({ id, name: `f${id}`, type })),
  }));

/** Any type that a column may have. */
export const anyType: fc.Arbitrary<ColumnType> = fc.oneof(
  { weight: 6, arbitrary: plainType },
  { weight: 1, arbitrary: compositeType },
);

const int4 = fc.integer({ min: -0x8000_0000, max: 0x7fff_ffff });
const int8 = fc.bigInt({ min: INT64_MIN, max: INT64_MAX });
const micros = fc.integer({ min: 0, max: 86_400_000_000 });
const text = fc
  .string({ unit: "grapheme", maxLength: 30 })
  .filter((one) => !one.includes("\0") && one.isWellFormed());

/** Any value of a type, as a caller gives it; never NULL. */
export function anyDatum(type: ColumnType): fc.Arbitrary<Datum> {
  switch (type.kind) {
    case "bool":
      return fc.boolean();
    case "int2":
      return fc.integer({ min: -0x8000, max: 0x7fff });
    case "int4":
      return int4;
    case "int8":
    case "timestamp":
    case "timestamptz":
      return fc.oneof(int8, fc.bigInt({ min: -3n, max: 3n }));
    case "float4":
      return fc.float();
    case "float8":
      return fc.double();
    case "numeric":
      return fc
        .tuple(fc.boolean(), int8, fc.integer({ min: 0, max: 9 }))
        .map(([isShort, units, places]) => decimalOf(isShort ? units % 100n : units, places));
    case "varchar":
    case "char":
      return text.map((one) => [...one].slice(0, type.length ?? 1).join(""));
    case "text":
    case "name":
      return text;
    case "json":
    case "jsonb":
      return fc.json();
    case "bytea":
      return fc.uint8Array({ maxLength: 40 });
    case "date":
      return fc.oneof(
        int4.map((day) => day >> 1),
        fc.constantFrom(Infinity, -Infinity),
      );
    case "time":
      return micros;
    case "timetz":
      return fc.record({ micros, zone: fc.integer({ min: -57_599, max: 57_599 }) });
    case "interval":
      return fc.record({ months: int4, days: int4, micros: int8 });
    case "uuid":
      return fc.uuid();
    case "enum":
      return fc.constantFrom(...(type.labels ?? []));
    case "array":
      return fc
        .array(fc.option(anyDatum(type.element as ColumnType)), { minLength: 1, maxLength: 6 })
        .map((elements) => ({
          dimensions: [elements.length],
          lowerBounds: [1],
          elements,
        }));
    case "composite":
      return fc
        .tuple(...(type.fields ?? []).map((field) => fc.option(anyDatum(field.type))))
        .map((fields) => ({ fields }));
  }
}

function decimalOf(units: bigint, places: number): string {
  const digits = String(units < 0n ? -units : units).padStart(places + 1, "0");
  const whole = digits.slice(0, digits.length - places);
  const behind = digits.slice(digits.length - places);
  const sign = units < 0n ? "-" : "";
  return behind === "" ? sign + whole : `${sign}${whole}.${behind}`;
}
