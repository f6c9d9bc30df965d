import type { Clock } from "../base/clock.ts";
import { Pauses } from "../base/pauses.ts";
import type { CompiledTable } from "./compiled-table.ts";
import type { ColumnDescriptor, TableDescriptor } from "./descriptor.ts";
import { visibleColumns } from "./descriptor.ts";
import { duplicate } from "./duplicate.ts";
import type { EngineView } from "./engine-view.ts";
import { placeOf, rowError } from "./errors.ts";
import { keyFormOf } from "./key-columns.ts";
import type { ConstraintHost } from "./table-constraints.ts";

/** Batches of rows between two turns of the event loop. */
const BATCHES_AT_ONCE = 4;

/** A primary key for a table that has none: its rows move to a new relation, under the new key. */
export interface NewPrimaryKey {
  readonly name: string;
  readonly columns: readonly string[];
}

/** What the move needs of its transaction. */
interface MoveHost extends Omit<ConstraintHost, "foreignKeys"> {
  readonly foreignKeys: { isPending(table: TableDescriptor["id"]): boolean };
  readonly view: EngineView;
  readonly newRelation: () => Promise<number>;
  readonly clock: Clock;
}

/**
 * Rows are written anew, all in this transaction: they have to fit it. The old relation's rows stay
 * for the caller to delete.
 *
 * @throws FirnError `Invalid`, codes `ROW_TABLE_INVALID`, `ROW_NULL` (23502); `AlreadyExists`, code
 *   `ROW_DUPLICATE` (23505); `Conflict`, code `ROW_TABLE_IN_USE` (55006).
 */
export async function addPrimaryKey(
  on: MoveHost,
  table: TableDescriptor,
  key: NewPrimaryKey,
): Promise<TableDescriptor> {
  on.assertSerializable();
  const next = keyedTable(table, key, await on.newRelation());
  // A check that waits for the commit knows its row by the old key.
  if (on.foreignKeys.isPending(table.id)) {
    const message = `cannot ALTER TABLE "${table.name}" because it has pending trigger events`;
    throw rowError("Conflict", "ROW_TABLE_IN_USE", "55006", message, placeOf(table));
  }
  const before = await on.use(table);
  await on.tables.put(next, table);
  await moveRows(on, before, await on.use(next));
  return next;
}

async function moveRows(on: MoveHost, from: CompiledTable, to: CompiledTable): Promise<void> {
  const rows = on.storedRows(from);
  const keys = new Set<string>();
  const pauses = new Pauses(on.clock, BATCHES_AT_ONCE);
  try {
    for (let batch = await rows.next(); batch !== undefined; batch = await rows.next()) {
      await pauses.step();
      for (const stored of batch) {
        // The hidden column stands behind the visible ones.
        const row = from.rows.row(stored.key, stored.value).slice(0, to.live.length);
        refuseNulls(to, row);
        const key = to.key.encode(to.keyOf(row));
        const name = Buffer.from(key).toString("latin1");
        if (keys.has(name)) throw duplicate(to, undefined, row, on.context);
        keys.add(name);
        on.view.put(key, to.encode(row));
        for (const index of to.indexes) {
          const entry = index.entry(row, on.context);
          if (entry !== undefined) on.view.put(entry.key, entry.value);
        }
      }
    }
  } finally {
    rows.close();
  }
}

function refuseNulls(to: CompiledTable, row: readonly unknown[]): void {
  for (const place of to.keyPlaces) {
    if (row[place] !== null) continue;
    const { name } = to.live[place] as ColumnDescriptor;
    const message = `column "${name}" of relation "${to.table.name}" contains null values`;
    const at = { ...placeOf(to.table), column: name };
    throw rowError("Invalid", "ROW_NULL", "23502", message, at);
  }
}

function keyedTable(
  table: TableDescriptor,
  { name, columns }: NewPrimaryKey,
  relation: number,
): TableDescriptor {
  const refused = (sqlState: string, message: string): Error =>
    rowError("Invalid", "ROW_TABLE_INVALID", sqlState, message, placeOf(table));
  if (table.constraints.some(({ kind }) => kind === "primary key")) {
    const message = `multiple primary keys for table "${table.name}" are not allowed`;
    throw refused("42P16", message);
  }
  const ids = columns.map((each) => {
    const column = visibleColumns(table).find((one) => one.name === each);
    if (column === undefined)
      throw refused("42703", `column "${each}" named in key does not exist`);
    keyFormOf(column.type, column.name);
    return column.id;
  });
  const twice = columns.find((each, i) => columns.indexOf(each) < i);
  if (twice !== undefined) {
    throw refused("42701", `column "${twice}" appears twice in primary key constraint`);
  }
  return {
    ...table,
    relation,
    version: table.version + 1,
    primaryKey: ids.map((columnId) => ({ columnId, direction: "asc", nulls: "last" })),
    columns: table.columns.map((column) => {
      if (ids.includes(column.id)) return { ...column, nullable: false };
      return column.hidden === true ? { ...column, dropped: true } : column;
    }),
    constraints: [{ kind: "primary key", name }, ...table.constraints],
  };
}
