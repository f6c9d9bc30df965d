/** Exponentials and logarithms of binary fixed-point numbers: `value / 2^bits`, as bigints. */

/** `atanh(1 / n)`. */
function inverseTangent(n: bigint, bits: number): bigint {
  const square = n * n;
  let power = (1n << BigInt(bits)) / n;
  let sum = power;
  for (let k = 3n; power !== 0n; k += 2n) {
    power /= square;
    sum += power / k;
  }
  return sum;
}

const GUARD = 32;
let constants = { bits: 0, two: 0n, ten: 0n };

/** `ln(2)` and `ln(10)`. */
function logarithms(bits: number): { readonly two: bigint; readonly ten: bigint } {
  if (constants.bits < bits) {
    const [a, b, c] = [31n, 49n, 161n].map((n) => inverseTangent(n, bits + GUARD)) as [
      bigint,
      bigint,
      bigint,
    ];
    const two = 14n * a + 10n * b + 6n * c;
    constants = { bits: bits + GUARD, two, ten: 46n * a + 34n * b + 20n * c };
  }
  const drop = BigInt(constants.bits - bits);
  return { two: constants.two >> drop, ten: constants.ten >> drop };
}

/** A number that is `mantissa / 2^bits · 2^exponent`. */
export interface Scaled {
  readonly mantissa: bigint;
  readonly exponent: number;
}

/** `e^value`; the mantissa has as many bits as the value. */
export function exponential(value: bigint, bits: number): Scaled {
  const { two } = logarithms(bits);
  let k = value / two;
  if (value < 0n) k -= 1n;
  const halvings = Math.ceil(Math.sqrt(bits));
  const extra = BigInt(halvings + GUARD);
  const places = BigInt(bits) + extra;
  // Between 0 and ln(2), and then so small that its series is short.
  const rest = ((value - k * two) << extra) >> BigInt(halvings);
  let term = 1n << places;
  let sum = term;
  for (let n = 1n; term !== 0n; n++) {
    term = ((term * rest) >> places) / n;
    sum += term;
  }
  for (let i = 0; i < halvings; i++) sum = (sum * sum) >> places;
  return { mantissa: sum >> extra, exponent: Number(k) };
}

/** `ln(units)` of a positive integer. */
function logarithmOf(units: bigint, bits: number): bigint {
  const length = units.toString(16).length * 4;
  const whole = BigInt(bits);
  const shift = whole - BigInt(length);
  // Between 1/16 and 1.
  const value = shift >= 0n ? units << shift : units >> -shift;
  const { two } = logarithms(bits);
  return mantissaLogarithm(value, bits) + BigInt(length) * two;
}

/** By Halley's iteration, which triples the digits of a first guess. */
function mantissaLogarithm(value: bigint, bits: number): bigint {
  if (value === 1n << BigInt(bits)) return 0n;
  const steps: number[] = [];
  for (let at = bits; at > 40; at = Math.ceil((at + 12) / 3)) steps.unshift(at);
  const first = Math.log(Number(value >> BigInt(bits - 52)) / 2 ** 52);
  let found = BigInt(Math.round(first * 2 ** 40));
  let places = 40;
  for (const at of steps) {
    const precision = at + GUARD;
    const drop = BigInt(bits - precision);
    const x = drop >= 0n ? value >> drop : value << -drop;
    const y = found << BigInt(precision - places);
    const { mantissa, exponent } = exponential(y, precision);
    const e = exponent < 0 ? mantissa >> BigInt(-exponent) : mantissa << BigInt(exponent);
    found = y + ((2n * (x - e)) << BigInt(precision)) / (x + e);
    places = precision;
  }
  return found >> BigInt(places - bits);
}

/** `ln(units / 10^scale)` of a positive number, to the last bits. */
export function logarithm(units: bigint, scale: number, bits: number): bigint {
  const length = Math.max(units.toString(16).length * 4, scale * 4, 1);
  const precision = bits + GUARD + Math.ceil(Math.log2(length));
  const { ten } = logarithms(precision);
  const found = logarithmOf(units, precision) - BigInt(scale) * ten;
  return found >> BigInt(precision - bits);
}
