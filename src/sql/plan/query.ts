import type { Node } from "libpg-query";
import type { Expr } from "../bind/expr.ts";
import type { ScopeColumn, ScopeTable } from "../bind/scope.ts";
import { contentOf, type NodeOf } from "../parse/statement.ts";
import type { Column } from "../session/started.ts";
import type { TypeRegistry } from "../types/registry.ts";
import type { From } from "./from-tree.ts";
import type { PlanNode } from "./node.ts";

/** A column that a query gives. */
export interface OutputColumn {
  readonly name: string;
  readonly oid: number;
  readonly typmod: number;
  readonly tableOid: number;
  readonly attribute: number;
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
  readonly plan: () => PlanNode;
}

/** A query of FROM, WHERE and a list of values alone. */
export interface SimpleQuery {
  readonly from: From;
  readonly where: readonly Expr[];
  readonly values: readonly Expr[];
}

export function resultColumns(
  types: TypeRegistry,
  columns: readonly OutputColumn[],
): readonly Column[] {
  return columns.map(({ name, oid, typmod, tableOid, attribute }) => {
    const { length } = types.get(oid);
    return { name, type: { oid, length }, typmod, tableOid, attribute };
  });
}

/** What a query gives, as names of an outer one see it. */
export function derivedTable(
  name: string,
  columns: readonly OutputColumn[],
  names: readonly string[],
): ScopeTable {
  const seen = columns.map(({ name: own, oid, typmod }, slot): ScopeColumn => {
    const column = { name: names[slot] ?? own, oid, typmod, slot };
    return { ...column, tableOid: 0, attribute: 0 };
  });
  return { name, columns: seen };
}

/** The name of a column without an alias, as PostgreSQL gives it. */
export function columnName(node: Node | undefined): string {
  if (node === undefined) return "?column?";
  if ("ColumnRef" in node) {
    const last = node.ColumnRef.fields?.at(-1);
    return last !== undefined && "String" in last ? (last.String.sval ?? "?column?") : "?column?";
  }
  if ("FuncCall" in node) {
    const last = node.FuncCall.funcname?.at(-1);
    return last !== undefined && "String" in last ? (last.String.sval ?? "?column?") : "?column?";
  }
  if ("TypeCast" in node) {
    const inner = columnName(node.TypeCast.arg);
    if (inner !== "?column?") return inner;
    const last = node.TypeCast.typeName?.names?.at(-1);
    return last !== undefined && "String" in last ? (last.String.sval ?? "?column?") : "?column?";
  }
  if ("CaseExpr" in node) {
    const inner = columnName(node.CaseExpr.defresult);
    return inner === "?column?" ? "case" : inner;
  }
  if ("A_Const" in node) return node.A_Const.boolval === undefined ? "?column?" : "bool";
  if ("CoalesceExpr" in node) return "coalesce";
  if ("MinMaxExpr" in node) return node.MinMaxExpr.op === "IS_GREATEST" ? "greatest" : "least";
  if ("A_ArrayExpr" in node) return "array";
  if ("GroupingFunc" in node) return "grouping";
  if ("SubLink" in node) return subqueryName(node.SubLink);
  if ("CollateClause" in node) return columnName(node.CollateClause.arg);
  if ("A_Expr" in node && node.A_Expr.kind === "AEXPR_NULLIF") return "nullif";
  if ("SQLValueFunction" in node) {
    return (node.SQLValueFunction.op ?? "").replace("SVFOP_", "").replace(/_N$/, "").toLowerCase();
  }
  return "?column?";
}

export function outputOf(name: string, expr: Expr, origin?: ScopeColumn): OutputColumn {
  const { oid, typmod } = expr;
  const { tableOid = 0, attribute = 0 } = origin ?? {};
  return { name, oid, typmod, tableOid, attribute };
}

function subqueryName({ subLinkType, subselect }: NodeOf<"SubLink">): string {
  if (subLinkType === "EXISTS_SUBLINK") return "exists";
  if (subLinkType === "ARRAY_SUBLINK") return "array";
  if (subLinkType !== "EXPR_SUBLINK") return "?column?";
  const target = contentOf(contentOf(subselect, "SelectStmt")?.targetList?.[0], "ResTarget");
  return target?.name ?? columnName(target?.val);
}
