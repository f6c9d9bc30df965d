import { FirnError } from "../base/error.ts";
import type { JobId } from "../base/ids.ts";
import { Counts, type Metrics } from "../base/metrics.ts";
import type { AccountCatalog } from "../catalog/catalog.ts";
import type { JobListener } from "../catalog/job-news.ts";
import { JOB_DONE, JobLease } from "../catalog/jobs.ts";
import { CATALOG_LIMITS } from "../catalog/limits.ts";
import type { JobKind } from "../catalog/model.ts";
import { SERVICE_LIMITS } from "./limits.ts";

/** A job whose next step has its time, by the wall clock: until then any node may take it up. */
export interface JobWaits {
  readonly untilMs: number;
}

/**
 * Carries a job on from wherever it stands, and answers whether it is over, or waits. `ended`: the
 * node is to stop, so the rest is left to another. Whatever is thrown, the job is taken up again
 * later.
 */
export type JobWork = (lease: JobLease, ended: AbortSignal) => Promise<boolean | JobWaits>;

/** How a job that was taken up came out: `lost` went to another node, or was called off. */
type Outcome = "done" | "failed" | "interrupted" | "lost" | "waiting";

/** Told of a job that failed, and of when it is tried again. */
export type OnJobFailed = (facts: {
  readonly kind: JobKind;
  readonly job: JobId;
  readonly code: string;
  readonly message: string;
  readonly tries: number;
  readonly againAfterMs: number;
}) => void;

/** Asleep at most this long: a wall clock that was set is noticed. Waking sends no request. */
const MAX_SLEEP_MS = 3_600_000;

/**
 * Takes up what is due, one job at a time. A look is one list a bucket, and there is one at the
 * start, when a job is due that this node made or has seen, and while the catalog is used once a
 * `SERVICE_LIMITS.jobPollMs` at most: it finds what a node that died has left. So an idle node
 * asks for nothing.
 */
export class JobRunner implements JobListener {
  readonly #catalog: AccountCatalog;
  readonly #works: Readonly<Record<JobKind, JobWork>>;
  readonly #outcomes: Counts;
  readonly #failures: Counts;
  readonly #onFailed: OnJobFailed;
  readonly #ended = new AbortController();
  /** Ends the sleep that goes on. */
  #roused = new AbortController();
  /** Wall time of the next look. */
  #nextMs = 0;
  /** When the last look began, or was asked for, by the monotonic clock. */
  #lookedMs = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | undefined;

  constructor(
    catalog: AccountCatalog,
    works: Readonly<Record<JobKind, JobWork>>,
    metrics: Metrics,
    onFailed: OnJobFailed = () => {},
  ) {
    this.#catalog = catalog;
    this.#works = works;
    this.#onFailed = onFailed;
    this.#failures = new Counts(metrics, {
      name: "firn_job_failures_total",
      help: "Jobs that failed and were given back, by the code of what stopped them",
      labels: ["kind", "code"],
    });
    this.#outcomes = new Counts(metrics, {
      name: "firn_jobs_total",
      help: "Jobs that were taken up, by how they came out",
      labels: ["kind", "outcome"],
    });
  }

  /** Looks for due jobs from now on, until `stop`. Does not keep the process running. */
  start(): void {
    if (this.#running !== undefined) return;
    this.#catalog.context.jobNews.listen(this);
    this.#running = this.#loop();
  }

  /** Ends between two steps of a job, which is given back. Idempotent. */
  async stop(): Promise<void> {
    this.#catalog.context.jobNews.listen(undefined);
    this.#ended.abort();
    this.#roused.abort();
    await this.#running;
  }

  /** The node is used, so the store is asked for things anyway. Costs next to nothing. */
  used(): void {
    const nowMs = this.#catalog.context.clock.monotonicMs();
    if (nowMs - this.#lookedMs < SERVICE_LIMITS.jobPollMs) return;
    this.#lookedMs = nowMs;
    this.#lookAt(0);
  }

  /** Looks for due jobs now, if the runner is started. */
  wake(): void {
    this.#lookAt(0);
  }

  /** Takes up one job and brings it as far as it goes. Its failure is recorded, not thrown. */
  async run(id: JobId): Promise<void> {
    await this.#run(id);
  }

  made(dueMs: number): void {
    this.#lookAt(dueMs + this.#spreadMs());
  }

  /**
   * One look at what is due: every job that is free is taken up, and brought as far as it goes.
   *
   * @throws FirnError `Unavailable`: the look itself failed.
   */
  async runDue(): Promise<void> {
    await this.#runDue();
  }

  /** Answers the wall time at which there is something to be done again, as far as is known. */
  async #runDue(): Promise<number> {
    this.#lookedMs = this.#catalog.context.clock.monotonicMs();
    const { due, nextMs } = await this.#catalog.jobs.due();
    let againMs = nextMs;
    for (const id of due) {
      if (this.#ended.signal.aborted) break;
      againMs = Math.min(againMs, await this.#run(id));
    }
    return againMs;
  }

  /**
   * Takes up one free job, also before its time, and brings it as far as it goes.
   *
   * @returns whether it was free.
   */
  async runEarly(id: JobId): Promise<boolean> {
    const taken = await this.#catalog.jobs.take(id, true);
    if (!(taken instanceof JobLease)) return false;
    this.#lookAt(await this.#carryOn(taken));
    return true;
  }

  async #loop(): Promise<void> {
    const { clock } = this.#catalog.context;
    while (!this.#ended.signal.aborted) {
      const waitMs = this.#nextMs - clock.nowMs();
      if (waitMs > 0) {
        await clock.sleep(Math.min(waitMs, MAX_SLEEP_MS), this.#roused.signal);
        continue;
      }
      this.#nextMs = Number.POSITIVE_INFINITY;
      try {
        this.#lookAt((await this.#runDue()) + this.#spreadMs());
      } catch {
        // The store did not answer: the next look will tell.
        this.#lookAt(clock.nowMs() + SERVICE_LIMITS.jobPollMs + this.#spreadMs());
      }
    }
  }

  #lookAt(wallMs: number): void {
    if (wallMs >= this.#nextMs) return;
    this.#nextMs = wallMs;
    if (this.#ended.signal.aborted) return;
    this.#roused.abort();
    this.#roused = new AbortController();
  }

  /** Nodes that wait for the same job do not come at once. */
  #spreadMs(): number {
    return this.#catalog.context.prng.float() * SERVICE_LIMITS.jobPollMs;
  }

  /** Answers when it is to be taken up again, by wall time. */
  async #run(id: JobId): Promise<number> {
    const { clock } = this.#catalog.context;
    try {
      const taken = await this.#catalog.jobs.take(id);
      if (taken === undefined) return Number.POSITIVE_INFINITY;
      if (!(taken instanceof JobLease)) return taken.freeMs;
      return await this.#carryOn(taken);
    } catch {
      return clock.nowMs() + SERVICE_LIMITS.jobRetryMs;
    }
  }

  /** Answers when it is to be taken up again, by wall time. Never throws. */
  async #carryOn(lease: JobLease): Promise<number> {
    const { clock } = this.#catalog.context;
    try {
      const { kind, step } = lease.job;
      if (step === JOB_DONE) {
        await lease.end();
        return Number.POSITIVE_INFINITY;
      }
      const over = await this.#works[kind](lease, this.#ended.signal);
      if (typeof over === "object") {
        this.#count(lease, "waiting");
        await lease.release(Math.max(0, over.untilMs - clock.nowMs()));
        return over.untilMs;
      }
      this.#count(lease, over ? "done" : "interrupted");
      if (over) return Number.POSITIVE_INFINITY;
      await lease.release(0);
      return clock.nowMs();
    } catch (error) {
      // One job that fails, for whatever reason, must not keep the others from running.
      return clock.nowMs() + (await this.#giveBack(lease, error));
    }
  }

  /** Answers after how long any node can take the job up again. */
  async #giveBack(lease: JobLease, error: unknown): Promise<number> {
    const lastFailure = error instanceof FirnError ? error.code : "INTERNAL";
    this.#count(lease, lastFailure === "JOB_LEASE_LOST" ? "lost" : "failed");
    if (lastFailure === "JOB_LEASE_LOST") return CATALOG_LIMITS.jobLeaseMs;
    const wishMs = SERVICE_LIMITS.jobRetryMs * 2 ** Math.min(lease.job.tries - 1, 16);
    const waitMs = Math.min(wishMs, SERVICE_LIMITS.jobRetryCapMs);
    this.#tell(lease, lastFailure, error, waitMs);
    try {
      await lease.release(waitMs, { lastFailure, lastMessage: messageOf(error) });
      return waitMs;
    } catch {
      // It is free again when the lease is over.
      return CATALOG_LIMITS.jobLeaseMs;
    }
  }

  #tell({ job }: JobLease, code: string, error: unknown, againAfterMs: number): void {
    const { kind, id, tries } = job;
    this.#failures.add(1, kind, code);
    const message = messageOf(error);
    this.#onFailed({ kind, job: id, code, message, tries, againAfterMs });
  }

  #count({ job }: JobLease, outcome: Outcome): void {
    this.#outcomes.add(1, job.kind, outcome);
  }
}

function messageOf(error: unknown): string {
  return error instanceof FirnError ? error.message : "a defect";
}
