import type { Privilege } from "../../api/privileges.ts";
import { type TableDescriptor, visibleColumns } from "../../rows/index.ts";
import type { Expr } from "../bind/expr.ts";
import type { ScopeTable } from "../bind/scope.ts";
import { SqlError } from "../error.ts";
import { compile } from "../exec/evaluate.ts";
import type { ExecRun, Row } from "../exec/run.ts";
import type { NodeOf } from "../parse/statement.ts";
import type { PlanEnv } from "./env.ts";
import { scopeTable } from "./table-columns.ts";
import { alsoNeeds, type TableUse } from "./table-use.ts";
import { viewRelation } from "./view-relation.ts";

/** What INSERT, UPDATE or DELETE changes: a table, perhaps by a view of it. */
export interface ChangeTarget {
  readonly use: TableUse;
  /** What names of columns mean; their slots are those of the table. */
  readonly table: ScopeTable;
  /** The columns as the statement names them, with the ids of the table. */
  readonly named: TableUse;
  /** What rows of a view meet. */
  readonly conditions: readonly Expr[];
  readonly isView: boolean;
  /** @throws SqlError 44000 where a new row is not one that the view shows. */
  readonly check: ((row: Row, run: ExecRun) => Promise<void>) | undefined;
}

/** @throws SqlError 42P01, 42501; 55000 for a view that is not of columns of one table. */
export async function changeTarget(
  env: PlanEnv,
  range: NodeOf<"RangeVar">,
  word: "insert into" | "update" | "delete from",
  needs: readonly Privilege[],
): Promise<ChangeTarget> {
  const { relname = "", schemaname, alias } = range;
  const isNamedBefore = env.ctes?.names.has(relname) === true && schemaname === undefined;
  const known = isNamedBefore ? undefined : env.relation(range, needs);
  if (known?.kind !== "view") {
    const use = await env.table(range, needs);
    const table = scopeTable(env.functions.types, use, alias?.aliasname);
    return { use, table, named: use, conditions: [], isView: false, check: undefined };
  }
  const relation = viewRelation(env, known, alias?.aliasname);
  const { use, checks = [], conditions = [] } = relation;
  const [table] = relation.tables as [ScopeTable];
  if (use === undefined) {
    throw new SqlError("55000", `cannot ${word} view "${relname}"`, {
      detail: "Only views of columns of one table are updatable.",
      hint: "Change the rows of the tables that the view reads.",
    });
  }
  alsoNeeds(use, needs);
  const compiled = checks.map(({ view, condition }) => ({ view, holds: compile(condition) }));
  return {
    use,
    table,
    named: { ...use, descriptor: namedAs(use.descriptor, table) },
    conditions,
    isView: true,
    check:
      compiled.length === 0
        ? undefined
        : async (row, run) => {
            for (const { view, holds } of compiled) {
              if ((await run.evaluate(() => holds(row, run.evaluation))) === true) continue;
              throw new SqlError("44000", `new row violates check option for view "${view}"`);
            }
          },
  };
}

/** A table with the names, the order and the choice of columns of a view. */
function namedAs(descriptor: TableDescriptor, { name, columns }: ScopeTable): TableDescriptor {
  const visible = visibleColumns(descriptor);
  const own = columns.flatMap((column) => {
    const found = visible[column.slot];
    return found === undefined ? [] : [{ ...found, name: column.name }];
  });
  return { ...descriptor, name, columns: own };
}
