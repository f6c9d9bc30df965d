import { SqlError } from "../error.ts";
import { type Characters, charactersOf } from "./characters.ts";
import type { Family } from "./implementation.ts";

/** Longest result: more would not fit into PostgreSQL's allocation of 1 GB either. */
const MAX_BYTES = 0x3fff_ffff;

function checkLength(length: number): void {
  if (length > MAX_BYTES / 4) throw new SqlError("54000", "requested length too large");
}

/** One character at a time, as the C library maps them: never one to several. */
function mapCase(text: string, map: (character: string) => string): string {
  const mapped = map(text);
  if (mapped.length === text.length) return mapped;
  return [...text]
    .map((character) => {
      const one = map(character);
      return one.length === character.length ? one : character;
    })
    .join("");
}

export const upper = (text: string): string => mapCase(text, (c) => c.toUpperCase());
export const lower = (text: string): string =>
  // JavaScript writes a sigma at the end of a word in another way.
  mapCase(text, (c) => c.replaceAll("Σ", "σ").toLowerCase());

function initcap(text: string): string {
  let isInside = false;
  return [...text]
    .map((character) => {
      const shown = isInside ? lower(character) : upper(character);
      isInside = /[\p{L}\p{N}]/u.test(character);
      return shown;
    })
    .join("");
}

interface Sliced {
  readonly length: number;
  slice(from: number, to?: number): unknown;
}

/** `substring(x, start, length)`: the start may lie before the text. */
function substring<Result>(value: Sliced, start: number, length?: number): Result {
  if (length === undefined) return value.slice(Math.max(start - 1, 0)) as Result;
  if (length < 0) throw new SqlError("22011", "negative substring length not allowed");
  const end = Math.max(start + length - 1, 0);
  return value.slice(Math.max(start - 1, 0), end) as Result;
}

function overlay<Value extends Sliced>(
  value: Value,
  other: Value,
  start: number,
  length: number,
): readonly [unknown, Value, unknown] {
  if (start <= 0) throw new SqlError("22011", "negative substring length not allowed");
  const end = start + length;
  if (end > 2_147_483_647) throw new SqlError("22003", "integer out of range");
  return [value.slice(0, start - 1), other, value.slice(Math.max(end - 1, 0))];
}

function overlayText(text: string, by: string, start: number, length?: number): string {
  const parts = [charactersOf(text), charactersOf(by)] as const;
  const [before, , after] = overlay(...parts, start, length ?? parts[1].length);
  return `${before}${by}${after}`;
}

function overlayBytes(value: Uint8Array, by: Uint8Array, start: number, length = by.length) {
  const [before, , after] = overlay(value, by, start, length);
  return Buffer.concat([before as Uint8Array, by, after as Uint8Array]);
}

function pad(text: string, length: number, fill: string, isLeft: boolean): string {
  const value = charactersOf(text);
  const wanted = Math.max(length, 0);
  checkLength(wanted);
  if (value.length >= wanted) return value.slice(0, wanted);
  if (fill === "") return text;
  const by = charactersOf(fill);
  const missing = wanted - value.length;
  const padding = fill.repeat(Math.floor(missing / by.length)) + by.slice(0, missing % by.length);
  return isLeft ? padding + text : text + padding;
}

function trim(text: string, set: string, isLeft: boolean, isRight: boolean): string {
  if (set === "") return text;
  const characters = new Set(set);
  const all = [...text];
  let from = 0;
  let to = all.length;
  while (isLeft && from < to && characters.has(all[from] as string)) from++;
  while (isRight && to > from && characters.has(all[to - 1] as string)) to--;
  return all.slice(from, to).join("");
}

function trimBytes(value: Uint8Array, set: Uint8Array, isLeft: boolean, isRight: boolean) {
  let from = 0;
  let to = value.length;
  while (isLeft && from < to && set.includes(value[from] as number)) from++;
  while (isRight && to > from && set.includes(value[to - 1] as number)) to--;
  return value.slice(from, to);
}

function position(text: string, part: string): number {
  const at = text.indexOf(part);
  return at <= 0 ? at + 1 : charactersOf(text.slice(0, at)).length + 1;
}

function repeat(text: string, count: number): string {
  const times = Math.max(count, 0);
  checkLength(text.length * times);
  return text.repeat(times);
}

function replace(text: string, from: string, to: string): string {
  return from === "" ? text : text.replaceAll(from, () => to);
}

function splitPart(text: string, separator: string, field: number): string {
  if (field === 0) throw new SqlError("22023", "field position must not be zero");
  if (text === "") return "";
  const parts = separator === "" ? [text] : text.split(separator);
  return parts.at(field > 0 ? field - 1 : field) ?? "";
}

function translate(text: string, from: string, to: string): string {
  const target = [...to];
  const map = new Map<string, string>();
  [...from].forEach((character, i) => {
    if (!map.has(character)) map.set(character, target[i] ?? "");
  });
  return [...text].map((character) => map.get(character) ?? character).join("");
}

function chr(code: number): string {
  if (code < 0) throw new SqlError("22023", "character number must be positive");
  if (code === 0) throw new SqlError("54000", "null character not permitted");
  const isOdd = code > 0x10_ffff || (code >= 0xd800 && code <= 0xdfff);
  if (isOdd) {
    const message = `requested character too large for encoding: ${code}`;
    const isSurrogate = code <= 0xdfff;
    const invalid = `requested character not valid for encoding: ${code}`;
    throw new SqlError("54000", isSurrogate ? invalid : message);
  }
  return String.fromCodePoint(code);
}

function left(text: string, count: number): string {
  const value: Characters = charactersOf(text);
  return value.slice(0, count < 0 ? Math.max(value.length + count, 0) : count);
}

function right(text: string, count: number): string {
  // As PostgreSQL: the smallest integer has no opposite.
  if (count === -2_147_483_648) return text;
  const value = charactersOf(text);
  return value.slice(
    count < 0 ? Math.min(-count, value.length) : Math.max(value.length - count, 0),
  );
}

const trimming: Family = {
  btrim: (a: string, set: string) => trim(a, set, true, true),
  btrim1: (a: string) => trim(a, " ", true, true),
  ltrim: (a: string, set: string) => trim(a, set, true, false),
  ltrim1: (a: string) => trim(a, " ", true, false),
  rtrim: (a: string, set: string) => trim(a, set, false, true),
  byteatrim: (a: Uint8Array, set: Uint8Array) => trimBytes(a, set, true, true),
  bytealtrim: (a: Uint8Array, set: Uint8Array) => trimBytes(a, set, true, false),
  byteartrim: (a: Uint8Array, set: Uint8Array) => trimBytes(a, set, false, true),
};

export const stringFamily: Family = {
  ...trimming,
  upper,
  lower,
  initcap,
  ascii: (a: string) => a.codePointAt(0) ?? 0,
  chr,
  text_substr: (a: string, start: number, length: number) =>
    substring(charactersOf(a), start, length),
  text_substr_no_len: (a: string, start: number) => substring(charactersOf(a), start),
  bytea_substr: (a: Uint8Array, start: number, length: number) => substring(a, start, length),
  bytea_substr_no_len: (a: Uint8Array, start: number) => substring(a, start),
  textoverlay: overlayText,
  textoverlay_no_len: (a: string, by: string, start: number) => overlayText(a, by, start),
  byteaoverlay: (a: Uint8Array, by: Uint8Array, start: number, length: number) =>
    overlayBytes(a, by, start, length),
  byteaoverlay_no_len: (a: Uint8Array, by: Uint8Array, start: number) => overlayBytes(a, by, start),
  textpos: position,
  byteapos: (a: Uint8Array, part: Uint8Array) => Buffer.from(a).indexOf(part) + 1,
  lpad: (a: string, length: number, fill: string) => pad(a, length, fill, true),
  rpad: (a: string, length: number, fill: string) => pad(a, length, fill, false),
  "lpad(text,int4)": (a: string, length: number) => pad(a, length, " ", true),
  "rpad(text,int4)": (a: string, length: number) => pad(a, length, " ", false),
  repeat,
  replace_text: replace,
  split_part: splitPart,
  translate,
  text_left: left,
  text_right: right,
  text_reverse: (a: string) => [...a].reverse().join(""),
  text_starts_with: (a: string, part: string) => a.startsWith(part),
  to_hex32: (a: number) => (a >>> 0).toString(16),
  to_hex64: (a: bigint) => BigInt.asUintN(64, a).toString(16),
  unicode_normalize_func(a: string, form: string) {
    const name = form.toUpperCase();
    if (!/^NFK?[CD]$/.test(name)) {
      throw new SqlError("22023", `invalid normalization form: ${form}`);
    }
    return a.normalize(name);
  },
};
