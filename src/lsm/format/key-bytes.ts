import type { Key } from "./entry.ts";

let scratch: Buffer = Buffer.allocUnsafeSlow(256);

/** The bytes of a key, from 0 to its length: good until the next call. */
export function keyScratch(key: Key): Buffer {
  if (key.length > scratch.length) scratch = Buffer.allocUnsafeSlow(2 * key.length);
  textInto(scratch, 0, key);
  return scratch;
}

/** Below this, a loop is faster than a call into the runtime. */
const SHORT_TEXT = 48;

/** Writes the bytes of a key at an offset; answers how many. */
export function textInto(out: Buffer, at: number, key: Key): number {
  if (key.length > SHORT_TEXT) return out.write(key, at, "latin1");
  for (let i = 0; i < key.length; i++) out[at + i] = key.charCodeAt(i);
  return key.length;
}
