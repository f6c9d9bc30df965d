import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import "../property-seed.ts";
import type { FirnError } from "../../src/base/error.ts";
import { type ColumnType, type Datum, storedDatum } from "../../src/rows/index.ts";
import { RowReader, type WantedColumn } from "../../src/rows/row-reader.ts";
import { RowWriter, type StoredColumn } from "../../src/rows/row-writer.ts";
import { ValueWriter } from "../../src/rows/value-writer.ts";
import { anyDatum, anyType } from "./support/any-datum.ts";

const OWNER = 7;
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

function wanted(columns: readonly StoredColumn[]): readonly WantedColumn[] {
  return columns.map((column) => ({ ...column, missing: null }));
}

/** One row, in the middle of other bytes, as it lies in a block. */
function read(reader: RowReader, bytes: Uint8Array, columns: number): readonly unknown[] {
  const around = Buffer.concat([Buffer.of(1, 2, 3), bytes, Buffer.alloc(9, 0xff)]);
  const out: Datum[][] = Array.from({ length: columns }, () => []);
  reader.read(around, 3, 3 + bytes.length, out, 0);
  return out.map(([value]) => value);
}

const columnsWithRow = fc
  .uniqueArray(fc.integer({ min: 1, max: 400 }), { maxLength: 20 })
  .chain((ids) =>
    fc.tuple(
      ...ids.map((id) =>
        anyType.chain((type) =>
          fc.tuple(fc.constant({ id, type }), fc.option(anyDatum(type), { freq: 4 })),
        ),
      ),
    ),
  );

describe("the value of a row", () => {
  it("gives back every value of every type, all columns or some of them", () => {
    fc.assert(
      fc.property(columnsWithRow, fc.infiniteStream(fc.boolean()), (pairs, picks) => {
        const columns = pairs.map(([column]) => column);
        const row = pairs.map(([{ type }, value]) => storedDatum(type, value));
        const bytes = new RowWriter(columns, 3, OWNER).write(row);
        expect(read(new RowReader(wanted(columns), OWNER), bytes, columns.length)).toEqual(row);
        const some = columns.map((_, i) => i).filter(() => picks.next().value);
        const reader = new RowReader(wanted(some.map((i) => columns[i]!)), OWNER);
        expect(read(reader, bytes, some.length)).toEqual(some.map((i) => row[i]));
      }),
      { numRuns: 500 },
    );
  });

  it("has the bytes that its file shows", () => {
    const source = readFileSync(new URL("../../src/rows/row-format.ts", import.meta.url), "utf8");
    const shown = /Example: ([\s\S]*?)\*\//.exec(source)?.[1] ?? "";
    const lines = [...shown.matchAll(/^ \* {3}([0-9a-f ]+)$/gm)].map((match) => match[1] ?? "");
    const columns = [
      { id: 2, type: { kind: "int4" } },
      { id: 3, type: { kind: "text" } },
      { id: 4, type: { kind: "bool" } },
    ] as const;
    expect(hex(new RowWriter(columns, 3, OWNER).write([5, "hi", null]))).toBe(
      lines.join("").replaceAll(" ", ""),
    );
  });

  it("skips columns that a reader does not know, and has the default of those it lacks", () => {
    const int = { kind: "int4" } as const;
    const old = new RowWriter([{ id: 1, type: int }], 1, OWNER).write([10]);
    const two = [
      { id: 1, type: int },
      { id: 5, type: int },
    ];
    const next = new RowWriter(two, 2, OWNER).write([20, 21]);
    const reader = new RowReader(
      [
        { id: 3, type: int, missing: 7 },
        { id: 5, type: int, missing: 8 },
      ],
      OWNER,
    );
    expect(read(reader, old, 2)).toEqual([7, 8]);
    expect(read(reader, next, 2)).toEqual([7, 21]);
    expect(read(reader, old, 2)).toEqual([7, 8]);
  });

  it("is read whatever its columns are, also where one version has several layouts", () => {
    const int = { kind: "int4" } as const;
    const reader = new RowReader([{ id: 3, type: int, missing: 0 }], OWNER);
    for (const ids of [[1, 3], [3], [1, 2], [3, 300], [], [2, 4], [1, 3]]) {
      const columns = ids.map((id) => ({ id, type: int }));
      const bytes = new RowWriter(columns, 1, OWNER).write(ids);
      expect(read(reader, bytes, 1)).toEqual([ids.includes(3) ? 3 : 0]);
    }
  });

  it("is wide where values or ids need it", () => {
    const columns = [
      { id: 1, type: { kind: "text" } },
      { id: 2, type: { kind: "int4" } },
    ] as const;
    const long = "x".repeat(70_000);
    const bytes = new RowWriter(columns, 1, OWNER).write([long, -1]);
    expect(bytes[1]).toBe(1);
    expect(read(new RowReader(wanted(columns), OWNER), bytes, 2)).toEqual([long, -1]);
  });
});

describe("a value at the end of the room that a row is written in", () => {
  // What is there already differs, so that a byte that is left out shows.
  const at = (bytes: number): ValueWriter => {
    const writer = new ValueWriter();
    writer.bytes.fill(0xaa);
    writer.extend(bytes);
    return writer;
  };
  const cases: readonly (readonly [string, ColumnType, Datum])[] = [
    ["bool", { kind: "bool" }, true],
    ["bytea", { kind: "bytea" }, new Uint8Array(2_000).fill(7)],
    [
      "array",
      { kind: "array", element: { kind: "bool" } },
      { dimensions: [2], lowerBounds: [1], elements: [true, false] },
    ],
  ];
  it.each(cases)("has all its bytes: %s", (_, type, value) => {
    const roomy = at(0);
    roomy.write(type, value);
    const wanted = hex(roomy.bytes.subarray(0, roomy.length));
    for (let before = 1_000; before <= 1_024; before++) {
      const writer = at(before);
      writer.write(type, value);
      expect(hex(writer.bytes.subarray(before, writer.length))).toBe(wanted);
    }
  });
});

describe("damaged rows", () => {
  const columns: readonly StoredColumn[] = [
    { id: 1, type: { kind: "int4" } },
    { id: 2, type: { kind: "text" } },
    { id: 3, type: { kind: "array", element: { kind: "int8" } } },
  ];
  const row: readonly Datum[] = [
    1,
    "two",
    { dimensions: [2], lowerBounds: [1], elements: [3n, null] },
  ];
  const bytes = new RowWriter(columns, 1, OWNER).write(row);

  const outcome = (damaged: Uint8Array): string => {
    const reader = new RowReader(wanted(columns), OWNER);
    // It knows the layout from a good row, so that its own function meets the damage.
    read(reader, bytes, columns.length);
    try {
      read(reader, damaged, columns.length);
      return "read";
    } catch (error) {
      return (error as FirnError).code ?? String(error);
    }
  };

  it("are refused where they end early or go on", () => {
    for (let end = 0; end < bytes.length; end++) {
      expect(outcome(bytes.subarray(0, end)), `${end} bytes`).toBe("ROW_CORRUPT");
    }
    expect(outcome(Buffer.concat([bytes, Buffer.of(0)]))).toBe("ROW_CORRUPT");
  });

  it("are refused or read, never anything else, whatever bit is wrong", () => {
    const codes = new Set<string>();
    for (let bit = 0; bit < 8 * bytes.length; bit++) {
      const damaged = Buffer.from(bytes);
      damaged[bit >> 3] = damaged[bit >> 3]! ^ (1 << (bit & 7));
      codes.add(outcome(damaged));
    }
    expect([...codes].sort()).toEqual(["ROW_CORRUPT", "read"]);
  });

  it("are refused where they belong to another table", () => {
    const reader = new RowReader(wanted(columns), OWNER + 1);
    expect(() => read(reader, bytes, 3)).toThrow("another table");
  });
});

describe("values of a column", () => {
  const stored = (type: ColumnType, value: unknown): unknown => {
    try {
      return storedDatum(type, value as Datum);
    } catch (error) {
      return (error as FirnError).context["sqlState"];
    }
  };

  it.each<[ColumnType, unknown, unknown]>([
    [{ kind: "int2" }, 32_767, 32_767],
    [{ kind: "int2" }, 32_768, "22003"],
    [{ kind: "int4" }, -2_147_483_649, "22003"],
    [{ kind: "int4" }, 1.5, "22003"],
    [{ kind: "int4" }, "1", "42804"],
    [{ kind: "int8" }, 5, 5n],
    [{ kind: "int8" }, 2n ** 63n, "22003"],
    [{ kind: "float4" }, 0.1, Math.fround(0.1)],
    [{ kind: "float4" }, 1e39, "22003"],
    [{ kind: "bool" }, 1, "42804"],
    [{ kind: "text" }, "a\0b", "22021"],
    [{ kind: "text" }, "\ud800", "22021"],
    [{ kind: "varchar", length: 2 }, "ab  ", "ab"],
    [{ kind: "varchar", length: 2 }, "abc", "22001"],
    [{ kind: "varchar", length: 2 }, "😀😀", "😀😀"],
    [{ kind: "char", length: 3 }, "a", "a  "],
    [{ kind: "char" }, "ab", "22001"],
    [
      { kind: "uuid" },
      "0190F0B2-0000-7000-8000-000000000001",
      "0190f0b2-0000-7000-8000-000000000001",
    ],
    [{ kind: "uuid" }, "x", "22P02"],
    [{ kind: "jsonb" }, "{", "22P02"],
    [{ kind: "date" }, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
    [{ kind: "date" }, 0.5, "22008"],
    [{ kind: "time" }, 86_400_000_001, "22008"],
    [{ kind: "timetz" }, { micros: 1, zone: 60_000 }, "22009"],
    [{ kind: "enum", labels: ["a", "b"] }, "b", "b"],
    [{ kind: "enum", labels: ["a", "b"] }, "c", "22P02"],
    [{ kind: "bytea" }, "00", "42804"],
    [{ kind: "array", element: { kind: "int4" } }, [[1], [2, 3]], "2202E"],
    [{ kind: "array", element: { kind: "int4" } }, [1, [2]], "2202E"],
    [{ kind: "array", element: { kind: "int2" } }, [1, 70_000], "22003"],
    [{ kind: "text" }, undefined, "42804"],
  ])("%o takes %o as %o", (type, value, expected) => {
    expect(stored(type, value)).toEqual(expected);
  });

  it("make arrays of any depth", () => {
    const type = { kind: "array", element: { kind: "int4" } } as const;
    expect(
      stored(type, [
        [1, 2, 3],
        [4, null, 6],
      ]),
    ).toEqual({
      dimensions: [2, 3],
      lowerBounds: [1, 1],
      elements: [1, 2, 3, 4, null, 6],
    });
    expect(stored(type, [[], []])).toEqual({ dimensions: [], lowerBounds: [], elements: [] });
  });

  it.each<[string, number | undefined, number, string]>([
    ["1.005", 10, 2, "1.01"],
    ["-1.005", 10, 2, "-1.01"],
    ["0.004", 10, 2, "0.00"],
    ["99.995", 4, 2, "22003"],
    ["1e3", undefined, 0, "1000"],
    ["1.50", undefined, 0, "1.50"],
    [".5", undefined, 0, "0.5"],
    ["-0", undefined, 0, "0"],
    ["NaN", 3, 1, "NaN"],
    ["Infinity", 3, 1, "22003"],
    ["Infinity", undefined, 0, "Infinity"],
    ["1234", 2, -2, "1200"],
    ["1.2.3", undefined, 0, "22P02"],
    ["", undefined, 0, "22P02"],
    ["1e200000", undefined, 0, "22003"],
  ])("a decimal %s of numeric(%s,%s) is %s", (value, precision, scale, expected) => {
    const type: ColumnType =
      precision === undefined ? { kind: "numeric" } : { kind: "numeric", precision, scale };
    expect(String(stored(type, value))).toBe(expected);
  });
});
