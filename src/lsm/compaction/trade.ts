import type { PickOptions } from "./pick.ts";

/** What compactions save at the cost of the rest. */
export type Trade = "balanced" | "write" | "read" | "space";

/** The figures of `docs/performance.md` are of these. */
export const TRADES: Readonly<Record<Trade, Omit<PickOptions, "tableBytes">>> = {
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

export const TRADE_NAMES: readonly Trade[] = ["balanced", "write", "read", "space"];

export function isTrade(name: string): name is Trade {
  return Object.hasOwn(TRADES, name);
}
