import type { Interval } from "../../rows/datum.ts";
import type { SqlSettings } from "./context.ts";
import { timeText } from "./date-time-text.ts";

/** An interval's parts; those of its time have one sign. */
interface Parts {
  readonly years: number;
  readonly months: number;
  readonly days: number;
  readonly hours: bigint;
  readonly minutes: number;
  /** Microseconds below a minute. */
  readonly micros: number;
}

function partsOf({ months, days, micros }: Interval): Parts {
  const years = Math.trunc(months / 12);
  const rest = Number(micros % 3_600_000_000n);
  const minutes = Math.trunc(rest / 60_000_000);
  return {
    years,
    months: months - years * 12,
    days,
    hours: micros / 3_600_000_000n,
    minutes,
    micros: rest - minutes * 60_000_000,
  };
}

/** As `IntervalStyle` says. */
export function intervalText(
  value: Interval,
  style: SqlSettings["intervalStyle"] = "postgres",
): string {
  switch (style) {
    case "postgres":
      return postgresText(value);
    case "postgres_verbose":
      return verboseText(partsOf(value));
    case "sql_standard":
      return standardText(value);
    case "iso_8601":
      return isoText(partsOf(value));
  }
}

function postgresText({ months, days, micros }: Interval): string {
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
    const shown = micros < 0n ? "-" : isNegative ? "+" : "";
    parts.push(`${shown}${clockText(micros, 2)}`);
  }
  return parts.join(" ");
}

/** `hh:mm:ss.f` of the size of a span, its hours of so many digits at least. */
function clockText(micros: bigint, digits: number): string {
  const size = micros < 0n ? -micros : micros;
  const rest = timeText(Number(size % 3_600_000_000n)).slice(2);
  return `${String(size / 3_600_000_000n).padStart(digits, "0")}${rest}`;
}

/** Seconds without a sign or a zero before them: `5`, `0.25`. */
function secondsText(micros: number): string {
  const size = Math.abs(micros);
  const fraction = String(size % 1_000_000).padStart(6, "0");
  const whole = String(Math.floor(size / 1_000_000));
  return size % 1_000_000 === 0 ? whole : `${whole}.${fraction.replace(/0+$/, "")}`;
}

/** The first part decides whether all of it is `ago`. */
function verboseText({ years, months, days, hours, minutes, micros }: Parts): string {
  let text = "@";
  let isAgo: boolean | undefined;
  const add = (value: number | bigint, unit: string): void => {
    if (value === 0 || value === 0n) return;
    isAgo ??= value < 0;
    const shown = isAgo ? -value : value;
    text += ` ${shown} ${unit}${shown === 1 || shown === 1n ? "" : "s"}`;
  };
  add(years, "year");
  add(months, "mon");
  add(days, "day");
  add(hours, "hour");
  add(minutes, "min");
  if (micros !== 0) {
    isAgo ??= micros < 0;
    const sign = isAgo === micros < 0 ? "" : "-";
    const isOne = Math.abs(micros) === 1_000_000;
    text += ` ${sign}${secondsText(micros)} sec${isOne ? "" : "s"}`;
  }
  if (isAgo === undefined) return `${text} 0`;
  return isAgo ? `${text} ago` : text;
}

function standardText(value: Interval): string {
  const { months, days, micros } = value;
  const isBelow = months < 0 || days < 0 || micros < 0n;
  const isAbove = months > 0 || days > 0 || micros > 0n;
  if (!isBelow && !isAbove) return "0";
  const size = Math.abs(months);
  const yearMonth = `${Math.trunc(size / 12)}-${size % 12}`;
  const dayTime = `${Math.abs(days)} ${clockText(micros, 1)}`;
  const sign = (isNegative: boolean): string => (isNegative ? "-" : "+");
  if ((isBelow && isAbove) || (months !== 0 && (days !== 0 || micros !== 0n))) {
    const time = `${sign(days < 0)}${Math.abs(days)} ${sign(micros < 0n)}${clockText(micros, 1)}`;
    return `${sign(months < 0)}${yearMonth} ${time}`;
  }
  const minus = isBelow ? "-" : "";
  if (months !== 0) return `${minus}${yearMonth}`;
  return `${minus}${days === 0 ? clockText(micros, 1) : dayTime}`;
}

function isoText({ years, months, days, hours, minutes, micros }: Parts): string {
  const shown = (value: number | bigint, unit: string): string =>
    value === 0 || value === 0n ? "" : `${value}${unit}`;
  const date = `${shown(years, "Y")}${shown(months, "M")}${shown(days, "D")}`;
  const seconds = micros === 0 ? "" : `${micros < 0 ? "-" : ""}${secondsText(micros)}S`;
  const time = `${shown(hours, "H")}${shown(minutes, "M")}${seconds}`;
  if (date === "" && time === "") return "PT0S";
  return `P${date}${time === "" ? "" : `T${time}`}`;
}
