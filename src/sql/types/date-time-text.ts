import type { TimeWithZone } from "../../rows/datum.ts";
import { INT64_MAX, INT64_MIN } from "../../rows/datum.ts";
import { civilOf, splitMicros } from "./calendar.ts";
import type { SqlSettings } from "./context.ts";

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

type Styles = Pick<SqlSettings, "dateStyle" | "dateOrder">;

/** Only the form where nothing else is asked for: values of JSON, keys. */
const ISO: Styles = { dateStyle: "ISO", dateOrder: "MDY" };
const WEEKDAYS: readonly string[] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS: readonly string[] = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

export function dateText(days: number, { dateStyle, dateOrder }: Styles = ISO): string {
  if (days === Infinity) return "infinity";
  if (days === -Infinity) return "-infinity";
  const { year, month, day } = civilOf(days);
  const [y, m, d] = [yearText(year), two(month), two(day)];
  const era = year > 0 ? "" : " BC";
  const dayFirst = dateOrder === "DMY";
  switch (dateStyle) {
    case "SQL":
      return `${dayFirst ? `${d}/${m}` : `${m}/${d}`}/${y}${era}`;
    case "German":
      return `${d}.${m}.${y}${era}`;
    case "Postgres":
      return `${dayFirst ? `${d}-${m}` : `${m}-${d}`}-${y}${era}`;
    default:
      return `${y}-${m}-${d}${era}`;
  }
}

/** What is shown of a zone: seconds east, which are added to the value, and its abbreviation. */
export interface ShownZone {
  readonly offset: number;
  readonly abbreviation: string;
}

export function timestampText(micros: bigint, zone?: ShownZone, styles: Styles = ISO): string {
  if (micros === INT64_MAX) return "infinity";
  if (micros === INT64_MIN) return "-infinity";
  const local = zone === undefined ? micros : micros + BigInt(zone.offset) * 1_000_000n;
  const { days, time } = splitMicros(local);
  const { year, month, day } = civilOf(days);
  const era = year > 0 ? "" : " BC";
  if (styles.dateStyle === "Postgres") {
    const [name, dayText] = [MONTHS[month - 1], two(day)];
    const date = styles.dateOrder === "DMY" ? `${dayText} ${name}` : `${name} ${dayText}`;
    const weekday = WEEKDAYS[(((days + 4) % 7) + 7) % 7];
    const shown = zone === undefined ? "" : ` ${zone.abbreviation}`;
    return `${weekday} ${date} ${timeText(time)} ${yearText(year)}${shown}${era}`;
  }
  const date = dateText(days, styles).replace(" BC", "");
  if (zone === undefined) return `${date} ${timeText(time)}${era}`;
  const isIso = (styles.dateStyle ?? "ISO") === "ISO";
  const shown = isIso ? offsetText(zone.offset) : ` ${zone.abbreviation}`;
  return `${date} ${timeText(time)}${shown}${era}`;
}

export function timeWithZoneText(value: TimeWithZone): string {
  return `${timeText(value.micros)}${offsetText(value.zone === 0 ? 0 : -value.zone)}`;
}
