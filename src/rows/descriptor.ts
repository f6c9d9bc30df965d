import type { AnyId, TableId } from "../base/ids.ts";
import type { ColumnType } from "./column-type.ts";
import type { Datum } from "./datum.ts";
import type { Partitioned, PartitionOf } from "./partitioning.ts";

/** What a column has where no value is given. */
export type ColumnDefault =
  /** `text`: how SQL wrote it, where the value alone does not tell. */
  | { readonly kind: "constant"; readonly value: Datum; readonly text?: string }
  /** SQL, compiled by the `Expressions` port. */
  | { readonly kind: "expression"; readonly text: string }
  /** The next number of a sequence: `nextval`, as `serial` columns have it. */
  | { readonly kind: "sequence"; readonly sequence: AnyId };

export interface ColumnDescriptor {
  /** From 1 on; never used again in its table. */
  readonly id: number;
  readonly name: string;
  readonly type: ColumnType;
  readonly nullable: boolean;
  readonly default?: ColumnDefault;
  /** What rows have that were written before the column was added; NULL where absent. */
  readonly missing?: Datum;
  /** SQL of the other columns: its value is stored, and given by no caller. */
  readonly generated?: string;
  /** Its default is the next number of the column; `always` refuses values of callers. */
  readonly identity?: "always" | "by default";
  /** Where the numbers of an identity column come from. */
  readonly sequence?: AnyId;
  /** Shown only where it is asked for by its id: the `rowid` of a table without a primary key. */
  readonly hidden?: boolean;
  /** Rows may still hold values of it, which no reader sees. */
  readonly dropped?: boolean;
}

/** What the terms of an inverted index are, by PostgreSQL's names. */
export type OperatorClass = "jsonb_ops" | "jsonb_path_ops" | "array_ops";

/** One part of a key: a column, its direction, and where NULL sorts. */
export interface KeyPart {
  readonly columnId: number;
  readonly direction: "asc" | "desc";
  readonly nulls: "first" | "last";
  /** Of an inverted index: where it is not the one that the type has by default. */
  readonly operatorClass?: OperatorClass;
}

/** A part of an index that is computed: SQL of the row's columns. */
export interface ExpressionPart {
  readonly expression: string;
  readonly type: ColumnType;
  readonly direction: "asc" | "desc";
  readonly nulls: "first" | "last";
  readonly operatorClass?: OperatorClass;
}

export type IndexPart = KeyPart | ExpressionPart;

/**
 * `backfilling`, `validating`: writes keep it, reads do not use it yet. `public`: complete.
 * `dropping`: neither.
 */
export type IndexState = "backfilling" | "validating" | "public" | "dropping";

/**
 * `gin`: an entry for each term of a value. `hilbert`: an entry at the place of a point of two or
 * three columns on a Hilbert curve.
 */
export type IndexMethod = "gin" | "hilbert";

export interface IndexDescriptor {
  /** From 1 on; 0 is the rows. Never used again in its relation. */
  readonly id: number;
  readonly name: string;
  /** Absent: its keys are its parts, in their order, as of PostgreSQL's `btree`. */
  readonly method?: IndexMethod;
  readonly parts: readonly IndexPart[];
  readonly unique: boolean;
  /** Unique, and of no constraint. */
  readonly isBare?: boolean;
  readonly nullsNotDistinct: boolean;
  /** Columns that are stored in the entries, so that reads need no row. */
  readonly include: readonly number[];
  /** SQL: only rows for which it is true have entries. */
  readonly predicate?: string;
  /** Of a partition: the index of the partitioned table that it is a part of. */
  readonly partOf?: number;
  readonly state: IndexState;
}

export type ForeignKeyAction = "no action" | "restrict" | "cascade" | "set null" | "set default";

export type ConstraintDescriptor =
  | { readonly kind: "primary key"; readonly name: string }
  | { readonly kind: "unique"; readonly name: string; readonly index: number }
  | { readonly kind: "check"; readonly name: string; readonly expression: string }
  | ForeignKeyDescriptor;

/** Columns whose values must be those of a row of another table, or of the table itself. */
export interface ForeignKeyDescriptor {
  readonly kind: "foreign key";
  readonly name: string;
  readonly columns: readonly number[];
  /** The columns of its primary key or of a unique index, in the order of `columns`. */
  readonly references: { readonly table: TableId; readonly columns: readonly number[] };
  readonly onDelete: ForeignKeyAction;
  /** Those of `columns` that `onDelete` sets to NULL or to their default; all where absent. */
  readonly onDeleteColumns?: readonly number[];
  readonly onUpdate: ForeignKeyAction;
  readonly match: "simple" | "full";
  readonly deferrable: boolean;
  readonly initiallyDeferred: boolean;
}

/** A foreign key that refers to a table: of another table or of the same one. */
export interface Reference {
  readonly table: TableId;
  readonly constraint: string;
}

/** Of a table whose rows are being copied to another shard. */
export interface MovingMark {
  /** The id of the shard where it goes. */
  readonly to: string;
  readonly job: string;
  /** New with each try: what an earlier one still does is refused. */
  readonly attempt: string;
  /** `copying`: all goes on; `frozen`: writers are refused; `closed`: readers too. */
  readonly state: "copying" | "frozen" | "closed";
}

/** Of a copy that is not the table yet. */
export interface IncomingMark {
  /** The id of the shard that it comes from. */
  readonly from: string;
  readonly job: string;
  readonly attempt: string;
}

/** What a move says of a table in its old and its new place. */
export interface Marks {
  readonly moving?: MovingMark;
  readonly incoming?: IncomingMark;
}

/** All that a shard knows of a table. Immutable: a change makes a new one, of the next version. */
export interface TableDescriptor extends Marks {
  /** The catalog's id of the table. */
  readonly id: TableId;
  /** Where its keys lie; new for each incarnation: create, truncate, replace. */
  readonly relation: number;
  /** +1 with every change; rows name the version that wrote them. */
  readonly version: number;
  /** The namespace's names, and the table's, as messages show them. The catalog decides names. */
  readonly namespace: readonly string[];
  readonly name: string;
  /** In the order of SQL; dropped ones included. */
  readonly columns: readonly ColumnDescriptor[];
  readonly primaryKey: readonly KeyPart[];
  readonly indexes: readonly IndexDescriptor[];
  /** The highest id that an index of the table ever had; that of `indexes` where absent. */
  readonly lastIndexId?: number;
  readonly constraints: readonly ConstraintDescriptor[];
  /** Foreign keys that refer to it: who removes its rows looks at their tables. */
  readonly referencedBy?: readonly Reference[];
  /** The catalog keeps its name: the shard claims none, and finds it by its id alone. */
  readonly unnamed?: boolean;
  /** Of a temporary table: what a commit does with it, where it does anything. */
  readonly onCommit?: "delete rows" | "drop";
  /** A view of this name says what its rows are: no statement but its own changes them. */
  readonly materialized?: boolean;
  /** It has no rows: its partitions have them. */
  readonly partitioned?: Partitioned;
  /** Of a partition: what it is a part of. */
  readonly partitionOf?: PartitionOf;
  /** Of `row-format.ts`. */
  readonly rowsFormat: number;
  /** The account and the table in short: every row begins with it. */
  readonly owner: number;
}

/** The columns that a row is made of, as callers see it: neither dropped nor hidden. */
export function visibleColumns(table: TableDescriptor): readonly ColumnDescriptor[] {
  return table.columns.filter((column) => column.dropped !== true && column.hidden !== true);
}

/** The sequence that a column's rows are numbered by. */
export function sequenceOf(column: ColumnDescriptor): AnyId | undefined {
  const { default: given, sequence } = column;
  return given?.kind === "sequence" ? given.sequence : sequence;
}

/** A column that is not dropped, by its id. */
export function columnOf(table: TableDescriptor, id: number): ColumnDescriptor | undefined {
  return table.columns.find((column) => column.id === id && column.dropped !== true);
}

/** The columns that rows have, visible ones first: what a row in full is. */
export function liveColumns(table: TableDescriptor): readonly ColumnDescriptor[] {
  const live = table.columns.filter((column) => column.dropped !== true);
  const hidden = live.filter((column) => column.hidden === true);
  return hidden.length === 0 ? live : [...visibleColumns(table), ...hidden];
}
