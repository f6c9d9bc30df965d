import type { TableId } from "../base/ids.ts";
import type { ColumnType } from "./column-type.ts";

/*
 * A partitioned table has a descriptor and no rows. It lists its partitions, which are tables with
 * rows of their own, and each of these names it: a change of the list is a change of both, in one
 * transaction. What rows of a partition must meet stands with it as SQL, for all that write them.
 */

export type PartitionStrategy = "range" | "list" | "hash";

/** A part of a partition key: a column, or SQL of the row's columns. */
export type PartitionKeyPart =
  | { readonly columnId: number }
  | { readonly expression: string; readonly type: ColumnType };

/** A bound of a range: a value as its type writes it, or one beyond all values. */
export type PartitionEdge = { readonly value: string } | "minvalue" | "maxvalue";

/** Which rows a partition has. */
export type PartitionBound =
  | {
      readonly kind: "range";
      /** In it. */
      readonly from: readonly PartitionEdge[];
      /** Behind it. */
      readonly to: readonly PartitionEdge[];
    }
  | { readonly kind: "list"; readonly values: readonly (string | null)[] }
  | { readonly kind: "hash"; readonly modulus: number; readonly remainder: number }
  /** Those that no other partition has. */
  | { readonly kind: "default" };

export interface PartitionMember {
  readonly table: TableId;
  readonly bound: PartitionBound;
}

/** Of a partitioned table. */
export interface Partitioned {
  readonly strategy: PartitionStrategy;
  readonly parts: readonly PartitionKeyPart[];
  readonly members: readonly PartitionMember[];
}

/** Of a partition. */
export interface PartitionOf {
  readonly parent: TableId;
  readonly bound: PartitionBound;
  /** SQL that is true for its rows, by its own columns; absent: any row. */
  readonly constraint?: string;
}
