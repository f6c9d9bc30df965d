import { inflateRawSync, zstdDecompressSync } from "node:zlib";
import { bytesEqual, utf8Text } from "../base/bytes.ts";
import { FirnError, invalid } from "../base/error.ts";
import { AvroCursor, avroInvalid } from "./avro-cursor.ts";
import { parseAvroSchema } from "./avro-schema.ts";
import { type AvroValue, readAvro, type Wanted } from "./avro-value.ts";
import { ICEBERG_LIMITS } from "./limits.ts";

/*
 * Avro's object container file (Apache Avro 1.12, "Object Container Files"):
 *
 *   offset  bytes  what
 *   0       4      4F 62 6A 01, "Obj" and the version
 *   4       …      metadata, a map of bytes: `avro.schema`, `avro.codec`, and the writer's own
 *   …       16     sync marker, of this file alone
 *   then blocks: a long of values, a long of bytes, the bytes by the codec, the sync marker
 */
const MAGIC = Uint8Array.of(0x4f, 0x62, 0x6a, 0x01);
const SYNC_BYTES = 16;

/** No writer's: 20,000 fields have some megabyte. */
const MAX_SCHEMA_BYTES = 4_194_304;
/**
 * Values that the bytes of a file may stand for, packed as they are. Deflate makes a thousand bytes
 * of one at most, and a byte is a value or two: a small file cannot cost more than a large one.
 */
const STEPS_PER_PACKED_BYTE = 4_096;
const STEPS_ALWAYS = 4_000_000;

/**
 * The values of an Avro file, as far as they are wanted, block by block: one block is unpacked at
 * a time.
 *
 * @throws FirnError `Invalid`: `AVRO_INVALID`, `AVRO_CODEC_UNSUPPORTED`, or a `JSON_…` code of
 * its schema.
 */
export function* readAvroFile(bytes: Uint8Array, wanted: Wanted): Generator<AvroValue> {
  const cursor = new AvroCursor(bytes);
  if (!bytesEqual(cursor.take(Math.min(MAGIC.length, cursor.left)), MAGIC)) {
    throw invalid("AVRO_INVALID", "not an Avro file", { reason: "wrong magic" });
  }
  const metadata = new Map<string, Uint8Array>();
  cursor.blocks(() => {
    cursor.step();
    metadata.set(cursor.string(), cursor.bytes());
  }, false);
  const schema = metadata.get("avro.schema");
  if (schema === undefined) throw avroInvalid("no schema");
  if (schema.length > MAX_SCHEMA_BYTES) throw avroInvalid("a schema too large");
  const type = parseAvroSchema(textOf(schema));
  const codec = textOf(metadata.get("avro.codec") ?? new Uint8Array());
  const sync = cursor.take(SYNC_BYTES);
  let steps = STEPS_ALWAYS + bytes.length * STEPS_PER_PACKED_BYTE;
  let unpackedBytes = 0;
  while (cursor.left > 0) {
    const values = cursor.long();
    const block = unpack(codec, cursor.bytes());
    unpackedBytes += block.length;
    if (unpackedBytes > ICEBERG_LIMITS.avroFileBytes) throw avroInvalid("too many bytes, unpacked");
    const data = new AvroCursor(block, steps);
    if (!bytesEqual(cursor.take(SYNC_BYTES), sync)) throw avroInvalid("a block without its end");
    for (let i = 0n; i < values; i++) yield readAvro(data, type, wanted);
    if (data.left > 0) throw avroInvalid("a block of more than its values");
    steps -= data.stepsTaken;
  }
}

function unpack(codec: string, bytes: Uint8Array): Uint8Array {
  const maxOutputLength = ICEBERG_LIMITS.avroBlockBytes;
  try {
    switch (codec) {
      case "":
      case "null":
        return bytes;
      case "deflate":
        return inflateRawSync(bytes, { maxOutputLength });
      case "zstandard":
        return zstdDecompressSync(bytes, { maxOutputLength });
      default:
        throw invalid("AVRO_CODEC_UNSUPPORTED", "unknown Avro codec", {
          codec: codec.slice(0, 40),
        });
    }
  } catch (error) {
    if (error instanceof FirnError) throw error;
    throw avroInvalid("a block that cannot be unpacked");
  }
}

function textOf(bytes: Uint8Array): string {
  try {
    return utf8Text(bytes);
  } catch {
    throw avroInvalid("a text is not utf-8");
  }
}
