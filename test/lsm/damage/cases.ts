import { type Prng, randomBelow } from "../../../src/base/prng.ts";
import { MAX_VARINT_BYTES, writeVarint } from "../../../src/lsm/format/varint.ts";
import type { Files } from "./directory.ts";
import { type LengthField, type Region, structureOf } from "./structure.ts";

/** One damage to one file. */
export interface Case {
  readonly name: string;
  readonly path: string;
  /** Undefined: the file is gone. */
  readonly bytes: Buffer | undefined;
}

/** What is done to every file, region and length field of a directory; each by the same chance. */
export function* casesOf(files: Files, prng: Prng): Generator<Case> {
  for (const [path, bytes] of files) {
    const { regions, lengths } = structureOf(path, bytes);
    const of = (what: string, changed: Buffer | undefined): Case => ({
      name: `${path}: ${what}`,
      path,
      bytes: changed,
    });
    yield of("gone", undefined);
    yield of("empty", Buffer.alloc(0));
    yield of("zeros", Buffer.alloc(bytes.length));
    yield of("noise", Buffer.from(prng.bytes(bytes.length)));
    yield of("longer by a byte", Buffer.concat([bytes, Buffer.of(randomBelow(prng, 256))]));
    yield of("longer by a block", Buffer.concat([bytes, Buffer.from(prng.bytes(4_096))]));
    yield of("twice", Buffer.concat([bytes, bytes]));
    for (const [other, content] of others(files, path, prng)) yield of(`as ${other}`, content);
    for (let i = 0; i < 3; i++) {
      const length = randomBelow(prng, bytes.length);
      yield of(`cut to ${length}`, bytes.subarray(0, length));
      yield of(`zeros from ${length}`, zeroed(bytes, length, bytes.length));
      yield of(`zeros to ${length}`, zeroed(bytes, 0, length));
    }
    for (const region of regions) yield* ofRegion(of, bytes, region, prng);
    for (const field of lengths) yield* ofLength(of, bytes, field);
  }
}

type Make = (what: string, changed: Buffer | undefined) => Case;

function* ofRegion(of: Make, bytes: Buffer, region: Region, prng: Prng): Generator<Case> {
  const { name, start, end } = region;
  const at = start + randomBelow(prng, end - start);
  const bit = randomBelow(prng, 8);
  const flipped = Buffer.from(bytes);
  flipped[at] = (flipped[at] ?? 0) ^ (1 << bit);
  yield of(`${name}, bit ${bit} of ${at} flipped`, flipped);
  const noisy = Buffer.from(bytes);
  noisy.set(prng.bytes(end - start), start);
  yield of(`${name}, noise`, noisy);
  yield of(`${name}, zeros`, zeroed(bytes, start, end));
  yield of(`cut before ${name}`, bytes.subarray(0, start));
  const without = Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)]);
  yield of(`${name} left out`, without);
}

/** Every checksum right, and a length that is not. */
function* ofLength(of: Make, bytes: Buffer, field: LengthField): Generator<Case> {
  for (const value of hostile(bytes, field)) {
    const changed = Buffer.from(bytes);
    write(changed, field, value);
    field.reseal(changed);
    if (!changed.equals(bytes)) yield of(`${field.name} is ${value}, sealed`, changed);
  }
}

function hostile(bytes: Buffer, field: LengthField): readonly number[] {
  const is = read(bytes, field);
  const size = field.end - field.start;
  const most =
    field.coding === "varint" ? 128 ** Math.min(size, MAX_VARINT_BYTES - 1) - 1 : limitOf(field);
  const wanted = [0, 1, is - 4_096, is - 1, is + 1, is + 4_096, bytes.length, 2 ** 31 - 1, most];
  return [...new Set(wanted)].filter((value) => value >= 0 && value <= most && value !== is);
}

function limitOf({ coding }: LengthField): number {
  if (coding === "u16be") return 2 ** 16 - 1;
  return coding === "u32" ? 2 ** 32 - 1 : Number.MAX_SAFE_INTEGER;
}

function read(bytes: Buffer, { coding, start, end }: LengthField): number {
  if (coding === "u16be") return bytes.readUInt16BE(start);
  if (coding === "u32") return bytes.readUInt32LE(start);
  if (coding === "u64") return Number(bytes.readBigUInt64LE(start));
  let value = 0;
  for (let at = end - 1; at >= start; at--) value = value * 128 + ((bytes[at] ?? 0) & 127);
  return value;
}

/** A varint keeps its width, so that nothing moves: its last groups may be empty. */
function write(bytes: Buffer, { coding, start, end }: LengthField, value: number): void {
  if (coding === "u16be") bytes.writeUInt16BE(value, start);
  else if (coding === "u32") bytes.writeUInt32LE(value, start);
  else if (coding === "u64") bytes.writeBigUInt64LE(BigInt(value), start);
  else {
    const after = writeVarint(bytes, start, value);
    if (after === end) return;
    bytes[after - 1] = (bytes[after - 1] ?? 0) | 128;
    bytes.fill(128, after, end - 1);
    bytes[end - 1] = 0;
  }
}

function zeroed(bytes: Buffer, start: number, end: number): Buffer {
  const changed = Buffer.from(bytes);
  return changed.fill(0, start, end);
}

/** Files whose bytes stand here by mistake: of the same kind, and any. */
function others(files: Files, path: string, prng: Prng): readonly (readonly [string, Buffer])[] {
  const all = [...files].filter(([other]) => other !== path);
  const kind = path.slice(path.indexOf("."));
  const alike = all.filter(([other]) => other.slice(other.indexOf(".")) === kind);
  const any = all[randomBelow(prng, all.length)];
  return any === undefined ? alike : [...alike, any];
}
