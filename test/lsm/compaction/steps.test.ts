import { describe, expect, it } from "vitest";
import { utf8, utf8Text } from "../../../src/base/bytes.ts";
import { SeededPrng } from "../../../src/base/prng.ts";
import type { BlobStore } from "../../../src/blob/port.ts";
import { pickAll, pickCompaction, pickRest } from "../../../src/lsm/compaction/pick.ts";
import {
  applyPlan,
  isApplied,
  rewrittenBytes,
  type Tree,
} from "../../../src/lsm/compaction/plan.ts";
import type { Engine } from "../../../src/lsm/engine/engine.ts";
import { decodeManifest, type Manifest, tablesIn } from "../../../src/lsm/format/manifest.ts";
import { cutBelow } from "../../../src/lsm/format/sst-meta.ts";
import type { WriteOp } from "../../../src/lsm/index.ts";
import { placed } from "../../../src/lsm/ingest/placement.ts";
import type { LsmTuning } from "../../../src/lsm/options.ts";
import { int64Bytes, int64Of } from "../../../src/lsm/read/operators.ts";
import { repairShard } from "../../../src/lsm/tools/repair/repair.ts";
import { ObjectReader } from "../../../src/lsm/wal/reader.ts";
import { dyingStore } from "../support/every-call.ts";
import { TimedShard } from "../support/timed-shard.ts";
import { tableOf } from "../support/trees.ts";

const ROWS = 1_200;
const STEP_BYTES = 20_000;
const OPTIONS: Partial<LsmTuning> = {
  blockBytes: 128,
  tableBytes: 6_000,
  compactionStepBytes: STEP_BYTES,
  gcMinAgeMs: 0,
};
const COUNT_EVERY = 7;

const PICK = {
  tableBytes: 100,
  compactionL0Tables: 2,
  compactionRuns: 2,
  compactionMaxRuns: 8,
  compactionSpacePercent: 1_000_000,
};

const keyOf = (i: number): string => `key ${String(i).padStart(5, "0")}`;
const countOf = (i: number): string => `${keyOf(i)} count`;

/** What the rows of a shard are to be, as it was filled. */
type Rows = Map<string, string>;

async function write(shard: TimedShard, engine: Engine, rows: Rows, pass: number): Promise<void> {
  for (let i = pass % 3; i < ROWS; i += pass === 0 ? 1 : 3) {
    const value = `${pass} ${"x".repeat(60)}`;
    const count: WriteOp = {
      op: "merge",
      key: utf8(countOf(i)),
      operator: "add",
      value: int64Bytes(1n),
    };
    const put: WriteOp = { op: "put", key: utf8(keyOf(i)), value: utf8(value) };
    const counts = i % COUNT_EVERY === 0;
    await shard.run(Promise.resolve(engine.write(counts ? [put, count] : [put])));
    rows.set(keyOf(i), value);
    if (counts) rows.set(countOf(i), String(Number(rows.get(countOf(i)) ?? 0) + 1));
  }
  // What it deletes lies over many steps.
  const [from, to] = [keyOf(200 + 100 * pass), keyOf(500 + 100 * pass)];
  await shard.run(Promise.resolve(engine.deleteRange(utf8(from), utf8(to))));
  for (const key of [...rows.keys()]) if (key >= from && key < to) rows.delete(key);
  for (let i = 300; i < 420; i += 11) {
    await shard.run(
      Promise.resolve(engine.write([{ op: "put", key: utf8(keyOf(i)), value: utf8("again") }])),
    );
    rows.set(keyOf(i), "again");
  }
  await shard.run(engine.flush());
}

/** A run with most of the rows, and tables of level 0 that overlap all of it. */
async function filled(): Promise<{ shard: TimedShard; rows: Rows; last: number }> {
  const shard = new TimedShard();
  const rows: Rows = new Map();
  const engine = await shard.open({ ...OPTIONS, compactionStepBytes: 1_000_000_000 });
  await write(shard, engine, rows, 0);
  await shard.run(engine.compact());
  for (let pass = 1; pass < 4; pass++) await write(shard, engine, rows, pass);
  const { lastSequence } = engine;
  await shard.run(engine.collectGarbage());
  await shard.run(engine.close());
  return { shard, rows, last: lastSequence };
}

async function contentOf(
  shard: TimedShard,
  source: Pick<Engine, "scan" | "get">,
  reverse = false,
): Promise<Rows> {
  const seen: Rows = new Map();
  const scan = source.scan({ reverse });
  for (;;) {
    const batch = await shard.run(Promise.resolve(scan.next()));
    if (batch === undefined) break;
    for (const { key, value } of batch) {
      const name = utf8Text(key);
      expect(seen.has(name)).toBe(false);
      seen.set(name, name.endsWith("count") ? String(int64Of(value)) : utf8Text(value));
    }
  }
  scan.close();
  for (let i = 0; i < ROWS; i += 13) {
    const found = await shard.run(Promise.resolve(source.get(utf8(keyOf(i)))));
    expect(found && utf8Text(found)).toBe(seen.get(keyOf(i)));
  }
  return new Map([...seen].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const inOrder = (rows: Rows): Rows => new Map([...rows].toSorted(([a], [b]) => (a < b ? -1 : 1)));

const sizeOf = (manifest: Manifest): number =>
  tablesIn(manifest).reduce((bytes, { fileBytes }) => bytes + fileBytes, 0);

/** Compacts all of it, until so many steps are published; then the process ends. */
async function stopAfter(shard: TimedShard, steps: number): Promise<void> {
  const engine = await shard.open({ ...OPTIONS, compactionBytesPerSecond: 20_000 });
  const compacting = engine.compact().catch(() => undefined);
  while (engine.stats().compaction.compactions < steps) await shard.clock.advance(10);
  await shard.run(engine.close());
  await shard.run(compacting);
}

describe("a compaction of many steps", () => {
  it("takes little more space than its inputs, at each of its manifests", async () => {
    const { shard, rows } = await filled();
    const before = await shard.newest();
    // The newest tables meet all keys: they are there until the end.
    const level0 = before.level0.reduce((bytes, { fileBytes }) => bytes + fileBytes, 0);
    const engine = await shard.open({ ...OPTIONS, gcMinAgeMs: 3_600_000 });
    await shard.run(engine.compact());
    const sizes: number[] = [];
    let unfinished = 0;
    for (const name of await shard.names("manifest/")) {
      const manifest = decodeManifest((await shard.store.get(name))!.bytes);
      if (manifest.id < before.id) continue;
      sizes.push(sizeOf(manifest));
      if (manifest.unfinished !== undefined) unfinished++;
    }
    expect(unfinished).toBeGreaterThan(4);
    expect(Math.max(...sizes)).toBeLessThan((sizeOf(before) + level0) * 1.1 + STEP_BYTES);
    expect(await contentOf(shard, engine)).toEqual(inOrder(rows));
    const after = await shard.newest();
    expect(after.unfinished).toBeUndefined();
    expect(tablesIn(after).filter(({ whole }) => whole !== undefined)).toEqual([]);
    expect([after.level0.length, after.runs.length]).toEqual([0, 1]);
    // The feature is said for as long as it is needed: then an older version reads it again.
    const newest = (await shard.names("manifest/")).at(-1)!;
    expect(Buffer.from((await shard.store.get(newest))!.bytes).readUInt32LE(12) & 256).toBe(0);
    await shard.run(engine.close());
    expect(await shard.findings()).toEqual([]);
  });

  it.each([0.3, 0.5, 0.8])("goes on where it was killed, at %d of its way", async (share) => {
    const calls = await (async () => {
      const { shard } = await filled();
      let count = 0;
      const counting = new Proxy(shard.store, {
        get: (store, name) => {
          const of = Reflect.get(store, name) as unknown;
          if (typeof of !== "function") return of;
          return (...args: readonly unknown[]) => {
            count++;
            return (of as (...args: readonly unknown[]) => unknown).apply(store, [...args]);
          };
        },
      }) as BlobStore;
      const engine = await shard.open(OPTIONS, counting);
      await shard.run(engine.compact());
      return count;
    })();
    const { shard, rows } = await filled();
    const total = sizeOf(await shard.newest());
    const { store, died } = dyingStore(shard.store, Math.floor(calls * share), "after");
    const engine = await shard.open(OPTIONS, store);
    void engine.compact().catch(() => undefined);
    let isDead = false;
    void died.then(() => {
      isDead = true;
    });
    for (let i = 0; i < 10_000 && !isDead; i++) await shard.clock.advance(1);
    expect(isDead).toBe(true);
    const left = await shard.newest();
    expect(left.unfinished).toBeDefined();
    const heir = await shard.open(OPTIONS);
    expect(await contentOf(shard, heir)).toEqual(inOrder(rows));
    expect(await contentOf(shard, heir, true)).toEqual(inOrder(rows));
    await shard.run(heir.compact());
    const { inputBytes } = heir.stats().compaction;
    expect(inputBytes).toBeLessThan(total * (1 - share) + 3 * STEP_BYTES);
    expect(await contentOf(shard, heir)).toEqual(inOrder(rows));
    expect((await shard.newest()).unfinished).toBeUndefined();
    await shard.run(heir.collectGarbage());
    await shard.run(heir.close());
    expect(await shard.findings()).toEqual([]);
  });
});

describe("a compaction that is not finished", () => {
  it("is read alike by its owner, by readers and by clones while it is not finished", async () => {
    const { shard, rows } = await filled();
    await stopAfter(shard, 3);
    expect((await shard.newest()).unfinished).toBeDefined();
    expect(await shard.findings()).toEqual([]);
    const reader = await shard.read({ newest: true }, OPTIONS);
    expect(await contentOf(shard, reader)).toEqual(inOrder(rows));
    await shard.run(reader.close());
    await shard.run(shard.clone("clone/", undefined, OPTIONS));
    const beside = new TimedShard("clone/", shard);
    const clone = await beside.open(OPTIONS);
    expect(await contentOf(beside, clone)).toEqual(inOrder(rows));
    await beside.run(clone.compact());
    expect(await contentOf(beside, clone)).toEqual(inOrder(rows));
    const { store, clock } = shard;
    const wal = new ObjectReader(store, "wal/");
    const target = {
      store,
      prefix: "salvaged/",
      clock,
      prng: new SeededPrng(7),
      forTests: OPTIONS,
    };
    const told = await shard.run(repairShard({ store, prefix: "", wal, clock }, target));
    expect(told.losses).toEqual([]);
    const salvaged = new TimedShard("salvaged/", beside);
    expect(await contentOf(salvaged, await salvaged.open(OPTIONS))).toEqual(inOrder(rows));
    expect(tablesIn(await beside.newest()).filter(({ whole }) => whole !== undefined)).toEqual([]);
  });

  it("is forgotten where a state before it is restored, and goes on in its own", async () => {
    const { shard, rows } = await filled();
    const first = await shard.open(OPTIONS);
    await shard.run(first.checkpoint("before"));
    await shard.run(first.close());
    await stopAfter(shard, 2);
    const second = await shard.open(OPTIONS);
    await shard.run(second.checkpoint("within"));
    await shard.run(second.close());
    await shard.run(shard.restore({ checkpoint: "before" }, OPTIONS));
    expect((await shard.newest()).unfinished).toBeUndefined();
    await shard.run(shard.restore({ checkpoint: "within" }, OPTIONS));
    expect((await shard.newest()).unfinished).toBeDefined();
    await stopAfter(shard, 1);
    await shard.run(shard.restore({ checkpoint: "before" }, OPTIONS));
    const engine = await shard.open(OPTIONS);
    expect(await contentOf(shard, engine)).toEqual(inOrder(rows));
    await shard.run(engine.compact());
    expect(await contentOf(shard, engine)).toEqual(inOrder(rows));
    await shard.run(engine.close());
    expect(await shard.findings()).toEqual([]);
  });

  it("keeps what a snapshot sees that was opened between two of them", async () => {
    const { shard, rows } = await filled();
    await stopAfter(shard, 2);
    const engine = await shard.open(OPTIONS);
    const snapshot = engine.snapshot();
    const seen = inOrder(rows);
    await write(shard, engine, rows, 4);
    await shard.run(engine.compact());
    const view = {
      get: (key: Uint8Array) => engine.get(key, { snapshot }),
      scan: (options: object) => engine.scan({ ...options, snapshot }),
    } as unknown as Engine;
    expect(await contentOf(shard, view)).toEqual(seen);
    expect(await contentOf(shard, engine)).toEqual(inOrder(rows));
    snapshot.close();
  });
});

describe("what is picked beside one that is not finished", () => {
  const table = (from: string, to: string) => tableOf(from, to, {});

  it("is level 0 alone, and the rest goes on where it was", () => {
    const [a, b, c, d] = [table("a", "e"), table("f", "k"), table("a", "c"), table("d", "k")];
    const runs = [
      { id: 1, tables: [a, b], unknown: [] },
      { id: 2, tables: [c, d], unknown: [] },
    ];
    const first: Tree = { level0: [], runs };
    const plan = pickCompaction(first, PICK)!;
    expect(plan.reason).toBe("runs");
    const made = table("a", "b");
    const rest = [cutBelow(a, "c", 1), b, cutBelow(c, "c", 1), d];
    const step = applyPlan(first, plan, [made], rest)!;
    expect(step.unfinished).toMatchObject({ reason: "runs", into: 3 });
    const level0 = [table("a", "z"), table("b", "y")];
    const busy = { ...step, level0 };
    const beside = pickCompaction(busy, PICK)!;
    expect([beside.reason, beside.inputs.length, beside.resumes]).toEqual(["level0", 2, undefined]);
    const after = applyPlan(busy, beside, [table("a", "z")])!;
    expect(after.unfinished).toEqual(step.unfinished);
    expect(pickRest(after, PICK)?.inputs.flat()).toEqual(rest);
    // A table that cannot be read: what is left is compacted as other tables are.
    const avoid = new Set([d.id]);
    expect(pickRest(after, PICK, { avoid })).toBeUndefined();
    const last = applyPlan(after, pickRest(after, PICK)!, [table("c", "k")])!;
    expect(last.unfinished).toBeUndefined();
    expect(last.runs.map(({ tables }) => tables.length)).toEqual([1, 2]);
  });

  it("asks for room to merge where range tombstones alone are left", () => {
    const wide = tableOf("a", "k", {});
    const ranged = { ...wide, stats: { ...wide.stats, ranges: 1 } };
    const level0 = [ranged, table("a", "c")];
    const first: Tree = { level0, runs: [] };
    const plan = pickCompaction(first, PICK)!;
    const left = cutBelow(ranged, "d", 0);
    const step = applyPlan(first, plan, [table("a", "c")], [left])!;
    const rest = pickRest(step, PICK)!;
    expect(rest.parts).toEqual([expect.objectContaining({ part: "merge", inputs: [[left]] })]);
    expect(rewrittenBytes(rest)).toBeGreaterThan(0);
  });

  it("takes along what an ingest put between its inputs meanwhile", () => {
    const level0 = [table("a", "c"), table("q", "z")];
    const runs = [{ id: 1, tables: [table("a", "d"), table("e", "f")], unknown: [] }];
    const plan = pickAll({ level0, runs }, PICK)!;
    const rest = [level0[1]!, runs[0]!.tables[1]!];
    const first: Tree = { level0, runs };
    const step = applyPlan(first, plan, [table("a", "d")], rest)!;
    const joining = { ...table("h", "k"), sequence: 7 };
    const busy = placed(step, [joining]);
    expect([busy.runs.length, busy.runs[0]?.tables.length]).toEqual([1, 3]);
    // All of these are small, so they become one table.
    const next = pickRest(busy, { ...PICK, tableBytes: 1_000 })!;
    expect(next.parts).toMatchObject([{ part: "merge" }]);
    expect(next.inputs).toEqual([[rest[0]], [rest[1], joining]]);
    const last = applyPlan(busy, next, [table("e", "z")])!;
    expect(last.unfinished).toBeUndefined();
    expect([last.level0.length, last.runs.length, last.runs[0]?.tables.length]).toEqual([0, 1, 2]);
    const avoid = new Set([joining.id]);
    expect(pickRest(busy, PICK, { avoid })).toBeUndefined();
  });

  it("is given up where an ingest came between its inputs while it was merged", () => {
    const level0 = [table("q", "z")];
    const runs = [{ id: 1, tables: [table("e", "f")], unknown: [] }];
    const plan = pickAll({ level0, runs }, { ...PICK, tableBytes: 1_000 })!;
    const outputs = [table("e", "z")];
    expect(applyPlan({ level0, runs }, plan, outputs)).toBeDefined();
    const beside = placed({ level0, runs }, [{ ...table("h", "k"), sequence: 7 }]);
    expect(applyPlan(beside, plan, outputs)).toBeUndefined();
    const behind = placed({ level0, runs }, [{ ...table("a", "b"), sequence: 7 }]);
    expect(applyPlan(behind, plan, outputs)?.runs[0]?.tables.length).toBe(2);
  });

  it("is nothing where level 0 itself is being compacted", () => {
    const level0 = [table("a", "k"), table("b", "k")];
    const first: Tree = { level0, runs: [] };
    const plan = pickCompaction(first, PICK)!;
    const rest = level0.map((one) => cutBelow(one, "c", 1));
    const step = applyPlan(first, plan, [table("a", "b")], rest)!;
    const busy = { ...step, level0: [table("a", "z"), ...step.level0] };
    expect(pickCompaction(busy, PICK)?.resumes).toEqual(step.unfinished);
    const last = applyPlan(busy, pickRest(busy, PICK)!, [table("c", "k")])!;
    // One run comes of it, not one for each step.
    expect([last.level0.length, last.runs.length]).toEqual([1, 1]);
  });
});

describe("a step whose answer was lost", () => {
  it("is not made again on top of it, with other outputs", () => {
    const [newer, older] = [tableOf("a", "k", {}), tableOf("a", "k", {})];
    const before: Tree = { level0: [newer, older], runs: [] };
    const [first, second] = [tableOf("a", "c", {}), tableOf("d", "f", {})];
    const whole = pickAll(before, PICK)!;
    const restFrom = (firstKey: string) =>
      [newer, older].map((one) => ({
        ...one,
        stats: { ...one.stats, firstKey },
        whole: one.stats,
      }));
    const rests = restFrom("d");
    const step = applyPlan(before, whole, [first], rests)!;
    expect(applyPlan(step, whole, [tableOf("a", "c", {})], rests)).toBeUndefined();
    const plan = pickRest(step, PICK)!;
    const next = applyPlan(step, plan, [second], restFrom("g"))!;
    expect(applyPlan(next, plan, [tableOf("d", "f", {})], restFrom("g"))).toBeUndefined();
  });

  it("is known by what is left, where it only moved a table", () => {
    const [first, made] = [tableOf("a", "e", {}), tableOf("a", "e", {})];
    const last = tableOf("f", "k", {});
    const before: Tree = { level0: [first], runs: [{ id: 1, tables: [last], unknown: [] }] };
    const step = applyPlan(before, pickAll(before, PICK)!, [made], [last])!;
    const plan = pickRest(step, PICK)!;
    expect(plan.parts).toEqual([{ part: "move", table: last }]);
    expect(isApplied(step, plan, [last])).toBe(false);
    const done = applyPlan(step, plan, [last])!;
    expect(done.unfinished).toBeUndefined();
    expect(isApplied(done, plan, [last])).toBe(true);
  });
});
