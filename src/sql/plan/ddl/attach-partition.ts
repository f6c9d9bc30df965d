import {
  type ColumnDescriptor,
  type TableDescriptor,
  visibleColumns,
} from "../../../rows/index.ts";
import { SqlError } from "../../error.ts";
import { contentOf, type NodeOf } from "../../parse/statement.ts";
import type { PlanEnv } from "../env.ts";
import { boundOf } from "../partitions/new-bound.ts";
import { foreignKeysOf } from "./create-partition.ts";
import { type DdlPorts, type DdlRun, tableOf } from "./ddl-run.ts";
import { withPartitions } from "./drop-partitions.ts";
import { addPart } from "./index-tree.ts";
import { refuseBlock } from "./indexes.ts";
import { PartitionTreeChange } from "./partition-tree.ts";
import { isSameConstraint } from "./same-constraint.ts";

interface Parts {
  readonly env: PlanEnv;
  readonly on: DdlRun;
  readonly ports: DdlPorts;
}

/** ATTACH PARTITION: what is in the table is looked through. @throws SqlError 42804 and others. */
export async function attachPartition(
  { env, on, ports }: Parts,
  parent: TableDescriptor,
  { name: range = {}, bound: spec = {} }: NodeOf<"PartitionCmd">,
): Promise<TableDescriptor> {
  const { rows } = on;
  if (parent.partitioned === undefined) {
    throw new SqlError("42P17", `table "${parent.name}" is not partitioned`);
  }
  const found = await tableOf(on, ports, range, false);
  const table = found?.table as TableDescriptor;
  if (table.partitionOf !== undefined) {
    throw new SqlError("42809", `"${table.name}" is already a partition`);
  }
  const below = await withPartitions(rows, table);
  if (below.some(({ id }) => id === parent.id)) {
    const detail = `"${parent.name}" is already a child of "${table.name}".`;
    throw new SqlError("42P07", "circular inheritance not allowed", { detail });
  }
  refuseUnlike(parent, table);
  refuseReferenced(parent, below);
  const bound = boundOf(env, parent, spec);
  const tree = new PartitionTreeChange(env, on);
  await tree.refuseOverlap(parent, table.name, bound);
  await addKeys(on, parent, table);
  const of = await tree.partOf(parent, bound, parent.partitioned.members);
  await tree.set(await rows.tables.get(table.id), of, false);
  for (const index of parent.indexes) {
    await addPart(on, await rows.tables.get(table.id), parent, index);
  }
  const next = await rows.tables.get(parent.id);
  await tree.join(next, table, bound);
  return await rows.tables.get(parent.id);
}

/** A key of the parent would refer to a part of it. @throws SqlError 0A000. */
function refuseReferenced(parent: TableDescriptor, below: readonly TableDescriptor[]): void {
  for (const key of parent.constraints) {
    if (key.kind !== "foreign key") continue;
    const found = below.find(({ id }) => id === key.references.table);
    if (found === undefined) continue;
    const what = `cannot attach table "${found.name}" as a partition`;
    throw new SqlError("0A000", `${what} because it is referenced by foreign key "${key.name}"`);
  }
}

/** @throws SqlError 42804, where the columns or the checks are not those of the parent. */
function refuseUnlike(parent: TableDescriptor, table: TableDescriptor): void {
  const unlike = (message: string, detail?: string): SqlError =>
    new SqlError("42804", message, detail === undefined ? {} : { detail });
  const keysOf = ({ primaryKey }: TableDescriptor, { id, nullable }: ColumnDescriptor): boolean =>
    !nullable || primaryKey.some(({ columnId }) => columnId === id);
  const [above, own] = [visibleColumns(parent), visibleColumns(table)];
  const more = own.find(({ name }) => !above.some((one) => one.name === name));
  if (more !== undefined) {
    const what = `table "${table.name}" contains column "${more.name}" not found in parent`;
    const detail = "The new partition may contain only the columns present in parent.";
    throw unlike(`${what} "${parent.name}"`, detail);
  }
  for (const column of above) {
    const { name, type, generated } = column;
    const same = own.find((one) => one.name === name);
    if (same === undefined) throw unlike(`child table is missing column "${name}"`);
    if (JSON.stringify(same.type) !== JSON.stringify(type)) {
      throw unlike(`child table "${table.name}" has different type for column "${name}"`);
    }
    const isOpen = keysOf(parent, column) && !keysOf(table, same);
    if (isOpen && !parent.primaryKey.some(({ columnId }) => columnId === column.id)) {
      throw unlike(`column "${name}" in child table must be marked NOT NULL`);
    }
    if ((generated === undefined) !== (same.generated === undefined)) {
      const word = generated === undefined ? "must not be" : "must be";
      throw unlike(`column "${name}" in child table ${word} a generated column`);
    }
  }
  for (const one of parent.constraints) {
    if (one.kind !== "check") continue;
    const same = table.constraints.find(({ kind, name }) => kind === "check" && name === one.name);
    if (same?.kind !== "check") {
      throw unlike(`child table is missing constraint "${one.name}"`);
    }
    if (same.expression === one.expression) continue;
    const what = `child table "${table.name}" has different definition for check constraint`;
    throw unlike(`${what} "${one.name}"`);
  }
}

/** Gives a table the primary key and the foreign keys of its parent, where it has none. */
async function addKeys(on: DdlRun, parent: TableDescriptor, table: TableDescriptor): Promise<void> {
  const { rows } = on;
  const hasKey = ({ constraints }: TableDescriptor): boolean =>
    constraints.some(({ kind }) => kind === "primary key");
  if (hasKey(parent)) {
    const columns = parent.primaryKey.map(
      ({ columnId }) => parent.columns.find(({ id }) => id === columnId)?.name ?? "",
    );
    for (const one of await withPartitions(rows, table)) {
      if (hasKey(one)) continue;
      await rows.alter(one.id, {
        kind: "add primary key",
        key: { name: `${one.name}_pkey`, columns },
      });
    }
  }
  const above = parent.constraints.filter(({ kind }) => kind === "foreign key");
  for (const [i, key] of (await foreignKeysOf(on, parent)).entries()) {
    for (const { id } of await withPartitions(rows, table)) {
      const own = await rows.tables.get(id);
      const same = above[i] as (typeof above)[0];
      if (own.constraints.some((one) => isSameConstraint(parent, same, own, one))) continue;
      const references = { table: parent.id, ...key.references };
      await rows.alter(id, { kind: "add foreign key", key: { ...key, references } });
    }
  }
}

/** DETACH PARTITION: the table keeps its rows, and is by itself. @throws SqlError 42P01, 55000. */
export async function detachPartition(
  { env, on, ports }: Parts,
  parent: TableDescriptor,
  command: NodeOf<"AlterTableCmd">,
): Promise<TableDescriptor> {
  const { rows } = on;
  const { name: range = {}, concurrent } = contentOf(command.def, "PartitionCmd") ?? {};
  if (parent.partitioned === undefined) {
    throw new SqlError("42P17", `table "${parent.name}" is not partitioned`);
  }
  if (concurrent === true) refuseBlock(on.run, "ALTER TABLE ... DETACH CONCURRENTLY");
  const found = await tableOf(on, ports, range, false);
  const table = found?.table as TableDescriptor;
  if (table.partitionOf?.parent !== parent.id) {
    const message = `relation "${table.name}" is not a partition of relation "${parent.name}"`;
    throw new SqlError("42P01", message);
  }
  if (command.subtype === "AT_DetachPartitionFinalize") {
    const what = `partition "${table.name}" in partitioned table "${parent.name}"`;
    throw new SqlError("55000", `${what} is not pending detach`);
  }
  const { members } = parent.partitioned;
  if (concurrent === true && members.some(({ bound }) => bound.kind === "default")) {
    const message = "cannot detach partitions concurrently when a default partition exists";
    throw new SqlError("55000", message);
  }
  const tree = new PartitionTreeChange(env, on);
  await tree.leave(parent, table);
  await tree.set(table, undefined, true);
  for (const { name, partOf } of table.indexes) {
    if (partOf !== undefined) await rows.alter(table.id, { kind: "set part of", index: name });
  }
  return await rows.tables.get(parent.id);
}
