import type { Node } from "libpg-query";
import type { AnyExpr, CallExpr, ConstExpr, Expr, OuterExpr, SubqueryExpr } from "../bind/expr.ts";
import { someExpr } from "../bind/expr.ts";
import { textsOf } from "../bind/names.ts";
import type { OrderPart, Scope } from "../bind/scope.ts";
import { formatType } from "../catalog/system/format-type.ts";
import { SqlError } from "../error.ts";
import { contentOf, type NodeOf } from "../parse/statement.ts";
import type { SqlContext } from "../types/context.ts";
import { quoteIdentifier } from "../types/identifier.ts";
import { OID } from "../types/oids.ts";
import type { TypeRegistry } from "../types/registry.ts";
import { constantText } from "./constants.ts";
import { isField, isRow, isSimple, type Kind, kindOfExpr } from "./precedence.ts";
import { type Around, columnText, type Ranges } from "./ranges.ts";
import type { Origin, Recorder } from "./recorder.ts";
import { syntaxOf } from "./sql-syntax.ts";
import { windowText } from "./window-text.ts";
import { INDENT, type Writer } from "./writer.ts";

/** What printing an expression needs. */
export interface ExpressionParts {
  readonly writer: Writer;
  readonly recorder: Recorder;
  readonly ranges: Ranges;
  readonly types: TypeRegistry;
  readonly context: SqlContext;
  /** Prints the query of a subquery. */
  readonly query: (select: NodeOf<"SelectStmt">, around: Around) => void;
}

/** Prints bound expressions as PostgreSQL does, in one query. */
export class Expressions {
  readonly #parts: ExpressionParts;
  readonly #around: Around;

  constructor(parts: ExpressionParts, around: Around) {
    this.#parts = parts;
    this.#around = around;
  }

  /** @param at where its names are looked for, unless its binding told. */
  print(given: Expr, at: Origin): void {
    const { recorder, writer } = this.#parts;
    const expr = this.#meant(given);
    const collation = recorder.collationOf(expr);
    if (collation === undefined) {
      this.#bare(expr, recorder.originOf(expr) ?? at);
      return;
    }
    writer.grouped(() => {
      this.#enclosed(expr, writer.isPretty && !isSimple(expr, "cast", undefined), at);
      writer.put(` COLLATE "${collation}"`);
    });
  }

  #enclosed(expr: Expr, isEnclosed: boolean, at: Origin): void {
    const { writer, recorder } = this.#parts;
    if (isEnclosed) writer.put("(");
    this.#bare(expr, recorder.originOf(expr) ?? at);
    if (isEnclosed) writer.put(")");
  }

  /** In another expression: with parentheses where it needs some. */
  within(given: Expr, parent: Kind, around: Expr | undefined, at: Origin): void {
    const { writer } = this.#parts;
    const expr = this.#meant(given);
    const isOpen = !writer.isPretty || isSimple(expr, parent, around);
    if (!isOpen) writer.put("(");
    this.print(expr, at);
    if (!isOpen) writer.put(")");
  }

  /** NOT BETWEEN: PostgreSQL turns the conditions around. */
  #meant(expr: Expr): Expr {
    if (expr.kind === "cast" && expr.oid === OID.record) return expr.arg;
    if (expr.kind !== "not") return expr;
    const kind = contentOf(this.#parts.recorder.originOf(expr)?.node, "A_Expr")?.kind ?? "";
    return kind.startsWith("AEXPR_NOT_BETWEEN") ? outside(expr.arg) : expr;
  }

  list(exprs: readonly Expr[], at: Origin): void {
    this.#parts.writer.list(exprs, (expr) => this.print(expr, at));
  }

  /** A part of GROUP BY, ORDER BY, PARTITION BY or DISTINCT ON. */
  sortPart(expr: Expr, at: Origin): void {
    const { writer, types, context } = this.#parts;
    const isColumn = this.column(expr, at) !== undefined;
    if (expr.kind === "const") {
      writer.put(constantText(types, expr, context, "always"));
      return;
    }
    const kind = kindOfExpr(expr);
    const isEnclosed =
      !isColumn &&
      (writer.isPretty ||
        expr.kind === "aggregate" ||
        expr.kind === "window" ||
        isCall(expr, kind));
    if (isEnclosed) writer.put("(");
    this.print(expr, at);
    if (isEnclosed) writer.put(")");
  }

  order(parts: readonly OrderPart[], at: Origin): void {
    const { writer } = this.#parts;
    writer.list(parts, ({ expr, ...sort }) => {
      this.sortPart(expr, at);
      writer.put(directionText(sort));
    });
  }

  /** The column that an expression is, as it is written and by its name. */
  column(expr: Expr, at: Origin): { readonly text: string; readonly name: string } | undefined {
    const { recorder, ranges } = this.#parts;
    const { scope } = recorder.originOf(expr) ?? at;
    if (recorder.collationOf(expr) !== undefined) return undefined;
    if (expr.kind !== "outer") return columnText(ranges, expr, scope);
    const { inner, around } = outerOf(expr, scope);
    return this.column(inner, { scope: around });
  }

  /** `name.*` of an expression that is the whole row of a table. */
  wholeRow(expr: Expr, at: Origin): string | undefined {
    const { recorder, ranges } = this.#parts;
    const { node, scope } = recorder.originOf(expr) ?? at;
    const fields = contentOf(node, "ColumnRef")?.fields;
    if (fields === undefined) return undefined;
    if (expr.kind === "outer") {
      const { inner, around } = outerOf(expr, scope);
      return this.wholeRow(inner, { node, scope: around });
    }
    if (!isRow(expr)) return undefined;
    const name = textsOf(fields.filter((each) => "String" in each)).at(-1);
    const table = scope.tables.find((each) => each.visible !== "unqualified" && each.name === name);
    const range = table && ranges.rangeFor(table);
    return range && `${quoteIdentifier(range.shown)}.*`;
  }

  #bare(expr: Expr, at: Origin): void {
    const { writer, ranges, types } = this.#parts;
    const keyword = valueFunction(at.node);
    if (keyword !== undefined) {
      writer.put(keyword);
      return;
    }
    const column = columnText(ranges, expr, at.scope) ?? undefined;
    if (column !== undefined) {
      writer.put(column.text);
      return;
    }
    switch (expr.kind) {
      case "const":
        this.#constant(expr, "needed");
        break;
      case "outer":
        this.#outer(expr, at);
        break;
      case "call":
        this.#call(expr, at);
        break;
      case "cast":
        this.#cast(expr.arg, expr.oid, expr.typmod, expr, at);
        break;
      case "and":
      case "or":
        this.#logic(expr, at);
        break;
      case "not":
        this.#not(expr.arg, expr, at);
        break;
      case "isNull":
        this.#test(expr.arg, `IS ${expr.isNegated ? "NOT " : ""}NULL`, at);
        break;
      case "booleanTest": {
        const word = expr.value === null ? "UNKNOWN" : expr.value ? "TRUE" : "FALSE";
        this.#test(expr.arg, `IS ${expr.isNegated ? "NOT " : ""}${word}`, at);
        break;
      }
      case "distinct":
        this.#distinct(expr.equal, expr.isNegated, at);
        break;
      case "case":
        this.#case(expr, at);
        break;
      case "coalesce":
        this.#function("COALESCE", expr.args, at);
        break;
      case "nullIf":
        this.#function("NULLIF", expr.equal.args, at);
        break;
      case "extreme":
        this.#function(expr.isGreatest ? "GREATEST" : "LEAST", expr.args, at);
        break;
      case "grouping":
        this.#function("GROUPING", expr.args, at);
        break;
      case "array":
        writer.put("ARRAY[");
        this.list(expr.args, { scope: at.scope });
        writer.put("]");
        if (expr.args.length === 0) writer.put(`::${formatType(types, expr.oid, -1)}`);
        break;
      case "any":
        this.#any(expr, at);
        break;
      case "aggregate":
        this.#aggregate(expr.index, at);
        break;
      case "window":
        this.#window(expr.index, at);
        break;
      case "subquery":
        this.#subquery(expr, at);
        break;
      case "column":
      case "param":
      case "default":
        throw unknownPart(expr.kind);
    }
  }

  #constant(expr: ConstExpr, label: "never" | "needed"): void {
    const { writer, types, context } = this.#parts;
    // What the input of a literal made shorter has had a cast.
    const isCast = label === "needed" && expr.typmod >= 0 && expr.value !== null;
    const { base } = types.get(expr.oid);
    if (base !== undefined && expr.value !== null) {
      this.#cast({ ...expr, ...base }, expr.oid, -1, expr, { scope: NO_TABLES });
      return;
    }
    if (!isCast) {
      writer.put(constantText(types, expr, context, label));
      return;
    }
    const { oid, value } = expr;
    // Blanks that the length has added.
    const bare = oid === OID.bpchar ? String(value).trimEnd() : value;
    writer.put(constantText(types, { ...expr, typmod: -1, value: bare }, context, "never"));
    writer.put(`::${formatType(types, expr.oid, expr.typmod)}`);
  }

  #outer(expr: OuterExpr, { node, scope }: Origin): void {
    const { inner, around } = outerOf(expr, scope);
    const { recorder } = this.#parts;
    this.#bare(inner, recorder.originOf(inner) ?? { node, scope: around });
  }

  #cast(arg: Expr, oid: number, typmod: number, parent: Expr, at: Origin): void {
    const { writer, types } = this.#parts;
    const isBare = arg.kind === "const" && arg.oid === oid && arg.typmod === -1;
    if (isBare) this.#constant(arg, "never");
    else writer.grouped(() => this.within(arg, "cast", parent, { scope: at.scope }));
    writer.put(`::${formatType(types, oid, typmod)}`);
  }

  #logic(expr: Extract<Expr, { kind: "and" | "or" }>, at: Origin): void {
    const { writer } = this.#parts;
    const rows = contentOf(at.node, "A_Expr");
    const operator = textsOf(rows?.name).at(-1) ?? "";
    if (rows?.kind === "AEXPR_OP" && /^[<>]=?$/.test(operator)) {
      this.#comparedRows(expr, operator, at);
      return;
    }
    const test = contentOf(at.node, "NullTest");
    if (test !== undefined) {
      const fields = expr.args.flatMap((arg) => (arg.kind === "isNull" ? [arg.arg] : []));
      writer.grouped(() => {
        this.#function("ROW", fields, at);
        writer.put(test.nulltesttype === "IS_NULL" ? " IS NULL" : " IS NOT NULL");
      });
      return;
    }
    const word = expr.kind === "and" ? " AND " : " OR ";
    writer.grouped(() =>
      writer.list(expr.args, (arg) => this.within(arg, expr.kind, expr, { scope: at.scope }), word),
    );
  }

  /** `(a, b) < (c, d)` */
  #comparedRows(expr: Expr, operator: string, { scope }: Origin): void {
    const { writer } = this.#parts;
    const pairs = comparedPairs(expr);
    const side = (place: number): void =>
      this.#function(
        "ROW",
        pairs.map((pair) => pair[place] as Expr),
        { scope },
      );
    writer.put("(");
    side(0);
    writer.put(` ${operator} `);
    side(1);
    writer.put(")");
  }

  #not(arg: Expr, parent: Expr, at: Origin): void {
    const { writer } = this.#parts;
    writer.grouped(() => {
      writer.put("NOT ");
      this.within(arg, "not", parent, { scope: at.scope });
    });
  }

  #test(arg: Expr, words: string, at: Origin): void {
    const { writer } = this.#parts;
    writer.grouped(() => {
      this.within(arg, "test", undefined, { scope: at.scope });
      writer.put(` ${words}`);
    });
  }

  #distinct({ args }: CallExpr, isNegated: boolean, at: Origin): void {
    const { writer } = this.#parts;
    const [left, right] = args as readonly [Expr, Expr];
    const whole = (): void =>
      writer.grouped(() => {
        this.within(left, "test", undefined, { scope: at.scope });
        writer.put(" IS DISTINCT FROM ");
        this.within(right, "test", undefined, { scope: at.scope });
      });
    if (!isNegated) {
      whole();
      return;
    }
    writer.grouped(() => {
      writer.put("NOT ");
      whole();
    });
  }

  #function(name: string, args: readonly Expr[], { scope }: Origin): void {
    const { writer } = this.#parts;
    writer.put(`${name}(`);
    this.list(args, { scope });
    writer.put(")");
  }

  #case({ whens, otherwise, oid, typmod }: Extract<Expr, { kind: "case" }>, at: Origin): void {
    const { writer, recorder } = this.#parts;
    const node = contentOf(at.node, "CaseExpr")?.arg;
    const own = { scope: at.scope };
    writer.line("CASE", 0, INDENT.list, 0);
    if (node !== undefined) {
      writer.put(" ");
      const { expr, scope } = recorder.exprOf(node);
      const [first] = whens;
      const isUnknown = expr.oid === OID.unknown && first?.when.kind === "call";
      this.print(isUnknown ? (first.when.args[0] as Expr) : expr, { scope });
    }
    for (const { when, value } of whens) {
      writer.line("WHEN ", 0, 0, 0);
      const isCompared = node !== undefined && when.kind === "call";
      this.print(isCompared ? (when.args[1] as Expr) : when, own);
      writer.put(" THEN ");
      this.print(value, own);
    }
    writer.line("ELSE ", 0, 0, 0);
    this.print(otherwise ?? { kind: "const", oid, typmod, value: null }, own);
    writer.line("END", -INDENT.list, 0, 0);
  }

  #any(expr: AnyExpr, at: Origin): void {
    const { writer } = this.#parts;
    const { list, array, operator, isAll, left } = expr;
    const own = { scope: at.scope };
    const compared = (right: () => void): void =>
      writer.grouped(() => {
        this.within(left, "other", expr, own);
        writer.put(` ${operator} ${isAll ? "ALL" : "ANY"} (`);
        right();
        writer.put(")");
      });
    if (array !== undefined) {
      compared(() => {
        this.within(array, "other", expr, own);
        if (array.kind === "subquery" && array.form === "scalar") {
          writer.put(`::${formatType(this.#parts.types, array.oid, -1)}`);
        }
      });
      return;
    }
    const plain = (list ?? []).filter((item) => !hasColumn(item));
    const others = (list ?? []).filter(hasColumn);
    const isOne = plain.length > 1;
    const items = isOne ? others : (list ?? []);
    const parts: (() => void)[] = items.map((item) => () => {
      writer.grouped(() => {
        this.within(left, "operator", expr, own);
        writer.put(` ${operator} `);
        this.within(item, "operator", expr, own);
      });
    });
    const isEnclosed = writer.isPretty && isOne && items.length > 0;
    if (isOne) {
      parts.unshift(() => {
        if (isEnclosed) writer.put("(");
        compared(() => this.#elements(plain, own));
        if (isEnclosed) writer.put(")");
      });
    }
    if (parts.length === 1) parts[0]?.();
    else writer.grouped(() => writer.list(parts, (part) => part(), isAll ? " AND " : " OR "));
  }

  /** Values of IN as an array; what all of them are cast to, the array is. */
  #elements(items: readonly Expr[], at: Origin): void {
    const { writer, types } = this.#parts;
    const [first] = items;
    const inner = items.flatMap((item) => (item.kind === "cast" ? [item.arg] : []));
    const isCast =
      first !== undefined &&
      inner.length === items.length &&
      inner.every(({ oid }) => oid === inner[0]?.oid) &&
      inner[0]?.oid === OID.varchar;
    const array = (exprs: readonly Expr[]): void => {
      writer.put("ARRAY[");
      this.list(exprs, at);
      writer.put("]");
    };
    if (!isCast) {
      array(items);
      return;
    }
    writer.grouped(() => array(inner));
    writer.put(`::${formatType(types, types.arrayOf(first.oid), -1)}`);
  }

  #call(expr: CallExpr, at: Origin): void {
    const { writer } = this.#parts;
    const own = { scope: at.scope };
    if (expr.isOperator) {
      this.#operator(expr, own);
      return;
    }
    if (isField(expr)) {
      this.#field(expr, own);
      return;
    }
    if (isRow(expr)) {
      this.#row(expr, at);
      return;
    }
    if (expr.procedure === "row is null" || expr.procedure === "row is not null") {
      this.#test(expr.args[0] as Expr, expr.procedure.slice(4).toUpperCase(), at);
      return;
    }
    if (expr.procedure === "" && (expr.name === "subscript" || expr.name === "slice")) {
      this.#subscript(expr, own);
      return;
    }
    const call = contentOf(at.node, "FuncCall");
    if (call?.funcformat === "COERCE_SQL_SYNTAX") {
      const isWritten = syntaxOf(expr, writer, {
        whole: (arg) => this.print(arg, own),
        part: (arg) => this.within(arg, "syntax", expr, own),
      });
      if (isWritten) return;
    }
    this.#named(expr, call, at);
  }

  /** A function by its name. */
  #named({ name, args }: CallExpr, call: NodeOf<"FuncCall"> | undefined, at: Origin): void {
    const { writer, recorder } = this.#parts;
    const own = { scope: at.scope };
    const nodes = call?.args ?? [];
    const hasNames = nodes.some((node) => "NamedArgExpr" in node);
    writer.put(`${quoteIdentifier(name)}(`);
    if (hasNames) {
      writer.list(nodes, (node) => {
        const named = contentOf(node, "NamedArgExpr");
        if (named !== undefined) writer.put(`${quoteIdentifier(named.name ?? "")} => `);
        this.print(recorder.exprOf((named?.arg ?? node) as Node).expr, own);
      });
    } else {
      const given = call === undefined ? args : args.slice(0, Math.max(nodes.length, 0));
      const last = given.length - 1;
      writer.list([...given.entries()], ([i, arg]) => {
        if (call?.func_variadic === true && i === last) writer.put("VARIADIC ");
        this.print(arg, own);
      });
    }
    writer.put(")");
  }

  #operator(expr: CallExpr, own: Origin): void {
    const { writer } = this.#parts;
    const { args, name } = expr;
    writer.grouped(() => {
      if (args.length === 1) writer.put(`${name} `);
      this.within(args[0] as Expr, "operator", expr, own);
      if (args.length === 1) return;
      writer.put(` ${name} `);
      this.within(args[1] as Expr, "operator", expr, own);
    });
  }

  #field(expr: CallExpr, own: Origin): void {
    const { writer } = this.#parts;
    const [row] = expr.args as readonly [Expr];
    const isOpen = isField(row) || (row.kind === "call" && row.name === "subscript");
    if (!isOpen) writer.put("(");
    this.print(row, own);
    if (!isOpen) writer.put(")");
    writer.put(`.${quoteIdentifier(expr.name.slice(1))}`);
  }

  #row(expr: CallExpr, at: Origin): void {
    const { writer, types } = this.#parts;
    const whole = this.wholeRow(expr, at);
    if (whole !== undefined) {
      writer.put(whole);
      return;
    }
    this.#function("ROW", expr.args, at);
    if (expr.oid !== OID.record) writer.put(`::${formatType(types, expr.oid, -1)}`);
  }

  #subscript({ name, args }: CallExpr, own: Origin): void {
    const { writer, recorder } = this.#parts;
    const [array, ...bounds] = args as readonly [Expr, ...Expr[]];
    const isOpen = this.column(array, own) !== undefined || isField(array);
    if (!isOpen) writer.put("(");
    this.print(array, own);
    if (!isOpen) writer.put(")");
    const bound = (expr: Expr | undefined): void => {
      const isOmitted = expr?.kind === "const" && recorder.originOf(expr) === undefined;
      if (expr === undefined || (isOmitted && expr.value === null)) return;
      this.print(expr, own);
    };
    for (let i = 0; i < bounds.length; i += 2) {
      writer.put("[");
      if (name === "slice") {
        bound(bounds[i]);
        writer.put(":");
      }
      bound(bounds[i + 1]);
      writer.put("]");
    }
  }

  #aggregate(index: number, { node, scope }: Origin): void {
    const { writer } = this.#parts;
    const found = scope.aggregates?.[index];
    if (found === undefined) throw unknownPart("aggregate");
    const { call, isStar, isDistinct, filter, order, procedureName, direct } = found;
    const own = { scope };
    writer.put(`${quoteIdentifier(procedureName)}(${isDistinct ? "DISTINCT " : ""}`);
    if (contentOf(node, "FuncCall")?.agg_within_group === true) {
      this.list(direct, own);
      writer.put(") WITHIN GROUP (ORDER BY ");
      this.order(order, own);
    } else {
      if (isStar) writer.put("*");
      else this.list(call.args, own);
      if (order.length > 0) {
        writer.put(" ORDER BY ");
        this.order(order, own);
      }
    }
    this.#filter(filter, own);
    writer.put(")");
  }

  #filter(filter: Expr | undefined, own: Origin): void {
    if (filter === undefined) return;
    this.#parts.writer.put(") FILTER (WHERE ");
    this.print(filter, own);
  }

  #window(index: number, { node, scope }: Origin): void {
    const { writer } = this.#parts;
    const found = scope.windows?.[index];
    if (found === undefined) throw unknownPart("window");
    const own = { scope };
    writer.put(`${quoteIdentifier(found.call.name)}(`);
    if (found.isStar) writer.put("*");
    else this.list(found.call.args, own);
    this.#filter(found.filter, own);
    writer.put(") OVER ");
    const over = contentOf(node, "FuncCall")?.over;
    if (over?.name !== undefined && over.name !== "") writer.put(quoteIdentifier(over.name));
    else windowText(this, this.#parts, over ?? {}, own);
  }

  #subquery(expr: SubqueryExpr, at: Origin): void {
    const { writer, query } = this.#parts;
    const link = contentOf(at.node, "SubLink");
    const select = contentOf(link?.subselect, "SelectStmt");
    if (link === undefined || select === undefined) throw unknownPart("subquery");
    const own = { scope: at.scope };
    const { form, left } = expr;
    writer.put(form === "array" ? "ARRAY(" : "(");
    if (left.length === 1) this.within(left[0] as Expr, "other", undefined, own);
    else if (left.length > 1) {
      writer.put("(");
      this.list(left, own);
      writer.put(")");
    }
    const operator = textsOf(link.operName).at(-1) ?? "=";
    if (form === "exists") writer.put("EXISTS ");
    if (form === "any") writer.put(operator === "=" ? " IN " : ` ${operator} ANY `);
    if (form === "all") writer.put(` ${operator} ALL `);
    const isInner = form === "exists" || form === "any" || form === "all";
    if (isInner) writer.put("(");
    query(select, this.#around);
    writer.put(isInner ? "))" : ")");
  }
}

/** Where it is not ascending with NULL behind, or descending with NULL in front. */
export function directionText({
  isDescending,
  isNullsFirst,
}: Pick<OrderPart, "isDescending" | "isNullsFirst">): string {
  const nulls = isDescending === isNullsFirst ? "" : ` NULLS ${isNullsFirst ? "FIRST" : "LAST"}`;
  return `${isDescending ? " DESC" : ""}${nulls}`;
}

/** What a comparison of rows compares, as the binder has written it out. */
function comparedPairs(expr: Expr): readonly (readonly Expr[])[] {
  if (expr.kind === "call") return [expr.args];
  const [first, either] = expr.kind === "and" ? expr.args : [];
  const tied = either?.kind === "or" ? either.args[1] : undefined;
  const rest = tied?.kind === "and" ? tied.args[1] : undefined;
  if (first?.kind !== "call" || rest === undefined) throw unknownPart("row");
  return [first.args, ...comparedPairs(rest)];
}

/** The opposite of a condition of BETWEEN. */
function outside(expr: Expr): Expr {
  if (expr.kind === "and" || expr.kind === "or") {
    return { ...expr, kind: expr.kind === "and" ? "or" : "and", args: expr.args.map(outside) };
  }
  if (expr.kind !== "call") return expr;
  return { ...expr, name: expr.name === ">=" ? "<" : ">" };
}

/** What GROUP BY and ORDER BY have parentheses around: it may be misread. */
function isCall(expr: Expr, kind: Kind): boolean {
  if (kind === "function") return expr.kind === "call" && !isRow(expr) && expr.procedure !== "";
  return expr.kind === "cast" && !expr.cast.isIdentity;
}

function hasColumn(expr: Expr): boolean {
  return someExpr(expr, ({ kind }) => kind === "column");
}

/** Where nothing has a name. */
const NO_TABLES = { tables: [] } as unknown as Scope;

/** What a subquery takes of the query around it. */
function outerOf(
  { index }: OuterExpr,
  { outer }: Scope,
): { readonly inner: Expr; readonly around: Scope } {
  const inner = outer?.refs[index];
  if (outer === undefined || inner === undefined) throw unknownPart("outer");
  return { inner, around: outer.scope };
}

function unknownPart(kind: string): SqlError {
  return new SqlError("XX000", `a part of a view's query cannot be printed: ${kind}`);
}

/** CURRENT_DATE and its kin, as they are written. */
function valueFunction(node: Node | undefined): string | undefined {
  const found = contentOf(node, "SQLValueFunction");
  if (found === undefined) return undefined;
  const word = (found.op ?? "SVFOP_CURRENT_TIMESTAMP").replace("SVFOP_", "");
  const { typmod = -1 } = found;
  return word.endsWith("_N") ? `${word.slice(0, -2)}(${typmod})` : word;
}
