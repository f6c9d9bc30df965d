import {
  type ColumnDescriptor,
  type IndexDescriptor,
  type TableDescriptor,
  visibleColumns,
} from "../../../rows/index.ts";
import { textsOf } from "../../bind/names.ts";
import { columnsRead } from "../../catalog/system/expression-columns.ts";
import { notSupported, SqlError } from "../../error.ts";
import { contentOf, type NodeOf } from "../../parse/statement.ts";
import type { PlanEnv } from "../env.ts";
import { attachPartition, detachPartition } from "./attach-partition.ts";
import type { DdlPorts, DdlRun } from "./ddl-run.ts";
import { withPartitions } from "./drop-partitions.ts";
import { addPart, dropIndexTree } from "./index-tree.ts";
import { columnLike, IDENTITY } from "./like.ts";
import { refuseNarrow } from "./partition-by.ts";
import { isSameConstraint } from "./same-constraint.ts";

type Command = NodeOf<"AlterTableCmd">;

/** One command of ALTER TABLE, of a table that is partitioned or a partition. */
export interface PartChange {
  readonly env: PlanEnv;
  readonly on: DdlRun;
  readonly ports: DdlPorts;
  readonly table: TableDescriptor;
  readonly command: Command;
  /** ONLY the table itself. */
  readonly isOnly: boolean;
  /** The command as if a table were by itself. */
  readonly apply: (table: TableDescriptor, command: Command) => Promise<TableDescriptor>;
}

export function isPartCommand({ subtype }: Command): boolean {
  return subtype?.startsWith("AT_AttachPartition") === true || isDetach(subtype);
}

function isDetach(subtype: Command["subtype"]): boolean {
  return subtype === "AT_DetachPartition" || subtype === "AT_DetachPartitionFinalize";
}

/** What partitions have as their parent has it changes with the parent. @throws SqlError 42P16. */
export async function changedParts(change: PartChange): Promise<TableDescriptor> {
  const { table, command } = change;
  const { subtype, def } = command;
  if (subtype === "AT_AttachPartition") {
    return await attachPartition(change, table, contentOf(def, "PartitionCmd") ?? {});
  }
  if (isDetach(subtype)) return await detachPartition(change, table, command);
  await refuseInherited(change);
  if (table.partitioned === undefined) return await change.apply(table, command);
  refuseKeyColumn(change);
  switch (subtype) {
    case "AT_AddColumn":
      return await addedColumn(change);
    case "AT_AddConstraint":
      return await addedConstraint(change, contentOf(def, "Constraint") ?? {});
    case "AT_DropConstraint":
      return await droppedConstraint(change);
    case "AT_DropColumn":
    case "AT_ColumnDefault":
    case "AT_SetNotNull":
    case "AT_DropNotNull":
    case "AT_AlterColumnType":
    case "AT_AlterConstraint":
      return await ofAll(change);
    default:
      return await change.apply(table, command);
  }
}

/** Below first: what is there is looked through before the parent says so. */
async function ofAll(change: PartChange): Promise<TableDescriptor> {
  const { on, table, command, isOnly, apply } = change;
  const { rows } = on;
  const members = table.partitioned?.members ?? [];
  if (isOnly && members.length > 0) refuseOnly(command);
  if (!isOnly) {
    const below = (await withPartitions(rows, table)).slice(1);
    for (const { id } of below) await apply(await rows.tables.get(id), command);
  }
  return await apply(await rows.tables.get(table.id), command);
}

function refuseOnly({ subtype }: Command): void {
  if (subtype === "AT_DropColumn") {
    const message = "cannot drop column from only the partitioned table when partitions exist";
    throw new SqlError("42P16", message, { hint: "Do not specify the ONLY keyword." });
  }
  if (subtype === "AT_AlterColumnType") {
    throw new SqlError("42P16", "type of inherited column must be changed in child tables too");
  }
  if (subtype === "AT_SetNotNull") {
    throw new SqlError("42P16", "constraint must be added to child tables too", {
      hint: "Do not specify the ONLY keyword.",
    });
  }
}

const CONSTRAINTS: ReadonlySet<string | undefined> = new Set([
  "CONSTR_CHECK",
  "CONSTR_PRIMARY",
  "CONSTR_UNIQUE",
  "CONSTR_FOREIGN",
]);

async function addedColumn(change: PartChange): Promise<TableDescriptor> {
  const { on, table, command, isOnly, apply } = change;
  const { rows } = on;
  if (isOnly && (table.partitioned?.members ?? []).length > 0) {
    throw new SqlError("42P16", "column must be added to child tables too");
  }
  const definition = contentOf(command.def, "ColumnDef") ?? {};
  const { colname = "", constraints = [] } = definition;
  const kindOf = (node: (typeof constraints)[0]) => contentOf(node, "Constraint")?.contype;
  const own = constraints.filter((node) => !CONSTRAINTS.has(kindOf(node)));
  const def = { ColumnDef: { ...definition, constraints: own } };
  const before = visibleColumns(table).length;
  let next = await apply(table, { ...command, def });
  const column = visibleColumns(next).find(({ name }) => name === colname);
  if (column === undefined || visibleColumns(next).length === before) return next;
  for (const { id } of (await withPartitions(rows, next)).slice(1)) {
    const spec = columnLike(column, false, (bit) => bit !== IDENTITY);
    await rows.alter(id, { kind: "add column", column: spec });
  }
  for (const node of constraints) {
    const given = contentOf(node, "Constraint");
    if (given === undefined || !CONSTRAINTS.has(given.contype)) continue;
    const key = [{ String: { sval: colname } }];
    const constraint = {
      ...given,
      ...(given.contype === "CONSTR_FOREIGN" ? { fk_attrs: key } : { keys: key }),
    };
    const subtype = "AT_AddConstraint" as const;
    const added = { subtype, def: { Constraint: constraint } } as Command;
    next = await changedParts({ ...change, table: next, command: added });
  }
  return next;
}

async function addedConstraint(
  change: PartChange,
  constraint: NodeOf<"Constraint">,
): Promise<TableDescriptor> {
  const { on, table, command, isOnly, apply } = change;
  const { rows } = on;
  const { contype } = constraint;
  const isKey = contype === "CONSTR_PRIMARY" || contype === "CONSTR_UNIQUE";
  if (isKey) refuseNarrow(table, textsOf(constraint.keys), contype === "CONSTR_PRIMARY");
  if (isOnly && contype === "CONSTR_CHECK" && (table.partitioned?.members ?? []).length > 0) {
    throw new SqlError("42P16", "constraint must be added to child tables too");
  }
  if (contype === "CONSTR_FOREIGN" && constraint.skip_validation === true) {
    const what = `cannot add NOT VALID foreign key on partitioned table "${table.name}"`;
    const target = constraint.pktable?.relname ?? "";
    throw new SqlError("42809", `${what} referencing relation "${target}"`);
  }
  if (isOnly && contype === "CONSTR_FOREIGN") {
    const message = `cannot use ONLY for foreign key on partitioned table "${table.name}"`;
    throw new SqlError("42809", message);
  }
  const next = await apply(table, command);
  if (isOnly) return next;
  const made = next.constraints.find(
    (one) => !table.constraints.some(({ name }) => name === one.name),
  );
  if (made === undefined) return next;
  const members = next.partitioned?.members ?? [];
  if (made.kind === "unique") {
    const index = next.indexes.find(({ id }) => id === made.index) as IndexDescriptor;
    for (const { table: id } of members) await addPart(on, await rows.tables.get(id), next, index);
    return next;
  }
  for (const { id, name } of (await withPartitions(rows, next)).slice(1)) {
    const own = await rows.tables.get(id);
    const isPrimary = made.kind === "primary key";
    const isThere = own.constraints.some((one) =>
      isPrimary ? one.kind === made.kind : one.name === made.name,
    );
    if (isThere) continue;
    const conname = isPrimary ? `${name}_pkey` : made.name;
    await apply(own, { ...command, def: { Constraint: { ...constraint, conname } } });
  }
  return await rows.tables.get(table.id);
}

async function droppedConstraint(change: PartChange): Promise<TableDescriptor> {
  const { on, table, command, apply } = change;
  const { rows } = on;
  const { name = "" } = command;
  const found = table.constraints.find((one) => one.name === name);
  if (found?.kind === "unique") {
    const index = table.indexes.find(({ id }) => id === found.index) as IndexDescriptor;
    return await dropIndexTree(on, table, index, command.behavior === "DROP_CASCADE");
  }
  if (found === undefined) return await apply(table, command);
  for (const { id } of (await withPartitions(rows, table)).slice(1)) {
    const own = await rows.tables.get(id);
    const same = own.constraints.find((one) => isSameConstraint(table, found, own, one));
    if (same !== undefined) await apply(own, { ...command, name: same.name });
  }
  return await apply(await rows.tables.get(table.id), command);
}

/** @throws SqlError 42P16: rows are placed by the column. */
function refuseKeyColumn({ table, command: { subtype, name = "" } }: PartChange): void {
  const verb = { AT_DropColumn: "drop", AT_AlterColumnType: "alter" }[subtype as "AT_DropColumn"];
  if (verb === undefined) return;
  const column = visibleColumns(table).find((one) => one.name === name);
  if (column === undefined || !isInKey(table, column)) return;
  const what = `because it is part of the partition key of relation "${table.name}"`;
  throw new SqlError("42P16", `cannot ${verb} column "${name}" ${what}`);
}

function isInKey(table: TableDescriptor, { id }: ColumnDescriptor): boolean {
  return (table.partitioned?.parts ?? []).some((part) =>
    "columnId" in part ? part.columnId === id : columnsRead(table, part.expression).includes(id),
  );
}

/** @throws SqlError 42809, 42P16: what a partition has of its parent is changed there. */
async function refuseInherited({ on, table, command }: PartChange): Promise<void> {
  const { subtype, name = "" } = command;
  const parent = table.partitionOf && (await on.rows.tables.get(table.partitionOf.parent));
  if (parent === undefined) return;
  const above = visibleColumns(parent).find((one) => one.name === name);
  const refused = (message: string): SqlError => new SqlError("42P16", message);
  switch (subtype) {
    case "AT_AddColumn":
      throw new SqlError("42809", "cannot add column to a partition");
    case "AT_DropColumn":
      if (above !== undefined) throw refused(`cannot drop inherited column "${name}"`);
      return;
    case "AT_AlterColumnType":
      if (above !== undefined) throw refused(`cannot alter inherited column "${name}"`);
      return;
    case "AT_DropNotNull":
      if (above?.nullable !== false) return;
      throw refused(`column "${name}" is marked NOT NULL in parent table`);
    case "AT_DropConstraint": {
      const own = table.constraints.find((one) => one.name === name);
      const index = own?.kind === "unique" && table.indexes.find(({ id }) => id === own.index);
      const isOfParent = parent.constraints.some((one) =>
        isSameConstraint(parent, one, table, own),
      );
      const isPart = index !== undefined && index !== false && index.partOf !== undefined;
      if (own === undefined || !(own.kind === "unique" ? isPart : isOfParent)) return;
      throw refused(`cannot drop inherited constraint "${name}" of relation "${table.name}"`);
    }
    case "AT_AlterConstraint": {
      const { conname = "" } = contentOf(command.def, "ATAlterConstraint") ?? {};
      const own = table.constraints.find((one) => one.name === conname);
      if (!parent.constraints.some((one) => isSameConstraint(parent, one, table, own))) return;
      const message = `cannot alter constraint "${conname}" on relation "${table.name}"`;
      const hint = `It is a part of one of table "${parent.name}": alter that one.`;
      throw new SqlError("0A000", message, { hint });
    }
    case "AT_AddIdentity":
      throw notSupported("an identity column of a partition");
    default:
  }
}
