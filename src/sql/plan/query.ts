import type { Node } from "libpg-query";
import { type Expr, fieldsOf } from "../bind/expr.ts";
import type { ScopeColumn, ScopeTable } from "../bind/scope.ts";
import { contentOf, type NodeOf } from "../parse/statement.ts";
import type { Column } from "../session/started.ts";
import type { TypeRegistry } from "../types/registry.ts";
import type { RowColumn } from "../types/row-value.ts";
import type { From } from "./from-tree.ts";
import type { PlanNode } from "./node.ts";

/** A column that a query gives. */
export interface OutputColumn {
  readonly name: string;
  readonly oid: number;
  readonly typmod: number;
  readonly tableOid: number;
  readonly attribute: number;
  /** Of rows: their fields. */
  readonly columns?: readonly RowColumn[] | undefined;
}

/** A planned query. */
export interface Query {
  readonly node: PlanNode;
  readonly columns: readonly OutputColumn[];
}

/** How a query is bound. */
export interface BindHow {
  /** Literals of unknown type stay so, for what decides about them. */
  readonly keepsUnknown?: boolean;
  /** Types of columns whose literals are of unknown type. */
  readonly unknownAs?: readonly number[] | undefined;
}

/** A query whose names and types are known. */
export interface BoundQuery {
  readonly columns: readonly OutputColumn[];
  readonly isVolatile: boolean;
  /** Its parts, where a join may take them in place of the query. */
  readonly simple?: SimpleQuery | undefined;
  /** @param needed the columns that are read: values of others may be left out. */
  readonly plan: (needed?: ReadonlySet<number>) => PlanNode;
}

/** A query of FROM, WHERE and a list of values alone. */
export interface SimpleQuery {
  readonly from: From;
  readonly where: readonly Expr[];
  readonly values: readonly Expr[];
}

/** Of a domain the wire tells what it is based on, as PostgreSQL does. */
export function resultColumns(
  types: TypeRegistry,
  columns: readonly OutputColumn[],
): readonly Column[] {
  return columns.map(({ name, tableOid, attribute, ...own }) => {
    let { oid, typmod } = own;
    let type = types.get(oid);
    for (let { base } = type; base !== undefined; { base } = type) {
      ({ oid, typmod } = base);
      type = types.get(oid);
    }
    return { name, type: { oid, length: type.length }, typmod, tableOid, attribute };
  });
}

/** What a query gives, as names of an outer one see it. */
export function derivedTable(
  name: string,
  columns: readonly OutputColumn[],
  names: readonly string[],
): ScopeTable {
  const seen = columns.map(({ name: own, oid, typmod, columns: fields }, slot): ScopeColumn => {
    const column = { name: names[slot] ?? own, oid, typmod, slot, columns: fields };
    return { ...column, tableOid: 0, attribute: 0 };
  });
  return { name, columns: seen };
}

/** How good a name is: a type's gives way to any that an expression has by itself. */
interface NodeName {
  readonly name: string;
  readonly isType: boolean;
}

/** The name of a column without an alias, as PostgreSQL gives it. */
export function columnName(node: Node | undefined): string {
  return nameOf(node)?.name ?? "?column?";
}

function nameOf(node: Node | undefined): NodeName | undefined {
  if (node === undefined) return undefined;
  if ("TypeCast" in node) {
    const inner = nameOf(node.TypeCast.arg);
    if (inner !== undefined && !inner.isType) return inner;
    return named(lastOf(node.TypeCast.typeName?.names), true);
  }
  if ("CaseExpr" in node) {
    const inner = nameOf(node.CaseExpr.defresult);
    return inner === undefined || inner.isType ? named("case", true) : inner;
  }
  if ("CollateClause" in node) return nameOf(node.CollateClause.arg);
  if ("A_Indirection" in node) {
    const fields = (node.A_Indirection.indirection ?? []).filter((each) => "String" in each);
    return named(lastOf(fields)) ?? nameOf(node.A_Indirection.arg);
  }
  if ("SubLink" in node) return subqueryName(node.SubLink);
  if ("A_Const" in node)
    return node.A_Const.boolval === undefined ? undefined : named("bool", true);
  return named(plainName(node));
}

function named(name: string | undefined, isType = false): NodeName | undefined {
  return name === undefined ? undefined : { name, isType };
}

/** The last of a list of names. */
function lastOf(names: readonly Node[] | undefined): string | undefined {
  const last = names?.at(-1);
  return last !== undefined && "String" in last ? last.String.sval : undefined;
}

function plainName(node: Node): string | undefined {
  if ("ColumnRef" in node) {
    return lastOf((node.ColumnRef.fields ?? []).filter((each) => "String" in each));
  }
  if ("FuncCall" in node) return lastOf(node.FuncCall.funcname);
  if ("CoalesceExpr" in node) return "coalesce";
  if ("MinMaxExpr" in node) return node.MinMaxExpr.op === "IS_GREATEST" ? "greatest" : "least";
  if ("A_ArrayExpr" in node) return "array";
  if ("RowExpr" in node) return "row";
  if ("GroupingFunc" in node) return "grouping";
  if ("A_Expr" in node && node.A_Expr.kind === "AEXPR_NULLIF") return "nullif";
  if ("SQLValueFunction" in node) {
    return (node.SQLValueFunction.op ?? "").replace("SVFOP_", "").replace(/_N$/, "").toLowerCase();
  }
  return undefined;
}

export function outputOf(name: string, expr: Expr, origin?: ScopeColumn): OutputColumn {
  const { oid, typmod } = expr;
  const { tableOid = 0, attribute = 0 } = origin ?? {};
  return { name, oid, typmod, tableOid, attribute, columns: fieldsOf(expr) };
}

function subqueryName({ subLinkType, subselect }: NodeOf<"SubLink">): NodeName | undefined {
  if (subLinkType === "EXISTS_SUBLINK") return named("exists");
  if (subLinkType === "ARRAY_SUBLINK") return named("array");
  if (subLinkType !== "EXPR_SUBLINK") return undefined;
  let select = contentOf(subselect, "SelectStmt");
  while (select?.larg !== undefined) select = select.larg;
  if (select?.valuesLists !== undefined) return named("column1");
  const target = contentOf(select?.targetList?.[0], "ResTarget");
  return named(target?.name ?? columnName(target?.val));
}
