import { resolve } from "node:path";
import { InvalidArgumentError } from "commander";
import { keyOfText } from "../base/printable.ts";
import { parseLocation } from "../runtime/location.ts";
import { spanMs } from "../runtime/setting-values.ts";

/** @throws InvalidArgumentError, as all of these. */
export function positive(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("must be a whole number above 0.");
}

export function amount(text: string): number {
  if (/^\d{1,9}(?:\.\d{1,6})?$/.test(text)) return Number(text);
  throw new InvalidArgumentError("must be a number of 0 or more.");
}

/** A span of time, in milliseconds. */
export function span(text: string): number {
  const ms = spanMs(text);
  if (ms !== undefined) return ms;
  throw new InvalidArgumentError("must be a duration such as 90s, 30m, 12h or 7d.");
}

/** A span of time, in milliseconds; or none. */
export function spanOrNone(text: string): number {
  return text === "0" ? 0 : span(text);
}

/** A sequence, which is a whole number. */
export function sequence(text: string): number {
  const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(number)) return number;
  throw new InvalidArgumentError("must be a sequence number.");
}

/** A wall time with its zone, in milliseconds. */
export function instant(text: string): number {
  const ms = INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isFinite(ms)) return ms;
  throw new InvalidArgumentError("must be a time such as 2026-01-31T12:00:00Z or …+01:00.");
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/;

/** Bytes of a key, as keys are printed. */
export function keyBytes(text: string): Uint8Array {
  const bytes = keyOfText(text);
  if (bytes !== undefined) return bytes;
  throw new InvalidArgumentError("must be a key: ASCII, and \\xNN for other bytes.");
}

/** A location as another process is to read it: a path without a scheme is made absolute. */
export function absoluteUri(uri: string, cwd: string): string {
  return /^[A-Za-z][A-Za-z0-9+.-]*:/.test(uri) ? uri : resolve(cwd, uri);
}

/** The root of a catalog, as another process is to read it. @throws InvalidArgumentError. */
export function rootLocation(uri: string, cwd: string): string {
  try {
    return parseLocation(uri, cwd);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new InvalidArgumentError(`${error.message}.`);
  }
}
