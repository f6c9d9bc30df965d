import type { Item } from "./value-types.ts";
import { itemBytes } from "./values.ts";

/*
 * The published rules: a read unit is 4 KB of one strongly consistent read, half of one eventually
 * consistent; a write unit is 1 KB; both are rounded up an item, and doubled in a transaction. A
 * query or scan is rounded once, over all that it read, before its filter. What is not there, or
 * was refused by its condition, costs as much as the smallest item.
 */

const READ_BYTES = 4_096;
const WRITE_BYTES = 1_024;

/** Units of one read of so many bytes. */
export function readUnits(bytes: number, isConsistent: boolean): number {
  return Math.max(1, Math.ceil(bytes / READ_BYTES)) * (isConsistent ? 1 : 0.5);
}

/** Units of a write that finds one item and leaves another: the larger one counts. */
export function writeUnits(before: Item | undefined, after: Item | undefined): number {
  const bytes = Math.max(before ? itemBytes(before) : 0, after ? itemBytes(after) : 0);
  return Math.max(1, Math.ceil(bytes / WRITE_BYTES));
}

export interface ConsumedCapacity {
  readonly TableName: string;
  readonly CapacityUnits: number;
  readonly ReadCapacityUnits?: number;
  readonly WriteCapacityUnits?: number;
}
