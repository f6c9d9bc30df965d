import { type CallExpr, type Expr, mapExpr, someExpr } from "../bind/expr.ts";
import { notSupported } from "../error.ts";
import { compile } from "../exec/evaluate.ts";
import { BatchRows } from "../exec/join.ts";
import { MappedRows } from "../exec/operators.ts";
import { type ExecRun, eachRow, type Row, type RowSource } from "../exec/run.ts";
import { setOf } from "./function-relation.ts";
import { over, type PlanNode } from "./node.ts";

export function isSetCall(expr: Expr): expr is CallExpr {
  return expr.kind === "call" && expr.returnsSet;
}

/** Computes expressions of rows; those that return sets give a row for each value. */
export function projectNode(child: PlanNode, exprs: readonly Expr[], width: number): PlanNode {
  if (!exprs.some((expr) => someExpr(expr, isSetCall))) {
    const values = exprs.map(compile);
    const { open } = child;
    return {
      ...child,
      open: async (run, observe) =>
        new MappedRows(await open(run, observe), run, undefined, values),
    };
  }
  const sets: CallExpr[] = [];
  const flat = exprs.map((expr) =>
    mapExpr(expr, (part) => {
      if (!isSetCall(part)) return undefined;
      if (part.args.some((arg) => someExpr(arg, isSetCall))) {
        throw notSupported("a function that returns a set as the argument of another");
      }
      const slot = width + sets.push(part) - 1;
      const { oid, typmod, name, columns } = part;
      return { kind: "column", oid, typmod, slot, name, columns };
    }),
  );
  const values = flat.map(compile);
  const makers = sets.map(setOf);
  return over(child, "ProjectSet", [], (source, run) => {
    const rows = new BatchRows(expanded(source, run, makers), () => source.close());
    return new MappedRows(rows, run, undefined, values);
  });
}

/** Rows with the values of sets behind them: sets run side by side, filled up with NULL. */
async function* expanded(
  source: RowSource,
  run: ExecRun,
  makers: readonly ReturnType<typeof setOf>[],
): AsyncGenerator<readonly Row[], void> {
  let out: Row[] = [];
  for await (const row of eachRow(source, run)) {
    const made = await run.evaluate(() => makers.map((maker) => maker(run, row)));
    const sets = made.map((set) => set[Symbol.iterator]());
    for (;;) {
      const next = sets.map((set) => set.next());
      if (next.every(({ done }) => done === true)) break;
      out.push([...row, ...next.map(({ done, value }) => (done === true ? null : value))]);
      if (out.length < 256) continue;
      await run.pause();
      yield out;
      out = [];
    }
    if (out.length === 0) continue;
    yield out;
    out = [];
  }
}
