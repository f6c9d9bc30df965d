import type { ArrayDatum, Datum } from "../../rows/datum.ts";
import { invalidBinary, SqlError } from "../error.ts";
import { readArrayLiteral } from "./array-literal.ts";
import { type HashKey, SPACE, type TypeCodec } from "./codec.ts";
import type { SqlContext } from "./context.ts";

/** What an array needs of the type of its elements. */
export interface ElementType {
  readonly oid: number;
  readonly delimiter: string;
  readonly codec: TypeCodec<Datum>;
}

export const MAX_DIMENSIONS = 6;

export const EMPTY_ARRAY: ArrayDatum = { dimensions: [], lowerBounds: [], elements: [] };

/** A one-dimensional array from index 1; without elements it has no dimension either. */
export function vector(elements: readonly Datum[]): ArrayDatum {
  if (elements.length === 0) return EMPTY_ARRAY;
  return { dimensions: [elements.length], lowerBounds: [1], elements };
}

function quoted(text: string, delimiter: string): string {
  const isPlain =
    text !== "" && text.toLowerCase() !== "null" && ![...text].some((c) => mustQuote(c, delimiter));
  return isPlain ? text : `"${text.replace(/["\\]/g, "\\$&")}"`;
}

function mustQuote(character: string, delimiter: string): boolean {
  return `"\\{}${delimiter}${SPACE}`.includes(character);
}

function writeArray(value: ArrayDatum, element: ElementType, context: SqlContext): string {
  if (value.elements.length === 0) return "{}";
  const texts = value.elements.map((datum) =>
    datum === null ? "NULL" : quoted(element.codec.output(datum, context), element.delimiter),
  );
  let level: readonly string[] = texts;
  for (let i = value.dimensions.length - 1; i >= 0; i--) {
    const size = value.dimensions[i] ?? 0;
    const next: string[] = [];
    for (let at = 0; at < level.length; at += size) {
      next.push(`{${level.slice(at, at + size).join(element.delimiter)}}`);
    }
    level = next;
  }
  const isShifted = value.lowerBounds.some((bound) => bound !== 1);
  const bounds = value.dimensions.map((size, i) => {
    const lower = value.lowerBounds[i] ?? 1;
    return `[${lower}:${lower + size - 1}]`;
  });
  return `${isShifted ? `${bounds.join("")}=` : ""}${level[0] ?? "{}"}`;
}

function receiveArray(
  bytes: Buffer,
  element: ElementType,
  typmod: number,
  context: SqlContext,
): ArrayDatum {
  if (bytes.length < 12) throw invalidBinary("array");
  const count = bytes.readInt32BE(0);
  if (count < 0 || count > MAX_DIMENSIONS) {
    const message = `invalid number of dimensions: ${count}`;
    throw new SqlError(count < 0 ? "22P03" : "54000", message);
  }
  if (bytes.readUInt32BE(8) !== element.oid) {
    throw new SqlError("42804", "wrong element type");
  }
  const dimensions: number[] = [];
  const lowerBounds: number[] = [];
  let at = 12;
  if (bytes.length < at + 8 * count) throw invalidBinary("array");
  for (let i = 0; i < count; i++, at += 8) {
    dimensions.push(bytes.readInt32BE(at));
    lowerBounds.push(bytes.readInt32BE(at + 4));
  }
  const size = count === 0 ? 0 : dimensions.reduce((product, n) => product * n, 1);
  if (dimensions.some((n) => n < 0) || size > (bytes.length - at) / 4) {
    throw invalidBinary("array");
  }
  const elements: Datum[] = [];
  for (let i = 0; i < size; i++) {
    if (bytes.length < at + 4) throw invalidBinary("array");
    const length = bytes.readInt32BE(at);
    at += 4;
    if (length < -1 || at + Math.max(length, 0) > bytes.length) throw invalidBinary("array");
    if (length === -1) elements.push(null);
    else {
      elements.push(element.codec.receive(bytes.subarray(at, at + length), typmod, context));
      at += length;
    }
  }
  if (at !== bytes.length) throw invalidBinary("array");
  return size === 0 ? EMPTY_ARRAY : { dimensions, lowerBounds, elements };
}

function sendArray(value: ArrayDatum, element: ElementType, context: SqlContext): Uint8Array {
  const head = Buffer.alloc(12 + 8 * value.dimensions.length);
  head.writeInt32BE(value.dimensions.length, 0);
  head.writeInt32BE(value.elements.includes(null) ? 1 : 0, 4);
  head.writeUInt32BE(element.oid, 8);
  value.dimensions.forEach((size, i) => {
    head.writeInt32BE(size, 12 + 8 * i);
    head.writeInt32BE(value.lowerBounds[i] ?? 1, 16 + 8 * i);
  });
  const parts: Uint8Array[] = [head];
  for (const datum of value.elements) {
    const sent = datum === null ? undefined : element.codec.send(datum, context);
    const length = Buffer.allocUnsafe(4);
    length.writeInt32BE(sent?.length ?? -1);
    parts.push(length);
    if (sent !== undefined) parts.push(sent);
  }
  return Buffer.concat(parts);
}

/** PostgreSQL's order: elements (NULL above all), then their number, dimensions and bounds. */
export function compareArrays(
  left: ArrayDatum,
  right: ArrayDatum,
  compare: (left: Datum, right: Datum) => number,
): number {
  const shared = Math.min(left.elements.length, right.elements.length);
  for (let i = 0; i < shared; i++) {
    const a = left.elements[i] ?? null;
    const b = right.elements[i] ?? null;
    if (a === null || b === null) {
      if (a === b) continue;
      return a === null ? 1 : -1;
    }
    const found = compare(a, b);
    if (found !== 0) return found;
  }
  const sizes = left.elements.length - right.elements.length;
  if (sizes !== 0) return sizes;
  const counts = left.dimensions.length - right.dimensions.length;
  if (counts !== 0) return counts;
  for (let i = 0; i < left.dimensions.length; i++) {
    const found = (left.dimensions[i] ?? 0) - (right.dimensions[i] ?? 0);
    if (found !== 0) return found;
  }
  for (let i = 0; i < left.lowerBounds.length; i++) {
    const found = (left.lowerBounds[i] ?? 0) - (right.lowerBounds[i] ?? 0);
    if (found !== 0) return found;
  }
  return 0;
}

function hashArray(value: ArrayDatum, hash: (datum: Datum) => HashKey): string {
  const parts = value.elements.map((datum) => {
    const key = datum === null ? "" : hash(datum);
    const text = String(key);
    return datum === null ? "n" : `${(typeof key)[0]}${text.length}:${text}`;
  });
  return `${value.dimensions.join()};${value.lowerBounds.join()};${parts.join("")}`;
}

/** Text and binary forms of the arrays of one type of elements. */
export function arrayCodec(element: ElementType): TypeCodec<ArrayDatum> {
  const { compare, hash } = element.codec;
  return {
    input: (text, typmod, context) =>
      readArrayLiteral(text, element.delimiter, (part) =>
        element.codec.input(part, typmod, context),
      ),
    output: (value, context) => writeArray(value, element, context),
    receive: (bytes, typmod, context) => receiveArray(bytes, element, typmod, context),
    send: (value, context) => sendArray(value, element, context),
    ...(compare && { compare: (left, right) => compareArrays(left, right, compare) }),
    ...(hash && { hash: (value) => hashArray(value, hash) }),
  };
}
