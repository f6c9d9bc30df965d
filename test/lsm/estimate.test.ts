import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { utf8 } from "../../src/base/bytes.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import { Engine, type EstimateRequest } from "../../src/lsm/engine/engine.ts";
import { MemtableCursor } from "../../src/lsm/memtable/cursor.ts";
import type { LsmTuning } from "../../src/lsm/options.ts";
import { ObjectWalStore } from "../../src/lsm/wal/objects.ts";
import type { WriteOp } from "../../src/lsm/write/write-path.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { InlineMerger } from "../support/inline-merger.ts";

async function openEngine(options: Partial<LsmTuning> = {}): Promise<Engine> {
  const clock = new SystemClock();
  const store = new MemoryBlobStore(clock);
  return await Engine.open({
    store,
    clock,
    prng: new SeededPrng(1),
    merger: new InlineMerger(clock),
    wal: new ObjectWalStore(store, { clock, prng: new SeededPrng(2), prefix: "wal/" }),
    node: { node: "n", host: "h", pid: 1, bootId: "b", url: "", sight: () => "dead" },
    forTests: options,
  });
}

const keyOf = (n: number): Uint8Array => utf8(`r${String(n).padStart(5, "0")}`);
const rows = (from: number, to: number): readonly WriteOp[] =>
  Array.from({ length: to - from }, (_, i): WriteOp => {
    const n = from + i;
    return { op: "put", key: keyOf(n), value: utf8("v".repeat(10 + (n % 20))) };
  });

interface Held {
  entries: number;
  bytes: number;
  distinctPrefixes: number;
}

/** What a scan finds. */
async function held(engine: Engine, { prefixBytes = 0, ...range }: EstimateRequest): Promise<Held> {
  const all: Held = { entries: 0, bytes: 0, distinctPrefixes: 0 };
  const prefixes = new Set<string>();
  for await (const batch of engine.scan(range)) {
    for (const { key, value } of batch) {
      all.entries++;
      all.bytes += key.length + value.length;
      prefixes.add(Buffer.from(key.subarray(0, prefixBytes)).toString("latin1"));
    }
  }
  if (prefixBytes > 0) all.distinctPrefixes = prefixes.size;
  return all;
}

describe("an estimate of a range", () => {
  it("is close to what a scan finds, in memtables and tables", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const prng = new SeededPrng(seed);
        const below = (bound: number): number => Math.floor(prng.float() * bound);
        const engine = await openEngine({
          blockBytes: [400, 2_000][below(2)]!,
          tableBytes: [40_000, 10_000_000][below(2)]!,
          compaction: "manual",
        });
        const parts = 1 + below(4);
        for (let part = 0; part < parts; part++) {
          await engine.write(rows((part * 6_000) / parts, ((part + 1) * 6_000) / parts));
          if (below(4) > 0) await engine.flush();
        }
        if (below(2) === 0) await engine.compact();
        for (let i = 0; i < 20; i++) {
          const [a, b] = [below(6_000), below(6_000)].toSorted((x, y) => x - y) as [number, number];
          const request = { from: keyOf(a), to: keyOf(b), prefixBytes: 4 };
          const due = await held(engine, request);
          const found = await engine.estimate(request);
          // A part of what lies between the ends. Even the smallest blocks here hold 15 rows: 10 of
          // them lie in two blocks, and are counted.
          const slack = due.entries <= 10 ? 0 : 0.12;
          const off = (name: keyof Held): number => Math.abs(found[name] - due[name]);
          expect(off("entries")).toBeLessThanOrEqual(slack * due.entries);
          expect(off("bytes")).toBeLessThanOrEqual(slack * due.bytes);
          // How often prefixes change is a sample of the two blocks at the ends.
          expect(off("distinctPrefixes")).toBeLessThanOrEqual(8 + due.distinctPrefixes / 2);
        }
        await engine.close();
      }),
      // 477269996: rows of 16 and 35 bytes, where the whole table has 26 a row.
      { numRuns: 6, examples: [[477269996]] },
    );
  });

  it("counts whole tables and small ranges exactly, without what is deleted", async () => {
    const engine = await openEngine({ compaction: "manual" });
    expect(await engine.estimate()).toEqual({ entries: 0, bytes: 0, distinctPrefixes: 0 });
    await engine.write(rows(0, 2_000));
    const whole = await held(engine, {});
    expect(await engine.estimate()).toEqual(whole);
    await engine.flush();
    expect(await engine.estimate()).toEqual(whole);
    const few = { from: keyOf(700), to: keyOf(710), prefixBytes: 6 };
    expect(await engine.estimate(few)).toMatchObject({ entries: 10, distinctPrefixes: 10 });
    expect(await engine.estimate({ ...few, prefixBytes: 3 })).toMatchObject({
      distinctPrefixes: 1,
    });
    await engine.write([{ op: "delete", key: keyOf(5) }]);
    expect(await engine.estimate()).toMatchObject({ entries: 1_999 });
    await engine.deleteRange(keyOf(0), keyOf(1_000));
    expect(await engine.estimate({ from: keyOf(0), to: keyOf(1_000) })).toMatchObject({
      entries: 0,
      bytes: 0,
    });
    await engine.flush();
    expect(await engine.estimate({ from: keyOf(0), to: keyOf(500) })).toMatchObject({ entries: 0 });
    await engine.compact();
    expect(await engine.estimate()).toMatchObject({ entries: 1_000 });
    await engine.close();
  });

  it("is close where the index of a table has two levels", async () => {
    // A block for each row: its index is longer than one part.
    const engine = await openEngine({ blockBytes: 20, compaction: "manual" });
    await engine.write(rows(0, 25_000));
    await engine.flush();
    for (const [from, to] of [
      [0, 25_000],
      [10, 24_000],
      [12_000, 12_100],
      [24_500, 24_900],
      [700, 710],
    ] as const) {
      const { entries } = await engine.estimate({ from: keyOf(from), to: keyOf(to) });
      expect(Math.abs(entries - (to - from))).toBeLessThanOrEqual(0.2 * (to - from));
    }
    await engine.close();
  });

  it("refuses what is not a range", async () => {
    const engine = await openEngine();
    const code = expect.objectContaining({ code: "LSM_RANGE_INVALID" });
    expect(() => engine.estimate({ from: utf8("b"), to: utf8("a") })).toThrow(code);
    expect(() => engine.estimate({ prefixBytes: -1 })).toThrow(code);
    await engine.close();
  });
});

describe("an estimate of rows that differ", () => {
  it("counts the bytes of a few rows, whatever the rows around them weigh", async () => {
    const engine = await openEngine({ compaction: "manual" });
    await engine.write(rows(0, 2_000));
    await engine.write([{ op: "put", key: keyOf(700), value: utf8("w".repeat(900)) }]);
    const one = { from: keyOf(700), to: keyOf(701) };
    const few = { from: keyOf(698), to: keyOf(702), prefixBytes: 6 };
    for (const step of ["in the memtable", "in a table"]) {
      expect(await engine.estimate(one), step).toMatchObject({ entries: 1, bytes: 906 });
      expect(await engine.estimate(few), step).toEqual(await held(engine, few));
      await engine.flush();
    }
    await engine.close();
  });

  it("adds the prefixes of a memtable to those of tables beside it", async () => {
    const engine = await openEngine({ compaction: "manual" });
    await engine.write(rows(0, 3_000));
    await engine.flush();
    await engine.write(rows(3_000, 6_000));
    const { distinctPrefixes } = await engine.estimate({ prefixBytes: 4 });
    // 30 of the table, and those of the memtable by its first 256 rows.
    expect(Math.abs(distinctPrefixes - 60)).toBeLessThanOrEqual(10);
    await engine.close();
  });
});

describe("what an estimate costs", () => {
  it("looks at one key of a memtable that it neither counts nor samples", async () => {
    const engine = await openEngine({ compaction: "manual" });
    await engine.write(rows(0, 2_000));
    const next = vi.spyOn(MemtableCursor.prototype, "next");
    expect(await engine.estimate({ to: keyOf(1_000) })).toMatchObject({ entries: 1_000 });
    expect(next.mock.calls.length).toBeLessThanOrEqual(1);
    next.mockRestore();
    await engine.close();
  });
});
