import { FirnError } from "../../base/error.ts";
import type { CatalogId, JobId } from "../../base/ids.ts";
import type { BlobStore } from "../../blob/port.ts";
import type { AccountCatalog } from "../../catalog/catalog.ts";
import { endJob, type JobFailure } from "../../catalog/job-ends.ts";
import { JOB_DONE, JobLease } from "../../catalog/jobs.ts";
import type { Job } from "../../catalog/model.ts";
import { pinnedSince } from "../../catalog/pins.ts";
import { removeShard } from "../../catalog/shard-removal.ts";
import {
  closedBy,
  closeShard,
  heldIn,
  type NamedShard,
  openShard,
  type RowStore,
  rowError,
} from "../../rows/index.ts";
import { OWN_ACTOR } from "../actor.ts";
import type { JobWaits } from "../job-runner.ts";
import { SERVICE_LIMITS } from "../limits.ts";
import { ShardElsewhere } from "../shards/shard-elsewhere.ts";
import type { RowShards } from "./row-shards.ts";
import type { RowTables } from "./row-tables.ts";

/*
 * Deletion of empty shards, as jobs. The step of a job is `SHARD NAME close`: the shard is closed
 * to what is new, and one batch takes it out of the catalog and makes the step
 * `SHARD NAME removed TIME`. Its files stay until that time, and while a backup is taken that may
 * have read of it.
 */

/** Requests that found the shard in the catalog before are over by then. */
const FILES_KEPT_MS = 60_000;
/** A node that dies while it deletes a shard leaves the job to another one behind so much. */
const LEFT_AFTER_MS = 60_000;
/** Of what a shard holds, an error names so many. */
const NAMED = 5;

export interface RowShardJobsParts {
  readonly catalog: AccountCatalog;
  readonly shards: RowShards;
  readonly rows: Pick<RowTables, "sweep">;
  readonly blobs: BlobStore;
}

export class RowShardJobs {
  readonly #parts: RowShardJobsParts;

  constructor(parts: RowShardJobsParts) {
    this.#parts = parts;
  }

  /**
   * Deletes an empty shard. When it answers, the catalog has it no more; its files go later.
   *
   * @returns the job.
   * @throws FirnError `Conflict`, code `ROW_SHARD_NOT_EMPTY` (55006); `ShardElsewhere`, before
   *   anything was done.
   */
  async delete(catalogId: CatalogId, { id: shard, name }: NamedShard): Promise<Job> {
    const { catalog, shards, rows } = this.#parts;
    const store = await shards.of(shard);
    await rows.sweep(OWN_ACTOR, shard);
    assertEmpty(name, await heldIn(store));
    const { ids, clock } = catalog.context;
    const job: Job = {
      id: ids.mint<JobId>(),
      kind: "delete-shard",
      subject: { type: "catalog", id: catalogId },
      step: `${shard} ${name} close`,
      dueMs: clock.nowMs(),
      heldUntilMs: 0,
      tries: 0,
      failures: 0,
    };
    await catalog.jobs.begin(job);
    const lease = await catalog.jobs.take(job.id, true);
    // The runner may be faster.
    if (!(lease instanceof JobLease)) return job;
    try {
      const over = await this.run(lease);
      if (over !== true) await lease.release(over.untilMs - clock.nowMs());
    } catch (error) {
      await lease.release(LEFT_AFTER_MS).catch(() => undefined);
      throw error;
    }
    const after = await catalog.jobs.get(job.id);
    const { lastFailure, lastMessage = "" } = after ?? {};
    if (after?.step === JOB_DONE && lastFailure !== undefined) {
      throw rowError("Conflict", lastFailure, "55006", lastMessage, { shard: name });
    }
    return after ?? job;
  }

  /** Carries a deletion on from wherever it stands. See `JobWork`. */
  async run(lease: JobLease): Promise<true | JobWaits> {
    const [shard = "", name = "", step] = lease.job.step.split(" ");
    if (step === "close") {
      const failure = await this.#remove(lease, { id: shard, name });
      if (failure !== undefined) {
        await endJob(this.#parts.catalog.context, lease, failure);
        return true;
      }
    }
    return await this.#clear(lease, shard);
  }

  /** @returns why the shard stays. */
  async #remove(lease: JobLease, { id, name }: NamedShard): Promise<JobFailure | undefined> {
    const { catalog, shards } = this.#parts;
    const { context } = catalog;
    const { id: job, subject } = lease.job;
    let store: RowStore | undefined;
    try {
      store = await shards.of(id);
      assertEmpty(name, await closeShard(store, job));
      const untilMs = context.clock.nowMs() + FILES_KEPT_MS;
      const fence = lease.fence({ step: `${id} ${name} removed ${untilMs}` });
      await removeShard(context, OWN_ACTOR, subject.id as CatalogId, id, fence);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (store !== undefined) await openShard(store, job);
      return { code: error.code, message: error.message };
    }
    return undefined;
  }

  async #clear(lease: JobLease, shard: string): Promise<true | JobWaits> {
    const { catalog, shards, blobs } = this.#parts;
    const { account, clock } = catalog.context;
    const untilMs = Number(lease.job.step.split(" ")[3] ?? 0);
    if (clock.nowMs() < untilMs) return { untilMs };
    const later = { untilMs: clock.nowMs() + SERVICE_LIMITS.jobRetryCapMs };
    const pinned = await pinnedSince(blobs, clock, account);
    if (pinned !== Number.POSITIVE_INFINITY) return later;
    try {
      await shards.remove(shard);
    } catch (error) {
      // Its owner takes the job up at some time, or is gone then.
      if (error instanceof ShardElsewhere) return later;
      throw error;
    }
    await endJob(catalog.context, lease);
    return true;
  }

  /** Opens a shard whose deletion is over, as in a store that was restored. */
  async heal(store: RowStore): Promise<void> {
    const job = await closedBy(store);
    if (job === undefined) return;
    const found = await this.#parts.catalog.jobs.get(job as JobId);
    if (found === undefined || found.step === JOB_DONE) await openShard(store, job);
  }
}

/** @throws FirnError `Conflict`, code `ROW_SHARD_NOT_EMPTY` (55006). */
function assertEmpty(shard: string, held: readonly string[]): void {
  if (held.length === 0) return;
  const named = held.slice(0, NAMED).join(", ");
  const message = `the shard holds ${held.length} things, such as ${named}`;
  const hint =
    "Move its tables away, or drop them. What was dropped or moved stays until its purge is over.";
  const context = { shard, hint, count: held.length };
  throw rowError("Conflict", "ROW_SHARD_NOT_EMPTY", "55006", message, context);
}

/** Whether no later try finds another answer. */
function isRefusal(error: unknown): error is FirnError {
  if (!(error instanceof FirnError)) return false;
  return ["ROW_SHARD_NOT_EMPTY", "ROW_SHARD_NOT_FOUND", "CATALOG_NOT_FOUND"].includes(error.code);
}
