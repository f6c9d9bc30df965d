import { MemoryPointerStore } from "../../../src/pointer/memory.ts";
import type { Batch, CommitOutcome } from "../../../src/pointer/port.ts";

/** Forgets a tombstone as soon as its key is created again. Needs a clock at the end of time. */
export class VersionRestarts extends MemoryPointerStore {
  override async commit(batch: Batch): Promise<CommitOutcome> {
    const ops = [];
    for (const op of batch.ops) {
      const before = await this.get(op.key);
      const recreates = op.op === "put" && before.state === "absent" && before.version > 0n;
      if (recreates && op.expected === before.version) {
        await this.forget(op.key, before.version);
        ops.push({ ...op, expected: 0n });
      } else ops.push(op);
    }
    return super.commit({ ...batch, ops });
  }
}
