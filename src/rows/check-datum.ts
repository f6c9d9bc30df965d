import type { FirnError } from "../base/error.ts";
import { type ColumnType, columnTypeText } from "./column-type.ts";
import {
  type ArrayDatum,
  type Datum,
  INT64_MAX,
  INT64_MIN,
  type Interval,
  isArrayDatum,
  isRowDatum,
  type RowDatum,
  type TimeWithZone,
} from "./datum.ts";
import { type Place, rowError } from "./errors.ts";
import { Numeric } from "./numeric.ts";

const DAY_MICROS = 86_400_000_000;
const LEAST_DATE = -0x8000_0000 + 1;
const LAST_DATE = 0x7fff_ffff - 1;
const MOST_ZONE_SECONDS = 57_600;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const MOST_DIMENSIONS = 6;

/**
 * A value as a column stores it: in the range of its type, rounded, padded, in lower case. NULL is
 * any type's; whether the column takes it is its own matter.
 *
 * @throws FirnError `Invalid`, code `ROW_VALUE_INVALID`, with the SQLSTATE that PostgreSQL gives:
 *   `22003` out of range, `22001` too long, `22021` a zero character, `22P02` not of the type,
 *   `42804` a JavaScript value of another kind.
 */
export function storedDatum(type: ColumnType, value: Datum, place: Place = {}): Datum {
  if (value === null || isStored(type, value)) return value;
  const fail = (sqlState: string, what: string): FirnError =>
    rowError("Invalid", "ROW_VALUE_INVALID", sqlState, `${what} for type ${columnTypeText(type)}`, {
      ...place,
      type: columnTypeText(type),
    });
  return checked(type, value, fail);
}

/** Whether a value is stored as it is, of types that are common and soon looked at. */
function isStored({ kind, length }: ColumnType, value: Datum): boolean {
  switch (kind) {
    case "int2":
      return typeof value === "number" && Object.is((value << 16) >> 16, value);
    case "int4":
      return typeof value === "number" && Object.is(value | 0, value);
    case "bool":
      return typeof value === "boolean";
    case "float8":
      return typeof value === "number";
    case "text":
    case "varchar":
      if (typeof value !== "string" || (length !== undefined && value.length > length))
        return false;
      return value.isWellFormed() && !value.includes("\0");
    default:
      return false;
  }
}

type Fail = (sqlState: string, what: string) => FirnError;

function checked(type: ColumnType, value: Datum, fail: Fail): Datum {
  switch (type.kind) {
    case "bool":
      if (typeof value !== "boolean") throw wrongKind(value, fail);
      return value;
    case "int2":
      return integer(value, 0x7fff, fail);
    case "int4":
      return integer(value, 0x7fff_ffff, fail);
    case "int8":
    case "timestamp":
    case "timestamptz":
      return int64(value, fail);
    case "float4":
      return float4(value, fail);
    case "float8":
      if (typeof value !== "number") throw wrongKind(value, fail);
      return value;
    case "numeric":
      return decimal(type, value, fail);
    case "text":
    case "varchar":
    case "char":
    case "name":
      return text(type, value, fail);
    case "json":
    case "jsonb":
      return json(value, fail);
    case "bytea":
      if (!(value instanceof Uint8Array)) throw wrongKind(value, fail);
      return value;
    case "date":
      return date(value, fail);
    case "time":
      return micros(value, fail);
    case "timetz":
      return timeWithZone(value, fail);
    case "interval":
      return interval(value, fail);
    case "uuid":
      return uuid(value, fail);
    case "enum":
      return label(type, value, fail);
    case "array":
      return array(type, value, fail);
    case "composite":
      return row(type, value, fail);
  }
}

function wrongKind(value: Datum, fail: Fail): FirnError {
  const kind = value === undefined ? "undefined" : typeof value;
  return fail("42804", `a JavaScript ${kind} is not a value`);
}

function integer(value: Datum, most: number, fail: Fail): number {
  if (typeof value !== "number") throw wrongKind(value, fail);
  if (!Number.isInteger(value) || value > most || value < -most - 1) {
    throw fail("22003", "value out of range");
  }
  // Minus zero is not an integer's.
  return value === 0 ? 0 : value;
}

function int64(value: Datum, fail: Fail): bigint {
  const whole = typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof whole !== "bigint") throw wrongKind(value, fail);
  if (whole > INT64_MAX || whole < INT64_MIN) throw fail("22003", "value out of range");
  return whole;
}

function float4(value: Datum, fail: Fail): number {
  if (typeof value !== "number") throw wrongKind(value, fail);
  const rounded = Math.fround(value);
  if (!Number.isFinite(rounded) && Number.isFinite(value)) {
    throw fail("22003", "value out of range");
  }
  return rounded;
}

function decimal({ precision, scale = 0 }: ColumnType, value: Datum, fail: Fail): Numeric {
  const given = value instanceof Numeric ? value : parsed(value, fail);
  if (precision === undefined || given.isNaN) return given;
  const rounded = given.isFinite ? given.round(scale) : given;
  const isZero = rounded.sign === 0;
  // A precision has no room for an infinity.
  if (!rounded.isFinite || (!isZero && rounded.digits.exponent + 1 > precision - scale)) {
    throw fail("22003", "value out of range");
  }
  return rounded;
}

function parsed(value: Datum, fail: Fail): Numeric {
  const isText = typeof value === "string" || typeof value === "bigint";
  if (!isText && typeof value !== "number") throw wrongKind(value, fail);
  let found: Numeric | undefined;
  try {
    found = Numeric.parse(String(value));
  } catch {
    throw fail("22003", "value out of range");
  }
  if (found === undefined) throw fail("22P02", "invalid decimal");
  return found;
}

function text(type: ColumnType, value: Datum, fail: Fail): string {
  if (typeof value !== "string") throw wrongKind(value, fail);
  if (value.includes("\0")) throw fail("22021", "a text with a zero character");
  if (!value.isWellFormed()) throw fail("22021", "a text with half a surrogate pair");
  const { kind } = type;
  const length = type.length ?? (kind === "char" ? 1 : undefined);
  if (length === undefined || kind === "text") return value;
  return fitted(value, length, kind === "char", fail);
}

/** Too long is an error, unless all that is too much are blanks. */
function fitted(value: string, length: number, isPadded: boolean, fail: Fail): string {
  if (value.length <= length && !isPadded) return value;
  const characters = [...value];
  if (characters.length <= length) {
    return isPadded ? value + " ".repeat(length - characters.length) : value;
  }
  if (!/^ *$/.test(characters.slice(length).join(""))) throw fail("22001", "value too long");
  return characters.slice(0, length).join("");
}

function json(value: Datum, fail: Fail): string {
  if (typeof value !== "string") throw wrongKind(value, fail);
  if (!value.isWellFormed()) throw fail("22021", "a text with half a surrogate pair");
  try {
    JSON.parse(value);
  } catch {
    throw fail("22P02", "invalid JSON");
  }
  return value;
}

function date(value: Datum, fail: Fail): number {
  if (typeof value !== "number") throw wrongKind(value, fail);
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) return value;
  if (!Number.isInteger(value) || value < LEAST_DATE || value > LAST_DATE) {
    throw fail("22008", "date out of range");
  }
  return value === 0 ? 0 : value;
}

function micros(value: Datum, fail: Fail): number {
  if (typeof value !== "number") throw wrongKind(value, fail);
  if (!Number.isInteger(value) || value < 0 || value > DAY_MICROS) {
    throw fail("22008", "time out of range");
  }
  return value === 0 ? 0 : value;
}

function timeWithZone(value: Datum, fail: Fail): TimeWithZone {
  const given = value as Partial<TimeWithZone>;
  if (typeof value !== "object" || typeof given.zone !== "number") throw wrongKind(value, fail);
  const { zone } = given;
  if (!Number.isInteger(zone) || Math.abs(zone) >= MOST_ZONE_SECONDS) {
    throw fail("22009", "time zone out of range");
  }
  return { micros: micros(given.micros as Datum, fail), zone: zone === 0 ? 0 : zone };
}

function interval(value: Datum, fail: Fail): Interval {
  const given = value as Partial<Interval>;
  if (typeof value !== "object" || typeof given.micros !== "bigint") throw wrongKind(value, fail);
  return {
    months: integer(given.months as Datum, 0x7fff_ffff, fail),
    days: integer(given.days as Datum, 0x7fff_ffff, fail),
    micros: int64(given.micros, fail),
  };
}

function uuid(value: Datum, fail: Fail): string {
  if (typeof value !== "string") throw wrongKind(value, fail);
  const lower = value.toLowerCase();
  if (!UUID.test(lower)) throw fail("22P02", "invalid uuid");
  return lower;
}

function label(type: ColumnType, value: Datum, fail: Fail): string {
  if (typeof value !== "string") throw wrongKind(value, fail);
  if (type.labels?.includes(value) !== true) throw fail("22P02", "unknown label");
  return value;
}

function array(type: ColumnType, value: Datum, fail: Fail): ArrayDatum {
  const given = Array.isArray(value) ? flat(value as readonly Datum[], fail) : value;
  if (!isArrayDatum(given) || type.element === undefined) throw wrongKind(value, fail);
  const { dimensions, lowerBounds } = given;
  const { element } = type;
  const count = dimensions.length === 0 ? 0 : dimensions.reduce((all, one) => all * one, 1);
  const fits = dimensions.length <= MOST_DIMENSIONS && lowerBounds.length === dimensions.length;
  if (!fits || count !== given.elements.length) throw fail("2202E", "wrong dimensions");
  const elements = given.elements.map((one) => (one === null ? null : checked(element, one, fail)));
  return { dimensions, lowerBounds, elements };
}

function row({ fields = [] }: ColumnType, value: Datum, fail: Fail): RowDatum {
  if (!isRowDatum(value)) throw wrongKind(value, fail);
  if (value.fields.length !== fields.length) throw fail("42804", "wrong number of fields");
  const stored = fields.map(({ type }, i) => {
    const field = value.fields[i] ?? null;
    return field === null ? null : checked(type, field, fail);
  });
  return { fields: stored };
}

/** A JavaScript array, of arrays where it has several dimensions. */
function flat(value: readonly unknown[], fail: Fail): ArrayDatum {
  const dimensions = dimensionsOf(value);
  if (dimensions.length === 0) return { dimensions: [], lowerBounds: [], elements: [] };
  const elements: Datum[] = [];
  const collect = (one: unknown, depth: number): void => {
    const length = dimensions[depth];
    if (length === undefined && !Array.isArray(one)) elements.push(one as Datum);
    else if (!Array.isArray(one) || one.length !== length) {
      throw fail("2202E", "inner arrays of different lengths");
    } else for (const inner of one) collect(inner, depth + 1);
  };
  collect(value, 0);
  return { dimensions, lowerBounds: dimensions.map(() => 1), elements };
}

/** None where an array is without elements, at whatever depth. */
function dimensionsOf(value: readonly unknown[]): readonly number[] {
  const dimensions: number[] = [];
  for (let level: unknown = value; Array.isArray(level); level = level[0]) {
    if (level.length === 0) return [];
    dimensions.push(level.length);
  }
  return dimensions;
}
