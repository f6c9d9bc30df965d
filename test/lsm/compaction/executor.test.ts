import { describe, expect, it } from "vitest";
import type { Clock } from "../../../src/base/clock.ts";
import { SeededPrng } from "../../../src/base/prng.ts";
import { MemoryBlobStore } from "../../../src/blob/memory.ts";
import type { KeyBounds } from "../../../src/lsm/compaction/bounds.ts";
import { Executor } from "../../../src/lsm/compaction/executor.ts";
import type {
  Merger,
  MergeSession,
  MergeSpec,
  MergeStep,
} from "../../../src/lsm/compaction/merger.ts";
import type { CompactionPlan } from "../../../src/lsm/compaction/plan.ts";
import type { SortedTable, SortSpec } from "../../../src/lsm/compaction/sort-rows.ts";
import { PUT } from "../../../src/lsm/format/entry.ts";
import { TablesUnderWay } from "../../../src/lsm/manifest/tables-under-way.ts";
import { type LsmTuning, lsmOptions } from "../../../src/lsm/options.ts";
import { tablePath } from "../../../src/lsm/read/table-cache.ts";
import { MemoryBudget } from "../../../src/lsm/write/budget.ts";
import { InlineMerger } from "../../support/inline-merger.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";
import { type File, filesOf } from "../support/merges.ts";
import { type Entry, MEANING } from "../support/model.ts";
import { contentOf } from "../support/range-writes.ts";

const ROWS = 6_000;

const keyOf = (i: number): string => `key ${String(i).padStart(6, "0")}`;

function entriesOf(filter: (i: number) => boolean): readonly Entry[] {
  return Array.from({ length: ROWS }, (_, i) => i)
    .filter(filter)
    .map((i) => ({ key: keyOf(i), sequence: i + 1, kind: PUT, value: Buffer.alloc(20, i) }));
}

/** What a test does to the steps of a merge; `index`: of the subrange, in key order. */
type Meddle = (
  index: number,
  nth: number,
  step: () => Promise<MergeStep>,
  clock: Clock,
) => Promise<MergeStep>;

/** Tells what was merged at once, and lets a test meddle. */
class Watched implements Merger {
  readonly width: number;
  readonly bounds: KeyBounds[] = [];
  readonly specs: MergeSpec[] = [];
  most = 0;
  open = 0;
  readonly #inner: InlineMerger;
  readonly #clock: Clock;
  readonly #meddle: Meddle;

  constructor(clock: Clock, width: number, meddle: Meddle = (_, __, step) => step()) {
    this.width = width;
    this.#clock = clock;
    this.#inner = new InlineMerger(clock);
    this.#meddle = meddle;
  }

  start(spec: MergeSpec): MergeSession {
    const index = this.specs.push(spec) - 1;
    this.bounds.push(spec.bounds);
    const session = this.#inner.start(spec);
    this.most = Math.max(this.most, ++this.open);
    let nth = 0;
    return {
      step: (feed) => this.#meddle(index, nth++, () => session.step(feed), this.#clock),
      end: () => {
        this.open--;
        session.end();
      },
    };
  }

  sort(spec: SortSpec): Promise<SortedTable> {
    return this.#inner.sort(spec);
  }

  async close(): Promise<void> {}
}

class UnderWay extends TablesUnderWay {
  readonly open = new Set<string>();

  override begin(id: string): void {
    this.open.add(id);
    super.begin(id);
  }

  override end(id: string): void {
    this.open.delete(id);
    super.end(id);
  }
}

interface Choice {
  readonly width?: number;
  readonly meddle?: Meddle;
  readonly options?: Partial<LsmTuning>;
  readonly budgetBytes?: number;
}

/** Two tables that interleave, above a run of small ones: about 220 KB. */
async function world({ width = 3, meddle, options, budgetBytes = 100_000_000 }: Choice = {}) {
  const clock = new VirtualClock();
  const prng = new SeededPrng(3);
  const store = new MemoryBlobStore(clock);
  const inputs = [
    filesOf(
      entriesOf((i) => i % 4 === 1),
      ROWS,
      prng,
    ),
    filesOf(
      entriesOf((i) => i % 4 === 3),
      ROWS,
      prng,
      { indexPartBytes: 500 },
    ),
    filesOf(
      entriesOf((i) => i % 2 === 0),
      100,
      prng,
    ),
  ];
  for (const { meta, bytes } of inputs.flat()) await store.put(tablePath("", meta.id), bytes);
  const merger = new Watched(clock, width, meddle);
  const budget = new MemoryBudget(budgetBytes);
  const underWay = new UnderWay();
  const sizes = { blockBytes: 256, tableBytes: 20_000, compactionSubrangeBytes: 50_000 };
  const target = {
    store,
    prefix: "",
    clock,
    prng,
    merger,
    budget,
    semantics: MEANING,
    underWay,
    options: lsmOptions({ forTests: { ...sizes, ...options } }),
  };
  const stop = { now: false };
  const never = new Promise<void>(() => undefined);
  const executor = new Executor(
    target,
    () => stop.now,
    never,
    () => undefined,
  );
  const tables = inputs.map((run) => run.map(({ meta }) => meta));
  const plan: CompactionPlan = {
    reason: "all",
    inputs: tables,
    parts: [{ part: "merge", inputs: tables, dropTombstones: true }],
  };
  const run = () => clock.run(executor.run(plan, []));
  return { clock, store, merger, budget, underWay, inputs, stop, run };
}

/** Nothing is left of what was given up. */
async function assertGone(made: Awaited<ReturnType<typeof world>>): Promise<void> {
  const { store, merger, budget, underWay, inputs } = made;
  expect(merger.open).toBe(0);
  expect(underWay.open.size).toBe(0);
  expect(budget.figures.workBytes).toBe(0);
  const left = (await store.list("sst/")).map(({ path }) => path).sort();
  expect(left).toEqual(
    inputs
      .flat()
      .map(({ meta }) => tablePath("", meta.id))
      .sort(),
  );
}

const slowFirst: Meddle = async (index, _nth, step, clock) => {
  await clock.sleep(index === 0 ? 50 : 1);
  return await step();
};

describe("a compaction that is large enough", () => {
  it("is cut into subranges of like bytes, and its tables follow each other", async () => {
    const { store, merger, underWay, run } = await world({ meddle: slowFirst });
    const { tables, written } = await run();
    expect(merger.most).toBe(3);
    expect(merger.open).toBe(0);
    expect(merger.bounds.map(({ from }) => from)).toEqual([
      "",
      ...merger.bounds.slice(0, 2).map(({ to }) => to),
    ]);
    expect(tables).toEqual(written);
    expect([...underWay.open].sort()).toEqual(tables.map(({ id }) => id).sort());
    const files: File[] = [];
    for (const meta of tables) {
      files.push({ meta, bytes: (await store.get(tablePath("", meta.id)))!.bytes });
    }
    const keys = files.flatMap((file) => contentOf(file).entries.map(({ key }) => key));
    expect(keys).toEqual(Array.from({ length: ROWS }, (_, i) => keyOf(i)));
    for (const { from, to } of merger.bounds) {
      const within = keys.filter((key) => key >= from && key < to).length;
      expect(Math.abs(within - ROWS / 3)).toBeLessThan(ROWS / 25);
    }
  });

  it("shares its room among them, and what it makes at once", async () => {
    const { merger, run } = await world({ budgetBytes: 500_000 });
    await run();
    const [whole, parts] = await Promise.all([world({ width: 1 }), world()]);
    await whole.run();
    await parts.run();
    expect(whole.merger.specs).toHaveLength(1);
    const [alone] = whole.merger.specs as [MergeSpec];
    const [part] = parts.merger.specs as [MergeSpec];
    expect(part.stepBytes * 3).toBe(alone.stepBytes);
    const room = merger.specs.reduce((sum, spec) => sum + spec.windowBytes * spec.inputs.length, 0);
    expect(room * 4).toBeLessThanOrEqual(62_500 + 4 * 3 * 3);
  });

  it.each([
    ["there is one thread", { width: 1 }],
    ["it is too small", { options: { compactionSubrangeBytes: 150_000 } }],
    ["windows would be too small", { budgetBytes: 130_000 }],
  ] as const)("stays whole where %s", async (_why, choice) => {
    const { merger, run } = await world(choice);
    await run();
    expect(merger.specs).toHaveLength(1);
  });
});

describe("a compaction of several subranges", () => {
  it("is given up as a whole where a part of it fails, whichever it is", async () => {
    for (const failing of [0, 1, 2]) {
      const made = await world({
        meddle: (index, nth, step) =>
          index === failing && nth === 5 ? Promise.reject(new Error("no")) : step(),
      });
      await expect(made.run()).rejects.toThrow("no");
      await assertGone(made);
    }
  });

  it("is given up where one has failed while the others were done", async () => {
    const made = await world({
      meddle: async (index, nth, step, clock) => {
        await clock.sleep(index === 2 ? 1_000 : 1);
        if (index === 2 && nth === 1) throw new Error("late");
        return await step();
      },
    });
    await expect(made.run()).rejects.toThrow("late");
    // Tables that were stored whole are garbage, which a collection finds: nobody names them.
    const { merger, budget, underWay } = made;
    expect([merger.open, underWay.open.size, budget.figures.workBytes]).toEqual([0, 0, 0]);
  });

  it("is given up where the engine closes", async () => {
    const made = await world({
      meddle: (index, nth, step) => {
        if (index === 1 && nth === 4) made.stop.now = true;
        return step();
      },
    });
    await expect(made.run()).rejects.toMatchObject({ code: "LSM_COMPACTION_STOPPED" });
    await assertGone(made);
  });

  it("counts entries over all of them, and names the file that lacks some", async () => {
    for (const by of [-1, 1]) {
      const made = await world({
        meddle: async (index, _nth, step) => {
          const made = await step();
          if (index !== 1 || !made.done) return made;
          const counts = made.counts.map((count, i) =>
            i === 0 ? { ...count, entries: count.entries + by } : count,
          );
          return { ...made, counts };
        },
      });
      const [{ meta }] = made.inputs[0] as [File];
      const { id, stats } = meta;
      await expect(made.run()).rejects.toMatchObject({
        kind: "Corrupt",
        context: { path: tablePath("", id), found: stats.entries + by, expected: stats.entries },
      });
      const { merger, underWay } = made;
      expect([merger.open, underWay.open.size]).toEqual([0, 0]);
    }
  });

  it("keeps to its pace, all of them together", async () => {
    const { clock, run } = await world({ options: { compactionBytesPerSecond: 100_000 } });
    const startMs = clock.monotonicMs();
    const { tables } = await run();
    const bytes = tables.reduce((sum, { fileBytes }) => sum + fileBytes, 0);
    const dueMs = (bytes / 100_000) * 1_000;
    expect(clock.monotonicMs() - startMs).toBeGreaterThan(dueMs * 0.6);
    expect(clock.monotonicMs() - startMs).toBeLessThan(dueMs * 1.2);
  });

  it("names a table whose end is damaged or gone where it looks for cuts", async () => {
    for (const how of ["flip", "gone"] as const) {
      const { store, inputs, run } = await world();
      const [{ meta, bytes }] = inputs[1] as [File];
      const path = tablePath("", meta.id);
      const flipped = new Uint8Array(bytes);
      flipped[bytes.length - 9] = (bytes.at(-9) ?? 0) ^ 1;
      if (how === "flip") await store.put(path, flipped);
      else await store.delete(path);
      await expect(run()).rejects.toMatchObject({ kind: "Corrupt", context: { path } });
    }
  });
});
