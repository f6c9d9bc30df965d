import { CatalogError } from "../base/error.ts";
import type { JobId } from "../base/ids.ts";
import { LIMITS } from "../base/limits.ts";
import type { Metrics } from "../base/metrics.ts";
import { Counter } from "../base/prom.ts";
import type { AccountCatalog } from "../catalog/catalog.ts";
import type { Lease } from "../catalog/jobs.ts";
import type { JobKind } from "../catalog/model.ts";

/**
 * Carries a job on from wherever it stands, and answers whether it is over. `ended`: the node is to
 * stop, so the rest is left to another. Whatever is thrown, the job is taken up again later.
 */
export type JobWork = (lease: Lease, ended: AbortSignal) => Promise<boolean>;

/** How a job that was taken up came out: `lost` went to another node, or was called off. */
type Outcome = "done" | "failed" | "interrupted" | "lost";

/**
 * Takes up what is due, one job at a time. An idle node asks once a `LIMITS.jobPollMs`, give or
 * take a half so that nodes spread: one list a bucket, and nothing else.
 */
export class JobRunner {
  readonly #catalog: AccountCatalog;
  readonly #works: Readonly<Record<JobKind, JobWork>>;
  readonly #outcomes: Counter<"kind" | "outcome">;
  readonly #ended = new AbortController();
  #running: Promise<void> | undefined;

  constructor(
    catalog: AccountCatalog,
    works: Readonly<Record<JobKind, JobWork>>,
    metrics: Metrics,
  ) {
    this.#catalog = catalog;
    this.#works = works;
    this.#outcomes = new Counter({
      name: "firn_jobs_total",
      help: "Jobs that were taken up, by how they came out",
      labelNames: ["kind", "outcome"],
      registers: [metrics],
    });
  }

  /** Looks for due jobs from now on, until `stop`. Does not keep the process running. */
  start(): void {
    this.#running ??= this.#loop();
  }

  /** Ends between two steps of a job, which is given back. Idempotent. */
  async stop(): Promise<void> {
    this.#ended.abort();
    await this.#running;
  }

  /**
   * One look at what is due: every job that is free is taken up, and brought as far as it goes.
   *
   * @throws CatalogError `Unavailable`: the look itself failed.
   */
  async runDue(): Promise<void> {
    for (const id of await this.#catalog.jobs.due()) {
      if (this.#ended.signal.aborted) return;
      await this.#run(id);
    }
  }

  async #loop(): Promise<void> {
    const { clock, prng } = this.#catalog.context;
    const { signal } = this.#ended;
    for (;;) {
      await clock.sleep(LIMITS.jobPollMs * (0.5 + prng.float()), signal);
      if (signal.aborted) return;
      try {
        await this.runDue();
      } catch {
        // The store did not answer: the next look will tell.
      }
    }
  }

  async #run(id: JobId): Promise<void> {
    let lease: Lease | undefined;
    try {
      lease = await this.#catalog.jobs.take(id);
      if (lease === undefined) return;
      const { kind } = lease.job;
      const over = await this.#works[kind](lease, this.#ended.signal);
      this.#count(lease, over ? "done" : "interrupted");
      if (!over) await lease.release(0);
    } catch (error) {
      // One job that fails, for whatever reason, must not keep the others from running.
      if (lease !== undefined) await this.#giveBack(lease, error);
    }
  }

  async #giveBack(lease: Lease, error: unknown): Promise<void> {
    const lastFailure = error instanceof CatalogError ? error.code : "INTERNAL";
    this.#count(lease, lastFailure === "JOB_LEASE_LOST" ? "lost" : "failed");
    if (lastFailure === "JOB_LEASE_LOST") return;
    const waitMs = LIMITS.jobRetryMs * 2 ** Math.min(lease.job.tries - 1, 16);
    try {
      await lease.release(Math.min(waitMs, LIMITS.jobRetryCapMs), { lastFailure });
    } catch {
      // It is free again when the lease is over.
    }
  }

  #count({ job }: Lease, outcome: Outcome): void {
    this.#outcomes.inc({ kind: job.kind, outcome });
  }
}
