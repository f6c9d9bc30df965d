import type { Maybe, PackedScan } from "../lsm/index.ts";

export interface ViewScan {
  readonly from: Uint8Array;
  readonly to?: Uint8Array;
  readonly reverse?: boolean;
  readonly limit?: number;
  readonly batchRows?: number;
  /** Values may be left out. */
  readonly keysOnly?: boolean;
}

/** Rows of a view's range: a scan of the engine, or of temporary tables. */
export type PackedView = Omit<PackedScan, "seek">;

/** Reads of one state of a view. */
export interface ViewReads {
  readonly get: (key: Uint8Array) => Maybe<Uint8Array | undefined>;
  /** Of one table or index. */
  readonly getMany: (keys: readonly Uint8Array[]) => Maybe<readonly (Uint8Array | undefined)[]>;
  readonly scan: (request: ViewScan) => PackedView;
}
