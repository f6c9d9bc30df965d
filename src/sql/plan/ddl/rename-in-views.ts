import type { ViewObject } from "../../../rows/index.ts";
import { textsOf } from "../../bind/names.ts";
import type { TableName } from "../../catalog/view.ts";
import { statementText } from "../../parse/deparse.ts";
import type { NodeOf } from "../../parse/statement.ts";
import type { DdlPorts, DdlRun } from "./ddl-run.ts";

type Tree = Readonly<Record<string, unknown>>;

/**
 * Writes the new name of a table or view into the queries of the views that use it. There it keeps
 * its old name as an alias, which columns are named by.
 */
export async function renameInViews(
  { rows }: DdlRun,
  ports: DdlPorts,
  id: string,
  from: TableName,
  to: TableName,
): Promise<void> {
  const users = (await rows.objects.list()).filter(
    (each): each is ViewObject => each.kind === "view" && each.uses.some((use) => use.id === id),
  );
  for (const view of users) {
    const tree = renamed(await ports.parse(view.query), from, to);
    await rows.objects.replace(view, { ...view, query: await statementText(tree) });
  }
}

function renamed<T>(tree: T, from: TableName, to: TableName): T {
  if (Array.isArray(tree)) return tree.map((each) => renamed(each, from, to)) as T;
  if (typeof tree !== "object" || tree === null) return tree;
  const schema = from.path.join(".");
  const entries = Object.entries(tree as Tree).map(([name, value]) => {
    const inner = renamed(value, from, to);
    if (name === "ColumnRef") return [name, withoutSchema(inner as never, schema, from.name)];
    return [name, inner];
  });
  const made = Object.fromEntries(entries) as Tree;
  if (made["relname"] !== from.name || made["schemaname"] !== schema) return made as T;
  const { alias = { aliasname: from.name } } = made;
  return { ...made, schemaname: to.path.join("."), relname: to.name, alias } as T;
}

/** `s.t.a` is `t.a` from now on: an alias has no schema. */
function withoutSchema(
  column: NodeOf<"ColumnRef">,
  schema: string,
  table: string,
): NodeOf<"ColumnRef"> {
  const { fields = [] } = column;
  const [first, second] = textsOf(fields);
  const isQualified = fields.length > 2 && first === schema && second === table;
  return isQualified ? { ...column, fields: fields.slice(1) } : column;
}
