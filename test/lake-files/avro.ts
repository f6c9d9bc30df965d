import { deflateRawSync, zstdCompressSync } from "node:zlib";
import type { Size } from "../http/fuzz/shapes/size.ts";
import { container, long, sized } from "../support/avro-writer.ts";

const ENTRY = { name: "manifest_path", type: "string", "field-id": 500 };

function record(fields: readonly object[], name = "manifest_file"): string {
  return JSON.stringify({ type: "record", name, fields: [ENTRY, ...fields] });
}

/** Nested types as JSON text: deeper than a printer of values gets. */
function nested(depth: number, open: (level: number) => string, close: string): string {
  const opened = Array.from({ length: depth }, (_, level) => open(level)).join("");
  return withField("TYPE").replace('"TYPE"', `${opened}"long"${close.repeat(depth)}`);
}

/** A record like a manifest list's, with one more field of a hostile type. */
function withField(type: unknown): string {
  return record([{ name: "x", type }]);
}

const PATH = sized(Buffer.from("file:///nowhere/m.avro"));

/** A file of one record whose last field's bytes are given. */
function file(schema: string, last: Buffer, records = 1, codec = "null"): Buffer {
  const data = Buffer.concat(Array.from({ length: records }, () => Buffer.concat([PATH, last])));
  return container(schema, codec, records, data);
}

/** Avro files whose schema, counts or blocks are hostile, by what they strain. */
export const AVRO_FILES: ReadonlyMap<string, (size: Size) => Buffer> = new Map<
  string,
  (size: Size) => Buffer
>([
  [
    "a union of many branches",
    (size) => {
      const fixed = (_: unknown, i: number) => ({ type: "fixed", name: `f${i}`, size: 0 });
      return file(
        withField(["null", ...Array.from({ length: size.upTo(150_000) }, fixed)]),
        long(0),
      );
    },
  ],
  [
    "a union of unknown branches",
    (size) => file(withField(Array.from({ length: size.upTo(150_000) }, () => "null")), long(0)),
  ],
  [
    "an array of nulls",
    (size) => {
      const count = 10n ** BigInt(size.upTo(17));
      return file(
        withField({ type: "array", items: "null" }),
        Buffer.concat([long(count), long(0)]),
      );
    },
  ],
  [
    "arrays of nulls, block after block",
    (size) => {
      const blocks = Array.from({ length: size.upTo(50_000) }, () => long(1_000_000));
      return file(withField({ type: "array", items: "null" }), Buffer.concat([...blocks, long(0)]));
    },
  ],
  [
    "an array of empty records",
    (size) => {
      const empty = { type: "record", name: "e", fields: [] };
      const count = 10n ** BigInt(size.upTo(17));
      return file(
        withField({ type: "array", items: empty }),
        Buffer.concat([long(count), long(0)]),
      );
    },
  ],
  [
    "deep arrays",
    (size) => {
      const depth = size.upTo(20_000);
      const schema = nested(depth, () => '{"type":"array","items":', "}");
      return file(schema, Buffer.concat(Array.from({ length: depth }, () => long(1))));
    },
  ],
  [
    "deep records",
    (size) => {
      const open = (i: number): string =>
        `{"type":"record","name":"r${i}","fields":[{"name":"y","type":`;
      return file(nested(size.upTo(20_000), open, "}]}"), long(1));
    },
  ],
  [
    "a record that holds itself",
    (size) => {
      const self = { type: "record", name: "r", fields: [{ name: "y", type: ["null", "r"] }] };
      const depth = size.upTo(500_000);
      return file(withField(self), Buffer.concat([Buffer.alloc(depth, 2), long(0)]));
    },
  ],
  [
    "a record that doubles",
    (size) => {
      let type: unknown = "null";
      const depth = size.upTo(30);
      for (let i = 0; i < depth; i++) {
        const fields = [
          { name: "y", type },
          { name: "z", type: i === 0 ? "null" : `d${i - 1}` },
        ];
        type = { type: "record", name: `d${i}`, fields };
      }
      return file(withField(type), long(0));
    },
  ],
  [
    "many fields",
    (size) => {
      const field = (_: unknown, i: number) => ({ name: `f${i}`, type: "null" });
      const fields = Array.from({ length: size.upTo(30_000) }, field);
      return file(record(fields), Buffer.alloc(0), size.upTo(2_000));
    },
  ],
  [
    "more records than bytes",
    (size) => {
      const schema = JSON.stringify({ type: "record", name: "manifest_file", fields: [] });
      return container(schema, "null", size.upTo(1_000_000_000), Buffer.alloc(0));
    },
  ],
  [
    "a bomb",
    (size) => {
      const codec = size.oneOf(["deflate", "zstandard"]);
      const zeros = Buffer.alloc(size.upTo(300_000_000));
      const packed = codec === "deflate" ? deflateRawSync(zeros) : zstdCompressSync(zeros);
      const head = container(record([]), codec, 0, Buffer.alloc(0));
      const start = head.subarray(0, head.indexOf(Buffer.alloc(16, 7)) + 16);
      return Buffer.concat([start, long(1_000_000), sized(packed), Buffer.alloc(16, 7)]);
    },
  ],
  [
    "a long schema",
    (size) => file(`${" ".repeat(size.upTo(20_000_000))}${record([])}`, Buffer.alloc(0)),
  ],
  ["a deep schema", (size) => file(`${"[".repeat(size.upTo(500_000))}`, Buffer.alloc(0))],
  [
    "lengths beyond the file",
    (size) => {
      const length = long(10n ** BigInt(size.upTo(18)) * (size.chance(0.5) ? 1n : -1n));
      return file(withField("bytes"), length);
    },
  ],
  [
    "a block without an end",
    (size) => {
      const whole = file(record([]), Buffer.alloc(0), size.upTo(10_000));
      return whole.subarray(0, size.upTo(whole.length));
    },
  ],
]);
