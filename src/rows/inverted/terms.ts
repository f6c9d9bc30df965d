import { binaryText, utf8 } from "../../base/bytes.ts";
import { sha256Bytes } from "../../base/hash.ts";
import { KeySchema } from "../../keys/index.ts";
import type { ColumnType } from "../column-type.ts";
import type { ArrayDatum, Datum } from "../datum.ts";
import type { OperatorClass } from "../descriptor.ts";
import { keyFormOf } from "../key-columns.ts";

/*
 * Terms of an inverted index: what a value holds, as bytes. Stored, so a term keeps its form.
 *
 * jsonb_ops, by the first byte:
 *   01 key of an object, or text in an array or by itself   UTF-8
 *   02 null                                                 nothing
 *   03 true, false                                          "t", "f"
 *   04 number                                               shortest decimal of its float8
 *   05 text that is the value of a key                      UTF-8
 *   11, 15 as 01 and 05, of more than 120 bytes             16 bytes of the text's SHA-256
 * Example: {"a": 1} has the terms 0161 and 0431.
 *
 * jsonb_path_ops: 8 bytes of the SHA-256 of the keys that lead to a scalar, each with 00 behind it,
 * and the scalar in the form above.
 *
 * array_ops, by the first byte:
 *   00 element, up to 120 bytes    its key form
 *   01 longer element              16 bytes of the SHA-256 of its key form
 *   02 NULL
 *   03 the array has no element
 *
 * Terms of equal values are equal. Unequal values may share one: who finds a row looks at it again.
 */

const MOST_BYTES = 120;
const HASH_BYTES = 16;
const PATH_BYTES = 8;
const KEY = 1;
const TEXT = 5;
const HASHED = 0x10;

type JsonTree = null | boolean | number | string | readonly JsonTree[] | JsonMembers;
interface JsonMembers {
  readonly [key: string]: JsonTree;
}

/** The terms of a value that is not NULL, each once. */
export type TermsOf = (value: Datum) => readonly Uint8Array[];

export const NULL_ELEMENT: Uint8Array = Uint8Array.of(2);
export const EMPTY_ARRAY: Uint8Array = Uint8Array.of(3);

/** @throws FirnError `Invalid`, code `ROW_KEY_TYPE_INVALID`: elements without an order. */
export function termsOf(type: ColumnType, operatorClass: OperatorClass): TermsOf {
  switch (operatorClass) {
    case "jsonb_ops":
      return (value) => jsonTerms(String(value));
    case "jsonb_path_ops":
      return (value) => pathTerms(String(value));
    case "array_ops": {
      const elementTerm = elementTermOf(type);
      return (value) => {
        const { elements } = value as ArrayDatum;
        if (elements.length === 0) return [EMPTY_ARRAY];
        return distinct(elements.map(elementTerm));
      };
    }
  }
}

/** The term of an element of an array. */
export function elementTermOf({ element }: ColumnType): (value: Datum) => Uint8Array {
  const type = element ?? { kind: "text" };
  const form = keyFormOf(type, "an element of the array");
  const schema = new KeySchema([{ type: form.type }]);
  // A `char` is equal with and without the blanks at its end.
  const isPadded = type.kind === "char";
  return (value) => {
    if (value === null) return NULL_ELEMENT;
    const key = form.toKey(isPadded ? String(value).replace(/ +$/, "") : value);
    const bytes = schema.encode([key] as never);
    return bytes.length <= MOST_BYTES
      ? Buffer.concat([Uint8Array.of(0), bytes])
      : Buffer.concat([Uint8Array.of(1), sha256Bytes(bytes).subarray(0, HASH_BYTES)]);
  };
}

/** The term of a key, as `?` asks for it. */
export function keyTerm(key: string): Uint8Array {
  return textTerm(KEY, key);
}

function jsonTerms(text: string): readonly Uint8Array[] {
  const keys = new Set<string>();
  const values = new Set<string>();
  const scalars = new Map<string, Uint8Array>();
  /** Not recursive: a text may be nested deeper than the stack is. */
  const open: { readonly value: JsonTree; readonly isMember: boolean }[] = [
    { value: JSON.parse(text) as JsonTree, isMember: false },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, isMember } = next;
    if (typeof value === "string") (isMember ? values : keys).add(value);
    else if (isList(value)) for (const item of value) open.push({ value: item, isMember: false });
    else if (typeof value === "object" && value !== null) {
      for (const [key, member] of Object.entries(value)) {
        keys.add(key);
        open.push({ value: member, isMember: true });
      }
    } else if (!scalars.has(String(value))) scalars.set(String(value), scalarTerm(value));
  }
  return [
    ...[...keys].map((key) => textTerm(KEY, key)),
    ...[...values].map((value) => textTerm(TEXT, value)),
    ...scalars.values(),
  ];
}

function pathTerms(text: string): readonly Uint8Array[] {
  const found: Uint8Array[] = [];
  const open: { readonly value: JsonTree; readonly path: string }[] = [
    { value: JSON.parse(text) as JsonTree, path: "" },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path } = next;
    if (isList(value)) for (const item of value) open.push({ value: item, path });
    else if (typeof value === "object" && value !== null) {
      for (const [key, member] of Object.entries(value)) {
        open.push({ value: member, path: `${path}${key}\0` });
      }
    } else {
      const scalar = typeof value === "string" ? textTerm(TEXT, value) : scalarTerm(value);
      const hash = sha256Bytes(Buffer.concat([utf8(path), scalar]));
      found.push(hash.subarray(0, PATH_BYTES));
    }
  }
  return distinct(found);
}

function isList(value: JsonTree): value is readonly JsonTree[] {
  return Array.isArray(value);
}

/** A number by its float8, as which equal decimals are equal; −0 is 0. */
function scalarTerm(value: null | boolean | number): Uint8Array {
  if (value === null) return Uint8Array.of(2);
  if (typeof value === "boolean") return utf8(value ? "\u0003t" : "\u0003f");
  return utf8(`\u0004${value}`);
}

function textTerm(kind: number, text: string): Uint8Array {
  const bytes = utf8(text);
  return bytes.length <= MOST_BYTES
    ? Buffer.concat([Uint8Array.of(kind), bytes])
    : Buffer.concat([Uint8Array.of(kind + HASHED), sha256Bytes(bytes).subarray(0, HASH_BYTES)]);
}

function distinct(terms: readonly Uint8Array[]): readonly Uint8Array[] {
  if (terms.length < 2) return terms;
  const found = new Map(terms.map((term) => [binaryText(term), term]));
  return [...found.values()];
}
