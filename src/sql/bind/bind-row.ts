import type { Node } from "libpg-query";
import type { Datum } from "../../rows/datum.ts";
import { notSupported, SqlError } from "../error.ts";
import { typeName } from "../functions/coercion.ts";
import { contentOf, type NodeOf } from "../parse/statement.ts";
import { OID } from "../types/oids.ts";
import type { RowColumn, RowValue } from "../types/row-value.ts";
import { bindSubscript } from "./bind-subscript.ts";
import { coerce, located } from "./coerce.ts";
import { type Expr, fieldsOf } from "./expr.ts";
import { columnExpr, textsOf, wholeRow } from "./names.ts";
import { ROW, rowExpr } from "./row-expr.ts";
import type { Scope } from "./scope.ts";

/** Functions whose argument may be a row. */
const TAKE_ROWS: ReadonlySet<string> = new Set([
  "row_to_json",
  "to_json",
  "to_jsonb",
  "json_agg",
  "jsonb_agg",
  "count",
]);

/**
 * An argument that is the row of a table: its name, or `table.*`.
 *
 * @returns undefined where the argument is none, or where the function takes none.
 */
export function bindRowArgument(scope: Scope, name: string, node: Node): Expr | undefined {
  if (!TAKE_ROWS.has(name)) return undefined;
  const row = bindTableRow(scope, node);
  if (row !== undefined) scope.trace?.expr(row, node, scope);
  return row;
}

/** `ROW(…)`, and `(a, b)` with more than one value. */
export function bindRow(
  { args: given = [] }: NodeOf<"RowExpr">,
  scope: Scope,
  bind: (node: Node) => Expr,
  isTyped = false,
): Expr {
  const args = bindList(scope, given, bind).map((expr) => {
    const isOpen = expr.kind === "const" || (isTyped && expr.kind === "param");
    if (expr.oid !== OID.unknown || isOpen) return expr;
    return coerce(scope, expr, OID.text, -1, "implicit");
  });
  const columns = args.map(({ oid, typmod }, i) => ({ name: `f${i + 1}`, oid, typmod }));
  return rowExpr(args, columns, "row");
}

/** What is to be of a type: parameters of `ROW(…)` then are of the types of its fields. */
export function bindRowAs(scope: Scope, node: Node, oid: number, bind: (node: Node) => Expr): Expr {
  const row = contentOf(node, "RowExpr");
  const isTyped = scope.functions.types.columnsOf(oid) !== undefined;
  return row === undefined ? bind(node) : bindRow(row, scope, bind, isTyped);
}

/** Expressions of ROW and VALUES, where `t.*` stands for the columns of `t`. */
export function bindList(
  scope: Scope,
  nodes: readonly Node[],
  bind: (node: Node) => Expr,
): readonly Expr[] {
  return nodes.flatMap((node): readonly Expr[] => {
    const fields = contentOf(node, "A_Indirection");
    if (fields !== undefined && "A_Star" in (fields.indirection?.at(-1) ?? {})) {
      return allFields(scope, bindStarred(scope, fields, bind));
    }
    const starred = isStarred(node) ? bindTableRow(scope, node) : undefined;
    return starred === undefined ? [bind(node)] : allFields(scope, starred);
  });
}

/** The name of a table that stands for its row, where it is a value by itself. */
export function bindWholeRow(scope: Scope, node: Node): Expr | undefined {
  return bindTableRow(scope, node, true);
}

/** `IS NULL`; of a row: of itself or of all its fields, and `IS NOT NULL`: of each of them. */
export function bindNullTest(
  scope: Scope,
  node: Node,
  isNegated: boolean,
  bind: (node: Node) => Expr,
): Expr {
  const type = { oid: OID.bool, typmod: -1 };
  const row = bindTableRow(scope, node);
  if (row !== undefined) scope.trace?.expr(row, node, scope);
  const arg = row ?? bind(node);
  if (arg.kind === "call" && arg.procedure === ROW) {
    const args = arg.args.map((each): Expr => ({ kind: "isNull", ...type, arg: each, isNegated }));
    return { kind: "and", ...type, args };
  }
  if (!scope.functions.types.isRow(arg.oid)) return { kind: "isNull", ...type, arg, isNegated };
  const evaluate = (value: unknown): Datum => {
    if (value === null) return !isNegated;
    const { fields } = value as RowValue;
    return fields.every((field) => (field === null) !== isNegated);
  };
  const name = isNegated ? "row is not null" : "row is null";
  const shape = { isOperator: false, isStrict: false, isVolatile: false, returnsSet: false };
  return { kind: "call", ...type, name, procedure: name, args: [arg], evaluate, ...shape };
}

function isStarred(node: Node): boolean {
  const { fields = [] } = contentOf(node, "ColumnRef") ?? {};
  return fields.length > 1 && "A_Star" in (fields.at(-1) as Node);
}

/** The row of a table that a name means; undefined where it means something else. */
function bindTableRow(scope: Scope, node: Node, isValue = false): Expr | undefined {
  const { fields = [] } = contentOf(node, "ColumnRef") ?? {};
  const isStar = isStarred(node);
  const names = textsOf(isStar ? fields.slice(0, -1) : fields);
  if (names.length === 0 || (names.length > 1 && !isStar)) return undefined;
  return wholeRow(scope, names, isStar, (table, isJoined) => {
    const { later = [], rowType = OID.record, filled } = table;
    const columns = [...table.columns, ...later];
    if (isValue && rowType === 0) throw notSupported("a row of this relation as a value");
    const shown = columns.map(({ name: column, oid, typmod }) => ({ name: column, oid, typmod }));
    const empty = filled !== undefined ? "never" : isJoined ? "unknown" : "row";
    return { ...rowExpr(columns.map(columnExpr), shown, empty), oid: rowType || OID.record };
  });
}

/** `(row).field`, `array[1]`, and any of these behind each other. */
export function bindIndirection(
  scope: Scope,
  { arg, indirection = [] }: NodeOf<"A_Indirection">,
  bind: (node: Node) => Expr,
): Expr {
  if (arg === undefined) throw notSupported("a field of a value");
  const isField = "String" in (indirection[0] ?? {});
  let expr = (isField ? bindTableRow(scope, arg) : undefined) ?? bind(arg);
  for (let at = 0; at < indirection.length; ) {
    const field = contentOf(indirection[at], "String");
    if (field !== undefined) {
      const before = expr;
      const name = field.sval ?? "";
      expr = located(scope, locationOf(arg), () => fieldExpr(scope, before, name, nameOf(arg)));
      at++;
      continue;
    }
    const next = indirection.findIndex((node, i) => i > at && !("A_Indices" in node));
    const end = next < 0 ? indirection.length : next;
    if (end === at) throw notSupported("a field of a value");
    expr = bindSubscript(scope, expr, indirection.slice(at, end), bind);
    at = end;
  }
  return expr;
}

/** The row whose fields `(row).*` names. */
export function bindStarred(
  scope: Scope,
  { arg, indirection = [] }: NodeOf<"A_Indirection">,
  bind: (node: Node) => Expr,
): Expr {
  if (indirection.length > 1) {
    return bindIndirection(scope, { arg, indirection: indirection.slice(0, -1) } as never, bind);
  }
  return bindTableRow(scope, arg as Node) ?? bind(arg as Node);
}

function locationOf(node: Node): number | undefined {
  const [content] = Object.values(node) as readonly { readonly location?: number }[];
  return content?.location ?? (content === undefined ? undefined : 0);
}

/** The name of a table whose row is meant. */
function nameOf(node: Node): string | undefined {
  const fields = contentOf(node, "ColumnRef")?.fields ?? [];
  return textsOf(fields).at("A_Star" in (fields.at(-1) ?? {}) ? -2 : -1);
}

/** The fields of a row, one by one. */
export function allFields(scope: Scope, row: Expr): readonly Expr[] {
  if (row.kind === "call" && row.procedure === ROW) return row.args;
  const columns = columnsOfRow(scope, row);
  if (columns === undefined) {
    const { types } = scope.functions;
    if (types.isRow(row.oid)) throw notSupported("the fields of this row");
    throw new SqlError("42809", `type ${typeName(types, row.oid)} is not composite`);
  }
  return columns.map((_, place) => fieldAt(row, columns, place));
}

/** The columns of an expression that is a row: it or its type tells of them. */
export function columnsOfRow(
  { functions: { types } }: Scope,
  row: Expr,
): readonly RowColumn[] | undefined {
  return fieldsOf(row) ?? types.columnsOf(row.oid);
}

/** @throws SqlError 42809, 42703. */
export function fieldExpr(scope: Scope, row: Expr, name: string, table?: string): Expr {
  const { types } = scope.functions;
  const columns = columnsOfRow(scope, row);
  if (columns === undefined) {
    if (types.isRow(row.oid)) throw notSupported("a field of this row");
    const type = typeName(types, row.oid);
    const message = `column notation .${name} applied to type ${type}`;
    throw new SqlError("42809", `${message}, which is not a composite type`);
  }
  const place = columns.findIndex((column) => column.name === name);
  if (place < 0) {
    const isTable = table !== undefined && row.kind === "call" && row.procedure === ROW;
    if (isTable) throw new SqlError("42703", `column ${table}.${name} does not exist`);
    const message =
      row.oid === OID.record
        ? `could not identify column "${name}" in record data type`
        : `column "${name}" not found in data type ${typeName(types, row.oid)}`;
    throw new SqlError("42703", message);
  }
  return fieldAt(row, columns, place);
}

function fieldAt(row: Expr, columns: readonly RowColumn[], place: number): Expr {
  const { name = "", oid = 0, typmod = -1 } = columns[place] ?? {};
  return {
    kind: "call",
    oid,
    typmod,
    name: `.${name}`,
    // Fields of one row are told apart by it.
    procedure: `field ${place}`,
    isOperator: false,
    args: [row],
    evaluate: (value) => (value as unknown as RowValue).fields[place] ?? null,
    isStrict: true,
    isVolatile: false,
    returnsSet: false,
  };
}
