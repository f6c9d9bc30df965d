import { encodeTablePrefix } from "../../../src/keys/index.ts";
import { keysOf, referencesOf } from "../../../src/rows/apart-values.ts";
import type { TableDescriptor } from "../../../src/rows/index.ts";
import type { OpenRows } from "./open-rows.ts";

/** Pieces that no row refers to, and references without a piece, of the newest state. */
export async function looseValues(
  at: OpenRows,
  { relation }: Pick<TableDescriptor, "relation">,
): Promise<string[]> {
  const prefix = (index: number): Uint8Array => encodeTablePrefix({ space: 1, relation, index });
  const wanted = new Set<string>();
  for await (const rows of at.engine.scan({ from: prefix(0), to: prefix(1) })) {
    for (const { key, value } of rows) {
      for (const one of keysOf(key, referencesOf(value))) {
        wanted.add(Buffer.from(one).toString("hex"));
      }
    }
  }
  const extra: string[] = [];
  const to = encodeTablePrefix({ space: 1, relation: relation + 1, index: 0 });
  for await (const rows of at.engine.scan({ from: prefix(0xffff), to })) {
    for (const { key } of rows) {
      const name = Buffer.from(key).toString("hex");
      if (!wanted.delete(name)) extra.push(name);
    }
  }
  return [...extra, ...wanted];
}
