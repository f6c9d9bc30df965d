import type { TableId } from "../../../src/base/ids.ts";
import type { ColumnType, RowStore, TableSpec } from "../../../src/rows/index.ts";

const INT: ColumnType = { kind: "int4" };
const TEXT: ColumnType = { kind: "text" };

/** Of the tables that users share. */
export interface TableIds {
  readonly lists: TableId;
  readonly accounts: TableId;
  readonly registers: TableId;
  readonly people: TableId;
}

export const ACCOUNTS = 6;
export const OPENING = 100;

const id = (digit: number): TableId => `00000000-0000-7000-8000-00000000000${digit}` as TableId;

export const IDS: TableIds = { lists: id(1), accounts: id(2), registers: id(3), people: id(4) };

const SPECS: readonly TableSpec[] = [
  {
    id: IDS.lists,
    namespace: ["sim"],
    name: "lists",
    columns: [
      { name: "id", type: TEXT },
      { name: "elements", type: TEXT },
      { name: "length", type: INT },
    ],
    primaryKey: { parts: [{ column: "id" }] },
    indexes: [{ name: "by_length", parts: [{ column: "length", direction: "desc" }] }],
  },
  {
    id: IDS.accounts,
    namespace: ["sim"],
    name: "accounts",
    columns: [
      { name: "id", type: INT },
      { name: "balance", type: INT },
    ],
    primaryKey: { parts: [{ column: "id", direction: "desc" }] },
    indexes: [{ name: "by_balance", parts: [{ column: "balance" }] }],
  },
  {
    id: IDS.registers,
    namespace: ["sim"],
    name: "registers",
    columns: [
      { name: "id", type: INT },
      { name: "version", type: INT },
      { name: "writer", type: TEXT },
    ],
    primaryKey: { parts: [{ column: "id" }] },
  },
  {
    id: IDS.people,
    namespace: ["sim"],
    name: "people",
    columns: [
      { name: "id", type: INT },
      { name: "email", type: TEXT },
      { name: "team", type: TEXT },
      { name: "seat", type: INT },
      { name: "score", type: INT },
    ],
    primaryKey: { parts: [{ column: "id" }] },
    indexes: [
      { name: "email_key", parts: [{ column: "email" }], unique: true },
      {
        name: "seat_key",
        parts: [{ column: "team" }, { column: "seat", direction: "desc" }],
        unique: true,
        nullsNotDistinct: true,
        include: ["score"],
        predicate: "score > 2",
      },
      { name: "team_idx", parts: [{ column: "team", direction: "desc" }, { column: "score" }] },
      { name: "lower_idx", parts: [{ expression: "lower(email)", type: TEXT }] },
    ],
    checks: [{ name: "score_check", expression: "score < 9" }],
  },
];

/**
 * Makes the tables that are not there yet, and the money. Each in a transaction of its own: a small
 * engine has no room for all of them in one.
 */
export async function foundTables(store: RowStore): Promise<void> {
  for (const spec of SPECS) {
    await store.run(async (tx) => {
      if ((await tx.tables.find(spec.id)) !== undefined) return;
      const table = await tx.createTable(spec);
      if (table.id !== IDS.accounts) return;
      const rows = Array.from({ length: ACCOUNTS }, (_, index) => [index, OPENING]);
      await tx.insert(table, rows);
    });
  }
}
