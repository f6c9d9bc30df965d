import type { Datum } from "../../rows/datum.ts";
import { notSupported } from "../error.ts";
import { OID } from "../types/oids.ts";
import { trimBlanks } from "../types/texts.ts";
import { type Family, typed } from "./implementation.ts";

/*
 * PostgreSQL's extended hashes, by which rows of hash partitions are placed: Bob Jenkins' lookup3
 * over bytes or one word, with a seed, 64 bits of it. Rows of a dump land where they were.
 */

const SEED = 0x7a5b_2236_7996_dcfdn;
const MASK = 0xffff_ffff_ffff_ffffn;
/** 2000-01-01 in microseconds since 1970, and in days. */
const EPOCH_MICROS = 946_684_800_000_000n;
const EPOCH_DAYS = 10_957;

const rot = (x: number, k: number): number => (x << k) | (x >>> (32 - k));

class State {
  a: number;
  b: number;
  c: number;

  constructor(bytes: number) {
    this.a = this.b = this.c = (0x9e37_79b9 + bytes + 3_923_095) | 0;
    this.a = (this.a + Number(SEED >> 32n)) | 0;
    this.b = (this.b + Number(SEED & 0xffff_ffffn)) | 0;
    this.mix();
  }

  mix(): void {
    let { a, b, c } = this;
    a = (((a - c) | 0) ^ rot(c, 4)) | 0;
    c = (c + b) | 0;
    b = (((b - a) | 0) ^ rot(a, 6)) | 0;
    a = (a + c) | 0;
    c = (((c - b) | 0) ^ rot(b, 8)) | 0;
    b = (b + a) | 0;
    a = (((a - c) | 0) ^ rot(c, 16)) | 0;
    c = (c + b) | 0;
    b = (((b - a) | 0) ^ rot(a, 19)) | 0;
    a = (a + c) | 0;
    c = (((c - b) | 0) ^ rot(b, 4)) | 0;
    b = (b + a) | 0;
    this.a = a;
    this.b = b;
    this.c = c;
  }

  end(): bigint {
    let { a, b, c } = this;
    c = ((c ^ b) - rot(b, 14)) | 0;
    a = ((a ^ c) - rot(c, 11)) | 0;
    b = ((b ^ a) - rot(a, 25)) | 0;
    c = ((c ^ b) - rot(b, 16)) | 0;
    a = ((a ^ c) - rot(c, 4)) | 0;
    b = ((b ^ a) - rot(a, 14)) | 0;
    c = ((c ^ b) - rot(b, 24)) | 0;
    return (BigInt(b >>> 0) << 32n) | BigInt(c >>> 0);
  }
}

function hashWord(word: number): bigint {
  const state = new State(4);
  state.a = (state.a + word) | 0;
  return state.end();
}

function hashLong(value: bigint): bigint {
  const low = Number(BigInt.asIntN(32, value));
  const high = Number(BigInt.asIntN(32, value >> 32n));
  return hashWord(low ^ (value >= 0n ? high : ~high));
}

function hashBytes(bytes: Uint8Array): bigint {
  const state = new State(bytes.length);
  const at = (i: number): number => bytes[i] ?? 0;
  const word = (i: number): number =>
    at(i) | (at(i + 1) << 8) | (at(i + 2) << 16) | (at(i + 3) << 24);
  let from = 0;
  for (; bytes.length - from >= 12; from += 12) {
    state.a = (state.a + word(from)) | 0;
    state.b = (state.b + word(from + 4)) | 0;
    state.c = (state.c + word(from + 8)) | 0;
    state.mix();
  }
  state.a = (state.a + word(from)) | 0;
  state.b = (state.b + word(from + 4)) | 0;
  // The lowest byte of the third word is left to the length.
  state.c = (state.c + (word(from + 8) << 8)) | 0;
  return state.end();
}

const WORDS: ReadonlySet<number> = new Set([OID.int2, OID.int4]);
const TEXTS: ReadonlySet<number> = new Set([OID.text, OID.varchar]);
const TIMES: ReadonlySet<number> = new Set([OID.timestamp, OID.timestamptz]);

/** How values of a type are hashed. @throws SqlError 0A000. */
export function hashOf(oid: number): (value: Datum) => bigint {
  if (WORDS.has(oid)) return (value) => hashWord(Number(value));
  if (oid === OID.int8) return (value) => hashLong(BigInt(value as bigint));
  if (oid === OID.bool) return (value) => hashWord(value === true ? 1 : 0);
  if (TEXTS.has(oid)) return (value) => hashBytes(Buffer.from(String(value)));
  if (oid === OID.bpchar) return (value) => hashBytes(Buffer.from(trimBlanks(String(value))));
  if (oid === OID.date) return (value) => hashWord(Number(value) - EPOCH_DAYS);
  if (TIMES.has(oid)) return (value) => hashLong((value as bigint) - EPOCH_MICROS);
  if (oid === OID.uuid) {
    return (value) => hashBytes(Buffer.from(String(value).replaceAll("-", ""), "hex"));
  }
  const hint = "Hash partitions are of integers, texts, dates, timestamps, booleans and UUIDs.";
  throw notSupported("a hash partition key of this type", hint);
}

/** The hash of a partition key: NULL adds nothing. */
export function keyHash(
  hashes: readonly ((value: Datum) => bigint)[],
  key: readonly Datum[],
): bigint {
  let all = 0n;
  for (const [i, hash] of hashes.entries()) {
    const value = key[i] ?? null;
    if (value === null) continue;
    const mixed = hash(value) + 0x49a0_f4dd_15e5_a8e3n + ((all << 54n) & MASK) + (all >> 7n);
    all = (all ^ mixed) & MASK;
  }
  return all;
}

/** `satisfies_hash_partition(table, modulus, remainder, key…)`. */
export const partitionHashFamily: Family = {
  satisfies_hash_partition: typed((call) => {
    const hashes = call.arguments.slice(3).map((oid) => hashOf(call.types.baseOf(oid)));
    return (_table: Datum, modulus: Datum, remainder: Datum, ...rest: Datum[]) => {
      if (modulus === null || remainder === null) return false;
      const hash = keyHash(hashes, rest.slice(0, hashes.length));
      return hash % BigInt(modulus as number) === BigInt(remainder as number);
    };
  }),
};
