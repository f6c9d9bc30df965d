import type { Privilege } from "../../api/privileges.ts";

const CHANGES: readonly Privilege[] = ["write-data"];
const READS_TOO: readonly Privilege[] = ["write-data", "read-data"];

/** What a statement that changes rows needs of their table. */
export function changeNeeds(isRead: boolean): readonly Privilege[] {
  return isRead ? READS_TOO : CHANGES;
}

/** Nodes below which a statement reads rows: columns, queries, and what stands beside the table. */
const READING: ReadonlySet<string> = new Set([
  "ColumnRef",
  "SubLink",
  "SelectStmt",
  "returningClause",
  "fromClause",
  "usingClause",
]);

/**
 * Whether a statement that changes rows also reads some: by WHERE, by values that name columns, or
 * by RETURNING. `DELETE FROM t` and `UPDATE t SET a = 1` read none; queries of WITH say for
 * themselves what they read.
 */
export function readsRows(statement: object): boolean {
  return Object.entries(statement).some(([name, value]: [string, unknown]) => {
    if (typeof value !== "object" || value === null || name === "withClause") return false;
    if (READING.has(name) && (!Array.isArray(value) || value.length > 0)) return true;
    return readsRows(value);
  });
}
