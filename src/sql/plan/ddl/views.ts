import type { Node } from "libpg-query";
import {
  isTemporaryId,
  type RowTransaction,
  type TableDescriptor,
  type ViewObject,
  type ViewUse,
  visibleColumns,
} from "../../../rows/index.ts";
import { textsOf } from "../../bind/names.ts";
import { notSupported, SqlError } from "../../error.ts";
import { typeName } from "../../functions/coercion.ts";
import { statementText } from "../../parse/deparse.ts";
import { contentOf, type NodeOf } from "../../parse/statement.ts";
import { type PlanEnv, withRelations } from "../env.ts";
import type { Plan } from "../plan.ts";
import { bindView, viewRelation } from "../view-relation.ts";
import { changesRows } from "../with.ts";
import {
  assertMay,
  type DdlPorts,
  type DdlRun,
  ddlPlan,
  rangeOf,
  refuseTaken,
  shownObject,
  skip,
} from "./ddl-run.ts";
import { dependedOn, dropRowsOf, renameRowsOf, viewWord } from "./materialized-views.ts";
import { renameInViews } from "./rename-in-views.ts";
import { cascaded } from "./types.ts";
import { ViewQuery } from "./view-query.ts";

const CHECK_OPTIONS: Readonly<Record<string, "local" | "cascaded">> = {
  LOCAL_CHECK_OPTION: "local",
  CASCADED_CHECK_OPTION: "cascaded",
};

/** CREATE VIEW. */
export function planCreateView(env: PlanEnv, create: NodeOf<"ViewStmt">, ports: DdlPorts): Plan {
  const { view: range = {}, aliases = [], query, replace: isReplacing = false } = create;
  if ((create.options ?? []).length > 0) throw notSupported("WITH options of a view");
  const select = contentOf(query, "SelectStmt");
  if (select === undefined) throw notSupported("a view of this statement");
  if (select.intoClause !== undefined) {
    throw new SqlError("42601", "views must not contain SELECT INTO");
  }
  if (changesRows(select.withClause)) {
    throw new SqlError("0A000", "views must not contain data-modifying statements in WITH");
  }
  const name = range.relname ?? "";
  const checkOption = CHECK_OPTIONS[create.withCheckOption ?? ""];
  return ddlPlan(env, "CREATE VIEW", async (on) => {
    const resolved = new ViewQuery(env, on.rows, ports);
    const node: Node = { SelectStmt: await resolved.resolve(select) };
    const namespace = await namespaceOfView(on, ports, range, resolved);
    const before = await on.rows.objects.byName("relation", namespace, name);
    if (before === undefined) {
      const isTaken = await refuseTaken(on, namespace, name, isReplacing);
      if (isTaken) throw new SqlError("42809", `"${name}" is not a view`);
    } else if (before.kind === "view" && before.materialized !== undefined && isReplacing) {
      throw new SqlError("42809", `"${name}" is not a view`);
    } else if (!isReplacing) {
      throw new SqlError("42P07", `relation "${name}" already exists`);
    } else await assertMay(on, "alter", before);
    const text = await statementText(node);
    const made: Omit<ViewObject, "id" | "version" | "number" | "columns"> = {
      kind: "view",
      namespace,
      name,
      query: text,
      uses: resolved.uses,
      ...(checkOption && { checkOption }),
    };
    const columns = await columnsOfView(env, ports, made, textsOf(aliases));
    if (before?.kind === "view") {
      assertReplaces(env, before, columns);
      await assertAcyclic(on.rows, before, made.uses);
      const { checkOption: _, ...kept } = before;
      await on.rows.objects.replace(before, { ...kept, ...made, columns });
      return;
    }
    const number = await on.rows.objects.newNumber(namespace);
    await on.rows.objects.create({ ...made, number, columns });
  });
}

/** A view of what is temporary is temporary itself, as PostgreSQL has it. */
async function namespaceOfView(
  { run }: DdlRun,
  ports: DdlPorts,
  { schemaname, relname, relpersistence }: NodeOf<"RangeVar">,
  { isTemporary }: ViewQuery,
): Promise<readonly string[]> {
  const isAsked = relpersistence === "t";
  if (isTemporary && !isAsked) {
    const message = `view "${relname}" will be a temporary view`;
    run.notice({ severity: "NOTICE", sqlState: "00000", message });
  }
  return await ports.namespaceFor(schemaname, isAsked || isTemporary);
}

/** The columns of a view's query, as it is stored: bound as those who read it will. */
export async function columnsOfView(
  env: PlanEnv,
  ports: DdlPorts,
  made: Pick<ViewObject, "name" | "query" | "namespace" | "checkOption">,
  names: readonly string[],
): Promise<ViewObject["columns"]> {
  const query = await ports.parse(made.query);
  const view = { ...made, columns: [] } as unknown as ViewObject;
  const known = { view, oid: 0, query };
  const bound = await withRelations(env, () => bindView(env, known));
  const { columns } = bound;
  if (made.checkOption !== undefined) {
    const relation = await withRelations(env, () => viewRelation(env, known, undefined));
    if (relation.use === undefined) {
      const message = "WITH CHECK OPTION is supported only on automatically updatable views";
      throw new SqlError("0A000", message);
    }
  }
  if (names.length > columns.length) {
    throw new SqlError("42601", "CREATE VIEW specifies more column names than columns");
  }
  const named = columns.map(({ name, oid, typmod }, i) => ({
    name: names[i] ?? name,
    oid,
    typmod,
  }));
  const seen = new Set<string>();
  for (const { name, oid } of named) {
    env.functions.types.refuseRow(oid);
    if (seen.has(name)) throw new SqlError("42701", `column "${name}" specified more than once`);
    seen.add(name);
  }
  return named;
}

/** A view may get columns behind those that it has. @throws SqlError 42P16. */
function assertReplaces(
  { functions: { types } }: PlanEnv,
  before: ViewObject,
  columns: ViewObject["columns"],
): void {
  if (columns.length < before.columns.length) {
    throw new SqlError("42P16", "cannot drop columns from view");
  }
  before.columns.forEach((old, i) => {
    const next = columns[i] as ViewObject["columns"][number];
    if (next.name !== old.name) {
      const message = `cannot change name of view column "${old.name}" to "${next.name}"`;
      throw new SqlError("42P16", message, {
        hint: "Use ALTER VIEW ... RENAME COLUMN ... to change name of view column instead.",
      });
    }
    if (next.oid === old.oid && next.typmod === old.typmod) return;
    const [from, to] = [typeName(types, old.oid), typeName(types, next.oid)];
    const message = `cannot change data type of view column "${old.name}" from ${from} to ${to}`;
    throw new SqlError("42P16", message);
  });
}

/** @throws SqlError 42P17 where a view would be read through itself. */
async function assertAcyclic(
  rows: RowTransaction,
  view: ViewObject,
  uses: readonly ViewUse[],
): Promise<void> {
  const views = new Map((await viewsOf(rows)).map((each): [string, ViewObject] => [each.id, each]));
  const waiting = uses.map(({ id }) => id);
  const seen = new Set<string>();
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (id === view.id) {
      const message = `infinite recursion detected in rules for relation "${view.name}"`;
      throw new SqlError("42P17", message);
    }
    if (seen.has(id)) continue;
    seen.add(id);
    waiting.push(...(views.get(id)?.uses ?? []).map((use) => use.id));
  }
}

async function viewsOf(rows: RowTransaction): Promise<readonly ViewObject[]> {
  return (await rows.objects.list()).filter((each): each is ViewObject => each.kind === "view");
}

/** DROP VIEW and DROP MATERIALIZED VIEW. */
export function planDropView(env: PlanEnv, drop: NodeOf<"DropStmt">, ports: DdlPorts): Plan {
  const { objects = [], missing_ok: isOptional = false, behavior, removeType } = drop;
  const isMaterialized = removeType === "OBJECT_MATVIEW";
  const word = isMaterialized ? "materialized view" : "view";
  const names = objects.map((object) => textsOf(contentOf(object, "List")?.items));
  return ddlPlan(env, `DROP ${word.toUpperCase()}`, async (on) => {
    const going = new Set<string>();
    const found: ViewObject[] = [];
    for (const path of names) {
      const name = path.at(-1) ?? "";
      const view = await ports.viewNamed(on.rows, path.at(-2), name);
      if (view !== undefined && viewWord(view) !== word) {
        const article = isMaterialized ? "a view" : "a materialized view";
        const hint = `Use DROP ${viewWord(view).toUpperCase()} to remove ${article}.`;
        throw new SqlError("42809", `"${name}" is not a ${word}`, { hint });
      }
      if (view !== undefined) {
        await assertMay(on, "drop", view);
        found.push(view);
        going.add(view.id);
        continue;
      }
      if ((await ports.find(on.rows, rangeOf(path), [])) !== undefined) {
        const hint = "Use DROP TABLE to remove a table.";
        throw new SqlError("42809", `"${name}" is not a ${word}`, { hint });
      }
      const message = `${word} "${path.join(".")}" does not exist`;
      if (!isOptional) throw new SqlError("42P01", message);
      skip(on, "00000", message);
    }
    for (const view of found) {
      const isCascade = behavior === "DROP_CASCADE";
      await dropViewsOf(on, dependedOn(view), `${word} ${view.name}`, isCascade, going);
      await dropRowsOf(on, view);
      on.rows.objects.drop(view);
    }
  });
}

/**
 * Drops the views that use an object, and the views on them.
 *
 * @param what the object, as messages name it.
 * @param going views that go anyway.
 * @throws SqlError 2BP01 where that is not wanted.
 */
export async function dropViewsOf(
  on: DdlRun,
  id: string,
  what: string,
  isCascade: boolean,
  going: ReadonlySet<string> = new Set(),
  uses: (use: ViewUse, view: ViewObject) => boolean = () => true,
): Promise<void> {
  const all = await viewsOf(on.rows);
  const found: { readonly view: ViewObject; readonly on: string }[] = [];
  const waiting: { readonly id: string; readonly name: string; readonly isFirst: boolean }[] = [
    { id, name: what, isFirst: true },
  ];
  for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
    for (const view of all) {
      const isKnown = going.has(view.id) || found.some((each) => each.view === view);
      const isUser = view.uses.some((use) => use.id === at?.id && (!at.isFirst || uses(use, view)));
      if (isKnown || !isUser) continue;
      found.push({ view, on: at.name });
      waiting.push({ id: dependedOn(view), name: await shownObject(on, view), isFirst: false });
    }
  }
  if (found.length === 0) return;
  if (!isCascade) {
    const shown: string[] = [];
    for (const { view, on: of } of found) {
      shown.push(`${await shownObject(on, view)} depends on ${of}`);
    }
    throw new SqlError("2BP01", `cannot drop ${what} because other objects depend on it`, {
      detail: shown.join("\n"),
      hint: "Use DROP ... CASCADE to drop the dependent objects too.",
    });
  }
  for (const { view } of found) await assertMay(on, "drop", view);
  for (const { view } of found) {
    await dropRowsOf(on, view);
    on.rows.objects.drop(view);
  }
  cascaded(
    on,
    found.map(({ view }) => `${viewWord(view)} ${view.name}`),
  );
}

/** @throws SqlError 0A000 where a view uses what is to be changed. */
export async function refuseViewsOf(
  on: DdlRun,
  id: string,
  what: string,
  uses: (use: ViewUse) => boolean = () => true,
): Promise<void> {
  const found = (await viewsOf(on.rows)).find((view) =>
    view.uses.some((use) => use.id === id && uses(use)),
  );
  if (found === undefined) return;
  throw new SqlError("0A000", what, {
    detail: `${await shownObject(on, found)} depends on it`,
    hint: "Drop the view first, and create it again behind the change.",
  });
}

/** Of a use of a table: whether a view may read a column of a name. */
export function readsColumn(table: TableDescriptor, column: string): (use: ViewUse) => boolean {
  const number = visibleColumns(table).find(({ name }) => name === column)?.id ?? 0;
  return ({ columns, lastColumn = number }) =>
    number <= lastColumn && (columns === undefined || columns.includes(column));
}

/** ALTER VIEW … RENAME TO and … SET SCHEMA. */
export function planMoveView(
  env: PlanEnv,
  { schemaname, relname = "" }: NodeOf<"RangeVar">,
  to: { readonly name?: string; readonly schema?: string },
  isOptional: boolean,
  ports: DdlPorts,
  word: "view" | "materialized view" = "view",
): Plan {
  return ddlPlan(env, `ALTER ${word.toUpperCase()}`, async (on) => {
    const view = await ports.viewNamed(on.rows, schemaname, relname);
    if (view !== undefined && viewWord(view) !== word) {
      throw new SqlError("42809", `"${relname}" is not a ${word}`);
    }
    if (view !== undefined) {
      await moveView(on, ports, view, to);
      return;
    }
    const message = `relation "${relname}" does not exist`;
    if (!isOptional) throw new SqlError("42P01", message);
    skip(on, "00000", message);
  });
}

/** Gives a view another name or schema. */
export async function moveView(
  on: DdlRun,
  ports: DdlPorts,
  view: ViewObject,
  to: { readonly name?: string; readonly schema?: string },
): Promise<void> {
  await assertMay(on, "alter", view);
  if (to.schema !== undefined && isTemporaryId(view.id)) {
    throw new SqlError("0A000", "cannot move objects into or out of temporary schemas");
  }
  const namespace = to.schema === undefined ? view.namespace : await ports.namespaceFor(to.schema);
  const name = to.name ?? view.name;
  await refuseTaken(on, namespace, name, false);
  const [from, moved] = [
    { path: view.namespace, name: view.name },
    { path: namespace, name },
  ];
  await renameInViews(on, ports, dependedOn(view), from, moved);
  await renameRowsOf(on, view, moved);
  await on.rows.objects.replace(view, { ...view, namespace, name });
}
