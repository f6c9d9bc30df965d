import { notSupported, SqlError } from "../error.ts";
import {
  type Civil,
  civilOf,
  daysOf,
  isoWeek,
  isoWeekStart,
  JULIAN_EPOCH,
  weekday,
} from "../types/calendar.ts";
import { dateTemplate, MONTHS, ROMAN_MONTHS, WEEKDAYS } from "./date-template.ts";
import { ordinalOf, type TemplateNode } from "./template.ts";

/** A moment or a span, split into fields. Years before 1 are counted from 0 down. */
export interface DateFields extends Civil {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly micros: number;
  /** Of a span: years and months need not be those of a calendar. */
  readonly isInterval: boolean;
  /** Seconds east of UTC, where the value has a zone. */
  readonly offset?: number | undefined;
  readonly zone?: string | undefined;
}

type Field = Extract<TemplateNode, { readonly kind: "field" }>;

/** As C's `%0*d`: the sign counts. */
function padded(value: number, width: number): string {
  const digits = String(Math.abs(value));
  return value < 0 ? `-${digits.padStart(width - 1, "0")}` : digits.padStart(width, "0");
}

const DIGITS: Readonly<Record<string, (at: DateFields) => number | undefined>> = {
  HH: ({ hour }) => hour % 12 || 12,
  HH12: ({ hour }) => hour % 12 || 12,
  HH24: ({ hour }) => hour,
  MI: ({ minute }) => minute,
  SS: ({ second }) => second,
  MM: ({ month }) => month,
  DD: ({ day }) => day,
  WW: (at) => Math.trunc((dayOfYear(at) - 1) / 7) + 1,
  IW: (at) => isoWeek(dayNumber(at)).week,
};

/** Numbers without a width of their own. */
const PLAIN: Readonly<Record<string, (at: DateFields) => number | undefined>> = {
  SSSS: ({ hour, minute, second }) => hour * 3_600 + minute * 60 + second,
  SSSSS: ({ hour, minute, second }) => hour * 3_600 + minute * 60 + second,
  D: (at) => weekday(dayNumber(at)) + 1,
  ID: (at) => weekday(dayNumber(at)) || 7,
  W: ({ day }) => Math.trunc((day - 1) / 7) + 1,
  Q: ({ month }) => (month === 0 ? undefined : Math.trunc((month - 1) / 3) + 1),
  J: (at) => dayNumber(at) + JULIAN_EPOCH,
};

/** Digits of a year that are shown. */
const YEAR_DIGITS: Readonly<Record<string, number>> = { YYYY: 4, YYY: 3, YY: 2, Y: 1 };
const CALENDAR_ONLY = /^(?:MONTH|MON|DAY|DY|D|TZ|TZH|TZM|OF|A\.?D\.?|B\.?C\.?)$/;

function dayNumber({ year, month, day, isInterval }: DateFields): number {
  if (isInterval) throw notSupported("weeks and days of the week of an interval in to_char");
  return daysOf(year, month, day);
}

function dayOfYear({ year, month, day, isInterval }: DateFields): number {
  if (isInterval) return (year * 12 + month) * 30 + day;
  return daysOf(year, month, day) - daysOf(year, 1, 1) + 1;
}

/** Writes a value by a template. */
export function dateToChar(at: DateFields, template: string): string {
  let text = "";
  for (const node of dateTemplate(template)) {
    text += node.kind === "field" ? fieldText(at, node) : node.text;
  }
  return text;
}

function fieldText(at: DateFields, field: Field): string {
  const name = field.text.toUpperCase();
  if (at.isInterval && CALENDAR_ONLY.test(name)) {
    throw new SqlError("22007", "invalid format specification for an interval value", {
      hint: "Intervals are not tied to specific calendar dates.",
    });
  }
  const number = numberText(at, name, field);
  if (number !== undefined) {
    return number === "" || field.ordinal === undefined
      ? number
      : number + ordinalOf(number, field.ordinal);
  }
  return wordText(at, name, field);
}

/** A field that is a number; "" where it has nothing to show. */
function numberText(at: DateFields, name: string, { isFilled }: Field): string | undefined {
  const digits = DIGITS[name];
  if (digits !== undefined) {
    const value = digits(at) ?? 0;
    // The sign of a day or week takes the place of a digit.
    const width = value >= 0 || name === "DD" || name === "WW" ? 2 : 3;
    return padded(value, isFilled ? 0 : width);
  }
  const plain = PLAIN[name];
  if (plain !== undefined) return String(plain(at) ?? "");
  const fraction = /^FF([1-6])$/.exec(name);
  if (fraction !== null) return micros(at, Number(fraction[1]));
  if (name === "MS") return micros(at, 3);
  if (name === "US") return micros(at, 6);
  if (name === "DDD") return padded(dayOfYear(at), isFilled ? 0 : 3);
  if (name === "IDDD") {
    const day = dayNumber(at);
    const first = isoWeekStart(isoWeek(day).year, 1);
    return padded(day - first + 1, isFilled ? 0 : 3);
  }
  if (name === "CC") return centuryText(at, isFilled);
  return yearText(at, name, isFilled);
}

function micros(at: DateFields, digits: number): string {
  return padded(Math.trunc(at.micros / 10 ** (6 - digits)) || 0, digits);
}

function centuryText({ year, isInterval }: DateFields, isFilled: boolean): string {
  const century = isInterval
    ? Math.trunc(year / 100)
    : year > 0
      ? Math.trunc((year - 1) / 100) + 1
      : Math.trunc(year / 100) - 1;
  if (century > 99 || century < -99) return String(century);
  return padded(century, isFilled ? 0 : century >= 0 ? 2 : 3);
}

function yearText(at: DateFields, name: string, isFilled: boolean): string | undefined {
  const isIso = /^I?Y*$/.test(name) && name.startsWith("I");
  const digits = isIso ? Math.max(name.length, 1) : name === "Y,YYY" ? 0 : YEAR_DIGITS[name];
  if (digits === undefined) return undefined;
  const calendar = isIso ? isoWeek(dayNumber(at)).year : at.year;
  const year = at.isInterval || calendar > 0 ? calendar : 1 - calendar;
  if (digits === 0) {
    const thousands = Math.trunc(year / 1_000);
    return `${thousands},${padded(year - thousands * 1_000, 3)}`;
  }
  if (digits === 1) return String(year % 10);
  const shown = digits === 4 ? year : year % 10 ** digits;
  return padded(shown, isFilled ? 0 : year >= 0 ? digits : digits + 1);
}

/** Words in the case of their keyword, filled up with blanks to the longest one. */
function wordText(at: DateFields, name: string, field: Field): string {
  const { text, isFilled, isTranslated } = field;
  const isShort = isFilled || isTranslated;
  const { month, year, hour, offset = 0 } = at;
  const cased = (word: string): string =>
    text === name ? word.toUpperCase() : text === text.toLowerCase() ? word.toLowerCase() : word;
  const full = (word: string): string => (isShort ? cased(word) : cased(word).padEnd(9));
  switch (name) {
    case "AM":
    case "PM":
      return cased(hour % 24 >= 12 ? "PM" : "AM");
    case "A.M.":
    case "P.M.":
      return cased(hour % 24 >= 12 ? "P.M." : "A.M.");
    case "AD":
    case "BC":
      return cased(year <= 0 ? "BC" : "AD");
    case "A.D.":
    case "B.C.":
      return cased(year <= 0 ? "B.C." : "A.D.");
    case "MONTH":
      return full(MONTHS[month - 1] ?? "");
    case "MON":
      return cased((MONTHS[month - 1] ?? "").slice(0, 3));
    case "DAY":
      return full(WEEKDAYS[weekday(dayNumber(at))] ?? "");
    case "DY":
      return cased((WEEKDAYS[weekday(dayNumber(at))] ?? "").slice(0, 3));
    case "RM":
      return romanMonth(at, cased, isFilled);
    case "TZ":
      return cased(at.zone ?? "");
    case "TZH":
      return `${offset < 0 ? "-" : "+"}${padded(Math.trunc(Math.abs(offset) / 3_600), 2)}`;
    case "TZM":
      return padded(Math.trunc((Math.abs(offset) % 3_600) / 60), 2);
    case "OF": {
      const minutes = Math.trunc((Math.abs(offset) % 3_600) / 60);
      const hours = padded(Math.trunc(Math.abs(offset) / 3_600), isFilled ? 0 : 2);
      return `${offset < 0 ? "-" : "+"}${hours}${minutes === 0 ? "" : `:${padded(minutes, 2)}`}`;
    }
    // `FX` concerns input alone.
    default:
      return "";
  }
}

function romanMonth(
  { month, year }: DateFields,
  cased: (word: string) => string,
  isFilled: boolean,
): string {
  if (month === 0 && year === 0) return "";
  // The months of a negative span count back from December.
  const index = month === 0 ? (year >= 0 ? 11 : 0) : month < 0 ? 12 + month : month - 1;
  const word = cased(ROMAN_MONTHS[index] ?? "");
  return isFilled ? word : word.padEnd(4);
}

/** The fields of microseconds of local time. */
export function fieldsOf(days: number, time: number): DateFields {
  const seconds = Math.floor(time / 1_000_000);
  return {
    ...civilOf(days),
    hour: Math.floor(seconds / 3_600),
    minute: Math.floor(seconds / 60) % 60,
    second: seconds % 60,
    micros: time - seconds * 1_000_000,
    isInterval: false,
  };
}
