import type { NewForeignKey } from "../../catalog/catalog-changes.ts";
import type { NewTable } from "../../catalog/view.ts";
import { notSupported, SqlError } from "../../error.ts";
import type { NodeOf } from "../../parse/statement.ts";
import type { PlanEnv } from "../env.ts";
import type { Plan } from "../plan.ts";
import { createPartition } from "./create-partition.ts";
import { type DdlPorts, type DdlRun, ddlPlan, refuseTaken, skip } from "./ddl-run.ts";
import { foreignKeySpec, referencesParted } from "./foreign-keys.ts";
import { checkStorageParameters } from "./storage-parameters.ts";
import { tableSpec } from "./table-elements.ts";

/** CREATE TABLE. */
export function planCreateTable(env: PlanEnv, create: NodeOf<"CreateStmt">, ports: DdlPorts): Plan {
  const { relation, tableElts = [], if_not_exists: isOptional = false, oncommit } = create;
  const isTemporary = relation?.relpersistence === "t";
  const placed = optionsOf(create);
  const name = relation?.relname ?? "";
  return ddlPlan(env, "CREATE TABLE", async (on) => {
    const path = await ports.namespaceFor(relation?.schemaname, isTemporary);
    const ends = onCommitOf(on, path, oncommit);
    if (await refuseTaken(on, path, name, isOptional)) {
      skip(on, "42P07", `relation "${name}" already exists`);
      return;
    }
    if (create.partbound !== undefined) {
      const more = { ...ends, ...placed };
      await createPartition(env, on, ports, create, { path, name, more });
      return;
    }
    const { spec, foreignKeys } = await tableSpec(env, name, tableElts, create.partspec);
    const keys: NewForeignKey[] = [];
    const isTaken = (one: string): boolean => keys.some((key) => key.name === one);
    const isParted = spec.partitioned !== undefined;
    if (isParted && foreignKeys.some((one) => one.constraint.pktable?.relname === name)) {
      throw referencesParted();
    }
    for (const given of foreignKeys) {
      keys.push(await foreignKeySpec(on, ports, name, given, isTaken));
    }
    await on.names.createTable(on.rows, { path, name }, { ...spec, ...ends, ...placed }, keys);
  });
}

const ON_COMMIT: Readonly<Record<string, NonNullable<NewTable["onCommit"]>>> = {
  ONCOMMIT_DELETE_ROWS: "delete rows",
  ONCOMMIT_DROP: "drop",
};

/** ON COMMIT of a new table. @throws SqlError 42P16 for one that is not temporary. */
export function onCommitOf(
  { names }: DdlRun,
  path: readonly string[],
  action: NodeOf<"CreateStmt">["oncommit"] = "ONCOMMIT_NOOP",
): Pick<NewTable, "onCommit"> {
  const isTemporary = path.length === 1 && path[0] === names.temporarySchema;
  if (action !== "ONCOMMIT_NOOP" && !isTemporary) {
    throw new SqlError("42P16", "ON COMMIT can only be used on temporary tables");
  }
  const onCommit = ON_COMMIT[action];
  return onCommit === undefined ? {} : { onCommit };
}

function optionsOf(create: NodeOf<"CreateStmt">): Pick<NewTable, "shard"> {
  const inherits = (create.inhRelations ?? []).length > 0;
  if (inherits && create.partbound === undefined) throw notSupported("INHERITS");
  if (create.ofTypename !== undefined) throw notSupported("OF a type");
  return placeIn(create);
}

/** The shard that a new table is to be in. @throws SqlError 22023, 0A000. */
export function placeIn({
  options = [],
  relation,
}: Pick<NodeOf<"CreateStmt">, "options" | "relation">): Pick<NewTable, "shard"> {
  const shard = checkStorageParameters(options);
  if (shard === undefined) return {};
  if (relation?.relpersistence === "t") throw notSupported("a shard of a temporary table");
  return { shard };
}
