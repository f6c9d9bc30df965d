import {
  type ColumnDescriptor,
  type Datum,
  type RowLoad,
  type RowTransaction,
  type TableDescriptor,
  visibleColumns,
} from "../../rows/index.ts";
import type { ExecRun } from "../exec/run.ts";
import type { TableWriter } from "../plan/partitions/table-writer.ts";
import type { TypeRegistry } from "../types/registry.ts";

export interface CopyTarget {
  readonly table: TableDescriptor;
  readonly write: TableWriter;
  readonly columns: readonly ColumnDescriptor[];
  readonly rows: RowTransaction;
  readonly run: ExecRun;
  readonly types: TypeRegistry;
}

export type Values = (Datum | undefined)[];

/**
 * Entries of a table and its indexes that are inserted in the statement's transaction; more are
 * loaded. A load costs some requests, and fails where others write the table meanwhile.
 */
const MOST_ENTRIES = 100_000;
/** The same, of the values of rows, about. */
const MOST_BYTES = 8 * 1_024 * 1_024;
const VALUE_BYTES = 16;
/** Entries that a row has in an inverted index, about. */
const TERMS = 16;
/** Rows that are loaded between two looks at the clock. */
const BATCH = 500;

/** Writes the rows of a COPY in the statement's transaction, or in a load in its place. */
export class CopyWriter {
  readonly #target: CopyTarget;
  readonly #columns: readonly number[];
  readonly #entriesPerRow: number;
  /** Rows that were inserted, to be loaded instead; undefined: they stay inserted. */
  #inserted: (readonly Datum[])[] | undefined;
  #bytes = 0;
  #load: RowLoad | undefined;
  #count = 0;

  constructor(target: CopyTarget) {
    this.#target = target;
    this.#columns = target.columns.map(({ id }) => id);
    this.#entriesPerRow = target.table.indexes.reduce(
      (sum, { method }) => sum + (method === undefined ? 1 : TERMS),
      1,
    );
  }

  /** Nothing else is in the transaction, which ends with the last row. */
  mayLoad(): void {
    // Rows of several partitions have no load in common.
    if (this.#target.table.partitioned === undefined) this.#inserted = [];
  }

  async write(batch: readonly Values[]): Promise<void> {
    this.#count += batch.length;
    const { rows, run, write } = this.#target;
    const options = { columns: this.#columns, overridesIdentity: true };
    if (this.#load !== undefined) {
      await this.#load.insert(batch, options);
      return;
    }
    const inserted = await write(run, rows, batch, options);
    if (this.#inserted === undefined) return;
    for (const { row } of inserted) {
      this.#inserted.push(row);
      this.#bytes += bytesOf(row);
    }
    const entries = this.#inserted.length * this.#entriesPerRow;
    if (entries > MOST_ENTRIES || this.#bytes > MOST_BYTES) await this.#loadInstead();
  }

  /** @returns the tag. */
  async finish(): Promise<string> {
    await this.#load?.commit();
    return `COPY ${this.#count}`;
  }

  async close(): Promise<void> {
    await this.#load?.abort();
  }

  /** Loads what was inserted, with the numbers and defaults that it has, and what follows. */
  async #loadInstead(): Promise<void> {
    const { rows, table, run } = this.#target;
    const inserted = this.#inserted ?? [];
    this.#inserted = undefined;
    const shown = visibleColumns(table);
    const given = shown.flatMap(({ generated }, place) => (generated === undefined ? [place] : []));
    const columns = given.map((place) => (shown[place] as (typeof shown)[0]).id);
    this.#load = await rows.load(table);
    if (this.#load === undefined) return;
    for (let at = 0; at < inserted.length; at += BATCH) {
      const batch = inserted.slice(at, at + BATCH);
      const values = batch.map((row) => given.map((place) => row[place]));
      await this.#load.insert(values, { columns, overridesIdentity: true });
      await run.pause();
    }
  }
}

function bytesOf(row: readonly Datum[]): number {
  let bytes = 0;
  for (const value of row) {
    const isLong = typeof value === "string" || value instanceof Uint8Array;
    bytes += isLong ? Math.max(value.length, VALUE_BYTES) : VALUE_BYTES;
  }
  return bytes;
}
