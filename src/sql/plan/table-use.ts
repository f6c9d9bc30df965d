import type { Privilege } from "../../api/privileges.ts";
import type { TableDescriptor } from "../../rows/index.ts";
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
