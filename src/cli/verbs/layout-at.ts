import type { Table } from "../../api/resources.ts";
import type { Place } from "../place.ts";
import type { Screen } from "../screen.ts";
import { loadTable } from "./iceberg-table.ts";
import { snapshotAt, tableOf } from "./snapshots.ts";
import { nameIn, pathOf, targetOf } from "./target.ts";

/** A table and a snapshot of it, as the native API names them. */
export interface TableAt {
  readonly path: ReturnType<typeof pathOf>;
  /** Absent: the current snapshot. */
  readonly query: { readonly snapshot?: string };
}

/** What the word `TABLE[@at]` means. */
export async function tableAt(place: Place, words: readonly string[]): Promise<TableAt> {
  const { name, at } = targetOf(nameIn(words));
  const table: Table = await tableOf(place, name);
  const path = pathOf(table);
  if (at === undefined) return { path, query: {} };
  const { id } = snapshotAt(await loadTable(place, table, "all"), at);
  return { path, query: { snapshot: String(id) } };
}

/**
 * Asks until every manifest was read: one answer has what one request reads. It ends where a
 * request has read nothing more.
 */
export async function whole<T extends { readonly complete: boolean }>(
  ask: () => Promise<T>,
  read: (answer: T) => number,
): Promise<T> {
  for (let answer = await ask(); ; ) {
    if (answer.complete) return answer;
    const next = await ask();
    if (read(next) <= read(answer)) return next;
    answer = next;
  }
}

/** Says that figures are not those of the whole table. */
export function warnIfPart({ complete }: { readonly complete: boolean }, screen: Screen): void {
  if (!complete) screen.printError("not all manifests are read yet: run it again to read on\n");
}
