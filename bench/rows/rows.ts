/** A row as every contender gets it: 8 columns, the key first. */
export interface BenchRow {
  readonly id: number;
  /** Ten rows share one; the secondary index is of it. */
  readonly grp: number;
  readonly kind: string;
  readonly ts: number;
  readonly amount: number;
  readonly qty: number;
  readonly note: string;
  readonly flag: boolean;
}

export const COLUMNS = ["id", "grp", "kind", "ts", "amount", "qty", "note", "flag"] as const;

/** Rows that share one value of the indexed column. */
export const GROUP_ROWS = 10;

const KINDS = ["click", "view", "order", "refund", "login"] as const;
const FIRST_TS = 1_700_000_000_000;

/** The same row for each contender, made anew at each call. */
export function benchRow(id: number, rows: number): BenchRow {
  return {
    id,
    grp: groupOf(id, rows),
    kind: KINDS[id % KINDS.length] as string,
    ts: FIRST_TS + id * 1_000,
    amount: (id % 100_000) / 8,
    qty: id % 97,
    note: `note ${id} of a row that has some text`,
    flag: id % 3 === 0,
  };
}

/** Rows of a group lie apart from each other. */
export function groupOf(id: number, rows: number): number {
  return id % groupsOf(rows);
}

export function groupsOf(rows: number): number {
  return Math.max(1, Math.floor(rows / GROUP_ROWS));
}

/** What `work` does from one number to the next, in steps. */
export async function inSteps(
  rows: number,
  step: number,
  work: (from: number, to: number) => unknown,
): Promise<void> {
  for (let from = 0; from < rows; from += step) await work(from, Math.min(rows, from + step));
}
