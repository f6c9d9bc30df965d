import { assert, unreachable } from "./assert.ts";
import { utf8Text } from "./bytes.ts";
import { invalid } from "./error.ts";
import { LIMITS } from "./limits.ts";
import type { Steps } from "./steps.ts";

/** A number whose token a JavaScript number would not print again byte for byte (`1.0`, `1e3`). */
export class JsonNumber {
  readonly token: string;
  constructor(token: string) {
    this.token = token;
  }
}

export type JsonArray = readonly JsonValue[];
export interface JsonObject {
  readonly [key: string]: JsonValue;
}
/** `number` for safe integers and decimals in canonical form, `bigint` for larger integers. */
export type JsonValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | JsonNumber
  | JsonArray
  | JsonObject;

/**
 * Levels of arrays and objects, and values of any kind, that a text may hold; and members of one
 * object, which may be as many where nothing is said.
 */
export interface JsonBounds {
  readonly depth: number;
  readonly nodes: number;
  readonly members?: number;
}

const DEFAULT_BOUNDS: JsonBounds = {
  depth: LIMITS.jsonDepth,
  nodes: LIMITS.jsonNodes,
  members: LIMITS.jsonMembers,
};
/**
 * Longer integer tokens stay tokens: making a bigint of a million digits is not a constant cost.
 */
const BIGINT_DIGITS = 40;
/** The parser and every walk recurse, so this much nesting has to fit the stack. */
const MAX_DEPTH = 1_000;

/**
 * JavaScript lists array-index-like keys first, whatever the text's order. For the rare object that
 * has one, the order of the text is kept here; `{...copy}` of it falls back to JavaScript's order.
 */
const keyOrder = new WeakMap<object, readonly string[]>();

/**
 * Parses JSON text (RFC 8259, as narrowed by I-JSON: no key twice, no unpaired surrogate) without
 * loss: members keep their order and every number its value and token. The tree never grows past
 * the bounds. A key `__proto__` is refused, so no consumer can take it for a prototype.
 *
 * @throws FirnError `Invalid`: `JSON_INVALID`, `JSON_DUPLICATE_KEY`, `JSON_FORBIDDEN_KEY`,
 * `JSON_TOO_DEEP`, `JSON_TOO_LARGE`.
 */
export function parseJson(text: string, bounds: JsonBounds = DEFAULT_BOUNDS): JsonValue {
  if (!text.isWellFormed()) throw invalid("JSON_INVALID", "unpaired surrogate in text");
  return new Parser(text, bounds).document();
}

/**
 * As `parseJson`, of strict UTF-8 without a byte order mark.
 *
 * @throws FirnError `Invalid`, as `parseJson`.
 */
export function parseJsonBytes(bytes: Uint8Array, bounds: JsonBounds = DEFAULT_BOUNDS): JsonValue {
  let text: string;
  try {
    text = utf8Text(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw invalid("JSON_INVALID", "not valid utf-8");
  }
  return new Parser(text, bounds).document();
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof JsonNumber)
  );
}

/** JSON text without white space. `parseJson` of it gives an equal value, key order included. */
export function printJson(value: JsonValue): string {
  switch (typeof value) {
    case "string":
      return printString(value);
    case "number":
      assert(Number.isFinite(value), "a json number is finite");
      return String(value);
    case "bigint":
    case "boolean":
      return String(value);
    case "object":
      if (value === null) return "null";
      if (value instanceof JsonNumber) return value.token;
      if (isJsonArray(value)) return printArray(value);
      return printObject(value);
    default:
      return unreachable(value);
  }
}

/** Values that are printed between two steps. */
const VALUES_A_STEP = 256;

/** Characters of one piece of a long text: few enough to be encoded or hashed within a step. */
const PIECE_CHARS = 262_144;

/** A text in the making whose length has no bound: pieces that belong one behind the other. */
export class TextPieces {
  readonly #pieces: string[] = [];
  #text = "";

  add(text: string): void {
    this.#text += text;
    if (this.#text.length >= PIECE_CHARS) this.#flush();
  }

  whole(): readonly string[] {
    this.#flush();
    return this.#pieces;
  }

  #flush(): void {
    const text = this.#text;
    this.#text = "";
    if (text.length === 0) return;
    // To look at one character turns the tree that appending has left into one text.
    text.charCodeAt(0);
    for (const piece of textPieces(text)) this.#pieces.push(piece);
  }
}

/** A long text in pieces, none of which splits a character. */
export function textPieces(text: string): readonly string[] {
  if (text.length <= 2 * PIECE_CHARS) return [text];
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    let to = from + PIECE_CHARS;
    if (isHighSurrogate(text.charCodeAt(to - 1))) to++;
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

/** As `printJson`, of what may be large: pieces that belong one behind the other. */
export function* jsonSteps(value: JsonValue): Steps<readonly string[]> {
  if (isShortJson(value)) return textPieces(printJson(value));
  const out = new TextPieces();
  yield* printInto(out, value);
  return out.whole();
}

/** Whether a value holds so few others that it is printed within a step. */
export function isShortJson(value: JsonValue): boolean {
  return valuesLeft(value, VALUES_A_STEP) >= 0;
}

/** How many more values are within a bound; negative where these are too many. */
function valuesLeft(value: JsonValue | undefined, bound: number): number {
  let left = bound - 1;
  if (isJsonArray(value)) {
    for (let i = 0; i < value.length && left >= 0; i++) left = valuesLeft(value[i], left);
  } else if (isJsonObject(value)) {
    for (const key in value) {
      left = valuesLeft(value[key], left);
      if (left < 0) break;
    }
  }
  return left;
}

function* printInto(out: TextPieces, value: JsonValue): Steps<void> {
  if (isJsonArray(value)) {
    out.add("[");
    for (const [i, element] of value.entries()) {
      if (i > 0) out.add(",");
      if (isFlat(element)) out.add(printJson(element));
      else yield* printInto(out, element);
      if (i % VALUES_A_STEP === VALUES_A_STEP - 1) yield;
    }
    out.add("]");
    return;
  }
  if (!isJsonObject(value) || isFlat(value)) {
    out.add(printJson(value));
    return;
  }
  let members = 0;
  for (const key of jsonKeys(value)) {
    out.add((members === 0 ? "{" : ",") + printKey(key));
    yield* printInto(out, value[key] ?? null);
    if (++members % VALUES_A_STEP === 0) yield;
  }
  out.add(members === 0 ? "{}" : "}");
}

/** A value that holds no array and no object, or an object of few such. */
function isFlat(value: JsonValue): boolean {
  if (isJsonArray(value)) return value.length === 0;
  if (!isJsonObject(value)) return true;
  let members = 0;
  for (const key in value) {
    const held = value[key];
    if (++members > VALUES_A_STEP || isJsonArray(held) || isJsonObject(held)) return false;
  }
  return true;
}

/** The members' names in the order of the text, index-like ones included. */
export function jsonKeys(object: JsonObject): readonly string[] {
  const keys = Object.keys(object);
  // JavaScript lists index-like keys first, so only such an object can have its own order.
  const first = keys[0]?.charCodeAt(0) ?? 0;
  if (first < 0x30 || first > 0x39) return keys;
  return keyOrder.get(object) ?? keys;
}

/** Keeps the order of an object's keys, all of which are given, where it is not JavaScript's. */
export function keepKeyOrder(object: JsonObject, keys: readonly string[]): void {
  const first = Object.keys(object)[0]?.charCodeAt(0) ?? 0;
  if (first >= 0x30 && first <= 0x39) keyOrder.set(object, keys);
}

/** Narrows to an array, which `Array.isArray` does not do for a readonly one. */
export function isJsonArray(value: JsonValue | undefined): value is JsonArray {
  return Array.isArray(value);
}

function printArray(array: JsonArray): string {
  let out = "[";
  for (let i = 0; i < array.length; i++) {
    const value = array[i];
    assert(value !== undefined, "a json array has no holes");
    if (i > 0) out += ",";
    out += printJson(value);
  }
  return `${out}]`;
}

function printObject(object: JsonObject): string {
  let out = "{";
  for (const key of jsonKeys(object)) {
    const value = object[key];
    assert(value !== undefined, "a json member has a value");
    out += (out.length > 1 ? "," : "") + printKey(key) + printJson(value);
  }
  return `${out}}`;
}

/** All but what JSON lets stand in a string: quote, backslash, controls and surrogates. */
const NEEDS_ESCAPE = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;

/** Printed keys, colon included: documents repeat few, and this halves the time of a print. */
const printedKeys = new Map<string, string>();
const PRINTED_KEYS = 1_024;
const PRINTED_KEY_LENGTH = 64;

function printKey(key: string): string {
  const known = printedKeys.get(key);
  if (known !== undefined) return known;
  const printed = `${printString(key)}:`;
  if (key.length > PRINTED_KEY_LENGTH) return printed;
  if (printedKeys.size >= PRINTED_KEYS) printedKeys.clear();
  printedKeys.set(key, printed);
  return printed;
}

function printString(text: string): string {
  return NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`;
}

function keyTooLong(key: string): Error {
  return invalid("JSON_TOO_LARGE", "member name too long: use a shorter one", {
    characters: key.length,
    maxCharacters: LIMITS.jsonKeyChars,
  });
}

class Parser {
  readonly #text: string;
  readonly #maxDepth: number;
  readonly #maxNodes: number;
  readonly #maxMembers: number;
  #nodesLeft: number;
  #at = 0;

  constructor(text: string, bounds: JsonBounds) {
    assert(bounds.depth <= MAX_DEPTH, "the depth bound fits the stack");
    this.#text = text;
    this.#maxDepth = bounds.depth;
    this.#maxNodes = bounds.nodes;
    this.#maxMembers = bounds.members ?? bounds.nodes;
    this.#nodesLeft = bounds.nodes;
  }

  document(): JsonValue {
    const value = this.#value(0);
    this.#space();
    if (this.#at < this.#text.length) throw this.#unexpected();
    return value;
  }

  #value(depth: number): JsonValue {
    if (--this.#nodesLeft < 0) throw this.#tooMany();
    const code = this.#space();
    switch (code) {
      case 0x22:
        this.#at++;
        return this.#string();
      case 0x7b:
        return this.#object(depth + 1);
      case 0x5b:
        return this.#array(depth + 1);
      case 0x74:
        return this.#word("true", true);
      case 0x66:
        return this.#word("false", false);
      case 0x6e:
        return this.#word("null", null);
      default:
        return this.#number();
    }
  }

  /** Skips white space; the code unit that follows it, NaN at the end of the text. */
  #space(): number {
    const text = this.#text;
    let code = text.charCodeAt(this.#at);
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
      code = text.charCodeAt(++this.#at);
    }
    return code;
  }

  #word<T extends boolean | null>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) throw this.#unexpected();
    this.#at += word.length;
    return value;
  }

  #enter(depth: number): void {
    if (depth > this.#maxDepth) {
      throw invalid("JSON_TOO_DEEP", "nested too deeply", { depth: this.#maxDepth });
    }
    this.#at++;
  }

  #array(depth: number): JsonArray {
    this.#enter(depth);
    const out: JsonValue[] = [];
    if (this.#space() === 0x5d) {
      this.#at++;
      return out;
    }
    for (;;) {
      out.push(this.#value(depth));
      const code = this.#space();
      if (code !== 0x2c && code !== 0x5d) throw this.#unexpected();
      this.#at++;
      if (code === 0x5d) return out;
    }
  }

  #object(depth: number): JsonObject {
    this.#enter(depth);
    const out: Record<string, JsonValue> = {};
    if (this.#space() === 0x7d) {
      this.#at++;
      return out;
    }
    let members = 0;
    let order: string[] | undefined;
    for (;;) {
      if (this.#space() !== 0x22) throw this.#unexpected();
      this.#at++;
      const key = this.#string();
      if (key.length > LIMITS.jsonKeyChars) throw keyTooLong(key);
      if (key === "__proto__")
        throw invalid("JSON_FORBIDDEN_KEY", "forbidden key in JSON object: __proto__");
      if (this.#space() !== 0x3a) throw this.#unexpected();
      this.#at++;
      const first = key.charCodeAt(0);
      // Until the first index-like key, JavaScript's order is the text's.
      if (order === undefined && first >= 0x30 && first <= 0x39) order = Object.keys(out);
      order?.push(key);
      out[key] = this.#value(depth);
      if (++members > this.#maxMembers) throw this.#tooManyMembers();
      const code = this.#space();
      if (code !== 0x2c && code !== 0x7d) throw this.#unexpected();
      this.#at++;
      if (code === 0x7d) break;
    }
    // Counting once is cheaper than asking for every key; a duplicate is never returned.
    if (Object.keys(out).length !== members)
      throw invalid("JSON_DUPLICATE_KEY", "duplicate key in JSON object");
    if (order !== undefined) keyOrder.set(out, order);
    return out;
  }

  /** The string whose opening quote was just read. */
  #string(): string {
    const text = this.#text;
    const start = this.#at;
    for (let at = start; ; at++) {
      const code = text.charCodeAt(at);
      if (code === 0x22) {
        this.#at = at + 1;
        return text.slice(start, at);
      }
      if (code === 0x5c) return this.#escaped(start, at);
      // NaN, the end of the text, is not at least a space either.
      if (!(code >= 0x20)) {
        this.#at = at;
        throw this.#unexpected();
      }
    }
  }

  /** A string with escapes: finds its end, then lets the platform decode and judge it. */
  #escaped(start: number, firstEscape: number): string {
    const text = this.#text;
    let at = firstEscape;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === 0x22) break;
      if (Number.isNaN(code)) {
        this.#at = at;
        throw this.#unexpected();
      }
      at += code === 0x5c ? 2 : 1;
    }
    this.#at = at + 1;
    let value: string;
    try {
      value = JSON.parse(text.slice(start - 1, at + 1)) as string;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw invalid("JSON_INVALID", "malformed string", { at: start });
    }
    if (!value.isWellFormed()) throw invalid("JSON_INVALID", "unpaired surrogate", { at: start });
    return value;
  }

  #number(): JsonValue {
    const text = this.#text;
    const start = this.#at;
    let at = start;
    let code = text.charCodeAt(at);
    const negative = code === 0x2d;
    if (negative) code = text.charCodeAt(++at);
    const digits = at;
    let value = 0;
    while (code >= 0x30 && code <= 0x39) {
      value = value * 10 + (code - 0x30);
      code = text.charCodeAt(++at);
    }
    this.#at = at;
    const count = at - digits;
    if (count === 0) throw this.#unexpected();
    if (count > 1 && text.charCodeAt(digits) === 0x30) throw this.#unexpected();
    // '.', 'e' and 'E': no plain integer.
    if (code === 0x2e || code === 0x65 || code === 0x45) return this.#decimal(start);
    if (count <= 15) {
      if (!negative) return value;
      return value === 0 ? new JsonNumber("-0") : -value;
    }
    const token = text.slice(start, at);
    if (count > BIGINT_DIGITS) return new JsonNumber(token);
    const exact = BigInt(token);
    const rounded = Number(exact);
    return Number.isSafeInteger(rounded) ? rounded : exact;
  }

  /** A number with a fraction or an exponent; `#at` stands behind its integer part. */
  #decimal(start: number): JsonValue {
    const text = this.#text;
    if (text.charCodeAt(this.#at) === 0x2e) {
      this.#at++;
      this.#digits();
    }
    const exponent = text.charCodeAt(this.#at);
    if (exponent === 0x65 || exponent === 0x45) {
      const sign = text.charCodeAt(++this.#at);
      if (sign === 0x2b || sign === 0x2d) this.#at++;
      this.#digits();
    }
    const token = text.slice(start, this.#at);
    const value = Number(token);
    return String(value) === token ? value : new JsonNumber(token);
  }

  #digits(): void {
    const text = this.#text;
    const start = this.#at;
    let code = text.charCodeAt(start);
    while (code >= 0x30 && code <= 0x39) code = text.charCodeAt(++this.#at);
    if (this.#at === start) throw this.#unexpected();
  }

  #tooMany(): Error {
    return invalid("JSON_TOO_LARGE", "too many values: send several requests", {
      maxValues: this.#maxNodes,
    });
  }

  #tooManyMembers(): Error {
    const message = "too many members in one object: send them in several requests";
    return invalid("JSON_TOO_LARGE", message, { maxMembers: this.#maxMembers });
  }

  #unexpected(): Error {
    const where = this.#at < this.#text.length ? "unexpected character" : "unexpected end";
    return invalid("JSON_INVALID", `${where} in json`, { at: this.#at });
  }
}
