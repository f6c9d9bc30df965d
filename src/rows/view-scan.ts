import type { PackedScan } from "../lsm/index.ts";

export interface ViewScan {
  readonly from: Uint8Array;
  readonly to?: Uint8Array;
  readonly reverse?: boolean;
  readonly limit?: number;
  readonly batchRows?: number;
}

/** Rows of a view's range: a scan of the engine, or of temporary tables. */
export type PackedView = Omit<PackedScan, "seek">;
