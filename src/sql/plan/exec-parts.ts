import type { Clock } from "../../base/clock.ts";
import type { Datum, RowTransaction, StatementOptions } from "../../rows/index.ts";
import { ExecRun, MOST_BYTES } from "../exec/run.ts";
import { Spill, type SpillLimits, type SpillSpace } from "../exec/spill.ts";
import { memoryBytes } from "../session/memory-setting.ts";
import type { SessionSettings } from "../session/settings.ts";
import type { SqlContext } from "../types/context.ts";
import type { RunContext } from "./plan.ts";

/** What plans need of the session that they are made in. */
export interface ExecContextParts {
  /** Literals are read in it. */
  readonly bindContext: SqlContext;
  /** What a statement is evaluated in. */
  readonly contextOf: (run: RunContext) => SqlContext;
  /** The work in the rows of a statement, which begins. */
  readonly transactionOf: (
    run: RunContext,
    options?: Pick<StatementOptions, "holdsState">,
  ) => Promise<RowTransaction>;
  readonly clock: Clock;
  /** Where statements have temporary files; absent: what they keep stays in memory. */
  readonly spillSpace?: SpillSpace | undefined;
}

/** Rows of one operator leave the memory before those of the statement are too many for it. */
const MOST_WORK_BYTES = MOST_BYTES / 4;

function spillLimits(settings: SessionSettings): SpillLimits {
  const workBytes = memoryBytes(settings.get("work_mem"));
  const hashBytes = workBytes * Number(settings.get("hash_mem_multiplier"));
  return {
    workBytes: Math.min(workBytes, MOST_WORK_BYTES),
    hashBytes: Math.min(hashBytes, MOST_WORK_BYTES),
    fileBytes: memoryBytes(settings.get("temp_file_limit")),
  };
}

/**
 * What operators share in one run of a plan.
 *
 * @param hasParts several of its parts change rows.
 */
export function execRun(
  env: ExecContextParts,
  run: RunContext,
  parameters: readonly Datum[],
  hasParts = false,
): ExecRun {
  const evaluation = { sql: env.contextOf(run), parameters };
  let rows: Promise<RowTransaction> | undefined;
  // All scans of a statement read the one state that it began with.
  const transaction = (): Promise<RowTransaction> => {
    rows ??= env.transactionOf(run, { holdsState: hasParts });
    return rows;
  };
  const { spillSpace, clock } = env;
  const limits = (): SpillLimits => spillSpace?.limits ?? spillLimits(run.settings);
  const spill = spillSpace && new Spill(spillSpace, limits, run.signal);
  const exec = new ExecRun(evaluation, run.signal, clock, transaction, spill);
  if (hasParts) exec.notesChanges();
  return exec;
}
