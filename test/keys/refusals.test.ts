import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  decodeTablePrefix,
  encodeTablePrefix,
  type KeyColumn,
  KeySchema,
  type KeyType,
} from "../../src/keys/index.ts";
import { column, drawnValue, TYPES } from "./support/tuples.ts";

const refused = (code: string) => expect.objectContaining({ kind: "Invalid", code });
const malformed = expect.objectContaining({ kind: "Corrupt", code: "KEY_MALFORMED" });

/** What no column of a type may take, NULL apart. */
const UNFIT: Readonly<Record<KeyType, readonly unknown[]>> = {
  bool: [0, "true", undefined],
  int2: [32_768, -32_769, 1.5, 1n, "1", Number.NaN],
  int4: [2 ** 31, -(2 ** 31) - 1, 0.1, 1n],
  int8: [1, 1n << 63n, -(1n << 63n) - 1n, "1"],
  uint2: [-1, 65_536],
  uint4: [-1, 2 ** 32],
  uint8: [-1n, 1n << 64n, 1],
  float4: [0.1, 1e300, "1", 1n],
  float8: ["1", 1n, {}],
  numeric: ["", ".", "-", "1e", "1.2.3", "0x10", " 1", "١", 1, "1e999999", "1e-99999"],
  text: [1, "\ud800", "a\udc00", ["a"]],
  bytes: ["a", [1], new Uint16Array(1)],
  path: ["a", [1], ["a", "\ud800"]],
  uuid: ["", "01890a5dac96774bbcceb302099a8057", "01890a5d-ac96-774b-bcce-b302099a805g", 1],
  date: [1.5, 1n],
  time: [1],
  timestamp: [1],
  timestamptz: [1],
};

test.each(TYPES)("a column of type %s refuses what it cannot hold", (type) => {
  const schema = new KeySchema([{ type }]);
  for (const value of [null, ...UNFIT[type]]) {
    const encoded = () => schema.encode([value as never]);
    expect(encoded, String(value)).toThrow(refused("KEY_VALUE_INVALID"));
  }
});

describe("a schema refuses", () => {
  const two = new KeySchema([{ type: "int4" }, { type: "text" }]);

  test("an unknown type, and no columns", () => {
    const unknown = [{ type: "constructor" }] as unknown as readonly KeyColumn[];
    expect(() => new KeySchema(unknown)).toThrow(refused("KEY_SCHEMA_INVALID"));
    expect(() => new KeySchema([])).toThrow(refused("KEY_SCHEMA_INVALID"));
  });

  test("too few and too many values", () => {
    for (const values of [[], [1], [1, "a", 2]]) {
      expect(() => two.encode(values as never)).toThrow(refused("KEY_VALUE_INVALID"));
    }
    expect(() => two.range([1, "a", 2] as never)).toThrow(refused("KEY_VALUE_INVALID"));
  });

  test("bounds that contradict each other", () => {
    const wrong = [
      () => two.range([], { gt: 1, gte: 1 }),
      () => two.range([], { lt: 1, lte: 1 }),
      () => two.range([], { startsWith: 1 }),
      () => two.range([1], { startsWith: "a", gt: "a" }),
      () => two.range([1, "a"], { gt: 1 }),
    ];
    for (const call of wrong) expect(call).toThrow(refused("KEY_BOUNDS_INVALID"));
    expect(() => two.range([], { gt: null })).toThrow(refused("KEY_VALUE_INVALID"));
  });

  test("a key that is too long, and takes the next one", () => {
    const schema = new KeySchema([{ type: "bytes" }, { type: "text" }]);
    for (const bytes of [65_535, 70_000, 10_000_000]) {
      const values = [new Uint8Array(bytes).fill(1), "x"] as const;
      expect(() => schema.encode([...values])).toThrow(refused("KEY_TOO_LONG"));
    }
    const doubled = [new Uint8Array(40_000), "x"] as const;
    expect(() => schema.encode([...doubled])).toThrow(refused("KEY_TOO_LONG"));
    expect(schema.decode(schema.encode([Uint8Array.of(7), "y"]))).toEqual([Uint8Array.of(7), "y"]);
  });

  test("a prefix out of range", () => {
    for (const part of [{ space: 256 }, { relation: -1 }, { index: 65_536 }]) {
      const prefix = { space: 1, relation: 16, index: 0, ...part };
      expect(() => encodeTablePrefix(prefix)).toThrow(refused("KEY_PREFIX_INVALID"));
    }
    expect(() => decodeTablePrefix(Buffer.of(1, 2))).toThrow(malformed);
  });
});

/** A key that was damaged: a byte changed, bytes cut off, bytes added. */
const damaged = fc
  .array(
    column.filter(({ type }) => !type.startsWith("float")),
    { minLength: 1, maxLength: 3 },
  )
  .chain((columns) => fc.tuple(fc.constant(columns), fc.tuple(...columns.map(drawnValue))))
  .chain(([columns, values]) => {
    const key = new KeySchema(columns).encode(values as never);
    const byte = fc.oneof(fc.nat(255), fc.constantFrom(0, 1, 2, 0x10, 0x80, 0xfd, 0xff));
    return fc.tuple(
      fc.constant(columns),
      fc.oneof(
        fc.tuple(fc.nat(key.length - 1), byte).map(([at, to]) => key.with(at, to)),
        fc.nat(key.length - 1).map((length) => key.subarray(0, length)),
        fc.uint8Array({ maxLength: 4 }).map((more) => Uint8Array.of(...key, ...more)),
      ),
    );
  });

test("a damaged key is malformed, or the key of what it decodes to", () => {
  let decoded = 0;
  let refusals = 0;
  const property = fc.property(damaged, ([columns, key]) => {
    const schema = new KeySchema(columns);
    let values: unknown;
    try {
      values = schema.decode(key);
    } catch (error) {
      expect(error).toEqual(malformed);
      refusals++;
      return;
    }
    decoded++;
    expect(Buffer.from(schema.encode(values as never))).toEqual(Buffer.from(key));
  });
  fc.assert(property, { numRuns: 6_000 });
  expect(Math.min(decoded, refusals)).toBeGreaterThan(500);
});

test("a key of another prefix is malformed", () => {
  const schema = new KeySchema([{ type: "bool" }], Buffer.of(1, 2));
  expect(schema.decode(Buffer.of(1, 2, 0x10, 1))).toEqual([true]);
  for (const key of [Buffer.of(1, 3, 0x10, 1), Buffer.of(1), Buffer.of(1, 2, 0x10, 1, 1)]) {
    expect(() => schema.decode(key)).toThrow(malformed);
  }
});
