import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DataBlock } from "../../src/lsm/format/data-block.ts";
import { PUT } from "../../src/lsm/format/entry.ts";
import { IndexBuilder, readIndexBlock } from "../../src/lsm/format/index-block.ts";
import { BlockCache } from "../../src/lsm/read/cache.ts";
import { blockOf, type Entry } from "./support/model.ts";

function dataBlock(bytes: number): DataBlock {
  const entry: Entry = { key: "k", sequence: 1, kind: PUT, value: new Uint8Array(bytes) };
  return new DataBlock(blockOf([entry], 100), 0);
}

const builder = new IndexBuilder(0);
builder.add("k".repeat(900), 0, 0, 10);
const part = readIndexBlock(builder.finish(), "part", {});
const block = dataBlock(1_000);

describe("the block cache", () => {
  it("keeps within its budget and agrees with its own count, whatever is done to it", () => {
    const operation = fc.tuple(
      fc.constantFrom("addData", "addIndex", "data", "index", "clear", "resize"),
      fc.nat(2),
      fc.nat(20),
    );
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 200 }), (operations) => {
        const cache = new BlockCache(10_000);
        const files = [cache.file(), cache.file(), cache.file()] as const;
        let budget = 10_000;
        for (const [name, f, n] of operations) {
          const file = files[f]!;
          if (name === "addData") file.addData(n, n % 2 === 0 ? block : dataBlock(10 * n));
          else if (name === "addIndex") file.addIndex(n, part);
          else if (name === "data") file.data(n);
          else if (name === "index") file.index(n);
          else if (name === "clear") file.clear();
          else {
            budget = 500 * n;
            cache.resize(budget);
          }
          expect(cache.figures.bytes).toBeLessThanOrEqual(budget);
        }
        let entries = 0;
        let bytes = 0;
        for (const file of files) {
          for (let n = 0; n <= 20; n++) {
            for (const found of [file.data(n), file.index(n)]) {
              if (found !== undefined) entries++;
              bytes += found?.weight ?? 0;
            }
          }
        }
        expect(cache.figures).toMatchObject({ entries, bytes });
        for (const file of files) file.clear();
        expect(cache.figures).toMatchObject({ entries: 0, bytes: 0, metadataBytes: 0 });
      }),
      { numRuns: 100 },
    );
  });

  it("lets the least recently used block go first", () => {
    const cache = new BlockCache(block.weight * 3);
    const file = cache.file();
    for (const n of [1, 2, 3]) file.addData(n, block);
    file.data(1);
    file.addData(4, block);
    expect([1, 2, 3, 4].map((n) => file.data(n) !== undefined)).toEqual([true, false, true, true]);
    expect(cache.figures).toMatchObject({ hits: 4, misses: 1, evictions: 1, entries: 3 });
  });

  it("spares what was used once, and not for ever", () => {
    const cache = new BlockCache(block.weight * 3);
    const file = cache.file();
    for (const n of [1, 2, 3]) file.addData(n, block);
    for (const n of [1, 2, 3]) file.data(n);
    // All were used: the oldest goes, and the others have to be used again.
    file.addData(4, block);
    file.addData(5, block);
    expect(cache.figures.evictions).toBe(2);
    expect([1, 2, 3, 4, 5].filter((n) => file.data(n) !== undefined)).toEqual([3, 4, 5]);
  });

  it("looks at some blocks at most to find one that goes", () => {
    const cache = new BlockCache(block.weight * 1_000);
    const file = cache.file();
    for (let n = 0; n < 1_000; n++) file.addData(n, block);
    for (let n = 0; n < 1_000; n++) file.data(n);
    file.addData(1_000, block);
    expect(cache.figures.evictions).toBe(1);
    expect(file.data(64)).toBeUndefined();
  });

  it("keeps indexes while data flows through, and not more than their share of it", () => {
    const cache = new BlockCache(part.weight * 10);
    const file = cache.file();
    for (const n of [1, 2, 3]) file.addIndex(n, part);
    for (let n = 0; n < 100; n++) file.addData(n, block);
    expect([1, 2, 3].map((n) => file.index(n))).toEqual([part, part, part]);
    for (let n = 0; n < 100; n++) file.addIndex(n, part);
    file.addData(200, block);
    expect(file.data(200)).toBe(block);
    expect(cache.figures.metadataBytes).toBeLessThanOrEqual(part.weight * 10);
  });

  it("does not keep what is heavier than all of it", () => {
    const cache = new BlockCache(100);
    const file = cache.file();
    file.addData(1, block);
    expect(file.data(1)).toBeUndefined();
    expect(cache.figures.bytes).toBe(0);
  });
});
