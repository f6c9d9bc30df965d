import fc from "fast-check";
import { expect, it } from "vitest";
import { SeededPrng } from "../../src/base/prng.ts";
import { hashKey } from "../../src/lsm/format/bloom.ts";
import { END, ENTRY, MISS, type MissingBlock, type Step } from "../../src/lsm/format/cursor.ts";
import { SstCursor } from "../../src/lsm/format/sst-cursor.ts";
import { inOrder, randomEntries } from "./support/model.ts";
import {
  cursorOf,
  forgetfulCursor,
  openTable,
  partsOf,
  settled,
  writeTable,
} from "./support/tables.ts";

it("a point lookup finds what a seek finds, neighbours and versions included", () => {
  let near = 0;
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: 1, max: 400 }), (seed, count) => {
      const prng = new SeededPrng(seed);
      const below = (bound: number): number => Math.floor(prng.float() * bound);
      const entries = inOrder(randomEntries(prng, count, prng.float() < 0.5 ? 0 : 0.2));
      const file = writeTable(entries, { blockBytes: [100, 600, 4_000][below(3)]! }).bytes;
      const forgetful = forgetfulCursor(file, prng);
      const whole = cursorOf(file);
      let at = 0;
      for (let i = 0; i < 200; i++) {
        // Mostly on from the last one, as keys of a list in order are.
        at = prng.float() < 0.7 ? Math.min(count - 1, at + below(4)) : below(count);
        const entry = entries[at]!;
        const turn = ["", "", "", "\0", "a"][below(5)]!;
        const key = entry.key + turn;
        const sequence = Math.max(0, entry.sequence + below(3) - 1);
        const due = entries.find((e) => e.key === key && e.sequence <= sequence);
        if (whole.isNear(key)) near++;
        for (const step of [
          settled(forgetful.cursor, [forgetful.file], (cursor) => cursor.find(key, sequence)),
          whole.find(key, sequence),
        ]) {
          expect(step).toBe(due === undefined ? END : ENTRY);
        }
        if (due === undefined) continue;
        for (const cursor of [forgetful.cursor, whole]) {
          expect(cursor).toBeInstanceOf(SstCursor);
          expect([cursor.key, cursor.sequence, cursor.kind]).toEqual([key, due.sequence, due.kind]);
          expect(Buffer.from(cursor.value())).toEqual(Buffer.from(due.value));
        }
      }
    }),
    { numRuns: 60 },
  );
  expect(near).toBeGreaterThan(1_000);
});

it("a cursor that a lookup moved goes on from there", () => {
  const prng = new SeededPrng(3);
  const entries = inOrder(randomEntries(prng, 300));
  const cursor = cursorOf(writeTable(entries, { blockBytes: 600 }).bytes);
  for (let i = 0; i < 600; i++) {
    const at = Math.floor(prng.float() * entries.length);
    const { key, sequence } = entries[at]!;
    expect(cursor.find(key, sequence)).toBe(ENTRY);
    const [step, next] = i % 2 === 0 ? [cursor.next(), at + 1] : [cursor.prev(), at - 1];
    const due = entries[next];
    expect(step).toBe(due === undefined ? END : ENTRY);
    if (due !== undefined) expect([cursor.key, cursor.sequence]).toEqual([due.key, due.sequence]);
    if (due !== undefined && i % 3 === 0) expect(cursor.find(due.key, due.sequence)).toBe(ENTRY);
  }
});

it("a lookup that waits for a block misleads none that come before it is made again", () => {
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const prng = new SeededPrng(seed);
      const below = (bound: number): number => Math.floor(prng.float() * bound);
      const entries = inOrder(randomEntries(prng, 300));
      const indexPartBytes = [50, 200, 10_000][below(3)]!;
      const sizes = { blockBytes: 100, indexPartBytes, filterPartBytes: 50 << below(6) };
      const { cursor, file } = forgetfulCursor(writeTable(entries, sizes).bytes, prng);
      const find = (at: number): Step => {
        const { key, sequence } = entries[at]!;
        return cursor.find(key, sequence);
      };
      for (let i = 0; i < 300; i++) {
        const at = below(entries.length);
        // Its answer is not waited for.
        if (find(at) === MISS && prng.float() < 0.5) {
          const missing: MissingBlock[] = [];
          cursor.missing(missing);
          for (const { offset } of missing) file.load(offset);
        }
        const near = Math.max(0, Math.min(entries.length - 1, at + below(9) - 4));
        expect(settled(cursor, [file], () => find(near))).toBe(ENTRY);
      }
    }),
    { numRuns: 60 },
  );
});

it("filters in parts deny no key that is there, and most that are not", () => {
  let denied = 0;
  let absent = 0;
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: 1, max: 600 }), (seed, count) => {
      const prng = new SeededPrng(seed);
      const some = randomEntries(prng, count, prng.float() < 0.5 ? 0 : 0.9);
      // Of few keys the versions go on in one part after the other.
      const few = prng.float() < 0.5;
      const entries = inOrder(
        some.map((entry) => (few ? { ...entry, key: entry.key[0]! } : entry)),
      );
      const sizes = { blockBytes: 60, filterPartBytes: 16 << Math.floor(prng.float() * 6) };
      const { bytes, meta } = writeTable(entries, sizes);
      const { filterParts } = meta.stats;
      const whole = cursorOf(bytes);
      const { cursor, file } = forgetfulCursor(bytes, prng);
      const { index } = openTable(bytes);
      const parts = filterParts === 0 ? [] : partsOf(bytes);
      for (const { key, sequence } of entries) {
        const part = parts[index.find(key, sequence)];
        expect(part?.filter?.mayContain(key) ?? filterParts === 0).toBe(true);
        const { a, b } = { ...hashKey(key) };
        expect(whole.isFiltered(key, a, b)).toBe(false);
        const step = settled(cursor, [file], () =>
          cursor.isFiltered(key, a, b) ? END : cursor.find(key, sequence),
        );
        expect(step).toBe(ENTRY);
        const other = `${key}\0`;
        if (filterParts === 0 || entries.some((entry) => entry.key === other)) continue;
        absent++;
        const hashes = { ...hashKey(other) };
        if (whole.isFiltered(other, hashes.a, hashes.b)) denied++;
      }
    }),
    { numRuns: 60 },
  );
  expect(absent).toBeGreaterThan(1_000);
  expect(denied / absent).toBeGreaterThan(0.9);
});
