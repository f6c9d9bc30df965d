import { MAX_NUMERIC_INTEGER_DIGITS, MAX_NUMERIC_SCALE, Numeric } from "../../rows/numeric.ts";
import { SqlError } from "../error.ts";
import { applyNumericModifier } from "../types/numeric.ts";
import type { Family } from "./implementation.ts";

export function toInteger(value: Numeric, bits: number, type: string): bigint {
  const whole = value.toBigInt();
  if (whole === undefined) {
    const what = value.isNaN ? "NaN" : "infinity";
    throw new SqlError("0A000", `cannot convert ${what} to ${type}`);
  }
  const limit = 1n << BigInt(bits - 1);
  if (whole >= limit || whole < -limit) throw new SqlError("22003", `${type} out of range`);
  return whole;
}

const conversions: Family = {
  numeric_int2: (a: Numeric) => Number(toInteger(a, 16, "smallint")),
  numeric_int4: (a: Numeric) => Number(toInteger(a, 32, "integer")),
  numeric_int8: (a: Numeric) => toInteger(a, 64, "bigint"),
  int2_numeric: (a: number) => Numeric.of(a),
  int4_numeric: (a: number) => Numeric.of(a),
  int8_numeric: (a: bigint) => Numeric.of(a),
  numeric: (a: Numeric, typmod: number) => applyNumericModifier(a, typmod),
};

/** PostgreSQL's `numeric` rounds and truncates within these scales. */

function scaleOf(scale: number): number {
  return Math.min(Math.max(scale, -MAX_NUMERIC_INTEGER_DIGITS - 1), MAX_NUMERIC_SCALE);
}

const rounding: Family = {
  numeric_round: (a: Numeric, scale: number) => a.round(scaleOf(scale)),
  numeric_trunc: (a: Numeric, scale: number) => a.truncate(scaleOf(scale)),
  "round(numeric)": (a: Numeric) => a.round(0),
  "trunc(numeric)": (a: Numeric) => a.truncate(0),
  numeric_ceil: (a: Numeric) => a.ceil(),
  numeric_floor: (a: Numeric) => a.floor(),
  numeric_scale: (a: Numeric) => (a.isFinite ? a.scale : null),
  numeric_min_scale: (a: Numeric) => (a.isFinite ? a.trim().scale : null),
  numeric_trim_scale: (a: Numeric) => a.trim(),
};

function gcd(left: bigint, right: bigint): bigint {
  let [a, b] = [left < 0n ? -left : left, right < 0n ? -right : right];
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
}

function commonDivisor(a: Numeric, b: Numeric): Numeric {
  if (!a.isFinite || !b.isFinite) return Numeric.nan;
  const scale = Math.max(a.scale, b.scale);
  return Numeric.of(gcd(a.unitsAt(scale), b.unitsAt(scale)), scale);
}

function commonMultiple(a: Numeric, b: Numeric): Numeric {
  if (!a.isFinite || !b.isFinite) return Numeric.nan;
  const scale = Math.max(a.scale, b.scale);
  const [left, right] = [a.unitsAt(scale), b.unitsAt(scale)];
  if (left === 0n || right === 0n) return Numeric.of(0, scale);
  const multiple = (left / gcd(left, right)) * right;
  return Numeric.of(multiple < 0n ? -multiple : multiple, scale);
}

function factorial(value: bigint): Numeric {
  if (value < 0n) {
    throw new SqlError("22003", "factorial of a negative number is undefined");
  }
  if (value > 32_177n) throw new SqlError("22003", "value overflows numeric format");
  return Numeric.of(product(1n, value));
}

/** The product of all from `from` to `to`, halved: its factors stay of equal length. */
function product(from: bigint, to: bigint): bigint {
  if (from > to) return 1n;
  if (to - from < 8n) {
    let result = from;
    for (let i = from + 1n; i <= to; i++) result *= i;
    return result;
  }
  const middle = (from + to) / 2n;
  return product(from, middle) * product(middle + 1n, to);
}

export const numericFamily: Family = {
  numeric_add: (a: Numeric, b: Numeric) => a.add(b),
  numeric_sub: (a: Numeric, b: Numeric) => a.subtract(b),
  numeric_mul: (a: Numeric, b: Numeric) => a.multiply(b),
  numeric_div: (a: Numeric, b: Numeric) => a.divide(b),
  numeric_mod: (a: Numeric, b: Numeric) => a.modulo(b),
  numeric_div_trunc: (a: Numeric, b: Numeric) => a.divideInteger(b),
  numeric_uminus: (a: Numeric) => a.negate(),
  numeric_uplus: (a: Numeric) => a,
  numeric_abs: (a: Numeric) => a.abs(),
  numeric_sign: (a: Numeric) => (a.isNaN ? a : Numeric.of(a.sign)),
  numeric_inc: (a: Numeric) => a.add(Numeric.one),
  numeric_gcd: commonDivisor,
  numeric_lcm: commonMultiple,
  numeric_fac: factorial,
  ...conversions,
  ...rounding,
};
