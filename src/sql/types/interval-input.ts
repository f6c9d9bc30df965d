import { rint } from "../../base/rint.ts";
import type { Interval } from "../../rows/datum.ts";
import { SqlError } from "../error.ts";
import type { SqlSettings } from "./context.ts";
import { type Field, splitFields } from "./date-time-fields.ts";
import { intervalOutOfRange, makeInterval } from "./interval-parts.ts";

const INT4_MAX = 2_147_483_647;
const INT8_MAX = 0x7fff_ffff_ffff_ffffn;
const SECOND = 1_000_000;
const MINUTE: number = 60 * SECOND;
const HOUR: number = 60 * MINUTE;
const DAY: number = 24 * HOUR;
const MONTH_DAYS = 30;

/** The fields of a modifier, by PostgreSQL's bits. */
export const FIELDS: Readonly<
  Record<"month" | "year" | "day" | "hour" | "minute" | "second", number>
> = { month: 2, year: 4, day: 8, hour: 1_024, minute: 2_048, second: 4_096 };
export const ALL_FIELDS = 0x7fff;

type Unit =
  | "microsecond"
  | "millisecond"
  | "second"
  | "minute"
  | "hour"
  | "day"
  | "week"
  | "month"
  | "year"
  | "decade"
  | "century"
  | "millennium";

const UNITS: readonly (readonly [pattern: RegExp, unit: Unit])[] = [
  [/^(?:millennia|millenniums?|millennium|mils?|millenia)$/, "millennium"],
  [/^(?:century|centuries|cent|c)$/, "century"],
  [/^(?:decades?|decs?)$/, "decade"],
  [/^(?:years?|yrs?|y)$/, "year"],
  [/^(?:months?|mons?)$/, "month"],
  [/^(?:weeks?|w)$/, "week"],
  [/^(?:days?|d)$/, "day"],
  [/^(?:hours?|hrs?|h)$/, "hour"],
  [/^(?:minutes?|mins?|m)$/, "minute"],
  [/^(?:seconds?|secs?|s)$/, "second"],
  [/^(?:milliseconds?|mseconds?|msecs?|ms|millisecon)$/, "millisecond"],
  [/^(?:microseconds?|useconds?|usecs?|us|microsecon)$/, "microsecond"],
];
const MICROS: Readonly<Partial<Record<Unit, number>>> = {
  microsecond: 1,
  millisecond: 1_000,
  second: SECOND,
  minute: MINUTE,
  hour: HOUR,
};
const YEARS: Readonly<Partial<Record<Unit, number>>> = {
  year: 1,
  decade: 10,
  century: 100,
  millennium: 1_000,
};
const ALL_SECONDS: readonly Unit[] = ["second", "millisecond", "microsecond"];
const ALL_TIME: readonly Unit[] = ["hour", "minute", ...ALL_SECONDS];

/** Inside the reader alone: which of the two errors a text gets is known at its end. */
const BAD_FORMAT: unique symbol = Symbol("bad format");

/** Sums of the parts. Each stays within its range at every step, as PostgreSQL's do. */
class Sum {
  readonly #text: string;
  years = 0;
  months = 0;
  days = 0;
  micros = 0n;

  constructor(text: string) {
    this.#text = text;
  }

  /** @throws SqlError 22015 */
  overflow(): SqlError {
    return new SqlError("22015", `interval field value out of range: "${this.#text}"`);
  }

  /** A number of units; fractions go to the smaller fields. */
  add(whole: bigint, fraction: number, unit: Unit): void {
    const micros = MICROS[unit];
    const years = YEARS[unit];
    if (micros !== undefined) {
      this.#micros(whole * BigInt(micros));
      this.#fractionOfMicros(fraction * micros);
    } else if (years !== undefined) {
      this.years = this.#sum(this.years, this.#int4(whole) * years);
      this.months = this.#sum(this.months, rint(fraction * years * 12));
    } else if (unit === "month") {
      this.months = this.#sum(this.months, this.#int4(whole));
      this.#fractionOfDays(fraction * MONTH_DAYS);
    } else {
      const days = unit === "week" ? 7 : 1;
      this.days = this.#sum(this.days, this.#int4(whole) * days);
      if (unit === "week") this.#fractionOfDays(fraction * days);
      else this.#fractionOfMicros(fraction * DAY);
    }
  }

  negate(): void {
    const isLeast = [this.years, this.months, this.days].includes(-INT4_MAX - 1);
    if (isLeast || this.micros === -INT8_MAX - 1n) throw this.overflow();
    [this.years, this.months, this.days] = [-this.years, -this.months, -this.days];
    this.micros = -this.micros;
  }

  /** @throws SqlError 22008 */
  end(): Interval {
    const months = this.years * 12 + this.months;
    if (months > INT4_MAX || months < -INT4_MAX - 1) throw intervalOutOfRange();
    return makeInterval(months, this.days, this.micros);
  }

  #micros(more: bigint): void {
    this.micros += more;
    if (this.micros > INT8_MAX || this.micros < -INT8_MAX - 1n) throw this.overflow();
  }

  #fractionOfMicros(micros: number): void {
    const whole = Math.trunc(micros);
    const rest = micros - whole;
    this.#micros(BigInt(whole) + (rest > 0.5 ? 1n : rest < -0.5 ? -1n : 0n));
  }

  #fractionOfDays(days: number): void {
    const whole = Math.trunc(days);
    this.days = this.#sum(this.days, whole);
    this.#fractionOfMicros((days - whole) * DAY);
  }

  #int4(value: bigint): number {
    return this.#sum(0, Number(value));
  }

  #sum(a: number, b: number): number {
    if (Math.abs(b) > INT4_MAX + 1 || b === INT4_MAX + 1) throw this.overflow();
    const sum = a + b;
    if (sum > INT4_MAX || sum < -INT4_MAX - 1) throw this.overflow();
    return sum;
  }
}

function int8(digits: string, sum: Sum): bigint {
  const value = BigInt(digits.replace("+", ""));
  if (value > INT8_MAX || value < -INT8_MAX - 1n) throw sum.overflow();
  return value;
}

/** `1 year -2 days 03:04`, `1-2 3 4:05:06`, `@ 3 hours ago`; read from its end. */
class VerboseReader {
  readonly #sum: Sum;
  readonly #range: number;
  readonly #isNegative: boolean;
  readonly #seen = new Set<Unit>();
  #unit: Unit | undefined;
  #isAgo = false;

  constructor(
    sum: Sum,
    fields: readonly Field[],
    range: number,
    style: SqlSettings["intervalStyle"],
  ) {
    this.#sum = sum;
    this.#range = range;
    const [first, ...others] = fields;
    // SQL's own form has one sign for all of it.
    const isStandard = style === "sql_standard" && first?.text.startsWith("-") === true;
    this.#isNegative = isStandard && !others.some(({ text }) => /^[+-]/.test(text));
    for (const field of [...fields].reverse()) this.#field(field);
    if (this.#seen.size === 0) throw BAD_FORMAT;
    if (this.#isAgo) sum.negate();
  }

  #field({ kind, text }: Field): void {
    if (kind === "time") this.#clock(text, false);
    else if (kind === "zone" && text.includes(":")) {
      this.#clock(text.slice(1), text.startsWith("-"));
    } else if (kind === "number" || kind === "date" || kind === "zone") this.#number(text);
    else if (kind === "word") this.#word(text);
    else throw BAD_FORMAT;
  }

  #word(text: string): void {
    if (text === "ago") this.#isAgo = true;
    else {
      const found = UNITS.find(([pattern]) => pattern.test(text));
      if (found === undefined) throw BAD_FORMAT;
      this.#unit = found[1];
    }
  }

  #once(units: readonly Unit[]): void {
    if (units.some((unit) => this.#seen.has(unit))) throw BAD_FORMAT;
    for (const unit of units) this.#seen.add(unit);
  }

  #clock(text: string, isNegative: boolean): void {
    this.#once(ALL_TIME);
    const micros = this.#clockMicros(text);
    this.#sum.micros = isNegative || this.#isNegative ? -micros : micros;
    this.#unit = "day";
  }

  /** `hh:mm`, `hh:mm:ss.f`, and `mm:ss.f`. */
  #clockMicros(text: string): bigint {
    const found = /^(\d+):(\d+)(?::(\d+))?(\.\d*)?$/.exec(text);
    if (found === null) throw BAD_FORMAT;
    let [, hours = "0", minutes = "0", seconds, fraction = ""] = found;
    const isShort = this.#range === (FIELDS.minute | FIELDS.second);
    if (seconds === undefined && (fraction !== "" || isShort)) {
      [hours, minutes, seconds] = ["0", hours, minutes];
    }
    const part = fraction.length > 1 ? Math.round(Number(`0${fraction}`) * 1e6) : 0;
    if (Number(minutes) > 59 || Number(seconds ?? 0) > 60) throw this.#sum.overflow();
    const whole = BigInt(minutes) * 60n + BigInt(seconds ?? 0);
    const micros = int8(hours, this.#sum) * BigInt(HOUR) + whole * BigInt(SECOND) + BigInt(part);
    if (micros > INT8_MAX) throw this.#sum.overflow();
    return micros;
  }

  #number(text: string): void {
    const found = /^([+-]?\d*)(?:-(\d+)|(\.\d*))?(.*)$/.exec(text);
    const [, digits = "", months, fraction = "", rest] = found ?? [];
    if (Number(months ?? 0) >= 12) throw this.#sum.overflow();
    if (rest !== "" || !/\d/.test(text)) throw BAD_FORMAT;
    const isMinus = digits.startsWith("-");
    let value = int8(/\d/.test(digits) ? digits : "0", this.#sum);
    let part = fraction.length > 1 ? Number(`0${fraction}`) * (isMinus ? -1 : 1) : 0;
    let unit = this.#unit ?? this.#unitOfRange();
    if (months !== undefined) {
      value = value * 12n + BigInt(isMinus ? -Number(months) : Number(months));
      unit = "month";
    }
    if (this.#isNegative) {
      if (value > 0n) value = -value;
      if (part > 0) part = -part;
    }
    this.#once(unit === "second" && part !== 0 ? ALL_SECONDS : [unit]);
    this.#sum.add(value, part, unit);
    this.#unit = unit === "hour" ? "day" : unit;
  }

  /** What a last number without a unit counts. */
  #unitOfRange(): Unit {
    const range = this.#range;
    if (range === ALL_FIELDS || (range & FIELDS.second) !== 0) return "second";
    if ((range & FIELDS.minute) !== 0) return "minute";
    if ((range & FIELDS.hour) !== 0) return "hour";
    if ((range & FIELDS.day) !== 0) return "day";
    return (range & FIELDS.month) !== 0 ? "month" : "year";
  }
}

const DATE_UNITS: Readonly<Record<string, Unit>> = { Y: "year", M: "month", W: "week", D: "day" };
const TIME_UNITS: Readonly<Record<string, Unit>> = { H: "hour", M: "minute", S: "second" };

interface IsoNumber {
  readonly text: string;
  readonly whole: bigint;
  readonly fraction: number;
}

/** `P1Y2M3DT4H5M6S` of ISO 8601, and its alternative `P0001-02-03T04:05:06`. */
class IsoReader {
  readonly #sum: Sum;
  readonly #text: string;
  #at = 1;

  constructor(sum: Sum, text: string) {
    this.#sum = sum;
    this.#text = text;
    if (text.length < 2 || !text.startsWith("P")) throw BAD_FORMAT;
    let isDate = true;
    let hasField = false;
    while (this.#at < text.length) {
      if (text[this.#at] === "T") {
        this.#at++;
        [isDate, hasField] = [false, false];
        continue;
      }
      const number = this.#number();
      const letter = text[this.#at] ?? "";
      const unit = (isDate ? DATE_UNITS : TIME_UNITS)[letter];
      if (unit !== undefined) {
        this.#at++;
        this.#add(number, unit);
        hasField = true;
        continue;
      }
      if (hasField) throw BAD_FORMAT;
      this.#alternative(number, isDate);
    }
  }

  #add({ whole, fraction }: IsoNumber, unit: Unit): void {
    this.#sum.add(whole, fraction, unit);
  }

  /** The rest of a date or of a time without letters. */
  #alternative(first: IsoNumber, isDate: boolean): void {
    const units: readonly Unit[] = isDate ? ["year", "month", "day"] : ["hour", "minute", "second"];
    const by = isDate ? "-" : ":";
    const next = this.#text[this.#at] ?? "";
    const isEnd = (c: string): boolean => c === "" || (isDate && c === "T");
    if (isEnd(next) && /^[+-]?\d+/.exec(first.text)?.[0].length === (isDate ? 8 : 6)) {
      const { whole, fraction } = first;
      this.#sum.add(whole / 10_000n, 0, units[0] as Unit);
      this.#sum.add((whole / 100n) % 100n, 0, units[1] as Unit);
      this.#sum.add(whole % 100n, fraction, units[2] as Unit);
      return;
    }
    let number = first;
    for (const [i, unit] of units.entries()) {
      this.#add(number, unit);
      const after = this.#text[this.#at] ?? "";
      if (isEnd(after)) return;
      if (after !== by || i === units.length - 1) throw BAD_FORMAT;
      this.#at++;
      number = this.#number();
    }
  }

  #number(): IsoNumber {
    const pattern = /[-.\d](?:\d|\.)*(?:[eE][+-]?\d+)?/y;
    pattern.lastIndex = this.#at;
    const text = pattern.exec(this.#text)?.[0] ?? "";
    const value = Number(text);
    if (text === "" || Number.isNaN(value)) throw BAD_FORMAT;
    if (Math.abs(value) > 1e15) throw this.#sum.overflow();
    this.#at += text.length;
    const whole = Math.trunc(value);
    return { text, whole: BigInt(whole), fraction: value - whole };
  }
}

/**
 * @param range the fields of the modifier: what a number without a unit is.
 * @throws SqlError 22007, 22015, 22008
 */
export function readInterval(
  text: string,
  range: number,
  style: SqlSettings["intervalStyle"],
): Interval {
  const sum = new Sum(text);
  try {
    const fields = splitFields(text, (word) => word !== "p");
    if (fields === undefined || fields.length === 0) throw BAD_FORMAT;
    new VerboseReader(sum, fields, range, style);
    return sum.end();
  } catch (error) {
    if (error !== BAD_FORMAT) throw error;
  }
  const iso = new Sum(text);
  try {
    new IsoReader(iso, text);
  } catch (error) {
    if (error !== BAD_FORMAT) throw error;
    throw new SqlError("22007", `invalid input syntax for type interval: "${text}"`);
  }
  return iso.end();
}
