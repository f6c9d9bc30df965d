import { FirnError } from "../../base/error.ts";
import type { JobId, TableId } from "../../base/ids.ts";
import type { AccountCatalog } from "../../catalog/catalog.ts";
import { endJob } from "../../catalog/job-ends.ts";
import { JobLease } from "../../catalog/jobs.ts";
import type { Job } from "../../catalog/model.ts";
import {
  beginIndex,
  buildIndex,
  type IndexReport,
  type IndexSpec,
  type RowStore,
  repairIndex,
  rowError,
} from "../../rows/index.ts";
import type { Actor } from "../actor.ts";
import { isOver, progressOf } from "./row-index-jobs.ts";
import type { OpenRowTable } from "./row-tables.ts";

/** A node that dies while it builds leaves the job to another one behind so much. */
const LEFT_AFTER_MS = 60_000;

/**
 * Indexes of row tables: their builds, which go on as jobs where the node that began one dies, and
 * their checks and repairs.
 */
export class RowIndexes {
  readonly #catalog: AccountCatalog;

  constructor(catalog: AccountCatalog) {
    this.#catalog = catalog;
  }

  /**
   * Builds an index while others write; it is public when this resolves.
   *
   * @throws FirnError `ROW_INDEX_EXISTS`, `ROW_TABLE_INVALID`; `ROW_DUPLICATE` (23505): the index
   *   is dropped; what `signal` was aborted with: it is dropped too; what stops the shard: then the
   *   build goes on as a job.
   */
  async build(
    _actor: Actor,
    { store, id }: OpenRowTable,
    spec: IndexSpec,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<void> {
    const lease = await this.#begin(store, id, spec);
    try {
      await buildIndex(store, id, spec.name, async (step) => {
        signal.throwIfAborted();
        await noted(lease, await progressOf(store, id, step));
      });
    } catch (error) {
      if (signal.aborted) await dropIndex(store, id, spec.name);
      if (signal.aborted || isOver(error)) await this.#end(lease, error);
      // What a later try may get over is left to the job.
      else await lease?.release(0).catch(() => undefined);
      throw error;
    }
    await this.#end(lease);
  }

  /**
   * Compares indexes with the rows, and mends those that disagree where `repair` says so.
   * What it tells is how they were before.
   *
   * @param index absent: all of them that are public.
   * @throws FirnError `NotFound`, code `ROW_INDEX_NOT_FOUND`; `AlreadyExists`, `ROW_DUPLICATE`.
   */
  async check(
    _actor: Actor,
    { store, id }: OpenRowTable,
    { index, repair = false }: { readonly index?: string; readonly repair?: boolean },
  ): Promise<readonly IndexReport[]> {
    const reports = await store.run(
      async (tx) => {
        const table = await tx.tables.get(id);
        const wanted = table.indexes.filter(
          (one) => one.state === "public" && (index === undefined || one.name === index),
        );
        if (index !== undefined && wanted.length === 0) throw unknown(table.name, index);
        const found: IndexReport[] = [];
        for (const one of wanted) found.push(await tx.checkIndex(table, one.id));
        return found;
      },
      { isolation: "repeatable read", readOnly: true },
    );
    for (const { index: broken, missing, extra, wrong } of reports) {
      if (repair && missing + extra + wrong > 0) await repairIndex(store, id, broken);
    }
    return reports;
  }

  /** The job first: no crash leaves a build without one. */
  async #begin(store: RowStore, table: TableId, spec: IndexSpec): Promise<JobLease | undefined> {
    const { context, jobs } = this.#catalog;
    const job: Job = {
      id: context.ids.mint<JobId>(),
      kind: "build-index",
      subject: { type: "table", id: table },
      step: spec.name,
      dueMs: context.clock.nowMs() + LEFT_AFTER_MS,
      heldUntilMs: 0,
      tries: 0,
      failures: 0,
    };
    await jobs.begin(job);
    const taken = await jobs.take(job.id, true);
    const lease = taken instanceof JobLease ? taken : undefined;
    try {
      await beginIndex(store, table, spec);
      return lease;
    } catch (error) {
      await this.#end(lease, error);
      throw error;
    }
  }

  /** What cannot be told now is found by the node that takes the job up. */
  async #end(lease: JobLease | undefined, error?: unknown): Promise<void> {
    if (lease === undefined) return;
    const failure =
      error === undefined
        ? undefined
        : error instanceof FirnError
          ? { code: error.code, message: error.message }
          : { code: "ROW_INDEX_BUILD_ENDED", message: "the statement was ended" };
    await endJob(this.#catalog.context, lease, failure).catch(() => undefined);
  }
}

/** A lease that another node has by now does not keep the build from its end. */
async function noted(
  lease: JobLease | undefined,
  progress: { readonly done: number; readonly total: number },
): Promise<void> {
  await lease?.keep(progress).catch(() => undefined);
}

async function dropIndex(store: RowStore, id: TableId, name: string): Promise<void> {
  await store.run(async (tx) => {
    const table = await tx.tables.find(id);
    if (table?.indexes.some((one) => one.name === name) === true) await tx.dropIndex(id, name);
  });
}

function unknown(table: string, index: string): FirnError {
  const message = "the table has no such index";
  return rowError("NotFound", "ROW_INDEX_NOT_FOUND", "42704", message, { table, index });
}
