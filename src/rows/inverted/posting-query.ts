import type { ColumnType } from "../column-type.ts";
import type { ArrayDatum, Datum } from "../datum.ts";
import type { OperatorClass } from "../descriptor.ts";
import { EMPTY_ARRAY, elementTermOf, keyTerm, NULL_ELEMENT, termsOf } from "./terms.ts";

/**
 * Which rows of an inverted index may meet a condition. Each of them is looked at again: a term
 * says what a value holds, not where.
 */
export type PostingQuery =
  /** The terms say nothing: any row may. */
  | { readonly kind: "all" }
  | { readonly kind: "none" }
  /** @param part of the index, from 0 on. */
  | { readonly kind: "term"; readonly part: number; readonly term: Uint8Array }
  | { readonly kind: "and" | "or"; readonly args: readonly PostingQuery[] };

/** What inverted indexes answer: `@>`, `<@`, `&&`, `=`, `?`, `?|` and `?&`. */
export type PostingOperator =
  | "contains"
  | "contained"
  | "overlaps"
  | "equals"
  | "key"
  | "any key"
  | "all keys";

const ANSWERED: Readonly<Record<OperatorClass, readonly PostingOperator[]>> = {
  jsonb_ops: ["contains", "key", "any key", "all keys"],
  jsonb_path_ops: ["contains"],
  array_ops: ["contains", "contained", "overlaps", "equals"],
};

export function isAnswered(operatorClass: OperatorClass, operator: PostingOperator): boolean {
  return ANSWERED[operatorClass].includes(operator);
}

/** The rows whose part may meet `part operator value`. */
export function postingQuery(
  { type, operatorClass, part }: InvertedPart,
  operator: PostingOperator,
  value: Datum,
): PostingQuery {
  if (value === null) return { kind: "none" };
  const at = (term: Uint8Array): PostingQuery => ({ kind: "term", part, term });
  switch (operator) {
    case "key":
      return at(keyTerm(String(value)));
    case "any key":
      return anyOf(keysOf(value).map((key) => at(keyTerm(key))));
    case "all keys":
      return allOf(keysOf(value).map((key) => at(keyTerm(key))));
    case "contains":
      if (operatorClass !== "array_ops") return allOf(termsOf(type, operatorClass)(value).map(at));
      // NULL equals nothing.
      if ((value as ArrayDatum).elements.includes(null)) return { kind: "none" };
      return allOf((value as ArrayDatum).elements.map((one) => at(elementTermOf(type)(one))));
    case "contained":
      return anyOf([at(EMPTY_ARRAY), ...elementsOf(type, value).map(at)]);
    case "overlaps":
      return anyOf(elementsOf(type, value).map(at));
    case "equals": {
      const { elements } = value as ArrayDatum;
      if (elements.length === 0) return at(EMPTY_ARRAY);
      const term = elementTermOf(type);
      return allOf(elements.map((one) => at(one === null ? NULL_ELEMENT : term(one))));
    }
  }
}

/** A part of an inverted index: what its terms are. */
export interface InvertedPart {
  readonly type: ColumnType;
  readonly operatorClass: OperatorClass;
  /** From 0 on. */
  readonly part: number;
}

export function allOf(args: readonly PostingQuery[]): PostingQuery {
  const telling = args.filter(({ kind }) => kind !== "all");
  const none = telling.find(({ kind }) => kind === "none");
  if (none !== undefined) return none;
  const [first] = telling;
  if (first === undefined) return { kind: "all" };
  return telling.length === 1 ? first : { kind: "and", args: telling };
}

export function anyOf(args: readonly PostingQuery[]): PostingQuery {
  const some = args.filter(({ kind }) => kind !== "none");
  const all = some.find(({ kind }) => kind === "all");
  if (all !== undefined) return all;
  const [first] = some;
  if (first === undefined) return { kind: "none" };
  return some.length === 1 ? first : { kind: "or", args: some };
}

function keysOf(value: Datum): readonly string[] {
  return (value as ArrayDatum).elements.filter((key) => key !== null).map(String);
}

function elementsOf(type: ColumnType, value: Datum): readonly Uint8Array[] {
  const term = elementTermOf(type);
  return (value as ArrayDatum).elements.filter((one) => one !== null).map(term);
}
