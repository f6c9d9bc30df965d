import { deflateRawSync, zstdCompressSync } from "node:zlib";
import { type AvroType, parseAvroSchema } from "../../src/iceberg/avro-schema.ts";
import type { AvroRecord, AvroValue } from "../../src/iceberg/avro-value.ts";

/** Writes Avro for tests: hostile files too, so it checks nothing. */

export function long(value: bigint | number): Buffer {
  let rest = BigInt.asUintN(64, (BigInt(value) << 1n) ^ (BigInt(value) >> 63n));
  const bytes: number[] = [];
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(rest)]);
}

export function sized(bytes: Uint8Array): Buffer {
  return Buffer.concat([long(bytes.length), bytes]);
}

function encode(type: AvroType, value: AvroValue): Buffer {
  switch (type.kind) {
    case "null":
      return Buffer.alloc(0);
    case "boolean":
      return Buffer.from([value === true ? 1 : 0]);
    case "int":
    case "long":
      return long(value as bigint | number);
    case "float":
    case "double": {
      const bytes = Buffer.alloc(type.kind === "float" ? 4 : 8);
      if (type.kind === "float") bytes.writeFloatLE(value as number);
      else bytes.writeDoubleLE(value as number);
      return bytes;
    }
    case "bytes":
      return sized(value as Uint8Array);
    case "string":
      return sized(Buffer.from(value as string));
    case "fixed":
      return Buffer.from(value as Uint8Array);
    case "enum":
      return long(type.symbols.indexOf(value as string));
    case "union": {
      const branch = type.branches.findIndex(({ kind }) => (kind === "null") === (value === null));
      return Buffer.concat([long(branch), encode(type.branches[branch]!, value)]);
    }
    case "array":
      return blocks((value as AvroValue[]).map((item) => encode(type.items, item)));
    case "map":
      return blocks(
        Object.entries(value as AvroRecord).map(([key, item]) =>
          Buffer.concat([sized(Buffer.from(key)), encode(type.items, item)]),
        ),
      );
    case "record":
      return Buffer.concat(
        type.fields.map((field) => encode(field.type, (value as AvroRecord)[field.name] ?? null)),
      );
  }
}

function blocks(items: readonly Buffer[]): Buffer {
  return items.length === 0 ? long(0) : Buffer.concat([long(items.length), ...items, long(0)]);
}

export type Codec = "null" | "deflate" | "zstandard";

function pack(codec: string, bytes: Buffer): Buffer {
  if (codec === "deflate") return deflateRawSync(bytes);
  return codec === "zstandard" ? zstdCompressSync(bytes) : bytes;
}

/** A container of one block, as it comes. */
export function container(schema: string, codec: string, values: number, data: Buffer): Buffer {
  const sync = Buffer.alloc(16, 7);
  const metadata = [
    ["avro.schema", schema],
    ["avro.codec", codec],
  ].map((pair) => Buffer.concat(pair.map((text) => sized(Buffer.from(text)))));
  const head = [Buffer.from("Obj\u0001"), blocks(metadata), sync];
  return Buffer.concat([...head, long(values), sized(pack(codec, data)), sync]);
}

export function avroFile(schema: string, values: readonly AvroValue[], codec: Codec): Buffer {
  const type = parseAvroSchema(schema);
  const data = Buffer.concat(values.map((value) => encode(type, value)));
  return container(schema, codec, values.length, data);
}
