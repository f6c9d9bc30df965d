import type { TableDescriptor } from "../../rows/index.ts";

/** A table that a statement names, and the descriptor that its plan was made by. */
export interface TableUse {
  readonly descriptor: TableDescriptor;
  readonly oid: number;
  /** About how many rows it has. */
  readonly rows?: number | undefined;
}
