import type { Node } from "libpg-query";
import type { ColumnType, DomainObject, TableDescriptor } from "../../../rows/index.ts";
import { isOfType, mentionsType } from "../../../rows/index.ts";
import { bindExpr } from "../../bind/bind-expression.ts";
import { textsOf } from "../../bind/names.ts";
import { FIRST_TABLE_OID } from "../../catalog/system/object-oids.ts";
import { notSupported, SqlError } from "../../error.ts";
import { expressionText } from "../../parse/deparse.ts";
import { contentOf, type NodeOf } from "../../parse/statement.ts";
import { assignedExpr } from "../assign.ts";
import { type PlanEnv, scopeOf } from "../env.ts";
import type { Plan } from "../plan.ts";
import { type DdlPorts, type DdlRun, ddlPlan, madeName, shownColumn, skip } from "./ddl-run.ts";
import { columnType } from "./table-elements.ts";
import { assertFreeType, changeType, columnsOfType, ownType, typeIdOf } from "./types.ts";

type Domain = NonNullable<ColumnType["domain"]>;
type Check = NonNullable<Domain["checks"]>[number];

/** CREATE DOMAIN. */
export function planCreateDomain(
  env: PlanEnv,
  create: NodeOf<"CreateDomainStmt">,
  ports: DdlPorts,
): Plan {
  const { domainname, typeName = {}, constraints = [] } = create;
  const names = textsOf(domainname);
  return ddlPlan(env, "CREATE DOMAIN", async (on) => {
    const namespace = await ports.namespaceFor(names.at(-2));
    const name = names.at(-1) ?? "";
    await assertFreeType(on, namespace, name);
    const base = columnType(env, typeName, typeName.location);
    const number = await on.rows.objects.newNumber(namespace);
    const { domain: below, ...plain } = base;
    let domain: Domain = {
      typeId: FIRST_TABLE_OID + number,
      name,
      schema: namespace.join("."),
      ...(below && { base: below }),
    };
    for (const node of constraints) {
      domain = await withConstraint(env, domain, plain, contentOf(node, "Constraint") ?? {});
    }
    const type = { ...plain, domain };
    // It is read as it will be used: a wrong check is refused here.
    await ports.defineType(type);
    await on.rows.objects.create({ kind: "domain", namespace, name, number, type });
  });
}

async function withConstraint(
  env: PlanEnv,
  domain: Domain,
  base: ColumnType,
  { contype, conname, raw_expr: expression }: NodeOf<"Constraint">,
): Promise<Domain> {
  switch (contype) {
    case "CONSTR_NOTNULL":
      return { ...domain, notNull: true };
    case "CONSTR_NULL": {
      const { notNull: _, ...rest } = domain;
      return rest;
    }
    case "CONSTR_DEFAULT":
      return { ...domain, default: await defaultText(env, domain.name, base, expression as Node) };
    case "CONSTR_CHECK": {
      const { checks = [] } = domain;
      const isTaken = (one: string): boolean => checks.some((check) => check.name === one);
      const name = conname ?? madeName(domain.name, [], "check", isTaken);
      if (isTaken(name)) throw taken(domain.name, name);
      const check: Check = { name, expression: await expressionText(expression as Node) };
      return { ...domain, checks: [...checks, check] };
    }
    default:
      throw new SqlError("42601", `${wordsOf(contype)} constraints not possible for domains`);
  }
}

function wordsOf(contype: NodeOf<"Constraint">["contype"]): string {
  const words: Readonly<Record<string, string>> = {
    CONSTR_UNIQUE: "unique",
    CONSTR_PRIMARY: "primary key",
    CONSTR_EXCLUSION: "exclusion",
    CONSTR_FOREIGN: "foreign key",
  };
  return words[contype ?? ""] ?? "these";
}

function taken(domain: string, name: string): SqlError {
  return new SqlError("42710", `constraint "${name}" for domain "${domain}" already exists`);
}

async function defaultText(
  env: PlanEnv,
  name: string,
  type: ColumnType,
  node: Node,
): Promise<string> {
  const scope = scopeOf(env, [], "DEFAULT expressions");
  assignedExpr(scope, { name, type }, bindExpr(scope, node), undefined);
  return await expressionText(node);
}

/** ALTER DOMAIN. */
export function planAlterDomain(
  env: PlanEnv,
  alter: NodeOf<"AlterDomainStmt">,
  ports: DdlPorts,
): Plan {
  const names = textsOf(alter.typeName);
  return ddlPlan(env, "ALTER DOMAIN", async (on) => {
    const before = (await ownType(on, ports, names, "domain")) as DomainObject;
    const { domain, ...plain } = before.type as ColumnType & { readonly domain: Domain };
    const next = await altered(env, on, domain, plain, alter);
    if (next === undefined) return;
    const type: ColumnType = { ...plain, domain: next };
    await ports.defineType(type);
    await changeType(on, ports, before, type);
    const isValidated = contentOf(alter.def, "Constraint")?.skip_validation !== true;
    const isStricter = ["O", "C", "V"].includes(alter.subtype ?? "");
    if (isStricter && isValidated) await validate(env, on, before);
    if (alter.subtype === "T") await moveDefaults(on, before, domain.default, next.default);
  });
}

/** The domain behind a change; undefined where nothing changes. @throws SqlError. */
async function altered(
  env: PlanEnv,
  on: DdlRun,
  domain: Domain,
  base: ColumnType,
  { subtype, def, name = "", missing_ok: isOptional = false }: NodeOf<"AlterDomainStmt">,
): Promise<Domain | undefined> {
  const { checks = [] } = domain;
  switch (subtype) {
    case "T": {
      const { default: _, ...rest } = domain;
      if (def === undefined) return rest;
      return { ...rest, default: await defaultText(env, domain.name, base, def) };
    }
    case "O":
      return { ...domain, notNull: true };
    case "N": {
      const { notNull: _, ...rest } = domain;
      return rest;
    }
    case "C":
      return await withConstraint(env, domain, base, contentOf(def, "Constraint") ?? {});
    case "X": {
      const left = checks.filter((check) => check.name !== name);
      if (left.length < checks.length) return { ...domain, checks: left };
      const message = `constraint "${name}" of domain "${domain.name}" does not exist`;
      if (!isOptional) throw new SqlError("42704", message);
      skip(on, "00000", message);
      return undefined;
    }
    case "V":
      if (checks.some((check) => check.name === name)) return domain;
      throw new SqlError("42704", `constraint "${name}" of domain "${domain.name}" does not exist`);
    default:
      throw notSupported("this ALTER DOMAIN");
  }
}

/** ALTER DOMAIN … RENAME CONSTRAINT. */
export function planRenameDomainConstraint(
  env: PlanEnv,
  { object, subname = "", newname = "" }: NodeOf<"RenameStmt">,
  ports: DdlPorts,
): Plan {
  const names = textsOf(contentOf(object, "List")?.items);
  return ddlPlan(env, "ALTER DOMAIN", async (on) => {
    const before = await ownType(on, ports, names, "domain");
    const { domain } = before.type;
    const { checks = [], name = "" } = domain ?? {};
    if (domain === undefined || !checks.some((check) => check.name === subname)) {
      throw new SqlError("42704", `constraint "${subname}" of domain "${name}" does not exist`);
    }
    if (checks.some((check) => check.name === newname)) throw taken(name, newname);
    const renamed = checks.map((check) =>
      check.name === subname ? { ...check, name: newname } : check,
    );
    await changeType(on, ports, before, { ...before.type, domain: { ...domain, checks: renamed } });
  });
}

/** @throws SqlError 23502, 23514 where a row does not meet the domain. */
async function validate(env: PlanEnv, on: DdlRun, before: DomainObject): Promise<void> {
  const typeId = typeIdOf(before);
  const { constraint } = env.functions.types.get(typeId);
  if (constraint === undefined) return;
  const sql = env.contextOf(on.run);
  await refuseFields(on, before);
  for (const { table, column } of await columnsOfType(on.rows, typeId)) {
    const now = await on.rows.tables.get(table.id);
    const found = now.columns.find((each) => each.name === column && each.dropped !== true);
    if (found === undefined || found.type.element !== undefined) continue;
    const scan = on.rows.scan(now, { columns: [found.id] });
    try {
      for (let rows = await scan.nextBatch(); rows !== undefined; rows = await scan.nextBatch()) {
        for (const value of rows.columns[0] ?? []) {
          try {
            constraint.check(value, sql);
          } catch (error) {
            if (!(error instanceof SqlError)) throw error;
            const what =
              value === null
                ? "contains null values"
                : "contains values that violate the new constraint";
            const state = value === null ? "23502" : "23514";
            const shown = `column "${column}" of table "${table.name}"`;
            throw new SqlError(state, `${await shownColumn(on, table, shown)} ${what}`);
          }
        }
      }
    } finally {
      scan.close();
    }
  }
}

/**
 * A column that has been added has one value in all rows.
 *
 * @throws SqlError 23502, 23514 where its domain refuses that.
 */
export async function refuseDomainValue(
  env: PlanEnv,
  on: DdlRun,
  table: TableDescriptor,
  name: string,
): Promise<void> {
  const column = table.columns.find((each) => each.name === name && each.dropped !== true);
  const { domain } = column?.type ?? {};
  const constraint = domain && env.functions.types.get(domain.typeId).constraint;
  if (column === undefined || constraint === undefined) return;
  const scan = on.rows.scan(table, { columns: [column.id] });
  try {
    const [values = []] = (await scan.nextBatch())?.columns ?? [];
    for (const value of values) constraint.check(value, env.contextOf(on.run));
  } finally {
    scan.close();
  }
}

/** Values of fields are not looked through. @throws SqlError 0A000. */
async function refuseFields(on: DdlRun, before: DomainObject): Promise<void> {
  const typeId = typeIdOf(before);
  const isInField = (type: ColumnType): boolean =>
    mentionsType(type, typeId) && !isOfType(type, typeId);
  const [used] = await columnsOfType(on.rows, typeId, isInField);
  if (used === undefined) return;
  const { table, column } = used;
  const shown = await shownColumn(on, table, `column "${table.name}.${column}"`);
  throw new SqlError("0A000", `cannot alter type "${before.name}" because ${shown} uses it`);
}

/** Columns that have the domain's default get the new one. */
async function moveDefaults(
  on: DdlRun,
  before: DomainObject,
  from: string | undefined,
  to: string | undefined,
): Promise<void> {
  for (const { table, column } of await columnsOfType(on.rows, typeIdOf(before))) {
    const given = table.columns.find((each) => each.name === column)?.default;
    const isOwn = from === undefined ? given === undefined : isText(given, from);
    if (!isOwn) continue;
    const next = to === undefined ? {} : { default: { kind: "expression" as const, text: to } };
    await on.rows.alter(table.id, { kind: "set default", column, ...next });
  }
}

function isText(given: { readonly kind: string } | undefined, text: string): boolean {
  return given?.kind === "expression" && "text" in given && given.text === text;
}
