import type { Node } from "libpg-query";
import type {
  ColumnType,
  DomainObject,
  EnumObject,
  RowTransaction,
  TableDescriptor,
  TypeChange,
} from "../../../rows/index.ts";
import { mentionsType, retyped, visibleColumns } from "../../../rows/index.ts";
import { textsOf } from "../../bind/names.ts";
import { isDescribed } from "../../catalog/held.ts";
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
  shownColumn,
  shownObject,
  skip,
} from "./ddl-run.ts";

/** A type that SQL has defined. */
export type OwnType = EnumObject | DomainObject;

/** The type that a statement changes. @throws SqlError 42501, 42704, 42809. */
export async function ownType(
  on: DdlRun,
  ports: DdlPorts,
  names: readonly string[],
  kind?: OwnType["kind"],
): Promise<OwnType> {
  const found = await ports.typeNamed(on.rows, names.at(-2), names.at(-1) ?? "");
  if (found?.kind !== "enum" && found?.kind !== "domain") {
    throw new SqlError("42704", `type "${names.join(".")}" does not exist`);
  }
  if (kind === undefined || kind === found.kind) {
    await assertMay(on, "alter", found);
    return found;
  }
  const shown = names.join(".");
  const message = kind === "enum" ? `${shown} is not an enum` : `"${shown}" is not a domain`;
  throw new SqlError("42809", message);
}

/** The OID of a type: columns know it by that. */
export function typeIdOf({ type }: OwnType): number {
  return type.domain?.typeId ?? type.typeId ?? 0;
}

/** Columns of tables that are of a type. */
export async function columnsOfType(
  rows: RowTransaction,
  typeId: number,
): Promise<readonly { readonly table: TableDescriptor; readonly column: string }[]> {
  const tables = await rows.tables.list();
  return tables.flatMap((table) =>
    visibleColumns(table)
      .filter(({ type }) => mentionsType(type, typeId))
      .map(({ name: column }) => ({ table, column })),
  );
}

/** Gives tables and domains that have a copy of a type the type as it is now. */
export async function spread(on: DdlRun, ports: DdlPorts, change: TypeChange): Promise<void> {
  const { rows } = on;
  for (const table of await rows.tables.list()) {
    const types = [
      ...table.columns.map(({ type }) => type),
      ...table.indexes.flatMap(({ parts }) =>
        parts.flatMap((part) => ("expression" in part ? [part.type] : [])),
      ),
    ];
    if (!types.some((type) => mentionsType(type, change.typeId))) continue;
    await rows.alter(table.id, { kind: "retype", change });
  }
  for (const object of await rows.objects.list()) {
    if (object.kind !== "domain" || object.type.domain?.typeId === change.typeId) continue;
    if (!mentionsType(object.type, change.typeId)) continue;
    await rows.objects.replace(object, { ...object, type: retyped(object.type, change) });
  }
  await ports.defineType(change.type);
}

/** Changes a type and all copies of it. */
export async function changeType(
  on: DdlRun,
  ports: DdlPorts,
  before: OwnType,
  type: ColumnType,
  more: {
    readonly label?: TypeChange["label"];
    readonly at?: Pick<OwnType, "namespace" | "name">;
  } = {},
): Promise<void> {
  const { label, at } = more;
  await on.rows.objects.replace(before, { ...before, ...at, type } as OwnType);
  const change = { typeId: typeIdOf(before), type, ...(label && { label }) };
  await spread(on, ports, change);
}

/** @throws SqlError 0A000 where a stored text says something that is to get another name. */
export async function refuseTexts(on: DdlRun, pattern: RegExp, what: string): Promise<void> {
  const texts: { readonly text: string; readonly of: readonly string[] }[] = [];
  for (const table of await on.rows.tables.list()) {
    const of = table.namespace;
    const note = (text: string): unknown => texts.push({ text, of });
    for (const { default: given, generated } of table.columns) {
      if (given?.kind === "expression") note(given.text);
      if (generated !== undefined) note(generated);
    }
    for (const one of table.constraints) if (one.kind === "check") note(one.expression);
    for (const { predicate, parts } of table.indexes) {
      if (predicate !== undefined) note(predicate);
      for (const part of parts) if ("expression" in part) note(part.expression);
    }
  }
  for (const object of await on.rows.objects.list()) {
    const of = object.namespace;
    if (object.kind === "view") texts.push({ text: object.query, of });
    const checks = object.kind === "domain" ? (object.type.domain?.checks ?? []) : [];
    for (const { expression } of checks) texts.push({ text: expression, of });
  }
  const found = texts.find(({ text }) => pattern.test(text));
  if (found === undefined) return;
  const held = await on.names.heldIn(found.of);
  const isShown = held !== undefined && isDescribed(held);
  const message = `${what} is not supported while an expression names it`;
  throw new SqlError("0A000", message, {
    ...(isShown && { detail: `The expression is: ${found.text}` }),
  });
}

/** A word as a pattern. */
export function wordPattern(word: string): RegExp {
  return new RegExp(`(^|\\W)${word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}($|\\W)`);
}

/** DROP TYPE and DROP DOMAIN. */
export function planDropType(env: PlanEnv, drop: NodeOf<"DropStmt">, ports: DdlPorts): Plan {
  const { objects = [], missing_ok: isOptional = false, behavior, removeType } = drop;
  const isDomain = removeType === "OBJECT_DOMAIN";
  const names = objects.map((object) => textsOf(contentOf(object, "TypeName")?.names));
  return ddlPlan(env, isDomain ? "DROP DOMAIN" : "DROP TYPE", async (on) => {
    for (const path of names) {
      const found = await ports.typeNamed(on.rows, path.at(-2), path.at(-1) ?? "");
      if (found?.kind !== "enum" && found?.kind !== "domain") {
        const message = `type "${path.join(".")}" does not exist`;
        if (!isOptional) throw new SqlError("42704", message);
        skip(on, "00000", message);
        continue;
      }
      if (isDomain && found.kind !== "domain") {
        throw new SqlError("42809", `"${path.join(".")}" is not a domain`);
      }
      await assertMay(on, "drop", found);
      await dropType(on, found, behavior === "DROP_CASCADE");
    }
  });
}

/** Drops a type, and the columns and domains of it where that is wanted. @throws SqlError 2BP01. */
export async function dropType(on: DdlRun, object: OwnType, isCascade: boolean): Promise<void> {
  const typeId = typeIdOf(object);
  const { name } = object;
  const columns = await columnsOfType(on.rows, typeId);
  const others = (await on.rows.objects.list()).filter(
    (each): each is DomainObject =>
      each.kind === "domain" && each.id !== object.id && mentionsType(each.type, typeId),
  );
  const views = (await on.rows.objects.list()).filter(
    (each) => each.kind === "view" && each.uses.some(({ id }) => id === object.id),
  );
  const dependents: string[] = [];
  for (const { table, column } of columns) {
    dependents.push(await shownColumn(on, table, `column ${column} of table ${table.name}`));
  }
  for (const each of [...others, ...views]) dependents.push(await shownObject(on, each));
  if (dependents.length > 0 && !isCascade) {
    throw new SqlError("2BP01", `cannot drop type ${name} because other objects depend on it`, {
      detail: dependents.map((each) => `${each} depends on type ${name}`).join("\n"),
      hint: "Use DROP ... CASCADE to drop the dependent objects too.",
    });
  }
  for (const each of [...views, ...others]) await assertMay(on, "drop", each);
  for (const { table } of columns) await assertMayAlter(on, table);
  for (const each of views) on.rows.objects.drop(each);
  for (const { table, column } of columns) {
    await on.rows.alter(table.id, { kind: "drop column", column });
  }
  for (const each of others) on.rows.objects.drop(each);
  cascaded(on, dependents);
  on.rows.objects.drop(object);
}

/** Tells of what went with an object. */
export function cascaded({ run }: DdlRun, dependents: readonly string[]): void {
  if (dependents.length === 0) return;
  const [only] = dependents;
  const notice =
    dependents.length === 1
      ? { message: `drop cascades to ${only}` }
      : {
          message: `drop cascades to ${dependents.length} other objects`,
          detail: dependents.map((each) => `drop cascades to ${each}`).join("\n"),
        };
  run.notice({ severity: "NOTICE", sqlState: "00000", ...notice });
}

/** ALTER TYPE … RENAME TO, ALTER DOMAIN … RENAME TO and … SET SCHEMA. */
export function planMoveType(
  env: PlanEnv,
  object: Node | undefined,
  to: { readonly name?: string; readonly schema?: string },
  kind: "domain" | undefined,
  ports: DdlPorts,
): Plan {
  const names = textsOf(contentOf(object, "List")?.items);
  return ddlPlan(env, kind === "domain" ? "ALTER DOMAIN" : "ALTER TYPE", async (on) => {
    const before = await ownType(on, ports, names, kind);
    const namespace =
      to.schema === undefined ? before.namespace : await ports.namespaceFor(to.schema);
    const name = to.name ?? before.name;
    await refuseTexts(on, wordPattern(before.name), "renaming a type");
    const schema = namespace.join(".");
    const { type } = before;
    const next =
      type.domain === undefined
        ? { ...type, name, schema }
        : { ...type, domain: { ...type.domain, name, schema } };
    await assertFreeType(on, namespace, name, before);
    await changeType(on, ports, before, next, { at: { namespace, name } });
  });
}

/** @throws SqlError 42710. */
export async function assertFreeType(
  on: DdlRun,
  namespace: readonly string[],
  name: string,
  but?: OwnType,
): Promise<void> {
  const there = await on.rows.objects.byName("type", namespace, name);
  if (there === undefined || there.id === but?.id) return;
  throw new SqlError("42710", `type "${name}" already exists`);
}
