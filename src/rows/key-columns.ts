import type { KeyColumn, KeyType } from "../keys/index.ts";
import { type ColumnType, columnTypeText } from "./column-type.ts";
import type { Datum, Interval, TimeWithZone } from "./datum.ts";
import { rowError } from "./errors.ts";
import { Numeric } from "./numeric.ts";
import { DATE_INFINITY, DATE_MINUS_INFINITY } from "./value-writer.ts";

/** How the values of a type stand in keys. */
export interface KeyForm {
  readonly type: KeyType;
  readonly toKey: (value: Datum) => unknown;
  readonly fromKey: (value: unknown) => Datum;
  /** The key tells the order of values, not all of each: rows repeat them. */
  readonly isLossy: boolean;
}

const same = (value: unknown): Datum => value as Datum;
const plain = (type: KeyType, isLossy = false): KeyForm => ({
  type,
  toKey: same,
  fromKey: same,
  isLossy,
});

const TIME: KeyForm = {
  type: "time",
  toKey: (value) => BigInt(value as number),
  fromKey: (value) => Number(value),
  isLossy: false,
};

const DATE: KeyForm = {
  type: "date",
  toKey: (value) => {
    if (value === Number.POSITIVE_INFINITY) return DATE_INFINITY;
    return value === Number.NEGATIVE_INFINITY ? DATE_MINUS_INFINITY : value;
  },
  fromKey: (value) => {
    if (value === DATE_INFINITY) return Number.POSITIVE_INFINITY;
    return value === DATE_MINUS_INFINITY ? Number.NEGATIVE_INFINITY : (value as number);
  },
  isLossy: false,
};

/** One number for the instant, then the zone: it has room for both in 56 bits. */
const ZONE_BITS = 18n;
const ZONE_BIAS = 1n << 17n;

const TIME_WITH_ZONE: KeyForm = {
  type: "int8",
  toKey: (value) => {
    const { micros, zone } = value as TimeWithZone;
    const instant = BigInt(micros) + BigInt(zone) * 1_000_000n;
    return (instant << ZONE_BITS) + BigInt(zone) + ZONE_BIAS;
  },
  fromKey: (value) => {
    const packed = value as bigint;
    const instant = packed >> ZONE_BITS;
    const zone = packed - (instant << ZONE_BITS) - ZONE_BIAS;
    return { micros: Number(instant - zone * 1_000_000n), zone: Number(zone) };
  },
  isLossy: false,
};

const DAY_MICROS = 86_400_000_000n;
const MONTH_DAYS = 30n;

/** By its length, where a month has 30 days and a day 24 hours: as PostgreSQL compares. */
const INTERVAL: KeyForm = {
  type: "numeric",
  toKey: (value) => {
    const { months, days, micros } = value as Interval;
    return String((BigInt(months) * MONTH_DAYS + BigInt(days)) * DAY_MICROS + micros);
  },
  fromKey: (value) => ({ months: 0, days: 0, micros: BigInt(value as string) }),
  isLossy: true,
};

const NUMERIC: KeyForm = {
  type: "numeric",
  toKey: (value) => String(value),
  fromKey: (value) => Numeric.parse(value as string) ?? Numeric.nan,
  isLossy: true,
};

function enumForm({ labels = [], orders = labels.map((_, i) => i) }: ColumnType): KeyForm {
  return {
    type: "int4",
    toKey: (value) => orders[labels.indexOf(value as string)] ?? -1,
    fromKey: (value) => labels[orders.indexOf(value as number)] ?? null,
    isLossy: false,
  };
}

/**
 * @throws FirnError `Invalid`, code `ROW_KEY_TYPE_INVALID`: values of the type have no order, or
 *   none that bytes can have.
 */
export function keyFormOf(type: ColumnType, column: string): KeyForm {
  switch (type.kind) {
    case "bool":
    case "int2":
    case "int4":
    case "int8":
    case "text":
    case "uuid":
    case "timestamp":
    case "timestamptz":
      return plain(type.kind);
    case "float4":
    case "float8":
      return plain(type.kind, true);
    case "varchar":
    case "char":
    case "name":
      return plain("text");
    case "bytea":
      return plain("bytes");
    case "numeric":
      return NUMERIC;
    case "date":
      return DATE;
    case "time":
      return TIME;
    case "timetz":
      return TIME_WITH_ZONE;
    case "interval":
      return INTERVAL;
    case "enum":
      return enumForm(type);
    case "json":
    case "jsonb":
    case "array":
    case "composite":
      throw rowError(
        "Invalid",
        "ROW_KEY_TYPE_INVALID",
        "0A000",
        `type ${columnTypeText(type)} cannot be part of a key: use a text, number, time or uuid`,
        { column },
      );
  }
}

/** The column of a key for a part of it. */
export function keyColumnOf(
  form: KeyForm,
  direction: "asc" | "desc",
  nulls: "first" | "last" | undefined,
): KeyColumn {
  return nulls === undefined
    ? { type: form.type, direction }
    : { type: form.type, direction, nulls };
}
