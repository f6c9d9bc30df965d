import { assert } from "../../base/assert.ts";
import { type Clock, Stopwatch } from "../../base/clock.ts";
import { FirnError } from "../../base/error.ts";
import { compactionAbandoned, compactorFenced } from "../errors.ts";
import type { Sequence } from "../format/entry.ts";
import type { SstMeta } from "../format/sst-meta.ts";
import type { Ulid } from "../format/ulid.ts";
import type { Health } from "../health.ts";
import type { ManifestLog } from "../manifest/log.ts";
import type { LsmTuning } from "../options.ts";
import type { ReadViews } from "../read/read-view.ts";
import { Executor, type ExecutorTarget } from "./executor.ts";
import { type CompactionFigures, NO_COMPACTION } from "./figures.ts";
import { compactionDebt, type PickContext, pickAll, pickCompaction, pickRest } from "./pick.ts";
import { applyPlan, type CompactionPlan, isApplied, isIdle, rewrittenBytes } from "./plan.ts";

/** What compactions act on. */
export interface CompactorTarget extends ExecutorTarget {
  readonly clock: Clock;
  readonly options: LsmTuning;
  readonly views: ReadViews;
  readonly manifests: ManifestLog;
  readonly health: Health;
  /** Snapshots that are open, ascending. */
  readonly snapshots: () => readonly Sequence[];
  /** A manifest names the outputs of a compaction, and no longer its inputs. */
  readonly onCompacted: () => void;
}

const FIRST_RETRY_MS = 100;
const MAX_RETRY_MS = 10_000;

/**
 * Decides when to compact, and publishes what came of it, step by step. All state is in the
 * manifest: where one ends half-way, by a crash or a fault, the step that was not published has
 * changed nothing, and its tables are garbage; the next owner goes on with that step.
 *
 * Compactors fence each other by the compactor epoch, taken before the first compaction: one that
 * sees a higher epoch publishes nothing any more. One compaction runs at a time.
 */
export class Compactor {
  readonly #target: CompactorTarget;
  readonly #executor: Executor;
  /** Tables that are damaged or gone. */
  readonly #avoid = new Set<Ulid>();
  readonly #stopped = Promise.withResolvers<void>();
  #isStopped = false;
  #epoch: number | undefined;
  #running: Promise<void> | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #figures: CompactionFigures = NO_COMPACTION;
  #debt: { readonly manifestId: number; readonly bytes: number } | undefined;

  constructor(target: CompactorTarget) {
    this.#target = target;
    this.#executor = new Executor(
      target,
      () => this.#isOver(),
      this.#stopped.promise,
      (bytes) => this.#written(bytes),
    );
  }

  get figures(): CompactionFigures {
    return {
      ...this.#figures,
      damagedTables: this.#avoid.size,
      debtBytes: this.debtBytes,
    };
  }

  /** The tree has changed: perhaps there is something to do. */
  wake(): void {
    if (this.#isOver() || this.#target.options.compaction === "manual") return;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /**
   * Makes one run of everything that is in tables, without garbage that no snapshot needs. Settles
   * when that is published.
   *
   * @throws FirnError `Corrupt`, naming `path` and offset of what cannot be read; `Unavailable`,
   *   codes `LSM_COMPACTOR_FENCED`, `LSM_COMPACTION_STOPPED`, `LSM_FENCED`; what the store throws.
   */
  async compactAll(): Promise<void> {
    await this.#alone(async () => {
      const { manifests, options } = this.#target;
      await this.#finish(() => true);
      const { oldestSnapshot, nowMs } = this.#context();
      // What could not be read before is tried again: any caller that asks wants to learn of it.
      const plan = pickAll(manifests.current, options, { oldestSnapshot, nowMs });
      if (plan === undefined) return;
      await this.#execute(plan);
      await this.#finish(() => true);
    });
  }

  /** Brings the tables of level 0 into a run, however few they are. @throws as `compactAll`. */
  async compactLevel0(): Promise<void> {
    await this.#alone(async () => {
      const { manifests, options } = this.#target;
      const eager = { ...options, compactionL0Tables: 1 };
      const takesLevel0 = (tables: ReadonlySet<Ulid>): boolean =>
        manifests.current.level0.some(({ id }) => tables.has(id));
      await this.#finish(takesLevel0);
      if (manifests.current.level0.length === 0) return;
      const plan = pickCompaction(manifests.current, eager, this.#context());
      if (plan === undefined) return;
      await this.#execute(plan);
      await this.#finish(takesLevel0);
    });
  }

  /** Takes the steps that are left of a compaction, while `goesOn` says so of its tables. */
  async #finish(goesOn: (tables: ReadonlySet<Ulid>) => boolean): Promise<void> {
    for (;;) {
      const { manifests, options } = this.#target;
      const plan = pickRest(manifests.current, options, this.#context());
      if (plan === undefined || !goesOn(new Set(plan.inputs.flat().map(({ id }) => id)))) return;
      await this.#execute(plan);
    }
  }

  /** Gives up what is under way. Nothing is read, written or published when it resolves. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopped.resolve();
    await this.#running;
    await this.#turn;
  }

  async #run(): Promise<void> {
    for (let failures = 0; !this.#isOver(); ) {
      try {
        const busy = await this.#alone(async () => {
          const { manifests, options } = this.#target;
          const plan = pickCompaction(manifests.current, options, this.#context());
          if (plan === undefined || this.#isOver()) return false;
          await this.#execute(plan);
          return true;
        });
        if (!busy) return;
        failures = 0;
      } catch (error) {
        if (mayPass(error)) await this.#pause(failures++);
      }
    }
  }

  /** Runs one job at a time, for all callers. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /** One step of a plan: of a small one all of it. */
  async #execute(plan: CompactionPlan): Promise<void> {
    const { clock, views, underWay, snapshots, manifests, options } = this.#target;
    const watch = new Stopwatch(clock);
    // Before anything is awaited: what is opened from here on sees what every merge keeps.
    const states = snapshots();
    assert(!isIdle(plan), "a plan changes something, or it would be picked for ever");
    const unpin = views.pinTables(views.current);
    try {
      await this.#claim();
      assert(this.#figures.underWay === undefined, "one compaction runs at a time");
      this.#figures = {
        ...this.#figures,
        underWay: { inputBytes: rewrittenBytes(plan), writtenBytes: 0 },
      };
      // The manifest has room for one that is not finished.
      const isOther = manifests.current.unfinished !== undefined && plan.resumes === undefined;
      const stepBytes = isOther ? Number.POSITIVE_INFINITY : options.compactionStepBytes;
      const made = await this.#executor.run(plan, states, stepBytes);
      const { tables, written, rest, mergedBytes } = made;
      try {
        await this.#publish(plan, tables, rest);
      } finally {
        for (const { id } of written) underWay.end(id);
      }
      const { compactions, movedTables, inputBytes, outputBytes, totalMs } = this.#figures;
      this.#figures = {
        ...this.#figures,
        compactions: compactions + 1,
        movedTables: movedTables + tables.length - written.length,
        inputBytes: inputBytes + mergedBytes,
        outputBytes: outputBytes + written.reduce((bytes, table) => bytes + table.fileBytes, 0),
        totalMs: totalMs + watch.elapsedMs(),
      };
    } catch (error) {
      const told = await this.#target.manifests.explain(error);
      this.#failed(told, plan);
      throw told;
    } finally {
      this.#figures = { ...this.#figures, underWay: undefined };
      unpin();
    }
    this.#target.onCompacted();
  }

  #written(bytes: number): void {
    const { underWay } = this.#figures;
    if (underWay === undefined) return;
    const writtenBytes = underWay.writtenBytes + bytes;
    this.#figures = { ...this.#figures, underWay: { ...underWay, writtenBytes } };
  }

  /** Fences every compactor that was before. */
  async #claim(): Promise<void> {
    if (this.#epoch !== undefined) return;
    const { manifests } = this.#target;
    const claimed = await manifests.update((manifest) => ({
      ...manifest,
      compactorEpoch: manifest.compactorEpoch + 1,
    }));
    this.#epoch = claimed.compactorEpoch;
    assert(this.#epoch > 0, "a claim is above every epoch before");
  }

  async #publish(
    plan: CompactionPlan,
    outputs: readonly SstMeta[],
    rest: readonly SstMeta[],
  ): Promise<void> {
    for (let failures = 0; ; ) {
      if (this.#isOver()) throw compactionAbandoned();
      try {
        await this.#target.manifests.update((manifest) => {
          const epoch = this.#epoch;
          assert(epoch !== undefined, "a compaction is published under an epoch that it claimed");
          if (isApplied(manifest, plan, outputs, rest)) return undefined;
          if (manifest.compactorEpoch !== epoch) {
            throw compactorFenced(epoch, manifest.compactorEpoch);
          }
          const next = applyPlan(manifest, plan, outputs, rest);
          if (next === undefined) throw compactionAbandoned();
          return next;
        });
        return;
      } catch (error) {
        // It may have been published: the same again finds out.
        if (!(error instanceof FirnError) || error.kind !== "Unknown") throw error;
        await this.#pause(failures++);
      }
    }
  }

  /** Takes note of why nothing came of it. */
  #failed(error: unknown, plan: CompactionPlan): void {
    if (this.#isOver()) return;
    const { health } = this.#target;
    this.#figures = { ...this.#figures, failures: this.#figures.failures + 1 };
    const code = error instanceof FirnError ? error.code : "";
    if (code === "LSM_FENCED") health.fail(error);
    else if (code === "LSM_COMPACTOR_FENCED") this.#end();
    else if (!mayPass(error)) {
      // What is damaged stays so, and where the fault is ours the same plan would fail again.
      const damaged = damagedTable(error);
      const inputs = plan.inputs.flat().map(({ id }) => id);
      for (const id of damaged === undefined ? inputs : [damaged]) this.#avoid.add(id);
      this.#debt = undefined;
    }
  }

  #end(): void {
    this.#isStopped = true;
    this.#stopped.resolve();
  }

  #isOver(): boolean {
    return this.#isStopped || this.#target.health.failure !== undefined;
  }

  #context(): PickContext & { readonly nowMs: number } {
    const { snapshots, semantics } = this.#target;
    return { oldestSnapshot: snapshots()[0], nowMs: semantics.nowMs(), avoid: this.#avoid };
  }

  /** Bytes that it would have to rewrite now. */
  get debtBytes(): number {
    const { manifests, options } = this.#target;
    const manifest = manifests.current;
    if (this.#debt?.manifestId !== manifest.id) {
      const bytes = compactionDebt(manifest, options, { avoid: this.#avoid });
      this.#debt = { manifestId: manifest.id, bytes };
    }
    return this.#debt.bytes;
  }

  async #pause(failures: number): Promise<void> {
    const ms = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** failures);
    await Promise.race([this.#target.clock.sleep(ms), this.#stopped.promise]);
  }
}

/** Which table could not be read, if that is what went wrong. */
function damagedTable(error: unknown): Ulid | undefined {
  if (!(error instanceof FirnError) || error.kind !== "Corrupt") return undefined;
  const { path } = error.context;
  return typeof path === "string"
    ? path.slice(path.lastIndexOf("/") + 1, -".sst".length)
    : undefined;
}

/** Whether the next attempt may succeed where this one has not. */
function mayPass(error: unknown): boolean {
  if (!(error instanceof FirnError) || error.code === "LSM_FENCED") return false;
  return error.kind === "Unavailable" || error.kind === "Unknown" || error.kind === "Overloaded";
}
