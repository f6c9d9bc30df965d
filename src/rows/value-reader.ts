import { unreachable } from "../base/assert.ts";
import type { ColumnType } from "./column-type.ts";
import type { ArrayDatum, Datum, RowDatum } from "./datum.ts";
import { corruptRow } from "./errors.ts";
import { Numeric } from "./numeric.ts";
import { DATE_INFINITY, DATE_MINUS_INFINITY } from "./value-writer.ts";

/** Reads the value in [from, to) of bytes. @throws FirnError `Corrupt`, code `ROW_CORRUPT`. */
export type ValueReader = (bytes: Uint8Array, from: number, to: number) => Datum;

/** Views of the same eight bytes: the fastest way from bytes to numbers and bigints. */
const words = new Int32Array(2);
const int64 = new BigInt64Array(words.buffer);
const float64 = new Float64Array(words.buffer);
const float32 = new Float32Array(words.buffer);

function int4(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)
  );
}

function int8(bytes: Uint8Array, at: number): bigint {
  words[0] = int4(bytes, at);
  words[1] = int4(bytes, at + 4);
  return int64[0] as bigint;
}

function sized(bytes: number, from: number, to: number): void {
  if (to - from !== bytes) throw corruptRow("a value of another length", { bytes: to - from });
}

function int2(bytes: Uint8Array, at: number): number {
  return (((bytes[at] as number) | ((bytes[at + 1] as number) << 8)) << 16) >> 16;
}

/** Columns that were widened have values of their older, shorter types. */
const readInt4: ValueReader = (bytes, from, to) => {
  if (to - from === 2) return int2(bytes, from);
  sized(4, from, to);
  return int4(bytes, from);
};

const readInt8: ValueReader = (bytes, from, to) => {
  if (to - from === 4) return BigInt(int4(bytes, from));
  if (to - from === 2) return BigInt(int2(bytes, from));
  sized(8, from, to);
  return int8(bytes, from);
};

const readFloat4: ValueReader = (bytes, from, to) => {
  sized(4, from, to);
  words[0] = int4(bytes, from);
  return float32[0] as number;
};

const readFloat8: ValueReader = (bytes, from, to) => {
  if (to - from === 4) return readFloat4(bytes, from, to);
  sized(8, from, to);
  words[0] = int4(bytes, from);
  words[1] = int4(bytes, from + 4);
  return float64[0] as number;
};

const readDate: ValueReader = (bytes, from, to) => {
  sized(4, from, to);
  const day = int4(bytes, from);
  if (day === DATE_INFINITY) return Number.POSITIVE_INFINITY;
  return day === DATE_MINUS_INFINITY ? Number.NEGATIVE_INFINITY : day;
};

const readTime: ValueReader = (bytes, from, to) => {
  sized(8, from, to);
  return Number(int8(bytes, from));
};

const readTimeWithZone: ValueReader = (bytes, from, to) => {
  sized(12, from, to);
  return { micros: Number(int8(bytes, from)), zone: int4(bytes, from + 8) };
};

const readInterval: ValueReader = (bytes, from, to) => {
  sized(16, from, to);
  const months = int4(bytes, from);
  return { months, days: int4(bytes, from + 4), micros: int8(bytes, from + 8) };
};

const readUuid: ValueReader = (bytes, from, to) => {
  sized(16, from, to);
  const hex = bufferOf(bytes).hexSlice(from, to);
  const tail = hex.slice(20);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${tail}`;
};

const ASCII_LOOP = 12;

/** Short ASCII, as most texts are, is quicker read here than by the platform. */
const readText: ValueReader = (bytes, from, to) => {
  if (to - from > ASCII_LOOP) return bufferOf(bytes).utf8Slice(from, to);
  let text = "";
  for (let i = from; i < to; i++) {
    const byte = bytes[i] as number;
    if (byte > 0x7f) return bufferOf(bytes).utf8Slice(from, to);
    text += String.fromCharCode(byte);
  }
  return text;
};

const readNumeric: ValueReader = (bytes, from, to) => {
  const found = Numeric.parse(bufferOf(bytes).latin1Slice(from, to));
  if (found === undefined) throw corruptRow("a decimal that is not one");
  return found;
};

const readBytes: ValueReader = (bytes, from, to) => new Uint8Array(bytes.subarray(from, to));

function arrayReader(element: ValueReader): ValueReader {
  return (bytes, from, to): ArrayDatum => {
    const count = from < to ? (bytes[from] as number) : -1;
    let at = from + 1 + 8 * count;
    if (count < 0 || at > to) throw corruptRow("an array that ends early");
    const dimensions: number[] = [];
    const lowerBounds: number[] = [];
    for (let i = 0; i < count; i++) {
      dimensions.push(int4(bytes, from + 1 + 8 * i));
      lowerBounds.push(int4(bytes, from + 5 + 8 * i));
    }
    const elements: Datum[] = [];
    while (at < to) {
      const length = at + 4 <= to ? int4(bytes, at) : Number.NaN;
      const end = at + 4 + Math.max(length, 0);
      if (!(length >= -1 && end <= to)) throw corruptRow("an array that ends early");
      elements.push(length === -1 ? null : element(bytes, at + 4, end));
      at = end;
    }
    return { dimensions, lowerBounds, elements };
  };
}

/** Fields that a row lacks are NULL; ids that the type does not know are skipped. */
function rowReader({ fields: columns = [] }: ColumnType): ValueReader {
  const readers = new Map(
    columns.map(({ id, type }, place) => [id, { place, read: valueReader(type) }]),
  );
  return (bytes, from, to): RowDatum => {
    const fields = new Array<Datum>(columns.length).fill(null);
    for (let at = from; at < to; ) {
      const start = at + 6;
      const end = start <= to ? start + int4(bytes, at + 2) : Number.NaN;
      if (!(end >= start && end <= to)) throw corruptRow("a composite value that ends early");
      const field = readers.get((bytes[at] as number) | ((bytes[at + 1] as number) << 8));
      if (field !== undefined) fields[field.place] = field.read(bytes, start, end);
      at = end;
    }
    return { fields };
  };
}

/** `utf8Slice` and its kin are Node's own, without the checks of `toString`. */
interface NodeBuffer extends Buffer {
  utf8Slice(from: number, to: number): string;
  hexSlice(from: number, to: number): string;
  latin1Slice(from: number, to: number): string;
}

let lastBytes: Uint8Array | undefined;
let lastBuffer: NodeBuffer | undefined;

/** Rows of one batch lie in one array, so that one view of it serves them all. */
function bufferOf(bytes: Uint8Array): NodeBuffer {
  if (bytes === lastBytes && lastBuffer !== undefined) return lastBuffer;
  const made = Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  lastBytes = bytes;
  lastBuffer = made as NodeBuffer;
  return lastBuffer;
}

/** What reads the values of a type: see the table in `value-writer.ts`. */
export function valueReader(type: ColumnType): ValueReader {
  switch (type.kind) {
    case "bool":
      return (bytes, from, to) => {
        sized(1, from, to);
        return bytes[from] !== 0;
      };
    case "int2":
      return (bytes, from, to) => {
        sized(2, from, to);
        return int2(bytes, from);
      };
    case "int4":
      return readInt4;
    case "int8":
    case "timestamp":
    case "timestamptz":
      return readInt8;
    case "float4":
      return readFloat4;
    case "float8":
      return readFloat8;
    case "date":
      return readDate;
    case "time":
      return readTime;
    case "timetz":
      return readTimeWithZone;
    case "interval":
      return readInterval;
    case "uuid":
      return readUuid;
    case "bytea":
      return readBytes;
    case "array":
      return arrayReader(valueReader(type.element as ColumnType));
    case "numeric":
      return readNumeric;
    case "text":
    case "varchar":
    case "char":
    case "name":
    case "json":
    case "jsonb":
      return readText;
    case "enum":
      return enumReader(type);
    case "composite":
      return rowReader(type);
    default:
      return unreachable(type.kind);
  }
}

/** Rows store a label by the token that it got first: it may have another name by now. */
function enumReader({ labels = [], tokens }: ColumnType): ValueReader {
  if (tokens === undefined) return readText;
  const names = new Map(tokens.map((token, i) => [token, labels[i] ?? token]));
  return (bytes, from, to) => {
    const token = readText(bytes, from, to) as string;
    return names.get(token) ?? token;
  };
}
