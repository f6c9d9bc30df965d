import type { TableId } from "../base/ids.ts";
import type { CompiledTable } from "./compiled-table.ts";
import type { TableDescriptor } from "./descriptor.ts";
import { placeOf, rowError, TableReferenced } from "./errors.ts";
import type { ExpressionContext } from "./expressions.ts";
import type { Partitioned, PartitionMember, PartitionOf } from "./partitioning.ts";
import type { StoredRows } from "./stored-rows.ts";
import type { TransactionTables } from "./tables.ts";

/** Changes of what is a partition of what: SQL computes the bounds and the constraints. */
export type PartitionChange =
  /** Of a partition, or of what becomes one; absent `of`: it is one no more. */
  | {
      readonly kind: "set partition";
      readonly of?: PartitionOf;
      /** No row that is there can be outside: none is read. */
      readonly isProven?: boolean;
      /** What a row in the way is told by. */
      readonly violation?: string;
    }
  /** Of a partitioned table. */
  | { readonly kind: "set members"; readonly members: readonly PartitionMember[] }
  /** Of an index of a partition; absent `partOf`: it is by itself. */
  | { readonly kind: "set part of"; readonly index: string; readonly partOf?: number };

/** What changes of partitions need of their transaction. */
export interface PartitionHost {
  readonly tables: TransactionTables;
  readonly context: ExpressionContext;
  readonly assertSerializable: () => void;
  readonly use: (table: TableDescriptor) => Promise<CompiledTable>;
  readonly storedRows: (compiled: CompiledTable) => StoredRows;
}

export function isPartitionChange(change: { readonly kind: string }): change is PartitionChange {
  return KINDS.has(change.kind);
}

const KINDS: ReadonlySet<string> = new Set(["set partition", "set members", "set part of"]);

/** @throws FirnError `Invalid`, code `ROW_OUTSIDE_PARTITION` (23514): of a row that is there. */
export async function changePartition(
  on: PartitionHost,
  table: TableDescriptor,
  change: PartitionChange,
): Promise<TableDescriptor> {
  const version = table.version + 1;
  switch (change.kind) {
    case "set members": {
      const { partitioned } = table;
      const own = { ...(partitioned as Partitioned), members: change.members };
      const next = { ...table, version, partitioned: own };
      await on.tables.put(next, table);
      return next;
    }
    case "set part of": {
      const indexes = table.indexes.map((index) => {
        if (index.name !== change.index) return index;
        const { partOf: _, ...own } = index;
        return change.partOf === undefined ? own : { ...own, partOf: change.partOf };
      });
      const next = { ...table, version, indexes };
      await on.tables.put(next, table);
      return next;
    }
    case "set partition": {
      const { partitionOf: _, ...own } = table;
      const { of, isProven = false, violation } = change;
      const next = { ...own, version, ...(of !== undefined && { partitionOf: of }) };
      const compiled = await on.use(await stored(on, next, table));
      if (of?.constraint === undefined || isProven) return next;
      on.assertSerializable();
      await refuseOutside(on, compiled, violation);
      return next;
    }
  }
}

async function stored(
  { tables }: PartitionHost,
  next: TableDescriptor,
  before: TableDescriptor,
): Promise<TableDescriptor> {
  await tables.put(next, before);
  return next;
}

async function refuseOutside(
  on: PartitionHost,
  compiled: CompiledTable,
  violation: string | undefined,
): Promise<void> {
  const { table, holdsRow } = compiled;
  if (table.partitioned !== undefined) return;
  const rows = on.storedRows(compiled);
  for (let batch = await rows.next(); batch !== undefined; batch = await rows.next()) {
    for (const { key, value } of batch) {
      if (holdsRow?.(compiled.rows.row(key, value), on.context) !== false) continue;
      const message =
        violation ?? `partition constraint of relation "${table.name}" is violated by some row`;
      throw rowError("Invalid", "ROW_OUTSIDE_PARTITION", "23514", message, placeOf(table));
    }
  }
}

/**
 * Takes a table that is dropped out of the one that it is a partition of.
 *
 * @throws FirnError `Conflict`, code `ROW_TABLE_REFERENCED` (2BP01): it has partitions itself.
 */
export async function leaveParent(
  { tables }: Pick<PartitionHost, "tables">,
  table: TableDescriptor,
): Promise<void> {
  const [member] = table.partitioned?.members ?? [];
  if (member !== undefined) throw await hasPartitions(tables, table, member.table);
  const parent = table.partitionOf && (await tables.find(table.partitionOf.parent));
  if (parent?.partitioned === undefined) return;
  const members = parent.partitioned.members.filter((one) => one.table !== table.id);
  if (members.length === parent.partitioned.members.length) return;
  const hasDefault = members.some(({ bound }) => bound.kind === "default");
  if (hasDefault) throw defaultStands(table);
  const partitioned = { ...parent.partitioned, members };
  await tables.put({ ...parent, version: parent.version + 1, partitioned }, parent);
}

/** What the default partition may have changes with the others, as SQL alone can say. */
function defaultStands({ name }: TableDescriptor): Error {
  const message = `a default partition stands beside partition "${name}": drop it with SQL`;
  return rowError("Conflict", "ROW_TABLE_PARTITIONED", "0A000", message, { table: name });
}

async function hasPartitions(
  tables: TransactionTables,
  table: TableDescriptor,
  member: TableId,
): Promise<Error> {
  const partition = await tables.get(member);
  const message = `cannot drop table "${table.name}": table "${partition.name}" is a part of it`;
  const place = { table: table.name };
  const error = rowError("Conflict", "ROW_TABLE_REFERENCED", "2BP01", message, place);
  return new TableReferenced(error, [partition]);
}

type Partly = Pick<TableDescriptor, "name" | "partitioned">;

/** Rows of a partitioned table are those of its partitions. @throws FirnError 0A000. */
export function refusePartitioned({ partitioned, name }: Partly): void {
  if (partitioned === undefined) return;
  const message = "the rows of a partitioned table are in its partitions: name one, or use SQL";
  throw rowError("Invalid", "ROW_TABLE_PARTITIONED", "0A000", message, { table: name });
}
