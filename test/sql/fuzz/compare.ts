import type { Answer, PostgresWire } from "../../support/postgres-wire.ts";
import { evaluate, type Outcome } from "./evaluate.ts";
import { type Expression, toSql } from "./expression.ts";
import { judge, type Verdict } from "./judge.ts";

export interface Compared {
  readonly expression: Expression;
  readonly sql: string;
  readonly expected: Outcome;
  readonly actual: Outcome;
  readonly verdict: Verdict;
}

/** Statements in flight: enough to hide the round trip. */
const AT_ONCE = 200;

/** Sets what the answers depend on, as `evaluate.ts` has it. */
export async function prepare(wire: PostgresWire): Promise<void> {
  await wire.query("SET timezone = 'America/New_York'; SET statement_timeout = '2s'");
}

export async function ask(wire: PostgresWire, sql: string): Promise<Outcome> {
  const [answer] = await wire.query(`SELECT ${sql}`);
  return outcomeOf(answer);
}

function outcomeOf(answer: Answer | undefined): Outcome {
  if (answer === undefined) throw new Error("no answer");
  const { error, rows, types } = answer;
  if (error !== undefined) return { error: error.sqlState, message: error.message };
  return { type: types[0] ?? 0, text: rows[0]?.[0] ?? null };
}

/** Runs expressions on PostgreSQL and on Firn. */
export async function compare(
  wire: PostgresWire,
  expressions: readonly Expression[],
): Promise<readonly Compared[]> {
  const compared: Compared[] = [];
  for (let at = 0; at < expressions.length; at += AT_ONCE) {
    const batch = expressions.slice(at, at + AT_ONCE);
    const answers = batch.map((expression) => ask(wire, toSql(expression)));
    for (const [i, expression] of batch.entries()) {
      const expected = await (answers[i] as Promise<Outcome>);
      const actual = evaluate(expression);
      const verdict = judge(expression, expected, actual);
      compared.push({ expression, sql: toSql(expression), expected, actual, verdict });
    }
  }
  return compared;
}
