import type { Node } from "libpg-query";
import { SqlError } from "../error.ts";
import type { FunctionRegistry, ResolvedCall } from "../functions/resolve.ts";
import type { Source } from "../parse/source.ts";
import type { NodeOf } from "../parse/statement.ts";
import type { SqlContext } from "../types/context.ts";
import type { RowColumn } from "../types/row-value.ts";
import type { CallExpr, Expr, SubqueryPlan } from "./expr.ts";

/** A column that names may mean. */
export interface ScopeColumn {
  readonly name: string;
  readonly oid: number;
  readonly typmod: number;
  /** Where it stands in rows of the source. */
  readonly slot: number;
  readonly tableOid: number;
  readonly attribute: number;
  /** What it is, where it is not a column of a source: that of a join's USING. */
  readonly expr?: Expr | undefined;
  /** How plans name it; by its name where absent. */
  readonly shown?: string | undefined;
  /** Of rows: their fields. */
  readonly columns?: readonly RowColumn[] | undefined;
}

/** A relation of FROM. */
export interface ScopeTable {
  readonly name: string;
  readonly schema?: string | undefined;
  readonly columns: readonly ScopeColumn[];
  /** It is a table: its rows have `ctid` and the like. */
  readonly isStored?: boolean;
  /** The type of its rows: `record` where absent, 0 where no value of it can be made. */
  readonly rowType?: number;
  /** Which of its columns is not NULL in any of its rows. */
  readonly filled?: number | undefined;
  /** Of a partitioned table: which table its rows are of. */
  readonly tableOid?: ScopeColumn | undefined;
  /** A function of one value in FROM: its name means that value. */
  readonly isScalar?: boolean;
  /** What of it names may mean: `name.column` alone, or `column` alone; both where it is absent. */
  readonly visible?: "qualified" | "unqualified" | undefined;
  /** What it got behind its columns after the view was made that reads it: of its rows alone. */
  readonly later?: readonly ScopeColumn[];
  /** It is found by its name, but may not be used where it is: why. */
  readonly barred?: string | undefined;
}

/** What a subquery takes of the query around it. */
export interface OuterRefs {
  readonly scope: Scope;
  /** In the query around it; they grow as the subquery is bound. */
  readonly refs: Expr[];
  /** Binds an expression in the query around it. */
  readonly bind: (node: Node) => Expr;
}

/** A query that has been bound below an expression. */
export interface BoundSubquery {
  readonly columns: readonly { readonly oid: number; readonly typmod: number }[];
  readonly refs: readonly Expr[];
  readonly plan: SubqueryPlan;
}

/** A part of ORDER BY. */
export interface OrderPart {
  readonly expr: Expr;
  readonly isDescending: boolean;
  readonly isNullsFirst: boolean;
}

/** Types of `$1` …; 0 until an expression settles one. */
export class Parameters {
  readonly types: number[];
  readonly #isFixed: boolean;

  constructor(given: readonly number[], isFixed = false) {
    this.types = given.map((oid) => (oid === 705 ? 0 : oid));
    this.#isFixed = isFixed;
  }

  /** @throws SqlError 42P02. */
  typeOf(number: number): number {
    if (number < 1 || number > 65_535 || (this.#isFixed && number > this.types.length)) {
      throw new SqlError("42P02", `there is no parameter $${number}`);
    }
    while (this.types.length < number) this.types.push(0);
    return this.types[number - 1] as number;
  }

  settle(index: number, oid: number): void {
    this.types[index] = oid;
  }
}

/** An aggregate of a query, as the plan computes it. */
export interface AggregateCall {
  readonly call: CallExpr;
  readonly isStar: boolean;
  readonly isDistinct: boolean;
  readonly filter: Expr | undefined;
  readonly order: readonly OrderPart[];
  readonly procedureName: string;
  readonly resolved: ResolvedCall;
  /** `WITHIN GROUP`: what the function is told beside the rows it orders. */
  readonly direct: readonly Expr[];
}

/** A call of a window function. */
export interface WindowCall {
  readonly call: CallExpr;
  readonly resolved: ResolvedCall;
  readonly isAggregate: boolean;
  readonly isStar: boolean;
  readonly filter: Expr | undefined;
  readonly window: WindowSpec;
}

/** A bound of a window's frame. */
export interface FrameBound {
  readonly kind:
    | "unbounded preceding"
    | "preceding"
    | "current"
    | "following"
    | "unbounded following";
  readonly offset?: Expr | undefined;
}

/** Over which rows a window function computes. */
export interface WindowSpec {
  readonly partition: readonly Expr[];
  readonly order: readonly OrderPart[];
  readonly mode: "rows" | "range" | "groups";
  readonly start: FrameBound;
  readonly end: FrameBound;
  readonly exclude: "no others" | "current row" | "group" | "ties";
}

/** Is told what each part of a query means, as it is bound: for what prints the query. */
export interface BindTrace {
  /** What an expression is; `scope`: where its names were looked for. */
  readonly expr: (expr: Expr, node: Node, scope: Scope) => void;
  /** What GROUP BY names. */
  readonly group: (expr: Expr, node: Node) => void;
  /** What names may mean behind an item of FROM. */
  readonly item: (node: Node, tables: readonly ScopeTable[]) => void;
}

/** What the words of an expression may mean. */
export interface Scope {
  readonly functions: FunctionRegistry;
  readonly context: SqlContext;
  readonly source: Source;
  readonly parameters: Parameters;
  readonly tables: readonly ScopeTable[];
  /** Where aggregates are gathered; absent where there may be none, and `clause` says where. */
  readonly aggregates?: AggregateCall[] | undefined;
  readonly clause: string;
  /** Where window functions are gathered; absent where there may be none. */
  readonly windows?: WindowCall[] | undefined;
  /** Windows that the query names. */
  readonly namedWindows?: ReadonlyMap<string, NodeOf<"WindowDef">> | undefined;
  /** The query around this one. */
  readonly outer?: OuterRefs | undefined;
  /** The query of WITH that a name means. */
  readonly cte?: ((name: string) => object | undefined) | undefined;
  /** Binds a query below an expression; absent where there may be none. */
  readonly subquery?: ((scope: Scope, select: Node) => BoundSubquery) | undefined;
  /** Nesting so far. */
  readonly depth: number;
  /** Absent, unless the query is to be printed: constants then are left as they are written. */
  readonly trace?: BindTrace | undefined;
}

/** Expressions that nest deeper are refused, as PostgreSQL's stack limit does. */
export const MOST_DEPTH = 1_200;
