import type { Maybe } from "../lsm/index.ts";
import type { ApartHost } from "./apart-format.ts";
import type { CompiledIndex } from "./compiled-index.ts";
import type { CompiledTable } from "./compiled-table.ts";
import { corruptRow } from "./errors.ts";

/** A row as it is stored. */
export interface StoredRow {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** Rows of a range that come as they are stored. */
export interface StoredRows {
  next(): Promise<readonly StoredRow[] | undefined>;
  close(): void;
}

/** What scans need of their transaction. */
export interface ScanHost {
  readonly get: (key: Uint8Array) => Maybe<Uint8Array | undefined>;
  readonly getMany: (keys: readonly Uint8Array[]) => Promise<readonly (Uint8Array | undefined)[]>;
  /** Rows of ranges are read from now on, of the state of now. */
  readonly onBegin: () => void;
  /** Values that are stored apart, of the state that the newest rows were read of. */
  readonly apart: ApartHost;
  /** Throws where the transaction is over; says that rows are shown. */
  readonly onRead: () => void;
}

/**
 * The rows that entries of an index lead to, by the keys of the rows.
 *
 * @throws FirnError `Corrupt`: an entry leads to none.
 */
export async function rowsOfEntries(
  host: Pick<ScanHost, "getMany">,
  compiled: CompiledTable,
  index: CompiledIndex,
  keys: readonly Uint8Array[],
): Promise<readonly StoredRow[]> {
  const values = await host.getMany(keys);
  return keys.map((key, i) => {
    const value = values[i];
    if (value !== undefined) return { key, value };
    throw corruptRow("an index entry without its row: run CHECK INDEX", {
      table: compiled.table.name,
      index: index.index.name,
    });
  });
}
