import type { Node } from "libpg-query";
import { literalPattern } from "../../../base/literal-pattern.ts";
import type {
  ColumnType,
  CompositeObject,
  DomainObject,
  EnumObject,
  RowTransaction,
  SqlObject,
  TableDescriptor,
  TypeChange,
} from "../../../rows/index.ts";
import { isOfType, mentionsType, retyped, visibleColumns } from "../../../rows/index.ts";
import { textsOf } from "../../bind/names.ts";
import { isDescribed } from "../../catalog/held.ts";
import { SqlError } from "../../error.ts";
import { contentOf } from "../../parse/statement.ts";
import type { PlanEnv } from "../env.ts";
import type { Plan } from "../plan.ts";
import { assertMay, type DdlPorts, type DdlRun, ddlPlan } from "./ddl-run.ts";

/** A type that SQL has defined. */
export type OwnType = EnumObject | DomainObject | CompositeObject;

/** Whether an object is a type. */
export function isOwnType(object: SqlObject | undefined): object is OwnType {
  return object?.kind === "enum" || object?.kind === "domain" || object?.kind === "composite";
}

/** The type that a statement changes. @throws SqlError 42501, 42704, 42809. */
export async function ownType(
  on: DdlRun,
  ports: DdlPorts,
  names: readonly string[],
  kind?: "enum" | "domain",
): Promise<OwnType> {
  const found = await ports.typeNamed(on.rows, names.at(-2), names.at(-1) ?? "");
  if (!isOwnType(found)) {
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

/** Columns of tables that are of a type, or that mention it otherwise where that is asked for. */
export async function columnsOfType(
  rows: RowTransaction,
  typeId: number,
  isMeant: (type: ColumnType, typeId: number) => boolean = isOfType,
): Promise<readonly { readonly table: TableDescriptor; readonly column: string }[]> {
  const tables = await rows.tables.list();
  return tables.flatMap((table) =>
    visibleColumns(table)
      .filter(({ type }) => isMeant(type, typeId))
      .map(({ name: column }) => ({ table, column })),
  );
}

/** Gives tables and other types that have a copy of a type the type as it is now. */
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
    if (!isOwnType(object) || typeIdOf(object) === change.typeId) continue;
    if (!mentionsType(object.type, change.typeId)) continue;
    const type = retyped(object.type, change);
    await rows.objects.replace(object, { ...object, type } as OwnType);
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
  return new RegExp(`(^|\\W)${literalPattern(word)}($|\\W)`);
}

/** A composite type with other fields: ids of those that it had are not given again. */
export function withFields(
  type: ColumnType,
  fields: NonNullable<ColumnType["fields"]>,
): ColumnType {
  return { ...type, fields, lastField: lastField(type) };
}

/** The highest id that a field of a composite type was ever given. */
export function lastField({ fields = [], lastField: last = 0 }: ColumnType): number {
  return Math.max(last, ...fields.map(({ id }) => id));
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
  if (there?.id === but?.id && there !== undefined) return;
  // Rows of a relation have a type of its name.
  const isOfRelation = async (): Promise<boolean> =>
    (await on.rows.objects.byName("relation", namespace, name)) !== undefined ||
    (await on.names.find(on.rows, { path: namespace, name })) !== undefined;
  if (there === undefined && !(await isOfRelation())) return;
  throw new SqlError("42710", `type "${name}" already exists`);
}
