import type { ArrayDatum } from "../../rows/datum.ts";
import { invalidParameter, notSupported } from "../error.ts";
import { vector } from "../types/arrays.ts";
import type { Family } from "./implementation.ts";
import { expressionFor } from "./pattern.ts";
import { type PatternShape, shapeOf } from "./pattern-determinism.ts";

interface Flags {
  readonly isGlobal: boolean;
  readonly isFolding: boolean;
}

const KNOWN = "bceimnpqstwx";

function flagsOf(text: string): Flags {
  let isGlobal = false;
  let isFolding = false;
  for (const flag of text) {
    if (flag === "g") isGlobal = true;
    else if (flag === "i") isFolding = true;
    else if (flag === "c") isFolding = false;
    else if (KNOWN.includes(flag)) throw notSupported(`the regular expression option "${flag}"`);
    else throw invalidParameter(`invalid regular expression option: "${flag}"`);
  }
  return { isGlobal, isFolding };
}

/** A flag of `regexp_match` and others that look for one match, or for all by their nature. */
function single(name: string, flags: string): Flags {
  const found = flagsOf(flags);
  if (!found.isGlobal) return found;
  throw invalidParameter(`${name}() does not support the "global" option`, {
    ...(name === "regexp_match" && { hint: "Use the regexp_matches function instead." }),
  });
}

const CACHED = 100;
const shapes = new Map<string, PatternShape>();

function knownShape(source: string): PatternShape {
  const known = shapes.get(source);
  if (known !== undefined) return known;
  const shape = shapeOf(source);
  if (shapes.size >= CACHED) shapes.clear();
  shapes.set(source, shape);
  return shape;
}

const AMBIGUOUS = "Use a pattern in which every text can be matched in one way only.";

/** Matches of a pattern in a text from a place on, each with its groups. */
class Search {
  readonly text: string;
  readonly groups: number;
  readonly #expression: RegExp;

  constructor(text: string, pattern: string, isFolding: boolean, isRepeated: boolean) {
    const { source } = expressionFor(text, pattern, isFolding);
    const shape = knownShape(source);
    if (!shape.isUnambiguous) {
      throw notSupported("parts of a match of such a regular expression", AMBIGUOUS);
    }
    if (shape.mayBeEmpty && isRepeated) {
      throw notSupported("all matches of a regular expression that may be empty");
    }
    this.text = text;
    this.groups = shape.groups;
    this.#expression = new RegExp(source, "lg");
  }

  *matches(from = 0): Generator<RegExpExecArray> {
    this.#expression.lastIndex = from;
    for (;;) {
      const found = this.#expression.exec(this.text);
      if (found === null) return;
      yield found;
      if (found[0] === "") return;
    }
  }

  first(from = 0): RegExpExecArray | undefined {
    return this.matches(from).next().value as RegExpExecArray | undefined;
  }

  nth(n: number, from: number): RegExpExecArray | undefined {
    let count = 0;
    for (const found of this.matches(from)) if (++count === n) return found;
    return undefined;
  }
}

/** Its groups, or the whole where it has none. */
function parts(found: RegExpExecArray, { groups }: Search): ArrayDatum {
  const texts = groups === 0 ? [found[0]] : found.slice(1).map((text) => text ?? null);
  return vector(texts);
}

function replacementOf(found: RegExpExecArray, by: string): string {
  return by.replace(/\\([\s\S]?)/g, (all, next: string) => {
    if (next === "&") return found[0];
    if (/[1-9]/.test(next)) return found[Number(next)] ?? "";
    return next === "\\" ? "\\" : all;
  });
}

function replace(
  text: string,
  pattern: string,
  by: string,
  { isFolding, from = 0, which }: Flags & { readonly from?: number; readonly which: number },
): string {
  const search = new Search(text, pattern, isFolding, which !== 1);
  let out = "";
  let at = 0;
  let count = 0;
  for (const found of search.matches(from)) {
    count++;
    if (which !== 0 && count !== which) continue;
    out += text.slice(at, found.index) + replacementOf(found, by);
    at = found.index + found[0].length;
    if (which !== 0) break;
  }
  return out + text.slice(at);
}

function positive(name: string, value: number, least = 1): number {
  if (value >= least) return value;
  throw invalidParameter(`invalid value for parameter "${name}": ${value}`);
}

const replacing: Family = {
  textregexreplace_noopt: (text: string, pattern: string, by: string) =>
    replace(text, pattern, by, { isGlobal: false, isFolding: false, which: 1 }),
  textregexreplace(text: string, pattern: string, by: string, flags: string) {
    if (/^\d/.test(flags)) {
      const hint =
        "If you meant to use regexp_replace() with a start parameter, cast the fourth argument " +
        "to integer explicitly.";
      throw invalidParameter(`invalid regular expression option: "${flags[0]}"`, { hint });
    }
    const found = flagsOf(flags);
    return replace(text, pattern, by, { ...found, which: found.isGlobal ? 0 : 1 });
  },
  textregexreplace_extended(
    text: string,
    pattern: string,
    by: string,
    start: number,
    n: number,
    flags: string,
  ) {
    const from = positive("start", start) - 1;
    return replace(text, pattern, by, { ...flagsOf(flags), from, which: positive("n", n, 0) });
  },
  textregexreplace_extended_no_flags(
    text: string,
    pattern: string,
    by: string,
    start: number,
    n: number,
  ) {
    const from = positive("start", start) - 1;
    const which = positive("n", n, 0);
    return replace(text, pattern, by, { isGlobal: false, isFolding: false, from, which });
  },
  textregexreplace_extended_no_n(text: string, pattern: string, by: string, start: number) {
    const from = positive("start", start) - 1;
    return replace(text, pattern, by, { isGlobal: false, isFolding: false, from, which: 1 });
  },
};

function match(text: string, pattern: string, flags = ""): ArrayDatum | null {
  const { isFolding } = single("regexp_match", flags);
  const search = new Search(text, pattern, isFolding, false);
  const found = search.first();
  return found === undefined ? null : parts(found, search);
}

function matches(text: string, pattern: string, flags = ""): readonly ArrayDatum[] {
  const { isFolding, isGlobal } = flagsOf(flags);
  const search = new Search(text, pattern, isFolding, isGlobal);
  const all: ArrayDatum[] = [];
  for (const found of search.matches()) {
    all.push(parts(found, search));
    if (!isGlobal) break;
  }
  return all;
}

function split(name: string, text: string, pattern: string, flags = ""): readonly string[] {
  const { isFolding } = single(name, flags);
  const pieces: string[] = [];
  let at = 0;
  for (const found of new Search(text, pattern, isFolding, true).matches()) {
    pieces.push(text.slice(at, found.index));
    at = found.index + found[0].length;
  }
  return [...pieces, text.slice(at)];
}

function count(text: string, pattern: string, start = 1, flags = ""): number {
  const { isFolding } = single("regexp_count", flags);
  const search = new Search(text, pattern, isFolding, true);
  return [...search.matches(positive("start", start) - 1)].length;
}

function find(
  name: string,
  [text, pattern, start = 1, n = 1, flags = ""]: readonly [
    string,
    string,
    number?,
    number?,
    string?,
  ],
) {
  const from = positive("start", start) - 1;
  const which = positive("n", n);
  const search = new Search(text, pattern, single(name, flags).isFolding, which > 1);
  const found = search.nth(which, from);
  return found === undefined ? undefined : { found, search };
}

function substring(text: string, pattern: string): string | null {
  const search = new Search(text, pattern, false, false);
  const found = search.first();
  if (found === undefined) return null;
  return search.groups === 0 ? found[0] : (found[1] ?? null);
}

function instr(of: Parameters<typeof find>[1], end = 0, group = 0): number {
  if (end !== 0 && end !== 1) {
    throw invalidParameter(`invalid value for parameter "endoption": ${end}`);
  }
  positive("subexpr", group, 0);
  const one = find("regexp_instr", of);
  if (one === undefined || group > one.search.groups) return 0;
  if (group > 0) throw notSupported("the place of a group of a regular expression");
  return one.found.index + 1 + (end === 1 ? one.found[0].length : 0);
}

function substr(of: Parameters<typeof find>[1], group = 0): string | null {
  positive("subexpr", group, 0);
  const one = find("regexp_substr", of);
  if (one === undefined || group > one.search.groups) return null;
  return one.found[group] ?? null;
}

export const patternSearchFamily: Family = {
  ...replacing,
  textregexsubstr: substring,
  regexp_match_no_flags: (text: string, pattern: string) => match(text, pattern),
  regexp_match: (text: string, pattern: string, flags: string) => match(text, pattern, flags),
  regexp_matches_no_flags: (text: string, pattern: string) => matches(text, pattern),
  regexp_matches: (text: string, pattern: string, flags: string) => matches(text, pattern, flags),
  regexp_split_to_table_no_flags: (text: string, pattern: string) =>
    split("regexp_split_to_table", text, pattern),
  regexp_split_to_table: (text: string, pattern: string, flags: string) =>
    split("regexp_split_to_table", text, pattern, flags),
  regexp_split_to_array_no_flags: (text: string, pattern: string) =>
    vector(split("regexp_split_to_array", text, pattern)),
  regexp_split_to_array: (text: string, pattern: string, flags: string) =>
    vector(split("regexp_split_to_array", text, pattern, flags)),
  regexp_count_no_start: (text: string, pattern: string) => count(text, pattern),
  regexp_count_no_flags: (text: string, pattern: string, start: number) =>
    count(text, pattern, start),
  regexp_count: (text: string, pattern: string, start: number, flags: string) =>
    count(text, pattern, start, flags),
  regexp_like(text: string, pattern: string, flags: string) {
    const { isFolding } = single("regexp_like", flags);
    return expressionFor(text, pattern, isFolding).test(text);
  },
  regexp_instr_no_start: (text: string, pattern: string) => instr([text, pattern]),
  regexp_instr_no_n: (text: string, pattern: string, start: number) =>
    instr([text, pattern, start]),
  regexp_instr_no_endoption: (text: string, pattern: string, start: number, n: number) =>
    instr([text, pattern, start, n]),
  regexp_instr_no_flags: (text: string, pattern: string, start: number, n: number, end: number) =>
    instr([text, pattern, start, n], end),
  regexp_substr_no_start: (text: string, pattern: string) => substr([text, pattern]),
  regexp_substr_no_n: (text: string, pattern: string, start: number) =>
    substr([text, pattern, start]),
  regexp_substr_no_flags: (text: string, pattern: string, start: number, n: number) =>
    substr([text, pattern, start, n]),
  regexp_substr_no_subexpr: (
    text: string,
    pattern: string,
    start: number,
    n: number,
    flags: string,
  ) => substr([text, pattern, start, n, flags]),
};
