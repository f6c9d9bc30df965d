import type { Node } from "libpg-query";
import { coerce } from "../bind/coerce.ts";
import type { Expr } from "../bind/expr.ts";
import { ExprPrinter } from "../bind/expr-text.ts";
import type { Scope } from "../bind/scope.ts";
import { SqlError } from "../error.ts";
import { DistinctRows } from "../exec/distinct.ts";
import { BatchRows } from "../exec/join.ts";
import { rowKey } from "../exec/row-key.ts";
import { appended, CombinedRows, type SetOperation } from "../exec/set-rows.ts";
import { selectCommonType } from "../functions/common-type.ts";
import { contentOf, type NodeOf } from "../parse/statement.ts";
import { OID } from "../types/oids.ts";
import { type PlanEnv, scopeOf } from "./env.ts";
import { openNode, over, type PlanNode } from "./node.ts";
import { bindLimits, bindSorts } from "./order-limit.ts";
import { outputNode } from "./output.ts";
import { projectNode } from "./project.ts";
import { type BindHow, type BoundQuery, type OutputColumn, outputOf } from "./query.ts";
import type { Target } from "./targets.ts";

const OPERATIONS: Readonly<Record<string, SetOperation>> = {
  SETOP_UNION: "union",
  SETOP_INTERSECT: "intersect",
  SETOP_EXCEPT: "except",
};

/** UNION, INTERSECT and EXCEPT. */
export function bindSetOperation(
  env: PlanEnv,
  select: NodeOf<"SelectStmt">,
  how: BindHow,
): BoundQuery {
  if (select.lockingClause !== undefined) {
    throw new SqlError("0A000", "FOR UPDATE is not allowed with UNION/INTERSECT/EXCEPT");
  }
  const scope = scopeOf(env, [], "UNION");
  const operation = OPERATIONS[select.op ?? ""] as SetOperation;
  const word = operation.toUpperCase();
  const sides = [select.larg, select.rarg].map((side): Node => ({ SelectStmt: side ?? {} }));
  const loose = sides.map((side) => env.bindQuery(env, side, { keepsUnknown: true }));
  const [first, second] = loose as [BoundQuery, BoundQuery];
  if (first.columns.length !== second.columns.length) {
    const message = `each ${word} query must have the same number of columns`;
    throw new SqlError("42601", message);
  }
  const types = first.columns.map(({ oid }, i) => {
    const pair = [oid, second.columns[i]?.oid ?? oid];
    const isUnknown = pair.every((each) => each === OID.unknown);
    if (isUnknown && how.keepsUnknown === true) return OID.unknown;
    if (isUnknown) return how.unknownAs?.[i] ?? OID.text;
    return selectCommonType(env.functions.types, pair, word);
  });
  const bound = loose.map((query, i) => {
    const isLoose = query.columns.some(({ oid }, c) => oid === OID.unknown && oid !== types[c]);
    return isLoose ? env.bindQuery(env, sides[i] as Node, { unknownAs: types }) : query;
  });
  const columns = types.map((oid, i): OutputColumn => {
    const [mine, theirs] = bound.map((query) => query.columns[i] as OutputColumn) as [
      OutputColumn,
      OutputColumn,
    ];
    const isSame = mine.oid === oid && theirs.oid === oid && mine.typmod === theirs.typmod;
    const typmod = isSame ? mine.typmod : -1;
    return { name: mine.name, oid, typmod, tableOid: 0, attribute: 0 };
  });
  const targets = columns.map((column, slot): Target => {
    const { oid, typmod, name } = column;
    const expr: Expr = { kind: "column", oid, typmod, slot, name };
    return { expr, column: outputOf(name, expr) };
  });
  const sorts = bindSetSorts(env, select.sortClause ?? [], targets);
  const limits = bindLimits(env, select);
  env.trace?.query(select, { kind: "set", targets, sorts });
  const plan = (): PlanNode => {
    const casts = bound.map((query) => castNode(scope, query, columns));
    const node = setNode(env, operation, select.all === true, casts, columns);
    const printer = new ExprPrinter(env.functions.types, env.bindContext);
    const exprs = targets.map(({ expr }) => expr);
    const distinct = { distinct: undefined, isDistinctOn: false, isOrdered: false };
    const width = columns.length;
    return outputNode(env, printer, { node, width, targets: exprs, sorts, limits, ...distinct });
  };
  return { columns, isVolatile: bound.some(({ isVolatile }) => isVolatile), plan };
}

function bindSetSorts(env: PlanEnv, nodes: readonly Node[], targets: readonly Target[]) {
  for (const node of nodes) {
    const by = contentOf(node, "SortBy")?.node;
    const fields = contentOf(by, "ColumnRef")?.fields ?? [];
    const name = fields.length === 1 ? contentOf(fields[0], "String")?.sval : undefined;
    const isNamed = targets.some(({ column }) => column.name === name);
    if (isNamed || contentOf(by, "A_Const") !== undefined) continue;
    if (fields.length === 1) {
      throw new SqlError("42703", `column "${name ?? ""}" does not exist`);
    }
    throw new SqlError("0A000", "invalid UNION/INTERSECT/EXCEPT ORDER BY clause", {
      detail: "Only result column names can be used, not expressions or functions.",
      hint: "Add the expression/function to every SELECT, or move the UNION into a FROM clause.",
    });
  }
  return bindSorts(scopeOf(env, [], "ORDER BY"), nodes, targets);
}

/** A side with its columns as the types that both have in common. */
function castNode(scope: Scope, query: BoundQuery, columns: readonly OutputColumn[]): PlanNode {
  const node = query.plan();
  const exprs = query.columns.map(({ oid, typmod, name }, slot): Expr => {
    const column: Expr = { kind: "column", oid, typmod, slot, name };
    const { oid: as } = columns[slot] as OutputColumn;
    return as === oid ? column : coerce(scope, column, as, -1, "implicit");
  });
  return exprs.every(({ kind }) => kind === "column")
    ? node
    : projectNode(node, exprs, exprs.length);
}

function setNode(
  env: PlanEnv,
  operation: SetOperation,
  isAll: boolean,
  sides: readonly PlanNode[],
  columns: readonly OutputColumn[],
): PlanNode {
  const { types } = env.functions;
  const keyOf =
    isAll && operation === "union"
      ? undefined
      : rowKey(
          types,
          columns.map((c) => c.oid),
        );
  const title = operation === "union" ? "Append" : `HashSetOp ${operation}${isAll ? " all" : ""}`;
  const whole: PlanNode = {
    title,
    details: [],
    children: sides,
    open: async (run, observe) => {
      if (operation === "union" || keyOf === undefined) {
        const openers = sides.map((side) => () => openNode(side, run, observe));
        return new BatchRows(appended(openers));
      }
      const [left, right] = sides as [PlanNode, PlanNode];
      const mine = await openNode(left, run, observe);
      const theirs = await openNode(right, run, observe);
      return new CombinedRows(mine, theirs, run, { operation, isAll, keyOf });
    },
  };
  if (operation !== "union" || keyOf === undefined) return whole;
  return over(whole, "HashAggregate", [], (source, run) => new DistinctRows(source, run, keyOf));
}
