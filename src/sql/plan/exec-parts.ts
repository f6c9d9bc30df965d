import type { Clock } from "../../base/clock.ts";
import type { Datum, RowTransaction } from "../../rows/index.ts";
import { ExecRun } from "../exec/run.ts";
import type { SqlContext } from "../types/context.ts";
import type { RunContext } from "./plan.ts";

/** What plans need of the session that they are made in. */
export interface ExecContextParts {
  /** Literals are read in it. */
  readonly bindContext: SqlContext;
  /** What a statement is evaluated in. */
  readonly contextOf: (run: RunContext) => SqlContext;
  /** The work in the rows of a statement. */
  readonly transactionOf: (run: RunContext) => Promise<RowTransaction>;
  readonly clock: Clock;
}

/** What operators share in one run of a plan. */
export function execRun(
  env: ExecContextParts,
  run: RunContext,
  parameters: readonly Datum[],
): ExecRun {
  const evaluation = { sql: env.contextOf(run), parameters };
  let rows: Promise<RowTransaction> | undefined;
  // All scans of a statement read the one state that it began with.
  const transaction = (): Promise<RowTransaction> => {
    rows ??= env.transactionOf(run);
    return rows;
  };
  return new ExecRun(evaluation, run.signal, env.clock, transaction);
}
