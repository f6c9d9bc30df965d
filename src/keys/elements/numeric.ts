import { malformed, unfit } from "../errors.ts";
import type { KeyReader } from "../reader.ts";
import type { KeyWriter } from "../writer.ts";
import type { Element } from "./element.ts";

/*
 * Decimal numbers of any length: a class, then digits of base 100.
 *
 *   class    what
 *   01       -Infinity
 *   3d…7d    negative: the complement of all bytes of the positive one
 *   80       zero
 *   82       positive, exponent below -30; 3 bytes: exponent + 2^23
 *   83…bf    positive, exponent from -30 to 30: class - a1
 *   c2       positive, exponent above 30; 3 bytes as above
 *   fd       Infinity
 *   fe       NaN, the greatest
 *
 * The number is 0.d1 d2 d3… × 100^exponent, where d1 and the last digit are not 0. A digit d is
 * the byte 2d + 1, the last one 2d: so a shorter number sorts before those that go on.
 *
 *   type     value      bytes
 *   numeric  0          80
 *   numeric  1          a202
 *   numeric  -1         5dfd
 *   numeric  12.34      a21944
 *   numeric  0.05       a10a
 *   numeric  100        a302
 *   numeric  NaN        fe
 *   numeric  -Infinity  01
 *   numeric  1e100      c280003302
 *
 * What the order does not need is lost: zeros behind the last digit, the sign of zero.
 */

const MINUS_INFINITY = 0x01;
const ZERO = 0x80;
const FAR_BELOW = 0x82;
const ONE_BYTE = 0xa1;
const NEAR = 30;
const FAR_ABOVE = 0xc2;
const INFINITY = 0xfd;
const NAN = 0xfe;
const FAR_BIAS = 0x80_0000;

/** What PostgreSQL holds: 131,072 digits before the point, 16,383 behind it. In base 100. */
const MOST_EXPONENT = 65_536;
const LEAST_EXPONENT = -8_191;

const DECIMAL = /^([+-]?)(?=\.?[0-9])([0-9]*)\.?([0-9]*)(?:[eE]([+-]?[0-9]{1,7}))?$/;
const SPECIAL: ReadonlyMap<string, number> = new Map([
  ["NaN", NAN],
  ["Infinity", INFINITY],
  ["-Infinity", MINUS_INFINITY],
]);
const SPECIAL_TEXT: ReadonlyMap<number, string> = new Map(
  [...SPECIAL].map(([name, byte]) => [byte, name]),
);

/** In and out as PostgreSQL writes decimals: "12.50" comes back as "12.5". */
export const numeric: Element<string> = {
  write(out, value) {
    const special = typeof value === "string" ? SPECIAL.get(value) : undefined;
    if (special !== undefined) out.byte(special);
    else writeDecimal(out, value);
  },
  read(input) {
    const head = input.byte();
    if (head === ZERO) return "0";
    const special = SPECIAL_TEXT.get(head);
    if (special !== undefined) return special;
    if (head > ZERO) return readDecimal(input, head);
    input.flip ^= 0xff;
    const positive = readDecimal(input, head ^ 0xff);
    input.flip ^= 0xff;
    return `-${positive}`;
  },
};

function writeDecimal(out: KeyWriter, value: string): void {
  const match = typeof value === "string" ? DECIMAL.exec(value) : null;
  if (match === null) throw unfit("numeric", "a decimal number as a text", value);
  const [, sign, whole = "", fraction = "", power = "0"] = match;
  const all = whole + fraction;
  const first = firstDigit(all);
  if (first === all.length) {
    out.byte(ZERO);
    return;
  }
  const tens = whole.length + Number(power) - first;
  // An odd power of ten needs a zero in front, to begin at a digit of base 100.
  const isOdd = tens % 2 !== 0;
  const exponent = Math.ceil(tens / 2);
  if (exponent > MOST_EXPONENT || exponent < LEAST_EXPONENT) {
    throw unfit("numeric", "a number of at most 131,072 digits before the point", value);
  }
  const from = out.length;
  writeExponent(out, exponent);
  writeDigits(out, all, first, lastDigit(all) + 1, isOdd);
  if (sign === "-") out.invert(from);
}

function firstDigit(digits: string): number {
  let at = 0;
  while (at < digits.length && digits.charCodeAt(at) === 0x30) at++;
  return at;
}

function lastDigit(digits: string): number {
  let at = digits.length - 1;
  while (digits.charCodeAt(at) === 0x30) at--;
  return at;
}

function writeExponent(out: KeyWriter, exponent: number): void {
  if (exponent >= -NEAR && exponent <= NEAR) {
    out.byte(ONE_BYTE + exponent);
    return;
  }
  const at = out.extend(4);
  out.bytes[at] = exponent < 0 ? FAR_BELOW : FAR_ABOVE;
  out.bytes.writeUIntBE(exponent + FAR_BIAS, at + 1, 3);
}

/** Pairs of the decimal digits [from, to); the first pair has a zero in front where that is odd. */
function writeDigits(
  out: KeyWriter,
  digits: string,
  from: number,
  to: number,
  isOdd: boolean,
): void {
  const digit = (at: number) => (at < to ? digits.charCodeAt(at) - 0x30 : 0);
  let at = from;
  if (isOdd) out.byte(2 * digit(at++) + 1);
  for (; at < to; at += 2) out.byte(2 * (10 * digit(at) + digit(at + 1)) + 1);
  const last = out.length - 1;
  out.bytes[last] = (out.bytes[last] as number) - 1;
}

function readDecimal(input: KeyReader, head: number): string {
  const exponent = readExponent(input, head);
  let digits = "";
  let byte: number;
  do {
    byte = input.byte();
    if (byte > 199) throw malformed("a digit of base 100 above 99", input.at - 1);
    digits += String(byte >> 1).padStart(2, "0");
  } while (byte % 2 === 1);
  if (byte === 0 || digits.startsWith("00")) throw malformed("a zero at an end", input.at - 1);
  return placed(digits, 2 * exponent);
}

function readExponent(input: KeyReader, head: number): number {
  if (head !== FAR_BELOW && head !== FAR_ABOVE) {
    const near = head - ONE_BYTE;
    if (near < -NEAR || near > NEAR) throw malformed("an unknown class of number", input.at - 1);
    return near;
  }
  const far = input.byte() * 65_536 + input.uint16() - FAR_BIAS;
  const fits = head === FAR_ABOVE ? far > NEAR : far < -NEAR;
  if (!fits || far > MOST_EXPONENT || far < LEAST_EXPONENT) {
    throw malformed("an exponent out of range", input.at - 3);
  }
  return far;
}

/** 0.digits × 10^tens, without an exponent and without zeros that say nothing. */
function placed(digits: string, tens: number): string {
  if (tens <= 0) return `0.${"0".repeat(-tens)}${digits.replace(/0$/, "")}`;
  const padded = digits.padEnd(tens, "0");
  const whole = padded.slice(0, tens).replace(/^0/, "");
  const fraction = padded.slice(tens).replace(/0$/, "");
  return fraction === "" ? whole : `${whole === "" ? "0" : whole}.${fraction}`;
}
