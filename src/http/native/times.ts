import { invalid } from "../../base/error.ts";
import type { Moment } from "../../catalog/history.ts";

/** RFC 3339, as ISO 8601 has it; hand-written dates without a zone would mean another time. */
const TIME = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/;
/** The largest time that a Date can tell. */
const MOST_MS = 8_640_000_000_000_000;

/** A time as text; one that no calendar has is told as its number. */
export function timeText(ms: number): string {
  return Math.abs(ms) <= MOST_MS ? new Date(ms).toISOString() : String(ms);
}

/** @throws FirnError `Invalid` `TIME_INVALID`. */
export function parseTime(text: string, what: string): number {
  const ms = TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isFinite(ms) && ms >= 0) return ms;
  const message = `invalid ${what}: it must be a time such as 2026-01-31T12:00:00Z`;
  throw invalid("TIME_INVALID", message, { value: text.slice(0, 64) });
}

/** A version number, or a time. @throws FirnError `Invalid` `TIME_INVALID`. */
export function parseMoment(text: string): Moment {
  if (/^[0-9]{1,18}$/.test(text)) return { version: BigInt(text) };
  return { timeMs: parseTime(text, "at") };
}
