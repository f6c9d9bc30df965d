import type { Node } from "libpg-query";
import type { Privilege } from "../../api/privileges.ts";
import type { AnyId } from "../../base/ids.ts";
import type { SequenceDescriptor } from "../../rows/index.ts";
import { bindExpr } from "../bind/bind-expression.ts";
import type { Expr, SubqueryPlan } from "../bind/expr.ts";
import type { BoundSubquery, OuterRefs, Parameters, Scope, ScopeTable } from "../bind/scope.ts";
import type { Held } from "../catalog/held.ts";
import type { VirtualRelation } from "../catalog/virtual.ts";
import { type ExecRun, eachRow, type Row, type RowSource } from "../exec/run.ts";
import type { FunctionRegistry } from "../functions/resolve.ts";
import type { Source } from "../parse/source.ts";
import type { NodeOf } from "../parse/statement.ts";
import type { ChangePlan } from "./change-plan.ts";
import type { ExecContextParts } from "./exec-parts.ts";
import type { KnownView } from "./known-view.ts";
import { openNode, type PlanNode, UNOBSERVED } from "./node.ts";
import type { BindHow, BoundQuery, OutputColumn } from "./query.ts";
import type { QueryTrace } from "./query-trace.ts";
import type { TableUse } from "./table-use.ts";

/** What planning of one statement knows. */
export interface PlanEnv extends ExecContextParts {
  readonly functions: FunctionRegistry;
  readonly source: Source;
  readonly parameters: Parameters;
  /** Tables that the plan rests on, as they are found. */
  readonly used: TableUse[];
  /** Types and views that the plan rests on, as they are found. */
  readonly usedObjects: ObjectUse[];
  /** @throws SqlError 42P01, 3F000, 42501. */
  readonly table: (range: TableRef, needs: readonly Privilege[]) => Promise<TableUse>;
  /** The sequence that a name means. @throws SqlError 42501. */
  readonly sequence: (
    schema: string | undefined,
    name: string,
    needs: readonly Privilege[],
  ) => Promise<SequenceDescriptor | undefined>;
  /**
   * What a name of FROM means.
   *
   * @throws NeededRelation where that has not been looked up yet; SqlError 42P01, 42501.
   */
  readonly relation: (range: TableRef, needs: readonly Privilege[]) => KnownRelation;
  /** The row table that the statement changes: naming it does not read it by itself. */
  readonly target?: { readonly range: TableRef; readonly needs: readonly Privilege[] } | undefined;
  /** Plans a query below another one. */
  readonly bindQuery: (env: PlanEnv, select: Node, how?: BindHow) => BoundQuery;
  /** Plans a change of WITH; absent below the top of a statement. */
  readonly planChange?: PlanChange | undefined;
  /** A setting of the session, as planning finds it. */
  readonly setting: (name: string) => string | undefined;
  /** Queries that WITH names. */
  readonly ctes?: CteScope | undefined;
  /** The query around this one. */
  readonly outer?: OuterRefs | undefined;
  /** Is told what the parts of the query mean; absent, unless it is to be printed. */
  readonly trace?: QueryTrace | undefined;
  /** Of the tables that a view's query reads: their last columns when it was made. */
  readonly lastColumns?: ReadonlyMap<string, number> | undefined;
  /** How many views are around this query. */
  readonly viewDepth?: number;
  /** Looks up what a name means. */
  readonly load: (needed: NeededRelation | NeededType) => Promise<void>;
}

type PlanChange = (env: PlanEnv, change: Node) => Promise<ChangePlan | undefined>;

/** A name of a table as a statement writes it. */
export type TableRef = Pick<
  NodeOf<"RangeVar">,
  "catalogname" | "schemaname" | "relname" | "location"
>;

/** A row table, a view, or a relation that is computed. */
export type KnownRelation =
  | { readonly kind: "table"; readonly use: TableUse }
  | {
      readonly kind: "virtual";
      readonly virtual: VirtualRelation;
      /** Absent: everything. */
      readonly held?: Held | undefined;
    }
  | ({ readonly kind: "view" } & KnownView);

/** Thrown as `NeededRelation` is, for the name of a type. */
export class NeededType {
  readonly schema: string | undefined;
  readonly name: string;

  constructor(schema: string | undefined, name: string) {
    this.schema = schema;
    this.name = name;
  }
}

/** An object that a plan rests on. */
export interface ObjectUse {
  readonly id: AnyId;
  readonly version: number;
}

/**
 * Thrown while planning, which does not wait: the name is looked up, and planning begins again. It
 * never reaches the client.
 */
export class NeededRelation {
  readonly schema: string | undefined;
  readonly name: string;

  constructor(schema: string | undefined, name: string) {
    this.schema = schema;
    this.name = name;
  }
}

/** Plans, and looks up the names that planning needs. */
export async function withRelations<T>(
  { load, parameters }: Pick<PlanEnv, "load" | "parameters">,
  plan: () => T | Promise<T>,
): Promise<T> {
  const given = [...parameters.types];
  for (;;) {
    try {
      return await plan();
    } catch (error) {
      if (!(error instanceof NeededRelation || error instanceof NeededType)) throw error;
      await load(error);
      parameters.types.splice(0, parameters.types.length, ...given);
    }
  }
}

/** Where names of an expression are looked for. */
export function scopeOf(
  env: PlanEnv,
  tables: readonly ScopeTable[],
  clause: string,
  more: Pick<Scope, "aggregates" | "windows" | "namedWindows"> = {},
): Scope {
  const { functions, source, parameters, bindContext: context, outer } = env;
  const subquery = (scope: Scope, select: Node): BoundSubquery => boundSubquery(env, scope, select);
  const cte = (name: string): Cte | undefined => cteNamed(env, name);
  const own = { functions, source, parameters, context, tables, clause, outer, subquery, cte };
  const { trace } = env;
  return { ...own, ...more, depth: 0, ...(trace && { trace }) };
}

/** Binds a query below an expression, which is run for the rows of `scope`. */
function boundSubquery(env: PlanEnv, scope: Scope, select: Node): BoundSubquery {
  const refs: Expr[] = [];
  const bind = (node: Node): Expr => bindExpr(scope, node);
  const query = env.bindQuery({ ...env, outer: { scope, refs, bind } }, select);
  let node: PlanNode | undefined;
  const plan: QueryBelow = {
    query,
    isVolatile: query.isVolatile,
    node: () => {
      node ??= query.plan();
      return node;
    },
    rows: async (run, outer, most) => {
      const below = (run as ExecRun).below(outer);
      const source = await openNode(plan.node(), below, UNOBSERVED);
      return await firstRows(source, below, most);
    },
  };
  return { columns: query.columns, refs, plan };
}

/** A query below an expression. */
export interface QueryBelow extends SubqueryPlan {
  readonly query: BoundQuery;
  readonly node: () => PlanNode;
}

async function firstRows(source: RowSource, run: ExecRun, most: number): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const row of eachRow(source, run)) {
    rows.push(row);
    if (rows.length >= most) break;
  }
  return rows;
}

/** Queries that WITH names, and those of the queries around it. */
export interface CteScope {
  readonly names: ReadonlyMap<string, Cte>;
  readonly around: CteScope | undefined;
}

export interface Cte {
  readonly name: string;
  readonly columns: readonly OutputColumn[];
  /** What gives its rows; for what refers to itself it is known later. */
  readonly node: () => PlanNode;
  /** The rows that a recursive query goes on from. */
  readonly isWorking?: boolean;
  /** A change without RETURNING: it has no rows. */
  readonly isSilent?: boolean;
}

export function cteNamed({ ctes }: Pick<PlanEnv, "ctes">, name: string): Cte | undefined {
  for (let scope = ctes; scope !== undefined; scope = scope.around) {
    const found = scope.names.get(name);
    if (found !== undefined) return found;
  }
  return undefined;
}
