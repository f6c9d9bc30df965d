import { MemoryPointerStore } from "../../../src/pointer/memory.ts";
import type { Batch, CommitOutcome } from "../../../src/pointer/port.ts";

/** Applies one operation after the other, up to the first that fails. */
export class HalfABatch extends MemoryPointerStore {
  override async commit(batch: Batch): Promise<CommitOutcome> {
    const versions = new Map<string, bigint>();
    for (const op of batch.ops) {
      const answer = await super.commit({ ...batch, ops: [op] });
      if (answer.outcome !== "committed") return answer;
      for (const [key, version] of answer.versions) versions.set(key, version);
    }
    return { outcome: "committed", versions };
  }
}
