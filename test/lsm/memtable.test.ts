import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SeededPrng } from "../../src/base/prng.ts";
import { END, ENTRY } from "../../src/lsm/format/cursor.ts";
import { DELETE, PUT } from "../../src/lsm/format/entry.ts";
import { Memtable } from "../../src/lsm/memtable/memtable.ts";
import { compareMoves, type Entry, ModelCursor, randomEntries } from "./support/model.ts";

const NOTHING = new Uint8Array(0);

function fill(entries: readonly Entry[]): Memtable {
  const table = new Memtable();
  for (const entry of entries) {
    table.add(entry.key, entry.sequence, entry.kind, entry.value, entry);
  }
  return table;
}

describe("the tree of a memtable", () => {
  it("moves like a sorted list", () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 600 }), (seed, count) => {
        const prng = new SeededPrng(seed);
        const entries = randomEntries(prng, count, 0.2);
        const model = new ModelCursor(entries);
        const cursor = fill(entries).cursor();
        expect(compareMoves(cursor, model, entries, prng, 200)).toBeUndefined();
      }),
      { numRuns: 25 },
    );
  });

  it.each(["ascending", "descending", "shuffled"] as const)("splits nodes: %s", (order) => {
    const count = 9_000;
    const prng = new SeededPrng(11);
    const numbers = Array.from({ length: count }, (_, i) => i);
    if (order === "descending") numbers.reverse();
    if (order === "shuffled") numbers.sort(() => prng.float() - 0.5);
    const table = new Memtable();
    numbers.forEach((n, i) => {
      table.add(String(n).padStart(8, "0"), i + 1, PUT, Uint8Array.of(n & 255));
    });
    expect(table.keys).toBe(count);
    const cursor = table.cursor();
    let at = 0;
    for (let step = cursor.first(); step === ENTRY; step = cursor.next()) {
      if (cursor.key !== String(at).padStart(8, "0")) expect.fail(`${cursor.key} is no. ${at}`);
      at++;
    }
    expect(at).toBe(count);
    for (let step = cursor.last(); step === ENTRY; step = cursor.prev()) at--;
    expect(at).toBe(0);
  });

  it("finds keys that share much, end in zeros, or begin like others", () => {
    const piece = fc.constantFrom(
      "",
      "\0",
      "a",
      "aaaa",
      "prefix of many",
      "\xff",
      "\xff\xff",
      "b\0\0",
    );
    const keys = fc
      .array(fc.tuple(piece, piece, piece, fc.integer({ min: 0, max: 400 })), {
        maxLength: 600,
        size: "max",
      })
      .map((list) =>
        list.map(([a, b, c, n]) => `${a}${b}${n % 7 === 0 ? "" : n}${c}x`.slice(0, -1)),
      )
      .map((list) => [...new Set(list)].filter((key) => key !== ""));
    fc.assert(
      fc.property(keys, keys, (written, asked) => {
        const table = new Memtable();
        written.forEach((key, i) => {
          table.add(key, i + 1, PUT, Buffer.from(key, "latin1"));
        });
        const there = new Set(written);
        const sorted = written.toSorted((a, b) => (a < b ? -1 : 1));
        const cursor = table.cursor();
        for (const key of [...written, ...asked]) {
          const value = table.get(key)?.value;
          expect(value && Buffer.from(value).toString("latin1")).toBe(
            there.has(key) ? key : undefined,
          );
          const after = sorted.find((other) => other >= key);
          expect(cursor.seek(key) === ENTRY ? cursor.key : undefined).toBe(after);
          const before = sorted.findLast((other) => other < key);
          expect(cursor.seekBefore(key) === ENTRY ? cursor.key : undefined).toBe(before);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe("a memtable", () => {
  it("answers the newest version that is not newer than a snapshot", () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 200 }), (seed, count) => {
        const entries = randomEntries(new SeededPrng(seed), count);
        const table = fill(entries);
        for (const { key, sequence } of entries) {
          for (const at of [sequence - 1, sequence, sequence + 1]) {
            const best = entries.findLast((e) => e.key === key && e.sequence <= at);
            const found = table.get(key, at);
            expect(found?.sequence).toBe(best?.sequence);
            expect(found?.kind).toBe(best?.kind);
            expect(found && Buffer.from(found.value)).toEqual(best && Buffer.from(best.value));
          }
        }
        expect(table.get("absent")).toBeUndefined();
      }),
      { numRuns: 12 },
    );
  });

  it("is read while it is written: what lies ahead is met, what was passed is not", () => {
    fc.assert(
      fc.property(fc.nat(), fc.boolean(), (seed, forward) => {
        const entries = randomEntries(new SeededPrng(seed), 400);
        const [before, after] = [entries.slice(0, 200), entries.slice(200)];
        const table = fill(before);
        const cursor = table.cursor();
        const seen: string[] = [];
        let step = forward ? cursor.first() : cursor.last();
        for (const { key, sequence, kind, value } of after) {
          if (step === ENTRY) seen.push(`${cursor.key} ${cursor.sequence}`);
          if (step !== END) step = forward ? cursor.next() : cursor.prev();
          table.add(key, sequence, kind, value);
        }
        for (; step === ENTRY; step = forward ? cursor.next() : cursor.prev()) {
          seen.push(`${cursor.key} ${cursor.sequence}`);
        }
        const all = new ModelCursor(entries);
        const order: string[] = [];
        for (let s = all.first(); s === ENTRY; s = all.next()) {
          order.push(`${all.key} ${all.sequence}`);
        }
        if (!forward) order.reverse();
        const places = seen.map((entry) => order.indexOf(entry));
        expect(places).toEqual(places.toSorted((a, b) => a - b));
        // Nothing that was there from the start is passed over.
        const met = new Set(seen);
        for (const { key, sequence } of before) expect(met).toContain(`${key} ${sequence}`);
      }),
      { numRuns: 15 },
    );
  });

  it("counts its bytes, those of values in chunks that grow with it", () => {
    const table = new Memtable();
    expect(table.memoryBytes).toBeLessThan(8_192);
    table.add("k", 1, PUT, new Uint8Array(2 * 1024 * 1024));
    expect(table.memoryBytes).toBeGreaterThan(2 * 1024 * 1024);
    const before = table.memoryBytes;
    for (let i = 0; i < 10_000; i++) table.add(`key ${i}`, i + 2, PUT, new Uint8Array(100));
    const grown = table.memoryBytes - before;
    expect(grown).toBeGreaterThan(10_000 * 100);
    expect(grown).toBeLessThan(10_000 * 100 * 3);
    expect(table.rawBytes).toBe(2 * 1024 * 1024 + 1 + 10_000 * 108 - 1_110);
  });

  it("copies values, so that callers may use their arrays again", () => {
    const table = new Memtable();
    const value = Uint8Array.of(2, 3);
    table.add("a", 1, PUT, value);
    value.fill(9);
    expect(table.get("a")?.value).toEqual(Uint8Array.of(2, 3));
  });

  it("refuses what would break its order", () => {
    const table = new Memtable();
    table.add("a", 5, PUT, NOTHING);
    expect(() => table.add("a", 5, PUT, NOTHING)).toThrow();
    expect(() => table.add("b", 6, DELETE, Uint8Array.of(1))).toThrow();
    expect(() => table.add("", 7, PUT, NOTHING)).toThrow();
    table.freeze();
    expect(() => table.add("c", 8, PUT, NOTHING)).toThrow();
    expect(table.get("a")?.sequence).toBe(5);
  });
});
