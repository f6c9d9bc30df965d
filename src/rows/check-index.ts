import { bytesEqual } from "../base/bytes.ts";
import type { CompiledTable } from "./compiled-table.ts";
import type { ExpressionContext } from "./expressions.ts";
import type { StoredRow, StoredRows } from "./scan.ts";

/** What is wrong with an index: how many rows lack an entry, and so on. */
export interface IndexReport {
  readonly index: string;
  readonly rows: number;
  readonly entries: number;
  /** Rows without their entry. */
  readonly missing: number;
  /** Entries without a row. */
  readonly extra: number;
  /** Entries with a value that is not their row's. */
  readonly wrong: number;
}

/** What mends an index: what a repair writes, in place of what is there. */
export interface IndexRepair {
  readonly put: readonly StoredRow[];
  readonly remove: readonly Uint8Array[];
}

/** Compares the entries of an index with the rows of one state. Holds the entries in memory. */
export async function checkIndex(
  compiled: CompiledTable,
  indexId: number,
  rows: StoredRows,
  entries: StoredRows,
  context: ExpressionContext,
): Promise<{ readonly report: IndexReport; readonly repair: IndexRepair }> {
  const index = compiled.index(indexId);
  const found = new Map<string, StoredRow>();
  for (let batch = await entries.next(); batch !== undefined; batch = await entries.next()) {
    for (const entry of batch) found.set(nameOf(entry.key), entry);
  }
  const count = found.size;
  const put: StoredRow[] = [];
  let seen = 0;
  let missing = 0;
  let wrong = 0;
  for (let batch = await rows.next(); batch !== undefined; batch = await rows.next()) {
    for (const { key, value } of batch) {
      seen++;
      const entry = index.entry(compiled.rows.row(key, value), context);
      if (entry === undefined) continue;
      const name = nameOf(entry.key);
      const stored = found.get(name);
      found.delete(name);
      if (stored === undefined) missing++;
      else if (isSameEntry(compiled, indexId, stored, entry)) continue;
      else wrong++;
      put.push({ key: entry.key, value: entry.value });
    }
  }
  const remove = [...found.values()].map(({ key }) => key);
  const { name } = index.index;
  const report = { index: name, rows: seen, entries: count, missing, extra: remove.length, wrong };
  return { report, repair: { put, remove } };
}

function nameOf(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.length).toString("latin1");
}

/** Entries of older schema versions differ in bytes, not in what they say. */
function isSameEntry(
  compiled: CompiledTable,
  indexId: number,
  a: StoredRow,
  b: StoredRow,
): boolean {
  if (bytesEqual(a.value, b.value)) return true;
  const index = compiled.index(indexId);
  const ids = compiled.live.map(({ id }) => id).filter((id) => index.covers(id));
  const say = (entry: StoredRow): string =>
    JSON.stringify(
      [index.keyOf(entry.key, entry.value), index.columns(ids, entry.key, entry.value)],
      (_, value) => (typeof value === "bigint" ? `${value}n` : value),
    );
  return say(a) === say(b);
}
