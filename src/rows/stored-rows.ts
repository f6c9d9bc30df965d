import type { Maybe } from "../lsm/index.ts";

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
  /** Throws where the transaction is over; says that rows are shown. */
  readonly onRead: () => void;
}
