import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  compactionDebt,
  type PickOptions,
  pickAll,
  pickCompaction,
} from "../../../src/lsm/compaction/pick.ts";
import {
  applyPlan,
  bytesOf,
  type CompactionPlan,
  overlap,
  planOf,
  rewrittenBytes,
  type Tree,
} from "../../../src/lsm/compaction/plan.ts";
import { COMPACTION_STYLES, type CompactionStyle } from "../../../src/lsm/compaction-style.ts";
import type { SstMeta } from "../../../src/lsm/format/sst-meta.ts";
import { LSM_DEFAULTS, lsmOptions } from "../../../src/lsm/options.ts";
import { agesOf, EMPTY_TREE, kept, mergedTables, tableOf } from "../support/trees.ts";

const OPTIONS: PickOptions = { ...LSM_DEFAULTS, tableBytes: 1_000 };

const table = fc
  .record({
    from: fc.integer({ min: 0, max: 40 }),
    width: fc.integer({ min: 0, max: 40 }),
    fileBytes: fc.oneof(fc.integer({ min: 1, max: 3_000 }), fc.constantFrom(1, 100_000)),
    deletions: fc.integer({ min: 0, max: 100 }),
    at: fc.integer({ min: 1, max: 100 }),
  })
  .map(({ from, width, ...rest }) => tableOf(key(from), key(from + width), rest));

function key(n: number): string {
  return String(n).padStart(3, "0");
}

/** Tables that do not overlap, as a run has them. */
const run = fc.array(table, { minLength: 1, maxLength: 6 }).map((tables) => {
  const sorted: SstMeta[] = [];
  for (const one of tables.toSorted((a, b) => (a.stats.firstKey < b.stats.firstKey ? -1 : 1))) {
    if (sorted.every((other) => !overlap(one, other))) sorted.push(one);
  }
  return sorted;
});

const tree: fc.Arbitrary<Tree> = fc
  .record({
    level0: fc.array(table, { maxLength: 9 }),
    runs: fc.array(run, { maxLength: 30 }),
  })
  .map(({ level0, runs }) => ({
    level0,
    runs: runs.map((tables, i) => ({ id: runs.length - i, tables, unknown: [] })),
  }));

const context = fc.record({ oldestSnapshot: fc.option(fc.nat({ max: 120 }), { nil: undefined }) });

/** Compacts until nothing is left to pick; answers every plan with the tree that it was made of. */
function settle(
  first: Tree,
  options: PickOptions,
  oldestSnapshot?: number,
): { tree: Tree; plans: readonly CompactionPlan[] } {
  const plans: CompactionPlan[] = [];
  let now = first;
  for (;;) {
    const plan = pickCompaction(now, options, { oldestSnapshot });
    if (plan === undefined) return { tree: now, plans };
    check(now, plan);
    plans.push(plan);
    const next = applyPlan(now, plan, plan.parts.map(kept));
    expect(next).toBeDefined();
    now = next as Tree;
    expect(plans.length).toBeLessThan(200);
  }
}

/** Whoever reads newest first must find what it found before. */
function check(before: Tree, plan: CompactionPlan): void {
  const ages = agesOf(before);
  const ageOf = (one: SstMeta): number => ages.findIndex((tables) => tables.includes(one));
  const taken = new Set(plan.inputs.flat());
  const oldest = Math.max(...[...taken].map(ageOf));
  const newest = Math.min(...[...taken].map(ageOf));
  for (let age = newest; age <= oldest; age++) {
    for (const left of ages[age] ?? []) {
      if (taken.has(left)) continue;
      // Nothing newer than what stays goes down past it where their keys meet.
      const passing = [...taken].filter((one) => ageOf(one) < age && overlap(one, left));
      expect(passing).toEqual([]);
    }
  }
  const merged = new Set(mergedTables(plan));
  const moved = plan.parts.flatMap((part) => (part.part === "move" ? [part.table] : []));
  expect(new Set([...merged, ...moved])).toEqual(taken);
  for (const part of plan.parts) {
    if (part.part !== "merge" || !part.dropTombstones) continue;
    const below = ages.slice(oldest).flat();
    for (const one of part.inputs.flat()) {
      const hidden = below.filter((other) => !taken.has(other) && overlap(one, other));
      expect(hidden).toEqual([]);
    }
  }
}

function expectSorted({ runs }: Tree): void {
  for (const { tables } of runs) {
    tables.forEach((one, i) => {
      for (const other of tables.slice(i + 1)) expect(overlap(one, other)).toBe(false);
    });
  }
  expect(new Set(runs.map(({ id }) => id)).size).toBe(runs.length);
}

describe("the choice of compactions", () => {
  it("comes to an end, with few sorted places, in the order that reads rely on", () => {
    fc.assert(
      fc.property(tree, context, (first, { oldestSnapshot }) => {
        const { tree: last } = settle(first, OPTIONS, oldestSnapshot);
        expect(last.level0.length).toBeLessThan(OPTIONS.compactionL0Tables);
        expect(last.runs.length).toBeLessThanOrEqual(OPTIONS.compactionMaxRuns);
        expectSorted(last);
        const tables = (of: Tree): number => agesOf(of).flat().length;
        expect(bytesOf(agesOf(last).flat())).toBe(bytesOf(agesOf(first).flat()));
        expect(tables(last)).toBeLessThanOrEqual(tables(first));
      }),
      { numRuns: 300 },
    );
  });

  it("makes one run of everything when it is asked to, and then has nothing left to do", () => {
    fc.assert(
      fc.property(tree, (first) => {
        const plan = pickAll(first, OPTIONS);
        if (plan === undefined) {
          expect(agesOf(first).length).toBeLessThanOrEqual(1);
          return;
        }
        check(first, plan);
        const last = applyPlan(first, plan, plan.parts.map(kept)) as Tree;
        expect(agesOf(last).length).toBe(1);
        expectSorted(last);
        const again = pickAll(last, OPTIONS);
        // What was written again has no garbage; what was moved had none.
        expect(again?.parts.filter((part) => part.part === "merge") ?? []).toEqual([]);
      }),
    );
  });

  it("goes round tables that cannot be read, and drops nothing of them", () => {
    fc.assert(
      fc.property(tree, fc.nat(), (first, seed) => {
        const all = agesOf(first).flat();
        const bad = all[seed % Math.max(1, all.length)];
        if (bad === undefined) return;
        const avoid = new Set([bad.id]);
        let now = first;
        for (let steps = 0; ; steps++) {
          expect(steps).toBeLessThan(200);
          const plan = pickCompaction(now, OPTIONS, { avoid });
          if (plan === undefined) break;
          check(now, plan);
          expect(plan.inputs.flat()).not.toContain(bad);
          now = applyPlan(now, plan, plan.parts.map(kept)) as Tree;
        }
        expect(agesOf(now).flat()).toContain(bad);
      }),
    );
  });

  it("moves what does not overlap, and only joins what is small", () => {
    const big = (from: number) => tableOf(key(from), key(from + 1), { fileBytes: 900 });
    const level0 = [6, 4, 2, 0].map(big);
    const plan = pickCompaction({ level0, runs: [] }, OPTIONS);
    expect(plan?.parts.map(({ part }) => part)).toEqual(["move", "move", "move", "move"]);
    expect(rewrittenBytes(plan as CompactionPlan)).toBe(0);
    const small = [6, 4, 2, 0].map((from) => tableOf(key(from), key(from + 1), { fileBytes: 90 }));
    const joined = pickCompaction({ level0: small, runs: [] }, OPTIONS);
    expect(joined?.parts.map(({ part }) => part)).toEqual(["merge"]);
  });
});

describe("the choice of compactions for deletions", () => {
  it("writes a table again for its deletions, at the bottom, once no snapshot needs them", () => {
    const low = tableOf("000", "500", { fileBytes: 100_000, at: 1 });
    const high = tableOf("100", "200", { entries: 100, deletions: 90, at: 9, fileBytes: 500 });
    const apart = tableOf("600", "700", { fileBytes: 500, at: 8 });
    const runs = [
      { id: 2, tables: [high, apart], unknown: [] },
      { id: 1, tables: [low], unknown: [] },
    ];
    expect(pickCompaction({ level0: [], runs }, OPTIONS, { oldestSnapshot: 5 })).toBeUndefined();
    const plan = pickCompaction({ level0: [], runs }, OPTIONS, { oldestSnapshot: 9 });
    expect(plan?.reason).toBe("garbage");
    expect(plan?.inputs).toEqual([[high], [low]]);
    expect(plan?.parts).toMatchObject([{ part: "merge", dropTombstones: true }]);
  });

  it("takes deletions down from level 0, past what they do not meet, where enough goes", () => {
    const low = tableOf("000", "500", { fileBytes: 1_000, entries: 1_000, at: 1 });
    const runs = [{ id: 1, tables: [low], unknown: [] }];
    const deletes = (from: string, to: string) =>
      tableOf(from, to, { entries: 100, deletions: 100, at: 9, fileBytes: 50 });
    const beside = tableOf("600", "700", { fileBytes: 90, at: 5 });
    const met = tableOf("150", "160", { fileBytes: 90, at: 4 });
    const plan = pickCompaction({ level0: [deletes("100", "200"), beside, met], runs }, OPTIONS);
    expect(plan?.reason).toBe("garbage");
    expect(plan?.inputs.map((tables) => tables.length)).toEqual([1, 1, 1]);
    expect(plan?.inputs.flat()).not.toContain(beside);
    expect(plan?.inputs.flat()).toContain(met);
    // A hundred deletions are not worth nine thousand entries that are written again.
    const wide = tableOf("000", "500", { fileBytes: 9_000, entries: 9_000, at: 1 });
    const large = [{ id: 1, tables: [wide], unknown: [] }];
    const level0 = [deletes("100", "200")];
    expect(pickCompaction({ level0, runs: large }, OPTIONS)).toBeUndefined();
  });
});

describe("a chosen compaction", () => {
  it("is given up where an input is gone", () => {
    const level0 = [1, 2, 3, 4].map(() => tableOf("0", "9", {}));
    const plan = pickCompaction({ level0, runs: [] }, OPTIONS) as CompactionPlan;
    expect(applyPlan({ level0: level0.slice(1), runs: [] }, plan, [])).toBeUndefined();
  });

  it("has a debt that is what it then rewrites", () => {
    fc.assert(
      fc.property(tree, (first) => {
        const clean = (one: SstMeta): SstMeta => ({
          ...one,
          stats: { ...one.stats, deletions: 0 },
        });
        const without: Tree = {
          level0: first.level0.map(clean),
          runs: first.runs.map((one) => ({ ...one, tables: one.tables.map(clean) })),
        };
        const { plans } = settle(without, OPTIONS);
        const bytes = plans.reduce((sum, plan) => sum + rewrittenBytes(plan), 0);
        expect(compactionDebt(without, OPTIONS, {})).toBe(bytes);
      }),
    );
  });
});

/**
 * Uniform updates of a fixed set of keys, by the pick alone. A table holds each key with a certain
 * probability; what a merge holds follows from that of its inputs.
 */
function uniformUpdates(flushesToFill: number, fills: number, options: PickOptions) {
  const UNIT = 1_000_000;
  const share = new Map<string, number>();
  const sized = (part: number): SstMeta => {
    const made = tableOf("0", "9", { fileBytes: Math.max(1, Math.round(part * UNIT)) });
    share.set(made.id, part);
    return made;
  };
  const figures = { flushed: 0, written: 0, places: 0, space: 0, peak: 0 };
  let now: Tree = { ...EMPTY_TREE, runs: [{ id: 1, tables: [sized(1)], unknown: [] }] };
  for (let flush = 0; flush < flushesToFill * fills; flush++) {
    const part = 1 / flushesToFill;
    now = { ...now, level0: [sized(1 - Math.exp(-part)), ...now.level0] };
    figures.flushed += part * UNIT;
    figures.written += (1 - Math.exp(-part)) * UNIT;
    for (;;) {
      const plan = pickCompaction(now, { ...options, tableBytes: 4 * UNIT });
      if (plan === undefined) break;
      const outputs = plan.parts.map((one) => {
        if (one.part === "move") return one.table;
        const absent = one.inputs.flat().map(({ id }) => 1 - (share.get(id) ?? 0));
        return sized(1 - absent.reduce((product, factor) => product * factor, 1));
      });
      const before = bytesOf(agesOf(now).flat());
      figures.written += bytesOf(outputs);
      figures.peak = Math.max(figures.peak, (before + bytesOf(outputs)) / UNIT);
      now = applyPlan(now, plan, outputs) as Tree;
    }
    figures.places = Math.max(figures.places, agesOf(now).length);
    figures.space = Math.max(figures.space, bytesOf(agesOf(now).flat()) / UNIT);
  }
  return { ...figures, amplification: figures.written / figures.flushed };
}

const BOUNDS: Readonly<
  Record<CompactionStyle, { readonly writes: number; readonly spaces: number }>
> = {
  balanced: { writes: 5, spaces: 1.5 },
  write: { writes: 3.5, spaces: 2 },
  read: { writes: 9, spaces: 1.5 },
  space: { writes: 9, spaces: 1.2 },
};

describe.each(Object.keys(COMPACTION_STYLES) as CompactionStyle[])(
  "uniform updates, saving for %s",
  (compactionStyle) => {
    const options = lsmOptions({ options: { compactionStyle } });

    it.each([4, 16, 64, 256])(
      "of %i memtables of data keeps write, read and space amplification bounded",
      (n) => {
        const { amplification, places, space, peak } = uniformUpdates(n, 6, options);
        console.log(
          `${compactionStyle}, ${n} memtables: write ${amplification.toFixed(2)}, ` +
            `places ${places}, space ${space.toFixed(2)}, ` +
            `with what a compaction has written ${peak.toFixed(2)}`,
        );
        const { writes, spaces } = BOUNDS[compactionStyle];
        expect(amplification).toBeLessThanOrEqual(writes);
        expect(places).toBeLessThanOrEqual(options.compactionMaxRuns + options.compactionL0Tables);
        expect(space).toBeLessThanOrEqual(spaces);
        expect(peak).toBeLessThanOrEqual(2.1 * spaces);
      },
    );
  },
);

it("keeps the deletions of a table whose neighbour holds older versions of its last key", () => {
  const cut = [
    tableOf("a", "b", { fileBytes: 100, at: 2 }),
    tableOf("c", "k", { fileBytes: 100, deletions: 40, at: 2 }),
    tableOf("k", "z", { fileBytes: 900, at: 1 }),
  ];
  const above = tableOf("a", "b", { at: 3 });
  const options = { tableBytes: 2_000, isWorthRewriting: () => false };
  const plan = planOf("level0", [[above], cut], [], options);
  expect(plan.parts).toMatchObject([{ part: "merge", dropTombstones: false }, { part: "move" }]);
});

it("drops range tombstones that meet at the end of one table and the start of the next", () => {
  const bare = (from: string, to: string): SstMeta => {
    const made = tableOf(from, to, { fileBytes: 900, entries: 0 });
    return { ...made, stats: { ...made.stats, ranges: 9 } };
  };
  const runs = [{ id: 1, tables: [bare("a", "k"), bare("k", "z")], unknown: [] }];
  const plan = pickCompaction({ level0: [], runs }, OPTIONS);
  expect(plan?.parts).toMatchObject([{ part: "merge", dropTombstones: true }]);
});
