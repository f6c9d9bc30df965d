import type { Datum, RowTransaction } from "../../rows/index.ts";
import type { SqlContext } from "../types/context.ts";

/** A column of a virtual relation. Its number in `pg_attribute` is its place, from 1 on. */
export interface VirtualColumn {
  readonly name: string;
  /** OID of its type. */
  readonly oid: number;
  /** -1 unless told otherwise. */
  readonly typmod?: number;
}

/** What one scan of a virtual relation may use. */
export interface VirtualScan {
  /** The transaction of the statement. */
  readonly rows: () => Promise<RowTransaction>;
  readonly sql: SqlContext;
  readonly signal: AbortSignal;
  /** Places of the columns that the statement reads, from 0 on: others may be NULL. */
  readonly needed: ReadonlySet<number>;
  /**
   * Values that a column is compared with by `=` or `IN`, by the column's place. Rows with other
   * values may be left out; they are filtered again.
   */
  readonly equal: ReadonlyMap<number, readonly Datum[]>;
  /** The least value that a column may have, by its place, where a condition says one. */
  readonly least?: ReadonlyMap<number, Datum>;
}

/** A relation whose rows are computed when it is read, such as `pg_catalog.pg_class`. */
export interface VirtualRelation {
  readonly schema: string;
  readonly name: string;
  /** Its OID in `pg_class`. */
  readonly oid: number;
  readonly columns: readonly VirtualColumn[];
  /** How many rows it has, about: for the order of joins. 100 unless told otherwise. */
  readonly estimatedRows?: number;
  /** Rows in batches of some hundred, each with a datum per column. */
  scan(
    scan: VirtualScan,
  ): Iterable<readonly (readonly Datum[])[]> | AsyncIterable<readonly (readonly Datum[])[]>;
}

/** The database of the tables over the catalog itself. From others: `_system._catalog.…`. */
/** The setting that names the shard where transactions of a session begin, and make tables. */
export const SHARD_SETTING = "firn.shard";

export const SYSTEM_DATABASE = "_system";

/** Finds virtual relations by their names. */
export interface VirtualRelations {
  find(schema: string, name: string): VirtualRelation | undefined;
}
