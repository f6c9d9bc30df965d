import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FirnError } from "../../src/base/error.ts";
import type { StoredItem } from "../../src/pointer/batch.ts";
import { decodeRow, encodeRow } from "../../src/pointer/row.ts";

const KEY = "/k";
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const bytesOf = (text: string): Buffer => Buffer.from(text.replaceAll(/\s/g, ""), "hex");

/** Rows as version 1 of the format stores them: they stay readable for ever. */
const GOLDEN: Readonly<Record<string, { readonly item: StoredItem; readonly row: string }>> = {
  "nothing but a writer": {
    item: { state: "live", key: KEY, version: 1n, writerId: "w" },
    row: "0100 0100000000000000 0100 77",
  },
  "an empty summary, which is not none": {
    item: { state: "live", key: KEY, version: 2n, writerId: "w", summary: new Uint8Array() },
    row: "0104 0200000000000000 0100 77",
  },
  "all of it": {
    item: {
      state: "live",
      key: KEY,
      version: 2n ** 63n - 1n,
      writerId: "wé",
      blobPath: "a/b.pb",
      summary: Uint8Array.of(0, 255),
    },
    row: "0106 ffffffffffffff7f 0300 77c3a9 0600 612f622e7062 00ff",
  },
  "a tombstone": {
    item: { state: "absent", key: KEY, version: 3n, writerId: "w", deadUntilMs: 2 ** 41 },
    row: "0101 0300000000000000 0000000000020000 0100 77",
  },
};

const stored: fc.Arbitrary<StoredItem> = fc.oneof(
  fc.record(
    {
      state: fc.constant("live" as const),
      key: fc.constant(KEY),
      version: fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }),
      writerId: fc.string({ minLength: 1, unit: "grapheme" }),
      blobPath: fc.string({ unit: "grapheme" }),
      summary: fc.uint8Array({ maxLength: 700 }),
    },
    { requiredKeys: ["state", "key", "version", "writerId"] },
  ),
  fc.record({
    state: fc.constant("absent" as const),
    key: fc.constant(KEY),
    version: fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }),
    writerId: fc.string({ minLength: 1 }),
    deadUntilMs: fc.maxSafeNat(),
  }),
);

describe("a pointer's row", () => {
  test("the example in the source is what is written and read", () => {
    const source = readFileSync(new URL("../../src/pointer/row.ts", import.meta.url), "utf8");
    const shown = /Example: [\s\S]*?\*\//.exec(source)?.[0] ?? "";
    const lines = [...shown.matchAll(/^ \* {3}([0-9a-f ]+)$/gm)].map((match) => match[1] ?? "");
    const item: StoredItem = {
      state: "live",
      key: KEY,
      version: 300n,
      writerId: "w",
      blobPath: "b",
      summary: Uint8Array.of(10, 1),
    };
    expect(hex(encodeRow(item))).toBe(hex(bytesOf(lines.join(""))));
    expect(decodeRow(KEY, bytesOf(lines.join("")))).toEqual(item);
  });

  test.each(Object.entries(GOLDEN))("golden: %s", (_, { item, row }) => {
    expect(hex(encodeRow(item))).toBe(hex(bytesOf(row)));
    expect(decodeRow(KEY, bytesOf(row))).toEqual(item);
  });

  test("whatever is written is read", () => {
    fc.assert(
      fc.property(stored, (item) => {
        expect(decodeRow(KEY, encodeRow(item))).toEqual(item);
      }),
    );
  });

  test("keeps nothing of the bytes that it was read from", () => {
    const row = bytesOf(GOLDEN["all of it"]?.row ?? "");
    const item = decodeRow(KEY, row);
    row.fill(0);
    expect(item).toEqual(GOLDEN["all of it"]?.item);
  });

  test("a cut row, or one with a byte too many, is corrupt", () => {
    const summaries = (item: StoredItem): boolean => item.state === "live" && "summary" in item;
    for (const { item } of Object.values(GOLDEN)) {
      const row = encodeRow(item);
      // What is behind the flagged parts of a row with a summary is the summary.
      const whole = row.length - (item.state === "live" ? (item.summary?.length ?? 0) : 0);
      for (let length = 0; length < whole; length++) {
        expect(() => decodeRow(KEY, row.subarray(0, length))).toThrow(FirnError);
      }
      const longer = Buffer.concat([row, Uint8Array.of(0)]);
      if (!summaries(item)) expect(() => decodeRow(KEY, longer)).toThrow(FirnError);
    }
  });

  test("any bytes are a pointer or a typed error", () => {
    const hostile = fc
      .tuple(fc.constantFrom(0, 1, 2), fc.nat({ max: 255 }), fc.uint8Array({ maxLength: 40 }))
      .map(([format, flags, rest]) => Buffer.from([format, flags, ...rest]));
    fc.assert(
      fc.property(hostile, (bytes) => {
        try {
          expect(encodeRow(decodeRow(KEY, bytes)).length).toBeGreaterThan(0);
        } catch (error) {
          expect(error).toBeInstanceOf(FirnError);
        }
      }),
    );
  });

  test("what a newer version wrote is refused, not guessed at", () => {
    for (const row of ["0200 0100000000000000 0100 77", "0108 0100000000000000 0100 77"]) {
      expect(() => decodeRow(KEY, bytesOf(row))).toThrow(
        expect.objectContaining({ code: "POINTER_ROW_UNSUPPORTED", kind: "Unavailable" }),
      );
    }
  });

  test.each([
    ["version 0", "0100 0000000000000000 0100 77"],
    ["a tombstone with a blob", "0103 0100000000000000 0000000000020000 0100 77 0100 62"],
  ])("is refused as corrupt: %s", (_, row) => {
    expect(() => decodeRow(KEY, bytesOf(row))).toThrow(
      expect.objectContaining({ code: "POINTER_ROW_CORRUPT", kind: "Corrupt" }),
    );
  });
});
