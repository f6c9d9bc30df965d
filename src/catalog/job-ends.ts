import { assert } from "../base/assert.ts";
import { FirnError } from "../base/error.ts";
import type { AccountId, WriterId } from "../base/ids.ts";
import type { Item, PointerOp } from "../pointer/port.ts";
import type { BatchBuilder } from "./batch.ts";
import { encodeJob } from "./codec/job.ts";
import type { CatalogContext } from "./context.ts";
import { corrupt } from "./errors.ts";
import { JOB_DONE, type JobLease, jobKeys } from "./jobs.ts";
import { CATALOG_LIMITS } from "./limits.ts";
import type { Job } from "./model.ts";

/*
 * The end of a job that a user may ask about. Its record stays for `CATALOG_LIMITS.jobKeptMs`, and
 * is due then: the node that takes it up removes it.
 */

/** Why a job ended without doing what it was for. */
export interface JobFailure {
  readonly code: string;
  readonly message: string;
}

/** A job as it is kept once it is over. A failure that a later try made good is forgotten. */
export function endedJob(job: Job, nowMs: number, failure?: JobFailure): Job {
  assert(job.step !== JOB_DONE, "a job ends once, or its record would stay for longer");
  const { holder: _holder, lastFailure: code, lastMessage: message, ...left } = job;
  const ended = {
    ...left,
    step: JOB_DONE,
    heldUntilMs: 0,
    dueMs: nowMs + CATALOG_LIMITS.jobKeptMs,
    endedMs: nowMs,
  };
  if (failure !== undefined) {
    return { ...ended, lastFailure: failure.code, lastMessage: failure.message };
  }
  const isTold = job.failures > 0 && code !== undefined;
  return isTold ? { ...ended, lastFailure: code, lastMessage: message ?? "" } : ended;
}

/** The keys that the end of a job writes: its state, where it was due, where it is due then. */
export function endKeys(account: AccountId, before: Job, ended: Job): readonly string[] {
  const [, later] = jobKeys(account, ended.id, ended.dueMs);
  return [...jobKeys(account, before.id, before.dueMs), later];
}

/** Ends a job within a batch. `items`: under `endKeys`, in their order. */
export function putEnded(batch: BatchBuilder, items: readonly Item[], ended: Job): void {
  const [state, due, later] = items;
  if (state === undefined || due === undefined || later === undefined) {
    throw corrupt("store answered fewer items than asked for", { id: ended.id });
  }
  assert(ended.step === JOB_DONE, "what is kept for its record is over");
  batch
    .derive(state, { bytes: encodeJob(ended) })
    .derive(later, {})
    .makesJob(ended.dueMs);
  if (due.state === "live") batch.deriveDelete(due);
}

/**
 * Ends a job that has nothing left to do. One read, one write.
 *
 * @throws FirnError `Conflict` `JOB_LEASE_LOST`; `Unavailable` `STORE_UNAVAILABLE`.
 */
export async function endJob(
  context: CatalogContext,
  lease: JobLease,
  failure?: JobFailure,
): Promise<void> {
  const { account, clock, ids, jobNews, pointers } = context;
  const { job } = lease;
  const ended = endedJob(job, clock.nowMs(), failure);
  const [state, due, later] = await pointers.getMany(endKeys(account, job, ended));
  if (state === undefined || due === undefined || later === undefined) throw lease.lost();
  lease.assertSame(state);
  const ops: PointerOp[] = [
    { op: "put", key: state.key, expected: state.version, summary: encodeJob(ended) },
    { op: "put", key: later.key, expected: later.version },
  ];
  if (due.state === "live") ops.push({ op: "delete", key: due.key, expected: due.version });
  const { outcome } = await pointers.commit({ writerId: ids.mint<WriterId>(), ops });
  if (outcome === "conflict") throw lease.lost();
  if (outcome !== "committed") {
    const message = "the end of the job is unknown: it is taken up again";
    throw new FirnError("Unavailable", "STORE_UNAVAILABLE", message, { job: job.id });
  }
  jobNews.made(ended.dueMs);
}
