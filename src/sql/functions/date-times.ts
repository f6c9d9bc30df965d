import type { Interval, TimeWithZone } from "../../rows/datum.ts";
import { INT64_MAX, INT64_MIN } from "../../rows/datum.ts";
import { notSupported, SqlError } from "../error.ts";
import {
  civilOf,
  daysOf,
  joinMicros,
  MICROS_PER_DAY,
  monthLength,
  splitMicros,
} from "../types/calendar.ts";
import type { SqlContext } from "../types/context.ts";
import {
  checkDate,
  checkTimestamp,
  isInfinite,
  offsetAt,
  roundTime,
  roundTimestamp,
  sessionZone,
  timestampOutOfRange,
  toLocal,
  toUtc,
  zoneOfOffset,
} from "../types/dates.ts";
import { makeInterval } from "../types/interval-parts.ts";
import { type Zone, zoneOf } from "../types/zones.ts";
import { compareOf, comparisons } from "./comparisons.ts";
import type { Family } from "./implementation.ts";

/** Midnight of a day; infinite days are infinite timestamps. */
export function midnight(days: number): bigint {
  if (days === Infinity) return INT64_MAX;
  if (days === -Infinity) return INT64_MIN;
  const micros = joinMicros(days, 0);
  if (days > 106_751_991 || days >= daysOf(294_277, 1, 1)) {
    throw new SqlError("22008", "date out of range for timestamp");
  }
  return micros;
}

function dayOf(micros: bigint): number {
  if (micros === INT64_MAX) return Infinity;
  return micros === INT64_MIN ? -Infinity : splitMicros(micros).days;
}

export function local(micros: bigint, context: SqlContext): bigint {
  return isInfinite(micros) ? micros : toLocal(micros, sessionZone(context));
}

export function utc(micros: bigint, zone: Zone): bigint {
  return isInfinite(micros) ? micros : checkTimestamp(toUtc(micros, zone));
}

/** Adds months (the day stays within its month), then days, then the time, to a local time. */
export function addInterval(micros: bigint, { months, days, micros: time }: Interval): bigint {
  if (isInfinite(micros)) return micros;
  return checkTimestamp(addDays(micros, months, days) + time);
}

function addDays(micros: bigint, months: number, days: number): bigint {
  let { days: day, time } = splitMicros(micros);
  if (months !== 0) {
    const civil = civilOf(day);
    const total = civil.year * 12 + civil.month - 1 + months;
    const year = Math.floor(total / 12);
    const month = total - year * 12 + 1;
    day = daysOf(year, month, Math.min(civil.day, monthLength(year, month)));
  }
  return checkTimestamp(joinMicros(day + days, time));
}

/** As `addInterval`: months and days in the session's zone, the time on the instant. */
export function addToInstant(micros: bigint, by: Interval, context: SqlContext): bigint {
  if (isInfinite(micros)) return micros;
  const zone = sessionZone(context);
  let at = micros;
  if (by.months !== 0) at = toUtc(addDays(toLocal(at, zone), by.months, 0), zone);
  if (by.days !== 0) at = toUtc(addDays(toLocal(at, zone), 0, by.days), zone);
  return checkTimestamp(at + by.micros);
}

export function negate({ months, days, micros }: Interval): Interval {
  return makeInterval(-months, -days, -micros);
}

/** Whole days and the rest, both of one sign. */
export function justifyHours({ months, days, micros }: Interval): Interval {
  const whole = micros / 86_400_000_000n;
  let day = days + Number(whole);
  let rest = micros - whole * 86_400_000_000n;
  if (day > 0 && rest < 0n) {
    rest += 86_400_000_000n;
    day--;
  } else if (day < 0 && rest > 0n) {
    rest -= 86_400_000_000n;
    day++;
  }
  return makeInterval(months, day, rest);
}

function subtractTimestamps(left: bigint, right: bigint): Interval {
  if (isInfinite(left) || isInfinite(right)) {
    throw new SqlError("22008", "cannot subtract infinite timestamps");
  }
  return justifyHours(makeInterval(0, 0, left - right));
}

const dates: Family = {
  date_mi(a: number, b: number) {
    if (!Number.isFinite(a) || !Number.isFinite(b)) {
      throw new SqlError("22008", "cannot subtract infinite dates");
    }
    return a - b;
  },
  date_pli: (a: number, b: number) => (Number.isFinite(a) ? checkDate(a + b) : a),
  date_mii: (a: number, b: number) => (Number.isFinite(a) ? checkDate(a - b) : a),
  "integer_pl_date(int4,date)": (a: number, b: number) =>
    Number.isFinite(b) ? checkDate(b + a) : b,
  date_pl_interval: (a: number, b: Interval) => addInterval(midnight(a), b),
  date_mi_interval: (a: number, b: Interval) => addInterval(midnight(a), negate(b)),
  "interval_pl_date(interval,date)": (a: Interval, b: number) => addInterval(midnight(b), a),
  date_finite: Number.isFinite,
  date_timestamp: midnight,
  date_timestamptz: (a: number, at: SqlContext) => utc(midnight(a), sessionZone(at)),
  datetime_timestamp: joined,
  "timedate_pl(time,date)": (a: number, b: number) => joined(b, a),
  "timestamptz(date,time)": (a: number, b: number, at: SqlContext) =>
    utc(joined(a, b), sessionZone(at)),
  datetimetz_timestamptz: joinedWithZone,
  "timetzdate_pl(timetz,date)": (a: TimeWithZone, b: number) => joinedWithZone(b, a),
};

function joined(days: number, time: number): bigint {
  const day = midnight(days);
  return isInfinite(day) ? day : checkTimestamp(day + BigInt(time));
}

function joinedWithZone(days: number, { micros, zone }: TimeWithZone): bigint {
  const day = midnight(days);
  if (isInfinite(day)) return day;
  return checkTimestamp(day + BigInt(micros) + BigInt(zone) * 1_000_000n);
}

const timestamps: Family = {
  timestamp_finite: (a: bigint) => !isInfinite(a),
  timestamp_mi: subtractTimestamps,
  timestamp_pl_interval: addInterval,
  timestamp_mi_interval: (a: bigint, b: Interval) => addInterval(a, negate(b)),
  "interval_pl_timestamp(interval,timestamp)": (a: Interval, b: bigint) => addInterval(b, a),
  timestamptz_pl_interval: addToInstant,
  timestamptz_mi_interval: (a: bigint, b: Interval, at: SqlContext) =>
    addToInstant(a, negate(b), at),
  "interval_pl_timestamptz(interval,timestamptz)": (a: Interval, b: bigint, at: SqlContext) =>
    addToInstant(b, a, at),
  timestamp_date: dayOf,
  timestamptz_date: (a: bigint, at: SqlContext) => dayOf(local(a, at)),
  timestamp_time: (a: bigint) => (isInfinite(a) ? null : splitMicros(a).time),
  timestamptz_time: (a: bigint, at: SqlContext) =>
    isInfinite(a) ? null : splitMicros(local(a, at)).time,
  timestamptz_timetz(a: bigint, at: SqlContext) {
    if (isInfinite(a)) return null;
    const zone = zoneOfOffset(offsetAt(a, sessionZone(at)));
    return { micros: splitMicros(local(a, at)).time, zone };
  },
  timestamp_timestamptz: (a: bigint, at: SqlContext) => utc(a, sessionZone(at)),
  timestamptz_timestamp: (a: bigint, at: SqlContext) => local(a, at),
  timestamp_scale: (a: bigint, typmod: number) => roundTimestamp(a, precision(typmod)),
  timestamptz_scale: (a: bigint, typmod: number) => roundTimestamp(a, precision(typmod)),
  timestamp_zone: (zone: string, a: bigint) => (isInfinite(a) ? a : utc(a, zoneOf(zone))),
  timestamptz_zone: (zone: string, a: bigint) => (isInfinite(a) ? a : toLocal(a, zoneOf(zone))),
  timestamp_izone: (by: Interval, a: bigint) =>
    isInfinite(a) ? a : checkTimestamp(a - BigInt(zoneSeconds(by)) * 1_000_000n),
  timestamptz_izone: (by: Interval, a: bigint) =>
    isInfinite(a) ? a : checkTimestamp(a + BigInt(zoneSeconds(by)) * 1_000_000n),
  now: (at: SqlContext) => at.transactionMicros,
  statement_timestamp: (at: SqlContext) => at.statementMicros,
  clock_timestamp: (at: SqlContext) => at.clockMicros(),
  float8_timestamptz: fromEpoch,
};

function precision(typmod: number): number {
  if (typmod > 6 || typmod < -1) throw notSupported("a precision of seconds above 6");
  return typmod;
}

function zoneSeconds({ months, days, micros }: Interval): number {
  if (months !== 0 || days !== 0) {
    throw new SqlError("22023", "interval time zone must not include months or days");
  }
  return Number(micros / 1_000_000n);
}

function fromEpoch(seconds: number): bigint {
  if (Number.isNaN(seconds)) throw new SqlError("22008", "timestamp cannot be NaN");
  if (seconds === Infinity) return INT64_MAX;
  if (seconds === -Infinity) return INT64_MIN;
  if (Math.abs(seconds) > 9.3e12) throw timestampOutOfRange(String(seconds));
  const whole = Math.trunc(seconds);
  const part = Math.round((seconds - whole) * 1e6);
  return checkTimestamp(BigInt(whole) * 1_000_000n + BigInt(part));
}

function wrap(micros: bigint): number {
  const day = BigInt(MICROS_PER_DAY);
  return Number(((micros % day) + day) % day);
}

function shift(a: number, by: bigint): number {
  return wrap(BigInt(a) + by);
}

function shiftWithZone(a: TimeWithZone, by: bigint): TimeWithZone {
  return { micros: shift(a.micros, by), zone: a.zone };
}

/** The same instant of the day in another zone, given in seconds west. */
function rezoned(a: TimeWithZone, zone: number): TimeWithZone {
  const micros = wrap(BigInt(a.micros) + BigInt(a.zone - zone) * 1_000_000n);
  return { micros, zone: zone === 0 ? 0 : zone };
}

const times: Family = {
  time_mi_time: (a: number, b: number) => makeInterval(0, 0, BigInt(a - b)),
  time_pl_interval: (a: number, b: Interval) => shift(a, b.micros),
  time_mi_interval: (a: number, b: Interval) => shift(a, -b.micros),
  "interval_pl_time(interval,time)": (a: Interval, b: number) => shift(b, a.micros),
  timetz_pl_interval: (a: TimeWithZone, b: Interval) => shiftWithZone(a, b.micros),
  timetz_mi_interval: (a: TimeWithZone, b: Interval) => shiftWithZone(a, -b.micros),
  "interval_pl_timetz(interval,timetz)": (a: Interval, b: TimeWithZone) =>
    shiftWithZone(b, a.micros),
  time_interval: (a: number) => makeInterval(0, 0, BigInt(a)),
  interval_time: (a: Interval) => wrap(a.micros),
  time_timetz(a: number, at: SqlContext) {
    const zone = sessionZone(at);
    const { days } = splitMicros(toLocal(at.transactionMicros, zone));
    const offset = zone.offsetOfLocal(days * 86_400 + Math.floor(a / 1_000_000));
    return { micros: a, zone: zoneOfOffset(offset) };
  },
  timetz_time: (a: TimeWithZone) => a.micros,
  time_scale: (a: number, typmod: number) => roundTime(a, precision(typmod)),
  timetz_scale: (a: TimeWithZone, typmod: number) => ({
    micros: roundTime(a.micros, precision(typmod)),
    zone: a.zone,
  }),
  timetz_izone: (by: Interval, a: TimeWithZone) => rezoned(a, -zoneSeconds(by)),
  timetz_zone: (zone: string, a: TimeWithZone, at: SqlContext) =>
    rezoned(a, -offsetAt(at.transactionMicros, zoneOf(zone))),
};

function overlaps<Value>(compare: (a: Value, b: Value) => number) {
  return (
    start1: Value | null,
    end1: Value | null,
    start2: Value | null,
    end2: Value | null,
  ): boolean | null => {
    const order = (a: Value | null, b: Value | null): readonly [Value, Value | null] | null => {
      if (a === null && b === null) return null;
      if (a === null) return [b as Value, null];
      if (b === null) return [a, null];
      return compare(a, b) > 0 ? [b, a] : [a, b];
    };
    const one = order(start1, end1);
    const two = order(start2, end2);
    if (one === null || two === null) return null;
    const found = compare(one[0], two[0]);
    if (found === 0) return one[1] === null || two[1] === null ? null : true;
    const [first, second] = found < 0 ? [one, two] : [two, one];
    if (first[1] === null) return null;
    if (compare(second[0], first[1]) < 0) return true;
    return second[1] === null ? null : false;
  };
}

const overlap: Family = {
  overlaps_time: overlaps<number>((a, b) => a - b),
  overlaps_timestamp: overlaps<bigint>((a, b) => (a < b ? -1 : a > b ? 1 : 0)),
  overlaps_timetz: overlaps<TimeWithZone>((a, b) => compareOf("timetz")(a, b)),
};

/** Operators of two date and time types: both are taken as the wider one. */
function mixed(
  prefix: string,
  left: (value: never, at: SqlContext) => bigint,
  right: (value: never, at: SqlContext) => bigint,
): Family {
  const suffixes = ["eq", "ne", "lt", "le", "gt", "ge"];
  const plain = comparisons<bigint, bigint>("", (a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return Object.fromEntries(
    suffixes.map((suffix) => [
      prefix.replace("?", suffix),
      (a: never, b: never, at: SqlContext) =>
        (plain[suffix] as (a: bigint, b: bigint) => boolean)(left(a, at), right(b, at)),
    ]),
  );
}

/** Above every day: a date may be after the last timestamp and is before infinity. */
const BEYOND = 1n << 80n;
const same = (value: bigint): bigint =>
  value === INT64_MAX ? BEYOND : value === INT64_MIN ? -BEYOND : value;
const wide = (days: number): bigint =>
  days === Infinity ? BEYOND : days === -Infinity ? -BEYOND : joinMicros(days, 0);
const instant = (value: bigint, at: SqlContext): bigint =>
  isInfinite(value) ? same(value) : toUtc(value, sessionZone(at));
const dayInstant = (days: number, at: SqlContext): bigint =>
  Number.isFinite(days) ? toUtc(joinMicros(days, 0), sessionZone(at)) : wide(days);

export const dateTimeFamily: Family = {
  ...dates,
  ...timestamps,
  ...times,
  ...overlap,
  ...mixed("date_?_timestamp", wide, same),
  ...mixed("timestamp_?_date", same, wide),
  ...mixed("date_?_timestamptz", dayInstant, same),
  ...mixed("timestamptz_?_date", same, dayInstant),
  ...mixed("timestamp_?_timestamptz", instant, same),
  ...mixed("timestamptz_?_timestamp", same, instant),
};
