import { invalidBinary, invalidSyntax, outOfRange, textOutOfRange } from "../error.ts";
import { order, type TypeCodec } from "./codec.ts";

/** Digits, and what follows but blanks: too many digits are found before it. */
const INTEGER = /^[ \t\n\r\v\f]*([+-]?\d+)[ \t\n\r\v\f]*([^ \t\n\r\v\f]?)/;
const INT8_MAX = 0x7fff_ffff_ffff_ffffn;
const INT8_MIN = -0x8000_0000_0000_0000n;

export function checkInt2(value: number): number {
  if (value > 32_767 || value < -32_768) throw outOfRange("smallint");
  return value;
}

export function checkInt4(value: number): number {
  if (value > 2_147_483_647 || value < -2_147_483_648) throw outOfRange("integer");
  return value;
}

export function checkInt8(value: bigint): bigint {
  if (value > INT8_MAX || value < INT8_MIN) throw outOfRange("bigint");
  return value;
}

const ZERO = 0x30;
const MINUS = 0x2d;
/** So many digits are in the range of `int4`, whatever they are. */
const SURE_DIGITS = 9;

/** The value of a text of few digits, as most are; undefined of any other. */
function plainInteger(text: string): number | undefined {
  const { length } = text;
  const isNegative = text.charCodeAt(0) === MINUS;
  const first = isNegative ? 1 : 0;
  if (length === first || length > first + SURE_DIGITS) return undefined;
  let value = 0;
  for (let at = first; at < length; at++) {
    const digit = text.charCodeAt(at) - ZERO;
    if (digit < 0 || digit > 9) return undefined;
    value = 10 * value + digit;
  }
  return isNegative && value !== 0 ? -value : value;
}

function small(type: string, bytes: 2 | 4): TypeCodec<number> {
  const limit = 2 ** (8 * bytes - 1);
  return {
    input(text) {
      const plain = plainInteger(text);
      if (plain !== undefined && plain < limit && plain >= -limit) return plain;
      const [, digits, rest] = INTEGER.exec(text) ?? [];
      const value = Number(digits);
      if (value >= limit || value < -limit) throw textOutOfRange(type, text);
      if (digits === undefined || rest !== "") throw invalidSyntax(type, text);
      return value === 0 ? 0 : value;
    },
    output: String,
    receive(received) {
      if (received.length !== bytes) throw invalidBinary(type);
      return received.readIntBE(0, bytes);
    },
    send(value) {
      const sent = Buffer.allocUnsafe(bytes);
      sent.writeIntBE(value, 0, bytes);
      return sent;
    },
    compare: (left, right) => left - right,
    hash: (value) => value,
  };
}

export const int2: TypeCodec<number> = small("smallint", 2);
export const int4: TypeCodec<number> = small("integer", 4);

/** @throws SqlError 22P02, 22003. */
export function parseInt8(text: string): bigint {
  const plain = plainInteger(text);
  if (plain !== undefined) return BigInt(plain);
  const [, digits, rest] = INTEGER.exec(text) ?? [];
  if (digits === undefined) throw invalidSyntax("bigint", text);
  // Longer than any value even with zeros in front of it: refused without a long conversion.
  const trimmed = digits.replace(/^([+-]?)0+(?=\d)/, "$1");
  const value = trimmed.length > 21 ? INT8_MAX + 1n : BigInt(trimmed.replace("+", ""));
  if (value > INT8_MAX || value < INT8_MIN) throw textOutOfRange("bigint", text);
  if (rest !== "") throw invalidSyntax("bigint", text);
  return value;
}

export const int8: TypeCodec<bigint> = {
  input: parseInt8,
  output: String,
  receive(bytes) {
    if (bytes.length !== 8) throw invalidBinary("bigint");
    return bytes.readBigInt64BE();
  },
  send(value) {
    const bytes = Buffer.allocUnsafe(8);
    bytes.writeBigInt64BE(value);
    return bytes;
  },
  compare: order,
  hash: (value) => value,
};

/** `xid` and `cid` take what C's `strtoul` takes: anything else is 0. */
function parseUnsigned(text: string): number {
  const found = /^[ \t\n\r\v\f]*([+-]?)(0[xX][\da-fA-F]+|0[0-7]*|\d+)/.exec(text);
  const digits = found?.[2] ?? "0";
  const isOctal = /^0[0-7]+$/.test(digits);
  const value = BigInt(isOctal ? `0o${digits}` : digits);
  const capped = value > 0xffff_ffff_ffff_ffffn ? 0xffff_ffff_ffff_ffffn : value;
  return Number(BigInt.asUintN(32, found?.[1] === "-" ? -capped : capped));
}

/** `oid` and what is one: unsigned 32 bits, and negative texts wrap as PostgreSQL's do. */
export const oid: TypeCodec<number> = {
  input(text) {
    const [, digits, rest] = INTEGER.exec(text) ?? [];
    const value = Number(digits);
    if (Math.abs(value) >= 2 ** 64) throw textOutOfRange("oid", text);
    if (digits === undefined || rest !== "") throw invalidSyntax("oid", text);
    if (value > 0xffff_ffff || value < -0x8000_0000) throw textOutOfRange("oid", text);
    return value >>> 0;
  },
  output: String,
  receive(bytes) {
    if (bytes.length !== 4) throw invalidBinary("oid");
    return bytes.readUInt32BE();
  },
  send(value) {
    const bytes = Buffer.allocUnsafe(4);
    bytes.writeUInt32BE(value);
    return bytes;
  },
  compare: (left, right) => left - right,
  hash: (value) => value,
};

export const xid: TypeCodec<number> = { ...oid, input: parseUnsigned };
