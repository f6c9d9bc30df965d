import type { Node } from "libpg-query";
import { type Expr, someExpr } from "../bind/expr.ts";
import { textsOf } from "../bind/names.ts";
import type { Scope } from "../bind/scope.ts";
import { contentOf, kindOf, type NodeOf } from "../parse/statement.ts";
import type { SqlContext } from "../types/context.ts";
import { quoteIdentifier } from "../types/identifier.ts";
import { aliasList, mergedIn, mergedNames } from "./alias-lists.ts";
import type { Expressions } from "./expression.ts";
import type { Around, Ranges } from "./ranges.ts";
import type { Recorder } from "./recorder.ts";
import { INDENT, type Writer } from "./writer.ts";

interface FromParts {
  readonly writer: Writer;
  readonly recorder: Recorder;
  readonly ranges: Ranges;
  readonly context: SqlContext;
  readonly query: (select: NodeOf<"SelectStmt">, around: Around) => void;
}

/** Prints FROM. */
export class FromText {
  readonly #parts: FromParts;
  readonly #around: Around;
  readonly #expressions: Expressions;
  /** Names of columns that joins have as one. */
  #merged: ReadonlySet<string> = new Set();

  constructor(parts: FromParts, around: Around, expressions: Expressions) {
    this.#parts = parts;
    this.#around = around;
    this.#expressions = expressions;
  }

  print(nodes: readonly Node[]): void {
    const { writer } = this.#parts;
    const [first, ...others] = nodes;
    if (first === undefined) return;
    this.#merged = mergedIn(this.#parts.recorder, nodes);
    writer.line(" FROM ", -INDENT.clause, INDENT.clause, 2);
    this.#item(first);
    for (const node of others) {
      writer.put(", ");
      const item = writer.captured(() => this.#item(node));
      if (item.startsWith("\n")) writer.trim();
      else if (writer.column + item.length > writer.wrap) {
        writer.line("", -INDENT.clause, INDENT.clause, INDENT.list);
      }
      writer.put(item);
    }
  }

  #item(node: Node): void {
    if ("JoinExpr" in node) this.#join(node, node.JoinExpr);
    else if ("RangeVar" in node) this.#relation(node, node.RangeVar);
    else if ("RangeSubselect" in node) this.#subquery(node, node.RangeSubselect);
    else if ("RangeFunction" in node) this.#function(node, node.RangeFunction);
    else throw new Error(`FROM with ${kindOf(node)}`);
  }

  #relation(node: Node, { schemaname, relname = "", alias }: NodeOf<"RangeVar">): void {
    const { writer, ranges } = this.#parts;
    const isCte = schemaname === undefined && this.#around.ctes.has(relname);
    writer.put(isCte ? quoteIdentifier(relname) : this.#relationName(schemaname, relname));
    const range = ranges.rangeOf(node);
    const isNamed =
      alias !== undefined || range.shown !== relname || this.#aliasList(node) !== undefined;
    if (isNamed) writer.put(` ${quoteIdentifier(range.shown)}`);
    this.#columnNames(node);
  }

  /** With its schema, where its name alone means something else. */
  #relationName(schema: string | undefined, name: string): string {
    const { catalog, session } = this.#parts.context;
    const found = catalog?.relation(schema, name, session.schemas);
    const isSeen = found !== undefined && catalog?.isVisible(found, session.schemas) === true;
    const known = schema ?? found?.schema.name;
    if (known === undefined || (isSeen && !this.#around.ctes.has(name))) {
      return quoteIdentifier(name);
    }
    return `${quoteIdentifier(known)}.${quoteIdentifier(name)}`;
  }

  #aliasList(node: Node): readonly string[] | undefined {
    const { recorder, ranges } = this.#parts;
    return aliasList(recorder, ranges, node, this.#merged);
  }

  #columnNames(node: Node): void {
    const names = this.#aliasList(node);
    if (names !== undefined) this.#list(names);
  }

  #list(names: readonly string[]): void {
    this.#parts.writer.put(`(${names.map(quoteIdentifier).join(", ")})`);
  }

  #subquery(node: Node, { subquery, lateral }: NodeOf<"RangeSubselect">): void {
    const { writer, ranges, query } = this.#parts;
    if (lateral === true) writer.put("LATERAL ");
    writer.put("(");
    query(contentOf(subquery, "SelectStmt") ?? {}, this.#around);
    const range = ranges.rangeOf(node);
    writer.put(`) ${quoteIdentifier(range.shown)}`);
    this.#columnNames(node);
  }

  #function(node: Node, { functions = [], ordinality, lateral }: NodeOf<"RangeFunction">): void {
    const { writer, ranges, recorder } = this.#parts;
    const calls = functions.map((each) => contentOf(each, "List")?.items?.[0] as Node);
    const [only, second] = calls as [Node, ...Node[]];
    const unnest = contentOf(only, "FuncCall");
    const isUnnest = textsOf(unnest?.funcname).at(-1) === "unnest";
    const args = isUnnest && second === undefined ? (unnest?.args ?? []) : [];
    const known = args.length > 1 ? args : calls;
    const bound = known.map((each) => recorder.exprOf(each));
    const takes = bound.some(({ expr, scope }) => takesOfSameQuery(expr, scope));
    if (lateral === true || takes) writer.put("LATERAL ");
    const word = args.length > 1 ? "UNNEST(" : second === undefined ? "" : "ROWS FROM(";
    writer.put(word);
    writer.list(bound, ({ expr, scope }) => this.#expressions.print(expr, { scope }));
    if (word !== "") writer.put(")");
    if (ordinality === true) writer.put(" WITH ORDINALITY");
    const range = ranges.rangeOf(node);
    writer.put(` ${quoteIdentifier(range.shown)}`);
    this.#list(range.columns.map(({ name }) => name));
  }

  #join(node: Node, join: NodeOf<"JoinExpr">): void {
    const { writer, recorder, ranges } = this.#parts;
    const { larg, rarg, quals, jointype = "JOIN_INNER", alias } = join;
    const isEnclosed = !writer.isPretty || alias !== undefined;
    const names = mergedNames(recorder, join);
    if (isEnclosed) writer.put("(");
    this.#item(larg as Node);
    const isCross = jointype === "JOIN_INNER" && names.length === 0 && quals === undefined;
    const word = isCross ? "CROSS JOIN" : (WORDS[jointype] ?? "JOIN");
    writer.line(` ${word} `, -INDENT.clause, INDENT.clause, INDENT.join);
    const inner = contentOf(rarg, "JoinExpr");
    const isRightEnclosed = writer.isPretty && inner !== undefined && inner.alias === undefined;
    if (isRightEnclosed) writer.put("(");
    this.#item(rarg as Node);
    if (isRightEnclosed) writer.put(")");
    if (names.length > 0) {
      writer.put(` USING (${names.map(quoteIdentifier).join(", ")})`);
      const using = join.join_using_alias?.aliasname;
      if (using !== undefined) writer.put(` AS ${quoteIdentifier(using)}`);
    } else if (quals !== undefined) {
      writer.put(" ON ");
      const { expr, scope } = recorder.exprOf(quals);
      writer.grouped(() => this.#expressions.print(expr, { scope }));
    } else if (!isCross) writer.put(" ON TRUE");
    if (isEnclosed) writer.put(")");
    if (alias === undefined) return;
    const range = ranges.rangeOf(node);
    writer.put(` ${quoteIdentifier(range.shown)}`);
    this.#columnNames(node);
  }
}

const WORDS: Readonly<Record<string, string>> = {
  JOIN_INNER: "JOIN",
  JOIN_LEFT: "LEFT JOIN",
  JOIN_RIGHT: "RIGHT JOIN",
  JOIN_FULL: "FULL JOIN",
};

/** Whether a function takes values of what stands before it in FROM. */
function takesOfSameQuery(expr: Expr, { outer }: Scope): boolean {
  return someExpr(expr, (part) => {
    return part.kind === "outer" && outer?.refs[part.index]?.kind === "column";
  });
}
