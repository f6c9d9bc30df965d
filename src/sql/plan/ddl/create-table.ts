import type { NewForeignKey } from "../../catalog/catalog-changes.ts";
import { notSupported } from "../../error.ts";
import type { NodeOf } from "../../parse/statement.ts";
import type { PlanEnv } from "../env.ts";
import type { Plan } from "../plan.ts";
import { type DdlPorts, ddlPlan, refuseTaken, skip } from "./ddl-run.ts";
import { foreignKeySpec } from "./foreign-keys.ts";
import { checkStorageParameters } from "./storage-parameters.ts";
import { tableSpec } from "./table-elements.ts";

/** CREATE TABLE. */
export function planCreateTable(env: PlanEnv, create: NodeOf<"CreateStmt">, ports: DdlPorts): Plan {
  const { relation, tableElts = [], if_not_exists: isOptional = false } = create;
  refuseOptions(create);
  const name = relation?.relname ?? "";
  return ddlPlan(env, "CREATE TABLE", async (on) => {
    const path = await ports.namespaceFor(relation?.schemaname);
    if (await refuseTaken(on, path, name, isOptional)) {
      skip(on, "42P07", `relation "${name}" already exists`);
      return;
    }
    const { spec, foreignKeys } = await tableSpec(env, name, tableElts);
    const keys: NewForeignKey[] = [];
    const isTaken = (one: string): boolean => keys.some((key) => key.name === one);
    for (const given of foreignKeys) {
      keys.push(await foreignKeySpec(on, ports, name, given, isTaken));
    }
    await on.names.createTable(on.rows, { path, name }, spec, keys);
  });
}

function refuseOptions(create: NodeOf<"CreateStmt">): void {
  if (create.relation?.relpersistence === "t") throw notSupported("a temporary table");
  if ((create.inhRelations ?? []).length > 0) throw notSupported("INHERITS and PARTITION OF");
  if (create.partspec !== undefined) throw notSupported("PARTITION BY");
  if (create.ofTypename !== undefined) throw notSupported("OF a type");
  checkStorageParameters(create.options ?? []);
}
