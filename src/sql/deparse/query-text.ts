import type { Node } from "libpg-query";
import { type Expr, isSameExpr } from "../bind/expr.ts";
import { textsOf } from "../bind/names.ts";
import type { Scope } from "../bind/scope.ts";
import { formatType } from "../catalog/system/format-type.ts";
import { SqlError } from "../error.ts";
import { contentOf, type NodeOf } from "../parse/statement.ts";
import type { QueryParts, SelectParts } from "../plan/query-trace.ts";
import type { SqlContext } from "../types/context.ts";
import { quoteIdentifier } from "../types/identifier.ts";
import type { TypeRegistry } from "../types/registry.ts";
import { directionText, Expressions } from "./expression.ts";
import { FromText } from "./from-text.ts";
import { type Around, Ranges } from "./ranges.ts";
import type { Origin, Recorder } from "./recorder.ts";
import { windowText } from "./window-text.ts";
import { INDENT, Writer } from "./writer.ts";

type Select = NodeOf<"SelectStmt">;

/** How the columns of a query are named. */
interface Naming {
  /** Those of the view, where the query is its own. */
  readonly names?: readonly string[] | undefined;
  /** Whether something may ask for a name. */
  readonly isSeen: boolean;
}

/** How a query is printed. */
export interface QueryStyle {
  readonly isPretty: boolean;
  readonly wrap: number;
}

/** The text of a view's query, as PostgreSQL has it. */
export function queryText(
  select: Select,
  names: readonly string[],
  recorder: Recorder,
  types: TypeRegistry,
  context: SqlContext,
  { isPretty, wrap }: QueryStyle,
): string {
  const writer = new Writer(isPretty, wrap);
  const printer = new QueryPrinter(recorder, types, context, writer);
  // Rules have these names for the rows that they change.
  const around = { names: new Set(["old", "new"]), ctes: new Set<string>() };
  printer.print(select, around, { names, isSeen: true });
  return `${writer.text};`;
}

const SETS: Readonly<Record<string, string>> = {
  SETOP_UNION: "UNION ",
  SETOP_INTERSECT: "INTERSECT ",
  SETOP_EXCEPT: "EXCEPT ",
};

class QueryPrinter {
  readonly #recorder: Recorder;
  readonly #types: TypeRegistry;
  readonly #context: SqlContext;
  readonly #writer: Writer;
  readonly #ranges: Ranges;

  constructor(recorder: Recorder, types: TypeRegistry, context: SqlContext, writer: Writer) {
    this.#recorder = recorder;
    this.#types = types;
    this.#context = context;
    this.#writer = writer;
    this.#ranges = new Ranges(recorder);
  }

  /** A query, with its lines as far in as they are. */
  print(select: Select, around: Around, naming: Naming): void {
    const writer = this.#writer;
    const { indent } = writer;
    const isSet = isSetOperation(select);
    const names = this.#ranges.enter(isSet ? [] : (select.fromClause ?? []), around);
    const ctes = new Set(around.ctes);
    for (const node of select.withClause?.ctes ?? []) {
      ctes.add(contentOf(node, "CommonTableExpr")?.ctename ?? "");
    }
    const inner = { names, ctes };
    this.#with(select.withClause, inner);
    if (isSet) this.#sides(select, inner, naming);
    else this.#basic(select, inner, naming);
    this.#tail(select, inner);
    writer.indent = indent;
  }

  #expressions(around: Around): Expressions {
    // No name of a subquery's column can be asked for.
    const query = (select: Select, inner: Around): void =>
      this.print(select, inner, { isSeen: false });
    return new Expressions(this.#parts(query), around);
  }

  #parts(query: (select: Select, around: Around) => void) {
    const [writer, recorder, ranges] = [this.#writer, this.#recorder, this.#ranges];
    return { writer, recorder, ranges, types: this.#types, context: this.#context, query };
  }

  #with(clause: NodeOf<"WithClause"> | undefined, around: Around): void {
    if (clause === undefined) return;
    const writer = this.#writer;
    writer.indent += INDENT.clause;
    writer.put(clause.recursive === true ? " WITH RECURSIVE " : " WITH ");
    writer.list(clause.ctes ?? [], (node) => {
      const {
        ctename = "",
        aliascolnames,
        ctequery,
        ctematerialized,
      } = contentOf(node, "CommonTableExpr") ?? {};
      const names = textsOf(aliascolnames).map(quoteIdentifier);
      writer.put(quoteIdentifier(ctename));
      if (names.length > 0) writer.put(`(${names.join(", ")})`);
      writer.put(" AS ");
      if (ctematerialized === "CTEMaterializeAlways") writer.put("MATERIALIZED ");
      if (ctematerialized === "CTEMaterializeNever") writer.put("NOT MATERIALIZED ");
      writer.put("(");
      writer.line("", 0, 0, 0);
      this.print(contentOf(ctequery, "SelectStmt") ?? {}, around, { isSeen: true });
      writer.line("", 0, 0, 0);
      writer.put(")");
    });
    writer.indent -= INDENT.clause;
    writer.line("", 0, 0, 0);
  }

  #sides(
    { op = "SETOP_NONE", all, larg = {}, rarg = {} }: Select,
    around: Around,
    naming: Naming,
  ): void {
    const writer = this.#writer;
    const isNested = isInnerSet(larg) && (larg.op !== op || (larg.all ?? false) !== (all ?? false));
    const far = isNested ? INDENT.clause : 0;
    if (isNested) {
      writer.put("(");
      writer.line("", far, 0, 0);
    }
    this.#side(larg, around, naming);
    writer.line(isNested ? ") " : "", -far, 0, 0);
    writer.put(`${SETS[op] ?? ""}${all === true ? "ALL " : ""}`);
    const isRightNested = isInnerSet(rarg);
    const rightFar = isRightNested ? INDENT.clause : 0;
    if (isRightNested) writer.put("(");
    writer.line("", rightFar, 0, 0);
    this.#side(rarg, around, { ...naming, isSeen: false });
    writer.indent -= rightFar;
    if (isRightNested) writer.line(")", 0, 0, 0);
  }

  #side(select: Select, around: Around, naming: Naming): void {
    const writer = this.#writer;
    if (isInnerSet(select)) {
      this.#sides(select, around, naming);
      return;
    }
    const isEnclosed = hasTail(select);
    if (isEnclosed) writer.put("(");
    this.print(select, around, naming);
    if (isEnclosed) writer.put(")");
  }

  #basic(select: Select, around: Around, naming: Naming): void {
    const writer = this.#writer;
    writer.indent += INDENT.clause;
    writer.put(" ");
    const parts = this.#recorder.partsOf(select);
    if (parts?.kind === "values") this.#values(parts, naming, around);
    else if (parts?.kind === "select") this.#select(select, parts, around, naming);
    else throw new SqlError("XX000", "a query of a view is not known");
  }

  #values(
    { rows, targets }: Extract<QueryParts, { kind: "values" }>,
    { names }: Naming,
    around: Around,
  ): void {
    const writer = this.#writer;
    const isRenamed = names?.some((name, i) => name !== targets[i]?.column.name) === true;
    const values = (): void => {
      writer.put("VALUES ");
      const expressions = this.#expressions(around);
      writer.list(rows, (row) => {
        writer.put("(");
        writer.list(row, (expr) => this.#value(expr, { scope: NO_SCOPE }, expressions), ",");
        writer.put(")");
      });
    };
    if (!isRenamed) {
      values();
      return;
    }
    writer.put("SELECT");
    this.#list(targets, ({ column }, i) => {
      const name = names?.[i] ?? column.name;
      writer.put(`"*VALUES*".${column.name}`);
      if (name !== column.name) writer.put(` AS ${quoteIdentifier(name)}`);
    });
    writer.line(" FROM ", -INDENT.clause, INDENT.clause, 2);
    writer.put("(");
    values();
    writer.put(') "*VALUES*"');
  }

  #select(select: Select, parts: SelectParts, around: Around, naming: Naming): void {
    const writer = this.#writer;
    const expressions = this.#expressions(around);
    const own: Origin = { scope: parts.scope };
    writer.put("SELECT");
    if (parts.distinct.length > 0) {
      writer.put(" DISTINCT ON (");
      writer.list(parts.distinct, (expr) => expressions.sortPart(expr, own));
      writer.put(")");
    } else if (select.distinctClause !== undefined) writer.put(" DISTINCT");
    this.#targets(parts, expressions, naming);
    const below = this.#parts((each, inner) => this.print(each, inner, { isSeen: true }));
    new FromText(below, around, expressions).print(select.fromClause ?? []);
    if (parts.where !== undefined) {
      writer.line(" WHERE ", -INDENT.clause, INDENT.clause, 1);
      expressions.print(parts.where, own);
    }
    this.#groups(select, parts, expressions);
    if (parts.having !== undefined) {
      writer.line(" HAVING ", -INDENT.clause, INDENT.clause, 0);
      expressions.print(parts.having, own);
    }
    this.#windows(select, parts.scope, expressions);
  }

  #targets({ targets, scope }: SelectParts, expressions: Expressions, naming: Naming): void {
    this.#list(targets, ({ expr, column }, i) => {
      const name = naming.names?.[i] ?? column.name;
      this.#target(expr, name, scope, expressions, naming);
    });
  }

  /** Columns of a query: each that is too long, and each behind one of several lines, in a line. */
  #list<T>(items: readonly T[], print: (item: T, i: number) => void): void {
    const writer = this.#writer;
    let wasLong = false;
    for (const [i, item] of items.entries()) {
      writer.put(i === 0 ? " " : ", ");
      const text = writer.captured(() => print(item, i));
      if (text.startsWith("\n")) writer.trim();
      else if (i > 0 && (writer.column + text.length > writer.wrap || wasLong)) {
        writer.line("", -INDENT.clause, INDENT.clause, INDENT.list);
      }
      wasLong = text.slice(text.startsWith("\n") ? 1 : 0).includes("\n");
      writer.put(text);
    }
  }

  #target(
    expr: Expr,
    name: string,
    scope: Scope,
    expressions: Expressions,
    { isSeen }: Naming,
  ): void {
    const writer = this.#writer;
    const at = { scope };
    const column = expressions.column(expr, at);
    let given = isSeen ? undefined : "?column?";
    if (column !== undefined) {
      writer.put(column.text);
      given = column.name;
    } else this.#value(expr, at, expressions);
    if (given !== name) writer.put(` AS ${quoteIdentifier(name)}`);
  }

  /** The row of a table, which `table.*` alone would write out, has a cast. */
  #value(expr: Expr, at: Origin, expressions: Expressions): void {
    const row = expressions.wholeRow(expr, at);
    if (row === undefined) expressions.print(expr, at);
    else this.#writer.put(`${row}::${formatType(this.#types, expr.oid, -1)}`);
  }

  #groups(select: Select, { groups, scope }: SelectParts, expressions: Expressions): void {
    const writer = this.#writer;
    const nodes = select.groupClause ?? [];
    if (nodes.length === 0) return;
    const own = { scope };
    writer.line(" GROUP BY ", -INDENT.clause, INDENT.clause, 1);
    if (select.groupDistinct === true) writer.put("DISTINCT ");
    const hasSets = nodes.some((node) => "GroupingSet" in node);
    if (!hasSets) {
      const isNew = (expr: Expr, i: number): boolean =>
        !groups.exprs.slice(0, i).some((each) => isSameExpr(each, expr));
      writer.list(groups.exprs.filter(isNew), (expr) => expressions.sortPart(expr, own));
      return;
    }
    const leaf = (node: Node): void => expressions.sortPart(this.#recorder.groupOf(node), own);
    writer.list(nodes, (node) => groupingSet(writer, node, true, leaf));
  }

  #windows(select: Select, scope: Scope, expressions: Expressions): void {
    const writer = this.#writer;
    for (const [i, node] of (select.windowClause ?? []).entries()) {
      if (i === 0) writer.line(" WINDOW ", -INDENT.clause, INDENT.clause, 1);
      else writer.put(", ");
      const window = contentOf(node, "WindowDef") ?? {};
      writer.put(`${quoteIdentifier(window.name ?? "")} AS `);
      const parts = { writer, recorder: this.#recorder };
      windowText(expressions, parts, window, { scope });
    }
  }

  /** What stands behind the query, or behind both of UNION's. */
  #tail(select: Select, around: Around): void {
    const writer = this.#writer;
    const parts = this.#recorder.partsOf(select);
    const expressions = this.#expressions(around);
    const clause = (word: string, more = 0): void =>
      writer.line(` ${word} `, -INDENT.clause, INDENT.clause, more);
    const scope = parts?.kind === "select" ? parts.scope : NO_SCOPE;
    if (parts !== undefined && parts.sorts.length > 0) {
      clause("ORDER BY", 1);
      if (parts.kind === "select") expressions.order(parts.sorts, { scope });
      else if (parts.kind === "values") {
        writer.list(parts.sorts, ({ expr, ...sort }) => {
          const column = parts.targets.find((each) => isSameExpr(each.expr, expr))?.column.name;
          if (column === undefined) throw new SqlError("XX000", "an order of VALUES by a value");
          writer.put(`"*VALUES*".${column}${directionText(sort)}`);
        });
      } else {
        // By numbers: the columns of UNION have no other name.
        const numbered = parts.sorts.map((sort) => {
          const number = parts.targets.findIndex(({ expr }) => expr === sort.expr) + 1;
          return { ...sort, number };
        });
        writer.list(numbered, ({ number, ...sort }) => {
          writer.put(`${number}${directionText(sort)}`);
        });
      }
    }
    const count = (node: Node): void => {
      const { expr, scope: own } = this.#recorder.exprOf(node);
      expressions.print(expr, { scope: own });
    };
    if (select.limitOffset !== undefined) {
      clause("OFFSET");
      count(select.limitOffset);
    }
    if (select.limitCount !== undefined) {
      const isAll = contentOf(select.limitCount, "A_Const")?.isnull === true;
      const hasTies = select.limitOption === "LIMIT_OPTION_WITH_TIES";
      clause(hasTies ? "FETCH FIRST" : "LIMIT");
      if (isAll) writer.put("ALL");
      else if (hasTies) {
        writer.put("(");
        count(select.limitCount);
        writer.put(")");
      } else count(select.limitCount);
      if (hasTies) writer.put(" ROWS WITH TIES");
    }
    this.#locks(select, scope);
  }

  #locks(select: Select, { tables }: Scope): void {
    for (const node of select.lockingClause ?? []) {
      const { lockedRels = [], strength = "", waitPolicy } = contentOf(node, "LockingClause") ?? {};
      const named = lockedRels.map((each) => contentOf(each, "RangeVar")?.relname ?? "");
      const locked = tables.filter(({ name, visible }) =>
        named.length > 0 ? named.includes(name) : visible !== "unqualified",
      );
      for (const table of locked) {
        const range = this.#ranges.rangeFor(table);
        if (range === undefined) continue;
        this.#writer.line(LOCKS[strength] ?? " FOR UPDATE", -INDENT.clause, INDENT.clause, 0);
        this.#writer.put(` OF ${quoteIdentifier(range.shown)}`);
        if (waitPolicy === "LockWaitError") this.#writer.put(" NOWAIT");
        if (waitPolicy === "LockWaitSkip") this.#writer.put(" SKIP LOCKED");
      }
    }
  }
}

const LOCKS: Readonly<Record<string, string>> = {
  LCS_FORUPDATE: " FOR UPDATE",
  LCS_FORNOKEYUPDATE: " FOR NO KEY UPDATE",
  LCS_FORSHARE: " FOR SHARE",
  LCS_FORKEYSHARE: " FOR KEY SHARE",
};

/** Expressions that name nothing. */
const NO_SCOPE = { tables: [] } as unknown as Scope;

function isSetOperation({ op }: Select): boolean {
  return op !== undefined && op !== "SETOP_NONE";
}

function hasTail(select: Select): boolean {
  const { withClause, sortClause, lockingClause, limitOffset, limitCount } = select;
  return [withClause, sortClause, lockingClause, limitOffset, limitCount].some(
    (clause) => clause !== undefined,
  );
}

/** A side that is a set operation itself, without an order or a limit that is its own. */
function isInnerSet(select: Select): boolean {
  return isSetOperation(select) && !hasTail(select);
}

const GROUPINGS: Readonly<Record<string, string>> = {
  GROUPING_SET_ROLLUP: "ROLLUP(",
  GROUPING_SET_CUBE: "CUBE(",
  GROUPING_SET_SETS: "GROUPING SETS (",
};

function groupingSet(
  writer: Writer,
  node: Node,
  isOpen: boolean,
  leaf: (node: Node) => void,
): void {
  const set = contentOf(node, "GroupingSet");
  const kind = set?.kind ?? "";
  if (kind === "GROUPING_SET_EMPTY") {
    writer.put("()");
    return;
  }
  const word = GROUPINGS[kind];
  if (word === undefined) {
    const leaves = contentOf(node, "RowExpr")?.args ?? [node];
    const isEnclosed = !isOpen || leaves.length !== 1;
    if (isEnclosed) writer.put("(");
    writer.list(leaves, leaf);
    if (isEnclosed) writer.put(")");
    return;
  }
  writer.put(word);
  const isList = kind === "GROUPING_SET_SETS";
  writer.list(set?.content ?? [], (each) => groupingSet(writer, each, !isList, leaf));
  writer.put(")");
}
