export const KEY_BYTES = 16;
export const VALUE_BYTES = 100;

export function keyOf(row: number): Uint8Array {
  return Buffer.from(String(row).padStart(KEY_BYTES, "0"), "latin1");
}
