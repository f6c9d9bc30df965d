import { avroFile, type Codec, container, long } from "./avro-writer.ts";

/** Avro that is made to cost far more than its bytes, or to break who reads it. */

const MIB = 1_048_576;

function record(name: string, fields: readonly object[]): string {
  return JSON.stringify({ type: "record", name, fields });
}

const NULLS = record("r", [{ name: "x", type: { type: "array", items: "null" } }]);
const STATUS = record("r", [{ name: "status", type: "int" }]);

/** Each record holds two of the one before: a billion values of no bytes. */
const DOUBLING = record("top", [
  ...Array.from({ length: 30 }, (_, i) => ({
    name: `f${i}`,
    type: {
      type: "record",
      name: `r${i}`,
      fields: i === 0 ? [] : ["a", "b"].map((name) => ({ name, type: `r${i - 1}` })),
    },
  })),
]);

function branches(count: number): string {
  const fixed = (_: unknown, i: number) => ({ type: "fixed", name: `f${i}`, size: 1 });
  const few = Array.from({ length: 100 }, fixed);
  const many = Array.from({ length: count - few.length }, () => "null");
  return record("r", [{ name: "status", type: [...few, ...many] }]);
}

/** Written by hand: to print so deep a value would overflow the stack here. */
function deep(levels: number): string {
  const type = `${'{"type":"array","items":'.repeat(levels)}"int"${"}".repeat(levels)}`;
  return `{"type":"record","name":"r","fields":[{"name":"status","type":${type}}]}`;
}

/** Full names of one length and more than 16,383 characters, which V8 hashes by length alone. */
function longNames(count: number): string {
  const inner = (_: unknown, i: number) => ({
    name: `f${i}`,
    type: { type: "fixed", name: `n${String(i).padStart(6, "0")}`, size: 1 },
  });
  const namespace = "n".repeat(16_400);
  const fields = Array.from({ length: count }, inner);
  return JSON.stringify({ type: "record", name: "r", namespace, fields });
}

/** As many null arrays as fit a block, each of as many nulls as a number can say. */
function nullArrays(codec: Codec, bytes: number): Buffer {
  const one = Buffer.concat([long(8_191), long(0)]);
  const data = Buffer.alloc(bytes, one);
  return container(NULLS, codec, Math.floor(bytes / one.length), data);
}

export const HOSTILE_AVRO: readonly (readonly [string, () => Buffer])[] = [
  ["arrays of nulls, packed", () => nullArrays("zstandard", 32 * MIB)],
  ["arrays of nulls, deflated", () => nullArrays("deflate", 4 * MIB)],
  ["an array of nulls without end", () => container(NULLS, "null", 1, long(2n ** 62n))],
  ["records of no bytes without end", () => container(DOUBLING, "null", 2 ** 40, Buffer.alloc(0))],
  ["a union of 150,000 branches", () => container(branches(150_000), "null", 1, long(0))],
  ["a schema of 60,000 levels", () => container(deep(60_000), "null", 1, long(0))],
  ["a schema of 100 levels", () => container(deep(100), "null", 1, long(0))],
  ["names that collide", () => container(longNames(60_000), "null", 1, Buffer.alloc(60_000))],
  ["more values than there are", () => container(STATUS, "null", 2 ** 40, long(1))],
  [
    "a block that unpacks without end",
    () => container(STATUS, "zstandard", 1, Buffer.alloc(80 * MIB)),
  ],
  ["a text of a whole block", () => wholeText()],
];

function wholeText(): Buffer {
  const schema = record("r", [{ name: "manifest_path", type: "string" }]);
  return avroFile(schema, [{ manifest_path: "x".repeat(8 * MIB) }], "zstandard");
}
