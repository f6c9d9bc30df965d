/** 64-bit little-endian integers up to 2^53 - 1, without the cost of a bigint each. */
export function writeUint53(out: Buffer, value: number, at: number): void {
  out.writeUInt32LE(value % 2 ** 32, at);
  out.writeUInt32LE(Math.floor(value / 2 ** 32), at + 4);
}

/** NaN where the integer is above 2^53 - 1, which compares as unequal to everything. */
export function readUint53(bytes: Buffer, at: number): number {
  const high = bytes.readUInt32LE(at + 4);
  return high < 2 ** 21 ? high * 2 ** 32 + bytes.readUInt32LE(at) : Number.NaN;
}

/** The bytes as a Buffer, without a copy. */
export function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
