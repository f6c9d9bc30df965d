import { rint } from "../../base/rint.ts";
import type { Interval } from "../../rows/datum.ts";
import { divisionByZero } from "../error.ts";
import { intervalOutOfRange, makeInterval } from "../types/interval-parts.ts";
import { applyIntervalModifier } from "../types/intervals.ts";
import { justifyHours, negate } from "./date-times.ts";
import type { Family } from "./implementation.ts";

const DAY_SECONDS = 86_400;
const MONTH_DAYS = 30;

/** Rounds to microseconds, as PostgreSQL drops noise below them. */
const settle = (value: number): number => rint(value * 1e6) / 1e6;

/** Times a factor: fractions of months become days, those of days become time. */
function scale(value: Interval, apply: (part: number) => number): Interval {
  const months = apply(value.months);
  const days = apply(value.days);
  const wholeMonths = Math.trunc(months);
  const wholeDays = Math.trunc(days);
  if (!Number.isFinite(months) || !Number.isFinite(days)) throw intervalOutOfRange();
  let moreDays = settle((months - wholeMonths) * MONTH_DAYS);
  let seconds = settle((days - wholeDays + moreDays - Math.trunc(moreDays)) * DAY_SECONDS);
  if (Math.abs(seconds) >= DAY_SECONDS) {
    const more = Math.trunc(seconds / DAY_SECONDS);
    moreDays += more;
    seconds -= more * DAY_SECONDS;
  }
  const micros = rint(apply(Number(value.micros)) + seconds * 1e6);
  if (!Number.isFinite(micros) || Math.abs(micros) > 2 ** 63) throw intervalOutOfRange();
  return makeInterval(wholeMonths, wholeDays + Math.trunc(moreDays), BigInt(micros));
}

function justifyDays({ months, days, micros }: Interval): Interval {
  const whole = Math.trunc(days / MONTH_DAYS);
  let month = months + whole;
  let rest = days - whole * MONTH_DAYS;
  if (month > 0 && rest < 0) {
    rest += MONTH_DAYS;
    month--;
  } else if (month < 0 && rest > 0) {
    rest -= MONTH_DAYS;
    month++;
  }
  return makeInterval(month, rest, micros);
}

function justify(value: Interval): Interval {
  // Whole months go first where the days of the time could be too many.
  const isOneWay = (value.days > 0 && value.micros > 0n) || (value.days < 0 && value.micros < 0n);
  const early = isOneWay ? Math.trunc(value.days / MONTH_DAYS) : 0;
  const rest = { months: 0, days: value.days - early * MONTH_DAYS, micros: value.micros };
  const sized = justifyDays(justifyHours(rest));
  let { months, days, micros } = makeInterval(
    value.months + early + sized.months,
    sized.days,
    sized.micros,
  );
  const isBelow = days < 0 || (days === 0 && micros < 0n);
  if (months > 0 && isBelow) {
    days += MONTH_DAYS;
    months--;
  } else if (months < 0 && (days > 0 || (days === 0 && micros > 0n))) {
    days -= MONTH_DAYS;
    months++;
  }
  if (days > 0 && micros < 0n) {
    micros += 86_400_000_000n;
    days--;
  } else if (days < 0 && micros > 0n) {
    micros -= 86_400_000_000n;
    days++;
  }
  return makeInterval(months, days, micros);
}

export function addIntervals(a: Interval, b: Interval): Interval {
  return makeInterval(a.months + b.months, a.days + b.days, a.micros + b.micros);
}

export function divideInterval(value: Interval, divisor: number): Interval {
  if (divisor === 0) throw divisionByZero();
  return scale(value, (part) => part / divisor);
}

export const intervalFamily: Family = {
  interval_pl: addIntervals,
  interval_mi: (a: Interval, b: Interval) =>
    makeInterval(a.months - b.months, a.days - b.days, a.micros - b.micros),
  interval_um: negate,
  interval_mul: (a: Interval, factor: number) => scale(a, (part) => part * factor),
  mul_d_interval: (factor: number, a: Interval) => scale(a, (part) => part * factor),
  interval_div: divideInterval,
  interval_finite: () => true,
  interval_scale: (a: Interval, typmod: number) => applyIntervalModifier(a, typmod),
  interval_justify_hours: justifyHours,
  interval_justify_days: justifyDays,
  interval_justify_interval: justify,
};
