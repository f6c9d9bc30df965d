import type { KeyOf } from "./operators.ts";
import { type ExecRun, eachRow, type Row, type RowSource } from "./run.ts";

export type SetOperation = "union" | "intersect" | "except";

/** Rows of several sources, one after the other. */
export async function* appended(
  openers: readonly (() => Promise<RowSource>)[],
): AsyncGenerator<readonly Row[], void> {
  for (const open of openers) {
    const source = await open();
    try {
      for (;;) {
        const batch = await source.next();
        if (batch === undefined) break;
        yield batch;
      }
    } finally {
      source.close();
    }
  }
}

/** INTERSECT and EXCEPT: by how often each row is on the right. */
export async function* combined(
  left: RowSource,
  right: RowSource,
  run: ExecRun,
  how: { readonly operation: SetOperation; readonly isAll: boolean; readonly keyOf: KeyOf },
): AsyncGenerator<readonly Row[], void> {
  const { operation, isAll, keyOf } = how;
  const counts = new Map<string, number>();
  for await (const row of eachRow(right, run)) {
    const key = keyOf(row);
    const count = counts.get(key);
    if (count === undefined) run.keep(key.length * 2 + 64);
    counts.set(key, (count ?? 0) + 1);
  }
  const given = new Set<string>();
  let out: Row[] = [];
  for await (const row of eachRow(left, run)) {
    const key = keyOf(row);
    const count = counts.get(key) ?? 0;
    if (isAll) {
      if (count > 0) counts.set(key, count - 1);
      if (operation === "intersect" ? count === 0 : count > 0) continue;
    } else {
      if (given.has(key) || count > 0 !== (operation === "intersect")) continue;
      given.add(key);
      run.keep(key.length * 2 + 64);
    }
    out.push(row);
    if (out.length < 256) continue;
    yield out;
    out = [];
  }
  if (out.length > 0) yield out;
}
