import { parseArgs } from "node:util";

/** A store levels off when the history is as long as it gets, and a run has ended since. */
export const LEVEL_DAYS = 12;

export interface SoakOptions {
  readonly commits: number;
  readonly days: number;
  /** Whether the figures go to `bench/results.jsonl`. */
  readonly keep: boolean;
}

/** @throws Error for what cannot be run. */
export function readOptions(args: readonly string[]): SoakOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      commits: { type: "string", default: "3000" },
      days: { type: "string", default: `${3 * LEVEL_DAYS}` },
      keep: { type: "boolean", default: false },
    },
  });
  const [commits, days] = [Number(values.commits), Number(values.days)];
  if (!Number.isSafeInteger(days) || days < 3 * LEVEL_DAYS) {
    throw new Error(`--days: ${3 * LEVEL_DAYS} at least`);
  }
  if (!Number.isSafeInteger(commits) || commits < days) {
    throw new Error("--commits: one a day at least");
  }
  return { commits, days, keep: values.keep };
}
