import type { Node } from "libpg-query";
import type { Privilege } from "../../api/privileges.ts";
import type { PartitionBound, TableDescriptor } from "../../rows/index.ts";
import { assertHeld, type Held } from "../catalog/held.ts";

/** A table that a statement names, and the descriptor that its plan was made by. */
export interface TableUse {
  readonly descriptor: TableDescriptor;
  readonly oid: number;
  /** Absent: everything. */
  readonly held?: Held | undefined;
  /** What the statement needs of it, as planning finds out. */
  readonly needs?: Set<Privilege>;
  /** About how many rows it has. */
  readonly rows?: number | undefined;
  /** Of a partitioned table: who may use it may use them through it. */
  readonly partitions?: PartitionsUse | undefined;
}

/** The partitions of a table, in the order of its descriptor. */
export interface PartitionsUse {
  readonly members: readonly { readonly use: TableUse; readonly bound: PartitionBound }[];
  /** The trees of those parts of its key that are expressions. */
  readonly expressions: readonly (Node | undefined)[];
}

/**
 * Judges what a statement needs of a table, now and each time that its plan runs.
 *
 * @throws SqlError 42501.
 */
export function alsoNeeds(use: TableUse, needs: readonly Privilege[]): void {
  assertHeld(use.held, needs, "table", use.descriptor.name);
  for (const need of needs) use.needs?.add(need);
}
