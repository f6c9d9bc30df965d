import type { Node } from "libpg-query";
import { notSupported, SqlError } from "../../error.ts";
import { contentOf, kindOf, type NodeOf } from "../../parse/statement.ts";
import type { PlanEnv } from "../env.ts";
import type { Plan } from "../plan.ts";
import { type DdlPorts, type DdlRun, ddlPlan, skip } from "./ddl-run.ts";
import { dropPartitions } from "./drop-partitions.ts";
import { tellForeignKeys } from "./drop-table.ts";
import { dropType } from "./drop-type.ts";
import { schemaElements } from "./schema-elements.ts";
import { dropSequence } from "./sequences.ts";
import { dropViewsOf } from "./views.ts";

/**
 * CREATE SCHEMA. A name with dots is a namespace below others.
 *
 * @param planOf the plan of a statement within it.
 */
export function planCreateSchema(
  env: PlanEnv,
  create: NodeOf<"CreateSchemaStmt">,
  planOf: (node: Node) => Plan | undefined,
): Plan {
  const { schemaname, authrole, schemaElts = [], if_not_exists: isOptional = false } = create;
  const name = schemaname ?? authrole?.rolename ?? "";
  const elements = schemaElements(name, schemaElts);
  return ddlPlan(env, "CREATE SCHEMA", async (on) => {
    if (/^pg_/.test(name)) {
      throw new SqlError("42939", `unacceptable schema name "${name}"`, {
        detail: 'The prefix "pg_" is reserved for system schemas.',
      });
    }
    const path = name.split(".");
    if (isOptional && (await on.names.hasNamespace(path))) {
      skip(on, "42P06", `schema "${name}" already exists`);
      return;
    }
    await on.names.createNamespace(path);
    for (const element of elements) {
      const started = await planOf(element)?.start(on.run, []);
      if (started?.kind !== "done") throw notSupported(`${kindOf(element)} in CREATE SCHEMA`);
      await started.finish();
    }
  });
}

/** DROP SCHEMA. */
export function planDropSchema(env: PlanEnv, drop: NodeOf<"DropStmt">, ports: DdlPorts): Plan {
  const { objects = [], missing_ok: isOptional = false, behavior } = drop;
  const names = objects.map((object) => contentOf(object, "String")?.sval ?? "");
  return ddlPlan(env, "DROP SCHEMA", async (on) => {
    for (const name of names) {
      const path = name.split(".");
      if (!(await on.names.hasNamespace(path))) {
        // It is listed before it has a first table: there is nothing to drop.
        if (name === "public") continue;
        const message = `schema "${name}" does not exist`;
        if (!isOptional) throw new SqlError("3F000", message);
        skip(on, "00000", message);
        continue;
      }
      // Before anything is told of what lies in it.
      await on.names.assertHeldOn(path, "drop");
      const isCascade = behavior === "DROP_CASCADE";
      if (isCascade) await dropTables(env, on, path);
      await dropSequences(on, path, isCascade);
      await dropObjects(on, ports, path, isCascade);
      await on.names.dropNamespace(on.rows, path);
    }
  });
}

/** Sequences of columns go with their tables. @throws SqlError 2BP01. */
async function dropSequences(
  on: DdlRun,
  path: readonly string[],
  isCascade: boolean,
): Promise<void> {
  for (const sequence of await on.rows.sequences.list()) {
    if (sequence.namespace.join("\0") !== path.join("\0")) continue;
    if (isCascade) await dropSequence(on, sequence, true);
    else if (sequence.ownedBy === undefined) {
      const schema = path.join(".");
      const message = `cannot drop schema ${schema} because other objects depend on it`;
      throw new SqlError("2BP01", message, {
        detail: `sequence ${schema}.${sequence.name} depends on schema ${schema}`,
        hint: "Use DROP ... CASCADE to drop the dependent objects too.",
      });
    }
  }
}

/** Types and views. @throws SqlError 2BP01. */
async function dropObjects(
  on: DdlRun,
  ports: DdlPorts,
  path: readonly string[],
  isCascade: boolean,
): Promise<void> {
  const schema = path.join(".");
  for (const object of await on.rows.objects.list()) {
    if (object.kind === "comment" || object.namespace.join("\0") !== path.join("\0")) continue;
    if (!isCascade) {
      const message = `cannot drop schema ${schema} because other objects depend on it`;
      const word = object.kind === "view" ? "view" : "type";
      throw new SqlError("2BP01", message, {
        detail: `${word} ${schema}.${object.name} depends on schema ${schema}`,
        hint: "Use DROP ... CASCADE to drop the dependent objects too.",
      });
    }
    // What was listed may have gone with another one.
    if ((await on.rows.objects.find(object.id)) === undefined) continue;
    if (object.kind === "view") {
      await dropViewsOf(on, object.id, `view ${object.name}`, true);
      on.rows.objects.drop(object);
    } else await dropType(on, ports, object, true);
  }
}

async function dropTables(env: PlanEnv, on: DdlRun, path: readonly string[]): Promise<void> {
  const tables = await on.names.tablesIn(on.rows, path);
  await tellForeignKeys(on, tables);
  for (const table of tables) {
    // That of a materialized view may have gone with what the view reads.
    const now = await on.rows.tables.find(table.id);
    if (now === undefined) continue;
    await dropViewsOf(on, table.id, `table ${table.name}`, true);
    await dropPartitions(env, on, now, true);
    await on.names.dropTable(on.rows, { path, name: table.name }, table, true);
  }
  if (tables.length === 0) return;
  const [first] = tables;
  const word = first?.materialized === true ? "materialized view" : "table";
  const message =
    tables.length === 1
      ? `drop cascades to ${word} ${path.join(".")}.${first?.name}`
      : `drop cascades to ${tables.length} other objects`;
  on.run.notice({ severity: "NOTICE", sqlState: "00000", message });
}
