import { SqlError } from "../error.ts";
import {
  type Civil,
  civilOf,
  daysOf,
  isLeap,
  isoWeekStart,
  JULIAN_EPOCH,
  monthLength,
} from "../types/calendar.ts";
import { dateTemplate, MONTHS, ROMAN_MONTHS, WEEKDAYS } from "./date-template.ts";
import type { TemplateNode } from "./template.ts";

/** What a text says of a moment, read by a template. Years before 1 are counted from 0 down. */
export interface ReadDate extends Civil {
  /** Microseconds of the day. */
  readonly time: number;
  /** Digits of the second that `FF1` to `FF6` ask for. */
  readonly precision: number | undefined;
  /** Seconds east of UTC, where the text has a zone. */
  readonly offset: number | undefined;
}

type Field = Extract<TemplateNode, { readonly kind: "field" }>;

const INT4_MAX = 2_147_483_647;
const MAX_ZONE_HOURS = 15;
const SPACE = /[ \t\n\r\v\f]/;
const SEPARATOR = /[!-/:-@[-`{-~]/;
/** Fields that a number without a separator may follow: then each has its own width. */
const NUMERIC = new RegExp(
  "^(?:CC|D{1,3}|FF[1-6]|HH(?:12|24)?|I(?:DDD|D|W|Y{0,3})|J|MI|MM|MS|Q|SS|S{4,5}|US|W{1,2}" +
    "|Y,YYY|Y{1,4})$",
);
/** Characters that a field takes where a number follows it. */
const WIDTHS: Readonly<Record<string, number>> = {
  HH: 2,
  HH12: 2,
  HH24: 2,
  MS: 3,
  US: 6,
  IDDD: 3,
  ID: 1,
  TZH: 2,
  TZM: 2,
  SSSSS: 5,
  DDD: 3,
  IW: 2,
};
const ISO = /^I/;
const GREGORIAN = /^(?:CC|DAY|DDD|DD|DY|D|J|MM|MONTH|MON|RM|W|WW|Y,YYY|Y{1,4}|A\.?D\.?|B\.?C\.?)$/;

type Place =
  | "hour"
  | "minute"
  | "second"
  | "milli"
  | "micro"
  | "secondOfDay"
  | "zoneHour"
  | "zoneMinute"
  | "month"
  | "day"
  | "weekday"
  | "dayOfYear"
  | "week"
  | "weekOfMonth"
  | "century"
  | "year"
  | "julian";

/** Where the number of a field goes. */
const PLACES: Readonly<Record<string, Place>> = {
  HH: "hour",
  HH12: "hour",
  HH24: "hour",
  MI: "minute",
  SS: "second",
  SSSS: "secondOfDay",
  SSSSS: "secondOfDay",
  MM: "month",
  DD: "day",
  D: "weekday",
  DDD: "dayOfYear",
  IDDD: "dayOfYear",
  WW: "week",
  IW: "week",
  W: "weekOfMonth",
  CC: "century",
  J: "julian",
};

function invalid(message: string, detail?: string, hint?: string): SqlError {
  return new SqlError("22007", message, {
    ...(detail !== undefined && { detail }),
    ...(hint !== undefined && { hint }),
  });
}

function overflow(text: string): SqlError {
  return new SqlError("22008", `date/time field value out of range: "${text}"`);
}

class Reader {
  readonly text: string;
  readonly nodes: readonly TemplateNode[];
  readonly values = new Map<Place, number>();
  at = 0;
  isFixed = false;
  /** Characters that were skipped beyond those of the template. */
  extra = 0;
  isTwelve = false;
  isPm: boolean | undefined;
  isBc: boolean | undefined;
  convention: "iso" | "gregorian" | undefined;
  precision: number | undefined;
  yearDigits = 0;
  zoneSign: 1 | -1 | undefined;

  constructor(text: string, template: string) {
    this.text = text;
    this.nodes = dateTemplate(template);
  }

  read(): void {
    for (const [i, node] of this.nodes.entries()) {
      if (this.at >= this.text.length) return;
      const isField = node.kind === "field";
      const isMode = isField && node.text.toUpperCase() === "FX";
      if (!this.isFixed && !isMode && (isField || i === 0)) this.#spaces();
      if (node.kind === "space" || node.kind === "separator") this.#separator();
      else if (node.kind === "character") this.#character();
      else {
        this.#field(node as Field, i);
        if (!this.isFixed) {
          this.extra = 0;
          this.#spaces();
        }
      }
    }
  }

  #spaces(): void {
    while (SPACE.test(this.text[this.at] ?? "")) {
      this.at++;
      this.extra++;
    }
  }

  #separator(): void {
    const next = this.text[this.at] ?? "";
    if (this.isFixed) this.#skip();
    else {
      this.extra--;
      if (SPACE.test(next) || SEPARATOR.test(next)) {
        this.at++;
        this.extra++;
      }
    }
  }

  #character(): void {
    if (!this.isFixed && this.extra > 0) this.extra--;
    else this.#skip();
  }

  #skip(): void {
    this.at += String.fromCodePoint(this.text.codePointAt(this.at) ?? 0).length;
  }

  #set(place: Place, value: number, field: string): void {
    const known = this.values.get(place) ?? 0;
    if (known !== 0 && known !== value) throw this.#conflict(field);
    this.values.set(place, value);
  }

  #conflict(field: string): SqlError {
    const message = `conflicting values for "${field}" field in formatting string`;
    return invalid(message, "This value contradicts a previous setting for the same field type.");
  }

  #field(field: Field, index: number): void {
    const name = field.text.toUpperCase();
    const convention = ISO.test(name) ? "iso" : GREGORIAN.test(name) ? "gregorian" : undefined;
    if (convention !== undefined && (this.convention ?? convention) !== convention) {
      const hint = "Do not mix Gregorian and ISO week date conventions in a formatting template.";
      throw invalid("invalid combination of date conventions", undefined, hint);
    }
    this.convention ??= convention;
    if (name === "FX") this.isFixed = true;
    else if (name === "TZ" || name === "OF") {
      throw new SqlError("0A000", `formatting field "${field.text}" is only supported in to_char`);
    } else if (name === "TZH" || name === "TZM") this.#zone(field, name, index);
    else if (!this.#word(field, name)) this.#number(field, name, index);
  }

  #zone(field: Field, name: "TZH" | "TZM", index: number): void {
    if (name === "TZH") {
      const next = this.text[this.at] ?? "";
      const before = this.text[this.at - 1];
      if (next !== "" && "+- ".includes(next)) {
        this.zoneSign = next === "-" ? -1 : 1;
        this.at++;
      } else this.zoneSign = this.extra > 0 && before === "-" ? -1 : 1;
    } else this.zoneSign ??= 1;
    const { value } = this.#integer(field, index, 2);
    this.#set(name === "TZH" ? "zoneHour" : "zoneMinute", value, field.text);
  }

  /** A field that is a word. */
  #word(field: Field, name: string): boolean {
    const among = (words: readonly string[]): number => this.#among(words, field.text);
    switch (name) {
      case "AM":
      case "PM":
      case "A.M.":
      case "P.M.": {
        const words = name.includes(".") ? ["a.m.", "p.m."] : ["am", "pm"];
        const isPm = among(words) === 1;
        if (this.isPm === true && !isPm) throw this.#conflict(field.text);
        this.isPm = isPm;
        this.isTwelve = true;
        return true;
      }
      case "AD":
      case "BC":
      case "A.D.":
      case "B.C.": {
        const words = name.includes(".") ? ["a.d.", "b.c."] : ["ad", "bc"];
        const isBc = among(words) === 1;
        if (this.isBc === true && !isBc) throw this.#conflict(field.text);
        this.isBc = isBc;
        return true;
      }
      case "MONTH":
        this.#set("month", among(MONTHS) + 1, field.text);
        return true;
      case "MON":
        this.#set("month", among(MONTHS.map((word) => word.slice(0, 3))) + 1, field.text);
        return true;
      case "DAY":
        this.#set("weekday", among(WEEKDAYS) + 1, field.text);
        return true;
      case "DY":
        this.#set("weekday", among(WEEKDAYS.map((word) => word.slice(0, 3))) + 1, field.text);
        return true;
      case "RM": {
        // From December on, so that `I` does not hide `II`.
        const index = among([...ROMAN_MONTHS].reverse());
        this.#set("month", ROMAN_MONTHS.length - index, field.text);
        return true;
      }
      default:
        return false;
    }
  }

  #among(words: readonly string[], field: string): number {
    const rest = this.text.slice(this.at).toLowerCase();
    const index = words.findIndex((word) => rest.startsWith(word.toLowerCase()));
    if (index < 0) {
      const [shown = ""] = this.text.slice(this.at).split(SPACE, 1);
      const detail = "The given value did not match any of the allowed values for this field.";
      throw invalid(`invalid value "${shown}" for "${field}"`, detail);
    }
    this.at += (words[index] as string).length;
    return index;
  }

  #number(field: Field, name: string, index: number): void {
    if (name === "Y,YYY") this.#thousands(field);
    else if (/^I?Y{0,4}$/.test(name)) this.#year(field, name, index);
    else {
      const fraction = /^FF([1-6])$/.exec(name);
      if (fraction !== null) this.precision = Number(fraction[1]);
      const isMicro = fraction !== null || name === "US";
      const width = fraction === null ? (WIDTHS[name] ?? name.length) : Number(fraction[1]);
      const { value, length } = this.#integer(field, index, width);
      if (isMicro) this.#set("micro", value * 10 ** Math.max(6 - length, 0), field.text);
      else if (name === "MS") this.#set("milli", value * 10 ** Math.max(3 - length, 0), field.text);
      else if (name === "ID") this.#set("weekday", value + 1 > 7 ? 1 : value + 1, field.text);
      else if (name !== "Q") {
        if (name === "HH" || name === "HH12") this.isTwelve = true;
        const place = PLACES[name];
        if (place !== undefined) this.#set(place, value, field.text);
      }
    }
    if (field.ordinal !== undefined) this.at += 2;
  }

  #thousands(field: Field): void {
    const pattern = /\s*([+-]?\d+),\s*([+-]?\d{1,3})/y;
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found === null) throw invalid('invalid input string for "Y,YYY"');
    this.at += found[0].length;
    this.#set("year", Number(found[1]) * 1_000 + Number(found[2]), field.text);
    this.yearDigits = 4;
  }

  #year(field: Field, name: string, index: number): void {
    const digits = name.length;
    const { value, length } = this.#integer(field, index, digits);
    this.#set("year", digits < 4 && length < 4 ? fullYear(value) : value, field.text);
    this.yearDigits = digits;
  }

  /** A whole number: of `width` characters where another number follows, else all there are. */
  #integer(
    field: Field,
    index: number,
    width: number,
  ): { readonly value: number; readonly length: number } {
    const from = this.at;
    const blanks = /\s*/y;
    blanks.lastIndex = from;
    const start = from + (blanks.exec(this.text)?.[0].length ?? 0);
    const piece = this.text.slice(start, start + width);
    const isFree = field.isFilled || this.#endsHere(field, index);
    const number = /^\s*[+-]?\d+/.exec(isFree ? this.text.slice(start) : piece)?.[0] ?? "";
    if (!isFree) {
      const hint = 'If your source string is not fixed-width, try using the "FM" modifier.';
      if (piece.length < width) {
        const message = `source string too short for "${field.text}" formatting field`;
        const detail = `Field requires ${width} characters, but only ${piece.length} remain.`;
        throw invalid(message, detail, hint);
      }
      if (number.length > 0 && number.length < width) {
        const message = `invalid value "${piece}" for "${field.text}"`;
        const parsed = `but only ${number.length} could be parsed.`;
        throw invalid(message, `Field requires ${width} characters, ${parsed}`, hint);
      }
    }
    if (number === "") {
      const message = `invalid value "${piece}" for "${field.text}"`;
      throw invalid(message, "Value must be an integer.");
    }
    const value = Number(number);
    if (Math.abs(value) > INT4_MAX) {
      const message = `value for "${field.text}" in source string is out of range`;
      throw new SqlError("22008", message);
    }
    this.at = start + number.length;
    return { value: value || 0, length: this.at - from };
  }

  /** Whether what follows a field is not a digit. */
  #endsHere(field: Field, index: number): boolean {
    if (field.ordinal !== undefined) return true;
    const next = this.nodes[index + 1];
    if (next === undefined) return true;
    if (next.kind === "field") return !NUMERIC.test(next.text.toUpperCase());
    return !/^\d$/.test(next.text);
  }
}

/** Years of few digits are those next to 2020. */
function fullYear(year: number): number {
  if (year < 70) return year + 2_000;
  if (year < 100) return year + 1_900;
  if (year < 520) return year + 2_000;
  return year < 1_000 ? year + 1_000 : year;
}

/** Reads a date and a time by a template. @throws SqlError 22007, 22008. */
export function dateFromChar(text: string, template: string): ReadDate {
  const reader = new Reader(text, template);
  reader.read();
  const value = (place: Place): number => reader.values.get(place) ?? 0;
  const time = timeOf(reader, value, text);
  const date = dateOf(reader, value, text);
  let offset: number | undefined;
  if (reader.zoneSign !== undefined) {
    const [hours, minutes] = [value("zoneHour"), value("zoneMinute")];
    if (hours < 0 || hours > MAX_ZONE_HOURS || minutes < 0 || minutes > 59) {
      throw new SqlError("22009", `time zone displacement out of range: "${text}"`);
    }
    offset = reader.zoneSign * (hours * 3_600 + minutes * 60);
  }
  return { ...date, time, precision: reader.precision, offset };
}

type ValueOf = (place: Place) => number;

function timeOf({ isTwelve, isPm = false }: Reader, value: ValueOf, text: string): number {
  const seconds = value("secondOfDay");
  let hour = value("hour") || Math.trunc(seconds / 3_600);
  const minute = value("minute") || Math.trunc((seconds % 3_600) / 60);
  const second = value("second") || seconds % 60;
  if (isTwelve) {
    if (hour < 1 || hour > 12) {
      const hint = "Use the 24-hour clock, or give an hour between 1 and 12.";
      throw invalid(`hour "${hour}" is invalid for the 12-hour clock`, undefined, hint);
    }
    if (isPm && hour < 12) hour += 12;
    else if (!isPm && hour === 12) hour = 0;
  }
  const micros = value("milli") * 1_000 + value("micro");
  const isWithin = (part: number, end: number): boolean => part >= 0 && part < end;
  if (!isWithin(hour, 24) || !isWithin(minute, 60) || !isWithin(second, 60)) throw overflow(text);
  if (!isWithin(micros, 1_000_000)) throw overflow(text);
  return (hour * 3_600 + minute * 60 + second) * 1_000_000 + micros;
}

/** A year that the text gives; 0 where it gives none. */
function yearOf({ isBc = false, yearDigits }: Reader, value: ValueOf): number | undefined {
  const year = value("year");
  const century = isBc ? -value("century") : value("century");
  if (year === 0 && century === 0) return undefined;
  if (year === 0) return century >= 0 ? (century - 1) * 100 + 1 : century * 100 + 1;
  if (century === 0 || yearDigits > 2) {
    const signed = isBc ? -year : year;
    return signed < 0 ? signed + 1 : signed;
  }
  const last = year % 100;
  if (last === 0) return century * 100 + (century >= 0 ? 0 : 1);
  return century >= 0 ? (century - 1) * 100 + last : (century + 1) * 100 - last + 1;
}

function dateOf(reader: Reader, value: ValueOf, text: string): Civil {
  const given = yearOf(reader, value);
  let date: Civil = { year: given ?? 0, month: 1, day: 1 };
  const isIso = reader.convention === "iso";
  let hasDate = given !== undefined;
  if (value("julian") !== 0) date = civilOf(value("julian") - JULIAN_EPOCH);
  let dayOfYear = value("dayOfYear");
  const week = value("week");
  if (week !== 0 && isIso) {
    const start = isoWeekStart(date.year, week);
    const day = value("weekday");
    // Sunday is the last day of its week.
    date = civilOf(day === 0 ? start : day > 1 ? start + day - 2 : start + 6);
  } else if (week !== 0) dayOfYear = (week - 1) * 7 + 1;
  const weekOfMonth = value("weekOfMonth");
  const day = weekOfMonth === 0 ? value("day") : (weekOfMonth - 1) * 7 + 1;
  const month = value("month");
  hasDate ||= value("julian") !== 0 || (week !== 0 && isIso) || day !== 0 || month !== 0;
  date = { year: date.year, month: month || date.month, day: day || date.day };
  if (dayOfYear !== 0 && (date.month <= 1 || date.day <= 1)) {
    if (date.year === 0 && reader.isBc !== true) {
      throw invalid("cannot calculate day of year without year information");
    }
    date = isIso
      ? civilOf(isoWeekStart(date.year, 1) - 1 + dayOfYear)
      : onDay(date, dayOfYear, month, day);
    hasDate = true;
  }
  if (!hasDate) return date;
  const isWithin = date.day >= 1 && date.day <= monthLength(date.year, date.month);
  const isMonth = date.month >= 1 && date.month <= 12;
  if (!isMonth || !isWithin) throw overflow(text);
  return date;
}

/** The month and the day of a day of the year, where the text does not give them. */
function onDay(date: Civil, dayOfYear: number, month: number, day: number): Civil {
  const last = isLeap(date.year) ? 366 : 365;
  const first = daysOf(date.year, 1, 1);
  const isBeyond = dayOfYear > last || dayOfYear < 1;
  const found = civilOf(first + dayOfYear - 1);
  return {
    year: date.year,
    month: month > 1 ? date.month : isBeyond ? 13 : found.month,
    day: day > 1 ? date.day : found.day,
  };
}
