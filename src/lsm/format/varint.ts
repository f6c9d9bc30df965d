/*
 * Unsigned integers in groups of seven bits, lowest first; the top bit says that more follow
 * (LEB128). At most 8 bytes here, which hold every whole number below 2^53.
 *
 * Example: 300 is ac 02; 2^53 - 1 is ff ff ff ff ff ff ff 0f.
 */

export const MAX_VARINT_BYTES = 8;

/** Writes a whole number below 2^53 at `at`; answers the offset behind it. */
export function writeVarint(target: Uint8Array, at: number, value: number): number {
  let rest = value;
  let to = at;
  while (rest > 0x0fff_ffff) {
    target[to++] = (rest % 128) | 0x80;
    rest = Math.floor(rest / 128);
  }
  while (rest > 127) {
    target[to++] = (rest & 127) | 0x80;
    rest >>>= 7;
  }
  target[to++] = rest;
  return to;
}

/** Bytes of a whole number below 2^53. */
export function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest > 127; rest = Math.floor(rest / 128)) bytes++;
  return bytes;
}

/** Value and the offset behind it, or undefined where the bytes end early or exceed 2^53 - 1. */
export function readVarint(
  bytes: Uint8Array,
  at: number,
  end: number,
): { readonly value: number; readonly after: number } | undefined {
  let value = 0;
  let scale = 1;
  const stop = Math.min(end, at + MAX_VARINT_BYTES);
  for (let i = at; i < stop; i++) {
    const byte = bytes[i] ?? 0;
    value += (byte & 127) * scale;
    if (byte < 128) return value <= Number.MAX_SAFE_INTEGER ? { value, after: i + 1 } : undefined;
    scale *= 128;
  }
  return undefined;
}

/** A whole number below 2^53 in eight bytes, lowest first. */
export function writeU64(target: Uint8Array, at: number, value: number): void {
  writeU32(target, at, value % 0x1_0000_0000);
  writeU32(target, at + 4, Math.floor(value / 0x1_0000_0000));
}

/** Eight bytes, lowest first, or undefined from 2^53 on. */
export function readU64(bytes: Uint8Array, at: number): number | undefined {
  const value = readU32(bytes, at) + readU32(bytes, at + 4) * 0x1_0000_0000;
  return Number.isSafeInteger(value) ? value : undefined;
}

/** Writes 4 bytes, lowest first. */
export function writeU32(target: Uint8Array, at: number, value: number): void {
  target[at] = value;
  target[at + 1] = value >>> 8;
  target[at + 2] = value >>> 16;
  target[at + 3] = value >>> 24;
}

/** Reads 4 bytes, lowest first, as an unsigned integer. Does not check bounds. */
export function readU32(bytes: Uint8Array, at: number): number {
  const low = (bytes[at] as number) | ((bytes[at + 1] as number) << 8);
  return (low | ((bytes[at + 2] as number) << 16) | ((bytes[at + 3] as number) << 24)) >>> 0;
}
