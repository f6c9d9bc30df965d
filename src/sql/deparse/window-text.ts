import type { Node } from "libpg-query";
import { bindOrder } from "../bind/bind-order.ts";
import { FRAME } from "../bind/bind-window.ts";
import type { Expr } from "../bind/expr.ts";
import type { OrderPart } from "../bind/scope.ts";
import type { NodeOf } from "../parse/statement.ts";
import { quoteIdentifier } from "../types/identifier.ts";
import type { Origin, Recorder } from "./recorder.ts";
import type { Writer } from "./writer.ts";

interface Printer {
  print(expr: Expr, at: Origin): void;
  sortPart(expr: Expr, at: Origin): void;
  order(parts: readonly OrderPart[], at: Origin): void;
}

interface WindowParts {
  readonly writer: Writer;
  readonly recorder: Recorder;
}

/** What stands behind OVER, or in WINDOW behind a name. */
export function windowText(
  printer: Printer,
  { writer, recorder }: WindowParts,
  window: NodeOf<"WindowDef">,
  at: Origin,
): void {
  const { refname = "", partitionClause = [], orderClause = [], frameOptions = 0 } = window;
  const exprOf = (node: Node): Expr => recorder.exprOf(node).expr;
  const parts: (() => void)[] = [];
  if (refname !== "") parts.push(() => writer.put(quoteIdentifier(refname)));
  if (partitionClause.length > 0) {
    parts.push(() => {
      writer.put("PARTITION BY ");
      writer.list(partitionClause.map(exprOf), (expr) => printer.sortPart(expr, at));
    });
  }
  if (orderClause.length > 0) {
    parts.push(() => {
      writer.put("ORDER BY ");
      printer.order(bindOrder(orderClause, exprOf), at);
    });
  }
  if ((frameOptions & FRAME.nonDefault) !== 0) {
    const offset = (node: Node): void => printer.print(exprOf(node), at);
    parts.push(() => frame(writer, window, offset));
  }
  writer.put("(");
  writer.list(parts, (part) => part(), " ");
  writer.put(")");
}

const EXCLUDED = [
  [FRAME.excludeCurrent, "CURRENT ROW"],
  [FRAME.excludeGroup, "GROUP"],
  [FRAME.excludeTies, "TIES"],
] as const;

function frame(
  writer: Writer,
  { frameOptions = 0, startOffset, endOffset }: NodeOf<"WindowDef">,
  offset: (node: Node) => void,
): void {
  const has = (flag: number): boolean => (frameOptions & flag) !== 0;
  const bound = (side: "start" | "end", node: Node | undefined): void => {
    if (has(FRAME[`${side}UnboundedPreceding`])) writer.put("UNBOUNDED PRECEDING");
    else if (has(FRAME[`${side}UnboundedFollowing`])) writer.put("UNBOUNDED FOLLOWING");
    else if (has(FRAME[`${side}Current`]) || node === undefined) writer.put("CURRENT ROW");
    else {
      offset(node);
      writer.put(has(FRAME[`${side}Preceding`]) ? " PRECEDING" : " FOLLOWING");
    }
  };
  const mode = has(FRAME.rows) ? "ROWS" : has(FRAME.groups) ? "GROUPS" : "RANGE";
  writer.put(`${mode} ${has(FRAME.between) ? "BETWEEN " : ""}`);
  bound("start", startOffset);
  if (has(FRAME.between)) {
    writer.put(" AND ");
    bound("end", endOffset);
  }
  const excluded = EXCLUDED.find(([flag]) => has(flag));
  if (excluded !== undefined) writer.put(` EXCLUDE ${excluded[1]}`);
}
