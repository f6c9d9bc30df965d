import type { PackedRows, Row } from "../../lsm/index.ts";
import type { PackedView, ViewScan } from "../view-scan.ts";
import type { Entry, Tree } from "./tree.ts";

const BATCH_ROWS = 1_000;

/** A scan of one state of temporary tables. Changes that come later are not seen. */
export class TreeScan implements PackedView {
  readonly #batchRows: number;
  readonly #entries: Generator<Entry, void>;
  #left: number;

  constructor(tree: Tree, { from, to, reverse = false, limit, batchRows }: ViewScan) {
    this.#batchRows = batchRows ?? BATCH_ROWS;
    this.#entries = tree.entries(from, to, reverse);
    this.#left = limit ?? Number.POSITIVE_INFINITY;
  }

  next(): readonly Row[] | undefined {
    const most = Math.min(this.#left, this.#batchRows);
    const rows: Row[] = [];
    while (rows.length < most) {
      const { value, done } = this.#entries.next();
      if (done === true) break;
      rows.push(value);
    }
    this.#left -= rows.length;
    return rows.length === 0 ? undefined : rows;
  }

  nextPacked(): PackedRows | undefined {
    const rows = this.next();
    return rows === undefined ? undefined : packed(rows);
  }

  close(): void {
    this.#left = 0;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<readonly Row[]> {
    for (let rows = this.next(); rows !== undefined; rows = this.next()) yield rows;
  }
}

function packed(rows: readonly Row[]): PackedRows {
  const keyEnds = new Uint32Array(rows.length);
  const valueStarts = new Uint32Array(rows.length);
  const valueEnds = new Uint32Array(rows.length);
  let [keyBytes, valueBytes] = [0, 0];
  for (const [i, { key, value }] of rows.entries()) {
    keyBytes += key.length;
    keyEnds[i] = keyBytes;
    valueStarts[i] = valueBytes;
    valueBytes += value.length;
    valueEnds[i] = valueBytes;
  }
  const keys = Buffer.allocUnsafe(keyBytes);
  const values = Buffer.allocUnsafe(valueBytes);
  for (const [i, { key, value }] of rows.entries()) {
    keys.set(key, (keyEnds[i] as number) - key.length);
    values.set(value, valueStarts[i]);
  }
  return { count: rows.length, keys, keyEnds, values, valueStarts, valueEnds };
}
