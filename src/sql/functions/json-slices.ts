import { SqlError } from "../error.ts";
import { parseJson } from "../types/json.ts";

/** A value of type `json` by its outermost parts, each as its own text: `json` keeps spelling. */
export type JsonSlices =
  | { readonly kind: "object"; readonly members: readonly (readonly [string, string])[] }
  | { readonly kind: "array"; readonly items: readonly string[] }
  | { readonly kind: "string" | "number" | "boolean" | "null"; readonly text: string };

const SPACES = /[ \t\n\r]*/y;
const STRING = /"(?:[^"\\]|\\.)*"/y;
const SCALAR = /[^\s,\]}]+/y;

function after(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return at + (pattern.exec(text)?.[0].length ?? 0);
}

/** Where a value ends that begins at a place. */
function endOf(text: string, start: number): number {
  let at = start;
  let depth = 0;
  for (;;) {
    const c = text[at];
    if (c === '"') at = after(STRING, text, at);
    else if (c === "{" || c === "[") {
      depth++;
      at++;
    } else if (c === "}" || c === "]") {
      depth--;
      at++;
    } else if (depth > 0) at++;
    else return after(SCALAR, text, at);
    if (depth === 0) return at;
  }
}

/** @param text valid JSON, as every value of type `json` is */
export function sliceJson(text: string): JsonSlices {
  const start = after(SPACES, text, 0);
  const first = text[start];
  if (first === "{" || first === "[") {
    const members: (readonly [string, string])[] = [];
    let at = start + 1;
    for (;;) {
      at = after(SPACES, text, at);
      if (text[at] === "}" || text[at] === "]") break;
      let key = "";
      if (first === "{") {
        const end = after(STRING, text, at);
        key = stringOf(text.slice(at, end));
        at = after(SPACES, text, after(SPACES, text, end) + 1);
      }
      const end = endOf(text, at);
      members.push([key, text.slice(at, end)]);
      at = after(SPACES, text, end);
      if (text[at] === ",") at++;
    }
    if (first === "{") return { kind: "object", members };
    return { kind: "array", items: members.map(([, item]) => item) };
  }
  const scalar = text.slice(start, endOf(text, start));
  const kind =
    first === '"'
      ? "string"
      : first === "n"
        ? "null"
        : first === "t" || first === "f"
          ? "boolean"
          : "number";
  return { kind, text: scalar };
}

function stringOf(text: string): string {
  const value = parseJson(text);
  if (value.kind === "string") return value.value;
  throw new SqlError("22P02", "invalid input syntax for type json");
}

/** A part as text: a string without its quotation marks, and null as NULL. */
export function plainSlice(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (text.startsWith('"')) return stringOf(text);
  return text === "null" ? null : text;
}
