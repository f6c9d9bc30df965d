import { rint } from "../../base/rint.ts";
import type { Interval } from "../../rows/datum.ts";
import { Numeric } from "../../rows/numeric.ts";
import { notSupported, SqlError } from "../error.ts";
import { daysOf, joinMicros, splitMicros } from "../types/calendar.ts";
import type { SqlContext } from "../types/context.ts";
import {
  checkDate,
  checkTimestamp,
  isInfinite,
  offsetAt,
  roundTimestamp,
  sessionZone,
  toLocal,
  toUtc,
} from "../types/dates.ts";
import { dateFromChar } from "./date-from-char.ts";
import { dateToChar, fieldsOf } from "./date-to-char.ts";
import type { Family } from "./implementation.ts";
import { numberTemplate } from "./number-template.ts";
import { type Digits, numberToChar } from "./number-to-char.ts";

/** More digits than a double has behind its point, so that a tie shows as one. */
const EXACT_DIGITS = 60;
const DOUBLE_DIGITS = 15;
const FLOAT_DIGITS = 6;
const INT8_LIMIT = 1n << 63n;

function timestampToChar(micros: bigint, template: string): string | null {
  if (template === "" || isInfinite(micros)) return null;
  const { days, time } = splitMicros(micros);
  return dateToChar(fieldsOf(days, time), template);
}

function timestampWithZoneToChar(micros: bigint, template: string, at: SqlContext): string | null {
  if (template === "" || isInfinite(micros)) return null;
  const zone = sessionZone(at);
  const { days, time } = splitMicros(toLocal(micros, zone));
  const offset = offsetAt(micros, zone);
  const fields = { ...fieldsOf(days, time), offset };
  if (!/tz(?![hm])/i.test(template)) return dateToChar(fields, template);
  const word = zone.abbreviationAt(Number(micros / 1_000_000n));
  return dateToChar({ ...fields, zone: word }, template);
}

function intervalToChar({ months, days, micros }: Interval, template: string): string | null {
  if (template === "") return null;
  const seconds = micros / 1_000_000n;
  const second = Number(seconds % 60n);
  const fields = {
    year: Math.trunc(months / 12) || 0,
    month: months % 12 || 0,
    day: days,
    hour: Number(seconds / 3_600n),
    minute: Number((seconds / 60n) % 60n),
    second,
    micros: Number(micros % 1_000_000n),
    isInterval: true,
  };
  return dateToChar(fields, template);
}

function digitsOf(text: string): Digits {
  return text.startsWith("-")
    ? { isNegative: true, text: text.slice(1) }
    : { isNegative: false, text };
}

function integerToChar(value: bigint, template: string): string {
  return numberToChar(
    numberTemplate(template),
    (behind, shift) => {
      const shifted = value * 10n ** BigInt(shift);
      if (shifted >= INT8_LIMIT || shifted < -INT8_LIMIT) {
        throw new SqlError("22003", "bigint out of range");
      }
      return digitsOf(`${shifted}${behind === 0 ? "" : `.${"0".repeat(behind)}`}`);
    },
    () => Number(value),
  );
}

function numericToChar(value: Numeric, template: string): string {
  if (!value.isFinite) throw notSupported("to_char of NaN and infinity");
  return numberToChar(
    numberTemplate(template),
    (behind, shift) => {
      const shifted = shift === 0 ? value : value.multiply(Numeric.of(10n ** BigInt(shift)));
      return digitsOf(shifted.round(behind).toString());
    },
    () => value.round(0).toNumber(),
  );
}

/** As C prints with `%.*f`: of two neighbors as near, the even one. */
function fixed(value: number, behind: number): string {
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  const size = Math.abs(value);
  if (size >= 1e21) return `${sign}${BigInt(size)}`;
  const exact = Numeric.parse(size.toFixed(EXACT_DIGITS)) as Numeric;
  const down = exact.truncate(behind);
  const order = exact.subtract(down).compare(Numeric.of(5, behind + 1));
  const isOdd = down.unitsAt(behind) % 2n === 1n;
  const isUp = order > 0 || (order === 0 && isOdd);
  const rounded = isUp ? down.add(Numeric.of(1, behind)) : down;
  return `${sign}${rounded}`;
}

function floatToChar(value: number, template: string, most: number): string {
  if (!Number.isFinite(value)) throw notSupported("to_char of NaN and infinity");
  return numberToChar(
    numberTemplate(template),
    (behind, shift) => {
      const shifted = shift === 0 ? value : value * 10 ** shift;
      const length = fixed(Math.abs(shifted), 0).length;
      // A float has no more digits than these.
      const kept = length >= most ? 0 : Math.min(behind, most - length);
      return { ...digitsOf(fixed(shifted, kept)), behind: kept };
    },
    () => rint(value),
  );
}

function toDate(text: string, template: string): number {
  const { year, month, day } = dateFromChar(text, template);
  return checkDate(daysOf(year, month, day), text);
}

function toTimestamp(text: string, template: string, at: SqlContext): bigint {
  const { year, month, day, time, offset, precision } = dateFromChar(text, template);
  const local = joinMicros(daysOf(year, month, day), time);
  const micros =
    offset === undefined ? toUtc(local, sessionZone(at)) : local - BigInt(offset) * 1_000_000n;
  return checkTimestamp(roundTimestamp(checkTimestamp(micros), precision ?? -1));
}

const unlessEmpty =
  <Value>(write: (value: Value, template: string) => string) =>
  (value: Value, template: string): string =>
    template === "" ? "" : write(value, template);

export const toCharFamily: Family = {
  to_date: toDate,
  to_timestamp: toTimestamp,
  timestamp_to_char: timestampToChar,
  timestamptz_to_char: timestampWithZoneToChar,
  interval_to_char: intervalToChar,
  int4_to_char: unlessEmpty((value: number, template) => integerToChar(BigInt(value), template)),
  int8_to_char: unlessEmpty(integerToChar),
  numeric_to_char: unlessEmpty(numericToChar),
  float4_to_char: unlessEmpty((value: number, template) =>
    floatToChar(value, template, FLOAT_DIGITS),
  ),
  float8_to_char: unlessEmpty((value: number, template) =>
    floatToChar(value, template, DOUBLE_DIGITS),
  ),
};
