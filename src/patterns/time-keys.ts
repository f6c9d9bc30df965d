import { type Bound, type ColumnKind, type Datum, INT64_MIN } from "../rows/index.ts";

/*
 * Times as the first column of a key: `int8` counts milliseconds since 1970, the others are as
 * PostgreSQL has them.
 */

const DAY_MS = 86_400_000;
const MICROS = 1_000n;
/** What `-infinity` is among timestamps. */
const NO_TIME = INT64_MIN;

export const TIME_KINDS: readonly ColumnKind[] = ["int8", "date", "timestamp", "timestamptz"];

/** Milliseconds since 1970, rounded down; those of `infinity` are beyond all times. */
export function msOf(kind: ColumnKind, value: Datum): number {
  if (kind === "date") return (value as number) * DAY_MS;
  if (kind === "int8") return Number(value);
  const micros = value as bigint;
  const rest = ((micros % MICROS) + MICROS) % MICROS;
  return Number((micros - rest) / MICROS);
}

/** The first value of a kind that is not before these milliseconds. */
export function timeAt(kind: ColumnKind, ms: number): Datum {
  if (kind === "date") return Math.ceil(ms / DAY_MS);
  return kind === "int8" ? BigInt(ms) : BigInt(ms) * MICROS;
}

/** Leaves out `-infinity`, which no bucket holds. */
export function finiteFrom(kind: ColumnKind): Bound | undefined {
  if (kind === "int8") return undefined;
  return { value: kind === "date" ? -Infinity : NO_TIME, inclusive: false };
}
