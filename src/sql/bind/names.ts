import type { Node } from "libpg-query";
import { literalPattern } from "../../base/literal-pattern.ts";
import { notSupported, SqlError } from "../error.ts";
import { contentOf, type NodeOf } from "../parse/statement.ts";
import { OID } from "../types/oids.ts";
import { located } from "./coerce.ts";
import { type Expr, fieldsOf } from "./expr.ts";
import type { OuterRefs, Scope, ScopeColumn, ScopeTable } from "./scope.ts";

export function textsOf(nodes: readonly Node[] | undefined): readonly string[] {
  return (nodes ?? []).map((node) => contentOf(node, "String")?.sval ?? "");
}

/** Every table of PostgreSQL's has them. */
const SYSTEM_COLUMNS: ReadonlySet<string> = new Set("tableoid ctid xmin xmax cmin cmax".split(" "));

/** The column that a name means. @throws SqlError 42703, 42702, 42P01. */
export function bindColumn(scope: Scope, { fields, location }: NodeOf<"ColumnRef">): Expr {
  return located(scope, location, () => {
    const names = textsOf(fields);
    const name = names.at(-1) ?? "";
    return names.length === 1 ? unqualified(scope, name) : qualified(scope, names);
  });
}

/** Of this query, or of one around it. */
function unqualified(scope: Scope, name: string): Expr {
  for (let level: Scope | undefined = scope; level !== undefined; level = level.outer?.scope) {
    const found = level.tables.flatMap((table) =>
      table.visible === "qualified"
        ? []
        : table.columns.flatMap((column) => (column.name === name ? [{ table, column }] : [])),
    );
    const [first, second] = found;
    if (second !== undefined) {
      throw new SqlError("42702", `column reference "${name}" is ambiguous`);
    }
    if (first === undefined) continue;
    assertUsable(first.table);
    return fromLevel(scope, level, columnExpr(first.column));
  }
  for (let level: Scope | undefined = scope; level !== undefined; level = level.outer?.scope) {
    const table = findTable(level, [name]);
    if (table === undefined) continue;
    assertUsable(table);
    const [column] = table.columns;
    if (table.isScalar === true && column !== undefined) {
      return fromLevel(scope, level, columnExpr(column));
    }
  }
  for (let level: Scope | undefined = scope; level !== undefined; level = level.outer?.scope) {
    const stored = level.tables.filter(({ isStored }) => isStored === true);
    const [first, second] = stored;
    if (first === undefined || !SYSTEM_COLUMNS.has(name)) continue;
    if (second !== undefined) {
      throw new SqlError("42702", `column reference "${name}" is ambiguous`);
    }
    return fromLevel(scope, level, systemColumn(level, first, name));
  }
  const hint = hintFor(scope, name);
  const fields = hint === undefined ? {} : { hint };
  throw new SqlError("42703", `column "${name}" does not exist`, fields);
}

/**
 * The row of a table, as an expression that `make` gives.
 *
 * @param isStar no column is meant.
 * @returns undefined where the name means something else.
 */
export function wholeRow(
  scope: Scope,
  names: readonly string[],
  isStar: boolean,
  make: (table: ScopeTable, isJoined: boolean) => Expr,
): Expr | undefined {
  const [name] = names;
  for (let level: Scope | undefined = scope; level !== undefined; level = level.outer?.scope) {
    const isColumn = level.tables.some(
      ({ visible, columns }) =>
        visible !== "qualified" && columns.some((column) => column.name === name),
    );
    if (isColumn && !isStar) return undefined;
  }
  for (let level: Scope | undefined = scope; level !== undefined; level = level.outer?.scope) {
    const table = findTable(level, names);
    if (table === undefined) continue;
    assertUsable(table);
    if (table.isScalar === true && !isStar) return undefined;
    return fromLevel(scope, level, make(table, level.tables.length > 1));
  }
  return undefined;
}

function qualified(scope: Scope, names: readonly string[]): Expr {
  const tableNames = names.slice(0, -1);
  const name = names.at(-1) ?? "";
  for (let level: Scope | undefined = scope; level !== undefined; level = level.outer?.scope) {
    const table = findTable(level, tableNames);
    if (table === undefined) continue;
    assertUsable(table);
    const column = table.columns.find((each) => each.name === name);
    if (column === undefined) {
      if (table.isStored === true && SYSTEM_COLUMNS.has(name)) {
        return fromLevel(scope, level, systemColumn(level, table, name));
      }
      throw new SqlError("42703", `column ${names.join(".")} does not exist`);
    }
    return fromLevel(scope, level, columnExpr(column));
  }
  throw missingTable(tableNames);
}

/** What PostgreSQL adds to the rows of each table. @throws SqlError 0A000. */
function systemColumn(level: Scope, table: ScopeTable, name: string): Expr {
  const { columns, filled, tableOid } = table;
  if (name === "tableoid" && tableOid !== undefined) return columnExpr(tableOid);
  const [column] = columns;
  if (name !== "tableoid" || column === undefined) throw notSupported(`the system column ${name}`);
  const type = { oid: OID.oid, typmod: -1 };
  const value: Expr = { kind: "const", ...type, value: column.tableOid };
  if (level.tables.length === 1) return value;
  // An outer join may have no row of it.
  const some = filled === undefined ? undefined : columns[filled];
  if (some === undefined) throw notSupported(`the system column ${name} of a joined table`);
  const isThere = { kind: "isNull", oid: OID.bool, typmod: -1, isNegated: true } as const;
  const when = { when: { ...isThere, arg: columnExpr(some) }, value };
  return { kind: "case", ...type, whens: [when], otherwise: undefined };
}

/** An expression of a query around this one, as each query between them hands it down. */
function fromLevel(scope: Scope, level: Scope, expr: Expr): Expr {
  if (scope === level || scope.outer === undefined) return expr;
  return outerExpr(scope.outer, fromLevel(scope.outer.scope, level, expr));
}

/** A value of the row around a subquery. */
export function outerExpr({ refs }: OuterRefs, expr: Expr): Expr {
  const isSame = (each: Expr): boolean =>
    each === expr ||
    (each.kind === "column" && expr.kind === "column" && each.slot === expr.slot) ||
    (each.kind === "outer" && expr.kind === "outer" && each.index === expr.index);
  const known = refs.findIndex(isSame);
  const index = known < 0 ? refs.push(expr) - 1 : known;
  const { oid, typmod } = expr;
  const name = "name" in expr ? expr.name : "?column?";
  return { kind: "outer", oid, typmod, index, name, columns: fieldsOf(expr) };
}

/** Strings in double quotes are the most common mistake; a misspelt name the next. */
function hintFor(scope: Scope, name: string): string | undefined {
  const near = scope.tables
    .flatMap((table) => table.columns.map((column) => ({ table, column })))
    .find(({ column }) => column.name.toLowerCase() === name.toLowerCase());
  if (near !== undefined) {
    const { table, column } = near;
    return `Perhaps you meant to reference the column "${table.name}.${column.name}".`;
  }
  const isText = new RegExp(`"${literalPattern(name)}"`);
  if (!isText.test(scope.source.text)) return undefined;
  return `Strings take single quotes: '${name}'. Double quotes are for names.`;
}

/** The columns of a table of this query, or of one around it. @throws SqlError 42P01. */
export function columnsOf(
  scope: Scope,
  names: readonly string[],
): readonly { readonly column: ScopeColumn; readonly expr: Expr }[] {
  for (let level: Scope | undefined = scope; level !== undefined; level = level.outer?.scope) {
    const table = findTable(level, names);
    if (table === undefined) continue;
    assertUsable(table);
    const at = level;
    return table.columns.map((column) => {
      return { column, expr: fromLevel(scope, at, columnExpr(column)) };
    });
  }
  throw missingTable(names);
}

/** @throws SqlError 42P10 for a table that may not be used here. */
function assertUsable({ name, barred }: ScopeTable): void {
  if (barred === undefined) return;
  const message = `invalid reference to FROM-clause entry for table "${name}"`;
  throw new SqlError("42P10", message, { detail: barred });
}

function findTable(scope: Scope, names: readonly string[]): ScopeTable | undefined {
  const name = names.at(-1) ?? "";
  const schema = names.at(-2);
  const [table, second] = scope.tables.filter(
    (each) =>
      each.visible !== "unqualified" &&
      each.name === name &&
      (schema === undefined || each.schema === schema),
  );
  if (second === undefined || schema !== undefined) return table;
  throw new SqlError("42P09", `table reference "${name}" is ambiguous`);
}

function missingTable(names: readonly string[]): SqlError {
  return new SqlError("42P01", `missing FROM-clause entry for table "${names.at(-1) ?? ""}"`);
}

export function columnExpr(column: ScopeColumn): Expr {
  const { oid, typmod, slot, name, expr, shown, columns } = column;
  return expr ?? { kind: "column", oid, typmod, slot, name: shown ?? name, columns };
}
