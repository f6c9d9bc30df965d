import { Numeric } from "../../rows/numeric.ts";
import { invalidBinary, invalidSyntax, SqlError } from "../error.ts";
import type { TypeCodec } from "./codec.ts";

const BASE_DIGITS = 4;
const SIGNS = { finite: 0, nan: 0xc000, infinity: 0xd000, "-infinity": 0xf000 } as const;
const NEGATIVE = 0x4000;

/** Precision and scale of a modifier, as PostgreSQL packs them; nothing for -1. */
export function numericModifier(
  typmod: number,
): { readonly precision: number; readonly scale: number } | undefined {
  if (typmod < 4) return undefined;
  const packed = typmod - 4;
  return { precision: (packed >> 16) & 0xffff, scale: ((packed & 0x7ff) ^ 1024) - 1024 };
}

export function packNumericModifier(precision: number, scale: number): number {
  return ((precision << 16) | (scale & 0x7ff)) + 4;
}

/** @throws SqlError 22003 where the value has more digits than the modifier allows. */
export function applyNumericModifier(value: Numeric, typmod: number): Numeric {
  const modifier = numericModifier(typmod);
  if (modifier === undefined || value.isNaN) return value;
  const { precision, scale } = modifier;
  if (!value.isFinite) throw fieldOverflow(precision, scale, "an infinite value");
  const rounded = value.round(scale);
  if (rounded.units !== 0 && rounded.digits.exponent >= precision - scale) {
    const power = precision - scale;
    throw fieldOverflow(precision, scale, power === 0 ? "1" : `10^${power}`);
  }
  return rounded;
}

function fieldOverflow(precision: number, scale: number, limit: string): SqlError {
  const field = `A field with precision ${precision}, scale ${scale}`;
  const detail = limit.startsWith("an ")
    ? `${field} cannot hold ${limit}.`
    : `${field} must round to an absolute value less than ${limit}.`;
  return new SqlError("22003", "numeric field overflow", { detail });
}

function receive(bytes: Buffer): Numeric {
  if (bytes.length < 8) throw invalidBinary("numeric");
  const count = bytes.readUInt16BE(0);
  const weight = bytes.readInt16BE(2);
  const sign = bytes.readUInt16BE(4);
  const scale = bytes.readUInt16BE(6);
  if (sign === SIGNS.nan) return Numeric.nan;
  if (sign === SIGNS.infinity) return Numeric.infinity;
  if (sign === SIGNS["-infinity"]) return Numeric.negativeInfinity;
  if ((sign !== 0 && sign !== NEGATIVE) || bytes.length !== 8 + 2 * count || scale > 0x3fff) {
    throw invalidBinary("numeric");
  }
  let text = "";
  for (let i = 0; i < count; i++) {
    const digit = bytes.readUInt16BE(8 + 2 * i);
    if (digit > 9_999) throw invalidBinary("numeric");
    text += String(digit).padStart(BASE_DIGITS, "0");
  }
  if (count === 0) return Numeric.of(0, scale);
  const places = (count - 1 - weight) * BASE_DIGITS;
  const units = BigInt(text) * (sign === NEGATIVE ? -1n : 1n);
  const value =
    places >= 0 ? Numeric.of(units, places) : Numeric.of(units * 10n ** BigInt(-places), 0);
  return value.truncate(scale);
}

function send(value: Numeric): Uint8Array {
  if (!value.isFinite) return header(0, 0, SIGNS[value.kind], 0);
  const sign = value.sign < 0 ? NEGATIVE : 0;
  if (value.units === 0) return header(0, 0, 0, value.scale);
  const { text } = value.digits;
  // Digits stand in groups of four around the point.
  const tail = (BASE_DIGITS - (value.scale % BASE_DIGITS)) % BASE_DIGITS;
  const aligned = text + "0".repeat(tail);
  const padded = aligned.padStart(Math.ceil(aligned.length / BASE_DIGITS) * BASE_DIGITS, "0");
  const groups: number[] = [];
  for (let i = 0; i < padded.length; i += BASE_DIGITS) {
    groups.push(Number(padded.slice(i, i + BASE_DIGITS)));
  }
  const weight = groups.length - 1 - (value.scale + tail) / BASE_DIGITS;
  const skipped = groups.findIndex((group) => group !== 0);
  let end = groups.length;
  while (end > skipped && groups[end - 1] === 0) end--;
  const bytes = header(end - skipped, weight - skipped, sign, value.scale);
  for (let i = skipped; i < end; i++) bytes.writeUInt16BE(groups[i] ?? 0, 8 + 2 * (i - skipped));
  return bytes;
}

function header(count: number, weight: number, sign: number, scale: number): Buffer {
  const bytes = Buffer.alloc(8 + 2 * count);
  bytes.writeUInt16BE(count, 0);
  bytes.writeInt16BE(weight, 2);
  bytes.writeUInt16BE(sign, 4);
  bytes.writeUInt16BE(scale, 6);
  return bytes;
}

export const numeric: TypeCodec<Numeric> = {
  input(text, typmod) {
    const value = Numeric.parse(text);
    if (value === undefined) throw invalidSyntax("numeric", text);
    return applyNumericModifier(value, typmod);
  },
  output: String,
  receive: (bytes, typmod) => applyNumericModifier(receive(bytes), typmod),
  send,
  compare: (left, right) => left.compare(right),
  hash: (value) => value.trim().toString(),
};
