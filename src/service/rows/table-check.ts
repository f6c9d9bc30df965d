import { FirnError } from "../../base/error.ts";
import type { Column, Table } from "../../catalog/model.ts";
import {
  columnTypeText,
  type IndexReport,
  type StoredTables,
  type TableDescriptor,
  type ValuesReport,
  visibleColumns,
  withoutMarks,
} from "../../rows/index.ts";
import { shardOf } from "./row-places.ts";
import type { RowShards } from "./row-shards.ts";

/** What is wrong with a row table. */
export interface RowTableReport {
  /** Those that do not agree with the rows. */
  readonly indexes: readonly IndexReport[];
  /** Columns whose long values are not those that the rows refer to. */
  readonly values: readonly ValuesReport[];
  /** Whether the catalog shows the columns that the shard has. */
  readonly isShown: boolean;
}

/**
 * Compares the indexes and the long values of a row table with its rows, all of one state.
 *
 * @returns what does not agree; undefined where the shard does not know the table.
 * @throws as `RowShards.of`; FirnError `Corrupt`, code `ROW_CORRUPT`: a row cannot be read.
 */
export async function checkRowTable(
  shards: Pick<RowShards, "of">,
  table: Table,
): Promise<RowTableReport | undefined> {
  const store = await shards.of(shardOf(table));
  const tx = await store.begin({ isolation: "repeatable read", readOnly: true });
  try {
    return await checkStored(
      {
        find: (id) => tx.tables.find(id),
        // Its rows are there while it moves.
        checkIndex: (stored, index) => tx.checkIndex(withoutMarks(stored), index),
        checkValues: (stored) => tx.checkValues(withoutMarks(stored)),
      },
      table,
    );
  } finally {
    tx.rollback();
  }
}

/** As `checkRowTable`, of a state that is read already. */
export async function checkStored(
  stored: Pick<StoredTables, "find" | "checkIndex" | "checkValues">,
  { id, columns }: Table,
): Promise<RowTableReport | undefined> {
  const table = await stored.find(id);
  if (table === undefined) return undefined;
  const values = await stored.checkValues(table);
  const reports: IndexReport[] = [];
  // One that is being built agrees with the rows when it is public.
  for (const { id: index, state } of table.indexes) {
    if (state !== "public") continue;
    try {
      reports.push(await stored.checkIndex(table, index));
    } catch (error) {
      // It needs a value that is reported already.
      if (values.length === 0 || !isCorrupt(error)) throw error;
    }
  }
  const indexes = reports.filter(({ missing, extra, wrong }) => missing + extra + wrong > 0);
  return { indexes, values, isShown: sameColumns(columns, columnsOf(table)) };
}

function isCorrupt(error: unknown): boolean {
  return error instanceof FirnError && error.code === "ROW_CORRUPT";
}

/** The columns of a row table as the catalog shows them. */
export function columnsOf(table: TableDescriptor): readonly Column[] {
  return visibleColumns(table).map(
    ({ id, name, type, nullable }): Column => ({
      name,
      type: columnTypeText(type),
      nullable,
      comment: "",
      fieldId: id,
    }),
  );
}

export function sameColumns(a: readonly Column[] | undefined, b: readonly Column[]): boolean {
  const textOf = (columns: readonly Column[]): string =>
    JSON.stringify(
      columns.map(({ name, type, nullable, fieldId }) => [name, type, nullable, fieldId]),
    );
  return a !== undefined && textOf(a) === textOf(b);
}
