import type { Clock } from "../../src/base/clock.ts";
import { MergeJob } from "../../src/lsm/compaction/merge-job.ts";
import type { Merger, MergeSession, MergeSpec } from "../../src/lsm/compaction/merger.ts";
import { type SortedTable, type SortSpec, sortRows } from "../../src/lsm/compaction/sort-rows.ts";

/** A step on the thread that serves must be short. */
const STEP_BYTES = 65_536;

/**
 * Merges on the calling thread, in slices of well under a millisecond: in an order that a test
 * sets.
 */
export class InlineMerger implements Merger {
  readonly width: number;
  readonly #clock: Clock;

  /** @param width how many at once it is to be taken for. */
  constructor(clock: Clock, width = 1) {
    this.#clock = clock;
    this.width = width;
  }

  start(spec: MergeSpec): MergeSession {
    const job = new MergeJob({ ...spec, stepBytes: Math.min(spec.stepBytes, STEP_BYTES) });
    return {
      step: async (feed) => {
        await this.#clock.sleep(0);
        return job.step(feed);
      },
      end: () => undefined,
    };
  }

  async sort(spec: SortSpec): Promise<SortedTable> {
    await this.#clock.sleep(0);
    return sortRows(spec);
  }

  async close(): Promise<void> {}
}
