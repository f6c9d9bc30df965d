import type { Node } from "libpg-query";
import type { RowTransaction } from "../../../rows/index.ts";
import { visibleColumns } from "../../../rows/index.ts";
import { textsOf } from "../../bind/names.ts";
import { COMMENTS, commentName } from "../../catalog/system/comment-names.ts";
import { notSupported, SqlError } from "../../error.ts";
import { contentOf, type NodeOf } from "../../parse/statement.ts";
import type { PlanEnv } from "../env.ts";
import type { Plan } from "../plan.ts";
import {
  assertMay,
  type DdlPorts,
  type DdlRun,
  ddlPlan,
  type FoundTable,
  objectWords,
  rangeOf,
} from "./ddl-run.ts";
import { dependedOn, materializedNamed } from "./materialized-views.ts";
import { ownType } from "./types.ts";

const ALTERS = ["alter"] as const;

/** COMMENT ON: it needs `alter`. */
export function planComment(env: PlanEnv, statement: NodeOf<"CommentStmt">, ports: DdlPorts): Plan {
  return ddlPlan(env, "COMMENT", async (on) => {
    const name = await objectNamed(env, on, ports, statement);
    await setComment(on.rows, name, statement.comment ?? "");
  });
}

/** A comment of no text is none. */
export async function setComment(rows: RowTransaction, name: string, text: string): Promise<void> {
  const { objects } = rows;
  const before = await objects.byName("comment", COMMENTS, name);
  if (before?.kind === "comment") {
    if (text === "") objects.drop(before);
    else await objects.replace(before, { ...before, text });
  } else if (text !== "") {
    await objects.create({ kind: "comment", namespace: COMMENTS, name, text });
  }
}

/**
 * What comments on an object are named by; it is there, and may be altered.
 *
 * @throws SqlError 42501, 42P01, 42703, 42704, 42809, 3F000, 0A000.
 */
export async function objectNamed(
  env: PlanEnv,
  on: DdlRun,
  ports: DdlPorts,
  {
    objtype,
    object,
  }: { readonly objtype?: string | undefined; readonly object?: Node | undefined },
): Promise<string> {
  const names = textsOf(contentOf(object, "List")?.items);
  switch (objtype) {
    case "OBJECT_TABLE":
      return commentName("relation", (await tableOf(on, ports, names)).table.id);
    case "OBJECT_MATVIEW": {
      const view = await materializedNamed(on, ports, rangeOf(names));
      if (view === undefined) throw missing(names);
      return commentName("relation", dependedOn(view));
    }
    case "OBJECT_VIEW":
      return commentName("relation", await viewIdOf(on, ports, names));
    case "OBJECT_SEQUENCE": {
      const sequence = await env.sequence(names.at(-2), names.at(-1) ?? "", ALTERS);
      if (sequence === undefined) throw missing(names);
      return commentName("relation", sequence.id);
    }
    case "OBJECT_INDEX": {
      const { table, index } = await indexOf(on, ports, names);
      return commentName("relation", table, `index ${index}`);
    }
    case "OBJECT_COLUMN":
      return await columnTarget(on, ports, names);
    case "OBJECT_TABCONSTRAINT": {
      const { table } = await tableOf(on, ports, names.slice(0, -1));
      const name = names.at(-1) ?? "";
      if (!table.constraints.some((one) => one.name === name)) {
        const message = `constraint "${name}" for table "${table.name}" does not exist`;
        throw new SqlError("42704", message);
      }
      return commentName("constraint", table.id, name);
    }
    case "OBJECT_TYPE":
    case "OBJECT_DOMAIN": {
      const { names: typeNames } = contentOf(object, "TypeName") ?? {};
      const own = typeNames === undefined ? names : textsOf(typeNames);
      const kind = objtype === "OBJECT_DOMAIN" ? "domain" : undefined;
      const type = await ownType(on, ports, own, kind);
      return commentName("type", type.id);
    }
    case "OBJECT_SCHEMA": {
      const name = contentOf(object, "String")?.sval ?? "";
      if (name !== "public" && !(await on.names.hasNamespace(name.split(".")))) {
        throw new SqlError("3F000", `schema "${name}" does not exist`);
      }
      await on.names.assertHeldOn(name.split("."), "alter");
      return commentName("schema", name);
    }
    default: {
      const what = objectWords(objtype);
      throw notSupported(`COMMENT ON ${what}`);
    }
  }
}

function missing(names: readonly string[]): SqlError {
  return new SqlError("42P01", `relation "${names.join(".")}" does not exist`);
}

async function tableOf(on: DdlRun, ports: DdlPorts, names: readonly string[]): Promise<FoundTable> {
  const found = await ports.find(on.rows, rangeOf(names), ALTERS);
  if (found !== undefined) return found;
  if ((await ports.viewNamed(on.rows, names.at(-2), names.at(-1) ?? "")) !== undefined) {
    throw new SqlError("42809", `"${names.at(-1)}" is not a table`);
  }
  throw missing(names);
}

async function viewIdOf(on: DdlRun, ports: DdlPorts, names: readonly string[]): Promise<string> {
  const view = await ports.viewNamed(on.rows, names.at(-2), names.at(-1) ?? "");
  if (view !== undefined) {
    await assertMay(on, "alter", view);
    return view.id;
  }
  const table = await ports.find(on.rows, rangeOf(names), ALTERS);
  if (table === undefined) throw missing(names);
  throw new SqlError("42809", `"${names.at(-1)}" is not a view`);
}

async function columnTarget(
  on: DdlRun,
  ports: DdlPorts,
  names: readonly string[],
): Promise<string> {
  const column = names.at(-1) ?? "";
  const relation = names.slice(0, -1);
  const absent = (name: string): SqlError =>
    new SqlError("42703", `column "${column}" of relation "${name}" does not exist`);
  const view = await ports.viewNamed(on.rows, relation.at(-2), relation.at(-1) ?? "");
  if (view !== undefined) {
    await assertMay(on, "alter", view);
    const at = view.columns.findIndex(({ name }) => name === column);
    if (at < 0) throw absent(view.name);
    return commentName("column", view.id, String(at + 1));
  }
  const { table } = await tableOf(on, ports, relation);
  const found = visibleColumns(table).find(({ name }) => name === column);
  if (found === undefined) throw absent(table.name);
  return commentName("column", table.id, String(found.id));
}

async function indexOf(
  on: DdlRun,
  ports: DdlPorts,
  names: readonly string[],
): Promise<{ readonly table: string; readonly index: number }> {
  const name = names.at(-1) ?? "";
  const schema = names.at(-2);
  const paths = schema === undefined ? ports.searchPath() : [schema.split(".")];
  for (const path of paths) {
    for (const table of await on.names.tablesIn(on.rows, path)) {
      const index = table.indexes.find((one) => one.name === name);
      const key = table.constraints.find(({ kind }) => kind === "primary key");
      if (index === undefined && key?.name !== name) continue;
      await on.names.assertHeld({ path, name: table.name }, ALTERS);
      return { table: table.id, index: index?.id ?? 0 };
    }
  }
  throw missing(names);
}
