import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { utf8 } from "../../src/base/bytes.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import { Engine } from "../../src/lsm/engine/engine.ts";
import { commonPrefix, type PrefixRule, prefixOf } from "../../src/lsm/format/prefix-filter.ts";
import { lsmOptions } from "../../src/lsm/options.ts";
import { ObjectWalStore } from "../../src/lsm/wal/objects.ts";
import { MemoryBudget } from "../../src/lsm/write/budget.ts";
import { InlineMerger } from "../support/inline-merger.ts";
import { SleepIsTime } from "../support/virtual-clock.ts";
import { randomEntries } from "./support/model.ts";
import { openTable, writeTable } from "./support/tables.ts";
import { Processes } from "./support/worlds.ts";

const rule = fc.constantFrom<PrefixRule[]>(
  { bytes: 1 },
  { bytes: 2 },
  { bytes: 3 },
  { separator: 0x61 },
  { separator: 0xff },
);
const bound = fc.string({ unit: fc.constantFrom("a", "b", "\0", "\xff"), maxLength: 4 });

describe("prefixes", () => {
  it("are common to a range only where every key in it has it", () => {
    fc.assert(
      fc.property(rule, bound, fc.option(bound), fc.array(bound), (by, from, end, keys) => {
        const to = end ?? undefined;
        const prefix = commonPrefix(by, from, to);
        if (prefix === undefined) return;
        for (const key of keys.filter((one) => one >= from && (to === undefined || one < to))) {
          expect(prefixOf(by, key)).toBe(prefix);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it("are common to all that begins with one, up to its end", () => {
    for (const [by, from, to, prefix] of [
      [{ bytes: 2 }, "ab", "ac", "ab"],
      [{ bytes: 2 }, "abc", "abd", "ab"],
      [{ bytes: 2 }, "ab\xff", "ac", "ab"],
      [{ bytes: 2 }, "\xff\xff", undefined, "\xff\xff"],
      [{ separator: 0x2f }, "a/", "a0", "a/"],
      [{ separator: 0x2f }, "a/b/c", "a/b/d", "a/"],
      [{ bytes: 2 }, "a", "b", undefined],
      [{ bytes: 2 }, "ab", "ac\0", undefined],
      [{ bytes: 2 }, "ab", undefined, undefined],
      [{ separator: 0x2f }, "a", "b", undefined],
    ] as const) {
      expect(commonPrefix(by, from, to)).toBe(prefix);
    }
  });

  it("of a table are never denied", () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 300 }), rule, (seed, count, prefixes) => {
        const entries = randomEntries(new SeededPrng(seed), count);
        const { bytes } = writeTable(entries, { prefixes, blockBytes: 200 });
        const filter = openTable(bytes).prefixes;
        expect(filter?.rule).toEqual(prefixes);
        for (const { key } of entries) {
          const prefix = prefixOf(prefixes, key);
          if (prefix !== undefined) expect(filter?.mayContain(prefix)).toBe(true);
        }
      }),
      { numRuns: 40 },
    );
  });

  it("are checked as options are", () => {
    const invalid = expect.objectContaining({ kind: "Invalid", code: "LSM_OPTION_INVALID" });
    for (const prefixes of [{ bytes: 0 }, { bytes: 256 }, { separator: -1 }, { bytes: 1.5 }]) {
      expect(() => lsmOptions({ options: { prefixes } })).toThrow(invalid);
    }
    expect(lsmOptions({ options: { prefixes: { separator: 0 } } }).prefixes).toEqual({
      separator: 0,
    });
  });

  it("let a scan pass tables over, both ways, and never one that it needs", async () => {
    const clock = new SleepIsTime();
    const prng = new SeededPrng(1);
    const store = new MemoryBlobStore(clock);
    const engine = await Engine.open({
      store,
      clock,
      prng,
      merger: new InlineMerger(clock),
      budget: new MemoryBudget(100_000_000, 1),
      wal: new ObjectWalStore(store, { clock, prng, prefix: "wal/" }),
      node: new Processes().start(),
      options: { compaction: "manual", prefixes: { separator: 0x2f }, gcMinAgeMs: 0 },
    });
    const tenants = 20;
    for (let table = 0; table < 10; table++) {
      // Each table holds two of the tenants, and keys at both ends.
      for (const tenant of [`${table}`, `${table + 10}`, "a", "z"]) {
        for (let i = 0; i < 20; i++) await engine.put(utf8(`t${tenant}/${table}-${i}`), utf8("v"));
      }
      await engine.flush();
    }
    for (const reverse of [false, true]) {
      for (let tenant = 0; tenant < tenants; tenant++) {
        let rows = 0;
        for await (const batch of engine.scan({ prefix: utf8(`t${tenant}/`), reverse })) {
          rows += batch.length;
        }
        expect(rows).toBe(20);
      }
    }
    const { prefixChecks, prefixNegatives } = engine.stats().reads;
    expect(prefixChecks).toBeGreaterThanOrEqual(2 * tenants * 10);
    // All but the one table, and now and then one that a filter is wrong about.
    expect(prefixNegatives / prefixChecks).toBeGreaterThan(0.85);
    let rows = 0;
    for await (const batch of engine.scan({ prefix: utf8("t") })) rows += batch.length;
    expect(rows).toBe(800);
    expect(engine.stats().reads.prefixChecks).toBe(prefixChecks);
  });
});
