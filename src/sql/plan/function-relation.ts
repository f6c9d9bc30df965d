import type { Node } from "libpg-query";
import type { Datum, RowDatum } from "../../rows/index.ts";
import { FUNCTIONS_IN_FROM } from "../bind/bind-call.ts";
import { bindExpr } from "../bind/bind-expression.ts";
import { type CallExpr, type Expr, isVolatile } from "../bind/expr.ts";
import { textsOf } from "../bind/names.ts";
import type { OuterRefs } from "../bind/scope.ts";
import { notSupported, SqlError } from "../error.ts";
import { compile } from "../exec/evaluate.ts";
import { MadeRows } from "../exec/operators.ts";
import type { ExecRun, Row } from "../exec/run.ts";
import { contentOf, type NodeOf } from "../parse/statement.ts";
import type { RowColumn } from "../types/row-value.ts";
import { type PlanEnv, scopeOf } from "./env.ts";
import type { PlanNode } from "./node.ts";
import { columnName, derivedTable, type OutputColumn } from "./query.ts";
import type { Relation } from "./relation.ts";

/** A function in FROM: the rows of a set, or its one value; several run side by side. */
export function functionRelation(
  env: PlanEnv,
  range: NodeOf<"RangeFunction">,
  lateral: OuterRefs,
): Relation {
  const { functions = [], alias, ordinality = false, coldeflist = [] } = range;
  if (coldeflist.length > 0) throw notSupported("a column definition list");
  const scope = scopeOf({ ...env, outer: lateral }, [], FUNCTIONS_IN_FROM);
  const nodes = functions.flatMap((each) => {
    const [node] = contentOf(each, "List")?.items ?? [];
    return unnested(node as Node);
  });
  const calls = nodes.map((node) => bindExpr(scope, node));
  const { types } = env.functions;
  // A function of a composite type gives the fields of its values.
  const columnsOfCall = (call: Expr): readonly RowColumn[] | undefined =>
    (call.kind === "call" ? call.columns : undefined) ?? types.columnsOf(call.oid);
  const names = textsOf(alias?.colnames);
  const [first] = nodes as [Node];
  const name = alias?.aliasname ?? columnName(first);
  const columns = calls.flatMap((call, i): readonly OutputColumn[] => {
    const place = { typmod: call.typmod, tableOid: 0, attribute: 0 };
    const several = columnsOfCall(call);
    if (several !== undefined) {
      return several.map((one) => ({ ...one, ...place, typmod: one.typmod ?? -1 }));
    }
    // One function's one column is named as the whole is, unless the function names it.
    const plain = calls.length === 1 ? name : columnName(nodes[i]);
    const own = (call.kind === "call" ? call.outputName : undefined) ?? plain;
    return [{ name: own, oid: call.oid, ...place }];
  });
  if (ordinality) {
    columns.push({ name: "ordinality", oid: 20, typmod: -1, tableOid: 0, attribute: 0 });
  }
  if (names.length > columns.length) {
    const message = `table "${name}" has ${columns.length} columns available`;
    throw new SqlError("42P10", `${message} but ${names.length} columns specified`);
  }
  const sets = calls.map((call) =>
    call.kind === "call" && call.returnsSet ? setOf(call) : single(call),
  );
  const widths = calls.map((call) => columnsOfCall(call)?.length);
  const node: PlanNode = {
    title: `Function Scan on ${name}`,
    details: [],
    children: [],
    open: async (run) => {
      const values = await run.evaluate(() => sets.map((set) => set(run)));
      return new MadeRows(rowsOf(values, widths, ordinality), run);
    },
  };
  const { refs } = lateral;
  const [only, ...others] = calls;
  const isAlone = only !== undefined && others.length === 0 && !ordinality;
  const isRow = isAlone && types.columnsOf(only.oid) !== undefined;
  const isScalar = isAlone && columns.length === 1 && !isRow;
  const kind = { ...(isScalar && { isScalar }), ...(isRow && { rowType: types.baseOf(only.oid) }) };
  return {
    tables: [{ ...derivedTable(name, columns, names), ...kind }],
    width: columns.length,
    rows: 100,
    ...(refs.length > 0 && { refs, isVolatile: calls.some(isVolatile) }),
    plan: () => ({ node, rows: 100 }),
  };
}

/** `unnest(a, b)` in FROM is `ROWS FROM (unnest(a), unnest(b))`. */
function unnested(node: Node): readonly Node[] {
  const call = contentOf(node, "FuncCall");
  const name = textsOf(call?.funcname).at(-1);
  const args = call?.args ?? [];
  if (call === undefined || name !== "unnest" || args.length < 2) return [node];
  return args.map((arg): Node => ({ FuncCall: { ...call, args: [arg] } }));
}

/** A shorter set is filled up with NULL. `widths`: columns of those that give rows. */
function* rowsOf(
  sets: readonly Iterable<Datum>[],
  widths: readonly (number | undefined)[],
  isNumbered: boolean,
): Generator<Row, void> {
  let number = 0n;
  const isPlain = widths.every((width) => width === undefined);
  if (sets.length === 1 && isPlain) {
    for (const value of sets[0] as Iterable<Datum>) yield isNumbered ? [value, ++number] : [value];
    return;
  }
  const iterators = sets.map((set) => set[Symbol.iterator]());
  for (;;) {
    const next = iterators.map((each) => each.next());
    if (next.every(({ done }) => done === true)) return;
    const row = next.flatMap(({ done, value }, i): readonly Datum[] => {
      const width = widths[i];
      if (width === undefined) return [done === true ? null : value];
      return (done === true ? undefined : fieldsOfRow(value)) ?? new Array<null>(width).fill(null);
    });
    yield isNumbered ? [...row, ++number] : row;
  }
}

/** The columns of a function's row; undefined of NULL. */
function fieldsOfRow(value: Datum): readonly Datum[] | undefined {
  if (value === null) return undefined;
  if (Array.isArray(value)) return value as unknown as readonly Datum[];
  return (value as RowDatum).fields;
}

function single(expr: Expr): (run: ExecRun) => Iterable<Datum> {
  const value = compile(expr);
  return (run) => [value([], run.evaluation)];
}

/** The values of a function that returns a set: its implementation gives an iterable. */
export function setOf(call: CallExpr): (run: ExecRun, row?: Row) => Iterable<Datum> {
  const args = call.args.map(compile);
  return (run, row = []) => {
    const given = args.map((arg) => arg(row, run.evaluation));
    if (call.isStrict && given.includes(null)) return [];
    return call.evaluate(...given, run.evaluation.sql) as unknown as Iterable<Datum>;
  };
}
