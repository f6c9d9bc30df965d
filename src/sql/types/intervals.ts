import type { Interval } from "../../rows/datum.ts";
import { invalidBinary, notSupported, SqlError } from "../error.ts";
import { order, type TypeCodec } from "./codec.ts";
import { splitFields } from "./date-time-fields.ts";
import { timeText } from "./date-time-text.ts";
import { roundMicros } from "./dates.ts";

const INT4_MAX = 2_147_483_647;
const INT8_MAX = 0x7fff_ffff_ffff_ffffn;
export const MONTH_DAYS = 30;
const DAY_MICROS = 86_400_000_000n;

export function intervalOutOfRange(): SqlError {
  return new SqlError("22008", "interval out of range");
}

export function makeInterval(months: number, days: number, micros: bigint): Interval {
  const isOver = (value: number): boolean => value > INT4_MAX || value < -INT4_MAX - 1;
  if (isOver(months) || isOver(days) || micros > INT8_MAX || micros < -INT8_MAX - 1n) {
    throw intervalOutOfRange();
  }
  return { months: months === 0 ? 0 : months, days: days === 0 ? 0 : days, micros };
}

/** Units by all their names: months, days or microseconds of one. */
const UNITS: readonly (readonly [
  pattern: RegExp,
  kind: "months" | "days" | "micros",
  n: number,
])[] = [
  [/^(?:millennia|millennium|mils?|millenia)$/, "months", 12_000],
  [/^(?:century|centuries|cent|c)$/, "months", 1_200],
  [/^(?:decades?|decs?)$/, "months", 120],
  [/^(?:years?|yrs?|y)$/, "months", 12],
  [/^(?:months?|mons?)$/, "months", 1],
  [/^(?:weeks?|w)$/, "days", 7],
  [/^(?:days?|d)$/, "days", 1],
  [/^(?:hours?|hrs?|h)$/, "micros", 3_600_000_000],
  [/^(?:minutes?|mins?|m)$/, "micros", 60_000_000],
  [/^(?:seconds?|secs?|s)$/, "micros", 1_000_000],
  [/^(?:milliseconds?|mseconds?|msecs?|ms|millisecon)$/, "micros", 1_000],
  [/^(?:microseconds?|useconds?|usecs?|us|microsecon)$/, "micros", 1],
];

/** Sums of the parts, before they are one interval. */
class Sum {
  months = 0;
  days = 0;
  micros = 0n;

  /** A number of units; fractions of a unit go to the smaller fields, as PostgreSQL's do. */
  add(whole: number, fraction: number, kind: "months" | "days" | "micros", size: number): void {
    if (kind === "micros") {
      this.micros += BigInt(whole) * BigInt(size) + BigInt(rint(fraction * size));
      return;
    }
    if (kind === "days") {
      this.days += whole * size;
      this.#days(fraction * size);
      return;
    }
    this.months += whole * size;
    if (size > 1) this.months += rint(fraction * size);
    else this.#days(fraction * MONTH_DAYS);
  }

  #days(fraction: number): void {
    const whole = Math.trunc(fraction);
    this.days += whole;
    this.micros += BigInt(rint((fraction - whole) * 86_400_000_000));
  }

  end(): Interval {
    return makeInterval(this.months, this.days, this.micros);
  }
}

function rint(value: number): number {
  const rounded = Math.round(value);
  return Math.abs(value % 1) === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded;
}

function syntax(text: string): SqlError {
  return new SqlError("22007", `invalid input syntax for type interval: "${text}"`);
}

function fieldOverflow(text: string): SqlError {
  return new SqlError("22015", `interval field value out of range: "${text}"`);
}

const SIGNED = /^([+-]?)(\d*)(\.\d*)?$/;

/** A signed decimal as whole and fraction of the same sign. */
function decimal(text: string, all: string): readonly [whole: number, fraction: number] {
  const found = SIGNED.exec(text);
  if (found === null) throw syntax(all);
  const [, sign, digits = "", rest = ""] = found;
  if (digits === "" && rest.length < 2) throw syntax(all);
  const whole = Number(digits === "" ? "0" : digits);
  if (!Number.isSafeInteger(whole)) throw fieldOverflow(all);
  const fraction = rest.length > 1 ? Number(`0${rest}`) : 0;
  return sign === "-" ? [-whole, -fraction] : [whole, fraction];
}

/** `hh:mm`, `hh:mm:ss.f`, and `mm:ss.f`, with a sign, in microseconds. */
function clock(text: string, all: string): bigint {
  const found = /^([+-]?)(\d+):(\d+)(?::(\d+))?(\.\d*)?$/.exec(text);
  if (found === null) throw syntax(all);
  let [, sign, hours = "0", minutes = "0", seconds, fraction = ""] = found;
  if (seconds === undefined && fraction !== "") [hours, minutes, seconds] = ["0", hours, minutes];
  if (Number(minutes) > 59 || Number(seconds ?? 0) > 60) throw fieldOverflow(all);
  if (Number(hours) > INT4_MAX) throw fieldOverflow(all);
  const part = fraction.length > 1 ? Math.round(Number(`0${fraction}`) * 1e6) : 0;
  const whole = BigInt(hours) * 3_600n + BigInt(minutes) * 60n + BigInt(seconds ?? 0);
  const micros = whole * 1_000_000n + BigInt(part);
  return sign === "-" ? -micros : micros;
}

/** `1 year -2 days 03:04`, `1-2 3 4:05:06`, `@ 3 hours ago`. */
function verbose(text: string): Interval {
  const fields = splitFields(text, () => true);
  if (fields === undefined || fields.length === 0) throw syntax(text);
  const sum = new Sum();
  const seen = new Set<string>();
  let unit: string | undefined;
  // Of what stands before a time: days, unless a unit says otherwise.
  let isDefault = false;
  let isAgo = false;
  // As PostgreSQL: from the end, so that a number knows its unit.
  for (let i = fields.length - 1; i >= 0; i--) {
    const field = fields[i] as (typeof fields)[number];
    const isSigned = field.kind === "zone";
    if (field.kind === "word") {
      if (field.text === "ago") {
        if (i !== fields.length - 1) throw syntax(text);
        isAgo = true;
      } else {
        if (unit !== undefined && !isDefault) throw syntax(text);
        unit = field.text;
        isDefault = false;
      }
    } else if (field.kind === "time" || (isSigned && field.text.includes(":"))) {
      once(seen, "time", text);
      once(seen, "clock", text);
      if (unit !== undefined && !isDefault) throw syntax(text);
      sum.micros += clock(field.text, text);
      unit = "day";
      isDefault = true;
    } else if (field.kind === "number" || isSigned || field.kind === "date") {
      addNumber(sum, seen, field.text, unit, text);
      unit = undefined;
      isDefault = false;
    } else throw syntax(text);
  }
  if (unit !== undefined && !isDefault) throw syntax(text);
  if (!isAgo) return sum.end();
  return makeInterval(-sum.months, -sum.days, -sum.micros);
}

function once(seen: Set<string>, what: string, text: string): void {
  if (seen.has(what)) throw syntax(text);
  seen.add(what);
}

function addNumber(
  sum: Sum,
  seen: Set<string>,
  number: string,
  unit: string | undefined,
  text: string,
): void {
  const yearMonth = /^([+-]?)(\d+)-(\d+)(.*)$/.exec(number);
  if (yearMonth !== null) {
    const [, sign, years = "0", months = "0"] = yearMonth;
    if (Number(months) >= 12) throw fieldOverflow(text);
    if (yearMonth[4] !== "") throw syntax(text);
    once(seen, "year-month", text);
    const total = Number(years) * 12 + Number(months);
    sum.months += sign === "-" ? -total : total;
    return;
  }
  const [whole, fraction] = decimal(number, text);
  const name = unit ?? "second";
  const found = UNITS.find(([pattern]) => pattern.test(name));
  if (found === undefined) throw syntax(text);
  const [pattern, kind, size] = found;
  once(seen, pattern.source, text);
  if (kind === "micros" && size >= 1_000_000) seen.add("clock");
  if (Math.abs(whole) > INT4_MAX && kind !== "micros") throw fieldOverflow(text);
  sum.add(whole, fraction, kind, size);
}

const DESIGNATORS: Readonly<Record<string, readonly ["months" | "days" | "micros", number]>> = {
  Y: ["months", 12],
  M: ["months", 1],
  W: ["days", 7],
  D: ["days", 1],
  TH: ["micros", 3_600_000_000],
  TM: ["micros", 60_000_000],
  TS: ["micros", 1_000_000],
};

/** `P1Y2M3DT4H5M6S` of ISO 8601. */
function iso(text: string): Interval {
  const sum = new Sum();
  const [date = "", time] = text.slice(1).split("T");
  for (const [part, prefix] of [
    [date, ""],
    [time ?? "", "T"],
  ] as const) {
    const pieces = part.match(/[+-]?[\d.]+[A-Z]?/g) ?? [];
    if (pieces.join("") !== part) throw syntax(text);
    for (const piece of pieces) {
      const designator = DESIGNATORS[prefix + piece.slice(-1)];
      if (designator === undefined) throw notSupported("ISO 8601's alternative form of intervals");
      const [whole, fraction] = decimal(piece.slice(0, -1), text);
      sum.add(whole, fraction, designator[0], designator[1]);
    }
  }
  if (date === "" && (time === undefined || time === "")) throw syntax(text);
  return sum.end();
}

const FULL_RANGE = 0x7fff;

/** The fields that a modifier keeps (`YEAR TO MONTH`) and the digits of its seconds. */
export function applyIntervalModifier(value: Interval, typmod: number): Interval {
  if (typmod < 0) return value;
  const range = (typmod >> 16) & FULL_RANGE;
  const precision = typmod & 0xffff;
  if (range === 0 || precision > FULL_RANGE << 1)
    throw notSupported("such a modifier of intervals");
  const kept = range === FULL_RANGE ? value : restrict(value, range);
  return precision > 6 ? kept : { ...kept, micros: roundMicros(kept.micros, precision) };
}

const FIELD = { month: 1 << 1, year: 1 << 2, day: 1 << 3, hour: 1 << 10, minute: 1 << 11 } as const;
const SECOND = 1 << 12;

function restrict(value: Interval, range: number): Interval {
  const { months, days, micros } = value;
  const cut = (unit: bigint): bigint => (micros / unit) * unit;
  if ((range & SECOND) !== 0) return value;
  if ((range & FIELD.minute) !== 0) return { months, days, micros: cut(60_000_000n) };
  if ((range & FIELD.hour) !== 0) return { months, days, micros: cut(3_600_000_000n) };
  if ((range & FIELD.day) !== 0) return { months, days, micros: 0n };
  if ((range & FIELD.month) !== 0) return { months, days: 0, micros: 0n };
  return { months: Math.trunc(months / 12) * 12, days: 0, micros: 0n };
}

export function intervalText({ months, days, micros }: Interval): string {
  const parts: string[] = [];
  let isNegative = false;
  const add = (value: number, unit: string): void => {
    if (value === 0) return;
    const plus = isNegative && value > 0 ? "+" : "";
    parts.push(`${plus}${value} ${unit}${value === 1 ? "" : "s"}`);
    isNegative = value < 0;
  };
  const years = Math.trunc(months / 12);
  add(years, "year");
  add(months - years * 12, "mon");
  add(days, "day");
  if (micros !== 0n || parts.length === 0) {
    const size = micros < 0n ? -micros : micros;
    const hours = size / 3_600_000_000n;
    const rest = timeText(Number(size % 3_600_000_000n)).slice(2);
    const shown = micros < 0n ? "-" : isNegative ? "+" : "";
    parts.push(`${shown}${String(hours).padStart(2, "0")}${rest}`);
  }
  return parts.join(" ");
}

/** Days of 24 hours and months of 30 days: what comparisons look at. */
function span({ months, days, micros }: Interval): bigint {
  return (BigInt(months) * BigInt(MONTH_DAYS) + BigInt(days)) * DAY_MICROS + micros;
}

export const interval: TypeCodec<Interval> = {
  input(text, typmod) {
    const isIso = /^P[\dT+.-]/.test(text);
    if (typmod >= 0 && ((typmod >> 16) & FULL_RANGE) !== FULL_RANGE) {
      const bare = /^[ ]*[+-]?[\d.]+[ ]*$/.test(text);
      if (bare) throw notSupported("an interval of one number with fields");
    }
    return applyIntervalModifier(isIso ? iso(text) : verbose(text), typmod);
  },
  output: intervalText,
  receive(bytes, typmod) {
    if (bytes.length !== 16) throw invalidBinary("interval");
    const value = {
      months: bytes.readInt32BE(12),
      days: bytes.readInt32BE(8),
      micros: bytes.readBigInt64BE(0),
    };
    return applyIntervalModifier(value, typmod);
  },
  send({ months, days, micros }) {
    const bytes = Buffer.allocUnsafe(16);
    bytes.writeBigInt64BE(micros, 0);
    bytes.writeInt32BE(days, 8);
    bytes.writeInt32BE(months, 12);
    return bytes;
  },
  compare: (left, right) => order(span(left), span(right)),
  hash: span,
};
