import { invalid } from "../../base/error.ts";
import type { JobId, TableId } from "../../base/ids.ts";
import { entityById } from "../../catalog/by-id.ts";
import type { AccountCatalog } from "../../catalog/catalog.ts";
import { tableNotFound } from "../../catalog/errors.ts";
import { JOB_DONE, JobLease } from "../../catalog/jobs.ts";
import type { Catalog, Job, Table } from "../../catalog/model.ts";
import type { ShardMove } from "../../catalog/shard-moves.ts";
import type { Actor } from "../actor.ts";
import type { RowMoveJobs } from "./row-move-jobs.ts";
import { shardNamed, shardOf } from "./row-places.ts";

/** A node that dies while it moves a table leaves the job to another one behind so much. */
const LEFT_AFTER_MS = 60_000;

/** A table, and the name of the shard where it is to go. */
export interface MoveAsked {
  readonly table: TableId;
  readonly shard: string;
}

/** Moves of row tables to other shards. */
export class RowMoves {
  readonly #catalog: AccountCatalog;
  readonly #jobs: RowMoveJobs;

  constructor(catalog: AccountCatalog, jobs: RowMoveJobs) {
    this.#catalog = catalog;
    this.#jobs = jobs;
  }

  /**
   * Makes the job that moves a table; undefined where it is in that shard.
   *
   * @throws FirnError `TABLE_NOT_FOUND`, `FORMAT_UNSUPPORTED`, `ROW_SHARD_NOT_FOUND`; as
   *   `RowMoveJobs.try` and `TableMove.check`.
   */
  async begin(_actor: Actor, asked: MoveAsked): Promise<Job | undefined> {
    const catalog = this.#catalog;
    const found = await this.#placeOf(asked);
    if (found === undefined) return undefined;
    const { ids, clock } = catalog.context;
    const id = ids.mint<JobId>();
    const total = await (await this.#jobs.try(asked.table, found, id)).check(this.#jobs.isOver);
    const job: Job = {
      id,
      kind: "move-table",
      subject: { type: "table", id: asked.table },
      step: `${found.from} ${found.to} copy`,
      dueMs: clock.nowMs(),
      heldUntilMs: 0,
      tries: 0,
      failures: 0,
      total,
    };
    await catalog.jobs.begin(job);
    return job;
  }

  /**
   * Moves a table, and answers when it has moved. What is left of it in its old place goes later.
   *
   * @throws FirnError as `begin`; what kept it from moving; what `signal` was aborted with: then it
   *   goes on as a job.
   */
  async move(actor: Actor, asked: MoveAsked, signal: AbortSignal): Promise<void> {
    const catalog = this.#catalog;
    const job = await this.begin(actor, asked);
    if (job === undefined) return;
    const lease = await catalog.jobs.take(job.id, true);
    if (!(lease instanceof JobLease)) throw new Error("a new job is free");
    try {
      const over = await this.#jobs.run(lease, signal);
      const waits = typeof over === "object" ? over.untilMs - catalog.context.clock.nowMs() : 0;
      if (over !== true) await lease.release(Math.max(0, waits));
    } catch (error) {
      await lease.release(LEFT_AFTER_MS).catch(() => undefined);
      throw error;
    }
    signal.throwIfAborted();
    const ended = await catalog.jobs.get(job.id);
    const { lastFailure, lastMessage = "" } = ended ?? {};
    if (ended?.step !== JOB_DONE || lastFailure === undefined) return;
    throw invalid(lastFailure, lastMessage, { sqlState: "0A000" });
  }

  /** Undefined where the table is there. */
  async #placeOf({ table: id, shard }: MoveAsked): Promise<ShardMove | undefined> {
    const { context } = this.#catalog;
    const table = (await entityById<Table>(context, "table", id))?.entity;
    const catalog = table && (await entityById<Catalog>(context, "catalog", table.catalogId));
    if (table === undefined || catalog === undefined) throw tableNotFound([], id);
    const [from, { id: to }] = [shardOf(table), shardNamed(catalog.entity, shard)];
    return from === to ? undefined : { from, to };
  }
}
