import type { ExecRun, Row } from "../exec/run.ts";
import type { Observe, PlanNode } from "./node.ts";
import type { OutputColumn } from "./query.ts";

/** A statement that changes rows, by itself or in its WITH. */
export interface ChangePlan {
  readonly word: string;
  readonly title: string;
  readonly children: readonly PlanNode[];
  /** What EXPLAIN shows of a query whose WITH changes rows. */
  readonly shown?: PlanNode;
  readonly returning: readonly OutputColumn[] | undefined;
  /** Its WITH changes rows too: all parts read the state before the statement. */
  readonly hasParts?: boolean;
  /**
   * @param told is given each row of RETURNING, or of the query.
   * @returns how many rows were changed, or are those of the query.
   */
  readonly run: (run: ExecRun, told: (row: Row) => void, observe?: Observe) => Promise<number>;
}
