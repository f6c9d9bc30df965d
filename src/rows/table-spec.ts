import { sha256Bytes } from "../base/hash.ts";
import type { TableId } from "../base/ids.ts";
import { storedDatum } from "./check-datum.ts";
import type { ColumnType } from "./column-type.ts";
import type {
  ColumnDefault,
  ColumnDescriptor,
  ConstraintDescriptor,
  IndexDescriptor,
  IndexMethod,
  IndexPart,
  KeyPart,
  OperatorClass,
  TableDescriptor,
} from "./descriptor.ts";
import { rowError } from "./errors.ts";
import type { ForeignKeySpec } from "./foreign-key-spec.ts";
import { defaultClassOf, indexFormOf } from "./index-form.ts";
import { keyFormOf } from "./key-columns.ts";
import type {
  Partitioned,
  PartitionKeyPart,
  PartitionOf,
  PartitionStrategy,
} from "./partitioning.ts";
import { ROW_FORMAT } from "./row-format.ts";
import type { SequenceOptions } from "./sequence.ts";

export interface ColumnSpec {
  readonly name: string;
  readonly type: ColumnType;
  /** True unless told otherwise; columns of the primary key never are. */
  readonly nullable?: boolean;
  readonly default?: ColumnDefault;
  readonly generated?: string;
  /** Numbers its rows, by a sequence that is made with the column. */
  readonly identity?: "always" | "by default";
  /** Its default numbers its rows, by a sequence that is made with the column: `serial`. */
  readonly serial?: boolean;
  /** Of the sequence that is made. */
  readonly sequence?: SequenceOptions & { readonly name?: string };
}

export interface KeyPartSpec {
  readonly column: string;
  readonly direction?: "asc" | "desc";
  /** Last where ascending, first where descending, unless told otherwise. */
  readonly nulls?: "first" | "last";
  /** Of an inverted index: that of its type unless told otherwise. */
  readonly operatorClass?: OperatorClass;
}

export interface IndexSpec {
  readonly name: string;
  readonly parts: readonly (
    | KeyPartSpec
    | {
        readonly expression: string;
        readonly type: ColumnType;
        readonly direction?: "asc" | "desc";
        readonly nulls?: "first" | "last";
        readonly operatorClass?: OperatorClass;
      }
  )[];
  /** `gin`: of JSON and arrays. `hilbert`: of points. Ordered keys unless told otherwise. */
  readonly method?: IndexMethod;
  readonly unique?: boolean;
  /** No constraint is of it, although it is unique. */
  readonly isBare?: boolean;
  readonly nullsNotDistinct?: boolean;
  readonly include?: readonly string[];
  readonly predicate?: string;
  /** Of a partition: the index of the partitioned table that it is a part of. */
  readonly partOf?: number;
}

/** A table to be made. Names of columns are told apart as they are: SQL folds them before. */
export interface TableSpec {
  readonly id: TableId;
  readonly namespace: readonly string[];
  readonly name: string;
  readonly columns: readonly ColumnSpec[];
  /** None: the table gets a hidden `rowid`, a UUIDv7. */
  readonly primaryKey?: { readonly name?: string; readonly parts: readonly KeyPartSpec[] };
  readonly indexes?: readonly IndexSpec[];
  readonly checks?: readonly { readonly name: string; readonly expression: string }[];
  readonly foreignKeys?: readonly ForeignKeySpec[];
  /** The catalog keeps its name: the shard does not claim it. */
  readonly unnamed?: boolean;
  /** The name of the shard that it is made in; the transaction's own unless told otherwise. */
  readonly shard?: string;
  /** Of a temporary table. */
  readonly onCommit?: "delete rows" | "drop";
  /** It has the rows of a materialized view. */
  readonly materialized?: boolean;
  /** Its rows are those of partitions that are made later. */
  readonly partitioned?: {
    readonly strategy: PartitionStrategy;
    readonly parts: readonly (
      | { readonly column: string }
      | Extract<PartitionKeyPart, { readonly expression: string }>
    )[];
  };
  readonly partitionOf?: PartitionOf;
}

const MOST_COLUMNS = 1_600;

/**
 * @param account whose table it is: rows name it in short.
 * @throws FirnError `Invalid`, code `ROW_TABLE_INVALID`, with its SQLSTATE.
 */
export function descriptorOf(
  spec: TableSpec,
  relation: number,
  account: string,
  describe: (column: ColumnSpec) => ColumnSpec = (column) => column,
): TableDescriptor {
  const columns = columnsOf(spec, describe);
  const hasKey = spec.primaryKey !== undefined;
  const hidden = { columnId: columns.length, direction: "asc", nulls: "last" } as const;
  const primaryKey = spec.primaryKey?.parts.map((part) => keyPart(spec, columns, part)) ?? [hidden];
  if (primaryKey.length === 0) throw refused(spec, "42P16", "a primary key without a column");
  const inKey = new Set(primaryKey.map(({ columnId }) => columnId));
  if (inKey.size < primaryKey.length) throw refused(spec, "42701", "a column twice in its key");
  for (const { columnId } of primaryKey) {
    const column = columns.find(({ id }) => id === columnId) as ColumnDescriptor;
    keyFormOf(column.type, column.name);
  }
  const indexes = (spec.indexes ?? []).map((index, i) =>
    indexOf(spec, columns, index, i + 1, "public"),
  );
  const constraints: ConstraintDescriptor[] = [
    ...(hasKey
      ? [{ kind: "primary key" as const, name: spec.primaryKey?.name ?? `${spec.name}_pkey` }]
      : []),
    ...indexes
      .filter(({ unique, isBare }) => unique && isBare !== true)
      .map(({ id, name }) => ({ kind: "unique" as const, name, index: id })),
    ...(spec.checks ?? []).map((check) => ({ kind: "check" as const, ...check })),
  ];
  return {
    id: spec.id,
    relation,
    version: 1,
    namespace: spec.namespace,
    name: spec.name,
    columns: columns.map((one) => (inKey.has(one.id) ? { ...one, nullable: false } : one)),
    primaryKey,
    indexes,
    constraints,
    ...(spec.unnamed === true && { unnamed: true }),
    ...(spec.onCommit !== undefined && { onCommit: spec.onCommit }),
    ...(spec.materialized === true && { materialized: true }),
    ...(spec.partitioned !== undefined && { partitioned: partitionedOf(spec, columns) }),
    ...(spec.partitionOf !== undefined && { partitionOf: spec.partitionOf }),
    rowsFormat: ROW_FORMAT,
    owner: Buffer.from(sha256Bytes(`${account}/${spec.id}`)).readUInt32LE(0),
  };
}

function partitionedOf(spec: TableSpec, columns: readonly ColumnDescriptor[]): Partitioned {
  const { strategy, parts = [] } = spec.partitioned ?? { strategy: "range" as const };
  const keyed = parts.map(
    (part): PartitionKeyPart =>
      "column" in part ? { columnId: columnNamed(spec, columns, part.column).id } : part,
  );
  return { strategy, parts: keyed, members: [] };
}

/** The hidden key of a table that has none of its user's. */
export function hiddenKey(id: number): ColumnDescriptor {
  return { id, name: "rowid", type: { kind: "uuid" }, nullable: false, hidden: true };
}

function columnsOf(
  spec: TableSpec,
  describe: (column: ColumnSpec) => ColumnSpec,
): readonly ColumnDescriptor[] {
  const columns = spec.columns.map((given, i) => columnOfSpec(describe(given), i + 1));
  if (columns.length > MOST_COLUMNS) throw refused(spec, "54011", "too many columns");
  const names = new Set<string>();
  for (const { name } of columns) {
    if (name === "" || names.has(name)) {
      throw refused(spec, "42701", "two columns of one name, or one without a name", name);
    }
    names.add(name);
  }
  if (spec.primaryKey !== undefined) return columns;
  return [...columns, hiddenKey(columns.length + 1)];
}

/** Types of columns that may number their rows. */
export const NUMBERED: ReadonlySet<ColumnType["kind"]> = new Set(["int2", "int4", "int8"]);

/** A column of a new table, or one that is added. */
export function columnOfSpec(column: ColumnSpec, id: number): ColumnDescriptor {
  const { name, type, nullable = true, generated, identity, serial = false } = column;
  if ((identity !== undefined || serial) && !NUMBERED.has(type.kind)) {
    const message = "identity column type must be smallint, integer, or bigint";
    throw refused({ name }, "22023", message, name);
  }
  const given = column.default;
  const checked: ColumnDefault | undefined =
    given?.kind === "constant"
      ? { ...given, value: storedDatum(type, given.value, { column: name }) }
      : given;
  return {
    id,
    name,
    type,
    nullable: nullable && identity === undefined && !serial,
    ...(checked !== undefined && { default: checked }),
    ...(generated !== undefined && { generated }),
    ...(identity !== undefined && { identity }),
  };
}

function keyPart(
  spec: { readonly name: string },
  columns: readonly ColumnDescriptor[],
  { column, direction = "asc", nulls }: KeyPartSpec,
): KeyPart {
  const { id } = columnNamed(spec, columns, column);
  return { columnId: id, direction, nulls: nulls ?? (direction === "asc" ? "last" : "first") };
}

function columnNamed(
  spec: { readonly name: string },
  columns: readonly ColumnDescriptor[],
  name: string,
): ColumnDescriptor {
  const found = columns.find((one) => one.name === name && one.dropped !== true);
  if (found === undefined) throw refused(spec, "42703", "unknown column", name);
  return found;
}

/** @throws FirnError `Invalid`, codes `ROW_TABLE_INVALID`, `ROW_KEY_TYPE_INVALID`. */
export function indexOf(
  table: { readonly name: string },
  columns: readonly ColumnDescriptor[],
  spec: IndexSpec,
  id: number,
  state: IndexDescriptor["state"],
): IndexDescriptor {
  if (spec.parts.length === 0) throw refused(table, "42P17", "an index has at least one part");
  refuseMethod(table, spec);
  const { method } = spec;
  const parts = spec.parts.map((part): IndexPart => {
    if ("column" in part) {
      const column = columnNamed(table, columns, part.column);
      const given = classOf(table, spec, part, column.type, column.name);
      const own = keyPart(table, columns, part);
      return given === undefined ? own : { ...own, operatorClass: given };
    }
    const { expression, type, direction = "asc" } = part;
    const given = classOf(table, spec, part, type, expression);
    const nulls = part.nulls ?? (direction === "asc" ? "last" : "first");
    const own = { expression, type, direction, nulls };
    return given === undefined ? own : { ...own, operatorClass: given };
  });
  indexFormOf(
    spec,
    parts.map((part) => {
      if ("expression" in part) return { ...part, name: part.expression };
      const { type, name } = columns.find((one) => one.id === part.columnId) as ColumnDescriptor;
      return { ...part, type, name };
    }),
  );
  return {
    id,
    name: spec.name,
    ...(method !== undefined && { method }),
    parts,
    unique: spec.unique ?? false,
    ...(spec.isBare === true && { isBare: true }),
    nullsNotDistinct: spec.nullsNotDistinct ?? false,
    include: (spec.include ?? []).map((name) => columnNamed(table, columns, name).id),
    ...(spec.predicate !== undefined && { predicate: spec.predicate }),
    ...(spec.partOf !== undefined && { partOf: spec.partOf }),
    state,
  };
}

/** What inverted indexes have not. */
function refuseMethod(table: { readonly name: string }, spec: IndexSpec): void {
  const { method, unique = false, include = [], parts } = spec;
  if (method === undefined) return;
  const without = (what: string): Error =>
    refused(table, "0A000", `access method "${method}" does not support ${what}`);
  if (unique) throw without("unique indexes");
  if (include.length > 0) throw without("included columns");
  if (parts.some(({ direction }) => direction === "desc")) throw without("ASC/DESC options");
  if (parts.some(({ nulls }) => nulls === "first")) throw without("NULLS FIRST/LAST options");
}

/** The operator class of a part, where it is not that of its type. */
function classOf(
  table: { readonly name: string },
  { method }: IndexSpec,
  { operatorClass }: { readonly operatorClass?: OperatorClass },
  type: ColumnType,
  column: string,
): OperatorClass | undefined {
  if (method !== "gin" || operatorClass === undefined) return undefined;
  const usual = defaultClassOf(type, column);
  if (operatorClass === usual) return undefined;
  if (operatorClass === "jsonb_path_ops" && type.kind === "jsonb") return operatorClass;
  const what = `operator class "${operatorClass}" does not accept data type ${type.kind}`;
  throw refused(table, "42804", what, column);
}

function refused(
  { name }: { readonly name: string },
  sqlState: string,
  what: string,
  column?: string,
): Error {
  return rowError("Invalid", "ROW_TABLE_INVALID", sqlState, `invalid table: ${what}`, {
    table: name,
    ...(column !== undefined && { column }),
  });
}
