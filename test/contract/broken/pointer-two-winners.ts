import { conditionHolds } from "../../../src/pointer/batch.ts";
import { MemoryPointerStore } from "../../../src/pointer/memory.ts";
import type { Batch, CommitOutcome } from "../../../src/pointer/port.ts";

/** Reads, compares, and then writes over whatever stands there by then. */
export class TwoWinners extends MemoryPointerStore {
  override async commit(batch: Batch): Promise<CommitOutcome> {
    const found = await this.getMany(batch.ops.map((op) => op.key));
    let answer: CommitOutcome = { outcome: "conflict", failed: found };
    if (!batch.ops.every((op, i) => conditionHolds(op, found[i]!))) return super.commit(batch);
    for (let tries = 0; tries < 99 && answer.outcome === "conflict"; tries++) {
      const now = await this.getMany(batch.ops.map((op) => op.key));
      const ops = batch.ops.map((op, i) => ({ ...op, expected: now[i]!.version }));
      answer = await super.commit({ ...batch, ops });
    }
    return answer;
  }
}
