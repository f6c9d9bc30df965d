import type { Batch, CommitOutcome } from "../../../src/pointer/port.ts";
import { FaultyPointerStore } from "../../support/faulty-pointer-store.ts";

/** Sends again by itself what was not answered, as SDKs do, and meets its own first request. */
export class LostAnswerIsConflict extends FaultyPointerStore {
  override async commit(batch: Batch): Promise<CommitOutcome> {
    const answer = await super.commit(batch);
    return answer.outcome === "unknown" ? super.commit(batch) : answer;
  }
}
