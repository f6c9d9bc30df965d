import type { TableId } from "../../../base/ids.ts";
import type { TableDescriptor } from "../../../rows/index.ts";
import { textsOf } from "../../bind/names.ts";
import { notSupported, SqlError } from "../../error.ts";
import { contentOf, type NodeOf } from "../../parse/statement.ts";
import type { PlanEnv } from "../env.ts";
import type { Plan } from "../plan.ts";
import {
  assertMayAlter,
  type DdlPorts,
  type DdlRun,
  ddlPlan,
  rangeOf,
  shownColumn,
  skip,
  tableOf,
} from "./ddl-run.ts";
import { dropPartitions, withPartitions } from "./drop-partitions.ts";
import { cascaded } from "./types.ts";
import { dropViewsOf } from "./views.ts";

/** DROP TABLE. */
export function planDropTable(env: PlanEnv, drop: NodeOf<"DropStmt">, ports: DdlPorts): Plan {
  const { objects = [], missing_ok: isOptional = false, behavior } = drop;
  const names = objects.map((object) => textsOf(contentOf(object, "List")?.items));
  return ddlPlan(env, "DROP TABLE", async (on) => {
    const going: TableDescriptor[] = [];
    for (const path of names.length > 1 ? names : []) {
      const found = await ports.find(on.rows, rangeOf(path), ["drop", "write-data"]);
      if (found !== undefined) going.push(...(await withPartitions(on.rows, found.table)));
    }
    for (const path of names) {
      const name = path.at(-1) ?? "";
      const found = await ports.find(on.rows, rangeOf(path), ["drop", "write-data"]);
      if (found?.table.materialized === true) {
        const hint = "Use DROP MATERIALIZED VIEW to remove a materialized view.";
        throw new SqlError("42809", `"${name}" is not a table`, { hint });
      }
      if (found !== undefined) {
        const isCascade = behavior === "DROP_CASCADE";
        await dropViewsOf(on, found.table.id, `table ${name}`, isCascade);
        if (isCascade) await tellForeignKeys(on, [found.table]);
        const drops = isCascade || areReferrersIn(found.table, going);
        await dropPartitions(env, on, found.table, isCascade);
        await on.names.dropTable(on.rows, { path: found.path, name }, found.table, drops);
        continue;
      }
      if ((await ports.viewNamed(on.rows, path.at(-2), name)) !== undefined) {
        const hint = "Use DROP VIEW to remove a view.";
        throw new SqlError("42809", `"${name}" is not a table`, { hint });
      }
      if ((await ports.typeNamed(on.rows, path.at(-2), name))?.kind === "composite") {
        const hint = "Use DROP TYPE to remove a type.";
        throw new SqlError("42809", `"${name}" is not a table`, { hint });
      }
      const message = `table "${name}" does not exist`;
      if (!isOptional) throw new SqlError("42P01", message);
      skip(on, "00000", message);
    }
  });
}

/** Whether all that refers to a table goes with it: no foreign key of another one is in the way. */
function areReferrersIn(
  { referencedBy = [] }: TableDescriptor,
  going: readonly TableDescriptor[],
): boolean {
  return referencedBy.every(({ table }) => going.some(({ id }) => id === table));
}

/**
 * Tells of the foreign keys that go with the tables they refer to.
 *
 * @throws SqlError 42501 where a table that has one may not be changed.
 */
export async function tellForeignKeys(
  on: DdlRun,
  dropped: readonly TableDescriptor[],
): Promise<void> {
  const ids = new Set<string>(dropped.map(({ id }) => id));
  const going: string[] = [];
  for (const table of await on.rows.tables.list()) {
    if (ids.has(table.id)) continue;
    const keys = table.constraints.filter(
      (each) => each.kind === "foreign key" && ids.has(each.references.table),
    );
    if (keys.length === 0) continue;
    await assertMayAlter(on, table);
    for (const { name } of keys) {
      going.push(await shownColumn(on, table, `constraint ${name} on table ${table.name}`));
    }
  }
  cascaded(on, going);
}

/** TRUNCATE. */
export function planTruncate(
  env: PlanEnv,
  { relations = [], restart_seqs: restarts = false, behavior }: NodeOf<"TruncateStmt">,
  ports: DdlPorts,
): Plan {
  if (behavior === "DROP_CASCADE") {
    throw notSupported("TRUNCATE … CASCADE", "Name all tables in one TRUNCATE.");
  }
  const tables = relations.map((node) => contentOf(node, "RangeVar") ?? {});
  return ddlPlan(env, "TRUNCATE TABLE", async (on) => {
    const ids: TableId[] = [];
    for (const each of tables) {
      const found = await tableOf(on, ports, each, false, ["write-data"]);
      if (found?.table.materialized === true) {
        throw new SqlError("42809", `"${each.relname ?? ""}" is not a table`);
      }
      if (found === undefined) continue;
      const { table } = found;
      if (table.partitioned !== undefined && each.inh !== true) {
        throw new SqlError("42809", "cannot truncate only a partitioned table", {
          hint: "Do not specify the ONLY keyword, or use TRUNCATE ONLY on the partitions directly.",
        });
      }
      ids.push(...(await withPartitions(on.rows, table)).map(({ id }) => id));
    }
    for (const id of new Set(ids)) await on.rows.truncate(id, ids);
    if (!restarts) return;
    for (const sequence of await on.rows.sequences.list()) {
      const { ownedBy, start } = sequence;
      if (ownedBy !== undefined && ids.includes(ownedBy.table)) {
        await on.rows.setval(sequence, start, false);
      }
    }
  });
}
