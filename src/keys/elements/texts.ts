import { utf8Text } from "../../base/bytes.ts";
import { malformed, unfit } from "../errors.ts";
import type { KeyReader } from "../reader.ts";
import { type KeyWriter, MAX_KEY_BYTES, tooLong } from "../writer.ts";
import type { Element } from "./element.ts";

/*
 * Texts (UTF-8) and bytes: a byte 00 becomes 00 FF, and 00 01 is the end. Texts sort by code point,
 * which is PostgreSQL's collation "C".
 *
 *   type   value        bytes
 *   text   ""           0001
 *   text   "a"          610001
 *   text   "a\u0000"    6100ff0001
 *   text   "a\u0001"    61010001
 *   text   "\ud83d\ude00"  f09f98800001
 *   bytes  ff00         ff00ff0001
 *   path   []           0000
 *   path   ["a"]        6100010000
 *   path   ["a","b"]    610001620001 0000
 *
 * A path is its segments, each ended as a text is, then 00 00: it sorts before all that lie below
 * it, and these lie together.
 */

const ESCAPE = 0x00;
const ESCAPED = 0xff;
const END = 0x01;
const PATH_END = 0x00;

export const text: Element<string> = {
  write(out, value) {
    writeText(out, value);
    end(out, END);
  },
  read: (input) => decoded(readToEnd(input), input),
  stem: { write: writeText, read: (input) => decoded(readOpen(input), input) },
};

export const bytes: Element<Uint8Array> = {
  write(out, value) {
    writeBytes(out, value);
    end(out, END);
  },
  read: (input) => new Uint8Array(readToEnd(input)),
  stem: { write: writeBytes, read: (input) => new Uint8Array(readOpen(input)) },
};

/** Segments from the root down. Its stem is what lies at a path and below it. */
export const path: Element<readonly string[]> = {
  write(out, value) {
    writeSegments(out, value);
    end(out, PATH_END);
  },
  read(input) {
    const segments: string[] = [];
    while (!isPathEnd(input)) segments.push(text.read(input));
    input.advance(2);
    return segments;
  },
  stem: {
    write: writeSegments,
    read(input) {
      const segments: string[] = [];
      while (!input.isAtEnd) segments.push(text.read(input));
      return segments;
    },
  },
};

function writeSegments(out: KeyWriter, value: readonly string[]): void {
  if (!Array.isArray(value)) throw unfit("path", "a list of texts", value);
  for (const segment of value) text.write(out, segment);
}

function isPathEnd({ bytes, at, flip }: KeyReader): boolean {
  return bytes[at] === (ESCAPE ^ flip) && bytes[at + 1] === (PATH_END ^ flip);
}

function writeText(out: KeyWriter, value: string): void {
  if (typeof value !== "string") throw unfit("text", "a text", value);
  if (!value.isWellFormed()) throw unfit("text", "a text without half a surrogate pair", value);
  // Three bytes hold every UTF-16 unit, so short texts need no look at their length.
  const most = 3 * value.length;
  const length = most <= 64 ? most : checkedLength(Buffer.byteLength(value));
  const from = out.extend(length);
  out.length = from + out.bytes.write(value, from);
  escapeFrom(out, from);
}

function writeBytes(out: KeyWriter, value: Uint8Array): void {
  if (!(value instanceof Uint8Array)) throw unfit("bytes", "a Uint8Array", value);
  const from = out.extend(checkedLength(value.length));
  out.bytes.set(value, from);
  escapeFrom(out, from);
}

function checkedLength(length: number): number {
  if (length <= MAX_KEY_BYTES) return length;
  throw tooLong(length);
}

/** Doubles each 00 of what was written last, if there are any. */
function escapeFrom(out: KeyWriter, from: number): void {
  const first = out.bytes.indexOf(ESCAPE, from);
  if (first === -1 || first >= out.length) return;
  const plain = Buffer.from(out.bytes.subarray(first, out.length));
  out.length = first;
  for (const byte of plain) {
    out.byte(byte);
    if (byte === ESCAPE) out.byte(ESCAPED);
  }
}

function end(out: KeyWriter, mark: number): void {
  const at = out.extend(2);
  out.bytes[at] = ESCAPE;
  out.bytes[at + 1] = mark;
}

/** @returns the bytes up to the end mark, which is passed. */
function readToEnd(input: KeyReader): Uint8Array {
  const { bytes, flip, at: from } = input;
  const mark = ESCAPE ^ flip;
  let escapes = 0;
  let at = bytes.indexOf(mark, from);
  while (at !== -1) {
    const next = (bytes[at + 1] ?? mark) ^ flip;
    if (next === END) {
      const content = input.view(at - from);
      input.at = at + 2;
      return escapes === 0 ? content : unescaped(content, escapes);
    }
    if (next !== ESCAPED) throw malformed("a byte 00 is neither escaped nor an end", at);
    escapes++;
    at = bytes.indexOf(mark, at + 2);
  }
  throw malformed("a text without an end", from);
}

/** @returns the bytes up to the end of the key. */
function readOpen(input: KeyReader): Uint8Array {
  const from = input.at;
  const content = input.view(input.bytes.length - from);
  let escapes = 0;
  for (let at = content.indexOf(ESCAPE); at !== -1; at = content.indexOf(ESCAPE, at + 2)) {
    if (content[at + 1] !== ESCAPED) throw malformed("a byte 00 is not escaped", from + at);
    escapes++;
  }
  return escapes === 0 ? content : unescaped(content, escapes);
}

function unescaped(content: Uint8Array, escapes: number): Uint8Array {
  const plain = new Uint8Array(content.length - escapes);
  let length = 0;
  for (let i = 0; i < content.length; i++) {
    const byte = content[i] as number;
    plain[length++] = byte;
    if (byte === ESCAPE) i++;
  }
  return plain;
}

function decoded(content: Uint8Array, input: KeyReader): string {
  try {
    return utf8Text(content);
  } catch {
    throw malformed("a text that is not UTF-8", input.at);
  }
}
