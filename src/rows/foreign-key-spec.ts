import type { TableId } from "../base/ids.ts";
import {
  type ColumnDescriptor,
  columnOf,
  type ForeignKeyAction,
  type ForeignKeyDescriptor,
  type IndexDescriptor,
  type TableDescriptor,
} from "./descriptor.ts";
import { rowError } from "./errors.ts";
import { isComparable } from "./foreign-key-types.ts";

/** A foreign key to be made: values of `columns` must be those of a row of another table. */
export interface ForeignKeySpec {
  readonly name: string;
  readonly columns: readonly string[];
  readonly references: {
    readonly table: TableId;
    /** The columns of its primary key unless told otherwise; or of a unique index. */
    readonly columns?: readonly string[];
  };
  /** `no action` unless told otherwise. */
  readonly onDelete?: ForeignKeyAction;
  /** Those of `columns` that `onDelete` sets: all unless told otherwise. */
  readonly onDeleteColumns?: readonly string[];
  readonly onUpdate?: ForeignKeyAction;
  /** `simple` unless told otherwise: a NULL among the columns makes the others count no more. */
  readonly match?: "simple" | "full";
  readonly deferrable?: boolean;
  readonly initiallyDeferred?: boolean;
}

/** When a foreign key is checked. */
export type ForeignKeyDeferral = Pick<
  ForeignKeyDescriptor,
  "name" | "deferrable" | "initiallyDeferred"
>;

/**
 * The foreign key of a spec.
 *
 * @throws FirnError `Invalid`, code `ROW_TABLE_INVALID`: 42830, 42703, 42804.
 */
export function foreignKeyOf(
  child: TableDescriptor,
  parent: TableDescriptor,
  spec: ForeignKeySpec,
): ForeignKeyDescriptor {
  const { name, match = "simple", deferrable = false, initiallyDeferred = false } = spec;
  const columns = spec.columns.map((column) => named(child, spec, column));
  const referenced = referencedColumns(parent, spec);
  if (columns.length !== referenced.length || columns.length === 0) {
    const message = "number of referencing and referenced columns for foreign key disagree";
    throw refused(child, spec, "42830", message);
  }
  columns.forEach((column, i) => {
    const { type, name: to } = referenced[i] as ColumnDescriptor;
    if (isComparable(column.type, type)) return;
    const message = `columns "${column.name}" and "${to}" are of incompatible types`;
    throw refused(child, spec, "42804", message, column.name);
  });
  if (initiallyDeferred && !deferrable) {
    const message = "constraint declared INITIALLY DEFERRED must be DEFERRABLE";
    throw refused(child, spec, "42601", message);
  }
  const generated = columns.find((column) => column.generated !== undefined);
  const { onDelete = "no action", onUpdate = "no action" } = spec;
  const writes = ["set null", "set default"];
  if (generated !== undefined && [...writes, "cascade"].includes(onUpdate)) {
    throw refused(child, spec, "42P17", "ON UPDATE would write a generated column", generated.name);
  }
  if (generated !== undefined && writes.includes(onDelete)) {
    throw refused(child, spec, "42P17", "ON DELETE would write a generated column", generated.name);
  }
  const key: ForeignKeyDescriptor = {
    kind: "foreign key",
    name,
    columns: columns.map(({ id }) => id),
    references: { table: parent.id, columns: referenced.map(({ id }) => id) },
    onDelete,
    ...(spec.onDeleteColumns && { onDeleteColumns: columnsSet(child, spec, columns) }),
    onUpdate,
    match,
    deferrable,
    initiallyDeferred,
  };
  if (referencedKey(parent, key) !== undefined) return key;
  const message = `table "${parent.name}" has no unique constraint of exactly these columns`;
  throw refused(child, spec, "42830", message);
}

/** What ON DELETE SET sets, each once. */
function columnsSet(
  child: TableDescriptor,
  spec: ForeignKeySpec,
  columns: readonly ColumnDescriptor[],
): readonly number[] {
  const ids = (spec.onDeleteColumns ?? []).map((name) => {
    const { id } = named(child, spec, name);
    if (columns.some((column) => column.id === id)) return id;
    const message = `column "${name}" referenced in ON DELETE SET action must be part of it`;
    throw refused(child, spec, "42P10", message, name);
  });
  return [...new Set(ids)];
}

function referencedColumns(
  parent: TableDescriptor,
  spec: ForeignKeySpec,
): readonly ColumnDescriptor[] {
  const { columns } = spec.references;
  if (columns !== undefined) return columns.map((column) => named(parent, spec, column));
  const key = parent.primaryKey.map(({ columnId }) => columnOf(parent, columnId));
  const isHidden = key.some((column) => column === undefined || column.hidden === true);
  if (!isHidden) return key as readonly ColumnDescriptor[];
  const message = `there is no primary key for referenced table "${parent.name}"`;
  throw refused(parent, spec, "42704", message);
}

/** What a referenced row is found by: the rows themselves, or a unique index of the table. */
export type ReferencedKey = "rows" | IndexDescriptor;

/** Undefined where no unique key of the table has exactly the columns. */
export function referencedKey(
  parent: TableDescriptor,
  { references: { columns } }: ForeignKeyDescriptor,
): ReferencedKey | undefined {
  if (
    isSameSet(
      columns,
      parent.primaryKey.map(({ columnId }) => columnId),
    )
  )
    return "rows";
  return parent.indexes.find(
    ({ unique, predicate, parts, state }) =>
      unique &&
      state === "public" &&
      predicate === undefined &&
      isSameSet(
        columns,
        parts.map((part) => ("columnId" in part ? part.columnId : -1)),
      ),
  );
}

function isSameSet(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((one) => b.includes(one));
}

function named(table: TableDescriptor, spec: ForeignKeySpec, name: string): ColumnDescriptor {
  const column = table.columns.find(
    (one) => one.name === name && one.dropped !== true && one.hidden !== true,
  );
  if (column !== undefined) return column;
  const message = `column "${name}" of table "${table.name}" does not exist`;
  throw refused(table, spec, "42703", message, name);
}

function refused(
  { name: table }: TableDescriptor,
  { name: constraint }: ForeignKeySpec,
  sqlState: string,
  what: string,
  column?: string,
): Error {
  const message = `invalid foreign key "${constraint}": ${what}`;
  return rowError("Invalid", "ROW_TABLE_INVALID", sqlState, message, {
    table,
    constraint,
    ...(column !== undefined && { column }),
  });
}
