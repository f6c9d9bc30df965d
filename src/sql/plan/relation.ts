import type { Datum } from "../../rows/index.ts";
import type { Expr } from "../bind/expr.ts";
import type { ScopeTable } from "../bind/scope.ts";
import { ReadyRows } from "../exec/operators.ts";
import type { ExecRun, RowSource } from "../exec/run.ts";
import type { AccessPath, WantedOrder } from "./access-path.ts";
import type { PlanNode } from "./node.ts";
import type { TableUse } from "./table-use.ts";

/** What a query wants of its source beyond its rows. Slots are those of the relation. */
export interface Wanted {
  readonly filters: readonly Expr[];
  readonly order: readonly WantedOrder[];
  readonly needed: ReadonlySet<number>;
  readonly limit?: ((run: ExecRun) => number | undefined) | undefined;
  /** Rows hold the needed columns alone. */
  readonly isCompact?: boolean;
}

export interface PlannedRelation {
  readonly node: PlanNode;
  readonly path?: AccessPath | undefined;
  /** The slots that its rows hold, in their order; all of them where absent. */
  readonly slots?: readonly number[] | undefined;
  /** About how many rows it gives. */
  readonly rows: number;
}

/** Reads rows of a relation by values that another one gives. */
export interface Lookup {
  readonly path: AccessPath;
  readonly slots: readonly number[];
  readonly node: PlanNode;
  readonly open: (run: ExecRun, tuples: readonly (readonly Datum[])[]) => Promise<RowSource>;
}

/** A condition of a view, which says WITH CHECK OPTION or is below one that does. */
export interface ViewCheck {
  readonly view: string;
  /** Over slots of the relation. */
  readonly condition: Expr;
}

/** One relation of FROM, and how its rows are read. */
export interface Relation {
  readonly tables: readonly ScopeTable[];
  /** How many slots it has. */
  readonly width: number;
  /** About how many rows it has. */
  readonly rows: number;
  /** The row table, if it is one. */
  readonly use?: TableUse | undefined;
  /** What it takes of relations before it: then it is read anew for each of their rows. */
  readonly refs?: readonly Expr[] | undefined;
  /** What all of its rows meet, of a view: a row that has changed is to meet it too. */
  readonly conditions?: readonly Expr[] | undefined;
  /** Of a view: what rows that are changed by it must meet. */
  readonly checks?: readonly ViewCheck[] | undefined;
  /** Of a recursive query: the rows that it goes on from. */
  readonly isWorking?: boolean;
  /** Whether it may give other rows for the same values. */
  readonly isVolatile?: boolean;
  readonly plan: (wanted: Wanted) => PlannedRelation;
  /** Reads it by keys, where `byKey` compares its columns with `outer` values. */
  readonly lookup?: ((wanted: Wanted, byKey: readonly Expr[]) => Lookup | undefined) | undefined;
}

/** A row without columns: what a query without FROM reads. */
export const ONE_ROW: Relation = {
  tables: [],
  width: 0,
  rows: 1,
  plan: () => ({
    rows: 1,
    node: { title: "Result", details: [], children: [], open: () => new ReadyRows([[]]) },
  }),
};
