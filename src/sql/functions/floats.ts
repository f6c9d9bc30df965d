import { rint } from "../../base/rint.ts";
import { Numeric } from "../../rows/numeric.ts";
import { divisionByZero, notSupported, outOfRange, SqlError } from "../error.ts";
import type { Family } from "./implementation.ts";

export function floatOverflow(): SqlError {
  return new SqlError("22003", "value out of range: overflow");
}

export function floatUnderflow(): SqlError {
  return new SqlError("22003", "value out of range: underflow");
}

type Round = (value: number) => number;

/** Four operators of floats; `round` is `Math.fround` where the result is a float4. */
function arithmetic(pair: string, round: Round): Family {
  const checked = (value: number, isInfinite: boolean, isZero: boolean): number => {
    const result = round(value);
    if (!Number.isFinite(result) && !Number.isNaN(result) && !isInfinite) throw floatOverflow();
    if (result === 0 && !isZero) throw floatUnderflow();
    return result;
  };
  const isInfinite = (value: number): boolean => value === Infinity || value === -Infinity;
  return {
    [`float${pair}pl`]: (a: number, b: number) =>
      checked(a + b, isInfinite(a) || isInfinite(b), true),
    [`float${pair}mi`]: (a: number, b: number) =>
      checked(a - b, isInfinite(a) || isInfinite(b), true),
    [`float${pair}mul`]: (a: number, b: number) =>
      checked(a * b, isInfinite(a) || isInfinite(b), a === 0 || b === 0),
    [`float${pair}div`]: (a: number, b: number) => {
      if (b === 0 && !Number.isNaN(a)) throw divisionByZero();
      return checked(a / b, isInfinite(a), a === 0 || isInfinite(b));
    },
  };
}

function toInteger(value: number, limit: number, type: string): number {
  const whole = rint(value);
  if (!(whole >= -limit && whole < limit)) throw outOfRange(type);
  return whole === 0 ? 0 : whole;
}

const toInt2 = (value: number): number => toInteger(value, 2 ** 15, "smallint");
const toInt4 = (value: number): number => toInteger(value, 2 ** 31, "integer");
const toInt8 = (value: number): bigint => BigInt(toInteger(value, 2 ** 63, "bigint"));

function toFloat4(value: number): number {
  const result = Math.fround(value);
  if (!Number.isFinite(result) && Number.isFinite(value)) throw floatOverflow();
  if (result === 0 && value !== 0) throw floatUnderflow();
  return result;
}

const conversions: Family = {
  dtoi2: toInt2,
  dtoi4: toInt4,
  dtoi8: toInt8,
  ftoi2: toInt2,
  ftoi4: toInt4,
  ftoi8: toInt8,
  i2tod: (a: number) => a,
  i4tod: (a: number) => a,
  i8tod: (a: bigint) => Number(a),
  i2tof: (a: number) => a,
  i4tof: Math.fround,
  // Straight from the integer: by way of a float8 it would round twice.
  i8tof: (a: bigint) => bigToFloat4(a),
  ftod: (a: number) => a,
  dtof: toFloat4,
  float8_numeric: (a: number) => Numeric.fromFloat(a, 15),
  float4_numeric: (a: number) => Numeric.fromFloat(a, 6),
  numeric_float8(a: Numeric) {
    const value = a.toNumber();
    if (a.isFinite) checkText(value, a, "double precision");
    return value;
  },
  numeric_float4(a: Numeric) {
    const value = Math.fround(a.toNumber());
    if (a.isFinite) checkText(value, a, "real");
    return value;
  },
};

function bigToFloat4(value: bigint): number {
  const size = value < 0n ? -value : value;
  const bits = size.toString(2).length;
  if (bits <= 24) return Number(value);
  const shift = BigInt(bits - 24);
  const kept = size >> shift;
  const lost = size & ((1n << shift) - 1n);
  const half = 1n << (shift - 1n);
  const isUp = lost > half || (lost === half && (kept & 1n) === 1n);
  const rounded = Number(kept + (isUp ? 1n : 0n)) * 2 ** Number(shift);
  return value < 0n ? -rounded : rounded;
}

function checkText(value: number, from: Numeric, type: string): void {
  if (Number.isFinite(value) && (value !== 0 || from.sign === 0)) return;
  throw new SqlError("22003", `"${from}" is out of range for type ${type}`);
}

function sign(a: number): number {
  return a > 0 ? 1 : a < 0 ? -1 : 0;
}

function unary(prefix: "float4" | "float8"): Family {
  return {
    [`${prefix}um`]: (a: number) => -a,
    [`${prefix}up`]: (a: number) => a,
    [`${prefix}abs`]: Math.abs,
  };
}

function power(a: number, b: number): number {
  if (Number.isNaN(a)) return b === 0 ? 1 : NaN;
  if (Number.isNaN(b)) return a === 1 ? 1 : NaN;
  if (a === 0 && b < 0) {
    throw new SqlError("2201F", "zero raised to a negative power is undefined");
  }
  if (a < 0 && Math.floor(b) !== b) {
    const message = "a negative number raised to a non-integer power yields a complex result";
    throw new SqlError("2201F", message);
  }
  if (!Number.isFinite(b)) {
    const size = Math.abs(a);
    // JavaScript's own answer to 1 and -1 is NaN.
    if (size === 1) return 1;
    return size < 1 === b > 0 ? 0 : Infinity;
  }
  const result = a ** b;
  if (!Number.isFinite(result) && Number.isFinite(a)) throw floatOverflow();
  if (result === 0 && a !== 0 && Number.isFinite(a)) throw floatUnderflow();
  return result;
}

function logarithm(a: number, of: (value: number) => number): number {
  if (a === 0) throw new SqlError("2201E", "cannot take logarithm of zero");
  if (a < 0) throw new SqlError("2201E", "cannot take logarithm of a negative number");
  return of(a);
}

const functions: Family = {
  dround: rint,
  dceil: Math.ceil,
  dfloor: Math.floor,
  dtrunc: Math.trunc,
  dsign: sign,
  dsqrt(a: number) {
    if (a < 0) throw new SqlError("2201F", "cannot take square root of a negative number");
    return Math.sqrt(a);
  },
  dcbrt: Math.cbrt,
  dpow: power,
  dexp(a: number) {
    const result = Math.exp(a);
    if (result === Infinity && a !== Infinity) throw floatOverflow();
    if (result === 0 && a !== -Infinity) throw floatUnderflow();
    return result;
  },
  dlog1: (a: number) => logarithm(a, Math.log),
  dlog10: (a: number) => logarithm(a, Math.log10),
  dpi: () => Math.PI,
  degrees: (a: number) => scaled(a, a / (Math.PI / 180)),
  radians: (a: number) => scaled(a, a * (Math.PI / 180)),
};

function scaled(from: number, to: number): number {
  if (Number.isFinite(from) && !Number.isFinite(to)) throw floatOverflow();
  if (to === 0 && from !== 0) throw floatUnderflow();
  return to;
}

const trigonometry: Family = {
  dsin: (a: number) => bounded(a, Math.sin),
  dcos: (a: number) => bounded(a, Math.cos),
  dtan: (a: number) => bounded(a, Math.tan),
  dcot: (a: number) => 1 / bounded(a, Math.tan),
  dasin: (a: number) => within(a, 1, Math.asin),
  dacos: (a: number) => within(a, 1, Math.acos),
  datan: Math.atan,
  datan2: Math.atan2,
  dsinh: Math.sinh,
  dcosh: Math.cosh,
  dtanh: Math.tanh,
  dasinh: Math.asinh,
  dacosh(a: number) {
    if (a < 1) throw inputOutOfRange();
    return Math.acosh(a);
  },
  datanh: (a: number) => within(a, 1, Math.atanh),
};

function inputOutOfRange(): SqlError {
  return new SqlError("22003", "input is out of range");
}

function bounded(a: number, of: (value: number) => number): number {
  if (a === Infinity || a === -Infinity) throw inputOutOfRange();
  return of(a);
}

function within(a: number, limit: number, of: (value: number) => number): number {
  if (a < -limit || a > limit) throw inputOutOfRange();
  return of(a);
}

/** `width_bucket` of floats and numerics. */
export function bucketCount(count: number): void {
  if (count <= 0) throw new SqlError("2201G", "count must be greater than zero");
}

const buckets: Family = {
  width_bucket_float8(operand: number, low: number, high: number, count: number) {
    bucketCount(count);
    if (Number.isNaN(operand) || Number.isNaN(low) || Number.isNaN(high)) {
      throw new SqlError("2201G", "operand, lower bound, and upper bound cannot be NaN");
    }
    if (!Number.isFinite(low) || !Number.isFinite(high)) {
      throw new SqlError("2201G", "lower and upper bounds must be finite");
    }
    if (low === high) throw new SqlError("2201G", "lower bound cannot equal upper bound");
    const isUp = low < high;
    if (isUp ? operand < low : operand > low) return 0;
    if (isUp ? operand >= high : operand <= high) return bucketOverflow(count + 1);
    if (!Number.isFinite(high - low)) throw notSupported("width_bucket over such a wide range");
    const bucket = Math.trunc((count * (operand - low)) / (high - low)) + 1;
    if (!Number.isFinite(bucket)) throw notSupported("width_bucket over such a wide range");
    return bucket;
  },
};

function bucketOverflow(bucket: number): number {
  if (bucket > 2_147_483_647) throw outOfRange("integer");
  return bucket;
}

export const floatFamily: Family = {
  ...arithmetic("8", (value) => value),
  ...arithmetic("48", (value) => value),
  ...arithmetic("84", (value) => value),
  ...arithmetic("4", Math.fround),
  ...unary("float4"),
  ...unary("float8"),
  ...conversions,
  ...functions,
  ...trigonometry,
  ...buckets,
};
