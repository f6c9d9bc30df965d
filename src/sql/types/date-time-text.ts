import type { TimeWithZone } from "../../rows/datum.ts";
import { INT64_MAX, INT64_MIN } from "../../rows/datum.ts";
import { civilOf, splitMicros } from "./calendar.ts";

const two = (value: number): string => (value < 10 ? `0${value}` : String(value));

/** `hh:mm:ss` and as many digits of the second as it has. */
export function timeText(micros: number): string {
  const seconds = Math.floor(micros / 1_000_000);
  const fraction = micros - seconds * 1_000_000;
  const hour = Math.floor(seconds / 3_600);
  const text = `${two(hour)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  if (fraction === 0) return text;
  return `${text}.${String(fraction).padStart(6, "0").replace(/0+$/, "")}`;
}

/** An offset in seconds east: `+02`, `-03:30`, `-04:56:02`. */
export function offsetText(east: number): string {
  const size = Math.abs(east);
  const hours = `${east < 0 ? "-" : "+"}${two(Math.floor(size / 3_600))}`;
  const minutes = Math.floor(size / 60) % 60;
  const seconds = size % 60;
  if (seconds !== 0) return `${hours}:${two(minutes)}:${two(seconds)}`;
  return minutes === 0 ? hours : `${hours}:${two(minutes)}`;
}

function yearText(year: number): string {
  return String(year > 0 ? year : 1 - year).padStart(4, "0");
}

export function dateText(days: number): string {
  if (days === Infinity) return "infinity";
  if (days === -Infinity) return "-infinity";
  const { year, month, day } = civilOf(days);
  return `${yearText(year)}-${two(month)}-${two(day)}${year > 0 ? "" : " BC"}`;
}

/** `offset` in seconds east is added to the value and shown. */
export function timestampText(micros: bigint, offset?: number): string {
  if (micros === INT64_MAX) return "infinity";
  if (micros === INT64_MIN) return "-infinity";
  const local = offset === undefined ? micros : micros + BigInt(offset) * 1_000_000n;
  const { days, time } = splitMicros(local);
  const { year, month, day } = civilOf(days);
  const date = `${yearText(year)}-${two(month)}-${two(day)}`;
  const zone = offset === undefined ? "" : offsetText(offset);
  return `${date} ${timeText(time)}${zone}${year > 0 ? "" : " BC"}`;
}

export function timeWithZoneText(value: TimeWithZone): string {
  return `${timeText(value.micros)}${offsetText(value.zone === 0 ? 0 : -value.zone)}`;
}
