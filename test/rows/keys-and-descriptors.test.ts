import fc from "fast-check";
import { describe, expect, it } from "vitest";
import "../property-seed.ts";
import type { FirnError } from "../../src/base/error.ts";
import type { TableId } from "../../src/base/ids.ts";
import { KeySchema } from "../../src/keys/index.ts";
import { decodeDescriptor, encodeDescriptor } from "../../src/rows/descriptor-json.ts";
import {
  type Datum,
  type IndexDescriptor,
  storedDatum,
  type TableDescriptor,
} from "../../src/rows/index.ts";
import { keyColumnOf, keyFormOf } from "../../src/rows/key-columns.ts";
import { anyDatum, anyType } from "./support/any-datum.ts";

const WITHOUT_ORDER: readonly string[] = ["composite", "json", "jsonb", "array"];
const keyType = anyType.filter(({ kind }) => !WITHOUT_ORDER.includes(kind));

describe("the form of values in keys", () => {
  it("comes back as it was, unless the form says that it is lossy", () => {
    const values = keyType.chain((type) => fc.tuple(fc.constant(type), anyDatum(type)));
    fc.assert(
      fc.property(values, fc.constantFrom("asc", "desc"), ([type, given], direction) => {
        const value = storedDatum(type, given);
        const form = keyFormOf(type, "c");
        const schema = new KeySchema([keyColumnOf(form, direction, undefined)]);
        const key = schema.encode([form.toKey(value) as never]);
        const [back] = schema.decode(key);
        if (!form.isLossy) expect(form.fromKey(back)).toEqual(value);
        else expect(schema.encode([form.toKey(form.fromKey(back)) as never])).toEqual(key);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each<[string, readonly Datum[]]>([
    ["date", [Number.NEGATIVE_INFINITY, -5, 0, 7, Number.POSITIVE_INFINITY]],
    [
      "timetz",
      [
        { micros: 3_600_000_000, zone: -3_600 },
        { micros: 0, zone: 0 },
        { micros: 0, zone: 3_600 },
        { micros: 7_200_000_000, zone: 0 },
      ],
    ],
    [
      "interval",
      [
        { months: -1, days: 0, micros: 0n },
        { months: 0, days: 29, micros: 86_399_999_999n },
        { months: 1, days: 0, micros: 0n },
        { months: 0, days: 31, micros: 0n },
      ],
    ],
    ["numeric", ["-1.5", "0.00", "0.1", "2", "10.0", "NaN"]],
  ])("sorts as the values of %s do", (kind, values) => {
    const form = keyFormOf({ kind: kind as never }, "c");
    const schema = new KeySchema([keyColumnOf(form, "asc", "last")]);
    const keys = values.map((value) => Buffer.from(schema.encode([form.toKey(value) as never])));
    expect([...keys].sort(Buffer.compare)).toEqual(keys);
  });

  it.each(WITHOUT_ORDER)("is refused of %s, naming the column", (kind) => {
    let error: FirnError | undefined;
    try {
      keyFormOf({ kind: kind as never, element: { kind: "int4" } }, "payload");
    } catch (thrown) {
      error = thrown as FirnError;
    }
    expect(error?.code).toBe("ROW_KEY_TYPE_INVALID");
    expect(error?.context).toMatchObject({ sqlState: "0A000", column: "payload" });
  });
});

describe("a stored descriptor", () => {
  const table: TableDescriptor = {
    id: "0190f0b2-0000-7000-8000-000000000001" as TableId,
    relation: 16,
    version: 4,
    namespace: ["metrics", "daily"],
    name: "events",
    columns: [
      { id: 1, name: "id", type: { kind: "int8" }, nullable: false, identity: "always" },
      {
        id: 2,
        name: "at",
        type: { kind: "timestamptz" },
        nullable: true,
        default: { kind: "constant", value: 9_007_199_254_740_993n },
        missing: 9_007_199_254_740_993n,
      },
      {
        id: 3,
        name: "raw",
        type: { kind: "bytea" },
        nullable: true,
        default: { kind: "constant", value: new Uint8Array([0, 255]) },
        missing: null,
      },
      { id: 4, name: "old", type: { kind: "text" }, nullable: true, dropped: true },
    ],
    primaryKey: [{ columnId: 1, direction: "asc", nulls: "last" }],
    indexes: [],
    constraints: [{ kind: "primary key", name: "events_pkey" }],
    rowsFormat: 1,
    owner: 123,
  };

  it("comes back with every digit of its defaults", () => {
    const back = decodeDescriptor(encodeDescriptor(table));
    expect(JSON.stringify(back, shown)).toBe(JSON.stringify(table, shown));
  });

  it("has another format where an index has a method, which older versions do not know", () => {
    const index: IndexDescriptor = {
      id: 1,
      name: "by_name",
      method: "gin",
      parts: [{ columnId: 4, direction: "asc", nulls: "last", operatorClass: "jsonb_path_ops" }],
      unique: false,
      nullsNotDistinct: false,
      include: [],
      state: "public",
    };
    const formatOf = (one: TableDescriptor): unknown =>
      JSON.parse(Buffer.from(encodeDescriptor(one)).toString()).format;
    expect(formatOf(table)).toBe(1);
    const inverted = { ...table, indexes: [index] };
    expect(formatOf(inverted)).toBe(2);
    expect(decodeDescriptor(encodeDescriptor(inverted)).indexes).toEqual([index]);
  });

  it("is refused where it is damaged or newer", () => {
    expect(() => decodeDescriptor(Buffer.from("{"))).toThrow("not JSON");
    expect(() => decodeDescriptor(Buffer.from('{"format":5,"table":{}}'))).toThrow("upgrade");
  });
});

function shown(_: string, value: unknown): unknown {
  if (typeof value === "bigint") return `${value}n`;
  return value instanceof Uint8Array ? [...value] : value;
}
