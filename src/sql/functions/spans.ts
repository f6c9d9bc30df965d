import type { Interval } from "../../rows/datum.ts";
import { notSupported, SqlError } from "../error.ts";
import { civilOf, joinMicros, monthLength, splitMicros } from "../types/calendar.ts";
import type { SqlContext } from "../types/context.ts";
import { checkTimestamp, isInfinite } from "../types/dates.ts";
import { intervalOutOfRange, makeInterval } from "../types/interval-parts.ts";
import { addInterval, addToInstant, local } from "./date-times.ts";
import type { Family } from "./implementation.ts";

const DAY_MICROS = 86_400_000_000n;

/** The difference of two local times in years, months and days, as people count. */
function age(to: bigint, from: bigint): Interval {
  // PostgreSQL 15 counts to the end of its range instead.
  if (isInfinite(to) || isInfinite(from)) throw notSupported("the age of infinity");
  const isNegative = to < from;
  const [low, high] = isNegative ? [to, from] : [from, to];
  const [start, end] = [splitMicros(low), splitMicros(high)];
  const [a, b] = [civilOf(start.days), civilOf(end.days)];
  let time = end.time - start.time;
  let days = b.day - a.day;
  let months = (b.year - a.year) * 12 + b.month - a.month;
  if (time < 0) {
    time += Number(DAY_MICROS);
    days--;
  }
  while (days < 0) {
    // Borrowed days are those of the earlier one's month.
    days += monthLength(a.year, a.month);
    months--;
  }
  const sign = isNegative ? -1 : 1;
  return makeInterval(sign * months, sign * days, BigInt(sign * time));
}

/** The start of the stride that a moment lies in, counted from an origin. */
function bin({ months, days, micros }: Interval, at: bigint, origin: bigint): bigint {
  if (isInfinite(at)) return at;
  if (isInfinite(origin)) throw new SqlError("22008", "origin out of range");
  if (months !== 0) {
    throw notSupported("timestamps in strides of months or years");
  }
  const stride = BigInt(days) * DAY_MICROS + micros;
  if (BigInt.asIntN(64, stride) !== stride) throw intervalOutOfRange();
  if (stride <= 0n) throw new SqlError("22008", "stride must be greater than zero");
  const rest = (at - origin) % stride;
  return checkTimestamp(at - rest - (rest < 0n ? stride : 0n));
}

function* series(
  from: bigint,
  to: bigint,
  step: Interval,
  add: (micros: bigint, by: Interval) => bigint,
): Generator<bigint> {
  const size = (BigInt(step.months) * 30n + BigInt(step.days)) * DAY_MICROS + step.micros;
  if (size === 0n) throw new SqlError("22023", "step size cannot equal zero");
  if (isInfinite(from) || isInfinite(to)) throw notSupported("a series without an end");
  for (let at = from; size > 0n ? at <= to : at >= to; at = add(at, step)) yield at;
}

function today(at: SqlContext): bigint {
  return joinMicros(splitMicros(local(at.transactionMicros, at)).days, 0);
}

export const spanFamily: Family = {
  timestamp_age: age,
  timestamptz_age: (to: bigint, from: bigint, at: SqlContext) =>
    age(local(to, at), local(from, at)),
  "age(timestamp)": (from: bigint, at: SqlContext) => age(today(at), from),
  "age(timestamptz)": (from: bigint, at: SqlContext) => age(today(at), local(from, at)),
  timestamp_bin: bin,
  timestamptz_bin: bin,
  generate_series_timestamp: (from: bigint, to: bigint, step: Interval) =>
    series(from, to, step, addInterval),
  generate_series_timestamptz: (from: bigint, to: bigint, step: Interval, at: SqlContext) =>
    series(from, to, step, (micros, by) => addToInstant(micros, by, at)),
};
