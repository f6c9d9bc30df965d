import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { hilbert2 } from "../../src/keys/curves/hilbert.ts";
import {
  decodeTablePrefix,
  encodeTablePrefix,
  type KeyColumn,
  KeySchema,
  type KeyType,
  morton2,
} from "../../src/keys/index.ts";

/*
 * The tables at the head of each codec are its golden vectors: stored keys have these bytes, and a
 * change that needs others breaks stores that exist.
 */
const KEYS = new URL("../../src/keys/", import.meta.url);

/** Rows of the table that starts with such columns, split where two spaces are. */
function rowsOf(file: string, ...columns: readonly string[]): readonly (readonly string[])[] {
  const source = readFileSync(new URL(file, KEYS), "utf8");
  const lines = source.split("\n").map((line) => line.replace(/^ \*(?: {3})?/, "").trimEnd());
  const head = lines.findIndex((line) => line.split(/ {2,}/).join() === columns.join());
  const end = lines.indexOf("", head);
  expect(head, `${file}: a table of ${columns}`).toBeGreaterThan(-1);
  const rows = lines.slice(head + 1, end).filter((line) => line !== "/");
  return rows.map((line) => line.split(/ {2,}/));
}

/** Values that come back in another form, since their order is the same. */
const RETURNED: ReadonlyMap<unknown, unknown> = new Map<unknown, unknown>([
  [-0, 0],
  ["1e100", `1${"0".repeat(100)}`],
]);

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

function shownValue(type: KeyType, shown: string): unknown {
  if (type === "text" || type === "path") return JSON.parse(shown);
  if (type === "bytes") return new Uint8Array(Buffer.from(shown, "hex"));
  if (type === "bool") return shown === "true";
  if (/^u?int8$/.test(type)) return BigInt(shown);
  return type === "uuid" || type === "numeric" ? shown : Number(shown);
}

test.each(["integers", "floats", "texts", "uuid", "numeric"])(
  "values of %s have the bytes that their file shows",
  (file) => {
    const rows = rowsOf(`elements/${file}.ts`, "type", "value", "bytes");
    expect(rows.length).toBeGreaterThan(0);
    for (const [type, shown, bytes = ""] of rows as [KeyType, string, string?][]) {
      // Descending, since a last column that is ascending has no end; the marker comes before.
      const schema = new KeySchema([{ type, direction: "desc" }]);
      const key = Buffer.from(bytes.replaceAll(" ", ""), "hex").map((byte) => byte ^ 0xff);
      const value = shownValue(type, shown);
      expect(hex(schema.encode([value as never])), `${type} ${shown}`).toBe(`10${hex(key)}`);
      const [back] = schema.decode(Buffer.concat([Buffer.of(0x10), key]));
      expect(back).toEqual(RETURNED.get(value) ?? value);
    }
  },
);

function columnOf(shown: string): KeyColumn {
  const [, type, direction, nulls] = /^(\w+)( desc)?(?:, nulls (\w+))?$/.exec(shown) ?? [];
  return {
    type: type as KeyType,
    ...(direction !== undefined && { direction: "desc" }),
    ...(nulls !== undefined && { nulls: nulls as "first" | "last" }),
  };
}

test("keys have the bytes that the schema's file shows", () => {
  const rows = rowsOf("schema.ts", "columns", "values", "bytes");
  expect(rows).toHaveLength(7);
  for (const [columns = "", values = "", bytes] of rows) {
    const shown = columns.split(/, (?!nulls)/);
    const schema = new KeySchema(shown.map(columnOf));
    expect(hex(schema.encode(JSON.parse(values))), columns).toBe(bytes);
  }
});

test("prefixes have the bytes that their file shows", () => {
  const rows = rowsOf("table-prefix.ts", "space", "relation", "index", "bytes");
  expect(rows).toHaveLength(2);
  for (const [space, relation, index, bytes = ""] of rows) {
    const prefix = { space: Number(space), relation: Number(relation), index: Number(index) };
    expect(hex(encodeTablePrefix(prefix))).toBe(bytes);
    expect(decodeTablePrefix(Buffer.from(`${bytes}ff`, "hex"))).toEqual(prefix);
  }
});

test("points lie where the files of the curves show", () => {
  const points = rowsOf("curves/morton.ts", "point", "place");
  for (const [point = "", place = ""] of points) {
    expect(morton2.encode(point.split(", ").map(Number)), point).toBe(BigInt(place));
  }
  const coarse = rowsOf("curves/hilbert.ts", "point", "place of 2 bits each");
  for (const [point = "", place = ""] of coarse) {
    expect(hilbert2.cell(point.split(", ").map(Number), 2), point).toBe(BigInt(place));
  }
  expect(points.length + coarse.length).toBe(8);
});

test("a key has the same bytes when the room that it is written in grows", () => {
  for (let length = 480; length <= 1_030; length++) {
    for (const type of ["text", "bytes"] as const) {
      const schema = new KeySchema([{ type }, { type: "bool" }, { type: "int4" }]);
      const value = type === "text" ? "x".repeat(length) : new Uint8Array(length).fill(120);
      // The second time there is room.
      const [first, again] = [schema.encode([value, true, 7]), schema.encode([value, true, 7])];
      expect(hex(first)).toBe(hex(again));
      expect(schema.decode(first)).toEqual([value, true, 7]);
    }
  }
});
