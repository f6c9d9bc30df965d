import { bindExpr } from "../bind/bind-expression.ts";
import { bindList } from "../bind/bind-row.ts";
import { coerce, coerceToCommon } from "../bind/coerce.ts";
import { type Expr, isVolatile } from "../bind/expr.ts";
import { ExprPrinter } from "../bind/expr-text.ts";
import { SqlError } from "../error.ts";
import { compile, type Evaluator } from "../exec/evaluate.ts";
import { BatchRows } from "../exec/join.ts";
import { type ExecRun, NO_ROW, type Row } from "../exec/run.ts";
import { contentOf, type NodeOf } from "../parse/statement.ts";
import { OID } from "../types/oids.ts";
import { type PlanEnv, scopeOf } from "./env.ts";
import type { PlanNode } from "./node.ts";
import { bindLimits, bindSorts } from "./order-limit.ts";
import { outputNode } from "./output.ts";
import { type BindHow, type BoundQuery, outputOf } from "./query.ts";
import type { Target } from "./targets.ts";

export function unequalLists(): SqlError {
  return new SqlError("42601", "VALUES lists must all be the same length");
}

/** VALUES: rows of expressions of common types. */
export function bindValues(
  env: PlanEnv,
  select: NodeOf<"SelectStmt">,
  { unknownAs }: BindHow,
): BoundQuery {
  const scope = scopeOf(env, [], "VALUES");
  const rows = (select.valuesLists ?? []).map((list) =>
    bindList(scope, contentOf(list, "List")?.items ?? [], (node) => bindExpr(scope, node)),
  );
  const width = rows[0]?.length ?? 0;
  if (rows.some((row) => row.length !== width)) throw unequalLists();
  const columns = Array.from({ length: width }, (_, i) => {
    const exprs = rows.map((row) => row[i] as Expr);
    const as = unknownAs?.[i];
    const isUnknown = exprs.every(({ oid }) => oid === OID.unknown);
    if (as === undefined || !isUnknown) return coerceToCommon(scope, exprs, "VALUES");
    const args = exprs.map((expr) => coerce(scope, expr, as, -1, "implicit"));
    return { oid: as, typmod: -1, args };
  });
  const targets = columns.map((column, i): Target => {
    const { oid, typmod } = column;
    const expr: Expr = { kind: "column", oid, typmod, slot: i, name: `column${i + 1}` };
    return { expr, column: outputOf(`column${i + 1}`, expr) };
  });
  const own = [{ name: "*VALUES*", columns: targets.map(asScopeColumn) }];
  const sorts = bindSorts(scopeOf(env, own, "ORDER BY"), select.sortClause ?? [], targets);
  const limits = bindLimits(env, select);
  if (env.trace !== undefined) {
    const typed = rows.map((_, r) => columns.map(({ args }) => args[r] as Expr));
    env.trace.query(select, { kind: "values", rows: typed, targets, sorts });
  }
  return {
    columns: targets.map(({ column }) => column),
    isVolatile: columns.some(({ args }) => args.some(isVolatile)),
    plan: () => {
      const values = rows.map((_, r) => columns.map(({ args }) => compile(args[r] as Expr)));
      const node: PlanNode = {
        title: "Values Scan",
        details: [],
        children: [],
        open: (run) => new BatchRows(evaluated(values, run)),
      };
      const printer = new ExprPrinter(env.functions.types, env.bindContext);
      const exprs = targets.map(({ expr }) => expr);
      const distinct = { distinct: undefined, isDistinctOn: false, isOrdered: false };
      return outputNode(env, printer, { node, width, targets: exprs, sorts, limits, ...distinct });
    },
  };
}

function asScopeColumn({ column }: Target, slot: number) {
  const { name, oid, typmod } = column;
  return { name, oid, typmod, slot, tableOid: 0, attribute: 0 };
}

async function* evaluated(
  values: readonly (readonly Evaluator[])[],
  run: ExecRun,
): AsyncGenerator<readonly Row[], void> {
  for (let at = 0; at < values.length; at += 256) {
    await run.pause();
    const rows = values.slice(at, at + 256);
    const out: Row[] = [];
    for (const row of rows) {
      out.push(await run.evaluate(() => row.map((value) => value(NO_ROW, run.evaluation))));
    }
    yield out;
  }
}
