import type { IndexDescriptor, RowScanRequest } from "../../rows/index.ts";
import type { Expr } from "../bind/expr.ts";
import type { EvalContext } from "../exec/evaluate.ts";

/** Conditions that an index without an order of its columns answers: terms, or a box. */
export interface SearchPath {
  readonly index: IndexDescriptor;
  /** As EXPLAIN names it. */
  readonly title: string;
  readonly shown: readonly Expr[];
  /** Share of the rows that they leave, about. */
  readonly share: number;
  readonly request: (context: EvalContext) => Pick<RowScanRequest, "postings" | "box">;
}
