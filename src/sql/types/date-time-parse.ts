import { SqlError } from "../error.ts";
import { civilOf, daysOf, JULIAN_EPOCH, MICROS_PER_DAY, monthLength } from "./calendar.ts";
import type { SqlContext } from "./context.ts";
import { type Field, splitFields } from "./date-time-fields.ts";
import { abbreviation } from "./zone-abbreviations.ts";
import { abbreviatedZone, namedZone, parseOffset, posixZone, type Zone } from "./zones.ts";

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const MONTH_NAMES: readonly string[] = [
  "january",
  "february",
  "march",
  "april",
  "may",
  "june",
  "july",
  "august",
  "september",
  "october",
  "november",
  "december",
];
const DAYS = new RegExp(
  "^(?:sun(?:day)?|mon(?:day)?|tue(?:s|sday)?|wed(?:nesday|s)?|thu(?:r|rs|rsday)?|" +
    "fri(?:day)?|sat(?:urday)?)$",
);
const SPECIAL = /^(?:now|today|tomorrow|yesterday|epoch|infinity|allballs)$/;

function monthOf(word: string): number {
  const short = MONTHS.indexOf(word);
  if (short >= 0) return short + 1;
  return word === "sept" ? 9 : MONTH_NAMES.indexOf(word) + 1;
}

function isKeyword(word: string): boolean {
  return (
    monthOf(word) > 0 ||
    DAYS.test(word) ||
    SPECIAL.test(word) ||
    /^(?:am|pm|ad|bc|t|j|jd|z|zulu|on|at|h|m|s|d|y|mm|allballs|dst)$/.test(word)
  );
}

/** What a text says: the parts that it names. Offsets are seconds east. */
export interface Parsed {
  year?: number;
  month?: number;
  day?: number;
  /** Microseconds of the day; 24:00 is a whole day. */
  time?: number;
  offset?: number;
  zone?: Zone;
  special?: string;
}

/** Which type reads the text, for its errors. */
export type DateTimeType =
  | "date"
  | "time"
  | "time with time zone"
  | "timestamp"
  | "timestamp with time zone";

class Reader {
  readonly parsed: Parsed = {};
  readonly text: string;
  readonly type: DateTimeType;
  readonly order: SqlContext["settings"]["dateOrder"];
  hasTextMonth = false;
  needsDay = false;
  isShortYear = false;
  isBc = false;
  half: "am" | "pm" | undefined;
  /** What a letter before a number makes of it: a Julian day or a time. */
  prefix: "julian" | "time" | undefined;

  constructor(text: string, type: DateTimeType, order: SqlContext["settings"]["dateOrder"]) {
    this.text = text;
    this.type = type;
    this.order = order;
  }

  syntax(): SqlError {
    return new SqlError("22007", `invalid input syntax for type ${this.type}: "${this.text}"`);
  }

  overflow(): SqlError {
    return new SqlError("22008", `date/time field value out of range: "${this.text}"`);
  }

  get isClock(): boolean {
    return this.type === "time" || this.type === "time with time zone";
  }

  get hasDate(): boolean {
    const { year, month, day } = this.parsed;
    return year !== undefined && month !== undefined && day !== undefined;
  }

  field(field: Field): void {
    const { parsed } = this;
    switch (field.kind) {
      case "time":
        if (parsed.time !== undefined) throw this.syntax();
        if (this.prefix === "julian") throw this.syntax();
        this.prefix = undefined;
        this.clock(field.text);
        return;
      case "zone":
        if (parsed.offset !== undefined || parsed.zone !== undefined) throw this.syntax();
        // A clock takes a date only before its time: the date was wrong, whatever the zone is.
        if (this.isClock && this.hasDate && parsed.time === undefined) throw this.syntax();
        parsed.offset = parseOffset(field.text) ?? this.fail();
        return;
      case "date":
        this.date(field.text);
        return;
      case "number":
        this.number(field.text);
        return;
      default:
        this.word(field.text);
    }
  }

  fail(): never {
    throw this.syntax();
  }

  date(text: string): void {
    const { parsed } = this;
    const hasDay = parsed.month !== undefined && parsed.day !== undefined;
    if (hasDay || this.prefix !== undefined) {
      if (/^\d/.test(text)) {
        const cut = text.indexOf("-");
        if (cut < 0 || parsed.offset !== undefined) throw this.syntax();
        this.prefix = undefined;
        parsed.offset = parseOffset(text.slice(cut)) ?? this.fail();
        this.joined(text.slice(0, cut));
        return;
      }
      if (this.prefix !== undefined) throw this.syntax();
      this.zone(text);
      return;
    }
    if (/^[a-z]/.test(text) && !/^[a-z]+[-/.]?\d/.test(text) && namedZone(text)) {
      this.zone(text);
      return;
    }
    this.dateParts(text);
  }

  dateParts(text: string): void {
    const parts = text.match(/\d+|[a-z]+/g) ?? [];
    if (parts.length === 0 || parts.length > 3 || /[^\da-z./-]/.test(text)) throw this.syntax();
    const words = parts.filter((part) => /^[a-z]/.test(part));
    for (const name of words) {
      const month = monthOf(name);
      if (month === 0) {
        if (DAYS.test(name)) continue;
        throw this.syntax();
      }
      if (this.parsed.month !== undefined) throw this.syntax();
      this.parsed.month = month;
      this.hasTextMonth = true;
    }
    for (const part of parts) if (/^\d/.test(part)) this.plain(part);
    if (!this.hasDate) throw this.syntax();
  }

  number(text: string): void {
    const { parsed } = this;
    if (this.prefix === "julian") {
      this.prefix = undefined;
      const [days = "", fraction] = text.split(".");
      if (fraction !== undefined) throw new SqlError("0A000", "a fractional Julian day");
      const civil = civilOf(Number(days) - JULIAN_EPOCH);
      Object.assign(parsed, civil);
      return;
    }
    if (this.prefix === "time") {
      this.prefix = undefined;
      if (!this.timeDigits(text)) throw this.syntax();
      return;
    }
    const point = text.indexOf(".");
    const hasPart = parsed.month !== undefined || parsed.day !== undefined;
    if (point >= 0 && !this.hasDate && !hasPart) {
      this.yearAndDay(text);
    } else if (point > 2) this.joined(text);
    else if (text.length < 6 || ((this.hasDate || hasPart) && parsed.time !== undefined)) {
      this.plain(text);
    } else this.joined(text);
  }

  /** `2020.123`: a year and a day of it. */
  yearAndDay(text: string): void {
    const [year = "", day = ""] = text.split(".");
    if (year.length < 3) throw this.syntax();
    this.plain(year);
    this.plain(day);
  }

  /** Digits without separators: `yyyymmdd`, or `hhmmss` once there is a date. */
  joined(text: string): void {
    const { parsed } = this;
    const isTime = this.type.startsWith("time ") || this.type === "time";
    if (!isTime && !text.includes(".") && !this.hasDate && text.length >= 6) {
      if (parsed.year !== undefined || parsed.month !== undefined) throw this.syntax();
      parsed.day = Number(text.slice(-2));
      parsed.month = Number(text.slice(-4, -2));
      parsed.year = Number(text.slice(0, -4));
      this.isShortYear = text.length === 6;
      return;
    }
    if (!this.timeDigits(text)) throw this.syntax();
  }

  timeDigits(text: string): boolean {
    const found = /^(\d\d)(\d\d)(\d\d)?(\.\d*)?$/.exec(text);
    if (found === null || this.parsed.time !== undefined) return false;
    const [, hours, minutes, seconds = "00", fraction = ""] = found;
    this.clock(`${hours}:${minutes}:${seconds}${fraction}`);
    return true;
  }

  /** A number whose place decides what it is, as PostgreSQL's `DecodeNumber`. */
  plain(text: string): void {
    const { parsed, order } = this;
    const value = Number(text);
    if (!Number.isSafeInteger(value) || value > 2_147_483_647) throw this.overflow();
    const { year, month, day } = parsed;
    const isLong = text.length >= 3;
    if (text.length === 3 && year !== undefined && month === undefined && day === undefined) {
      if (value >= 1 && value <= 366) {
        const civil = civilOf(daysOf(this.isBc ? 1 - year : year, 1, 1) + value - 1);
        Object.assign(parsed, { month: civil.month, day: civil.day, year: civil.year });
        return;
      }
    }
    const asYear = (): void => {
      parsed.year = value;
      this.isShortYear = text.length <= 2;
    };
    if (year === undefined && month === undefined && day === undefined) {
      if (isLong || order === "YMD") asYear();
      else if (order === "DMY") parsed.day = value;
      else parsed.month = value;
    } else if (month === undefined) {
      if (year !== undefined || day !== undefined) parsed.month = value;
    } else if (year === undefined && day === undefined) {
      if (this.hasTextMonth && (isLong || order === "YMD")) asYear();
      else parsed.day = value;
    } else if (day === undefined) {
      if (this.hasTextMonth && isLong && this.isShortYear) {
        parsed.day = year as number;
        asYear();
        this.isShortYear = false;
      } else parsed.day = value;
    } else if (year === undefined) asYear();
    else if (!this.timeDigits(text)) throw this.syntax();
  }

  clock(text: string): void {
    const found = /^(\d+):(\d+)(?::(\d+))?(\.\d*)?$/.exec(text);
    if (found === null) throw this.syntax();
    let [, hours = "0", minutes = "0", seconds, fraction = ""] = found;
    if (seconds === undefined && fraction !== "") {
      // `mm:ss.fff`
      [hours, minutes, seconds] = ["0", hours, minutes];
    }
    const [h, m, s] = [Number(hours), Number(minutes), Number(seconds ?? 0)];
    const part = Math.round(Number(fraction === "." || fraction === "" ? "0" : fraction) * 1e6);
    const isOver = h > 24 || m > 59 || s > 60 || (h === 24 && (m > 0 || s > 0 || part > 0));
    if (isOver) throw this.overflow();
    this.parsed.time = (h * 3_600 + m * 60 + s) * 1_000_000 + part;
  }

  word(word: string): void {
    const { parsed } = this;
    if (SPECIAL.test(word.replace(/^[+-]/, ""))) {
      if (parsed.special !== undefined) throw this.syntax();
      const isSigned = word.startsWith("-") || word.startsWith("+");
      if (isSigned && !word.endsWith("infinity")) throw this.syntax();
      parsed.special = word.replace("+", "");
      return;
    }
    const month = monthOf(word);
    if (month > 0) {
      if (parsed.month !== undefined) {
        // `8 Jan 1999`: the number before it was the day.
        if (this.hasTextMonth || parsed.day !== undefined || parsed.month > 31) throw this.syntax();
        parsed.day = parsed.month;
      }
      parsed.month = month;
      this.hasTextMonth = true;
      return;
    }
    if (DAYS.test(word) || word === "on" || word === "at") return;
    if (word === "am" || word === "pm") this.half = word;
    else if (word === "bc" || word === "ad") this.isBc = word === "bc";
    else if (word === "t") {
      const isTime = this.type.startsWith("time ") || this.type === "time";
      if (parsed.time !== undefined || (isTime && this.hasDate)) throw this.syntax();
      this.prefix = "time";
    } else if (word === "j" || word === "jd" || word === "julian") this.prefix = "julian";
    else this.zone(word);
  }

  zone(word: string): void {
    const { parsed } = this;
    if (parsed.offset !== undefined || parsed.zone !== undefined) throw this.syntax();
    const offset = abbreviation(word);
    if (typeof offset === "number") {
      parsed.offset = offset;
      return;
    }
    const named = abbreviatedZone(word) === undefined ? namedZone(word) : undefined;
    // What such a zone says depends on the day.
    this.needsDay ||= named !== undefined && word.includes("/");
    const zone = abbreviatedZone(word) ?? named ?? posixZone(word);
    if (zone !== undefined) parsed.zone = zone;
    else if (word.includes("/")) {
      throw new SqlError("22023", `time zone "${word}" not recognized`);
    } else throw this.syntax();
  }

  /** Two digits of a year mean 1970 to 2069; AM, PM and BC are applied; the day must exist. */
  end(): void {
    const { parsed } = this;
    if (this.prefix !== undefined) throw this.syntax();
    const isPartial = parsed.day !== undefined || parsed.month !== undefined;
    const isClock = this.type.startsWith("time ") || this.type === "time";
    if (isClock && (parsed.time === undefined || (isPartial && !this.hasDate))) {
      if (parsed.special === undefined) throw this.syntax();
    }
    if (isClock && this.needsDay && !isPartial) throw this.syntax();
    if (this.type === "time" && (parsed.time ?? 0) > MICROS_PER_DAY) throw this.overflow();
    if (parsed.time !== undefined && this.half !== undefined) {
      const hour = Math.floor(parsed.time / 3_600_000_000);
      if (hour > 12) throw this.overflow();
      if (this.half === "pm" && hour !== 12) parsed.time += 43_200_000_000;
      else if (this.half === "am" && hour === 12) parsed.time -= 43_200_000_000;
    }
    if (parsed.year !== undefined) {
      if (this.isBc) {
        if (parsed.year <= 0) throw this.overflow();
        parsed.year = 1 - parsed.year;
      } else if (this.isShortYear) parsed.year += parsed.year < 70 ? 2_000 : 1_900;
      else if (parsed.year === 0) throw this.overflow();
    }
    const { year, month, day } = parsed;
    if (month !== undefined && (month < 1 || month > 12)) throw this.overflow();
    if (day !== undefined && (day < 1 || day > 31)) throw this.overflow();
    if (year !== undefined && month !== undefined && day !== undefined) {
      if (day > monthLength(year, month)) throw this.overflow();
    }
  }
}

/**
 * Reads what PostgreSQL reads as a date or time.
 *
 * @throws SqlError 22007, 22008, 22009, 22023.
 */
export function parseDateTime(text: string, type: DateTimeType, context: SqlContext): Parsed {
  const reader = new Reader(text, type, context.settings.dateOrder);
  const fields = splitFields(text, isKeyword);
  if (fields === undefined || fields.length === 0) throw reader.syntax();
  for (const field of fields) reader.field(field);
  reader.end();
  return reader.parsed;
}
