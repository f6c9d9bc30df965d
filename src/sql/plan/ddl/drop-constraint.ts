import {
  type ConstraintDescriptor,
  type IndexDescriptor,
  referringTo,
  type TableDescriptor,
  type ViewObject,
} from "../../../rows/index.ts";
import { commentName } from "../../catalog/system/comment-names.ts";
import { SqlError } from "../../error.ts";
import { type PlanEnv, withRelations } from "../env.ts";
import { bindView } from "../view-relation.ts";
import { setComment } from "./comments.ts";
import { assertMayAlter, type DdlPorts, type DdlRun, shownColumn, skip } from "./ddl-run.ts";
import { cascaded } from "./types.ts";
import { dropViewsOf } from "./views.ts";

/** What the drop of a constraint is done with. */
export interface DropParts {
  readonly env: PlanEnv;
  readonly on: DdlRun;
  readonly ports: DdlPorts;
}

/** ALTER TABLE … DROP CONSTRAINT. @throws SqlError 42704, 2BP01. */
export async function dropConstraint(
  parts: DropParts,
  table: TableDescriptor,
  name: string,
  isCascade: boolean,
  isOptional: boolean,
): Promise<TableDescriptor> {
  const { on } = parts;
  const constraint = table.constraints.find((one) => one.name === name);
  if (constraint === undefined) {
    const message = `constraint "${name}" of relation "${table.name}" does not exist`;
    if (!isOptional) throw new SqlError("42704", message);
    skip(on, "00000", message);
    return table;
  }
  await setComment(on.rows, commentName("constraint", table.id, name), "");
  if (constraint.kind === "primary key" || constraint.kind === "unique") {
    return await dropKey(parts, table, constraint, isCascade);
  }
  return await on.rows.alter(table.id, { kind: "drop constraint", name });
}

/** Drops a key, and with CASCADE what needs it: foreign keys, and views that group by it. */
export async function dropKey(
  parts: DropParts,
  table: TableDescriptor,
  key: Extract<ConstraintDescriptor, { readonly kind: "primary key" | "unique" }>,
  isCascade: boolean,
): Promise<TableDescriptor> {
  const { on } = parts;
  if (key.kind === "unique") {
    return await dropIndex(on, table, { id: key.index, name: key.name }, isCascade);
  }
  await setComment(on.rows, commentName("relation", table.id, "index 0"), "");
  if (isCascade) await tellReferring(on, table, "rows");
  const next = await on.rows.alter(table.id, { kind: "drop primary key", cascade: isCascade });
  const broken = await viewsWithoutKey(parts, table);
  const what = `constraint ${key.name} on table ${table.name}`;
  await dropViewsOf(on, table.id, what, isCascade, new Set(), (_, view) => broken.has(view.id));
  return next;
}

/** Drops a unique or plain index, and with CASCADE the foreign keys that need it. */
export async function dropIndex(
  on: DdlRun,
  table: TableDescriptor,
  { id, name }: Pick<IndexDescriptor, "id" | "name">,
  isCascade: boolean,
): Promise<TableDescriptor> {
  await setComment(on.rows, commentName("relation", table.id, `index ${id}`), "");
  if (isCascade) await tellReferring(on, table, id);
  return await on.rows.dropIndex(table.id, name, isCascade);
}

/** @throws SqlError 42501 where a table that refers to the key may not be changed. */
async function tellReferring(
  on: DdlRun,
  table: TableDescriptor,
  from: "rows" | number,
): Promise<void> {
  const going: string[] = [];
  for (const { child, key } of await referringTo(on.rows.tables, table, from)) {
    await assertMayAlter(on, child);
    const shown = `constraint ${key.name} on table ${child.name}`;
    going.push(await shownColumn(on, child, shown));
  }
  cascaded(on, going);
}

/** The views whose columns follow from the primary key that they group by. */
async function viewsWithoutKey(
  { env, on, ports }: DropParts,
  table: TableDescriptor,
): Promise<ReadonlySet<string>> {
  const broken = new Set<string>();
  for (const view of await on.rows.objects.list()) {
    if (view.kind !== "view" || !view.uses.some(({ id }) => id === table.id)) continue;
    if (!(await isPlanned(env, view, ports))) broken.add(view.id);
  }
  return broken;
}

async function isPlanned(env: PlanEnv, view: ViewObject, ports: DdlPorts): Promise<boolean> {
  const query = await ports.parse(view.query);
  // Nothing is read: the session needs no right to.
  const unread: PlanEnv = { ...env, relation: (range) => env.relation(range, []) };
  try {
    await withRelations(env, () => bindView(unread, { view, oid: 0, query }).plan());
    return true;
  } catch (error) {
    if (error instanceof SqlError && error.sqlState === "42803") return false;
    throw error;
  }
}
