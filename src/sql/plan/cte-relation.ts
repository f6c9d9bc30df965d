import type { Cte, PlanEnv } from "./env.ts";
import { derivedTable } from "./query.ts";
import type { Relation } from "./relation.ts";

export function cteNamed({ ctes }: PlanEnv, name: string): Cte | undefined {
  for (let scope = ctes; scope !== undefined; scope = scope.around) {
    const found = scope.names.get(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

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
