import { displayScale, Numeric, powerOfTen } from "../../rows/numeric.ts";
import { SqlError } from "../error.ts";
import type { Family } from "./implementation.ts";

const BASE_DIGITS = 4;
const MIN_DIGITS = 16;

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

/** Logarithms and powers are refused: their last digits are not proven equal yet. */
export const numericMathFamily: Family = {
  numeric_sqrt: squareRoot,
};
