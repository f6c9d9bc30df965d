import { FirnError } from "../../base/error.ts";
import type { WriterId } from "../../base/ids.ts";
import { LIMITS } from "../../base/limits.ts";
import { Counts } from "../../base/metrics.ts";
import type { JobLease } from "../../catalog/jobs.ts";
import { walkPayloads } from "../../catalog/walk.ts";
import { ObservedPointerStore } from "../../pointer/observed.ts";
import type { Batch, PointerStore } from "../../pointer/port.ts";
import type { JobWaits } from "../job-runner.ts";
import { SERVICE_LIMITS } from "../limits.ts";
import {
  type Deleting,
  deleteOrphans,
  deletePayloads,
  deleteRootless,
  kindOfKey,
  orphanOfLine,
  payloadLine,
  payloadOfLine,
} from "./deletes.ts";
import { declareIndexed, isIndexed, mendIndexes } from "./index-mend.ts";
import { endJob, makeJob, nextPeriodMs } from "./job.ts";
import { KnownRoots } from "./known-roots.ts";
import { Mark, type MarkSinks } from "./mark.ts";
import { type GcParts, Interrupted, type RunLease } from "./parts.ts";
import { countGarbage, emptyReport, GARBAGE_KINDS, type GarbageReport } from "./report.ts";
import { deleteSegments, readSegment, readSegments, writeSegments } from "./segments.ts";
import { joined, SortedLines } from "./sorted-lines.ts";
import { type GcStep, stepOf, stepText } from "./steps.ts";
import { StoreRateLimiter } from "./store-rate-limiter.ts";

/*
 * Garbage collection of an account. A payload goes if nothing leads to it, which no single look can
 * tell: it is put before the batch that names it, and a walk over the pointers is not a snapshot.
 * So candidates are the payloads LISTED BEFORE THE FIRST MARK BEGINS, and only those go that TWO
 * marks both missed, the second of which begins at least the grace after the end of the first.
 *
 * SAFETY. A path is never used twice: a payload is named by the one batch that its attempt sends,
 * within `maxPutToCommitMs` of its put, or by none ever. What was put before the first mark began
 * is named when the second one begins, or never will be: the grace is longer than a batch can be
 * under way. What is named then and at every instant of the second mark is seen by it, since each
 * pointer is read once and a pointer never comes to name what another one named. What was named and
 * is not any more stands in a change record in retention, or is not wanted. So what both marks
 * missed is garbage for ever: it may be deleted late, twice, and by a node whose lease is over.
 * That the walks themselves were whole is looked at again: before a batch of deletes all keys that
 * may lead to it are read, and one that does ends the run.
 *
 * CRASH. A mark that breaks off starts anew, the first one with a new listing. What a mark missed
 * lies in segments beside the payloads, named in the job; any node goes on from there.
 */

/** The wall clocks of two nodes are as far apart as this at most. */
const CLOCKS_APART_MS = 2 * LIMITS.clockSkewMs;
/** Payloads between two signs of life of a listing. */
const KEEP_EVERY = 1_000;

/** Collects what is left of an account, in the background and on request. */
export class Collector {
  /** What the catalog is to write through. */
  readonly pointers: PointerStore;
  readonly #inner: PointerStore;
  readonly #known: KnownRoots = new KnownRoots();
  #parts: GcParts | undefined;
  #started = false;
  /** The period for which a job was asked for. */
  #askedMs = 0;
  #deleted: Counts | undefined;
  #deletedBytes: Counts | undefined;
  #runs: Counts | undefined;
  #last: { readonly report: GarbageReport; readonly error?: unknown } | undefined;

  constructor(inner: PointerStore) {
    this.#inner = inner;
    this.pointers = new ObservedPointerStore(inner, (batch) => this.#written(batch));
  }

  /** Names what it collects. Before all else. */
  serve(parts: GcParts): void {
    this.#parts = parts;
    this.#deleted = new Counts(parts.metrics, {
      name: "firn_gc_deleted_total",
      labels: ["kind"],
      help: "What garbage collection deleted, by kind",
    });
    this.#deletedBytes = new Counts(parts.metrics, {
      name: "firn_gc_deleted_bytes_total",
      labels: ["kind"],
      help: "Bytes of the objects that garbage collection deleted, by kind",
    });
    this.#runs = new Counts(parts.metrics, {
      name: "firn_gc_steps_total",
      labels: ["outcome"],
      help: "Steps of garbage collection that ended, by outcome",
    });
  }

  /** From now on a write asks for a run. */
  start(): void {
    this.#started = true;
  }

  /** What the last step here came to, and what ended it. */
  get last(): { readonly report: GarbageReport; readonly error?: unknown } | undefined {
    return this.#last;
  }

  get #served(): GcParts {
    if (this.#parts === undefined) {
      throw new FirnError("Internal", "GC_UNSERVED", "the collector serves no account");
    }
    return this.#parts;
  }

  /** Whatever changes the catalog, or refuses to for good, leaves a receipt. Jobs do not. */
  #written({ ops }: Batch): void {
    if (!this.#started || !ops.some(({ op, key }) => op === "put" && isReceipt(key))) return;
    const { context } = this.#served.catalog;
    const dueMs = nextPeriodMs(context.clock.nowMs());
    if (dueMs === this.#askedMs) return;
    this.#askedMs = dueMs;
    context.background.run(async () => {
      let made = false;
      try {
        made = await makeJob(context, this.#inner, dueMs);
      } finally {
        if (!made) this.#askedMs = 0;
      }
    });
  }

  /** Makes a run's job where there is none, for who wants one at once. */
  async ask(): Promise<void> {
    const { context } = this.#served.catalog;
    if (await makeJob(context, this.#inner, nextPeriodMs(context.clock.nowMs()))) return;
    throw new FirnError("Unavailable", "STORE_UNAVAILABLE", "the run could not be asked for");
  }

  /** Carries a run on from where it stands. See `JobWork`. */
  async run(lease: JobLease, ended: AbortSignal): Promise<boolean | JobWaits> {
    const report = emptyReport();
    this.#last = { report };
    try {
      const outcome = await this.#step(lease, ended, report);
      this.#runs?.add(1, outcome === true ? "done" : "waiting");
      return outcome;
    } catch (error) {
      this.#last = { report, error };
      if (error instanceof Interrupted) return false;
      const isCorrupt = error instanceof FirnError && error.kind === "Corrupt";
      if (!isCorrupt) throw error;
      // Who goes on with a run that another has ended finds its segments gone.
      await lease.renew();
      // To look again at once would find the same: an operator is to look first.
      this.#runs?.add(1, "stopped");
      const { code, message, context: facts } = error;
      const said = `${message} ${JSON.stringify(facts)}`;
      this.#served.onStopped?.({ run: lease.job.step, code, message: said });
      await this.#end(lease, nextPeriodMs(this.#nowMs), code);
      return true;
    } finally {
      this.#count(report);
    }
  }

  get #nowMs(): number {
    return this.#served.catalog.context.clock.nowMs();
  }

  async #step(
    lease: JobLease,
    ended: AbortSignal,
    report: GarbageReport,
  ): Promise<boolean | JobWaits> {
    const step = stepOf(lease.job.step);
    switch (step.at) {
      case "start":
        return this.#first(lease, ended, report);
      case "waiting":
        return this.#second(lease, ended, report, step);
      case "deleting":
        await this.#delete(lease, ended, report, step);
        return this.#done(lease, step.run, report, false);
    }
  }

  /** Lists the candidates, then marks, and leaves what the mark missed for the second one. */
  async #first(
    lease: JobLease,
    ended: AbortSignal,
    report: GarbageReport,
  ): Promise<boolean | JobWaits> {
    const { blobs, catalog } = this.#served;
    const { account, ids } = catalog.context;
    await deleteSegments(blobs, account, () => lease.renew());
    const run = ids.mint<WriterId>();
    const runLease = runLeaseOf(lease, ended);
    const limiter = new StoreRateLimiter(catalog.context.clock);
    const found = await this.#withSinks(async (sinks, candidates) => {
      await this.#listCandidates(candidates, report, limiter, runLease);
      await this.#mark(sinks, { report, limiter, runLease, isDry: false });
      const write = (name: string, lines: AsyncIterable<string>) =>
        writeSegments(blobs, { account, run, name }, lines);
      const missed = joined(candidates.lines(), sinks.reached.lines(), false);
      return {
        missed: await write("missed", missed),
        rootless: await write("rootless", sinks.rootless.lines()),
        orphans: await write("orphans", orphansOf(sinks)),
      };
    });
    const isClean = found.missed + found.rootless + found.orphans === 0;
    // A second mark is to show that no older version writes tables without index entries.
    if (isClean && (await isIndexed(this.#served))) return this.#done(lease, run, report);
    const step: GcStep = { at: "waiting", run, endedMs: this.#nowMs, ...found };
    await lease.renew({ step: stepText(step) });
    return { untilMs: this.#secondMs(step.endedMs) };
  }

  #secondMs(endedMs: number): number {
    const { gcGraceMs = SERVICE_LIMITS.gcGraceMs } = this.#served.settings;
    return endedMs + gcGraceMs + CLOCKS_APART_MS;
  }

  async #second(
    lease: JobLease,
    ended: AbortSignal,
    report: GarbageReport,
    step: Extract<GcStep, { at: "waiting" }>,
  ): Promise<boolean | JobWaits> {
    const secondMs = this.#secondMs(step.endedMs);
    if (this.#nowMs < secondMs) return { untilMs: secondMs };
    const { blobs, catalog } = this.#served;
    const { account, clock } = catalog.context;
    const { run } = step;
    const runLease = runLeaseOf(lease, ended);
    const limiter = new StoreRateLimiter(clock);
    const doomed = await this.#withSinks(async (sinks) => {
      const isWhole = await this.#mark(sinks, { report, limiter, runLease, isDry: false });
      if (isWhole) await declareIndexed(this.#served);
      const earlier = (name: string, count: number) =>
        readSegments(blobs, { account, run, name }, count);
      const deleting = this.#deleting(run, report, limiter, runLease);
      await deleteRootless(
        deleting,
        joined(earlier("rootless", step.rootless), sinks.rootless.lines(), true),
      );
      await deleteOrphans(
        deleting,
        joined(earlier("orphans", step.orphans), orphansOf(sinks), true),
      );
      const missed = joined(earlier("missed", step.missed), sinks.reached.lines(), false);
      return writeSegments(blobs, { account, run, name: "doomed" }, missed);
    });
    const next = { at: "deleting", run, doomed, done: 0 } as const;
    await lease.renew({ step: stepText(next) });
    await this.#delete(lease, ended, report, next);
    return this.#done(lease, run, report);
  }

  async #delete(
    lease: JobLease,
    ended: AbortSignal,
    report: GarbageReport,
    step: Extract<GcStep, { at: "deleting" }>,
  ): Promise<void> {
    const { blobs, catalog } = this.#served;
    const { account, clock } = catalog.context;
    const { run, doomed } = step;
    const deleting = this.#deleting(
      run,
      report,
      new StoreRateLimiter(clock),
      runLeaseOf(lease, ended),
    );
    for (let index = step.done; index < doomed; index++) {
      const lines = await readSegment(blobs, { account, run, name: "doomed" }, index);
      await deletePayloads(deleting, lines.map(payloadOfLine));
      await lease.renew({ step: stepText({ ...step, done: index + 1 }) });
    }
  }

  /** One mark, whose look at the tables mends their indexes. @returns whether those were whole. */
  async #mark(sinks: MarkSinks, how: ConstructorParameters<typeof Mark>[2]): Promise<boolean> {
    await new Mark(this.#served, sinks, how, this.#known).run();
    return mendIndexes({ parts: this.#served, ...how }, sinks);
  }

  #deleting(
    run: string,
    report: GarbageReport,
    limiter: StoreRateLimiter,
    runLease: RunLease,
  ): Deleting {
    return { parts: this.#served, run, report, limiter, runLease };
  }

  /** The run is over. As long as anything is left that expires, there will be another. */
  async #done(
    lease: JobLease,
    run: string,
    report: GarbageReport,
    hasMarked = true,
  ): Promise<boolean> {
    this.#served.onDone?.({ run, report });
    const went = GARBAGE_KINDS.some((kind) => report.garbage[kind].count > 0);
    const expiresMs = went ? 0 : report.nextExpiryMs;
    // Who has marked has seen all that there is; else the next run looks.
    const isClean = expiresMs === Number.POSITIVE_INFINITY && hasMarked;
    const nextMs = nextPeriodMs(this.#nowMs);
    const dueMs = Number.isFinite(expiresMs) ? Math.max(nextMs, nextPeriodMs(expiresMs)) : nextMs;
    await this.#end(lease, isClean ? undefined : dueMs);
    return true;
  }

  async #end(lease: JobLease, dueMs: number | undefined, failure?: string): Promise<void> {
    const { blobs, catalog } = this.#served;
    const { context } = catalog;
    // Before the job is over: then there may be another run, whose segments these would not be. A
    // node that takes the job up meanwhile has no segment left to read, or stops as this one did.
    await deleteSegments(blobs, context.account, () => lease.renew());
    const next = dueMs === undefined ? undefined : { dueMs, failure };
    await endJob(context, lease, next);
    if (next === undefined) this.#askedMs = 0;
  }

  async #listCandidates(
    candidates: SortedLines,
    report: GarbageReport,
    limiter: StoreRateLimiter,
    runLease: RunLease,
  ): Promise<void> {
    const { blobs, catalog } = this.#served;
    const { account, clock } = catalog.context;
    // A payload younger than this is not a candidate, by the store's own clock.
    const latestMs = clock.nowMs() - SERVICE_LIMITS.catalogGcFloorMs;
    for await (const { path, size, modifiedAtMs, parsed } of walkPayloads(
      { blobs, clock },
      { account },
    )) {
      if (++report.payloads % KEEP_EVERY === 0) {
        await limiter.spend(1);
        await runLease.keep();
      }
      report.payloadBytes += size;
      if (parsed === undefined) report.unknownPaths++;
      else if (modifiedAtMs <= latestMs) await candidates.add(payloadLine({ path, size }));
    }
  }

  /**
   * What a run would delete now, if two marks came to the same: one mark, and nothing is written
   * or deleted.
   */
  async look(ended: AbortSignal): Promise<GarbageReport> {
    const report = emptyReport();
    const { clock } = this.#served.catalog.context;
    const limiter = new StoreRateLimiter(clock);
    const runLease: RunLease = {
      keep: async () => ended.throwIfAborted(),
      assertHeld: () => undefined,
    };
    await this.#withSinks(async (sinks, candidates) => {
      await this.#listCandidates(candidates, report, limiter, runLease);
      await this.#mark(sinks, { report, limiter, runLease, isDry: true });
      for await (const line of joined(candidates.lines(), sinks.reached.lines(), false)) {
        countGarbage(report, "payloads", 1, payloadOfLine(line).size);
      }
      for await (const line of sinks.rootless.lines()) countGarbage(report, kindOfKey(line), 1);
      for await (const line of orphansOf(sinks)) {
        countGarbage(report, "metadata", 1, orphanOfLine(line).size);
      }
    });
    return report;
  }

  async #withSinks<T>(work: (sinks: MarkSinks, candidates: SortedLines) => Promise<T>): Promise<T> {
    const { scratch, catalog } = this.#served;
    const { store, close } = await scratch();
    const lines = (name: string) =>
      new SortedLines({ scratch: store, clock: catalog.context.clock }, name);
    try {
      const sinks = {
        reached: lines("reached"),
        rootless: lines("rootless"),
        named: lines("named"),
        orphans: lines("orphans"),
        indexed: lines("indexed"),
        entries: lines("entries"),
      };
      return await work(sinks, lines("candidates"));
    } finally {
      await close();
    }
  }

  #count({ garbage }: GarbageReport): void {
    for (const kind of GARBAGE_KINDS) {
      const { count, bytes } = garbage[kind];
      if (count > 0) this.#deleted?.add(count, kind);
      if (bytes > 0) this.#deletedBytes?.add(bytes, kind);
    }
  }
}

/** What no other table names either. */
function orphansOf({ orphans, named }: MarkSinks): AsyncGenerator<string> {
  return joined(orphans.lines(), named.lines(), false);
}

function runLeaseOf(lease: JobLease, ended: AbortSignal): RunLease {
  return {
    keep: async () => {
      if (ended.aborted) throw new Interrupted();
      await lease.keep();
    },
    assertHeld: () => lease.assertHeld(),
  };
}

function isReceipt(key: string): boolean {
  return key.includes("/idempotency/");
}
