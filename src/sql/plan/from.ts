import type { Node } from "libpg-query";
import type { Privilege } from "../../api/privileges.ts";
import { bindExpr } from "../bind/bind-expression.ts";
import { operatorCall } from "../bind/bind-operator.ts";
import { coerce, coerceToBool, coerceToCommon } from "../bind/coerce.ts";
import type { Expr } from "../bind/expr.ts";
import { columnExpr, textsOf } from "../bind/names.ts";
import type { OuterRefs, Scope, ScopeColumn, ScopeTable } from "../bind/scope.ts";
import { notSupported, SqlError } from "../error.ts";
import type { JoinType } from "../exec/join.ts";
import { contentOf, kindOf, type NodeOf } from "../parse/statement.ts";
import { conjuncts } from "./conditions.ts";
import { cteRelation } from "./cte-relation.ts";
import { cteNamed, type PlanEnv, scopeOf } from "./env.ts";
import type { From, FromTree } from "./from-tree.ts";
import { functionRelation } from "./function-relation.ts";
import { derivedTable } from "./query.ts";
import { ONE_ROW, type Relation } from "./relation.ts";
import { scopeTable } from "./table-columns.ts";
import { tableRelation, virtualSource } from "./table-relation.ts";
import type { TableUse } from "./table-use.ts";
import { viewRelation } from "./view-relation.ts";
import { virtualTable } from "./virtual-scan.ts";

const READS: readonly Privilege[] = ["read-data"];

/** What a statement needs of a table that its FROM names. */
function needsOf({ target }: PlanEnv, range: NodeOf<"RangeVar">): readonly Privilege[] {
  return target?.range === range ? target.needs : READS;
}

/** ONLY a partitioned table has no row. */
function partsOf(use: TableUse, { inh }: NodeOf<"RangeVar">): TableUse {
  const { partitions, descriptor } = use;
  const { partitioned } = descriptor;
  if (partitions === undefined || partitioned === undefined || inh === true) return use;
  const none = { ...descriptor, partitioned: { ...partitioned, members: [] } };
  return { ...use, descriptor: none, partitions: { ...partitions, members: [] } };
}

/** What an item of FROM is, and what names may mean behind it. */
interface Item {
  readonly tree: FromTree;
  readonly tables: readonly ScopeTable[];
}

/** Binds FROM. @throws SqlError. */
export function bindFrom(env: PlanEnv, nodes: readonly Node[]): From {
  return new FromBinder(env, nodes.length > 1 || nodes.some((node) => "JoinExpr" in node)).from(
    nodes,
  );
}

class FromBinder {
  readonly #env: PlanEnv;
  readonly #isQualified: boolean;
  #width = 0;

  constructor(env: PlanEnv, isQualified: boolean) {
    this.#env = env;
    this.#isQualified = isQualified;
  }

  from(nodes: readonly Node[]): From {
    const { outer } = this.#env;
    const before = outer?.refs.length ?? 0;
    let whole: Item | undefined;
    for (const node of nodes) {
      const item = this.#item(node, this.#before(nodes, whole));
      if (whole === undefined) whole = item;
      else whole = this.#joined("inner", whole, item, []);
    }
    const isCorrelated = (outer?.refs.length ?? 0) > before;
    if (whole === undefined) {
      const tree = { kind: "relation" as const, relation: ONE_ROW, base: 0 };
      return { tree, tables: [], width: 0, isCorrelated };
    }
    return { ...whole, width: this.#width, isCorrelated };
  }

  /** What lateral items may take values of: not of the table that the statement changes. */
  #before(nodes: readonly Node[], whole: Item | undefined): readonly ScopeTable[] {
    const { target } = this.#env;
    const [changed, ...tables] = whole?.tables ?? [];
    if (changed === undefined) return tables;
    const isChanged = target !== undefined && contentOf(nodes[0], "RangeVar") === target.range;
    if (!isChanged) return [changed, ...tables];
    const why = `There is an entry for table "${changed.name}", but it cannot be referenced here.`;
    return [...barred([changed], why), ...tables];
  }

  #joined(type: JoinType, left: Item, right: Item, on: readonly Expr[]): Item {
    for (const { name, schema, visible } of right.tables) {
      const same = left.tables.some(
        (each) =>
          each.visible !== "unqualified" &&
          visible !== "unqualified" &&
          each.name === name &&
          each.schema === schema &&
          name !== "",
      );
      if (same) throw new SqlError("42712", `table name "${name}" specified more than once`);
    }
    const tree: FromTree = { kind: "join", type, left: left.tree, right: right.tree, on };
    return { tree, tables: [...left.tables, ...right.tables] };
  }

  #item(node: Node, before: readonly ScopeTable[]): Item {
    const item = this.#bound(node, before);
    this.#env.trace?.item(node, item.tables);
    return item;
  }

  #bound(node: Node, before: readonly ScopeTable[]): Item {
    if ("JoinExpr" in node) return this.#join(node.JoinExpr, before);
    if ("RangeVar" in node) return this.#placed(this.#named(node.RangeVar));
    if ("RangeSubselect" in node) return this.#placed(this.#subselect(node.RangeSubselect, before));
    if ("RangeFunction" in node) {
      const lateral = this.#lateral(before);
      return this.#placed(functionRelation(this.#env, node.RangeFunction, lateral));
    }
    throw notSupported(`FROM with ${kindOf(node)}`);
  }

  /** A relation at the next slots of the query. */
  #placed(relation: Relation): Item {
    const base = this.#width;
    this.#width += relation.width;
    const tables = relation.tables.map((table): ScopeTable => {
      const placed = (column: ScopeColumn): ScopeColumn => {
        const shown = this.#isQualified ? { shown: `${table.name}.${column.name}` } : {};
        return { ...column, slot: column.slot + base, ...shown };
      };
      const later = table.later && { later: table.later.map(placed) };
      const tableOid = table.tableOid && {
        tableOid: { ...table.tableOid, slot: table.tableOid.slot + base },
      };
      return { ...table, columns: table.columns.map(placed), ...later, ...tableOid };
    });
    return { tree: { kind: "relation", relation, base }, tables };
  }

  /** What a lateral item takes of those before it. */
  #lateral(before: readonly ScopeTable[]): OuterRefs {
    const scope = scopeOf(this.#env, before, "functions in FROM");
    return { scope, refs: [], bind: (node) => bindExpr(scope, node) };
  }

  #named(range: NodeOf<"RangeVar">): Relation {
    const env = this.#env;
    const { relname = "", schemaname, alias } = range;
    const names = textsOf(alias?.colnames);
    const cte = schemaname === undefined ? cteNamed(env, relname) : undefined;
    if (cte?.isSilent === true) {
      const message = `WITH query "${relname}" does not have a RETURNING clause`;
      throw new SqlError("0A000", message).at(env.source.position(range.location));
    }
    if (cte !== undefined) return cteRelation(cte, alias?.aliasname ?? relname, names);
    const needs = needsOf(env, range);
    const known = env.relation(range, needs);
    if (known.kind === "table") {
      const whole = scopeTable(env.functions.types, known.use, alias?.aliasname);
      const table = renamed(seenColumns(env, known.use.descriptor.id, whole), names);
      return tableRelation(env, partsOf(known.use, range), table);
    }
    if (known.kind === "view") {
      const relation = viewRelation(env, known, alias?.aliasname);
      const [table] = relation.tables as [ScopeTable];
      return { ...relation, tables: [renamed(table, names)] };
    }
    return virtualSource(
      known.virtual,
      renamed(virtualTable(known.virtual, alias?.aliasname), names),
    );
  }

  #subselect(range: NodeOf<"RangeSubselect">, before: readonly ScopeTable[]): Relation {
    const { subquery, alias, lateral } = range;
    const env = this.#env;
    if (alias === undefined) {
      const isValues = contentOf(subquery, "SelectStmt")?.valuesLists !== undefined;
      const what = isValues ? "VALUES" : "subquery";
      throw new SqlError("42601", `${what} in FROM must have an alias`, {
        hint: `For example, FROM (${isValues ? "VALUES ..." : "SELECT ..."}) [AS] foo.`,
      });
    }
    const outer = lateral === true ? this.#lateral(before) : env.outer;
    const query = env.bindQuery({ ...env, outer }, subquery as Node);
    const names = textsOf(alias.colnames);
    if (names.length > query.columns.length) tooManyNames(alias.aliasname ?? "", query, names);
    const table = derivedTable(alias.aliasname ?? "", query.columns, names);
    const refs = lateral === true ? (outer as OuterRefs).refs : undefined;
    return {
      tables: [table],
      width: query.columns.length,
      rows: 1_000,
      ...(refs !== undefined && refs.length > 0 && { refs, isVolatile: query.isVolatile }),
      plan: ({ filters, needed }) => {
        const below = query.plan(needed);
        const shown = { title: `Subquery Scan on ${table.name}`, details: [], children: [below] };
        const rows = Math.max(1, 1_000 * 0.3 ** filters.length);
        return { rows, node: { ...shown, open: (run, observe) => below.open(run, observe) } };
      },
    };
  }

  #join(join: NodeOf<"JoinExpr">, before: readonly ScopeTable[]): Item {
    const { larg, rarg, quals, jointype, alias, isNatural, usingClause } = join;
    const left = this.#item(larg as Node, before);
    const isRight = jointype === "JOIN_RIGHT";
    const isKept = isRight || jointype === "JOIN_FULL";
    const seen = isKept ? barred(left.tables, BARRED_BY_JOIN) : left.tables;
    const right = this.#item(rarg as Node, [...before, ...seen]);
    const type: JoinType =
      jointype === "JOIN_LEFT" || isRight ? "left" : jointype === "JOIN_FULL" ? "full" : "inner";
    const names =
      isNatural === true ? commonNames(left.tables, right.tables) : textsOf(usingClause);
    const both = [...left.tables, ...right.tables];
    const scope = scopeOf(this.#env, both, "JOIN conditions");
    const isMerged = isNatural === true || names.length > 0;
    const merged = names.map((name) => mergedColumn(scope, name, left, right, jointype));
    const on = isMerged
      ? merged.map(({ equal }) => equal)
      : conjuncts(
          quals === undefined ? undefined : coerceToBool(scope, bindExpr(scope, quals), "JOIN/ON"),
        );
    const [first, second] = isRight ? [right, left] : [left, right];
    const { tree } = this.#joined(type, first, second, on);
    const columns = merged.map(({ column }) => column);
    return { tree, tables: joinTables(left, right, columns, alias, join.join_using_alias) };
  }
}

/** A table as the query of a view sees it: without what it got after the view was made. */
function seenColumns({ lastColumns }: PlanEnv, id: string, table: ScopeTable): ScopeTable {
  const last = lastColumns?.get(id);
  const count = table.columns.filter(({ attribute }) => attribute <= (last ?? attribute)).length;
  if (count === table.columns.length) return table;
  const { filled = count } = table;
  return {
    ...table,
    columns: table.columns.slice(0, count),
    later: table.columns.slice(count),
    filled: filled < count ? filled : undefined,
  };
}

const BARRED_BY_JOIN = "The combining JOIN type must be INNER or LEFT for a LATERAL reference.";

function barred(tables: readonly ScopeTable[], why: string): readonly ScopeTable[] {
  return tables.map((table) => ({ ...table, barred: why }));
}

function tooManyNames(
  name: string,
  { columns }: { readonly columns: readonly unknown[] },
  names: readonly string[],
): never {
  const message =
    `table "${name}" has ${columns.length} columns available ` +
    `but ${names.length} columns specified`;
  throw new SqlError("42P10", message);
}

function renamed(table: ScopeTable, names: readonly string[]): ScopeTable {
  if (names.length === 0) return table;
  if (names.length > table.columns.length) tooManyNames(table.name, table, names);
  const columns = table.columns.map((column, i) => ({ ...column, name: names[i] ?? column.name }));
  return { ...table, columns };
}

function visibleColumns(tables: readonly ScopeTable[]): readonly ScopeColumn[] {
  return tables.flatMap(({ columns, visible }) => (visible === "qualified" ? [] : columns));
}

function commonNames(left: readonly ScopeTable[], right: readonly ScopeTable[]): readonly string[] {
  const theirs = new Set(visibleColumns(right).map(({ name }) => name));
  return visibleColumns(left).flatMap(({ name }) => (theirs.has(name) ? [name] : []));
}

function usedColumn({ tables }: Item, name: string, side: "left" | "right"): ScopeColumn {
  const [column, second] = visibleColumns(tables).filter((each) => each.name === name);
  if (second !== undefined) {
    const message = `common column name "${name}" appears more than once in ${side} table`;
    throw new SqlError("42702", message);
  }
  if (column !== undefined) return column;
  const message = `column "${name}" specified in USING clause does not exist in ${side} table`;
  throw new SqlError("42703", message);
}

/** A column of USING: that both sides are equal in it, and its one value. */
function mergedColumn(
  scope: Scope,
  name: string,
  left: Item,
  right: Item,
  jointype: NodeOf<"JoinExpr">["jointype"],
): { readonly equal: Expr; readonly column: ScopeColumn } {
  const columns = [usedColumn(left, name, "left"), usedColumn(right, name, "right")] as const;
  const exprs = columns.map(columnExpr) as [Expr, Expr];
  const equal = operatorCall(scope, "=", exprs);
  const common = coerceToCommon(scope, exprs, "JOIN/USING");
  const [mine, theirs] = common.args as [Expr, Expr];
  const { oid, typmod } = common;
  // Of an inner join: the one that needs no cast.
  const isPlainer = mine.kind !== "column" && theirs.kind === "column";
  const isRight = jointype === "JOIN_RIGHT" || (jointype === "JOIN_INNER" && isPlainer);
  const expr: Expr =
    jointype === "JOIN_FULL"
      ? { kind: "coalesce", oid, typmod, args: [mine, theirs] }
      : coerce(scope, isRight ? theirs : mine, oid, -1, "implicit");
  const origin = columns[isRight ? 1 : 0];
  const slot = expr.kind === "column" ? expr.slot : -1;
  const { tableOid, attribute } = slot < 0 ? { tableOid: 0, attribute: 0 } : origin;
  return { equal, column: { name, oid, typmod, slot, tableOid, attribute, expr } };
}

/** What names mean behind a join. */
function joinTables(
  left: Item,
  right: Item,
  merged: readonly ScopeColumn[],
  alias: NodeOf<"JoinExpr">["alias"],
  usingAlias: NodeOf<"JoinExpr">["join_using_alias"],
): readonly ScopeTable[] {
  const all = [...left.tables, ...right.tables];
  if (merged.length === 0 && alias === undefined) return all;
  const names = new Set(merged.map(({ name }) => name));
  const rest = visibleColumns(all).filter(({ name }) => !names.has(name));
  const columns = [...merged, ...rest];
  const isTaken = (name: string | undefined): boolean =>
    all.some((table) => table.visible !== "unqualified" && table.name === name);
  if (alias === undefined && isTaken(usingAlias?.aliasname)) {
    const message = `table name "${usingAlias?.aliasname}" specified more than once`;
    throw new SqlError("42712", message);
  }
  if (alias !== undefined) {
    return [renamed({ name: alias.aliasname ?? "", columns }, textsOf(alias.colnames))];
  }
  const own: ScopeTable = { name: "", columns, visible: "unqualified" };
  const sides = all
    .filter(({ visible }) => visible !== "unqualified")
    .map((table): ScopeTable => ({ ...table, visible: "qualified" }));
  const using: readonly ScopeTable[] =
    usingAlias === undefined
      ? []
      : [{ name: usingAlias.aliasname ?? "", columns: merged, visible: "qualified" }];
  return [own, ...sides, ...using];
}

/** A row table that a statement changes. */
export async function planTable(
  env: PlanEnv,
  range: NodeOf<"RangeVar">,
  needs: readonly Privilege[],
): Promise<Relation> {
  const { alias } = range;
  const use = await env.table(range, needs);
  return tableRelation(env, use, scopeTable(env.functions.types, use, alias?.aliasname));
}
