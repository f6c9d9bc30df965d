import { invalid } from "./refusal.ts";

/** `digits` times ten to the `exponent`. */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

const MAX_DIGITS = 38;
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/;

function parse(text: string): Decimal {
  const match = NUMBER.exec(text);
  if (match === null) {
    throw invalid(`The parameter cannot be converted to a numeric value: ${text}`);
  }
  const [, sign = "", whole = "", fraction = "", power = "0"] = match;
  const digits = BigInt(sign + whole + fraction);
  const decimal = shortest({ digits, exponent: Number(power) - fraction.length });
  if (significant(decimal).length > MAX_DIGITS) {
    throw invalid("Attempting to store more than 38 significant digits in a Number");
  }
  return decimal;
}

function shortest({ digits, exponent }: Decimal): Decimal {
  if (digits === 0n) return { digits: 0n, exponent: 0 };
  let rest = digits;
  let power = exponent;
  for (; rest % 10n === 0n; power++) rest /= 10n;
  return { digits: rest, exponent: power };
}

function significant({ digits }: Decimal): string {
  return String(digits < 0n ? -digits : digits);
}

function print(decimal: Decimal): string {
  const { digits, exponent } = shortest(decimal);
  if (exponent >= 0) return String(digits * 10n ** BigInt(exponent));
  const sign = digits < 0n ? "-" : "";
  const text = significant({ digits, exponent }).padStart(1 - exponent, "0");
  return `${sign}${text.slice(0, exponent)}.${text.slice(exponent)}`;
}

function aligned(a: Decimal, b: Decimal): readonly [bigint, bigint, number] {
  const exponent = Math.min(a.exponent, b.exponent);
  const scaled = (each: Decimal): bigint => each.digits * 10n ** BigInt(each.exponent - exponent);
  return [scaled(a), scaled(b), exponent];
}

/** A number as the service answers it. @throws Refused `ValidationException` */
export function canonical(text: string): string {
  return print(parse(text));
}

export function compareDecimals(a: string, b: string): number {
  const [x, y] = aligned(parse(a), parse(b));
  return x < y ? -1 : x > y ? 1 : 0;
}

export function addDecimals(a: string, b: string, sign: 1 | -1): string {
  const [x, y, exponent] = aligned(parse(a), parse(b));
  return print({ digits: x + BigInt(sign) * y, exponent });
}

/** About one byte for two significant digits, and one; a sign takes one more. */
export function decimalBytes(text: string): number {
  const decimal = parse(text);
  return Math.ceil(significant(decimal).length / 2) + 1 + (decimal.digits < 0n ? 1 : 0);
}
