import type { ViewObject } from "../../../rows/index.ts";
import type { TableName } from "../../catalog/view.ts";
import { SqlError } from "../../error.ts";
import type { NodeOf } from "../../parse/statement.ts";
import { assertMay, type DdlPorts, type DdlRun } from "./ddl-run.ts";

/** The table of a materialized view goes with it. */
export async function dropRowsOf(on: DdlRun, view: ViewObject): Promise<void> {
  const { materialized, namespace: path, name } = view;
  if (materialized === undefined) return;
  const table = await on.rows.tables.find(materialized.table);
  if (table !== undefined) await on.names.dropTable(on.rows, { path, name }, table);
}

/** Gives the table of a materialized view its name. */
export async function renameRowsOf(on: DdlRun, view: ViewObject, to: TableName): Promise<void> {
  const { materialized, namespace: path, name } = view;
  if (materialized === undefined) return;
  const table = await on.rows.tables.find(materialized.table);
  if (table !== undefined) await on.names.renameTable(on.rows, { path, name }, to, table);
}

/** What depends on a view depends on this: of a materialized one, on its table. */
export function dependedOn({ id, materialized }: ViewObject): string {
  return materialized?.table ?? id;
}

export function viewWord({ materialized }: Pick<ViewObject, "materialized">): string {
  return materialized === undefined ? "view" : "materialized view";
}

/**
 * The view whose rows a name means.
 *
 * @param wrong SQLSTATE for a relation that is none.
 * @throws SqlError 42501 and that.
 */
export async function materializedNamed(
  on: DdlRun,
  ports: DdlPorts,
  { schemaname, relname = "" }: NodeOf<"RangeVar">,
  wrong: "42809" | "0A000" = "42809",
): Promise<ViewObject | undefined> {
  const view = await ports.viewNamed(on.rows, schemaname, relname);
  if (view?.materialized !== undefined) {
    await assertMay(on, "alter", view);
    return view;
  }
  const isOther =
    view !== undefined ||
    (await ports.find(
      on.rows,
      schemaname === undefined ? { relname } : { schemaname, relname },
      [],
    ));
  if (!isOther) return undefined;
  throw new SqlError(wrong, `"${relname}" is not a materialized view`);
}
