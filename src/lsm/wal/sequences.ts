import { assert } from "../../base/assert.ts";
import type { WalBatch } from "./port.ts";

/** The last sequence of a group that a writer brings, which has no gap and begins where it must. */
export function lastOf(group: readonly WalBatch[], firstSequence: number): number {
  assert(group.length > 0, "a group holds a batch");
  let due = firstSequence;
  for (const batch of group) {
    assert(batch.firstSequence === due && batch.count > 0, "sequences have no gap");
    due += batch.count;
  }
  assert(due <= Number.MAX_SAFE_INTEGER, "sequences are exact integers");
  return due - 1;
}
