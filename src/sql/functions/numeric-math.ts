import {
  displayScale,
  divideRounded,
  MAX_NUMERIC_INTEGER_DIGITS,
  Numeric,
  powerOfTen,
} from "../../rows/numeric.ts";
import { notSupported, SqlError } from "../error.ts";
import { exponential, logarithm, type Scaled } from "./fixed-point.ts";
import type { Family } from "./implementation.ts";

const BASE_DIGITS = 4;
const MIN_DIGITS = 16;
const TEN = Numeric.of(10);

/** The largest integer whose square is not above. */
function integerRoot(value: bigint): bigint {
  if (value < 2n) return value;
  let root = 1n << BigInt((value.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

/** The square root at a scale, rounded half away from zero. */
export function rootAt(value: Numeric, scale: number): Numeric {
  // Twice the scale, and one digit more to round by.
  const shift = 2 * (scale + 1) - value.scale;
  const units = BigInt(value.units);
  const scaled = shift >= 0 ? units * powerOfTen(shift) : units / powerOfTen(-shift);
  return Numeric.of(integerRoot(scaled), scale + 1).round(scale);
}

export function squareRoot(value: Numeric): Numeric {
  if (value.isNaN) return value;
  if (value.sign < 0) {
    throw new SqlError("2201F", "cannot take square root of a negative number");
  }
  if (!value.isFinite) return value;
  const whole = (value.base.weight * BASE_DIGITS) / 2 + 1;
  return rootAt(value, displayScale(MIN_DIGITS - Math.trunc(whole), value.scale));
}

const MAX_SCALE = 1_000;
const BITS_A_DIGIT = 3.33;
/** An exponent or logarithm that needs more is refused: it would hold up other sessions. */
const MOST_BITS = 14_000;

function bitsOf(digits: number): number {
  const bits = Math.ceil(digits * BITS_A_DIGIT) + 96;
  if (bits <= MOST_BITS) return bits;
  throw tooLong();
}

/** Arguments of more digits are refused, too: their texts alone take long. */
const MOST_ARGUMENT_DIGITS = 10_000;

/** @throws SqlError 0A000. */
function assertShort(...values: readonly Numeric[]): void {
  for (const { units, scale } of values) {
    const isShort =
      typeof units === "number" || units.toString(16).length * 1.21 < MOST_ARGUMENT_DIGITS;
    if (!isShort || scale > MOST_ARGUMENT_DIGITS) throw tooLong();
  }
}

function tooLong(): SqlError {
  return notSupported("a logarithm or power of so many digits", "Round its arguments.");
}

/** `value / 2^bits` at a scale. */
function rounded(value: bigint, bits: number, scale: number): Numeric {
  const divisor = 1n << BigInt(bits);
  return Numeric.of(divideRounded(value * powerOfTen(scale), divisor), scale);
}

/** About the place of the first digit of a logarithm. */
function logarithmWeight(value: Numeric): number {
  const units = BigInt(value.units);
  const one = powerOfTen(value.scale);
  const isNearOne = units * 10n >= one * 9n && units * 10n <= one * 11n;
  if (isNearOne) {
    const rest = Numeric.of(units - one, value.scale).abs();
    if (rest.sign === 0) return 0;
    return rest.base.weight * BASE_DIGITS + Math.trunc(Math.log10(rest.base.first));
  }
  const { first, weight, digits } = value.base;
  const width = String(first).length + BASE_DIGITS;
  const leading = Number(digits.slice(0, width).padEnd(width, "0"));
  const rest = (weight - 1) * BASE_DIGITS * 2.302585092994046;
  return Math.trunc(Math.log10(Math.abs(Math.log(leading) + rest)));
}

/** @throws SqlError 2201E. */
function assertHasLogarithm(value: Numeric): void {
  if (value.sign === 0) throw new SqlError("2201E", "cannot take logarithm of zero");
  if (value.sign < 0) throw new SqlError("2201E", "cannot take logarithm of a negative number");
}

function naturalLogarithm(value: Numeric): Numeric {
  if (value.isNaN) return value;
  assertHasLogarithm(value);
  if (!value.isFinite) return value;
  assertShort(value);
  const scale = displayScale(MIN_DIGITS - logarithmWeight(value), value.scale);
  const bits = bitsOf(scale);
  return rounded(logarithm(BigInt(value.units), value.scale, bits), bits, scale);
}

function logarithmTo(base: Numeric, value: Numeric): Numeric {
  if (base.isNaN || value.isNaN) return Numeric.nan;
  if (base.sign < 0 || value.sign < 0) assertHasLogarithm(base.sign < 0 ? base : value);
  assertHasLogarithm(base);
  assertHasLogarithm(value);
  if (!base.isFinite) return value.isFinite ? Numeric.zero : Numeric.nan;
  if (!value.isFinite) return value;
  assertShort(base, value);
  const below = logarithmWeight(base);
  const weight = logarithmWeight(value) - below;
  const scale = displayScale(MIN_DIGITS - weight, base.scale, value.scale);
  const bits = bitsOf(scale + Math.max(weight, 0) + Math.max(-below, 0) * 2);
  const divisor = logarithm(BigInt(base.units), base.scale, bits);
  if (base.compare(Numeric.one) === 0) return Numeric.one.divide(Numeric.zero);
  const dividend = logarithm(BigInt(value.units), value.scale, bits);
  return Numeric.of(divideRounded(dividend * powerOfTen(scale), divisor), scale);
}

/** Beyond it a power overflows, or is nothing. */
const MOST_EXPONENT = 6_000;
const LOG10_E = 0.434294481903252;

function overflows(): SqlError {
  return new SqlError("22003", "value overflows numeric format");
}

/** `e^(value / 2^bits)` at a scale. */
function exponentialAt(value: bigint, bits: number, scale: number): Numeric {
  const { mantissa, exponent } = exponential(value, bits);
  const digits = mantissa * powerOfTen(scale);
  return exponent >= 0
    ? Numeric.of(divideRounded(digits << BigInt(exponent), 1n << BigInt(bits)), scale)
    : Numeric.of(divideRounded(digits, 1n << BigInt(bits - exponent)), scale);
}

function exponentialOf(value: Numeric): Numeric {
  if (value.isNaN || value.kind === "infinity") return value;
  if (!value.isFinite) return Numeric.zero;
  assertShort(value);
  const about = value.toNumber();
  const weight = Math.trunc(Math.min(Math.max(about * LOG10_E, -2_000), 2_000));
  const scale = displayScale(MIN_DIGITS - weight, value.scale);
  if (Math.abs(about) >= MOST_EXPONENT) {
    if (about > 0) throw overflows();
    return Numeric.of(0, scale);
  }
  const bits = bitsOf(scale + Math.max(about * LOG10_E, 0));
  const fixed = (BigInt(value.units) << BigInt(bits)) / powerOfTen(value.scale);
  return exponentialAt(fixed, bits, scale);
}

function isIntegral(value: Numeric): boolean {
  return !value.isFinite || value.trim().scale === 0;
}

/** Of values of which one is infinite. */
function infinitePower(base: Numeric, exponent: Numeric): Numeric {
  if (exponent.sign === 0 || base.compare(Numeric.one) === 0) return Numeric.one;
  if (base.sign === 0) return Numeric.zero;
  if (!exponent.isFinite) {
    const order = base.abs().compare(Numeric.one);
    if (order === 0) return Numeric.one;
    return order > 0 === exponent.sign > 0 ? Numeric.infinity : Numeric.zero;
  }
  if (exponent.sign < 0) return Numeric.zero;
  const isOdd = BigInt(exponent.trim().units) % 2n !== 0n;
  return base.sign < 0 && isOdd ? base : Numeric.infinity;
}

const MOST_INT = 2n ** 31n;

function power(base: Numeric, exponent: Numeric): Numeric {
  if (base.isNaN) return exponent.sign === 0 && !exponent.isNaN ? Numeric.one : base;
  if (exponent.isNaN) return base.compare(Numeric.one) === 0 ? Numeric.one : exponent;
  if (base.sign === 0 && exponent.sign < 0) {
    throw new SqlError("2201F", "zero raised to a negative power is undefined");
  }
  if (base.sign < 0 && !isIntegral(exponent)) {
    const message = "a negative number raised to a non-integer power yields a complex result";
    throw new SqlError("2201F", message);
  }
  if (!base.isFinite || !exponent.isFinite) return infinitePower(base, exponent);
  assertShort(base, exponent);
  const whole = isIntegral(exponent) ? BigInt(exponent.trim().units) : undefined;
  if (whole !== undefined && whole >= -MOST_INT && whole < MOST_INT) {
    return wholePower(base, Number(whole), displayScale(MIN_DIGITS, base.scale));
  }
  if (base.sign === 0) return Numeric.of(0, MIN_DIGITS);
  const size = realPower(base.abs(), exponent);
  return base.sign < 0 && whole !== undefined && whole % 2n !== 0n ? size.negate() : size;
}

/** By logarithms. */
function realPower(base: Numeric, exponent: Numeric): Numeric {
  const size = exponent.digits.exponent + 1;
  const rough = bitsOf(Math.max(size, 0) + Math.max(-logarithmWeight(base), 0) + 20);
  const product = (bits: number): bigint =>
    (logarithm(BigInt(base.units), base.scale, bits) * BigInt(exponent.units)) /
    powerOfTen(exponent.scale);
  const about = Number(product(rough) >> BigInt(rough - 40)) / 2 ** 40;
  if (Math.abs(about) > MOST_EXPONENT * 1.003_333) {
    if (about > 0) throw overflows();
    return Numeric.of(0, MAX_SCALE);
  }
  const weight = Math.trunc(about * LOG10_E);
  const scale = displayScale(MIN_DIGITS - weight, base.scale, exponent.scale);
  if (Math.abs(about) >= MOST_EXPONENT) {
    if (about > 0) throw overflows();
    return Numeric.of(0, scale);
  }
  const bits = bitsOf(scale + Math.max(weight, 0) + Math.max(size, 0));
  return exponentialAt(product(bits), bits, scale);
}

/** Longer ones would hold up other sessions. */
const MOST_DIGITS = 20_000;

function wholePower(base: Numeric, exponent: number, scale: number): Numeric {
  if (exponent === 0) return Numeric.of(powerOfTen(scale), scale);
  if (base.sign === 0) return Numeric.of(0, scale);
  const { text, exponent: first } = base.digits;
  const leading = Number(`${text[0]}.${text.slice(1, 17)}`);
  const weight = exponent * (Math.log10(leading) + first);
  if (weight > MAX_NUMERIC_INTEGER_DIGITS + 1) throw overflows();
  if (weight < -scale - 1) return Numeric.of(0, scale);
  if (weight + scale > MOST_DIGITS) {
    throw notSupported("a power of so many digits", "Raise it to a smaller exponent.");
  }
  const units = BigInt(base.units);
  const times = Math.abs(exponent);
  if (times * text.length <= MOST_EXACT) {
    const [whole, below] = [units ** BigInt(times), powerOfTen(base.scale * times)];
    return exponent > 0
      ? Numeric.of(divideRounded(whole * powerOfTen(scale), below), scale)
      : Numeric.of(divideRounded(below * powerOfTen(scale), whole), scale);
  }
  const isNegative = units < 0n && exponent % 2 !== 0;
  const size = cutPower(base.abs(), times, Math.ceil((Math.abs(weight) + scale) * BITS_A_DIGIT));
  const found = exponent > 0 ? scaledAt(size, scale) : inverseAt(size, scale);
  return isNegative ? found.negate() : found;
}

/** Longer powers are computed with as many digits as their results have. */
const MOST_EXACT = 4_000;

/** By squares, each product cut to the bits that the result has and some that are lost. */
function cutPower(base: Numeric, times: number, resultBits: number): Scaled {
  const bits = resultBits + 192;
  const shift = bits + base.scale * 4;
  const whole = (BigInt(base.units) << BigInt(shift)) / powerOfTen(base.scale);
  let factor = cut({ mantissa: whole, exponent: -shift }, bits);
  let product: Scaled = { mantissa: 1n, exponent: 0 };
  for (let left = times; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) product = cut(multiplied(product, factor), bits);
    if (left > 1) factor = cut(multiplied(factor, factor), bits);
  }
  return product;
}

function scaledAt({ mantissa, exponent }: Scaled, scale: number): Numeric {
  const digits = mantissa * powerOfTen(scale);
  if (exponent >= 0) return Numeric.of(digits << BigInt(exponent), scale);
  return Numeric.of(divideRounded(digits, 1n << BigInt(-exponent)), scale);
}

function inverseAt({ mantissa, exponent }: Scaled, scale: number): Numeric {
  const digits = powerOfTen(scale);
  if (exponent < 0) return Numeric.of(divideRounded(digits << BigInt(-exponent), mantissa), scale);
  return Numeric.of(divideRounded(digits, mantissa << BigInt(exponent)), scale);
}

function multiplied(a: Scaled, b: Scaled): Scaled {
  return { mantissa: a.mantissa * b.mantissa, exponent: a.exponent + b.exponent };
}

function cut({ mantissa, exponent }: Scaled, bits: number): Scaled {
  const drop = mantissa.toString(16).length * 4 - bits;
  if (drop <= 0) return { mantissa, exponent };
  return { mantissa: mantissa >> BigInt(drop), exponent: exponent + drop };
}

export const numericMathFamily: Family = {
  numeric_sqrt: squareRoot,
  numeric_ln: naturalLogarithm,
  numeric_log: logarithmTo,
  "log(numeric)": (value: Numeric) => logarithmTo(TEN, value),
  numeric_exp: exponentialOf,
  numeric_power: power,
};
