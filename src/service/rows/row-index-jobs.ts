import { FirnError } from "../../base/error.ts";
import type { TableId } from "../../base/ids.ts";
import { entityById } from "../../catalog/by-id.ts";
import type { AccountCatalog } from "../../catalog/catalog.ts";
import { endJob } from "../../catalog/job-ends.ts";
import type { JobLease } from "../../catalog/jobs.ts";
import type { Table } from "../../catalog/model.ts";
import { buildIndex, type IndexBuildStep, type RowStore } from "../../rows/index.ts";
import { OWN_ACTOR } from "../actor.ts";
import type { RowTables } from "./row-tables.ts";

/** Over the rows, over them again, and over the entries. */
const PASSES = 3;

/** Builds of indexes that the node which began them has left. */
export class RowIndexJobs {
  readonly #catalog: AccountCatalog;
  readonly #rows: Pick<RowTables, "of">;

  constructor(catalog: AccountCatalog, rows: Pick<RowTables, "of">) {
    this.#catalog = catalog;
    this.#rows = rows;
  }

  /** Carries a build on from its note, and answers whether it is over. See `JobWork`. */
  async run(lease: JobLease, ended: AbortSignal): Promise<boolean> {
    const { context } = this.#catalog;
    const { subject, step: name } = lease.job;
    const table = await entityById<Table>(context, "table", subject.id as TableId);
    if (table === undefined) {
      await endJob(context, lease);
      return true;
    }
    const { store, id } = await this.#rows.of(OWN_ACTOR, table.entity);
    try {
      await buildIndex(store, id, name, async (step) => {
        if (ended.aborted) throw new Interrupted();
        await lease.keep(await progressOf(store, id, step));
      });
    } catch (error) {
      if (error instanceof Interrupted) return false;
      if (!isOver(error)) throw error;
      await endJob(context, lease, { code: error.code, message: error.message });
      return true;
    }
    await endJob(context, lease);
    return true;
  }
}

/** Why a build is over without an index. */
const OVER: ReadonlySet<FirnError["kind"]> = new Set(["AlreadyExists", "Invalid", "NotFound"]);

/** Whether no later try finds another answer. */
export function isOver(error: unknown): error is FirnError {
  return error instanceof FirnError && OVER.has(error.kind);
}

class Interrupted extends Error {}

/** How far a build is, in rows of its three passes. */
export async function progressOf(
  store: RowStore,
  id: TableId,
  { state, pass, done }: IndexBuildStep,
): Promise<{ readonly done: number; readonly total: number }> {
  const rows = await store.run(
    async (tx) => {
      const table = await tx.tables.find(id);
      return table === undefined ? 0 : (await tx.estimate(table, 0)).rows;
    },
    { readOnly: true, isolation: "repeatable read" },
  );
  const passed = state === "backfilling" ? 0 : pass === "rows" ? 1 : 2;
  const total = Math.max(PASSES * rows, passed * rows + done);
  return { done: passed * rows + done, total };
}
