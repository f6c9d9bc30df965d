import { Numeric } from "../../rows/numeric.ts";
import { invalidBinary, notSupported, SqlError } from "../error.ts";
import { type TypeCodec, utf8 } from "./codec.ts";
import { compareText, decodeText } from "./texts.ts";

/** A value of JSON: numbers keep all their digits, objects are sorted as PostgreSQL sorts them. */
export type Json =
  | { readonly kind: "null" }
  | { readonly kind: "boolean"; readonly value: boolean }
  | { readonly kind: "number"; readonly value: Numeric }
  | { readonly kind: "string"; readonly value: string }
  | { readonly kind: "array"; readonly items: readonly Json[] }
  | { readonly kind: "object"; readonly members: ReadonlyMap<string, Json> };

/** Deeper than PostgreSQL's stack takes, and safe for recursion here. */
const MAX_DEPTH = 2_000;

function syntax(): SqlError {
  return new SqlError("22P02", "invalid input syntax for type json");
}

const SPACES = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const CONTROL = "\\u0000-\\u001f";
const PLAIN = new RegExp(`[^"\\\\${CONTROL}]*`, "y");
const QUOTED = new RegExp(`["\\\\${CONTROL}]`, "g");
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

/** Reads JSON as PostgreSQL does: `jsonb` makes values, `json` only checks. */
class JsonReader {
  readonly text: string;
  /** Whether escapes are made characters, as `jsonb` and all functions need. */
  readonly isBinary: boolean;
  at = 0;

  constructor(text: string, isBinary: boolean) {
    this.text = text;
    this.isBinary = isBinary;
  }

  whole(): Json {
    const value = this.value(0);
    this.spaces();
    if (this.at < this.text.length) throw syntax();
    return value;
  }

  spaces(): void {
    SPACES.lastIndex = this.at;
    SPACES.exec(this.text);
    this.at = SPACES.lastIndex;
  }

  value(depth: number): Json {
    if (depth > MAX_DEPTH) throw notSupported("JSON nested deeper than 2000");
    this.spaces();
    const first = this.text[this.at];
    if (first === "{") return this.object(depth);
    if (first === "[") return this.array(depth);
    if (first === '"') return { kind: "string", value: this.string() };
    return this.scalar();
  }

  scalar(): Json {
    const word = /[A-Za-z_\d$.+-]+/y;
    word.lastIndex = this.at;
    const token = word.exec(this.text)?.[0] ?? "";
    this.at += token.length;
    if (token === "null") return { kind: "null" };
    if (token === "true" || token === "false") return { kind: "boolean", value: token === "true" };
    NUMBER.lastIndex = 0;
    if (NUMBER.exec(token)?.[0] !== token || token === "") throw syntax();
    const value = this.isBinary ? Numeric.parse(token) : Numeric.zero;
    if (value === undefined) throw syntax();
    return { kind: "number", value };
  }

  array(depth: number): Json {
    const items: Json[] = [];
    this.at++;
    this.spaces();
    if (this.text[this.at] === "]") {
      this.at++;
      return { kind: "array", items };
    }
    for (;;) {
      items.push(this.value(depth + 1));
      this.spaces();
      const next = this.text[this.at++];
      if (next === "]") return { kind: "array", items };
      if (next !== ",") throw syntax();
    }
  }

  object(depth: number): Json {
    const members = new Map<string, Json>();
    this.at++;
    this.spaces();
    if (this.text[this.at] === "}") {
      this.at++;
      return { kind: "object", members };
    }
    for (;;) {
      this.spaces();
      if (this.text[this.at] !== '"') throw syntax();
      const key = this.string();
      this.spaces();
      if (this.text[this.at++] !== ":") throw syntax();
      members.set(key, this.value(depth + 1));
      this.spaces();
      const next = this.text[this.at++];
      if (next === "}") return { kind: "object", members: sorted(members) };
      if (next !== ",") throw syntax();
    }
  }

  string(): string {
    let value = "";
    this.at++;
    for (;;) {
      PLAIN.lastIndex = this.at;
      value += PLAIN.exec(this.text)?.[0] ?? "";
      this.at = PLAIN.lastIndex;
      const next = this.text[this.at++];
      if (next === '"') break;
      if (next !== "\\") throw syntax();
      const letter = this.text[this.at++] ?? "";
      if (letter === "u") value += this.unicode();
      else {
        const character = ESCAPES[letter];
        if (character === undefined) throw syntax();
        value += character;
      }
    }
    if (this.isBinary && !value.isWellFormed()) throw syntax();
    return value;
  }

  unicode(): string {
    const digits = this.text.slice(this.at, this.at + 4);
    if (!/^[\da-fA-F]{4}$/.test(digits)) throw syntax();
    this.at += 4;
    const code = Number.parseInt(digits, 16);
    if (code === 0 && this.isBinary) {
      const detail = "\\u0000 cannot be converted to text.";
      throw new SqlError("22P05", "unsupported Unicode escape sequence", { detail });
    }
    return String.fromCharCode(code);
  }
}

/** Keys by their length in bytes, then by their bytes. */
export function compareKeys(left: string, right: string): number {
  const difference = Buffer.byteLength(left) - Buffer.byteLength(right);
  return difference === 0 ? compareText(left, right) : difference;
}

export function sorted(members: ReadonlyMap<string, Json>): ReadonlyMap<string, Json> {
  return new Map([...members].sort(([a], [b]) => compareKeys(a, b)));
}

/** @throws SqlError 22P02, 22P05, 22003. */
export function parseJson(text: string): Json {
  return new JsonReader(text, true).whole();
}

const CONTROLS: Readonly<Record<string, string>> = {
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  '"': '\\"',
  "\\": "\\\\",
};

export function quoteJson(text: string): string {
  const quoted = text.replace(QUOTED, (character) => {
    const known = CONTROLS[character];
    return known ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
  return `"${quoted}"`;
}

/** The text of `jsonb`: a blank behind each comma and colon. */
export function jsonText(value: Json): string {
  switch (value.kind) {
    case "null":
      return "null";
    case "boolean":
      return String(value.value);
    case "number":
      return value.value.toString();
    case "string":
      return quoteJson(value.value);
    case "array":
      return `[${value.items.map(jsonText).join(", ")}]`;
    case "object": {
      const members = [...value.members].map(
        ([key, item]) => `${quoteJson(key)}: ${jsonText(item)}`,
      );
      return `{${members.join(", ")}}`;
    }
  }
}

const RANKS: Readonly<Record<Json["kind"], number>> = {
  null: 0,
  string: 1,
  number: 2,
  boolean: 3,
  array: 4,
  object: 5,
};

/** PostgreSQL's order of `jsonb`: by kind, then by size, then by content. */
export function compareJson(left: Json, right: Json): number {
  if (left.kind !== right.kind) return rankOf(left) - rankOf(right);
  switch (left.kind) {
    case "null":
      return 0;
    case "boolean":
      return Number(left.value) - Number((right as typeof left).value);
    case "number":
      return left.value.compare((right as typeof left).value);
    case "string":
      return compareText(left.value, (right as typeof left).value);
    case "array":
      return compareItems(left.items, (right as typeof left).items);
    case "object":
      return compareMembers([...left.members], [...(right as typeof left).members]);
  }
}

/** An empty array sorts below all that is not an array, for PostgreSQL's sake. */
function rankOf(value: Json): number {
  return value.kind === "array" && value.items.length === 0 ? -1 : RANKS[value.kind];
}

function compareItems(left: readonly Json[], right: readonly Json[]): number {
  if (left.length !== right.length) return left.length - right.length;
  for (const [i, item] of left.entries()) {
    const found = compareJson(item, right[i] as Json);
    if (found !== 0) return found;
  }
  return 0;
}

type Member = readonly [key: string, value: Json];

function compareMembers(left: readonly Member[], right: readonly Member[]): number {
  if (left.length !== right.length) return left.length - right.length;
  for (const [i, [key, value]] of left.entries()) {
    const [otherKey, other] = right[i] as Member;
    const found = compareText(key, otherKey) || compareJson(value, other);
    if (found !== 0) return found;
  }
  return 0;
}

export const json: TypeCodec<string> = {
  input(text) {
    new JsonReader(text, false).whole();
    return text;
  },
  output: (value) => value,
  receive(bytes) {
    const text = decodeText(bytes);
    new JsonReader(text, false).whole();
    return text;
  },
  send: utf8,
};

/** Datums are PostgreSQL's own text of the value, so equal values are equal texts but for zeros. */
export const jsonb: TypeCodec<string> = {
  input: (text) => jsonText(parseJson(text)),
  output: (value) => value,
  receive(bytes) {
    if (bytes[0] !== 1) throw invalidBinary("jsonb");
    return jsonText(parseJson(decodeText(bytes.subarray(1))));
  },
  send: (value) => Buffer.concat([Uint8Array.of(1), Buffer.from(value)]),
  compare: (left, right) => (left === right ? 0 : compareJson(parseJson(left), parseJson(right))),
  hash: (value) => jsonText(trimmed(parseJson(value))),
};

function trimmed(value: Json): Json {
  switch (value.kind) {
    case "number":
      return { kind: "number", value: value.value.trim() };
    case "array":
      return { kind: "array", items: value.items.map(trimmed) };
    case "object": {
      const members = [...value.members].map(([key, item]): [string, Json] => [key, trimmed(item)]);
      return { kind: "object", members: new Map(members) };
    }
    default:
      return value;
  }
}
