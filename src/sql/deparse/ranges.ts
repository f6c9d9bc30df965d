import type { Node } from "libpg-query";
import type { Expr } from "../bind/expr.ts";
import { textsOf } from "../bind/names.ts";
import type { Scope, ScopeColumn, ScopeTable } from "../bind/scope.ts";
import { contentOf } from "../parse/statement.ts";
import { quoteIdentifier } from "../types/identifier.ts";
import type { Recorder } from "./recorder.ts";

/** A name that columns are written behind. */
export interface Range {
  /** As the query has it; absent for a join without a name. */
  readonly name: string | undefined;
  /** As it is printed: told apart from all others around. */
  readonly shown: string;
  readonly columns: readonly ScopeColumn[];
}

/** Names that queries around a query use. */
export interface Around {
  readonly names: ReadonlySet<string>;
  /** Queries that WITH names. */
  readonly ctes: ReadonlySet<string>;
}

/** What the columns of FROM are called. PostgreSQL gives no two of what nests the same name. */
export class Ranges {
  readonly #recorder: Recorder;
  readonly #byColumns = new Map<readonly ScopeColumn[], Range>();
  readonly #byNode = new Map<Node, Range>();

  constructor(recorder: Recorder) {
    this.#recorder = recorder;
  }

  /** Names what a query reads. @returns the names that queries below it avoid. */
  enter(from: readonly Node[], around: Around): Set<string> {
    const taken = new Set(around.names);
    for (const node of from) this.#name(node, taken);
    return taken;
  }

  /** Rows of VALUES that are a query. */
  enterValues(columns: readonly ScopeColumn[], taken: Set<string>): Range {
    return this.#add("*VALUES*", columns, taken);
  }

  rangeOf(node: Node): Range {
    return this.#byNode.get(node) as Range;
  }

  /** The range of a table that a scope has. */
  rangeFor(table: ScopeTable): Range | undefined {
    return this.#byColumns.get(table.columns);
  }

  #add(name: string, columns: readonly ScopeColumn[], taken: Set<string>): Range {
    let shown = name;
    for (let n = 1; taken.has(shown); n++) shown = `${name}_${n}`;
    taken.add(shown);
    const range = { name, shown, columns };
    this.#byColumns.set(columns, range);
    return range;
  }

  #name(node: Node, taken: Set<string>): void {
    const tables = this.#recorder.tablesOf(node);
    const join = contentOf(node, "JoinExpr");
    if (join !== undefined) {
      this.#name(join.larg as Node, taken);
      this.#name(join.rarg as Node, taken);
      if (join.alias === undefined) return;
    }
    const [table] = tables;
    if (table === undefined) return;
    this.#byNode.set(node, this.#add(table.name, table.columns, taken));
  }
}

/** A column as it is written, and its name alone. */
export interface ColumnText {
  readonly text: string;
  readonly name: string;
}

/** What a column is called; undefined for an expression that is none. */
export function columnText(ranges: Ranges, expr: Expr, scope: Scope): ColumnText | undefined {
  const { tables } = scope;
  if (expr.kind !== "column") {
    // Of USING, where it is not simply that of one side.
    for (const table of tables) {
      const merged = table.columns.find((column) => column.expr === expr);
      if (merged === undefined) continue;
      return textIn(ranges.rangeFor(table), merged.name);
    }
    return undefined;
  }
  const found = tables.flatMap((table) =>
    table.visible === "unqualified"
      ? []
      : table.columns.flatMap((column) => (isColumn(column, expr) ? [{ table, column }] : [])),
  );
  const named = found.filter(({ column }) => (column.shown ?? column.name) === expr.name);
  for (const { table, column } of [...named, ...found]) {
    const range = ranges.rangeFor(table);
    if (range === undefined) continue;
    return textIn(range, column.name);
  }
  return undefined;
}

function textIn(range: Range | undefined, name: string): ColumnText {
  const own = quoteIdentifier(name);
  return { text: range === undefined ? own : `${quoteIdentifier(range.shown)}.${own}`, name };
}

function isColumn(column: ScopeColumn, expr: Extract<Expr, { kind: "column" }>): boolean {
  if (column.expr === undefined) return column.slot === expr.slot;
  return column.expr.kind === "column" && column.expr.slot === expr.slot;
}

/** Names of columns that an alias of FROM gives. */
export function aliasNames(node: Node): readonly string[] {
  const [content] = Object.values(node) as readonly {
    readonly alias?: { readonly colnames?: readonly Node[] };
  }[];
  return textsOf(content?.alias?.colnames);
}
