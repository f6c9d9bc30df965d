import { describe, expect, it } from "vitest";
import { utf8 } from "../../../src/base/bytes.ts";
import { SeededPrng } from "../../../src/base/prng.ts";
import { ALL_KEYS } from "../../../src/lsm/compaction/bounds.ts";
import { sortedOrder } from "../../../src/lsm/compaction/sort-order.ts";
import { type SortSpec, sortRows } from "../../../src/lsm/compaction/sort-rows.ts";
import { ENTRY } from "../../../src/lsm/format/cursor.ts";
import { RowBuffer } from "../../../src/lsm/ingest/row-buffer.ts";
import { cursorOf, TABLE_ID } from "../support/tables.ts";

const below = (prng: SeededPrng, n: number): number => Math.floor(prng.float() * n);

/** Short keys of few values, so that many share their first bytes, or are equal. */
function randomKeys(prng: SeededPrng, count: number): readonly Buffer[] {
  const values = 1 + below(prng, 4);
  return Array.from({ length: count }, () => {
    const bytes = Array.from({ length: 1 + below(prng, 12) }, () => 255 * below(prng, 2));
    return Buffer.from(bytes.map((byte) => (byte === 0 ? below(prng, values) : byte)));
  });
}

function rangesOf(keys: readonly Buffer[]) {
  const ends = new Uint32Array(keys.length);
  let end = 0;
  keys.forEach((key, i) => {
    end += key.length;
    ends[i] = end;
  });
  const starts = new Uint32Array(keys.length);
  if (keys.length > 0) starts.set(ends.subarray(0, -1), 1);
  return { bytes: Buffer.concat(keys), starts, ends };
}

function specOf(rows: readonly (readonly [string, string])[], ranges = [ALL_KEYS]): SortSpec {
  const buffer = new RowBuffer(100_000);
  for (const [key, value] of rows) buffer.add(utf8(key), utf8(value));
  const shape = { compression: "none" as const, blockBytes: 200, prefixes: undefined };
  const values = { inlineValueBytes: 32_768, valueIds: [] };
  return { id: TABLE_ID, rows: buffer.take(), ranges, ...shape, ...values };
}

describe("the order of keys", () => {
  it("is bytewise, and of equal keys that of their places", () => {
    for (let seed = 1; seed <= 300; seed++) {
      const prng = new SeededPrng(seed);
      const keys = randomKeys(prng, below(prng, 400));
      const expected = keys
        .map((key, i) => ({ key, i }))
        .sort((a, b) => Buffer.compare(a.key, b.key) || a.i - b.i)
        .map(({ i }) => i);
      expect([...sortedOrder(rangesOf(keys))]).toEqual(expected);
    }
  });

  it("is found of keys that ascend, descend, or share all but their ends", () => {
    const count = 3_000;
    const long = "a long beginning that all of them share, word by word, ";
    const ascending = Array.from({ length: count }, (_, i) =>
      Buffer.from(long + String(i).padStart(6, "0")),
    );
    const places = Array.from({ length: count }, (_, i) => i);
    expect([...sortedOrder(rangesOf(ascending))]).toEqual(places);
    expect([...sortedOrder(rangesOf(ascending.toReversed()))]).toEqual(places.toReversed());
    const nested = Array.from({ length: 200 }, (_, i) => Buffer.alloc(200 - i));
    expect([...sortedOrder(rangesOf(nested))]).toEqual(
      Array.from({ length: 200 }, (_, i) => 199 - i),
    );
  });
});

describe("rows that become a table", () => {
  it("are all there, in order", () => {
    const prng = new SeededPrng(7);
    const rows = Array.from({ length: 2_000 }, (_, i): [string, string] => {
      return [`key ${String(i).padStart(5, "0")}`, "x".repeat(i % 50)];
    });
    const shuffled = rows
      .map((row) => ({ row, at: prng.float() }))
      .sort((a, b) => a.at - b.at)
      .map(({ row }) => row);
    const { meta, chunks } = sortRows(specOf(shuffled));
    expect(meta.stats).toMatchObject({ entries: 2_000, keys: 2_000, minSequence: 1 });
    const cursor = cursorOf(Buffer.concat(chunks));
    const found: [string, string][] = [];
    for (let step = cursor.first(); step === ENTRY; step = cursor.next()) {
      found.push([cursor.key, Buffer.from(cursor.value()).toString()]);
    }
    expect(found).toEqual(rows);
  });

  it.each([
    [
      "twice the same key",
      [
        ["b", "1"],
        ["c", "2"],
        ["b", "3"],
      ],
      "LSM_INGEST_DUPLICATE_KEY",
    ],
    [
      "a key below its ranges",
      [
        ["a", "1"],
        ["b", "2"],
      ],
      "LSM_INGEST_OUT_OF_RANGE",
    ],
    [
      "a key between them",
      [
        ["c", "1"],
        ["f", "2"],
      ],
      "LSM_INGEST_OUT_OF_RANGE",
    ],
    [
      "a key behind them",
      [
        ["b", "1"],
        ["h", "2"],
      ],
      "LSM_INGEST_OUT_OF_RANGE",
    ],
  ] as const)("are refused with %s", (_, rows, code) => {
    const ranges = [
      { from: "b", to: "d" },
      { from: "g", to: "h" },
    ];
    expect(() => sortRows(specOf(rows, ranges))).toThrow(expect.objectContaining({ code }));
  });

  it("may lie in each of several ranges", () => {
    const ranges = [
      { from: "b", to: "d" },
      { from: "g", to: "h" },
    ];
    const rows = [
      ["gz", "1"],
      ["b", "2"],
      ["cc", "3"],
      ["g", "4"],
    ] as const;
    expect(sortRows(specOf(rows, ranges)).meta.stats.entries).toBe(4);
  });
});
