import type { Node } from "libpg-query";
import type { Privilege } from "../../../api/privileges.ts";
import type { ColumnSpec, TableChange, TableDescriptor, ViewObject } from "../../../rows/index.ts";
import { visibleColumns } from "../../../rows/index.ts";
import { textsOf } from "../../bind/names.ts";
import { notSupported, SqlError } from "../../error.ts";
import { contentOf, type NodeOf } from "../../parse/statement.ts";
import { type PlanEnv, scopeOf } from "../env.ts";
import type { Plan } from "../plan.ts";
import { scopeTable } from "../table-columns.ts";
import { changedParts, isPartCommand } from "./alter-partitions.ts";
import { newColumnType } from "./column-type.ts";
import { planAlterComposite, planRenameAttribute } from "./composites.ts";
import {
  type DdlPorts,
  type DdlRun,
  ddlPlan,
  type FoundTable,
  madeName,
  objectWords,
  refuseTaken,
  skip,
  tableOf,
} from "./ddl-run.ts";
import { planRenameDomainConstraint, refuseDomainValue } from "./domains.ts";
import { dropConstraint, dropIndex, dropKey } from "./drop-constraint.ts";
import { withPartitions } from "./drop-partitions.ts";
import { noElements } from "./elements.ts";
import { foreignKeySpec } from "./foreign-keys.ts";
import { addIdentity, setIdentity } from "./identity.ts";
import { planAttachIndex } from "./indexes.ts";
import { moveTable, shardAsked } from "./move-table.ts";
import { isOfOwner, ownedRelation } from "./owners.ts";
import { renameInViews } from "./rename-in-views.ts";
import { moveSequence, planMoveSequence } from "./sequences.ts";
import { checkResetParameters, checkStorageParameters } from "./storage-parameters.ts";
import {
  addColumn,
  checkOf,
  columnType,
  defaultOf,
  generatedText,
  refusedConstraint,
  uniqueIndex,
} from "./table-elements.ts";
import { planMoveType } from "./types.ts";
import { dropViewsOf, moveView, planMoveView, readsColumn, refuseViewsOf } from "./views.ts";

/** ALTER TABLE: its commands one after the other, all of them or none. */
export function planAlterTable(
  env: PlanEnv,
  alter: NodeOf<"AlterTableStmt">,
  ports: DdlPorts,
): Plan {
  const { relation = {}, cmds = [], missing_ok: isOptional = false, objtype } = alter;
  if (objtype === "OBJECT_TYPE") return planAlterComposite(env, alter, ports);
  if (isOfOwner(alter)) {
    const kind = objectWords(objtype ?? "OBJECT_TABLE").replace("MATVIEW", "MATERIALIZED VIEW");
    return ddlPlan(env, `ALTER ${kind}`, (on) => ownedRelation(env, on, ports, alter));
  }
  if (objtype === "OBJECT_INDEX") return planAttachIndex(env, alter, ports);
  if (objtype !== undefined && objtype !== "OBJECT_TABLE") {
    throw notSupported(`ALTER ${objectWords(objtype)}`);
  }
  const shard = shardAsked(cmds);
  return ddlPlan(env, "ALTER TABLE", async (on) => {
    const found = await tableOf(on, ports, relation, isOptional);
    if (found === undefined) return;
    let { table } = found;
    if (table.materialized === true) {
      const message = `ALTER TABLE cannot change the materialized view "${table.name}"`;
      throw new SqlError("42809", message);
    }
    if (shard !== undefined && (table.partitioned ?? table.partitionOf) !== undefined) {
      const hint = "DETACH it first: the partitions of a table are in its shard.";
      throw notSupported("moving a partitioned table or a partition", hint);
    }
    if (shard !== undefined) {
      await moveTable(on, table, shard);
      return;
    }
    for (const node of cmds) {
      const command = contentOf(node, "AlterTableCmd") ?? {};
      const isPart = table.partitioned !== undefined || table.partitionOf !== undefined;
      const apply = (one: TableDescriptor, own: Command) =>
        changed(new Change(env, on, ports, one), own);
      const isOnly = relation.inh !== true;
      table =
        isPart || isPartCommand(command)
          ? await changedParts({ env, on, ports, table, command, isOnly, apply })
          : await apply(table, command);
    }
  });
}

type Command = NodeOf<"AlterTableCmd">;

/** One command under way. */
class Change {
  readonly env: PlanEnv;
  readonly on: DdlRun;
  readonly ports: DdlPorts;
  readonly table: TableDescriptor;

  constructor(env: PlanEnv, on: DdlRun, ports: DdlPorts, table: TableDescriptor) {
    this.env = env;
    this.on = on;
    this.ports = ports;
    this.table = table;
  }

  async alter(change: TableChange): Promise<TableDescriptor> {
    return await this.on.rows.alter(this.table.id, change);
  }

  /** @throws SqlError 42703; nothing where it is missing and may be. */
  column(name: string, isOptional = false): TableDescriptor["columns"][0] | undefined {
    const column = visibleColumns(this.table).find((one) => one.name === name);
    if (column !== undefined) return column;
    const message = `column "${name}" of relation "${this.table.name}" does not exist`;
    if (!isOptional) throw new SqlError("42703", message);
    skip(this.on, "00000", message);
    return undefined;
  }
}

async function changed(change: Change, command: Command): Promise<TableDescriptor> {
  const { table } = change;
  const { subtype, name = "", def, missing_ok: isOptional = false, behavior } = command;
  const isCascade = behavior === "DROP_CASCADE";
  switch (subtype) {
    case "AT_AddColumn":
      return await addedColumn(change, contentOf(def, "ColumnDef") ?? {}, isOptional);
    case "AT_DropColumn":
      if (change.column(name, isOptional) === undefined) return table;
      await dropViewsOf(
        change.on,
        table.id,
        `column ${name} of table ${table.name}`,
        isCascade,
        undefined,
        readsColumn(table, name),
      );
      return await withoutColumn(change, name, isCascade);
    case "AT_ColumnDefault": {
      const column = change.column(name);
      if (column === undefined) return table;
      const given = def === undefined ? undefined : await defaultOf(change.env, column, def);
      return await change.alter({
        kind: "set default",
        column: name,
        ...(given !== undefined && { default: given }),
      });
    }
    case "AT_AddIdentity":
    case "AT_SetIdentity":
    case "AT_DropIdentity":
      return await withIdentity(change, name, command);
    case "AT_SetNotNull":
      change.column(name);
      return await change.alter({ kind: "set not null", column: name });
    case "AT_DropNotNull":
      change.column(name);
      return await change.alter({ kind: "drop not null", column: name });
    case "AT_AlterColumnType":
      await refuseViewsOf(
        change.on,
        table.id,
        "cannot alter type of a column used by a view or rule",
        readsColumn(table, name),
      );
      return await withType(change, name, contentOf(def, "ColumnDef") ?? {});
    case "AT_AddConstraint":
      return await withConstraint(change, contentOf(def, "Constraint") ?? {});
    case "AT_AlterConstraint":
      return await withDeferral(change, contentOf(command.def, "ATAlterConstraint") ?? {});
    case "AT_DropConstraint":
      return await dropConstraint(change, table, name, isCascade, isOptional);
    case "AT_SetRelOptions":
      checkStorageParameters(contentOf(def, "List")?.items ?? []);
      return table;
    case "AT_ResetRelOptions":
      checkResetParameters(contentOf(def, "List")?.items ?? []);
      return table;
    case "AT_ChangeOwner":
    case "AT_SetStatistics":
    case "AT_SetStorage":
    case "AT_ValidateConstraint":
      return table;
    default:
      throw notSupported(`ALTER TABLE … ${wordsOf(subtype)}`);
  }
}

async function withIdentity(
  change: Change,
  name: string,
  { subtype, def, missing_ok: isOptional = false }: Command,
): Promise<TableDescriptor> {
  const { on, table } = change;
  const column = change.column(name);
  if (column === undefined) return table;
  if (subtype === "AT_AddIdentity") {
    return await addIdentity(on.rows, table, name, contentOf(def, "Constraint") ?? {});
  }
  if (column.identity === undefined) {
    const message = `column "${name}" of relation "${table.name}" is not an identity column`;
    if (!isOptional) throw new SqlError("55000", message);
    skip(on, "00000", message);
    return table;
  }
  if (subtype === "AT_DropIdentity") {
    return await change.alter({ kind: "drop identity", column: name });
  }
  return await setIdentity(on.rows, table, column, contentOf(def, "List")?.items ?? []);
}

/** `AT_EnableRowSecurity` → `ENABLE ROW SECURITY`. */
function wordsOf(subtype: Command["subtype"]): string {
  const words = String(subtype).replace("AT_", "");
  return words.replace(/([a-z])([A-Z])/g, "$1 $2").toUpperCase();
}

async function addedColumn(
  change: Change,
  definition: NodeOf<"ColumnDef">,
  isOptional: boolean,
): Promise<TableDescriptor> {
  const { table, on, env } = change;
  const { colname = "" } = definition;
  if (visibleColumns(table).some(({ name }) => name === colname)) {
    const message = `column "${colname}" of relation "${table.name}" already exists`;
    if (!isOptional) throw new SqlError("42701", message);
    skip(on, "42701", message);
    return table;
  }
  const elements = noElements();
  const constraints = await addColumn(env, elements, definition);
  const [column] = elements.columns;
  if (column === undefined) return table;
  const generated = await generatedOf(change, column, definition);
  const whole = { ...column, ...(generated !== undefined && { generated }) };
  let next = await change.alter({ kind: "add column", column: whole });
  await refuseDomainValue(env, on, next, colname);
  for (const { constraint } of constraints) {
    next = await withConstraint(new Change(env, on, change.ports, next), constraint, colname);
  }
  return next;
}

/** GENERATED ALWAYS AS, over the columns that the table has. */
async function generatedOf(
  { env, table }: Change,
  column: ColumnSpec,
  { constraints = [] }: NodeOf<"ColumnDef">,
): Promise<string | undefined> {
  const given = constraints
    .map((node) => contentOf(node, "Constraint"))
    .find((constraint) => constraint?.contype === "CONSTR_GENERATED");
  if (given === undefined) return undefined;
  if (column.default !== undefined) {
    const message =
      "both default and generation expression specified for " +
      `column "${column.name}" of table "${table.name}"`;
    throw new SqlError("42601", message);
  }
  const own = scopeTable(env.functions.types, { descriptor: table, oid: 0 });
  const scope = scopeOf(env, [{ ...own, name: table.name }], "generation expressions");
  return await generatedText(scope, column, given.raw_expr as Node);
}

async function withoutColumn(
  change: Change,
  name: string,
  isCascade: boolean,
): Promise<TableDescriptor> {
  let { table } = change;
  const id = change.column(name)?.id;
  const key = table.constraints.find((one) => one.kind === "primary key");
  if (key !== undefined && table.primaryKey.some(({ columnId }) => columnId === id)) {
    table = await dropKey(change, table, key, isCascade);
  }
  // Indexes of the column go with it, as PostgreSQL's do.
  for (const index of table.indexes) {
    const isOf = index.parts.some((part) => "columnId" in part && part.columnId === id);
    const isIncluded = id !== undefined && index.include.includes(id);
    if (!isOf && !isIncluded) continue;
    table = await dropIndex(change.on, table, index, isCascade);
  }
  return await change.on.rows.alter(table.id, { kind: "drop column", column: name });
}

async function withType(
  change: Change,
  name: string,
  { typeName = {}, raw_default, location }: NodeOf<"ColumnDef">,
): Promise<TableDescriptor> {
  const column = change.column(name);
  if (column === undefined) return change.table;
  const type = columnType(change.env, typeName, location);
  const isSame = JSON.stringify(type) === JSON.stringify(column.type);
  if (isSame && raw_default === undefined) return change.table;
  const to = newColumnType(change.env, change.table, column, type, raw_default);
  const { identity, sequence } = column;
  if (identity !== undefined && sequence !== undefined) {
    await change.on.rows.sequences.alter(sequence, { type: type.kind as "int8" });
  }
  return await change.alter({ kind: "set type", to });
}

async function withConstraint(
  change: Change,
  constraint: NodeOf<"Constraint">,
  column?: string,
): Promise<TableDescriptor> {
  const { table, on, env, ports } = change;
  if (constraint.indexname !== undefined) throw notSupported("a constraint USING INDEX");
  const all = [...table.indexes, ...table.constraints].map(({ name }) => name);
  const isTaken = (name: string): boolean => all.includes(name);
  if (constraint.conname !== undefined && isTaken(constraint.conname)) {
    const { conname } = constraint;
    const message = `constraint "${conname}" for relation "${table.name}" already exists`;
    throw new SqlError("42710", message);
  }
  if (constraint.contype === "CONSTR_FOREIGN") {
    const given = { constraint, column };
    const spec = await foreignKeySpec(on, ports, table.name, given, isTaken);
    const references = { table: table.id, ...spec.references };
    return await change.alter({ kind: "add foreign key", key: { ...spec, references } });
  }
  if (constraint.deferrable === true) {
    throw notSupported("a deferrable constraint that is not a foreign key");
  }
  if (constraint.contype === "CONSTR_CHECK") {
    const scope = scopeTable(env.functions.types, { descriptor: table, oid: 0 });
    const check = await checkOf(env, { ...scope, name: table.name }, constraint, column, isTaken);
    return await change.alter({ kind: "add check", ...check });
  }
  if (constraint.contype === "CONSTR_PRIMARY") {
    const columns = column === undefined ? textsOf(constraint.keys) : [column];
    const key = constraint.conname ?? madeName(table.name, [], "pkey", isTaken);
    return await change.alter({ kind: "add primary key", key: { name: key, columns } });
  }
  if (constraint.contype === "CONSTR_UNIQUE") {
    const names = column === undefined ? textsOf(constraint.keys) : [column];
    const spec = uniqueIndex(table.name, constraint, names, isTaken);
    return await on.rows.createIndex(table.id, spec);
  }
  throw refusedConstraint(constraint.contype);
}

type AlterConstraint = NodeOf<"ATAlterConstraint">;

/** ALTER CONSTRAINT. What is not said is off, as of a new constraint. */
async function withDeferral(
  change: Change,
  { conname = "", deferrable = false, initdeferred = false, ...more }: AlterConstraint,
): Promise<TableDescriptor> {
  const { table } = change;
  if (more.alterInheritability === true || more.alterEnforceability === true) {
    throw notSupported("ALTER CONSTRAINT of anything but its deferral");
  }
  const found = table.constraints.find(({ name }) => name === conname);
  const what = `constraint "${conname}" of relation "${table.name}"`;
  if (found === undefined) throw new SqlError("42704", `${what} does not exist`);
  if (found.kind !== "foreign key") {
    throw new SqlError("42809", `${what} is not a foreign key constraint`);
  }
  const [kind, name, initiallyDeferred] = ["alter foreign key" as const, conname, initdeferred];
  return await change.alter({ kind, name, deferrable, initiallyDeferred });
}

const ALTERS: readonly Privilege[] = ["alter"];
const MOVES: readonly Privilege[] = ["drop"];

/** ALTER … RENAME. */
export function planRename(env: PlanEnv, rename: NodeOf<"RenameStmt">, ports: DdlPorts): Plan {
  const { renameType, relation = {}, subname = "", newname = "" } = rename;
  const { missing_ok: isOptional = false } = rename;
  if (renameType === "OBJECT_SEQUENCE") {
    return planMoveSequence(env, relation, { name: newname }, isOptional, ports);
  }
  if (renameType === "OBJECT_VIEW") {
    return planMoveView(env, relation, { name: newname }, isOptional, ports);
  }
  if (renameType === "OBJECT_MATVIEW") {
    const to = { name: newname };
    return planMoveView(env, relation, to, isOptional, ports, "materialized view");
  }
  if (renameType === "OBJECT_TYPE" || renameType === "OBJECT_DOMAIN") {
    const kind = renameType === "OBJECT_DOMAIN" ? "domain" : undefined;
    return planMoveType(env, rename.object, { name: newname }, kind, ports);
  }
  if (renameType === "OBJECT_ATTRIBUTE") return planRenameAttribute(env, rename, ports);
  if (renameType === "OBJECT_DOMCONSTRAINT") return planRenameDomainConstraint(env, rename, ports);
  const isTable = rename.relationType === undefined || rename.relationType === "OBJECT_TABLE";
  const isColumn = renameType === "OBJECT_COLUMN" && isTable;
  if (renameType !== "OBJECT_TABLE" && !isColumn) {
    const what = objectWords(renameType);
    throw notSupported(`ALTER ${what} … RENAME`);
  }
  return ddlPlan(env, "ALTER TABLE", async (on) => {
    // ALTER TABLE renames views too.
    const view = isColumn ? undefined : await viewOf(on, ports, relation);
    if (view !== undefined) {
      await moveView(on, ports, view, { name: newname });
      return;
    }
    const needs = isColumn ? ALTERS : MOVES;
    // What is a relation too may be named as if it were a table.
    const { schemaname, relname = "" } = relation;
    const isNamed = isColumn || (await ports.find(on.rows, relation, [])) !== undefined;
    const sequence = isNamed ? undefined : await env.sequence(schemaname, relname, ["alter"]);
    if (sequence !== undefined) return await moveSequence(on, sequence, { name: newname }, ports);
    const found = await tableOf(on, ports, relation, isOptional, needs);
    if (found === undefined) return;
    if (isColumn) {
      if (found.table.materialized === true) {
        throw notSupported("renaming a column of a materialized view");
      }
      const change = new Change(env, on, ports, found.table);
      change.column(subname);
      const { table } = found;
      if (visibleColumns(table).some(({ name }) => name === newname)) {
        const message = `column "${newname}" of relation "${table.name}" already exists`;
        throw new SqlError("42701", message);
      }
      const what = "renaming a column that a view reads is not supported";
      await refuseViewsOf(on, table.id, what, readsColumn(table, subname));
      if (table.partitionOf !== undefined) {
        throw new SqlError("42P16", `cannot rename inherited column "${subname}"`);
      }
      if (relation.inh !== true && (table.partitioned?.members ?? []).length > 0) {
        const message = `inherited column "${subname}" must be renamed in child tables too`;
        throw new SqlError("42P16", message);
      }
      for (const { id } of await withPartitions(on.rows, table)) {
        await on.rows.alter(id, { kind: "rename column", column: subname, name: newname });
      }
      return;
    }
    const to = { path: found.path, name: newname };
    await moved(on, ports, found, relation.relname ?? "", to);
  });
}

/** ALTER TABLE … SET SCHEMA. */
export function planSetSchema(
  env: PlanEnv,
  alter: NodeOf<"AlterObjectSchemaStmt">,
  ports: DdlPorts,
): Plan {
  const { objectType, relation = {}, newschema = "", missing_ok: isOptional = false } = alter;
  if (objectType === "OBJECT_SEQUENCE") {
    return planMoveSequence(env, relation, { schema: newschema }, isOptional, ports);
  }
  if (objectType === "OBJECT_VIEW") {
    return planMoveView(env, relation, { schema: newschema }, isOptional, ports);
  }
  if (objectType === "OBJECT_MATVIEW") {
    const to = { schema: newschema };
    return planMoveView(env, relation, to, isOptional, ports, "materialized view");
  }
  if (objectType === "OBJECT_TYPE" || objectType === "OBJECT_DOMAIN") {
    const kind = objectType === "OBJECT_DOMAIN" ? "domain" : undefined;
    return planMoveType(env, alter.object, { schema: newschema }, kind, ports);
  }
  if (objectType !== "OBJECT_TABLE") {
    const what = objectWords(objectType);
    throw notSupported(`ALTER ${what} … SET SCHEMA`);
  }
  return ddlPlan(env, "ALTER TABLE", async (on) => {
    const view = await viewOf(on, ports, relation);
    if (view !== undefined) {
      await moveView(on, ports, view, { schema: newschema });
      return;
    }
    const found = await tableOf(on, ports, relation, isOptional, MOVES);
    if (found === undefined) return;
    const path = await ports.namespaceFor(newschema);
    const name = relation.relname ?? "";
    if (path.join(".") === found.path.join(".")) return;
    await moved(on, ports, found, name, { path, name });
  });
}

/** The view that a statement about a table names. */
async function viewOf(
  on: DdlRun,
  ports: DdlPorts,
  { schemaname, relname = "" }: NodeOf<"RangeVar">,
): Promise<ViewObject | undefined> {
  return await ports.viewNamed(on.rows, schemaname, relname);
}

async function moved(
  on: DdlRun,
  ports: DdlPorts,
  { table, path }: FoundTable,
  name: string,
  to: { readonly path: readonly string[]; readonly name: string },
): Promise<void> {
  await on.names.assertHeldOn(to.path, "create");
  await refuseTaken(on, to.path, to.name, false);
  await renameInViews(on, ports, table.id, { path, name }, to);
  await on.names.renameTable(on.rows, { path, name }, to, table);
}
