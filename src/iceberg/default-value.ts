import { JsonNumber, type JsonValue } from "../base/json.ts";
import { modelInvalid } from "./errors.ts";
import type { IcebergType, PrimitiveType } from "./type.ts";

const INT_MIN = -(2n ** 31n);
const INT_MAX = 2n ** 31n - 1n;
const LONG_MIN = -(2n ** 63n);
const LONG_MAX = 2n ** 63n - 1n;
const DECIMAL = /^[+-]?\d{1,38}(?:\.(\d{1,38}))?$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const HEX = /^(?:[0-9a-f]{2})*$/i;
const DATE = /^[+-]?\d{4,9}-\d{2}-\d{2}$/;
const TIME = /^\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?$/;
const TIMESTAMP = /^[+-]?\d{4,9}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?$/;
const UTC_OFFSET = /(?:\+00:00|Z)$/;

/**
 * A default value in the format's single-value serialization (spec, appendix D), kept as its JSON.
 *
 * @throws FirnError `Invalid` `SCHEMA_INVALID`: no value of that type.
 */
export function parseDefault(
  type: IcebergType,
  value: JsonValue | undefined,
  at: string,
): JsonValue | undefined {
  if (value === undefined || value === null) return undefined;
  if (type.kind !== "primitive" || !fits(type, value)) {
    const typeText = type.kind === "primitive" ? type.text : type.kind;
    throw modelInvalid("SCHEMA_INVALID", "the default value does not fit its type", {
      path: at,
      type: typeText,
    });
  }
  return value;
}

function fits(type: PrimitiveType, value: JsonValue): boolean {
  switch (type.name) {
    case "boolean":
      return typeof value === "boolean";
    case "int":
      return isInteger(value, INT_MIN, INT_MAX);
    case "long":
      return isInteger(value, LONG_MIN, LONG_MAX);
    case "float":
    case "double":
      return typeof value === "number" || value instanceof JsonNumber || typeof value === "bigint";
    case "unknown":
    case "variant":
    case "geometry":
    case "geography":
      return false;
    default:
      return typeof value === "string" && fitsText(type, value);
  }
}

function fitsText(type: PrimitiveType, value: string): boolean {
  switch (type.name) {
    case "string":
      return true;
    case "binary":
      return HEX.test(value);
    case "fixed":
      return HEX.test(value) && `fixed[${value.length / 2}]` === type.text;
    case "uuid":
      return UUID.test(value);
    case "decimal": {
      const match = DECIMAL.exec(value);
      return match !== null && type.text.endsWith(`, ${match[1]?.length ?? 0})`);
    }
    case "date":
      return DATE.test(value);
    case "time":
      return TIME.test(value);
    case "timestamp":
    case "timestamp_ns":
      return TIMESTAMP.test(value);
    case "timestamptz":
    case "timestamptz_ns":
      return UTC_OFFSET.test(value) && TIMESTAMP.test(value.replace(UTC_OFFSET, ""));
    default:
      return false;
  }
}

function isInteger(value: JsonValue, min: bigint, max: bigint): boolean {
  if (typeof value === "number") {
    if (!Number.isSafeInteger(value)) return false;
  } else if (typeof value !== "bigint") {
    return false;
  }
  const integer = BigInt(value);
  return integer >= min && integer <= max;
}
