import { FirnError } from "../../base/error.ts";
import type { JobId, WriterId } from "../../base/ids.ts";
import { encodeJob } from "../../catalog/codec/job.ts";
import type { CatalogContext } from "../../catalog/context.ts";
import { type JobLease, jobKeys, jobOf } from "../../catalog/jobs.ts";
import type { Job } from "../../catalog/model.ts";
import type { PointerOp, PointerStore } from "../../pointer/port.ts";
import { SERVICE_LIMITS } from "../limits.ts";

/*
 * An account has one job that collects, or none: a run ends with the job of the next one, as long
 * as there is anything that will expire. So a store that nothing was written to for long has none,
 * and the first write makes it again.
 */

export const GC_JOB = "collect-garbage" as JobId;

function jobDueAt(account: string, dueMs: number): Job {
  return {
    id: GC_JOB,
    kind: "collect-garbage",
    subject: { type: "account", id: account },
    step: "",
    dueMs,
    heldUntilMs: 0,
    tries: 0,
    failures: 0,
  };
}

/** When the run after `nowMs` begins: at the same times on every node. */
export function nextPeriodMs(nowMs: number): number {
  return (Math.floor(nowMs / SERVICE_LIMITS.gcPeriodMs) + 1) * SERVICE_LIMITS.gcPeriodMs;
}

/**
 * Makes the job where there is none. One read and at most one write.
 *
 * @returns whether there is one now, for certain.
 */
export async function makeJob(
  { account, ids, jobNews }: CatalogContext,
  pointers: PointerStore,
  dueMs: number,
): Promise<boolean> {
  const [stateKey, dueKey] = jobKeys(account, GC_JOB, dueMs);
  const [state, due] = await pointers.getMany([stateKey, dueKey]);
  if (state === undefined || due === undefined || state.state === "live") return true;
  const summary = encodeJob(jobDueAt(account, dueMs));
  const { outcome } = await pointers.commit({
    writerId: ids.mint<WriterId>(),
    ops: [
      { op: "put", key: stateKey, expected: state.version, summary },
      { op: "put", key: dueKey, expected: due.version },
    ],
  });
  if (outcome !== "committed" && outcome !== "conflict") return false;
  jobNews.made(dueMs);
  return true;
}

/**
 * Ends a run, and makes the job of the next in the same batch, where there is to be one.
 *
 * @param failure what stopped the run: the next one's job says so.
 * @throws FirnError `Conflict` `JOB_LEASE_LOST`; `Unavailable`.
 */
export async function endJob(
  { account, ids, pointers, jobNews }: CatalogContext,
  lease: JobLease,
  next: { readonly dueMs: number; readonly failure?: string | undefined } | undefined,
): Promise<void> {
  if (next === undefined) return lease.end();
  const { id, dueMs, failures } = lease.job;
  const keys = [...jobKeys(account, id, dueMs), jobKeys(account, id, next.dueMs)[1]];
  const [state, due, later] = await pointers.getMany(keys);
  if (state === undefined || due === undefined) throw lease.lost();
  lease.assertSame(state);
  const { failure } = next;
  const job = jobDueAt(account, next.dueMs);
  const told =
    failure === undefined ? job : { ...job, failures: failures + 1, lastFailure: failure };
  const summary = encodeJob(told);
  const ops: PointerOp[] = [{ op: "put", key: state.key, expected: state.version, summary }];
  const isSame = next.dueMs === dueMs;
  if (due.state === "live" && !isSame) {
    ops.push({ op: "delete", key: due.key, expected: due.version });
  }
  if (later !== undefined && later.state === "absent") {
    ops.push({ op: "put", key: later.key, expected: later.version });
  }
  const { outcome } = await pointers.commit({ writerId: ids.mint<WriterId>(), ops });
  if (outcome === "conflict") throw lease.lost();
  if (outcome !== "committed") {
    const message = "the end of the run is unknown: it is taken up again";
    throw new FirnError("Unavailable", "STORE_UNAVAILABLE", message);
  }
  jobNews.made(next.dueMs);
}

/** The job, where there is one. One read. */
export async function readJob({
  account,
  pointers,
}: Pick<CatalogContext, "account" | "pointers">): Promise<Job | undefined> {
  const item = await pointers.get(jobKeys(account, GC_JOB, 0)[0]);
  return item.state === "live" ? jobOf(item) : undefined;
}
