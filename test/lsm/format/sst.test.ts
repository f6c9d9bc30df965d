import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SeededPrng } from "../../../src/base/prng.ts";
import { PUT } from "../../../src/lsm/format/entry.ts";
import { TAIL_GUESS_BYTES } from "../../../src/lsm/format/footer.ts";
import { openSst } from "../../../src/lsm/format/sst.ts";
import type { SstOptions } from "../../../src/lsm/format/sst-writer.ts";
import { SstWriter } from "../../../src/lsm/format/sst-writer.ts";
import { compareMoves, ModelCursor, randomEntries } from "../support/model.ts";
import {
  cursorOf,
  forgetfulCursor,
  openTable,
  patient,
  TABLE_ID,
  writeTable,
} from "../support/tables.ts";

const SHAPES: Readonly<Record<string, Partial<SstOptions>>> = {
  "one block": {},
  "small blocks": { blockBytes: 64 },
  "parts of an index": { blockBytes: 64, indexPartBytes: 60 },
  zstd: { blockBytes: 512, compression: "zstd", indexPartBytes: 100 },
};

describe.each(Object.entries(SHAPES))("a table: %s", (_, options) => {
  it("moves like a sorted list", () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 300 }), (seed, count) => {
        const prng = new SeededPrng(seed);
        const entries = randomEntries(prng, count, 0.2);
        const { bytes } = writeTable(entries, options);
        const model = new ModelCursor(entries);
        expect(compareMoves(cursorOf(bytes), model, entries, prng, 200)).toBeUndefined();
      }),
      { numRuns: 12 },
    );
  });

  it("moves so as well while its blocks come and go", () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 300 }), (seed, count) => {
        const prng = new SeededPrng(seed);
        const entries = randomEntries(prng, count, 0.2);
        const { cursor, file } = forgetfulCursor(writeTable(entries, options).bytes, prng);
        const model = new ModelCursor(entries);
        expect(compareMoves(patient(cursor, [file]), model, entries, prng, 150)).toBeUndefined();
      }),
      { numRuns: 12 },
    );
  });

  it("knows what it holds", () => {
    const entries = randomEntries(new SeededPrng(7), 500);
    const { bytes, meta } = writeTable(entries, options);
    const sst = openTable(bytes);
    expect(sst.meta).toEqual(meta);
    expect(meta.fileBytes).toBe(bytes.length);
    expect(meta.stats).toMatchObject({
      entries: 500,
      deletions: entries.filter((entry) => entry.kind !== PUT).length,
      keys: new Set(entries.map((entry) => entry.key)).size,
      minSequence: entries[0]?.sequence,
      maxSequence: entries.at(-1)?.sequence,
      rawBytes: entries.reduce((sum, { key, value }) => sum + key.length + value.length, 0),
    });
    for (const { key } of entries) expect(sst.mayContain(key)).toBe(true);
  });
});

describe("a table", () => {
  it("opens with one suffix read of the length that its description tells", () => {
    const entries = randomEntries(new SeededPrng(3), 2_000);
    const { bytes, meta } = writeTable(entries, { blockBytes: 256 });
    const { id, tailBytes, fileBytes } = meta;
    expect(tailBytes).toBeLessThan(fileBytes / 2);
    const opened = openSst(bytes.subarray(-tailBytes), { id, fileBytes });
    expect(opened.state).toBe("open");
    const short = openSst(bytes.subarray(-(tailBytes - 1)), { id, fileBytes });
    expect(short).toEqual({ state: "short", tailBytes });
    const guess = openSst(bytes.subarray(-TAIL_GUESS_BYTES), { id });
    expect(guess.state).toBe("open");
  });

  it("holds keys of 64 KiB and values that are larger than any block", () => {
    const long = "\xff".repeat(65_534);
    const prng = new SeededPrng(5);
    const entries = [
      { key: "a", sequence: 3, kind: PUT, value: new Uint8Array(3_000_000).fill(7) },
      { key: `${long}\xfe`, sequence: 1, kind: PUT, value: prng.bytes(10) },
      { key: `${long}\xff`, sequence: 2, kind: PUT, value: prng.bytes(70_000) },
    ] as const;
    for (const compression of ["none", "zstd"] as const) {
      const { bytes } = writeTable(entries, { compression });
      const model = new ModelCursor(entries);
      expect(compareMoves(cursorOf(bytes), model, entries, prng, 60)).toBeUndefined();
    }
  });

  it("estimates its size while it is written", () => {
    const writer = new SstWriter(TABLE_ID);
    const value = new SeededPrng(1).bytes(100);
    for (let i = 0; i < 20_000; i++) {
      writer.add(String(i).padStart(16, "0"), i + 1, PUT, value);
    }
    const estimate = writer.estimatedBytes;
    const { fileBytes } = writer.finish();
    expect(Math.abs(estimate / fileBytes - 1)).toBeLessThan(0.03);
  });

  it("takes entries in order only", () => {
    const writer = new SstWriter(TABLE_ID);
    const none = new Uint8Array(0);
    writer.add("b", 5, PUT, none);
    expect(() => writer.add("a", 6, PUT, none)).toThrow();
    expect(() => writer.add("b", 5, PUT, none)).toThrow();
    expect(() => writer.add("b", 6, PUT, none)).toThrow();
    writer.add("b", 4, PUT, none);
  });
});
