import type { Column, Row, Rows } from "./started.ts";

const TEXT = { oid: 25, length: -1 };

export function textColumn(name: string): Column {
  return { name, type: TEXT, typmod: -1, tableOid: 0, attribute: 0 };
}

/** Rows that are there already. */
export function rowsOf(
  columns: readonly Column[],
  rows: readonly Row[],
  tag: (rows: number) => string,
): Rows {
  let at = 0;
  return {
    kind: "rows",
    columns,
    next: (most) => {
      if (at >= rows.length) return undefined;
      const batch = rows.slice(at, Math.min(rows.length, at + most));
      at += batch.length;
      return batch;
    },
    finish: () => tag(at),
    close: () => undefined,
  };
}
