import type { Node } from "libpg-query";
import type { ColumnSpec } from "../../../rows/index.ts";
import { textsOf } from "../../bind/names.ts";
import type { NewTable, TableName } from "../../catalog/view.ts";
import { notSupported, SqlError } from "../../error.ts";
import { statementText } from "../../parse/deparse.ts";
import { contentOf, type NodeOf } from "../../parse/statement.ts";
import type { PlanEnv } from "../env.ts";
import type { DdlPorts, DdlRun } from "./ddl-run.ts";
import { ViewQuery } from "./view-query.ts";
import { columnsOfView } from "./views.ts";

interface NewMaterialized extends TableName, Pick<NewTable, "shard"> {
  readonly select: Node;
  readonly into: NodeOf<"IntoClause">;
  readonly columns: readonly ColumnSpec[];
}

/** A table for the rows, and a view of its name for the query, which other objects depend on. */
export async function createMaterialized(
  env: PlanEnv,
  on: DdlRun,
  ports: DdlPorts,
  { path, name, select, into, columns, shard }: NewMaterialized,
): Promise<void> {
  if (into.rel?.relpersistence === "t") throw notSupported("a temporary materialized view");
  const resolved = new ViewQuery(env, on.rows, ports);
  const whole = await resolved.resolve(contentOf(select, "SelectStmt") ?? {});
  if (resolved.isTemporary) {
    throw new SqlError("0A000", "materialized views must not use temporary tables or views");
  }
  const query = await statementText({ SelectStmt: whole });
  const rows = { name, columns, materialized: true, ...(shard !== undefined && { shard }) };
  await on.names.createTable(on.rows, { path, name }, rows, []);
  const table = await on.names.find(on.rows, { path, name });
  if (table === undefined) throw new SqlError("XX000", "the new table is missing");
  const made = { kind: "view" as const, namespace: path, name, query, uses: resolved.uses };
  const number = await on.rows.objects.newNumber(path);
  const shown = await columnsOfView(env, ports, made, textsOf(into.colNames));
  const materialized = { table: table.id, isPopulated: into.skipData !== true };
  await on.rows.objects.create({ ...made, number, columns: shown, materialized });
}
