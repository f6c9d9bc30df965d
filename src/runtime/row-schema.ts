import type { ColumnType, Datum, IndexSpec, KeyPartSpec } from "../rows/index.ts";

/** A column of a schema; `T` is the type of its values, `O` whether `put` may leave it out. */
export interface SchemaColumn<T = unknown, O extends boolean = boolean> {
  readonly type: ColumnType;
  readonly isNullable: boolean;
  readonly fallback: Datum | undefined;
  /** NULL is a value too, and what a row has that leaves it out. */
  nullable(): SchemaColumn<T | null, true>;
  /** What a row has that leaves it out. */
  default(value: T & Datum): SchemaColumn<T, true>;
  /** Only types have these. */
  readonly of?: T;
  readonly optional?: O;
}

function made<T, O extends boolean>(
  type: ColumnType,
  isNullable: boolean,
  fallback: Datum | undefined,
): SchemaColumn<T, O> {
  return {
    type,
    isNullable,
    fallback,
    nullable: () => made<T | null, true>(type, true, fallback),
    default: (value) => made<T, true>(type, isNullable, value),
  };
}

const column =
  <T>(kind: ColumnType["kind"]) =>
  (): SchemaColumn<T, false> =>
    made<T, false>({ kind }, false, undefined);

/** The columns of `Schema.table`, by type. */
export const columns: {
  readonly bool: () => SchemaColumn<boolean, false>;
  readonly int2: () => SchemaColumn<number, false>;
  readonly int4: () => SchemaColumn<number, false>;
  readonly int8: () => SchemaColumn<bigint, false>;
  readonly float4: () => SchemaColumn<number, false>;
  readonly float8: () => SchemaColumn<number, false>;
  readonly text: () => SchemaColumn<string, false>;
  readonly uuid: () => SchemaColumn<string, false>;
  readonly bytes: () => SchemaColumn<Uint8Array, false>;
  /** Days since 1970-01-01. */
  readonly date: () => SchemaColumn<number, false>;
  /** Microseconds since 1970-01-01 in UTC. */
  readonly timestamp: () => SchemaColumn<bigint, false>;
  /** A JSON text. */
  readonly json: () => SchemaColumn<string, false>;
} = {
  bool: column("bool"),
  int2: column("int2"),
  int4: column("int4"),
  int8: column("int8"),
  float4: column("float4"),
  float8: column("float8"),
  text: column("text"),
  uuid: column("uuid"),
  bytes: column("bytea"),
  date: column("date"),
  timestamp: column("timestamptz"),
  json: column("json"),
};

type Shape = Readonly<Record<string, SchemaColumn>>;

/** The columns of a table, its key and its indexes: the type of its rows follows from the value. */
export interface TableSchema<S extends Shape = Shape, K extends keyof S & string = string> {
  readonly columns: S;
  readonly primaryKey: readonly (K | (KeyPartSpec & { readonly column: K }))[];
  readonly indexes?: readonly IndexSpec[];
}

type ValueOf<C> = C extends SchemaColumn<infer T, boolean> ? T : never;
type Optional<S extends Shape> = {
  [N in keyof S]: S[N] extends SchemaColumn<infer _, true> ? N : never;
}[keyof S];

/** A row as it is read. */
export type RowOf<S extends Shape> = { readonly [N in keyof S]: ValueOf<S[N]> };

/** A row as it is put: what is nullable or has a default may be absent. */
export type NewRowOf<S extends Shape> = {
  readonly [N in Exclude<keyof S, Optional<S>>]: ValueOf<S[N]>;
} & { readonly [N in Optional<S>]?: ValueOf<S[N]> | undefined };

/** The columns of a primary key. */
export type KeyOf<S extends Shape, K extends keyof S> = { readonly [N in K]: ValueOf<S[N]> };

export const Schema = {
  /** A table of typed columns. */
  table: <const S extends Shape, const K extends keyof S & string>(
    schema: TableSchema<S, K>,
  ): TableSchema<S, K> => schema,
  /** Byte keys, JSON values. */
  keyValue: (): TableSchema<
    {
      readonly key: SchemaColumn<Uint8Array, false>;
      readonly value: SchemaColumn<string, false>;
    },
    "key"
  > => ({ columns: { key: columns.bytes(), value: columns.json() }, primaryKey: ["key"] }),
} as const;
