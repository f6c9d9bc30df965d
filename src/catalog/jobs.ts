import { crc32 } from "node:zlib";
import { assert } from "../base/assert.ts";
import { Stopwatch } from "../base/clock.ts";
import { FirnError } from "../base/error.ts";
import type { AccountId, JobId, WriterId } from "../base/ids.ts";
import { LIMITS } from "../base/limits.ts";
import { settleAll } from "../base/settle-all.ts";
import { putCertain } from "../pointer/certain.ts";
import type { Item, Live, PointerOp } from "../pointer/port.ts";
import type { BatchBuilder, Fence } from "./batch.ts";
import { decodeJob, encodeJob } from "./codec/job.ts";
import type { CatalogContext } from "./context.ts";
import { corrupt } from "./errors.ts";
import { digits19, directoryOf, FAMILIES, keyOf, leafText } from "./keys.ts";
import { CATALOG_LIMITS } from "./limits.ts";
import type { Job, JobKind } from "./model.ts";
import { listPage, type Page, type PageRequest } from "./pages.ts";

/*
 * Long work that outlives a request and a node. A job is two pointers: its state and lease under
 * its id, and an entry among what is due. Both are put in the batch that makes the job necessary,
 * so no crash loses one, and deleted in the batch of its last step.
 *
 * A node takes a job up by a compare-and-set that makes it the holder for
 * `CATALOG_LIMITS.jobLeaseMs`; each step writes or checks the job at the version that the holder
 * knows. Any process that takes it up later moves that version, so a holder that was slow changes
 * nothing any more. The lease only keeps nodes from doing the same work twice; the version is what
 * is safe.
 */

/** Step of a job that is over, whose record is kept: see `job-ends.ts`. */
export const JOB_DONE = "done";
/** Kinds that end when they are asked to. */
const CANCELLABLE: ReadonlySet<JobKind> = new Set(["delete", "import", "move-table"]);
/** The digits of the time that the leaf of a due job begins with. */
const TIME_DIGITS = 19;
/** Due jobs of a bucket that are read at once: what is not due yet is read in vain. */
const DUE_PAGE = 100;

/** Items under the two keys of a job. */
export type JobItems = readonly [state: Item, due: Item];

/** The keys of a job: its state, and its place among what is due. */
export function jobKeys(account: AccountId, id: JobId, dueMs: number): readonly [string, string] {
  const bucket = String(crc32(id) % CATALOG_LIMITS.jobBuckets);
  return [
    keyOf(FAMILIES.jobById, account, id),
    keyOf(FAMILIES.jobDue, account, bucket, `${digits19(dueMs)}-${id}`),
  ];
}

/** Makes a job part of a batch. */
export function putJob(batch: BatchBuilder, [state, due]: JobItems, job: Job): void {
  assert(leafText(state.key) === job.id, "the state of a job lies under its id");
  const isDue = leafText(due.key) === `${digits19(job.dueMs)}-${job.id}`;
  assert(isDue, "a job is found at the time at which it is due");
  batch
    .derive(state, { bytes: encodeJob(job) })
    .derive(due, {})
    .makesJob(job.dueMs);
}

/** Ends a job within a batch, even one that is held: its holder's next step fails. */
export function deleteJob(batch: BatchBuilder, items: JobItems): void {
  for (const item of items) if (item.state === "live") batch.deriveDelete(item);
}

/** The job under a pointer. */
export function jobOf(item: Live): Job {
  const id = leafText(item.key);
  if (id === undefined || item.summary === undefined) {
    throw corrupt("job without a state", { key: item.key });
  }
  return decodeJob(id as JobId, item.summary);
}

function leaseLost(id: JobId): FirnError {
  return new FirnError("Conflict", "JOB_LEASE_LOST", "another node has the lease of the job", {
    job: id,
  });
}

export function jobNotFound(id: JobId): FirnError {
  return new FirnError(
    "NotFound",
    "JOB_NOT_FOUND",
    "no such job: it was over long ago, or never was",
    {
      job: id,
    },
  );
}

function refused(
  id: JobId,
  code: "JOB_OVER" | "JOB_NOT_DUE" | "JOB_RUNNING" | "JOB_NOT_CANCELLABLE",
): FirnError {
  const context = { job: id };
  switch (code) {
    case "JOB_NOT_CANCELLABLE": {
      const message =
        "only a delete, an import or a move can be cancelled: a purge ends with an undrop";
      return new FirnError("Conflict", "JOB_NOT_CANCELLABLE", message, context);
    }
    case "JOB_OVER":
      return new FirnError("Conflict", "JOB_OVER", "the job is over", context);
    case "JOB_NOT_DUE":
      return new FirnError("Conflict", "JOB_NOT_DUE", "the job is not due yet", context);
    case "JOB_RUNNING":
      return new FirnError("Conflict", "JOB_RUNNING", "a node is running the job", context);
  }
}

/** What a step may change of its job. */
export type JobProgress = Partial<
  Pick<Job, "step" | "failures" | "lastFailure" | "lastMessage" | "done" | "total">
>;

/** A job that this node holds. Not shared: one line of work goes through its steps. */
export class JobLease {
  readonly #context: CatalogContext;
  #item: Live;
  #job: Job;
  /** Since before the write that made the lease what it is, and the one that is to come. */
  #renewed: Stopwatch;
  #renewing: Stopwatch;

  constructor(context: CatalogContext, item: Live, job: Job, renewed: Stopwatch) {
    assert(leafText(item.key) === job.id, "a lease is of the job whose state it renews");
    this.#context = context;
    this.#item = item;
    this.#job = job;
    this.#renewed = renewed;
    this.#renewing = renewed;
  }

  get job(): Job {
    return this.#job;
  }

  /** Key of the pointer that every step writes or checks. */
  get key(): string {
    return this.#item.key;
  }

  /**
   * Before what no batch can fence, such as deleting a file: shows that no other node can have
   * taken the job up yet, by the later of our two clocks.
   *
   * @throws FirnError `Conflict` `JOB_LEASE_LOST`.
   */
  assertHeld(): void {
    const spareMs = CATALOG_LIMITS.jobLeaseMs - LIMITS.clockSkewMs;
    if (this.#renewed.elapsedMs() > spareMs) throw this.lost();
  }

  /**
   * Fences a step's batch by the job's version, and moves the job on. `found`: the job's pointer as
   * the step's planner read it. Once that very batch is committed, `moved` has to be told.
   *
   * @throws FirnError `Conflict` `JOB_LEASE_LOST`.
   */
  join(batch: BatchBuilder, found: Item, progress: JobProgress): Job {
    this.assertSame(found);
    const job = this.#next(progress);
    batch.derive(this.#item, { bytes: encodeJob(job) });
    return job;
  }

  /** As `join` and `moved`, for a batch that knows nothing of jobs. */
  fence(progress: JobProgress): Fence {
    const join = (batch: BatchBuilder, found: Item | undefined): (() => void) => {
      if (found === undefined) throw this.lost();
      const next = this.join(batch, found, progress);
      return () => this.moved(next);
    };
    return { key: this.key, join };
  }

  /** What is to be done is no longer this holder's, or no longer to be done. */
  lost(): FirnError {
    return leaseLost(this.#job.id);
  }

  /** @throws FirnError `Conflict` `JOB_LEASE_LOST`: the job has moved under its holder. */
  assertSame(found: Item): void {
    const same = found.state === "live" && found.version === this.#item.version;
    if (!same) throw this.lost();
  }

  /** The batch that `join` took part in was committed: told by the result of its plan alone. */
  moved(job: Job): void {
    this.#item = { ...this.#item, version: this.#item.version + 1n };
    this.#job = job;
    this.#renewed = this.#renewing;
  }

  /**
   * Holds the job for another while, and notes how far it has come. One write.
   *
   * @throws FirnError `Conflict` `JOB_LEASE_LOST`; `Unavailable` `STORE_UNAVAILABLE`.
   */
  async renew(progress: JobProgress = {}): Promise<void> {
    await this.#write(this.#next(progress));
  }

  /** As `renew`, where the last sign of life is a while ago: between pieces of a long step. */
  async keep(progress: JobProgress = {}): Promise<void> {
    if (this.#renewed.elapsedMs() > CATALOG_LIMITS.jobLeaseMs / 4) await this.renew(progress);
  }

  /**
   * Holds the job while work is under way that knows nothing of it, however long a single request
   * of that takes. The lease takes no other step meanwhile. One write for each quarter of a lease.
   *
   * @throws what the work throws; `Conflict` `JOB_LEASE_LOST`: then its result is not waited for.
   */
  async during<T>(work: Promise<T>): Promise<T> {
    const over = new AbortController();
    const done = work.finally(() => over.abort());
    done.catch(() => undefined);
    while (!over.signal.aborted) {
      await this.#context.clock.sleep(CATALOG_LIMITS.jobLeaseMs / 4, over.signal);
      if (!over.signal.aborted) await this.renew();
    }
    return done;
  }

  /**
   * Ends the job, which is not to be taken up again: both of its pointers go. One read, one write.
   *
   * @throws FirnError `Conflict` `JOB_LEASE_LOST`; `Unavailable` `STORE_UNAVAILABLE`.
   */
  async end(): Promise<void> {
    const { account, ids, pointers } = this.#context;
    const { id, dueMs } = this.#job;
    const [state, due] = await pointers.getMany(jobKeys(account, id, dueMs));
    if (state === undefined || due === undefined) throw this.lost();
    this.assertSame(state);
    const ops: PointerOp[] = [state, due]
      .filter((item) => item.state === "live")
      .map(({ key, version }) => ({ op: "delete", key, expected: version }));
    const { outcome } = await pointers.commit({ writerId: ids.mint<WriterId>(), ops });
    if (outcome === "committed") return;
    if (outcome === "conflict") throw this.lost();
    const message = "the end of the job is unknown: it is taken up again";
    throw new FirnError("Unavailable", "STORE_UNAVAILABLE", message, { job: id });
  }

  /** Gives the job back, to be taken up by any node after a while. One write. */
  async release(waitMs: number, progress: JobProgress = {}): Promise<void> {
    const { holder: _holder, ...job } = this.#next(progress);
    const heldUntilMs = this.#context.clock.nowMs() + Math.ceil(waitMs);
    await this.#write({ ...job, heldUntilMs, tries: this.#job.tries });
  }

  #next(progress: JobProgress): Job {
    this.#renewing = new Stopwatch(this.#context.clock);
    const further = progress.step !== undefined && progress.step !== this.#job.step;
    const heldUntilMs = this.#context.clock.nowMs() + CATALOG_LIMITS.jobLeaseMs;
    return { ...this.#job, ...progress, heldUntilMs, ...(further ? { tries: 1 } : {}) };
  }

  async #write(job: Job): Promise<void> {
    await writeJob(this.#context, this.#item, job);
    this.moved(job);
  }
}

/** One compare-and-set of a job's state. */
async function writeJob(context: CatalogContext, item: Item, job: Job): Promise<void> {
  const attempt = { stopwatch: new Stopwatch(context.clock) };
  const { verdict } = await putCertain(context.pointers, context, attempt, {
    op: "put",
    key: item.key,
    expected: item.version,
    summary: encodeJob(job),
  });
  if (verdict === "conflict") throw leaseLost(job.id);
  if (verdict !== "committed") {
    throw new FirnError(
      "Unavailable",
      "STORE_UNAVAILABLE",
      "the outcome of the lease is unknown: try again",
      {
        job: job.id,
      },
    );
  }
}

/** A job among what is due. */
interface DueJob {
  readonly dueMs: number;
  readonly id: JobId;
}

/** The jobs that can be taken up now, and when to ask again. */
export interface DueJobs {
  /** The one that has waited longest first. */
  readonly due: readonly JobId[];
  /** Wall time at which the next one is due; infinite where none is known of. */
  readonly nextMs: number;
}

/** A job that no node can take up before this wall time. */
export interface BusyJob {
  readonly freeMs: number;
}

/** The jobs of one account. */
export class Jobs {
  readonly #context: CatalogContext;
  readonly #holder: WriterId;

  constructor(context: CatalogContext) {
    this.#context = context;
    this.#holder = context.ids.mint<WriterId>();
  }

  /** Jobs whose time has come, held or not, and when the next ones are due. */
  async due(): Promise<DueJobs> {
    const buckets = Array.from({ length: CATALOG_LIMITS.jobBuckets }, (_, bucket) =>
      String(bucket),
    );
    const found = (await settleAll(buckets.map((bucket) => this.#bucket(bucket)))).flat();
    const nowMs = this.#context.clock.nowMs();
    const due = found.filter(({ dueMs }) => dueMs <= nowMs).sort((a, b) => a.dueMs - b.dueMs);
    const later = found.filter(({ dueMs }) => dueMs > nowMs);
    const nextMs = later.reduce(
      (first, { dueMs }) => Math.min(first, dueMs),
      Number.POSITIVE_INFINITY,
    );
    return { due: due.map(({ id }) => id), nextMs };
  }

  /** What is due of a bucket, and what comes next. One list where little is due. */
  async #bucket(bucket: string): Promise<readonly DueJob[]> {
    const { account, pointers, clock } = this.#context;
    const directory = directoryOf(FAMILIES.jobDue, account, bucket);
    const found: DueJob[] = [];
    for (let after: string | undefined; ; ) {
      const page = await listPage(pointers, directory, { after, limit: DUE_PAGE });
      found.push(...page.items.map(dueOf));
      const isAllDue = (found.at(-1)?.dueMs ?? 0) <= clock.nowMs();
      if (page.next === undefined || !isAllDue) return found;
      after = page.next;
    }
  }

  /**
   * Makes a job that belongs to no other change. One write.
   *
   * @throws FirnError `Unknown` `STORE_UNAVAILABLE`: it may have been made.
   */
  async begin(job: Job): Promise<void> {
    const { account, ids, jobNews, pointers } = this.#context;
    const [state, due] = jobKeys(account, job.id, job.dueMs);
    const { outcome } = await pointers.commit({
      writerId: ids.mint<WriterId>(),
      ops: [
        { op: "put", key: state, expected: 0n, summary: encodeJob(job) },
        { op: "put", key: due, expected: 0n },
      ],
    });
    if (outcome !== "committed") {
      const message = "the outcome is unknown: look whether the job is there";
      throw new FirnError("Unknown", "STORE_UNAVAILABLE", message, { job: job.id });
    }
    jobNews.made(job.dueMs);
  }

  /** How a job stands, one that is over too as long as its record is kept. */
  async get(id: JobId): Promise<Job | undefined> {
    const { account, pointers } = this.#context;
    const item = await pointers.get(keyOf(FAMILIES.jobById, account, id));
    return item.state === "live" ? jobOf(item) : undefined;
  }

  /**
   * Every job, by page: in each bucket those that are due first, and those that are over by the
   * time until which their records are kept.
   */
  async list({ after, limit }: PageRequest = {}): Promise<Page<Job>> {
    const { account, pointers } = this.#context;
    // A token names the bucket as well, since each is a list for itself.
    const [first = "0", from] = (after ?? "").split(" ");
    for (let bucket = Number(first) || 0; bucket < CATALOG_LIMITS.jobBuckets; bucket++) {
      const directory = directoryOf(FAMILIES.jobDue, account, String(bucket));
      const start = bucket === Number(first) && from ? { after: from } : {};
      const page = await listPage(pointers, directory, { ...start, ...(limit && { limit }) });
      const items = await this.#states(page.items);
      if (page.next !== undefined) return { items, next: `${bucket} ${page.next}` };
      const isLast = bucket + 1 >= CATALOG_LIMITS.jobBuckets;
      if (isLast) return { items };
      if (items.length > 0) return { items, next: `${bucket + 1} ` };
    }
    return { items: [] };
  }

  async #states(due: readonly Live[]): Promise<readonly Job[]> {
    if (due.length === 0) return [];
    const { account, pointers } = this.#context;
    const keys = due.map((item) => keyOf(FAMILIES.jobById, account, dueOf(item).id));
    const found = await pointers.getMany(keys);
    // One that ended between the two reads is over.
    return found.flatMap((item) => (item.state === "live" ? [jobOf(item)] : []));
  }

  /**
   * Lets a job that failed be taken up now, instead of after the pause that its failures made.
   *
   * @throws FirnError `JOB_NOT_FOUND`; `Conflict`: `JOB_RUNNING`, `JOB_NOT_DUE`, `JOB_OVER`,
   * `JOB_LEASE_LOST`; `Unavailable` `STORE_UNAVAILABLE`.
   */
  async retry(id: JobId): Promise<Job> {
    const { account, clock, pointers } = this.#context;
    const item = await pointers.get(keyOf(FAMILIES.jobById, account, id));
    if (item.state === "absent") throw jobNotFound(id);
    const job = jobOf(item);
    const nowMs = clock.nowMs();
    if (job.step === JOB_DONE) throw refused(id, "JOB_OVER");
    if (job.dueMs > nowMs) throw refused(id, "JOB_NOT_DUE");
    if (job.holder !== undefined && job.heldUntilMs > nowMs) throw refused(id, "JOB_RUNNING");
    const { holder: _holder, ...left } = job;
    const freed: Job = { ...left, heldUntilMs: 0, tries: 0 };
    await writeJob(this.#context, item, freed);
    return freed;
  }

  /**
   * Asks a job to end and to take back what it can. Its holder loses it; the next node that takes
   * it up ends it. Nothing happens where that was asked before.
   *
   * @throws FirnError `JOB_NOT_FOUND`; `Conflict`: `JOB_OVER`, `JOB_NOT_CANCELLABLE`,
   * `JOB_LEASE_LOST`; `Unavailable` `STORE_UNAVAILABLE`.
   */
  async cancel(id: JobId): Promise<Job> {
    const { account, pointers } = this.#context;
    for (let round = 0; ; round++) {
      const item = await pointers.get(keyOf(FAMILIES.jobById, account, id));
      if (item.state === "absent") throw jobNotFound(id);
      const job = jobOf(item);
      if (job.step === JOB_DONE) throw refused(id, "JOB_OVER");
      if (!CANCELLABLE.has(job.kind)) throw refused(id, "JOB_NOT_CANCELLABLE");
      if (job.cancelled === true) return job;
      const { holder: _holder, ...left } = job;
      const asked: Job = { ...left, cancelled: true, heldUntilMs: 0, tries: 0 };
      try {
        await writeJob(this.#context, item, asked);
        return asked;
      } catch (error) {
        // A job that makes progress moves with every step.
        const moved = error instanceof FirnError && error.code === "JOB_LEASE_LOST";
        if (!moved || round >= CATALOG_LIMITS.replans) throw error;
      }
    }
  }

  /**
   * Takes a job up. One read, and one write where it is free. `early`: also before its time, where
   * it is free.
   *
   * @returns where another node holds it or where it waits: until when; undefined where it is over.
   * @throws FirnError `Unavailable` `STORE_UNAVAILABLE`: maybe taken up; it is free again when
   * that lease is over.
   */
  async take(id: JobId, early = false): Promise<JobLease | BusyJob | undefined> {
    const { account, clock, pointers } = this.#context;
    const item = await pointers.get(keyOf(FAMILIES.jobById, account, id));
    if (item.state === "absent") return undefined;
    const job = jobOf(item);
    const nowMs = clock.nowMs();
    const freeMs = Math.max(job.heldUntilMs, job.dueMs);
    const mayBeEarly = early && job.holder === undefined && job.step !== JOB_DONE;
    if (freeMs > nowMs && !mayBeEarly) return { freeMs };
    const renewed = new Stopwatch(clock);
    const heldUntilMs = nowMs + CATALOG_LIMITS.jobLeaseMs;
    const held: Job = { ...job, holder: this.#holder, heldUntilMs, tries: job.tries + 1 };
    try {
      await writeJob(this.#context, item, held);
    } catch (error) {
      const taken = error instanceof FirnError && error.code === "JOB_LEASE_LOST";
      if (taken) return { freeMs: heldUntilMs };
      throw error;
    }
    return new JobLease(this.#context, { ...item, version: item.version + 1n }, held, renewed);
  }
}

function dueOf(item: Live): DueJob {
  const leaf = leafText(item.key) ?? "";
  return { dueMs: Number(leaf.slice(0, TIME_DIGITS)), id: leaf.slice(TIME_DIGITS + 1) as JobId };
}
