import { literalPattern } from "../../../base/literal-pattern.ts";
import type { ColumnType, CompositeField, CompositeObject } from "../../../rows/index.ts";
import { mentionsType } from "../../../rows/index.ts";
import { FIRST_TABLE_OID } from "../../catalog/system/object-oids.ts";
import { notSupported, SqlError } from "../../error.ts";
import { contentOf, type NodeOf } from "../../parse/statement.ts";
import type { PlanEnv } from "../env.ts";
import type { Plan } from "../plan.ts";
import {
  assertMay,
  type DdlPorts,
  type DdlRun,
  ddlPlan,
  refuseTaken,
  shownColumn,
  skip,
} from "./ddl-run.ts";
import { columnType, refuseCollation } from "./table-elements.ts";
import {
  assertFreeType,
  changeType,
  columnsOfType,
  lastField,
  refuseTexts,
  typeIdOf,
  withFields,
} from "./types.ts";

/** A table has so many columns at most, and rows have as many fields. */
const MOST_FIELDS = 1_600;

type Range = NodeOf<"RangeVar">;

/** CREATE TYPE … AS (…). */
export function planCreateComposite(
  env: PlanEnv,
  { typevar = {}, coldeflist = [] }: NodeOf<"CompositeTypeStmt">,
  ports: DdlPorts,
): Plan {
  const { schemaname, relname: name = "" } = typevar;
  const definitions = coldeflist.map((node) => contentOf(node, "ColumnDef") ?? {});
  return ddlPlan(env, "CREATE TYPE", async (on) => {
    const namespace = await ports.namespaceFor(schemaname);
    await assertFreeType(on, namespace, name);
    await refuseTaken(on, namespace, name, false);
    if (definitions.length > MOST_FIELDS) {
      throw new SqlError("54011", `tables can have at most ${MOST_FIELDS} columns`);
    }
    const fields: CompositeField[] = [];
    for (const definition of definitions) {
      const { colname = "" } = definition;
      if (fields.some((field) => field.name === colname)) {
        throw new SqlError("42701", `column "${colname}" specified more than once`);
      }
      fields.push(newField(env, definition, fields.length + 1));
    }
    const number = await on.rows.objects.newNumber(namespace);
    const typeId = FIRST_TABLE_OID + number;
    const type: ColumnType = {
      kind: "composite",
      typeId,
      name,
      schema: namespace.join("."),
      fields,
    };
    await on.rows.objects.create({ kind: "composite", namespace, name, number, type });
    await ports.defineType(type);
  });
}

/** @throws SqlError 42704, 42P16, 0A000. */
function newField(env: PlanEnv, definition: NodeOf<"ColumnDef">, id: number): CompositeField {
  const { colname: name = "", typeName = {}, collClause, location } = definition;
  if (collClause !== undefined) refuseCollation(collClause);
  try {
    return { id, name, type: columnType(env, typeName, location) };
  } catch (error) {
    if (!(error instanceof SqlError) || error.sqlState !== "42P16") throw error;
    throw new SqlError("42P16", `column "${name}" has pseudo-type record`);
  }
}

async function compositeOf(on: DdlRun, ports: DdlPorts, range: Range): Promise<CompositeObject> {
  const { schemaname, relname = "" } = range;
  const names = schemaname === undefined ? [relname] : [schemaname, relname];
  const found = await ports.typeNamed(on.rows, schemaname, relname);
  // An enum or a domain is not a relation.
  if (found?.kind !== "composite") {
    const table = await ports.find(on.rows, range, []);
    const view = table ?? (await ports.viewNamed(on.rows, schemaname, relname));
    const shown = names.join(".");
    if (view !== undefined) throw new SqlError("42809", `"${relname}" is not a composite type`);
    throw new SqlError("42P01", `relation "${shown}" does not exist`);
  }
  await assertMay(on, "alter", found);
  return found;
}

/** ALTER TYPE … ADD, DROP and ALTER ATTRIBUTE. */
export function planAlterComposite(
  env: PlanEnv,
  { relation = {}, cmds = [] }: NodeOf<"AlterTableStmt">,
  ports: DdlPorts,
): Plan {
  return ddlPlan(env, "ALTER TYPE", async (on) => {
    for (const node of cmds) {
      const command = contentOf(node, "AlterTableCmd") ?? {};
      const before = await compositeOf(on, ports, relation);
      const type = await altered(env, on, before, command);
      if (type !== undefined) await changeType(on, ports, before, type);
    }
  });
}

/** The type behind a change; undefined where nothing changes. @throws SqlError. */
async function altered(
  env: PlanEnv,
  on: DdlRun,
  before: CompositeObject,
  { subtype, name = "", def, missing_ok: isOptional = false }: NodeOf<"AlterTableCmd">,
): Promise<ColumnType | undefined> {
  const { type } = before;
  const { fields = [] } = type;
  const definition = contentOf(def, "ColumnDef") ?? {};
  switch (subtype) {
    case "AT_AddColumn": {
      const { colname = "" } = definition;
      assertFree(before, colname);
      const added = newField(env, definition, lastField(type) + 1);
      assertApart(before, added);
      await refuseTexts(on, STAR, "adding an attribute");
      return withFields(type, [...fields, added]);
    }
    case "AT_DropColumn": {
      if (fields.some((field) => field.name === name)) {
        await refuseTexts(on, fieldPattern(name), "dropping an attribute");
        return withFields(
          type,
          fields.filter((field) => field.name !== name),
        );
      }
      if (!isOptional) throw missing(before, name);
      skip(on, "00000", `column "${name}" of relation "${before.name}" does not exist`);
      return undefined;
    }
    case "AT_AlterColumnType": {
      const field = fields.find((each) => each.name === name);
      if (field === undefined) throw missing(before, name);
      const changed = { ...newField(env, { ...definition, colname: name }, field.id) };
      assertApart(before, changed);
      await assertUnused(on, before);
      await refuseTexts(on, fieldPattern(name), "altering the type of an attribute");
      return withFields(
        type,
        fields.map((each) => (each === field ? changed : each)),
      );
    }
    default:
      throw notSupported("this ALTER TYPE");
  }
}

/** ALTER TYPE … RENAME ATTRIBUTE. */
export function planRenameAttribute(
  env: PlanEnv,
  { relation = {}, subname = "", newname = "" }: NodeOf<"RenameStmt">,
  ports: DdlPorts,
): Plan {
  return ddlPlan(env, "ALTER TYPE", async (on) => {
    const before = await compositeOf(on, ports, relation);
    const { fields = [] } = before.type;
    if (!fields.some(({ name }) => name === subname)) {
      throw new SqlError("42703", `column "${subname}" does not exist`);
    }
    assertFree(before, newname);
    await refuseTexts(on, fieldPattern(subname), "renaming an attribute");
    const renamed = fields.map((field) =>
      field.name === subname ? { ...field, name: newname } : field,
    );
    await changeType(on, ports, before, withFields(before.type, renamed));
  });
}

/** All fields of a value, as a stored expression names them. */
const STAR = /\)\.\*/;

function fieldPattern(name: string): RegExp {
  const escaped = literalPattern(name.replaceAll('"', '""'));
  return new RegExp(`\\)\\.(\\*|"?${escaped}"?(\\W|$))`);
}

function missing({ name: type }: CompositeObject, name: string): SqlError {
  return new SqlError("42703", `column "${name}" of relation "${type}" does not exist`);
}

/** @throws SqlError 42701. */
function assertFree({ name: type, type: { fields = [] } }: CompositeObject, name: string): void {
  if (!fields.some((field) => field.name === name)) return;
  throw new SqlError("42701", `column "${name}" of relation "${type}" already exists`);
}

/** A type has no field of itself. @throws SqlError 42P16. */
function assertApart(before: CompositeObject, { type }: CompositeField): void {
  if (!mentionsType(type, typeIdOf(before))) return;
  const message = `composite type ${before.name} cannot be made a member of itself`;
  throw new SqlError("42P16", message);
}

/** @throws SqlError 0A000 where rows store values of the type. */
async function assertUnused(on: DdlRun, before: CompositeObject): Promise<void> {
  const [used] = await columnsOfType(on.rows, typeIdOf(before), mentionsType);
  if (used === undefined) return;
  const { table, column } = used;
  const shown = await shownColumn(on, table, `column "${table.name}.${column}"`);
  throw new SqlError("0A000", `cannot alter type "${before.name}" because ${shown} uses it`);
}
