import { invalidBinary, invalidSyntax, SqlError } from "../error.ts";
import { type TypeCodec, trimSpace } from "./codec.ts";
import type { SqlContext } from "./context.ts";

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const HEXADECIMAL = /^([+-]?)0[xX]([\da-fA-F]*)\.?([\da-fA-F]*)(?:[pP]([+-]?\d+))?$/;
const SPECIAL: Readonly<Record<string, number>> = {
  nan: NaN,
  inf: Infinity,
  "+inf": Infinity,
  "-inf": -Infinity,
  infinity: Infinity,
  "+infinity": Infinity,
  "-infinity": -Infinity,
  "+nan": NaN,
  "-nan": NaN,
};

function parseHexadecimal(text: string): number | undefined {
  const found = HEXADECIMAL.exec(text);
  if (found === null) return undefined;
  const [, sign, whole = "", part = "", power = "0"] = found;
  if (whole === "" && part === "") return undefined;
  const value = Number(BigInt(`0x${whole}${part}`)) * 2 ** (Number(power) - 4 * part.length);
  return sign === "-" ? -value : value;
}

function parseFloatText(text: string, type: string, round: (value: number) => number): number {
  const trimmed = trimSpace(text);
  if (!DECIMAL.test(trimmed)) {
    const special = SPECIAL[trimmed.toLowerCase()] ?? parseHexadecimal(trimmed);
    if (special === undefined) throw invalidSyntax(type, text);
    return round(special);
  }
  const value = round(Number(trimmed));
  const isZero = value === 0 && /[1-9]/.test(trimmed.replace(/[eE].*/, ""));
  if (isZero || !Number.isFinite(value)) {
    throw new SqlError("22003", `"${trimmed}" is out of range for type ${type}`);
  }
  return value;
}

/** Digits of the shortest text that reads back as the same float4. */
function shortFloat4(value: number): string {
  for (let digits = 1; digits < 9; digits++) {
    const text = value.toExponential(digits - 1);
    const read = Number(text);
    const mirrored = 2 * read - value;
    const isMiddle = read !== value && Math.fround(mirrored) === mirrored;
    if (Math.fround(read) === value && !isMiddle) return text;
  }
  return value.toExponential(8);
}

/**
 * Digits of a float8. Where the shortest text is exactly in the middle of two float8, PostgreSQL
 * takes more digits, and does not rely on the reader's rounding to even.
 */
function shortFloat8(value: number): string {
  const text = value.toExponential();
  if (Math.abs(value) < 2 ** 53 || Math.abs(value) > 1e30) return text;
  const whole = BigInt(value);
  const [mantissa = "", power = "0"] = text.split("e");
  const digits = mantissa.replace(".", "");
  const places = Number(power) - (digits.replace("-", "").length - 1);
  if (places < 0) return text;
  const read = BigInt(digits) * 10n ** BigInt(places);
  const mirrored = 2n * read - whole;
  const isMiddle = read !== whole && BigInt(Number(mirrored)) === mirrored;
  return isMiddle ? value.toExponential(16) : text;
}

/** PostgreSQL's layout: no exponent from 10^-4 up to `plain` digits, else `1e+15`. */
function layOut(exponential: string, plain: number): string {
  const [mantissa = "", power = "0"] = exponential.split("e");
  const exponent = Number(power);
  const sign = mantissa.startsWith("-") ? "-" : "";
  const digits = mantissa.replace("-", "").replace(".", "").replace(/0+$/, "") || "0";
  if (exponent < -4 || exponent >= plain) {
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : "";
    const size = String(Math.abs(exponent)).padStart(2, "0");
    return `${sign}${digits[0]}${fraction}e${exponent < 0 ? "-" : "+"}${size}`;
  }
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  const fraction = digits.slice(exponent + 1);
  return `${sign}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}

function special(value: number): string | undefined {
  if (Number.isNaN(value)) return "NaN";
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  if (value === Infinity) return "Infinity";
  return value === -Infinity ? "-Infinity" : undefined;
}

/** The text of a float8. With `extraFloatDigits` 0 or less it has 15 digits, or fewer. */
export function float8Text(value: number, extraFloatDigits = 1): string {
  const known = special(value);
  if (known !== undefined) return known;
  if (extraFloatDigits > 0) return layOut(shortFloat8(value), 15);
  const digits = Math.max(15 + extraFloatDigits, 1);
  return layOut(value.toExponential(digits - 1), digits);
}

export function float4Text(value: number, extraFloatDigits = 1): string {
  const known = special(value);
  if (known !== undefined) return known;
  if (extraFloatDigits > 0) return layOut(shortFloat4(value), 6);
  const digits = Math.max(6 + extraFloatDigits, 1);
  return layOut(value.toExponential(digits - 1), digits);
}

/** PostgreSQL's order: NaN equals itself and is above all. */
export function compareFloats(left: number, right: number): number {
  if (left < right) return -1;
  if (left > right) return 1;
  if (left === right) return 0;
  return Number(Number.isNaN(left)) - Number(Number.isNaN(right));
}

export const float8: TypeCodec<number> = {
  input: (text) => parseFloatText(text, "double precision", (value) => value),
  output: (value: number, context: SqlContext) =>
    float8Text(value, context.settings.extraFloatDigits),
  receive(bytes) {
    if (bytes.length !== 8) throw invalidBinary("double precision");
    return bytes.readDoubleBE();
  },
  send(value) {
    const bytes = Buffer.allocUnsafe(8);
    bytes.writeDoubleBE(value);
    return bytes;
  },
  compare: compareFloats,
  hash: (value) => (value === 0 ? 0 : value),
};

export const float4: TypeCodec<number> = {
  input: (text) => parseFloatText(text, "real", Math.fround),
  output: (value: number, context: SqlContext) =>
    float4Text(value, context.settings.extraFloatDigits),
  receive(bytes) {
    if (bytes.length !== 4) throw invalidBinary("real");
    return bytes.readFloatBE();
  },
  send(value) {
    const bytes = Buffer.allocUnsafe(4);
    bytes.writeFloatBE(value);
    return bytes;
  },
  compare: compareFloats,
  hash: (value) => (value === 0 ? 0 : value),
};
