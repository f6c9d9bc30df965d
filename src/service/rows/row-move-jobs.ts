import { FirnError } from "../../base/error.ts";
import type { JobId, TableId } from "../../base/ids.ts";
import type { BlobStore } from "../../blob/port.ts";
import type { AccountCatalog } from "../../catalog/catalog.ts";
import { tableNotFound } from "../../catalog/errors.ts";
import { endJob, type JobFailure } from "../../catalog/job-ends.ts";
import { JOB_DONE, type JobLease } from "../../catalog/jobs.ts";
import { pinnedSince } from "../../catalog/pins.ts";
import { anyTableById, moveToShard, type ShardMove } from "../../catalog/shard-moves.ts";
import { type RowStore, rowError, TableMove } from "../../rows/index.ts";
import { OWN_ACTOR } from "../actor.ts";
import type { JobWaits } from "../job-runner.ts";
import { SERVICE_LIMITS } from "../limits.ts";
import { ShardElsewhere } from "../shards/shard-elsewhere.ts";
import { shardOf } from "./row-places.ts";
import type { RowShards } from "./row-shards.ts";

/*
 * Moves of row tables between the shards of their catalog: see `table-move.ts` for what the shards
 * do. The step of a job is `FROM TO copy`, with the ids of the shards; the batch that moves the
 * table makes it `FROM TO moved TIME`. The source stays until that time, and while a backup is
 * taken that may have read of the table in its old place.
 */

/** Requests that found the table in its old place before it moved are over by then. */
const OLD_KEPT_MS = 60_000;
/** Passes over the rows while others write them. */
const MOST_PASSES = 5;
/** So few that differ are copied while writers are refused. */
const FEW = 500;

export interface RowMovesParts {
  readonly catalog: AccountCatalog;
  readonly shards: RowShards;
  readonly blobs: BlobStore;
}

/** What is known of a move that goes on. */
interface Going extends ShardMove {
  readonly lease: JobLease;
  readonly move: TableMove;
  readonly ended: AbortSignal;
}

/** Moves of tables, as jobs: begun by `RowMoves`, carried on by any node. */
export class RowMoveJobs {
  readonly #parts: RowMovesParts;

  constructor(parts: RowMovesParts) {
    this.#parts = parts;
  }

  /** Carries a move on from wherever it stands, and answers whether it is over. See `JobWork`. */
  async run(lease: JobLease, ended: AbortSignal): Promise<boolean | JobWaits> {
    const { context } = this.#parts.catalog;
    const { id: job, subject, step, cancelled } = lease.job;
    const [from = "", to = ""] = step.split(" ");
    const id = subject.id as TableId;
    const going = { lease, ended, from, to, move: await this.try(id, { from, to }, job) };
    const table = (await anyTableById(context, id))?.entity;
    if (table !== undefined && shardOf(table) === to) return await this.#settle(going);
    if (cancelled === true) {
      const failure = { code: "JOB_CANCELLED", message: "cancelled: the table stays" };
      return await this.#undo(going, failure);
    }
    if (table?.state !== "ACTIVE") {
      const { code, message } = tableNotFound([], table?.name ?? id);
      return await this.#undo(going, { code, message });
    }
    return await this.#copy(going, id);
  }

  async #copy(going: Going, id: TableId): Promise<boolean | JobWaits> {
    const { lease, move, from, to, ended } = going;
    const { context } = this.#parts.catalog;
    const keep = async (done: number): Promise<void> => {
      if (ended.aborted) throw new Interrupted();
      const { total = 0 } = lease.job;
      await lease.keep({ done, total: Math.max(done, total) });
    };
    try {
      await move.begin(this.isOver);
      for (let pass = 1; pass <= MOST_PASSES; pass++) {
        if ((await move.copy(keep)) <= FEW) break;
      }
      await move.freeze();
      await move.copy(keep);
      await move.close();
    } catch (error) {
      if (isRefusal(error)) {
        return await this.#undo(going, { code: error.code, message: error.message });
      }
      // It is opened at the next try at the latest.
      await move.thaw().catch(() => undefined);
      if (error instanceof Interrupted) return false;
      throw error;
    }
    const untilMs = context.clock.nowMs() + OLD_KEPT_MS;
    const { total = 0 } = lease.job;
    const fence = lease.fence({ step: `${from} ${to} moved ${untilMs}`, done: total, total });
    await moveToShard(context, OWN_ACTOR, id, { from, to }, fence);
    return await this.#settle(going);
  }

  /** Behind the batch: the copy is the table, and the source goes when it is not needed. */
  async #settle({ lease, move }: Going): Promise<boolean | JobWaits> {
    const { catalog, blobs } = this.#parts;
    const { account, clock } = catalog.context;
    await move.arrive();
    const untilMs = Number(lease.job.step.split(" ")[3] ?? 0);
    if (clock.nowMs() < untilMs) return { untilMs };
    if ((await pinnedSince(blobs, clock, account)) !== Number.POSITIVE_INFINITY) {
      return { untilMs: clock.nowMs() + SERVICE_LIMITS.jobRetryCapMs };
    }
    await move.forget();
    await endJob(catalog.context, lease);
    return true;
  }

  async #undo({ lease, move }: Going, failure: JobFailure): Promise<true> {
    await move.undo();
    await endJob(this.#parts.catalog.context, lease, failure);
    return true;
  }

  /** What moves have left in a shard whose jobs are gone, as in a store that was restored. */
  async heal(store: RowStore, shard: string): Promise<void> {
    const notes = await store.run((tx) => tx.tables.moves(), { readOnly: true });
    for (const { id, job } of notes) {
      if (!(await this.isOver(job))) continue;
      const marked = await store.run((tx) => tx.tables.find(id), { readOnly: true });
      const from = marked?.incoming?.from ?? shard;
      const to = marked?.moving?.to ?? shard;
      const move = await this.try(id, { from, to }, job);
      const table = (await anyTableById(this.#parts.catalog.context, id))?.entity;
      const isHere = table === undefined || shardOf(table) === shard;
      if (marked?.incoming !== undefined) await (isHere ? move.arrive() : move.undo());
      else await (isHere ? move.undo() : move.forget());
    }
  }

  readonly isOver = async (job: string): Promise<boolean> => {
    const found = await this.#parts.catalog.jobs.get(job as JobId);
    return found === undefined || found.step === JOB_DONE;
  };

  /**
   * A try of a move.
   *
   * @throws ShardElsewhere: of the shard that it leaves; FirnError `Conflict`, code
   *   `ROW_MOVE_ELSEWHERE` (0A000): another node serves the one that it goes to.
   */
  async try(table: TableId, { from, to }: ShardMove, job: string): Promise<TableMove> {
    const { shards, catalog } = this.#parts;
    const source = await shards.of(from);
    const target = await shards.newestOf(to).catch((error: unknown) => {
      throw error instanceof ShardElsewhere ? onTwoNodes(error) : error;
    });
    const attempt = catalog.context.ids.mint<JobId>();
    return new TableMove({ source, target, table, from, to, job, attempt });
  }
}

/** Who moves rows reads and writes both shards, each in its owner's process. */
function onTwoNodes({ shard, pointer }: ShardElsewhere): FirnError {
  const { node, host } = pointer.owner;
  const message = "the two shards are on two nodes: a table moves between shards of one node";
  const hint =
    "GET /shards shows their owners. Ask one of these to take the other shard: " +
    "POST /shards/{catalog}:move?shard=NAME. Then move the table again.";
  const context = { shard, node, host, hint };
  return rowError("Conflict", "ROW_MOVE_ELSEWHERE", "0A000", message, context);
}

class Interrupted extends Error {}

/** Whether no later try finds another answer. */
function isRefusal(error: unknown): error is FirnError {
  if (!(error instanceof FirnError)) return false;
  const { kind, code } = error;
  return kind === "Invalid" || kind === "NotFound" || (kind === "Conflict" && code === MOVING);
}

const MOVING = "ROW_TABLE_MOVING";
