import { Stopwatch } from "../../src/base/clock.ts";
import { IdSource, type WriterId } from "../../src/base/ids.ts";
import { LIMITS } from "../../src/base/limits.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import type { Attempt, CertainDeps, commitCertain, Verdict } from "../../src/pointer/certain.ts";
import { MemoryPointerStore } from "../../src/pointer/memory.ts";
import type { Batch, PointerOp, PointerStore, Version } from "../../src/pointer/port.ts";
import type { Recorded } from "../support/faulty-pointer-store.ts";
import { TEST_FAMILIES } from "../support/pointer-families.ts";
import { SleepIsTime } from "../support/virtual-clock.ts";

/** The rule under test, or a mutant of it. */
export type CommitFunction = typeof commitCertain;

export const ENTITY = "/test/s/entities/by-id/e";
export const NAME = "/test/s/entities/by-name/n";
export const GUARD = "/test/s/guards/0";
export const RECEIPT = "/test/s/receipts/op/key";

/** A small catalog: an entity to update, a free name to take note of, a guard of their parent. */
export class World {
  readonly clock: SleepIsTime = new SleepIsTime();
  readonly deps: CertainDeps;
  readonly memory: MemoryPointerStore;
  readonly #ids: IdSource;

  constructor() {
    const prng = new SeededPrng(7);
    this.#ids = new IdSource(this.clock, prng);
    this.deps = { clock: this.clock, prng, ids: this.#ids };
    this.memory = new MemoryPointerStore({ families: TEST_FAMILIES, clock: this.clock });
  }

  async begin(): Promise<void> {
    await this.rival(
      { op: "put", key: ENTITY, expected: 0n },
      { op: "put", key: GUARD, expected: 0n },
    );
  }

  attempt(): Attempt {
    return { writerId: this.#ids.mint<WriterId>(), stopwatch: new Stopwatch(this.clock) };
  }

  /** A batch of somebody else, which nothing happens to. */
  async rival(...ops: readonly PointerOp[]): Promise<void> {
    await this.memory.commit({ writerId: "rival", ops });
  }

  async version(key: string): Promise<Version> {
    return (await this.memory.get(key)).version;
  }

  async isLive(key: string): Promise<boolean> {
    return (await this.memory.get(key)).state === "live";
  }

  async bodyOps(): Promise<readonly PointerOp[]> {
    return [
      { op: "put", key: ENTITY, expected: await this.version(ENTITY) },
      { op: "checkAbsent", key: NAME },
      { op: "bump", key: GUARD },
    ];
  }
}

/**
 * An attempt as its callers make it: commits a body; after a conflict reads again and commits
 * another one, at most `bodies` in all.
 */
export async function runAttempt(
  world: World,
  store: PointerStore,
  commit: CommitFunction,
  attempt: Attempt,
  bodies: number,
): Promise<Verdict> {
  let receiptExpected = 0n;
  for (let body = 1; ; body++) {
    const ops = await world.bodyOps();
    const receipt = { key: RECEIPT, expected: receiptExpected };
    const verdict = await commit(store, world.deps, attempt, { ops, receipt });
    if (verdict.verdict !== "conflict" || body >= bodies) return verdict;
    receiptExpected = verdict.receiptExpected;
  }
}

/** How often a writer's bodies were applied, by what the store itself saw, fences not counted. */
export function timesApplied(history: readonly Recorded[], writerId: string): number {
  let times = 0;
  for (const { method, args, landings } of history) {
    if (method !== "commit") continue;
    const batch = args[0] as Batch;
    if (batch.writerId !== writerId || batch.ops.length === 1) continue;
    times += landings.filter(({ outcome }) => outcome === "committed").length;
  }
  return times;
}

/**
 * Checks a verdict against all that ever happened, every late request having landed. Answers what
 * is wrong with it.
 */
export function contradiction(
  verdict: Verdict,
  attempt: Attempt,
  answeredAtMs: number,
  history: readonly Recorded[],
): string | undefined {
  const applied = timesApplied(history, attempt.writerId);
  const isOver = answeredAtMs >= LIMITS.attemptMs;
  if (applied > 1) return `applied ${applied} times`;
  switch (verdict.verdict) {
    case "committed":
      return applied === 1 ? undefined : "committed, but not applied";
    case "unknown":
      return isOver ? undefined : "unknown while there was time to be certain";
    default:
      if (applied !== 0) return `${verdict.verdict}, but applied`;
      return isOver ? `${verdict.verdict}, past the deadline` : undefined;
  }
}
