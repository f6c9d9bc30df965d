import { invalid } from "../../base/error.ts";
import { type Bounds, boundsOf, type Range } from "../range.ts";

/** What every scan can be asked for, whatever state it reads. */
export interface RangeScan extends Range {
  readonly reverse?: boolean;
  /** At most so many rows in all; and in one batch. */
  readonly limit?: number;
  readonly batchRows?: number;
  /** Packed rows are to have no values (`PackedScan.nextPacked`). */
  readonly keysOnly?: boolean;
  /** Behind its last row it stays open, to go on elsewhere (`PackedScan.seek`): close it. */
  readonly movable?: boolean;
}

export interface AbortableScan extends RangeScan {
  /** Aborted, the scan ends with `LSM_SCAN_ABORTED`, also while it waits. */
  readonly signal?: AbortSignal;
}

/** A request that was checked, with what it left out. */
export interface CheckedScan {
  readonly bounds: Bounds;
  readonly reverse: boolean;
  readonly limit: number;
  readonly batchRows: number;
  readonly keysOnly: boolean;
  readonly movable: boolean;
}

/**
 * @param batchRows of a request that says nothing of it.
 * @throws FirnError `Invalid`, code `LSM_RANGE_INVALID`: as `boundsOf`, and of a limit or a batch
 *   that is not a positive integer.
 */
export function checkedScan(request: RangeScan, batchRows: number): CheckedScan {
  const { reverse = false, limit = Number.POSITIVE_INFINITY } = request;
  const { keysOnly = false, movable = false } = request;
  assertCount(limit);
  assertCount(request.batchRows ?? 1);
  const bounds = boundsOf(request);
  return {
    bounds,
    reverse,
    limit,
    batchRows: request.batchRows ?? batchRows,
    keysOnly,
    movable,
  };
}

/** @throws FirnError `Invalid`, code `LSM_RANGE_INVALID`. */
export function assertCount(count: number): void {
  if (count !== Number.POSITIVE_INFINITY && !(Number.isSafeInteger(count) && count >= 1)) {
    throw invalid("LSM_RANGE_INVALID", "invalid limit: it must be a positive integer", { count });
  }
}
