import { unfit } from "../errors.ts";
import type { KeyReader } from "../reader.ts";
import type { KeyWriter } from "../writer.ts";
import type { Element } from "./element.ts";

/*
 * Floats: IEEE 754, highest byte first. A positive one has its sign bit set, a negative one all of
 * its bits flipped. Both zeros are one value, and NaN is the greatest, as PostgreSQL has it.
 *
 *   type    value       bytes
 *   float8  -Infinity   000fffffffffffff
 *   float8  -1.5        4007ffffffffffff
 *   float8  -0          8000000000000000
 *   float8  0           8000000000000000
 *   float8  1.5         bff8000000000000
 *   float8  Infinity    fff0000000000000
 *   float8  NaN         fff8000000000000
 *   float4  1.5         bfc00000
 *   float4  -1.5        403fffff
 *   float4  NaN         ffc00000
 */

export const float8: Element<number> = {
  write(out, value) {
    if (typeof value !== "number") throw unfit("float8", "a number", value);
    const at = out.extend(8);
    // Adding 0 turns -0 into 0. NaN has many forms in memory; 7ff8… is the one that is written.
    if (Number.isNaN(value)) out.bytes.writeBigUInt64BE(NAN_8, at);
    else out.bytes.writeDoubleBE(value + 0, at);
    order(out, at);
  },
  read: (input) => unordered(input, 8).readDoubleBE(0),
};

/** Numbers that 32 bits hold exactly: others are refused, since they would not come back. */
export const float4: Element<number> = {
  write(out, value) {
    if (typeof value !== "number" || !Object.is(Math.fround(value), value)) {
      throw unfit("float4", "a number of single precision", value);
    }
    const at = out.extend(4);
    if (Number.isNaN(value)) out.bytes.writeUInt32BE(NAN_4, at);
    else out.bytes.writeFloatBE(value + 0, at);
    order(out, at);
  },
  read: (input) => unordered(input, 4).readFloatBE(0),
};

const NAN_8 = 0x7ff8_0000_0000_0000n;
const NAN_4 = 0x7fc0_0000;

function order(out: KeyWriter, at: number): void {
  const first = out.bytes[at] as number;
  if (first >= 0x80) out.invert(at);
  else out.bytes[at] = first | 0x80;
}

const scratch = Buffer.alloc(8);

/** The bytes of the float itself, in memory that the next call uses again. */
function unordered(input: KeyReader, count: number): Buffer {
  const { bytes, flip } = input;
  const at = input.advance(count);
  const isPositive = (((bytes[at] as number) ^ flip) & 0x80) !== 0;
  const mask = isPositive ? flip : flip ^ 0xff;
  for (let i = 0; i < count; i++) scratch[i] = (bytes[at + i] as number) ^ mask;
  if (isPositive) scratch[0] = (scratch[0] as number) & 0x7f;
  return scratch;
}
