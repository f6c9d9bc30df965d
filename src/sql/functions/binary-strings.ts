import { createHash } from "node:crypto";
import { invalidParameter, notSupported, SqlError } from "../error.ts";
import { escapeBytes, hexOf, parseEscaped, parseHex } from "../types/bytea.ts";
import type { SqlContext } from "../types/context.ts";
import { decodeText } from "../types/texts.ts";
import type { Family } from "./implementation.ts";

const digest = (name: string) => (bytes: Uint8Array) =>
  new Uint8Array(createHash(name).update(bytes).digest());
const md5 = (bytes: Uint8Array | string): string => createHash("md5").update(bytes).digest("hex");

function encode(bytes: Uint8Array, format: string): string {
  switch (format.toLowerCase()) {
    case "hex":
      return hexOf(bytes);
    case "base64":
      return Buffer.from(bytes)
        .toString("base64")
        .replace(/.{76}(?=.)/g, "$&\n");
    case "escape":
      // Only a zero and bytes above ASCII are escaped here.
      return [...bytes].map((byte) => escapeByte(byte)).join("");
    default:
      throw unknownFormat(format);
  }
}

function escapeByte(byte: number): string {
  if (byte === 0 || byte > 0x7f) return escapeBytes(Uint8Array.of(byte));
  return byte === 0x5c ? "\\\\" : String.fromCharCode(byte);
}

function unknownFormat(format: string): SqlError {
  return invalidParameter(`unrecognized encoding: "${format}"`);
}

function decode(text: string, format: string): Uint8Array {
  switch (format.toLowerCase()) {
    case "hex":
      return parseHex(text);
    case "base64":
      return decodeBase64(text);
    case "escape":
      return parseEscaped(text);
    default:
      throw unknownFormat(format);
  }
}

function decodeBase64(text: string): Uint8Array {
  const bare = text.replace(/[ \t\n\r]/g, "");
  const wrong = /[^A-Za-z0-9+/=]/u.exec(bare)?.[0];
  if (wrong !== undefined) {
    throw invalidParameter(`invalid symbol "${wrong}" found while decoding base64 sequence`);
  }
  if (!/^[^=]*={0,2}$/.test(bare)) throw notSupported("base64 with = inside");
  if (bare.length % 4 !== 0) throw invalidParameter("invalid base64 end sequence");
  return new Uint8Array(Buffer.from(bare, "base64"));
}

function byteIndex(index: number | bigint, count: number): number {
  if (index >= 0 && index < count) return Number(index);
  const last = count - 1;
  throw new SqlError("2202E", `index ${index} out of valid range, 0..${last}`);
}

function changed(bytes: Uint8Array, at: number, value: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[at] = value;
  return copy;
}

function setBit(bytes: Uint8Array, index: bigint, bit: number): Uint8Array {
  const at = byteIndex(index, bytes.length * 8);
  if (bit !== 0 && bit !== 1) throw invalidParameter("new bit must be 0 or 1");
  const old = bytes[at >> 3] as number;
  const mask = 1 << (at & 7);
  return changed(bytes, at >> 3, bit === 1 ? old | mask : old & ~mask);
}

function bitCount(bytes: Uint8Array): bigint {
  let count = 0;
  for (const byte of bytes) for (let rest = byte; rest !== 0; rest &= rest - 1) count++;
  return BigInt(count);
}

function uuid(at: SqlContext): string {
  const bytes = Buffer.from(at.random.bytes(16));
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = hexOf(bytes);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

export const binaryStringFamily: Family = {
  md5_text: (a: string) => md5(a),
  md5_bytea: (a: Uint8Array) => md5(a),
  sha224_bytea: digest("sha224"),
  sha256_bytea: digest("sha256"),
  sha384_bytea: digest("sha384"),
  sha512_bytea: digest("sha512"),
  binary_encode: encode,
  binary_decode: decode,
  byteaGetByte: (a: Uint8Array, at: number) => a[byteIndex(at, a.length)],
  byteaSetByte: (a: Uint8Array, at: number, value: number) =>
    changed(a, byteIndex(at, a.length), value & 0xff),
  byteaGetBit(a: Uint8Array, index: bigint) {
    const at = byteIndex(index, a.length * 8);
    return ((a[at >> 3] as number) >> (at & 7)) & 1;
  },
  byteaSetBit: setBit,
  bytea_bit_count: bitCount,
  pg_convert_from(a: Uint8Array, encoding: string) {
    if (/^utf-?8$/i.test(encoding)) return decodeText(a);
    throw notSupported(`encoding ${encoding}`);
  },
  pg_convert_to(a: string, encoding: string) {
    if (/^utf-?8$/i.test(encoding)) return new Uint8Array(Buffer.from(a));
    throw notSupported(`encoding ${encoding}`);
  },
  gen_random_uuid: uuid,
};
