/** Days of the proleptic Gregorian calendar, counted from 1970-01-01. Year 0 is 1 BC. */
export interface Civil {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

export const MICROS_PER_DAY = 86_400_000_000;
export const DAY_MICROS = 86_400_000_000n;
/** Julian day of 1970-01-01. */
export const JULIAN_EPOCH = 2_440_588;

export function daysOf(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const leaps = Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100);
  return era * 146_097 + yearOfEra * 365 + leaps + dayOfYear - 719_468;
}

export function civilOf(days: number): Civil {
  const z = days + 719_468;
  const era = Math.floor(z / 146_097);
  const doe = z - era * 146_097;
  const yoe = Math.floor(
    (doe - Math.floor(doe / 1_460) + Math.floor(doe / 36_524) - Math.floor(doe / 146_096)) / 365,
  );
  const doy = doe - (365 * yoe + Math.floor(yoe / 4) - Math.floor(yoe / 100));
  const mp = Math.floor((5 * doy + 2) / 153);
  const month = mp < 10 ? mp + 3 : mp - 9;
  const year = yoe + era * 400 + (month <= 2 ? 1 : 0);
  return { year, month, day: doy - Math.floor((153 * mp + 2) / 5) + 1 };
}

export function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

const LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

export function monthLength(year: number, month: number): number {
  return month === 2 && isLeap(year) ? 29 : (LENGTHS[month - 1] ?? 0);
}

/** Sunday is 0. */
export function weekday(days: number): number {
  return (((days + 4) % 7) + 7) % 7;
}

/** ISO 8601: the year whose week a day belongs to, and the number of the week. */
export function isoWeek(days: number): { readonly year: number; readonly week: number } {
  const thursday = days - ((weekday(days) + 6) % 7) + 3;
  const { year } = civilOf(thursday);
  return { year, week: Math.floor((thursday - daysOf(year, 1, 1)) / 7) + 1 };
}

/** Monday of a week of ISO 8601. */
export function isoWeekStart(year: number, week: number): number {
  const fourth = daysOf(year, 1, 4);
  return fourth - ((weekday(fourth) + 6) % 7) + (week - 1) * 7;
}

/** The day and the microseconds of it, of microseconds since 1970. */
export function splitMicros(micros: bigint): { readonly days: number; readonly time: number } {
  let days = micros / DAY_MICROS;
  let time = micros % DAY_MICROS;
  if (time < 0n) {
    time += DAY_MICROS;
    days -= 1n;
  }
  return { days: Number(days), time: Number(time) };
}

export function joinMicros(days: number, time: number): bigint {
  return BigInt(days) * DAY_MICROS + BigInt(time);
}
