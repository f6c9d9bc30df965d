import { notSupported, SqlError } from "../error.ts";
import type { Family } from "./implementation.ts";
import { isMatch } from "./pattern.ts";

const same = (a: string, pattern: string): boolean => isMatch(a, pattern, false);
const folded = (a: string, pattern: string): boolean => isMatch(a, pattern, true);

/** A pattern of SIMILAR TO as a regular expression over the whole text. */
function similar(pattern: string, escaping: string | null): string {
  const by = escaping ?? "\\";
  if ([...by].length > 1) {
    const hint = "Escape string must be empty or one character.";
    throw new SqlError("22025", "invalid escape string", { hint });
  }
  let out = "^(?:";
  let isInside = false;
  const all = [...pattern];
  for (let i = 0; i < all.length; i++) {
    const c = all[i] as string;
    if (by !== "" && c === by) {
      const next = all[++i] ?? "";
      if (next === '"') throw notSupported("SIMILAR TO with a part to extract");
      out += `\\${next}`;
    } else if (isInside) {
      out += c === "\\" ? "\\\\" : c;
      if (c === "]") isInside = false;
    } else if (c === "[") {
      out += c;
      isInside = true;
    } else if (c === "%") out += ".*";
    else if (c === "_") out += ".";
    else if (c === "(") out += "(?:";
    else if (c === "\\" || c === "." || c === "^" || c === "$") out += `\\${c}`;
    else out += c;
  }
  return `${out})$`;
}

/** Matching alone; `pattern-search.ts` has what takes the parts of a match. */
export const regularExpressionFamily: Family = {
  textregexeq: same,
  textregexne: (a: string, pattern: string) => !same(a, pattern),
  texticregexeq: folded,
  texticregexne: (a: string, pattern: string) => !folded(a, pattern),
  nameregexeq: same,
  nameregexne: (a: string, pattern: string) => !same(a, pattern),
  nameicregexeq: folded,
  nameicregexne: (a: string, pattern: string) => !folded(a, pattern),
  regexp_like_no_flags: same,
  similar_to_escape_1: (pattern: string) => similar(pattern, null),
  similar_to_escape_2: (pattern: string, by: string) => similar(pattern, by),
};
