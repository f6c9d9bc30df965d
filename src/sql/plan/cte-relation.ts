import type { Cte } from "./env.ts";
import { derivedTable } from "./query.ts";
import type { Relation } from "./relation.ts";

/** A query that WITH names, as a relation. */
export function cteRelation(cte: Cte, name: string, names: readonly string[]): Relation {
  return {
    tables: [derivedTable(name, cte.columns, names)],
    width: cte.columns.length,
    rows: 1_000,
    ...(cte.isWorking === true && { isWorking: true }),
    plan: ({ filters }) => {
      const node = cte.node();
      const title = node.title.startsWith("WorkTable") ? node.title : `CTE Scan on ${name}`;
      return { rows: Math.max(1, 1_000 * 0.3 ** filters.length), node: { ...node, title } };
    },
  };
}
