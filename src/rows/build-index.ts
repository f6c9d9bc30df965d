import { FirnError } from "../base/error.ts";
import type { TableId } from "../base/ids.ts";
import { Stretches } from "../base/steps.ts";
import type { IndexReport } from "./check-index.ts";
import type { IndexBuildStep } from "./index-builds.ts";
import type { RowStore } from "./store.ts";
import type { IndexSpec } from "./table-spec.ts";

/** Rows of one step. */
const STEP_ROWS = 500;

/**
 * Builds an index while others write, or carries a build on that was begun. What keeps it from
 * becoming public, such as two rows of one key, drops it.
 *
 * @param onStep told behind each step; it may throw, which leaves the build as it is.
 * @throws FirnError `AlreadyExists`, code `ROW_DUPLICATE` (23505); `NotFound`: the table or the
 *   index is not there any more.
 */
export async function buildIndex(
  store: RowStore,
  table: TableId,
  name: string,
  onStep: (step: IndexBuildStep) => Promise<void> | void = () => undefined,
  stepRows: number = STEP_ROWS,
): Promise<void> {
  const stretches = new Stretches(store.clock);
  for (;;) {
    await stretches.turn();
    let step: IndexBuildStep;
    try {
      step = await store.run((tx) => tx.indexBuilds.step(table, name, stepRows), {
        isolation: "read committed",
      });
    } catch (error) {
      if (isFinal(error)) await dropBuilding(store, table, name);
      throw error;
    }
    if (step.state === "public") return;
    await onStep(step);
  }
}

/**
 * Makes an index that `buildIndex` is to fill. @throws FirnError as `RowTransaction.createIndex`.
 */
export async function beginIndex(store: RowStore, table: TableId, spec: IndexSpec): Promise<void> {
  await store.run((tx) => tx.createIndex(table, spec, "backfilling"));
}

/** What the rows themselves are in the way of: no later try finds another answer. */
function isFinal(error: unknown): boolean {
  if (!(error instanceof FirnError)) return false;
  return error.kind === "AlreadyExists" || error.kind === "Invalid";
}

async function dropBuilding(store: RowStore, id: TableId, name: string): Promise<void> {
  await store.run(async (tx) => {
    const found = await tx.tables.find(id);
    const index = found?.indexes.find((one) => one.name === name);
    if (index !== undefined && index.state !== "public") await tx.dropIndex(id, name);
  });
}

/**
 * Mends an index while others write: REPAIR INDEX. In small transactions.
 *
 * @returns what was mended.
 * @throws FirnError `AlreadyExists`, code `ROW_DUPLICATE` (23505): two rows have one unique key.
 */
export async function repairIndex(
  store: RowStore,
  id: TableId,
  name: string,
): Promise<IndexReport> {
  const stretches = new Stretches(store.clock);
  const total = { index: name, rows: 0, entries: 0, missing: 0, extra: 0, wrong: 0 };
  for (const pass of ["rows", "entries"] as const) {
    for (let after: Uint8Array | undefined; ; ) {
      await stretches.turn();
      const from = after;
      const part = await store.run((tx) => tx.indexBuilds.repair(id, name, pass, from), {
        isolation: "read committed",
      });
      total[pass] += part.count;
      total.missing += part.missing;
      total.wrong += part.wrong;
      total.extra += part.extra;
      after = part.last;
      if (part.isEnd) break;
    }
  }
  return total;
}
