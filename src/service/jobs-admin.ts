import { FirnError } from "../base/error.ts";
import type { JobId } from "../base/ids.ts";
import type { AccountCatalog } from "../catalog/catalog.ts";
import { JOB_DONE, jobNotFound } from "../catalog/jobs.ts";
import type { EntityType, Job, JobKind } from "../catalog/model.ts";
import type { Actor } from "./actor.ts";
import type { JobRunner } from "./job-runner.ts";

/**
 * `waiting`: its time has not come. `due`: the next node that looks takes it up. `failed`: it is
 * tried again at `nextTryMs`. `over`: with an `error` where it did not do what it was for.
 */
export type JobState = "waiting" | "due" | "running" | "failed" | "over";

/** A background job, as shown. JSON-able; times in milliseconds of wall time. */
export interface JobInfo {
  readonly id: JobId;
  readonly kind: JobKind;
  readonly subjectType: EntityType;
  readonly subjectId: string;
  readonly state: JobState;
  readonly dueMs: number;
  /** When it may be taken up next; of one that runs, when its lease ends. */
  readonly nextTryMs: number;
  /** How often it was taken up since it last came a step further. */
  readonly tries: number;
  /** What it had to leave undone. */
  readonly leftUndone: number;
  /** Absent where it counts nothing. `total`: absent where that is not known. */
  readonly progress?: JobProgressInfo;
  /** When it was over. Its record stays for `CATALOG_LIMITS.jobKeptMs`. */
  readonly endedMs?: number;
  /** A caller asked that it end. */
  readonly cancelled?: true;
  /** Why it failed last. */
  readonly error?: { readonly code: string; readonly message: string };
}

export interface JobProgressInfo {
  readonly done: number;
  readonly total?: number;
  readonly unit: string;
}

export interface JobsPage {
  readonly items: readonly JobInfo[];
  /** Absent on the last page. */
  readonly next?: string;
}

/** The background jobs of the default account. */
export class JobsAdmin {
  readonly #catalog: AccountCatalog;
  readonly #runner: JobRunner;

  constructor(catalog: AccountCatalog, runner: JobRunner) {
    this.#catalog = catalog;
    this.#runner = runner;
  }

  /**
   * Every job, those that are over as long as their records are kept. A page costs one list and one
   * read at least.
   */
  async list(
    _actor: Actor,
    page: { readonly limit?: number; readonly after?: string } = {},
  ): Promise<JobsPage> {
    const { items, next } = await this.#catalog.jobs.list(page);
    const shown = items.map((job) => this.#show(job));
    return next === undefined ? { items: shown } : { items: shown, next };
  }

  /** @throws FirnError `JOB_NOT_FOUND`. */
  async get(_actor: Actor, id: string): Promise<JobInfo> {
    const job = await this.#catalog.jobs.get(id as JobId);
    if (job === undefined) throw jobNotFound(id as JobId);
    return this.#show(job);
  }

  /** A job that was just made: it is run at once, by the runner of this node if that is started. */
  async begun(_actor: Actor, job: Job): Promise<JobInfo> {
    this.#runner.wake();
    return this.#show(job);
  }

  /**
   * Lets a job that failed run again at once, by the runner of this node if that is started.
   *
   * @throws FirnError as `Jobs.retry`.
   */
  async retry(_actor: Actor, id: string): Promise<JobInfo> {
    const job = await this.#catalog.jobs.retry(id as JobId);
    this.#runner.wake();
    return this.#show(job);
  }

  /**
   * Asks a job to end and to take back what it can, by the runner of this node if that is started.
   *
   * @throws FirnError as `Jobs.cancel`.
   */
  async cancel(_actor: Actor, id: string): Promise<JobInfo> {
    const job = await this.#catalog.jobs.cancel(id as JobId);
    this.#runner.wake();
    return this.#show(job);
  }

  /**
   * Runs a job in this process, whose runner is not started.
   *
   * @returns how it stands then; undefined where its record is gone.
   */
  async run(actor: Actor, id: string): Promise<JobInfo | undefined> {
    await this.#runner.run(id as JobId);
    try {
      return await this.get(actor, id);
    } catch (error) {
      if (error instanceof FirnError && error.code === "JOB_NOT_FOUND") return undefined;
      throw error;
    }
  }

  #show(job: Job): JobInfo {
    const { id, kind, subject, dueMs, heldUntilMs, tries, failures, lastFailure } = job;
    const failed = lastFailure !== undefined;
    return {
      id,
      kind,
      subjectType: subject.type,
      subjectId: subject.id,
      state: stateOf(job, this.#catalog.context.clock.nowMs()),
      dueMs,
      nextTryMs: Math.max(dueMs, heldUntilMs),
      tries,
      leftUndone: failures,
      ...progressOf(job),
      ...(job.endedMs !== undefined && { endedMs: job.endedMs }),
      ...(job.cancelled === true && { cancelled: true }),
      ...(failed && { error: { code: lastFailure, message: job.lastMessage ?? "" } }),
    };
  }
}

/** What is counted, of the kinds that count. */
const UNITS: Readonly<Partial<Record<JobKind, string>>> = {
  delete: "things",
  import: "tables",
  "build-index": "rows",
  "move-table": "rows and entries",
};

function progressOf({ kind, done, total }: Job): { readonly progress?: JobProgressInfo } {
  const unit = UNITS[kind];
  if (unit === undefined) return {};
  const counted = { done: done ?? 0, unit };
  return { progress: total === undefined ? counted : { ...counted, total } };
}

function stateOf({ step, dueMs, holder, heldUntilMs, lastFailure }: Job, nowMs: number): JobState {
  if (step === JOB_DONE) return "over";
  if (dueMs > nowMs) return "waiting";
  if (holder !== undefined && heldUntilMs > nowMs) return "running";
  return lastFailure === undefined || heldUntilMs <= nowMs ? "due" : "failed";
}
