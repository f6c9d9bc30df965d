import type { TableId } from "../../base/ids.ts";
import type { ForeignKeys } from "../foreign-keys.ts";
import type { SqlObject, TransactionObjects } from "../objects.ts";
import type { TransactionSequences } from "../sequence.ts";
import type { TableChanges } from "../table-changes.ts";
import type { TransactionTables } from "../tables.ts";
import { isTemporaryId } from "./marks.ts";

/** What the end of temporary tables needs of a transaction. */
export interface TemporaryEnd {
  readonly tables: TransactionTables;
  readonly sequences: TransactionSequences;
  readonly objects: TransactionObjects;
  readonly foreignKeys: ForeignKeys;
  readonly changing: (id: TableId, isOfCommit?: boolean) => TableChanges;
}

/** Drops all that is temporary. */
export async function discardTemporary(on: TemporaryEnd): Promise<void> {
  const { tables, sequences, objects, changing } = on;
  for (const each of await temporaryObjects(objects)) objects.drop(each);
  for (const { id } of await tables.listTemporary()) await changing(id).dropTable(id, true);
  for (const each of await sequences.list()) if (isTemporaryId(each.id)) sequences.drop(each);
}

/**
 * A commit follows: temporary tables are dropped or emptied as they say.
 *
 * @throws FirnError `Invalid`, code `ROW_TABLE_REFERENCED` (0A000).
 */
export async function endTemporary(on: TemporaryEnd): Promise<void> {
  const { tables, foreignKeys, changing, objects } = on;
  const all = await tables.listTemporary();
  const ending = all.filter(({ onCommit }) => onCommit !== undefined);
  // What waits for the commit is checked while the rows are there.
  if (ending.length > 0) await foreignKeys.checkAll();
  for (const table of ending) {
    const changes = changing(table.id, true);
    if (table.onCommit === "drop") {
      await dropViewsOf(objects, table.id);
      await changes.dropTable(table.id, true);
    } else await changes.clear(table);
  }
}

async function temporaryObjects(objects: TransactionObjects): Promise<readonly SqlObject[]> {
  return (await objects.list()).filter(({ id }) => isTemporaryId(id));
}

/** Drops the views of what is dropped, and the views of these. */
async function dropViewsOf(objects: TransactionObjects, id: string): Promise<void> {
  for (const each of await temporaryObjects(objects)) {
    if (each.kind !== "view" || !each.uses.some((use) => use.id === id)) continue;
    await dropViewsOf(objects, each.id);
    objects.drop(each);
  }
}
