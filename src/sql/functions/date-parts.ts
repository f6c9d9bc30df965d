import type { Interval, TimeWithZone } from "../../rows/datum.ts";
import { INT64_MAX } from "../../rows/datum.ts";
import { Numeric } from "../../rows/numeric.ts";
import { notSupported, SqlError } from "../error.ts";
import {
  type Civil,
  civilOf,
  daysOf,
  isoWeek,
  isoWeekStart,
  JULIAN_EPOCH,
  joinMicros,
  MICROS_PER_DAY,
  monthLength,
  splitMicros,
  weekday,
} from "../types/calendar.ts";
import type { SqlContext } from "../types/context.ts";
import {
  checkDate,
  checkTimestamp,
  isInfinite,
  offsetAt,
  sessionZone,
  toLocal,
  toUtc,
} from "../types/dates.ts";
import { intervalOutOfRange, makeInterval } from "../types/interval-parts.ts";
import { type Zone, zoneOf } from "../types/zones.ts";
import { local, midnight, utc } from "./date-times.ts";
import type { Family } from "./implementation.ts";

/** PostgreSQL tells words apart by so many letters. */
function tokenOf(word: string): string {
  return word.slice(0, 10);
}

/** The one name of a field that has several. */
const FIELDS: Readonly<Record<string, string>> = Object.fromEntries(
  (
    [
      ["microseconds", "microsecond us usec usecond useconds usecs"],
      ["milliseconds", "millisecond ms msec msecs mseconds"],
      ["second", "seconds s sec secs"],
      ["minute", "minutes m min mins"],
      ["hour", "hours h hr hrs"],
      ["day", "days d"],
      ["week", "weeks w"],
      ["month", "months mon mons"],
      ["quarter", "qtr"],
      ["year", "years y yr yrs"],
      ["decade", "decades dec decs"],
      ["century", "centuries c cent"],
      ["millennium", "millennia mil mils"],
      ["dow", ""],
      ["isodow", ""],
      ["doy", ""],
      ["isoyear", ""],
      ["epoch", ""],
      ["julian", "jd j"],
      ["timezone", ""],
      ["timezone_hour", ""],
      ["timezone_minute", ""],
    ] as const
  ).flatMap(([name, others]) => [name, ...others.split(" ")].map((each) => [tokenOf(each), name])),
);

function fieldOf(text: string): string | undefined {
  const word = tokenOf(text.toLowerCase());
  return word !== "" && Object.hasOwn(FIELDS, word) ? FIELDS[word] : undefined;
}

function notFor(text: string, type: string): SqlError {
  const isKnown = fieldOf(text) !== undefined;
  const what = isKnown ? "not supported" : "not recognized";
  return new SqlError(isKnown ? "0A000" : "22023", `unit "${text}" ${what} for type ${type}`);
}

const whole = (value: number | bigint): Numeric => Numeric.of(value);
const micros = (value: bigint, scale: number): Numeric => Numeric.of(value, scale);

/** Fields of a time of day. */
function ofTime(field: string, time: number): Numeric | undefined {
  const second = time % 60_000_000;
  switch (field) {
    case "microseconds":
      return whole(second);
    case "milliseconds":
      return micros(BigInt(second), 3);
    case "second":
      return micros(BigInt(second), 6);
    case "minute":
      return whole(Math.floor(time / 60_000_000) % 60);
    case "hour":
      return whole(Math.floor(time / 3_600_000_000));
    default:
      return undefined;
  }
}

/** The year as it is counted: there is none 0. */
const counted = (year: number): number => (year > 0 ? year : year - 1);

function ofDay(field: string, days: number): Numeric | undefined {
  const { year, month, day } = civilOf(days);
  switch (field) {
    case "day":
      return whole(day);
    case "month":
      return whole(month);
    case "quarter":
      return whole(Math.floor((month - 1) / 3) + 1);
    case "week":
      return whole(isoWeek(days).week);
    case "year":
      return whole(counted(year));
    case "isoyear":
      return whole(counted(isoWeek(days).year));
    case "decade":
      return whole(Math.floor(year / 10));
    case "century":
      return whole(year > 0 ? Math.floor((year + 99) / 100) : -Math.floor((100 - year) / 100));
    case "millennium":
      return whole(year > 0 ? Math.floor((year + 999) / 1000) : -Math.floor((1000 - year) / 1000));
    case "dow":
      return whole(weekday(days));
    case "isodow":
      return whole(weekday(days) || 7);
    case "doy":
      return whole(days - daysOf(year, 1, 1) + 1);
    default:
      return undefined;
  }
}

/** Of infinity the fields that only grow are infinite, and the others NULL. */
function ofInfinity(field: string, isPositive: boolean): Numeric | null {
  const grows = /^(?:year|decade|century|millennium|julian|isoyear|epoch)$/;
  if (!grows.test(field)) return null;
  return isPositive ? Numeric.infinity : Numeric.negativeInfinity;
}

function zonePart(field: string, east: number): Numeric | undefined {
  if (field === "timezone") return whole(east);
  if (field === "timezone_hour") return whole(Math.trunc(east / 3_600) || 0);
  if (field === "timezone_minute") return whole(Math.trunc((east % 3_600) / 60) || 0);
  return undefined;
}

function extractTimestamp(text: string, value: bigint, zone?: Zone): Numeric | null {
  const type = zone === undefined ? "timestamp without time zone" : "timestamp with time zone";
  const field = fieldOf(text);
  const isZone = field?.startsWith("timezone") === true;
  if (field === undefined || (isZone && zone === undefined)) throw notFor(text, type);
  if (isInfinite(value)) return ofInfinity(field, value === INT64_MAX);
  if (field === "epoch") return micros(value, 6);
  const at = zone === undefined ? value : toLocal(value, zone);
  const { days, time } = splitMicros(at);
  if (field === "julian") {
    return whole(days + JULIAN_EPOCH).add(whole(time).divide(whole(MICROS_PER_DAY)));
  }
  const east = zone === undefined ? 0 : offsetAt(value, zone);
  return ofTime(field, time) ?? ofDay(field, days) ?? zonePart(field, east) ?? null;
}

function extractDate(text: string, days: number): Numeric | null {
  const field = fieldOf(text);
  const isTime = /^(?:micro|milli(?!e)|second|minute|hour|timezone)/.test(field ?? "");
  if (field === undefined || isTime) throw notFor(text, "date");
  if (!Number.isFinite(days)) return ofInfinity(field, days > 0);
  if (field === "epoch") return whole(days * 86_400);
  return field === "julian" ? whole(days + JULIAN_EPOCH) : (ofDay(field, days) ?? null);
}

function extractTime(text: string, time: number): Numeric {
  const field = fieldOf(text) ?? "";
  const found = field === "epoch" ? micros(BigInt(time), 6) : ofTime(field, time);
  if (found === undefined) throw notFor(text, "time without time zone");
  return found;
}

function extractTimeWithZone(text: string, value: TimeWithZone): Numeric {
  const field = fieldOf(text) ?? "";
  const instant = BigInt(value.micros) + BigInt(value.zone) * 1_000_000n;
  const east = value.zone === 0 ? 0 : -value.zone;
  const found =
    field === "epoch" ? micros(instant, 6) : (ofTime(field, value.micros) ?? zonePart(field, east));
  if (found === undefined) throw notFor(text, "time with time zone");
  return found;
}

function extractInterval(text: string, value: Interval): Numeric {
  const field = fieldOf(text);
  const years = Math.trunc(value.months / 12) || 0;
  const second = value.micros % 60_000_000n;
  switch (field) {
    case "microseconds":
      return whole(second);
    case "milliseconds":
      return micros(second, 3);
    case "second":
      return micros(second, 6);
    case "minute":
      return whole((value.micros / 60_000_000n) % 60n);
    case "hour":
      return whole(value.micros / 3_600_000_000n);
    case "day":
      return whole(value.days);
    case "month":
      return whole(value.months % 12 || 0);
    case "quarter":
      return whole(Math.trunc((value.months % 12) / 3) + 1);
    case "year":
      return whole(years);
    case "decade":
      return whole(Math.trunc(years / 10) || 0);
    case "century":
      return whole(Math.trunc(years / 100) || 0);
    case "millennium":
      return whole(Math.trunc(years / 1_000) || 0);
    case "epoch": {
      // A year is 365.25 days, a month 30.
      const days = BigInt(value.months % 12) * 30n + BigInt(value.days);
      const seconds = BigInt(years) * 31_557_600n + days * 86_400n;
      return micros(seconds * 1_000_000n + value.micros, 6);
    }
    default:
      throw notFor(text, "interval");
  }
}

/** `date_part` is `extract` as a float8. */
function part<Value>(extract: (text: string, value: Value, at: SqlContext) => Numeric | null) {
  return (text: string, value: Value, at: SqlContext): number | null =>
    extract(text, value, at)?.toNumber() ?? null;
}

const withZone = (text: string, value: bigint, at: SqlContext): Numeric | null =>
  extractTimestamp(text, value, sessionZone(at));
const without = (text: string, value: bigint): Numeric | null => extractTimestamp(text, value);

const LEVELS: readonly string[] = [
  "millennium",
  "century",
  "decade",
  "year",
  "quarter",
  "month",
  "week",
  "day",
  "hour",
  "minute",
  "second",
  "milliseconds",
  "microseconds",
];

const UNIT_MICROS: Readonly<Record<string, bigint>> = {
  hour: 3_600_000_000n,
  minute: 60_000_000n,
  second: 1_000_000n,
  milliseconds: 1_000n,
  microseconds: 1n,
};

function firstYear(year: number, span: number): number {
  if (span === 10) return Math.floor(year / 10) * 10;
  // Centuries and millennia start in the year 1.
  return Math.floor((year - 1) / span) * span + 1;
}

function truncateDay(field: string, days: number): number {
  const { year, month }: Civil = civilOf(days);
  switch (field) {
    case "millennium":
      return daysOf(firstYear(year, 1_000), 1, 1);
    case "century":
      return daysOf(firstYear(year, 100), 1, 1);
    case "decade":
      return daysOf(firstYear(year, 10), 1, 1);
    case "year":
      return daysOf(year, 1, 1);
    case "quarter":
      return daysOf(year, month - ((month - 1) % 3), 1);
    case "month":
      return daysOf(year, month, 1);
    case "week": {
      const week = isoWeek(days);
      return isoWeekStart(week.year, week.week);
    }
    default:
      return days;
  }
}

function truncate(text: string, value: bigint, type: string): bigint {
  if (isInfinite(value)) return value;
  const field = fieldOf(text);
  if (field === undefined || !LEVELS.includes(field)) throw notFor(text, type);
  const unit = UNIT_MICROS[field];
  const { days, time } = splitMicros(value);
  if (unit !== undefined) return value - (BigInt(time) % unit);
  return checkTimestamp(joinMicros(truncateDay(field, days), 0));
}

function truncateInstant(text: string, value: bigint, zone: Zone): bigint {
  const type = "timestamp with time zone";
  const field = fieldOf(text);
  if (isInfinite(value)) return truncate(text, value, type);
  const cut = truncate(text, toLocal(value, zone), type);
  const isShort = UNIT_MICROS[field ?? ""] !== undefined;
  if (!isShort) return checkTimestamp(toUtc(cut, zone));
  return cut - BigInt(offsetAt(value, zone)) * 1_000_000n;
}

function truncateInterval(text: string, value: Interval): Interval {
  const field = fieldOf(text);
  if (field === "week") {
    throw new SqlError("0A000", `unit "${text}" not supported for type interval`);
  }
  const { months, days, micros: time } = value;
  const spans: Readonly<Record<string, number>> = {
    millennium: 12_000,
    century: 1_200,
    decade: 120,
    year: 12,
    quarter: 3,
    month: 1,
  };
  const span = spans[field ?? ""];
  if (span !== undefined) return makeInterval(Math.trunc(months / span) * span, 0, 0n);
  if (field === "day") return makeInterval(months, days, 0n);
  const unit = UNIT_MICROS[field ?? ""];
  if (unit === undefined) throw notFor(text, "interval");
  return makeInterval(months, days, (time / unit) * unit);
}

/** Years, months and days between two local times, as people count them. */
function age(left: bigint, right: bigint): Interval {
  if (isInfinite(left) || isInfinite(right)) {
    throw notSupported("age of an infinite timestamp");
  }
  const isNegative = left < right;
  const [low, high] = isNegative ? [left, right] : [right, left];
  const [from, to] = [splitMicros(low), splitMicros(high)];
  const [a, b] = [civilOf(from.days), civilOf(to.days)];
  let time = to.time - from.time;
  let days = b.day - a.day;
  let months = (b.year - a.year) * 12 + b.month - a.month;
  if (time < 0) {
    time += MICROS_PER_DAY;
    days--;
  }
  if (days < 0) {
    // As PostgreSQL: the month that is borrowed is that of the earlier date.
    days += monthLength(a.year, a.month);
    months--;
  }
  const sign = isNegative ? -1 : 1;
  return makeInterval(sign * months, sign * days, BigInt(sign * time));
}

function today(at: SqlContext): bigint {
  return midnight(splitMicros(local(at.transactionMicros, at)).days);
}

function fieldRange(what: string, values: string): SqlError {
  return new SqlError("22008", `${what} field value out of range: ${values}`);
}

function makeDate(year: number, month: number, day: number): number {
  const shown = `${year}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
  const own = year < 0 ? year + 1 : year;
  const isWrong = year === 0 || month < 1 || month > 12 || day < 1 || day > monthLength(own, month);
  if (isWrong) throw fieldRange("date", shown);
  if (Math.abs(own) > 5_900_000) throw new SqlError("22008", `date out of range: ${shown}`);
  return checkDate(daysOf(own, month, day));
}

function makeTime(hour: number, minute: number, second: number): number {
  const shown = `${hour}:${String(minute).padStart(2, "0")}:${second}`;
  const isWhole = hour === 24 && minute === 0 && second === 0;
  const isFine =
    hour >= 0 &&
    minute >= 0 &&
    minute <= 59 &&
    second >= 0 &&
    second <= 60 &&
    (hour < 24 || isWhole);
  if (!isFine) throw fieldRange("time", shown);
  return (hour * 60 + minute) * 60_000_000 + Math.round(second * 1e6);
}

function makeTimestamp(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
): bigint {
  const days = makeDate(year, month, day);
  return checkTimestamp(joinMicros(days, makeTime(hour, minute, second)));
}

function make(
  years: number,
  months: number,
  weeks: number,
  days: number,
  hours: number,
  minutes: number,
  seconds: number,
): Interval {
  if (!Number.isFinite(seconds)) throw intervalOutOfRange();
  if (Math.abs(seconds) > 9e12) throw notSupported("make_interval of so many seconds");
  const whole = BigInt(hours) * 3_600_000_000n + BigInt(minutes) * 60_000_000n;
  return makeInterval(
    // PostgreSQL adds these in 32 bits that wrap.
    (Math.imul(years, 12) + months) | 0,
    (Math.imul(weeks, 7) + days) | 0,
    whole + BigInt(Math.round(seconds * 1e6)),
  );
}

type Six = readonly [number, number, number, number, number, number];

export const datePartFamily: Family = {
  extract_timestamp: without,
  extract_timestamptz: withZone,
  extract_date: extractDate,
  extract_time: extractTime,
  extract_timetz: extractTimeWithZone,
  extract_interval: extractInterval,
  timestamp_part: part(without),
  timestamptz_part: part(withZone),
  "date_part(text,date)": part((text: string, value: number) => without(text, midnight(value))),
  time_part: part(extractTime),
  timetz_part: part(extractTimeWithZone),
  interval_part: part(extractInterval),
  timestamp_trunc: (text: string, a: bigint) => truncate(text, a, "timestamp without time zone"),
  timestamptz_trunc: (text: string, a: bigint, at: SqlContext) =>
    truncateInstant(text, a, sessionZone(at)),
  timestamptz_trunc_zone: (text: string, a: bigint, zone: string) =>
    isInfinite(a) ? a : truncateInstant(text, a, zoneOf(zone)),
  interval_trunc: truncateInterval,
  timestamp_age: age,
  timestamptz_age: (a: bigint, b: bigint, at: SqlContext) => age(local(a, at), local(b, at)),
  "age(timestamp)": (a: bigint, at: SqlContext) => age(today(at), a),
  "age(timestamptz)": (a: bigint, at: SqlContext) => age(today(at), local(a, at)),
  make_date: makeDate,
  make_time: makeTime,
  make_timestamp: makeTimestamp,
  make_timestamptz: (...values: readonly [...Six, SqlContext]) =>
    utc(makeTimestamp(...(values.slice(0, 6) as unknown as Six)), sessionZone(values[6])),
  make_timestamptz_at_timezone: (...values: readonly [...Six, string, SqlContext]) => {
    const parts = values.slice(0, 6) as unknown as Six;
    if (/^[+-]?\d/.test(values[6])) throw notSupported("make_timestamptz with a numeric zone");
    return utc(makeTimestamp(...parts), zoneOf(values[6]));
  },
  make_interval: make,
};
