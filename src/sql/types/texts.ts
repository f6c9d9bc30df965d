import { invalidBinary, notSupported, SqlError } from "../error.ts";
import { type TypeCodec, utf8 } from "./codec.ts";

const DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const MAX_NAME_BYTES = 63;
const MAX_LENGTH_MODIFIER = 10_485_764;

/** Order of UTF-8 bytes, which is that of code points: surrogates sort above the rest. */
export function compareText(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let i = 0; i < length; i++) {
    const a = left.charCodeAt(i);
    const b = right.charCodeAt(i);
    if (a === b) continue;
    const isHighA = a >= 0xd800 && a <= 0xdfff;
    const isHighB = b >= 0xd800 && b <= 0xdfff;
    if (isHighA !== isHighB) return isHighA ? (b > 0xdfff || b < 0xd800 ? 1 : a - b) : -1;
    return a - b;
  }
  return left.length - right.length;
}

/** Characters, not code units, as PostgreSQL counts. */
export function characterCount(text: string): number {
  // Found by a search that passes texts of one byte a character at once.
  const first = text.search(/[\ud800-\udbff]/);
  let count = text.length;
  if (first < 0) return count;
  for (let i = first; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit <= 0xdbff) count--;
  }
  return count;
}

/** @throws SqlError 22021 where the bytes are not UTF-8 or hold a zero byte. */
export function decodeText(bytes: Uint8Array): string {
  try {
    const text = DECODER.decode(bytes);
    if (!text.includes("\0")) return text;
  } catch {
    // Told apart below.
  }
  const at = firstInvalid(bytes);
  const shown = [...bytes.subarray(at, at + 4)].map((b) => `0x${b.toString(16).padStart(2, "0")}`);
  const first = bytes[at] === 0 ? "0x00" : shown.join(" ");
  throw new SqlError("22021", `invalid byte sequence for encoding "UTF8": ${first}`);
}

function firstInvalid(bytes: Uint8Array): number {
  let valid = 0;
  for (let end = 1; end <= bytes.length; end++) {
    if (bytes[end - 1] === 0) return end - 1;
    const isStart = end === bytes.length || ((bytes[end] as number) & 0xc0) !== 0x80;
    if (!isStart) continue;
    try {
      DECODER.decode(bytes.subarray(valid, end));
    } catch {
      return valid;
    }
    valid = end;
  }
  return 0;
}

function firstCharacters(text: string, count: number): string {
  if (text.length <= count) return text;
  let end = 0;
  for (let i = 0; i < count && end < text.length; i++) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}

/** Cuts to the modifier: blanks beyond it fall away; other characters do where `isExplicit`. */
export function cutText(text: string, limit: number, type: string, isExplicit: boolean): string {
  if (text.length <= limit || characterCount(text) <= limit) return text;
  const cut = firstCharacters(text, limit);
  if (!isExplicit && /[^ ]/.test(text.slice(cut.length))) {
    throw new SqlError("22001", `value too long for type ${type}(${limit})`);
  }
  return cut;
}

export function applyVarcharModifier(text: string, typmod: number, isExplicit = false): string {
  return typmod < 4 ? text : cutText(text, typmod - 4, "character varying", isExplicit);
}

export function applyCharModifier(text: string, typmod: number, isExplicit = false): string {
  if (typmod < 4) return text;
  const cut = cutText(text, typmod - 4, "character", isExplicit);
  if (typmod > MAX_LENGTH_MODIFIER) throw notSupported("a length above 10485760");
  const missing = typmod - 4 - characterCount(cut);
  return missing > 0 ? cut + " ".repeat(missing) : cut;
}

/** A `char` without the blanks behind it, which do not count in comparisons. */
export function trimBlanks(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 0x20) end--;
  return end === text.length ? text : text.slice(0, end);
}

export const text: TypeCodec<string> = {
  input: (value) => value,
  output: (value) => value,
  receive: (bytes) => decodeText(bytes),
  send: utf8,
  compare: compareText,
  hash: (value) => value,
};

export const varchar: TypeCodec<string> = {
  ...text,
  input: (value, typmod) => applyVarcharModifier(value, typmod),
  receive: (bytes, typmod) => applyVarcharModifier(decodeText(bytes), typmod),
};

export const bpchar: TypeCodec<string> = {
  ...text,
  input: (value, typmod) => applyCharModifier(value, typmod),
  receive: (bytes, typmod) => applyCharModifier(decodeText(bytes), typmod),
  compare: (left, right) => compareText(trimBlanks(left), trimBlanks(right)),
  hash: trimBlanks,
};

/** Cuts at 63 bytes, at the border of a character. */
export function toName(value: string): string {
  if (value.length * 3 <= MAX_NAME_BYTES) return value;
  const bytes = Buffer.from(value, "utf8");
  if (bytes.length <= MAX_NAME_BYTES) return value;
  let end = MAX_NAME_BYTES;
  while (end > 0 && ((bytes[end] as number) & 0xc0) === 0x80) end--;
  return bytes.toString("utf8", 0, end);
}

export const name: TypeCodec<string> = {
  ...text,
  input: toName,
  receive(bytes) {
    if (bytes.length > MAX_NAME_BYTES) throw new SqlError("42622", "identifier too long");
    return decodeText(bytes);
  },
};

function byteOf(value: string): number {
  return value.length === 4 ? Number.parseInt(value.slice(1), 8) : value.charCodeAt(0) || 0;
}

/** The one-byte type `"char"`: of a longer text the first byte; an ASCII zero is empty. */
export function toCharByte(value: string): string {
  if (/^\\[0-3][0-7][0-7]$/.test(value)) return ofByte(Number.parseInt(value.slice(1), 8));
  const byte = Buffer.from(value.slice(0, 2), "utf8")[0];
  return byte === undefined ? "" : ofByte(byte);
}

/** A "char" of a byte. */
export function ofByte(byte: number): string {
  if (byte === 0) return "";
  return byte < 0x80 ? String.fromCharCode(byte) : `\\${byte.toString(8)}`;
}

export const charByte: TypeCodec<string> = {
  ...text,
  input: toCharByte,
  receive(bytes) {
    const byte = bytes[0];
    if (bytes.length !== 1 || byte === undefined) throw invalidBinary("char");
    return ofByte(byte);
  },
  send: (value) => Uint8Array.of(byteOf(value)),
  compare: (left, right) => byteOf(left) - byteOf(right),
};
