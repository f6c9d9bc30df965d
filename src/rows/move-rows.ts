import { binaryText } from "../base/bytes.ts";
import type { Clock } from "../base/clock.ts";
import { Pauses } from "../base/pauses.ts";
import { putRow } from "./apart-values.ts";
import type { CompiledTable } from "./compiled-table.ts";
import type { Datum } from "./datum.ts";
import type { TableDescriptor } from "./descriptor.ts";
import { duplicate } from "./duplicate.ts";
import type { EngineView } from "./engine-view.ts";
import { placeOf, rowError } from "./errors.ts";
import type { ConstraintHost } from "./table-constraints.ts";

/** Batches of rows between two turns of the event loop. */
const BATCHES_AT_ONCE = 4;

/** What a move of rows needs of its transaction. */
export interface MoveHost extends Omit<ConstraintHost, "foreignKeys"> {
  readonly foreignKeys: { isPending(table: TableDescriptor["id"]): boolean };
  readonly view: EngineView;
  readonly newRelation: () => Promise<number>;
  readonly clock: Clock;
}

/**
 * Stores a table of another relation, and writes its rows there with their entries, all in this
 * transaction: they have to fit it. The old relation's rows stay for the caller to delete.
 *
 * @param rowOf a row of the new table, in the order of its columns; it may refuse the row.
 * @throws FirnError `AlreadyExists`, code `ROW_DUPLICATE` (23505); `Conflict`, code
 *   `ROW_TABLE_IN_USE` (55006).
 */
export async function moveRows(
  on: MoveHost,
  table: TableDescriptor,
  next: TableDescriptor,
  rowOf: (row: readonly Datum[], to: CompiledTable) => readonly Datum[],
): Promise<void> {
  // A check that waits for the commit knows its row by the old key.
  if (on.foreignKeys.isPending(table.id)) {
    const message = `cannot ALTER TABLE "${table.name}" because it has pending trigger events`;
    throw rowError("Conflict", "ROW_TABLE_IN_USE", "55006", message, placeOf(table));
  }
  const from = await on.use(table);
  await on.tables.put(next, table);
  const to = await on.use(next);
  const rows = on.storedRows(from);
  const writer = new RowMover(on, to);
  const pauses = new Pauses(on.clock, BATCHES_AT_ONCE);
  try {
    for (let batch = await rows.next(); batch !== undefined; batch = await rows.next()) {
      await pauses.step();
      for (const { key, value } of batch) writer.put(rowOf(from.rows.row(key, value), to));
    }
  } finally {
    rows.close();
  }
}

/** Writes rows to where there are none yet. */
class RowMover {
  readonly #on: MoveHost;
  readonly #to: CompiledTable;
  readonly #keys = new Set<string>();

  constructor(on: MoveHost, to: CompiledTable) {
    this.#on = on;
    this.#to = to;
  }

  put(row: readonly Datum[]): void {
    const { view, context } = this.#on;
    const to = this.#to;
    const key = to.key.encode(to.keyOf(row));
    if (!this.#isNew(key)) throw duplicate(to, undefined, row, context);
    putRow(view, to, key, row);
    for (const index of to.indexes) {
      for (const entry of index.entries(row, context)) {
        if (entry.isUnique && !this.#isNew(entry.key)) throw duplicate(to, index, row, context);
        view.put(entry.key, entry.value);
      }
    }
  }

  /** Keys of rows and of indexes begin with what they are of. */
  #isNew(key: Uint8Array): boolean {
    const name = binaryText(key);
    if (this.#keys.has(name)) return false;
    this.#keys.add(name);
    return true;
  }
}
