import type { LsmTuning } from "../../src/lsm/options.ts";

/** Two steps a table: what a step makes is not so small that it is merged again. */
export function resumeOptions(compactionStepBytes: number): Partial<LsmTuning> {
  return { compaction: "manual", compactionStepBytes, tableBytes: 2 * compactionStepBytes };
}
