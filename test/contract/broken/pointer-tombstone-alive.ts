import { MemoryPointerStore } from "../../../src/pointer/memory.ts";
import type { Batch, CommitOutcome } from "../../../src/pointer/port.ts";

/** Compares versions and nothing else: a check at a tombstone's version holds. */
export class TombstoneAlive extends MemoryPointerStore {
  override async commit(batch: Batch): Promise<CommitOutcome> {
    const found = await this.getMany(batch.ops.map((op) => op.key));
    const ops = batch.ops.filter(
      (op, i) => op.op !== "check" || found[i]?.version !== op.expected || op.expected === 0n,
    );
    return super.commit({ ...batch, ops });
  }
}
