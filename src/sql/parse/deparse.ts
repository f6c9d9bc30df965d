import type { Node } from "libpg-query";
import type { NodeOf } from "./statement.ts";

/** Prints trees. The printer is loaded with the first text that is stored. */
async function printed(node: Node, pretty: boolean): Promise<string> {
  const { Deparser } = await import("pgsql-deparser");
  type Parameters_ = Parameters<InstanceType<typeof Deparser>["SelectStmt"]>;
  type Indirection = Parameters<InstanceType<typeof Deparser>["A_Indirection"]>;
  const mark = distinctMark(node);
  /** It leaves out WITH TIES and GROUP BY DISTINCT by itself, which would be another query. */
  class Printer extends Deparser {
    override SelectStmt(...[node, context]: Parameters_): string {
      const { limitCount, limitOffset, limitOption, ...rest } = marked(node, mark);
      if (limitOption !== "LIMIT_OPTION_WITH_TIES" || limitCount === undefined) {
        return super.SelectStmt(marked(node, mark), context);
      }
      const offset = limitOffset && `OFFSET ${this.visit(limitOffset, context)} ROWS`;
      const count = `FETCH FIRST (${this.visit(limitCount, context)}) ROWS WITH TIES`;
      const parts = [super.SelectStmt(rest, context), ...(offset ? [offset] : []), count];
      return parts.join(pretty ? "\n" : " ");
    }
    /** It leaves out the parentheses of `(ARRAY[1, 2])[1]`, which then is an error. */
    override A_Indirection(...[node, context]: Indirection): string {
      const text = super.A_Indirection(node, context);
      if (node.arg === undefined || !("A_ArrayExpr" in node.arg)) return text;
      const array = this.visit(node.arg, context);
      return text.startsWith(array) ? `(${array})${text.slice(array.length)}` : text;
    }
  }
  const text = new Printer(node, { pretty }).deparseQuery();
  return text.replace(new RegExp(`${mark},\\s*`, "g"), "DISTINCT ");
}

/** A name that stands first in GROUP BY DISTINCT until the text is made, and nowhere else. */
function distinctMark(tree: Node): string {
  const text = JSON.stringify(tree);
  let mark = "firn_group_by_distinct";
  while (text.includes(mark)) mark += "_";
  return mark;
}

function marked<T extends NodeOf<"SelectStmt">>(select: T, mark: string): T {
  if (select.groupDistinct !== true) return select;
  const first: Node = { ColumnRef: { fields: [{ String: { sval: mark } }] } };
  return { ...select, groupClause: [first, ...(select.groupClause ?? [])] };
}

/** An expression's text, as a descriptor stores it: parsed again it is the same tree. */
export async function expressionText(node: Node): Promise<string> {
  return await printed(withoutQualifiers(node), false);
}

/** The text of a statement's tree, in lines. */
export async function statementText(node: Node): Promise<string> {
  return await printed(node, true);
}

/** There is one table, which may have another name by now. */
export function withoutQualifiers<T>(tree: T): T {
  if (Array.isArray(tree)) return tree.map(withoutQualifiers) as T;
  if (typeof tree !== "object" || tree === null) return tree;
  const entries = Object.entries(tree).map(([name, value]) => {
    if (name !== "ColumnRef") return [name, withoutQualifiers(value)];
    const { fields = [], ...rest } = value as { fields?: readonly unknown[] };
    return [name, { ...rest, fields: fields.slice(-1) }];
  });
  return Object.fromEntries(entries) as T;
}
