import type { TimeWithZone } from "../../rows/datum.ts";
import { INT64_MAX, INT64_MIN } from "../../rows/datum.ts";
import { invalidBinary, notSupported, SqlError } from "../error.ts";
import { daysOf, joinMicros, MICROS_PER_DAY, monthLength, splitMicros } from "./calendar.ts";
import { order, type TypeCodec } from "./codec.ts";
import type { SqlContext } from "./context.ts";
import { type DateTimeType, type Parsed, parseDateTime } from "./date-time-parse.ts";
import { dateText, timestampText, timeText, timeWithZoneText } from "./date-time-text.ts";
import { type Zone, zoneOf } from "./zones.ts";

/** Days from 1970 to PostgreSQL's own epoch, 2000-01-01. */
const EPOCH_DAYS = 10_957;
const EPOCH_MICROS = 946_684_800_000_000n;
const MIN_DATE: number = daysOf(-4_713, 11, 24);
const END_DATE: number = daysOf(5_874_898, 1, 1);
const MIN_TIMESTAMP: bigint = joinMicros(MIN_DATE, 0);
const END_TIMESTAMP: bigint = joinMicros(daysOf(294_277, 1, 1), 0);

function dateOutOfRange(text?: string): SqlError {
  return new SqlError("22008", `date out of range${text === undefined ? "" : `: "${text}"`}`);
}

export function timestampOutOfRange(text?: string): SqlError {
  return new SqlError("22008", `timestamp out of range${text === undefined ? "" : `: "${text}"`}`);
}

export function checkDate(days: number, text?: string): number {
  if (days < MIN_DATE || days >= END_DATE) throw dateOutOfRange(text);
  return days;
}

/** Firn counts from 1970 in 64 bits: the last 30 years of PostgreSQL's range are beyond. */
export function checkTimestamp(micros: bigint, text?: string): bigint {
  if (micros < MIN_TIMESTAMP || micros >= END_TIMESTAMP) throw timestampOutOfRange(text);
  if (micros >= INT64_MAX) throw notSupported("a timestamp after 294247-01-10");
  return micros;
}

export function isInfinite(micros: bigint): boolean {
  return micros === INT64_MAX || micros === INT64_MIN;
}

/** The zone of the session; names are looked up once. */
export function sessionZone(context: SqlContext): Zone {
  return zoneOf(context.settings.timeZone);
}

/** Microseconds UTC of a local time in a zone. */
export function toUtc(local: bigint, zone: Zone): bigint {
  const { days, time } = splitMicros(local);
  const offset = zone.offsetOfLocal(days * 86_400 + Math.floor(time / 1_000_000));
  return local - BigInt(offset) * 1_000_000n;
}

/** Local microseconds of an instant in a zone. */
export function toLocal(micros: bigint, zone: Zone): bigint {
  return micros + BigInt(offsetAt(micros, zone)) * 1_000_000n;
}

export function offsetAt(micros: bigint, zone: Zone): number {
  const { days, time } = splitMicros(micros);
  return zone.offsetAt(days * 86_400 + Math.floor(time / 1_000_000));
}

function syntax(type: DateTimeType, text: string): SqlError {
  return new SqlError("22007", `invalid input syntax for type ${type}: "${text}"`);
}

/** The day that a special word names. */
function specialDay(parsed: Parsed, context: SqlContext): number | undefined {
  const { special } = parsed;
  if (special === undefined) return undefined;
  const today = splitMicros(toLocal(context.transactionMicros, sessionZone(context))).days;
  if (special === "today" || special === "now") return today;
  if (special === "tomorrow") return today + 1;
  return special === "yesterday" ? today - 1 : undefined;
}

function dayOf(parsed: Parsed, type: DateTimeType, text: string): number {
  const { year, month, day } = parsed;
  if (year === undefined || month === undefined || day === undefined) throw syntax(type, text);
  return daysOf(year, month, day);
}

function inputDate(text: string, _typmod: number, context: SqlContext): number {
  const parsed = parseDateTime(text, "date", context);
  if (parsed.special === "infinity") return Infinity;
  if (parsed.special === "-infinity") return -Infinity;
  if (parsed.special === "epoch") return 0;
  const special = specialDay(parsed, context);
  return special ?? checkDate(dayOf(parsed, "date", text), text);
}

/** Rounds to `precision` digits of the second, half away from zero. */
export function roundMicros(micros: bigint, precision: number): bigint {
  if (precision < 0 || precision >= 6) return micros;
  const unit = 10n ** BigInt(6 - precision);
  const half = unit / 2n;
  return micros >= 0n ? ((micros + half) / unit) * unit : -((-micros + half) / unit) * unit;
}

export function roundTime(micros: number, precision: number): number {
  return Number(roundMicros(BigInt(micros), precision));
}

/** Timestamps round in PostgreSQL's count, which starts in 2000. */
export function roundTimestamp(micros: bigint, precision: number): bigint {
  if (precision < 0 || isInfinite(micros)) return micros;
  return roundMicros(micros - EPOCH_MICROS, precision) + EPOCH_MICROS;
}

function inputTime(text: string, typmod: number, context: SqlContext): number {
  const parsed = parseDateTime(text, "time", context);
  return roundTime(timeOfDay(parsed, "time", text, context), typmod);
}

function timeOfDay(parsed: Parsed, type: DateTimeType, text: string, context: SqlContext): number {
  if (parsed.special === "allballs") return 0;
  if (parsed.special === "now") {
    return splitMicros(toLocal(context.transactionMicros, sessionZone(context))).time;
  }
  if (parsed.special !== undefined || parsed.time === undefined) throw syntax(type, text);
  return parsed.time;
}

function inputTimeWithZone(text: string, typmod: number, context: SqlContext): TimeWithZone {
  const type = "time with time zone";
  const parsed = parseDateTime(text, type, context);
  const micros = roundTime(timeOfDay(parsed, type, text, context), typmod);
  if (parsed.special === "allballs") return { micros, zone: 0 };
  if (parsed.offset !== undefined) return { micros, zone: zoneOfOffset(parsed.offset) };
  const zone = parsed.zone ?? sessionZone(context);
  const { days } = splitMicros(toLocal(context.transactionMicros, zone));
  const day = parsed.year === undefined ? days : dayOf(parsed, type, text);
  const offset = zone.offsetOfLocal(day * 86_400 + Math.floor(micros / 1_000_000));
  return { micros, zone: zoneOfOffset(offset) };
}

/** Seconds west, without a negative zero. */
export function zoneOfOffset(east: number): number {
  return east === 0 ? 0 : -east;
}

function inputLocal(
  parsed: Parsed,
  type: DateTimeType,
  text: string,
  context: SqlContext,
): bigint | undefined {
  switch (parsed.special) {
    case "infinity":
      return INT64_MAX;
    case "-infinity":
      return INT64_MIN;
    case "epoch":
      return 0n;
    case "now":
      return undefined;
    case "allballs":
      throw syntax(type, text);
    default: {
      const day = specialDay(parsed, context) ?? dayOf(parsed, type, text);
      if (day < MIN_DATE - 1) throw timestampOutOfRange(text);
      return joinMicros(day, parsed.time ?? 0);
    }
  }
}

/** A timestamp of the form that programs write: its parts say all, whatever the settings. */
function plainTimestamp(text: string): { local: bigint; offset: number | undefined } | undefined {
  const found = PLAIN.exec(text);
  if (found === null) return undefined;
  const [, year, month, day, hours, minutes, seconds, fraction = "", zone] = found;
  const [y, m, d] = [Number(year), Number(month), Number(day)];
  // What is out of range is for the reader of all forms.
  if (y < 1 || m < 1 || m > 12 || d < 1 || d > monthLength(y, m)) return undefined;
  const [h, min, s] = [Number(hours), Number(minutes), Number(seconds)];
  if (h > 23 || min > 59 || s > 59) return undefined;
  const time = (h * 3_600 + min * 60 + s) * 1_000_000 + Number(fraction.padEnd(6, "0"));
  return { local: joinMicros(daysOf(y, m, d), time), offset: zone === undefined ? undefined : 0 };
}

const PLAIN = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?(Z|[+-]00(?::00)?)?$/;

function inputTimestamp(text: string, typmod: number, context: SqlContext): bigint {
  const plain = plainTimestamp(text);
  if (plain !== undefined) return roundTimestamp(plain.local, typmod);
  const parsed = parseDateTime(text, "timestamp", context);
  const local = inputLocal(parsed, "timestamp", text, context);
  if (local === undefined) return toLocal(context.transactionMicros, sessionZone(context));
  if (isInfinite(local)) return local;
  return checkTimestamp(roundTimestamp(checkTimestamp(local, text), typmod), text);
}

function inputTimestampWithZone(text: string, typmod: number, context: SqlContext): bigint {
  const plain = plainTimestamp(text);
  if (plain?.offset !== undefined) return roundTimestamp(plain.local, typmod);
  const type = "timestamp with time zone";
  const parsed = parseDateTime(text, type, context);
  const local = inputLocal(parsed, type, text, context);
  if (local === undefined) return context.transactionMicros;
  if (isInfinite(local) || parsed.special === "epoch") return local;
  const micros =
    parsed.offset === undefined
      ? toUtc(local, parsed.zone ?? sessionZone(context))
      : local - BigInt(parsed.offset) * 1_000_000n;
  return checkTimestamp(roundTimestamp(checkTimestamp(micros, text), typmod), text);
}

function receiveMicros(bytes: Buffer, type: string): bigint {
  if (bytes.length !== 8) throw invalidBinary(type);
  const micros = bytes.readBigInt64BE();
  return isInfinite(micros) ? micros : checkTimestamp(micros + EPOCH_MICROS);
}

function sendMicros(micros: bigint): Uint8Array {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigInt64BE(isInfinite(micros) ? micros : micros - EPOCH_MICROS);
  return bytes;
}

export const date: TypeCodec<number> = {
  input: inputDate,
  output: (value, { settings }) => dateText(value, settings),
  receive(bytes) {
    if (bytes.length !== 4) throw invalidBinary("date");
    const days = bytes.readInt32BE();
    if (days === 0x7fff_ffff) return Infinity;
    return days === -0x8000_0000 ? -Infinity : checkDate(days + EPOCH_DAYS);
  },
  send(value) {
    const bytes = Buffer.allocUnsafe(4);
    const infinite = value > 0 ? 0x7fff_ffff : -0x8000_0000;
    bytes.writeInt32BE(Number.isFinite(value) ? value - EPOCH_DAYS : infinite);
    return bytes;
  },
  compare: order,
  hash: (value) => value,
};

export const time: TypeCodec<number> = {
  input: inputTime,
  output: timeText,
  receive(bytes, typmod) {
    if (bytes.length !== 8) throw invalidBinary("time");
    const micros = Number(bytes.readBigInt64BE());
    if (micros < 0 || micros > MICROS_PER_DAY) throw new SqlError("22008", "time out of range");
    return roundTime(micros, typmod);
  },
  send(value) {
    const bytes = Buffer.allocUnsafe(8);
    bytes.writeBigInt64BE(BigInt(value));
    return bytes;
  },
  compare: order,
  hash: (value) => value,
};

/** By the instant, then by the zone: 12:00+01 and 11:00+00 are not equal. */
export function compareTimesWithZone(left: TimeWithZone, right: TimeWithZone): number {
  const a = left.micros + left.zone * 1_000_000;
  const b = right.micros + right.zone * 1_000_000;
  return a === b ? Math.sign(left.zone - right.zone) : Math.sign(a - b);
}

export const timetz: TypeCodec<TimeWithZone> = {
  input: inputTimeWithZone,
  output: timeWithZoneText,
  receive(bytes, typmod, context) {
    if (bytes.length !== 12) throw invalidBinary("time with time zone");
    const zone = bytes.readInt32BE(8);
    if (Math.abs(zone) >= 16 * 3_600) {
      throw new SqlError("22009", "time zone displacement out of range");
    }
    return { micros: time.receive(bytes.subarray(0, 8), typmod, context), zone };
  },
  send(value) {
    const bytes = Buffer.allocUnsafe(12);
    bytes.writeBigInt64BE(BigInt(value.micros));
    bytes.writeInt32BE(value.zone, 8);
    return bytes;
  },
  compare: compareTimesWithZone,
  hash: (value) => `${value.micros} ${value.zone}`,
};

export const timestamp: TypeCodec<bigint> = {
  input: inputTimestamp,
  output: (value, { settings }) => timestampText(value, undefined, settings),
  receive: (bytes, typmod) => roundTimestamp(receiveMicros(bytes, "timestamp"), typmod),
  send: sendMicros,
  compare: order,
  hash: (value) => value,
};

export const timestamptz: TypeCodec<bigint> = {
  ...timestamp,
  input: inputTimestampWithZone,
  output: (value: bigint, context: SqlContext) => {
    if (isInfinite(value)) return timestampText(value);
    const zone = sessionZone(context);
    const { settings } = context;
    const offset = offsetAt(value, zone);
    const isIso = (settings.dateStyle ?? "ISO") === "ISO";
    const seconds = Number(value / 1_000_000n);
    const abbreviation = isIso ? "" : zone.abbreviationAt(seconds);
    return timestampText(value, { offset, abbreviation }, settings);
  },
};
