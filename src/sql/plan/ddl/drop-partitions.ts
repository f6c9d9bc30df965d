import type { RowTransaction, TableDescriptor } from "../../../rows/index.ts";
import type { PlanEnv } from "../env.ts";
import type { DdlRun } from "./ddl-run.ts";
import { PartitionTreeChange } from "./partition-tree.ts";
import { dropViewsOf } from "./views.ts";

/**
 * What goes with a table that is dropped: its partitions, and its place in the table that it is a
 * partition of.
 */
export async function dropPartitions(
  env: PlanEnv,
  on: DdlRun,
  table: TableDescriptor,
  isCascade: boolean,
): Promise<void> {
  const { rows } = on;
  const parent = table.partitionOf && (await rows.tables.find(table.partitionOf.parent));
  if (parent !== undefined) await new PartitionTreeChange(env, on).leave(parent, table);
  const members = table.partitioned?.members ?? [];
  if (members.length === 0) return;
  // The list goes first: else each of them would change it.
  await rows.alter(table.id, { kind: "set members", members: [] });
  for (const member of members) {
    const below = await rows.tables.get(member.table);
    await dropViewsOf(on, below.id, `table ${below.name}`, isCascade);
    const { partitionOf: _, ...alone } = below;
    await dropPartitions(env, on, alone, isCascade);
    const at = { path: below.namespace, name: below.name };
    await on.names.dropTable(rows, at, below, isCascade);
  }
}

/** A table, and the partitions of all its levels. */
export async function withPartitions(
  rows: RowTransaction,
  table: TableDescriptor,
): Promise<readonly TableDescriptor[]> {
  const all = [table];
  for (const member of table.partitioned?.members ?? []) {
    all.push(...(await withPartitions(rows, await rows.tables.get(member.table))));
  }
  return all;
}
