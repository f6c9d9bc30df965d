import type { PackedRows } from "../../../src/lsm/format/packed-rows.ts";
import type { PackedScan } from "../../../src/lsm/read/scan.ts";
import type { Pair } from "./version-map.ts";

const latin1 = (bytes: Uint8Array, from: number, to: number): string =>
  Buffer.from(bytes.subarray(from, to)).toString("latin1");

/** The rows of one batch, as texts. */
export function unpacked(rows: PackedRows, keysOnly = false): readonly Pair[] {
  return Array.from({ length: rows.count }, (_, i): Pair => {
    const key = latin1(rows.keys, i === 0 ? 0 : rows.keyEnds[i - 1]!, rows.keyEnds[i]!);
    if (keysOnly) return [key, ""];
    return [key, latin1(rows.values, rows.valueStarts[i]!, rows.valueEnds[i]!)];
  });
}

/** What is left of a scan, in packed batches. `pause`: between them. */
export async function packedPairs(
  scan: PackedScan,
  pause: () => Promise<void> = async () => undefined,
): Promise<readonly Pair[]> {
  const found: Pair[] = [];
  for (let rows = await scan.nextPacked(); rows !== undefined; rows = await scan.nextPacked()) {
    found.push(...unpacked(rows));
    await pause();
  }
  return found;
}

/** The same, where every other batch is not packed. */
export async function mixedPairs(scan: PackedScan): Promise<readonly Pair[]> {
  const found: Pair[] = [];
  for (;;) {
    const packed = await scan.nextPacked();
    if (packed === undefined) return found;
    found.push(...unpacked(packed));
    for (const { key, value } of (await scan.next()) ?? []) {
      found.push([latin1(key, 0, key.length), latin1(value, 0, value.length)]);
    }
  }
}

/** Only keys. */
export async function packedKeys(scan: PackedScan): Promise<readonly string[]> {
  const found: string[] = [];
  for (let rows = await scan.nextPacked(); rows !== undefined; rows = await scan.nextPacked()) {
    found.push(...unpacked(rows, true).map(([key]) => key));
  }
  return found;
}
