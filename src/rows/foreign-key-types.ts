import { rint } from "../base/rint.ts";
import type { ColumnType } from "./column-type.ts";
import type { Datum } from "./datum.ts";
import { rowError } from "./errors.ts";
import { Numeric } from "./numeric.ts";

const INTEGERS: ReadonlySet<string> = new Set(["int2", "int4", "int8"]);
const TEXTS: ReadonlySet<string> = new Set(["text", "varchar"]);
const FLOATS: ReadonlySet<string> = new Set(["float4", "float8"]);

/** Whether a column may refer to another one: their types are one, or the child's is promoted. */
export function isComparable(child: ColumnType, parent: ColumnType): boolean {
  if (TEXTS.has(child.kind)) return TEXTS.has(parent.kind);
  if (FLOATS.has(parent.kind)) return isNumber(child);
  if (parent.kind === "numeric") return child.kind === "numeric" || INTEGERS.has(child.kind);
  if (INTEGERS.has(child.kind)) return INTEGERS.has(parent.kind);
  return child.kind === parent.kind && child.typeId === parent.typeId;
}

function isNumber({ kind }: ColumnType): boolean {
  return INTEGERS.has(kind) || FLOATS.has(kind) || kind === "numeric";
}

/** Whether several values of the child may be promoted to one of the parent. */
export function isRounded(child: ColumnType, parent: ColumnType): boolean {
  return FLOATS.has(parent.kind) && !FLOATS.has(child.kind);
}

/** A value of one side as the other side has it; undefined where it can have no such value. */
export function convertedKey(value: Datum, from: ColumnType, to: ColumnType): Datum | undefined {
  if (value === null || from.kind === to.kind || !isNumber(to)) return value;
  if (to.kind === "numeric") return Numeric.of(BigInt(value as number | bigint));
  if (FLOATS.has(to.kind)) {
    const number = value instanceof Numeric ? value.toNumber() : Number(value);
    const inner = to.kind === "float4" ? Math.fround(number) : number;
    // Floats are compared as the longer of the two; others are promoted, which may round.
    return FLOATS.has(from.kind) && !Object.is(inner, number) ? undefined : inner;
  }
  const integer = wholeOf(value);
  if (integer === undefined || !fits(integer, to)) return undefined;
  return to.kind === "int8" ? integer : Number(integer);
}

/**
 * A value of the parent that the child takes over, as an assignment to its column.
 *
 * @throws FirnError `Invalid`, code `ROW_VALUE_INVALID` (22003).
 */
export function assignedKey(value: Datum, from: ColumnType, to: ColumnType): Datum {
  if (value === null || from.kind === to.kind || !isNumber(to)) return value;
  if (FLOATS.has(to.kind)) {
    const number = Number(value);
    return to.kind === "float4" ? Math.fround(number) : number;
  }
  if (to.kind === "numeric") return Numeric.fromFloat(Number(value), digitsOf(from));
  const integer = value instanceof Numeric ? value.round(0).toBigInt() : nearest(Number(value));
  const whole = INTEGERS.has(from.kind) ? BigInt(value as number | bigint) : integer;
  if (whole === undefined || !fits(whole, to)) {
    throw rowError("Invalid", "ROW_VALUE_INVALID", "22003", `${NAMES[to.kind]} out of range`);
  }
  return to.kind === "int8" ? whole : Number(whole);
}

const NAMES: Readonly<Record<string, string>> = {
  int2: "smallint",
  int4: "integer",
  int8: "bigint",
};

function digitsOf({ kind }: ColumnType): 6 | 15 {
  return kind === "float4" ? 6 : 15;
}

/** The nearest integer, of two the even one; none of a NaN or an infinity. */
function nearest(value: number): bigint | undefined {
  return Number.isFinite(value) ? BigInt(rint(value)) : undefined;
}

function wholeOf(value: Datum): bigint | undefined {
  if (value instanceof Numeric) {
    return value.compare(value.truncate(0)) === 0 ? value.toBigInt() : undefined;
  }
  if (typeof value === "bigint") return value;
  return Number.isInteger(value) ? BigInt(value as number) : undefined;
}

const BITS: Readonly<Record<string, bigint>> = { int2: 15n, int4: 31n, int8: 63n };

function fits(integer: bigint, { kind }: ColumnType): boolean {
  const most = 2n ** (BITS[kind] ?? 63n);
  return integer >= -most && integer < most;
}
