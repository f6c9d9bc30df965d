import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { evaluate, type Outcome } from "./fuzz/evaluate.ts";
import { type Expression, toSql } from "./fuzz/expression.ts";
import { judge } from "./fuzz/judge.ts";

const FILE = join(import.meta.dirname, "..", "fixtures", "sql", "expressions.jsonl");

interface Recorded {
  readonly expression: Expression;
  readonly expected: Outcome;
}

function recorded(): readonly Recorded[] {
  const lines = readFileSync(FILE, "utf8").trimEnd().split("\n");
  return lines.map((line) => {
    const [expression, answer]: [Expression, Outcome] = JSON.parse(line);
    const expected = "error" in answer ? { ...answer, message: "" } : answer;
    return { expression, expected };
  });
}

describe("answers that PostgreSQL 15 gave", () => {
  const all = recorded();
  const judged = all.map(({ expression, expected }) => {
    const actual = evaluate(expression);
    return { expression, expected, actual, verdict: judge(expression, expected, actual) };
  });

  it("are Firn's too, or Firn refuses with 0A000", () => {
    const different = judged
      .filter(({ verdict }) => verdict === "different")
      .map(({ expression, expected, actual }) => ({ sql: toSql(expression), expected, actual }));
    expect(different).toEqual([]);
  });

  it("cover what they claim: nearly all are answered, not refused", () => {
    expect(judged.length).toBeGreaterThan(2_000);
    const refused = judged.filter(({ verdict }) => verdict === "refused").length;
    expect(refused / judged.length).toBeLessThan(0.03);
  });
});
