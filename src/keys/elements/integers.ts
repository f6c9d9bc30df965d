import { malformed, unfit } from "../errors.ts";
import type { KeyReader } from "../reader.ts";
import type { KeyWriter } from "../writer.ts";
import type { Element } from "./element.ts";

/*
 * Integers: highest byte first; signed ones with their sign bit flipped, so that negative ones sort
 * before the others.
 *
 *   type     value             bytes
 *   bool     false             00
 *   bool     true              01
 *   int2     -1                7fff
 *   int4     -2147483648       00000000
 *   int4     0                 80000000
 *   int4     258               80000102
 *   int8     -1                7fffffffffffffff
 *   int8     9007199254740993  8020000000000001
 *   uint2    258               0102
 *   uint4    4294967295        ffffffff
 *   uint8    258               0000000000000102
 *
 * A date is an int4 of days, a time or timestamp an int8 of microseconds, as PostgreSQL counts them
 * from whatever day the caller counts from.
 */

const SIGN_64 = 1n << 63n;

export const bool: Element<boolean> = {
  write(out, value) {
    if (typeof value !== "boolean") throw unfit("bool", "true or false", value);
    out.byte(value ? 1 : 0);
  },
  read(input) {
    const byte = input.byte();
    if (byte > 1) throw malformed("neither true nor false", input.at - 1);
    return byte === 1;
  },
};

export const int2: Element<number> = {
  write(out, value) {
    checkNumber("int2", value, -0x8000, 0x7fff);
    const at = out.extend(2);
    out.bytes.writeUInt16BE(value + 0x8000, at);
  },
  read: (input) => input.uint16() - 0x8000,
};

export const int4: Element<number> = {
  write(out, value) {
    checkNumber("int4", value, -0x8000_0000, 0x7fff_ffff);
    const at = out.extend(4);
    out.bytes.writeUInt32BE(value + 0x8000_0000, at);
  },
  read: (input) => input.uint32() - 0x8000_0000,
};

export const int8: Element<bigint> = {
  write(out, value) {
    checkBigint("int8", value, -SIGN_64, SIGN_64 - 1n);
    const at = out.extend(8);
    out.bytes.writeBigInt64BE(value, at);
    out.bytes[at] = (out.bytes[at] as number) ^ 0x80;
  },
  read: (input: KeyReader) => BigInt.asIntN(64, input.uint64() ^ SIGN_64),
};

export const uint2: Element<number> = {
  write(out, value) {
    checkNumber("uint2", value, 0, 0xffff);
    const at = out.extend(2);
    out.bytes.writeUInt16BE(value, at);
  },
  read: (input) => input.uint16(),
};

export const uint4: Element<number> = {
  write(out, value) {
    checkNumber("uint4", value, 0, 0xffff_ffff);
    const at = out.extend(4);
    out.bytes.writeUInt32BE(value, at);
  },
  read: (input) => input.uint32(),
};

export const uint8: Element<bigint> = {
  write(out: KeyWriter, value) {
    checkBigint("uint8", value, 0n, 2n * SIGN_64 - 1n);
    const at = out.extend(8);
    out.bytes.writeBigUInt64BE(value, at);
  },
  read: (input) => input.uint64(),
};

function checkNumber(type: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw unfit(type, `a whole number from ${least} to ${most}`, value);
}

function checkBigint(type: string, value: bigint, least: bigint, most: bigint): void {
  if (typeof value === "bigint" && value >= least && value <= most) return;
  throw unfit(type, `a bigint from ${least} to ${most}`, value);
}
