import type { CompositeObject, DomainObject } from "../../../rows/index.ts";
import { isOfType } from "../../../rows/index.ts";
import { textsOf } from "../../bind/names.ts";
import { SqlError } from "../../error.ts";
import { contentOf, type NodeOf } from "../../parse/statement.ts";
import type { PlanEnv } from "../env.ts";
import type { Plan } from "../plan.ts";
import {
  assertMay,
  assertMayAlter,
  type DdlPorts,
  type DdlRun,
  ddlPlan,
  rangeOf,
  shownColumn,
  shownObject,
  skip,
} from "./ddl-run.ts";
import {
  cascaded,
  changeType,
  columnsOfType,
  isOwnType,
  type OwnType,
  typeIdOf,
  withFields,
} from "./types.ts";
import { dropViewsOf, readsColumn } from "./views.ts";

/** DROP TYPE and DROP DOMAIN. */
export function planDropType(env: PlanEnv, drop: NodeOf<"DropStmt">, ports: DdlPorts): Plan {
  const { objects = [], missing_ok: isOptional = false, behavior, removeType } = drop;
  const isDomain = removeType === "OBJECT_DOMAIN";
  const names = objects.map((object) => textsOf(contentOf(object, "TypeName")?.names));
  return ddlPlan(env, isDomain ? "DROP DOMAIN" : "DROP TYPE", async (on) => {
    for (const path of names) {
      const found = await ports.typeNamed(on.rows, path.at(-2), path.at(-1) ?? "");
      if (!isOwnType(found)) {
        await refuseRowType(on, ports, path);
        const message = `type "${path.join(".")}" does not exist`;
        if (!isOptional) throw new SqlError("42704", message);
        skip(on, "00000", message);
        continue;
      }
      if (isDomain && found.kind !== "domain") {
        throw new SqlError("42809", `"${path.join(".")}" is not a domain`);
      }
      await assertMay(on, "drop", found);
      await dropType(on, ports, found, behavior === "DROP_CASCADE");
    }
  });
}

/** Drops a type, and the columns and domains of it where that is wanted. @throws SqlError 2BP01. */
export async function dropType(
  on: DdlRun,
  ports: DdlPorts,
  object: OwnType,
  isCascade: boolean,
): Promise<void> {
  const typeId = typeIdOf(object);
  const { name } = object;
  const columns = await columnsOfType(on.rows, typeId);
  const all = (await on.rows.objects.list()).filter(({ id }) => id !== object.id);
  const others = all.filter(
    (each): each is DomainObject => each.kind === "domain" && isOfType(each.type, typeId),
  );
  const composites = all.filter(
    (each): each is CompositeObject => each.kind === "composite" && hasFieldOf(each, typeId),
  );
  const views = all.filter(
    (each) => each.kind === "view" && each.uses.some(({ id }) => id === object.id),
  );
  const dependents: string[] = [];
  for (const { table, column } of columns) {
    dependents.push(await shownColumn(on, table, `column ${column} of table ${table.name}`));
  }
  for (const each of composites) {
    const fields = (each.type.fields ?? []).filter(({ type }) => isOfType(type, typeId));
    const shown = await shownObject(on, each);
    for (const field of fields) {
      dependents.push(shown.replace(/^type /, `column ${field.name} of composite type `));
    }
  }
  for (const each of [...others, ...views]) dependents.push(await shownObject(on, each));
  if (dependents.length > 0 && !isCascade) {
    throw new SqlError("2BP01", `cannot drop type ${name} because other objects depend on it`, {
      detail: dependents.map((each) => `${each} depends on type ${name}`).join("\n"),
      hint: "Use DROP ... CASCADE to drop the dependent objects too.",
    });
  }
  for (const each of [...views, ...others]) await assertMay(on, "drop", each);
  for (const each of composites) await assertMay(on, "alter", each);
  for (const { table } of columns) await assertMayAlter(on, table);
  for (const each of views) on.rows.objects.drop(each);
  for (const { table, column } of columns) {
    const what = `column ${column} of table ${table.name}`;
    await dropViewsOf(on, table.id, what, true, undefined, readsColumn(table, column));
    await on.rows.alter(table.id, { kind: "drop column", column });
  }
  for (const { id } of composites) {
    // A change of the one before may have changed it.
    const now = (await on.rows.objects.find(id)) as CompositeObject;
    const fields = (now.type.fields ?? []).filter(({ type }) => !isOfType(type, typeId));
    await changeType(on, ports, now, withFields(now.type, fields));
  }
  for (const each of others) on.rows.objects.drop(each);
  cascaded(on, dependents);
  on.rows.objects.drop(object);
}

/** The type of a table's rows goes with the table. @throws SqlError 2BP01. */
async function refuseRowType(on: DdlRun, ports: DdlPorts, path: readonly string[]): Promise<void> {
  const found = await ports.find(on.rows, rangeOf(path), []);
  if (found === undefined) return;
  const { name } = found.table;
  throw new SqlError("2BP01", `cannot drop type ${name} because table ${name} requires it`, {
    hint: `You can drop table ${name} instead.`,
  });
}

function hasFieldOf({ type }: CompositeObject, typeId: number): boolean {
  return type.fields?.some((field) => isOfType(field.type, typeId)) === true;
}
