/**
 * A compaction style trades write, read and space amplification for each other. More runs a tier:
 * each byte is rewritten less often, and a scan merges more runs. More space: the largest run,
 * which costs most, is rewritten less often.
 */
export interface TreeShape {
  /** So many tables of level 0 become a run. */
  readonly compactionL0Tables: number;
  /** So many runs of similar size become one. */
  readonly compactionRuns: number;
  /** More runs than this are never left alone, whatever their sizes. */
  readonly compactionMaxRuns: number;
  /** All becomes one run before the newer ones exceed this percentage of the oldest one's bytes. */
  readonly compactionSpacePercent: number;
}

/** What compactions save at the cost of the rest. */
export type CompactionStyle = "balanced" | "write" | "read" | "space";

/** The figures of `docs/performance.md` are of these. */
export const COMPACTION_STYLES: Readonly<Record<CompactionStyle, TreeShape>> = {
  balanced: {
    compactionL0Tables: 4,
    compactionRuns: 6,
    compactionMaxRuns: 16,
    compactionSpacePercent: 50,
  },
  /** Each byte is written again as rarely as can be: more runs to read, twice the space. */
  write: {
    compactionL0Tables: 8,
    compactionRuns: 10,
    compactionMaxRuns: 24,
    compactionSpacePercent: 100,
  },
  /** Few places to read, each byte written again more often. */
  read: {
    compactionL0Tables: 2,
    compactionRuns: 3,
    compactionMaxRuns: 5,
    compactionSpacePercent: 50,
  },
  /** Little more space than the data has, all of it written again more often. */
  space: {
    compactionL0Tables: 4,
    compactionRuns: 4,
    compactionMaxRuns: 12,
    compactionSpacePercent: 20,
  },
};

/** Whether a text names a compaction style. */
export function isCompactionStyle(name: string): name is CompactionStyle {
  return Object.hasOwn(COMPACTION_STYLES, name);
}
