import type { Outcome } from "./evaluate.ts";
import type { Expression } from "./expression.ts";

/** How Firn's answer stands to PostgreSQL's. */
export type Verdict = "same" | "refused" | "allowed" | "different";

/** Functions of the C library, whose last digit its makers leave open. */
const LIBM = new RegExp(
  `^(?:${[
    "a?(?:sin|cos|tan|cot)h?d?|atan2d?|ln|log|log10|pow(?:er)?|sqrt|\\^|\\|\\/|\\|\\|\\/",
    "degrees|radians|dpow|d?cbrt|d?exp|dlog1?0?|d?sqrt",
  ].join("|")})$`,
);
const FLOATS: ReadonlySet<number> = new Set([700, 701]);

function names(expression: Expression): readonly string[] {
  switch (expression.kind) {
    case "literal":
      return [];
    case "cast":
      return names(expression.argument);
    default:
      return [expression.name, ...expression.arguments.flatMap(names)];
  }
}

function isClose(left: string | null, right: string | null): boolean {
  const [a, b] = [Number(left), Number(right)];
  return Math.abs(a - b) <= 4e-15 * Math.max(Math.abs(a), Math.abs(b), 1e-300);
}

/** What PostgreSQL itself says with 0A000 is an answer; Firn's own 0A000 is a refusal. */
export function judge(expression: Expression, expected: Outcome, actual: Outcome): Verdict {
  if ("error" in actual) {
    if ("error" in expected && expected.error === actual.error) return "same";
    return actual.error === "0A000" ? "refused" : "different";
  }
  if ("error" in expected || expected.type !== actual.type) return "different";
  if (expected.text === actual.text) return "same";
  const isLibm = FLOATS.has(expected.type) && names(expression).some((name) => LIBM.test(name));
  return isLibm && isClose(expected.text, actual.text) ? "allowed" : "different";
}
