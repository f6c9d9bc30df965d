import { afterEach, describe, expect, it } from "vitest";
import { SeededPrng } from "../../../src/base/prng.ts";
import { ALL_KEYS } from "../../../src/lsm/compaction/bounds.ts";
import type { MergeSession, MergeSpec } from "../../../src/lsm/compaction/merger.ts";
import { ThreadMerger, type ThreadOptions } from "../../../src/lsm/compaction/thread-merger.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";
import { driveCut, type File, filesOf } from "../support/merges.ts";
import { NOW_MS, OPERATORS, randomEntries } from "../support/model.ts";

const made: ThreadMerger[] = [];
afterEach(async () => {
  await Promise.all(made.splice(0).map((merger) => merger.close()));
});

function mergerOf(options: ThreadOptions): ThreadMerger {
  const merger = new ThreadMerger(options);
  made.push(merger);
  return merger;
}

const prng = new SeededPrng(11);
const FILES: readonly File[] = filesOf(randomEntries(prng, 500), 500, prng);
const BYTES = new Map(FILES.map(({ meta, bytes }) => [meta.id, bytes]));

const SPEC: MergeSpec = {
  inputs: [FILES.map(({ meta }) => meta)],
  bounds: ALL_KEYS,
  snapshots: [],
  dropTombstones: false,
  operators: OPERATORS.names,
  nowMs: NOW_MS,
  prefixes: undefined,
  compression: "none",
  blockBytes: 256,
  tableBytes: 2_000,
  windowBytes: 700,
  stepBytes: 1_000,
};

/** A merge that its thread cannot even begin: what nobody has foreseen ends a thread. */
const DEADLY = { ...SPEC, inputs: undefined } as unknown as MergeSpec;

/** The first thing that it asks for, or why it does not. */
async function firstStep(session: MergeSession): Promise<string> {
  try {
    const { wants } = await session.step({ parts: [], ids: [] });
    return wants[0]?.table ?? "nothing";
  } catch (error) {
    return (error as { code: string }).code;
  }
}

const ASKS = FILES[0]?.meta.id;

describe("threads that merge", () => {
  it("are started as merges come, up to so many, and shared from then on", async () => {
    const merger = mergerOf({ threads: 3 });
    expect([merger.width, merger.threads]).toEqual([3, 0]);
    const sessions: MergeSession[] = [];
    const counts: number[] = [];
    for (let i = 0; i < 5; i++) {
      sessions.push(merger.start(SPEC));
      counts.push(merger.threads);
    }
    expect(counts).toEqual([1, 2, 3, 3, 3]);
    expect(await Promise.all(sessions.map(firstStep))).toEqual(sessions.map(() => ASKS));
    for (const session of sessions) session.end();
    merger.start(SPEC).end();
    expect(merger.threads).toBe(3);
  });

  it("are not started where one is at rest", async () => {
    const merger = mergerOf({ threads: 3 });
    for (let i = 0; i < 3; i++) {
      const session = merger.start(SPEC);
      await firstStep(session);
      session.end();
    }
    expect(merger.threads).toBe(1);
  });

  it("fail, when they die, those merges alone that they had, and are replaced", async () => {
    const merger = mergerOf({ threads: 2 });
    const [first, second, third] = [SPEC, SPEC, SPEC].map((spec) => merger.start(spec));
    // On the thread that the first and the third are on, or on the other: the least busy one.
    const deadly = merger.start(DEADLY);
    const steps = [first, second, third, deadly].map((one) => firstStep(one as MergeSession));
    expect(await Promise.all(steps)).toEqual([
      ...[ASKS, "LSM_MERGE_STOPPED", ASKS],
      "LSM_MERGE_STOPPED",
    ]);
    expect(merger.threads).toBe(1);
    // Whoever comes back to it learns the same.
    expect(await firstStep(second as MergeSession)).toBe("LSM_MERGE_STOPPED");
    second?.end();
    deadly.end();
    const cuts = ["a", "b"];
    const whole = await driveCut(merger, SPEC, cuts, BYTES);
    expect(whole.files.length).toBeGreaterThan(3);
    expect(merger.threads).toBe(2);
    expect(await firstStep(first as MergeSession)).toBe("nothing");
  });

  it("end when they had nothing to do for a while, and not before", async () => {
    const clock = new VirtualClock();
    const merger = mergerOf({ threads: 2, clock, idleMs: 1_000 });
    const [one, other] = [merger.start(SPEC), merger.start(SPEC)];
    await Promise.all([one, other].map(firstStep));
    one.end();
    await clock.advance(900);
    // The one at rest has work again: the end of its rest is none of its own any more.
    const third = merger.start(SPEC);
    await clock.advance(900);
    expect(merger.threads).toBe(2);
    expect(await firstStep(third)).toBe(ASKS);
    third.end();
    third.end();
    await clock.advance(1_100);
    expect(merger.threads).toBe(1);
    other.end();
    await clock.advance(1_100);
    expect(merger.threads).toBe(0);
    const again = merger.start(SPEC);
    expect(await firstStep(again)).toBe(ASKS);
    await merger.close();
    expect(clock.sleeping).toBe(0);
  });

  it("tell those who wait when they are closed", async () => {
    const merger = mergerOf({ threads: 2 });
    const steps = [merger.start(SPEC), merger.start(SPEC)].map(firstStep);
    await merger.close();
    expect(await Promise.all(steps)).toEqual(["LSM_MERGE_STOPPED", "LSM_MERGE_STOPPED"]);
    expect(merger.threads).toBe(0);
  });
});
