import type { NewPrimaryKey } from "./add-primary-key.ts";
import { storedDatum } from "./check-datum.ts";
import type { ColumnType } from "./column-type.ts";
import type { Datum } from "./datum.ts";
import type { ColumnDefault, ColumnDescriptor, TableDescriptor } from "./descriptor.ts";
import { rowError } from "./errors.ts";
import type { CompiledExpression } from "./expressions.ts";
import type { ForeignKeyDeferral, ForeignKeySpec } from "./foreign-key-spec.ts";
import type { PartitionChange } from "./table-partitions.ts";
import { type ColumnSpec, columnOfSpec } from "./table-spec.ts";
import { retypedTable, type TypeChange } from "./type-change.ts";

/** One change of a table. Most change the descriptor alone: no row is written. */
export type TableChange =
  | { readonly kind: "add column"; readonly column: ColumnSpec }
  | { readonly kind: "drop column"; readonly column: string }
  | { readonly kind: "rename column"; readonly column: string; readonly name: string }
  | { readonly kind: "rename"; readonly namespace?: readonly string[]; readonly name: string }
  | { readonly kind: "set default"; readonly column: string; readonly default?: ColumnDefault }
  | { readonly kind: "set identity"; readonly column: string; readonly identity: Identity }
  | { readonly kind: "drop not null"; readonly column: string }
  /** Rows are read to see that it holds. */
  | { readonly kind: "set not null"; readonly column: string }
  /** To a type that has all values of the old one: see `WIDER`. */
  | { readonly kind: "widen"; readonly column: string; readonly type: ColumnType }
  /** To any type: see `setColumnType`. */
  | { readonly kind: "set type"; readonly to: NewColumnType }
  /** A type of SQL has changed: each column of it has a copy. No row changes by it. */
  | { readonly kind: "retype"; readonly change: TypeChange }
  /** Rows are read to see that it holds. */
  | { readonly kind: "add check"; readonly name: string; readonly expression: string }
  /** Rows are read to see that it holds. */
  | { readonly kind: "add foreign key"; readonly key: ForeignKeySpec }
  /** Whether a foreign key may wait for the commit, and does. */
  | ({ readonly kind: "alter foreign key" } & ForeignKeyDeferral)
  /** Rows are written anew: see `addPrimaryKey`. */
  | { readonly kind: "add primary key"; readonly key: NewPrimaryKey }
  /** Rows are written anew: see `dropPrimaryKey`. */
  | { readonly kind: "drop primary key"; readonly cascade?: boolean }
  | { readonly kind: "drop constraint"; readonly name: string }
  /** Rows keep the numbers that they have. */
  | {
      readonly kind: "add identity";
      readonly column: string;
      readonly identity: Identity;
      readonly sequence?: ColumnSpec["sequence"];
    }
  | { readonly kind: "drop identity"; readonly column: string }
  | PartitionChange;

type Identity = NonNullable<ColumnDescriptor["identity"]>;

/** Another type for a column. */
export interface NewColumnType {
  readonly column: string;
  readonly type: ColumnType;
  /** What the column has from now on, of a row as it is; in the new type. */
  readonly value: CompiledExpression;
  /** The value is the one that the column has. */
  readonly isPlain: boolean;
  /** Of the new type; absent: the column has none. */
  readonly default?: ColumnDefault;
}

/** A change of columns or names. */
export type ColumnChange = Exclude<
  TableChange,
  {
    readonly kind:
      | "add check"
      | "add foreign key"
      | "alter foreign key"
      | "add primary key"
      | "drop primary key"
      | "drop constraint"
      | "add identity"
      | "drop identity"
      | "set type"
      | PartitionChange["kind"];
  }
>;

const WIDER: Readonly<Partial<Record<ColumnType["kind"], readonly ColumnType["kind"][]>>> = {
  int2: ["int4", "int8"],
  int4: ["int8"],
  float4: ["float8"],
  varchar: ["varchar", "text"],
  numeric: ["numeric"],
};

/** Whether an expression reads a column of a name. */
export type ReadsColumn = (text: string, column: string) => boolean;

/**
 * The descriptor behind a change, of the next version.
 *
 * @param missing what rows have that were written before a column was added.
 * @param reads of the expressions of the table.
 * @throws FirnError `Invalid`, code `ROW_TABLE_INVALID`, with its SQLSTATE.
 */
export function changedTable(
  table: TableDescriptor,
  change: ColumnChange,
  missing: Datum,
  reads: ReadsColumn,
): TableDescriptor {
  const version = table.version + 1;
  switch (change.kind) {
    case "add column":
      return { ...table, version, columns: withColumn(table, change.column, missing) };
    case "drop column":
      return { ...table, version, columns: withoutColumn(table, change.column, reads) };
    case "rename column": {
      assertFree(table, change.name);
      const renamed = { name: change.name };
      return { ...table, version, columns: replaced(table, change.column, renamed) };
    }
    case "rename": {
      const { namespace = table.namespace, name } = change;
      return { ...table, version, namespace, name };
    }
    case "set default": {
      const { default: _, ...column } = named(table, change.column);
      const next = change.default === undefined ? column : { ...column, default: change.default };
      return { ...table, version, columns: swapped(table, next) };
    }
    case "set identity": {
      const { identity } = change;
      return { ...table, version, columns: replaced(table, change.column, { identity }) };
    }
    case "drop not null":
      assertNotInKey(table, named(table, change.column));
      return { ...table, version, columns: replaced(table, change.column, { nullable: true }) };
    case "set not null":
      return { ...table, version, columns: replaced(table, change.column, { nullable: false }) };
    case "retype":
      return { ...retypedTable(table, change.change), version };
    case "widen": {
      const column = named(table, change.column);
      const reason = notWider(table, column, change.type, reads);
      if (reason !== undefined) throw refused(table, "0A000", reason, column.name);
      return { ...table, version, columns: swapped(table, widened(column, change.type)) };
    }
  }
}

/** A column of a wider type: values that its descriptor holds become of that type too. */
function widened(column: ColumnDescriptor, type: ColumnType): ColumnDescriptor {
  const { missing, default: given, name } = column;
  const wide = (value: Datum): Datum =>
    value === null ? null : storedDatum(type, value, { column: name });
  return {
    ...column,
    type,
    ...(missing !== undefined && { missing: wide(missing) }),
    ...(given?.kind === "constant" && {
      default: { kind: "constant" as const, value: wide(given.value) },
    }),
  };
}

function withColumn(
  table: TableDescriptor,
  spec: ColumnSpec,
  missing: Datum,
): readonly ColumnDescriptor[] {
  assertFree(table, spec.name);
  const id = Math.max(0, ...table.columns.map((column) => column.id)) + 1;
  const column = columnOfSpec(spec, id);
  return [...table.columns, missing === null ? column : { ...column, missing }];
}

function withoutColumn(
  table: TableDescriptor,
  name: string,
  reads: ReadsColumn,
): readonly ColumnDescriptor[] {
  const column = named(table, name);
  assertNotInKey(table, column);
  const user = usersOf(table, column, reads)[0];
  if (user !== undefined) throw refused(table, "2BP01", `"${user}" depends on it`, name);
  return swapped(table, { ...column, dropped: true });
}

/** What would have no meaning without a column. */
function usersOf(
  table: TableDescriptor,
  { id, name: column }: ColumnDescriptor,
  reads: ReadsColumn,
): readonly string[] {
  const indexes = table.indexes.filter(
    ({ parts, include, predicate }) =>
      (predicate !== undefined && reads(predicate, column)) ||
      include.includes(id) ||
      parts.some((part) =>
        "expression" in part ? reads(part.expression, column) : part.columnId === id,
      ),
  );
  const constraints = table.constraints.filter((one) => {
    if (one.kind === "check") return reads(one.expression, column);
    return one.kind === "foreign key" && one.columns.includes(id);
  });
  const generated = table.columns.filter(
    (one) => one.generated !== undefined && one.dropped !== true && reads(one.generated, column),
  );
  return [...indexes, ...constraints, ...generated].map(({ name }) => name);
}

/** Why no row has it as another type as it is stored; undefined where every row has. */
function notWider(
  table: TableDescriptor,
  column: ColumnDescriptor,
  to: ColumnType,
  reads: ReadsColumn,
): string | undefined {
  const { type: from, id } = column;
  const isKnown = WIDER[from.kind]?.includes(to.kind) === true;
  const isLonger = to.length === undefined || (from.length ?? Infinity) <= to.length;
  const digits = (type: ColumnType): number => (type.precision ?? Infinity) - (type.scale ?? 0);
  const isFiner = to.precision === undefined || (from.scale ?? 0) === (to.scale ?? 0);
  if (!isKnown || !isLonger || !isFiner || digits(to) < digits(from)) {
    return "not a wider type: rows would have to be written anew";
  }
  // Keys of texts and decimals are the same, whatever their length.
  const isSameKey = from.kind === "varchar" || from.kind === "numeric";
  const isKey = table.primaryKey.some(({ columnId }) => columnId === id);
  if (!isSameKey && (isKey || usersOf(table, column, reads).length > 0)) {
    return "a key or an index has the column: drop that first";
  }
  return undefined;
}

/** Whether a column can be of another type without a row written. */
export function isWider(
  table: TableDescriptor,
  column: ColumnDescriptor,
  to: ColumnType,
  reads: ReadsColumn,
): boolean {
  return notWider(table, column, to, reads) === undefined;
}

function assertNotInKey(table: TableDescriptor, { id, name }: ColumnDescriptor): void {
  if (!table.primaryKey.some(({ columnId }) => columnId === id)) return;
  throw refused(table, "42P16", "the primary key has the column", name);
}

function assertFree(table: TableDescriptor, name: string): void {
  const taken = table.columns.some((column) => column.name === name && column.dropped !== true);
  if (taken || name === "") throw refused(table, "42701", "a column of that name exists", name);
}

/** @throws FirnError `Invalid`, code `ROW_TABLE_INVALID` (42703). */
export function named(table: TableDescriptor, name: string): ColumnDescriptor {
  const column = table.columns.find(
    (one) => one.name === name && one.dropped !== true && one.hidden !== true,
  );
  if (column === undefined) throw refused(table, "42703", "unknown column", name);
  return column;
}

function replaced(
  table: TableDescriptor,
  name: string,
  change: Partial<ColumnDescriptor>,
): readonly ColumnDescriptor[] {
  return swapped(table, { ...named(table, name), ...change });
}

export function swapped(
  table: TableDescriptor,
  column: ColumnDescriptor,
): readonly ColumnDescriptor[] {
  return table.columns.map((one) => (one.id === column.id ? column : one));
}

export function refused(
  { name: table }: TableDescriptor,
  sqlState: string,
  what: string,
  column: string,
): Error {
  const message = `invalid change of table "${table}": ${what}`;
  return rowError("Invalid", "ROW_TABLE_INVALID", sqlState, message, { table, column });
}
