import { InvalidArgumentError } from "commander";

const UNITS_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** @throws InvalidArgumentError, as all of these. */
export function positive(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("a whole number above 0 is wanted.");
}

export function amount(text: string): number {
  if (/^\d{1,9}(?:\.\d{1,6})?$/.test(text)) return Number(text);
  throw new InvalidArgumentError("a number that is not below 0 is wanted.");
}

/** A span of time, in milliseconds. */
export function span(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,5})([smhd])$/.exec(text) ?? [];
  if (count !== undefined) return Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS];
  throw new InvalidArgumentError("a span is wanted, such as 90s, 30m, 12h or 7d.");
}
