import type { ExecRun, Row } from "../exec/run.ts";
import type { PlanNode } from "./node.ts";
import type { OutputColumn } from "./query.ts";

/** A statement that changes rows. */
export interface ChangePlan {
  readonly word: string;
  readonly title: string;
  readonly children: readonly PlanNode[];
  readonly returning: readonly OutputColumn[] | undefined;
  /** @param told is given each row of RETURNING. @returns how many rows were changed. */
  readonly run: (run: ExecRun, told: (row: Row) => void) => Promise<number>;
}
