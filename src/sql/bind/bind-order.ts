import type { Node } from "libpg-query";
import { notSupported } from "../error.ts";
import { contentOf } from "../parse/statement.ts";
import type { Expr } from "./expr.ts";
import { textsOf } from "./names.ts";
import type { OrderPart } from "./scope.ts";

/** ORDER BY; `bind` says what each of its parts is. */
export function bindOrder(
  nodes: readonly Node[],
  bind: (node: Node) => Expr,
): readonly OrderPart[] {
  return nodes.map((node) => {
    const { node: by, sortby_dir, sortby_nulls, useOp } = contentOf(node, "SortBy") ?? {};
    const operator = textsOf(useOp).at(-1);
    if (sortby_dir === "SORTBY_USING" && operator !== "<" && operator !== ">") {
      throw notSupported(`ORDER BY … USING ${operator ?? ""}`);
    }
    const isDescending = sortby_dir === "SORTBY_DESC" || operator === ">";
    const isNullsFirst =
      sortby_nulls === "SORTBY_NULLS_FIRST" ||
      (sortby_nulls !== "SORTBY_NULLS_LAST" && isDescending);
    return { expr: bind(by as Node), isDescending, isNullsFirst };
  });
}
