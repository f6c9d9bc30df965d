import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { PostgresWire } from "../support/postgres-wire.ts";

/** What an expression comes to: its text, NULL, or an SQLSTATE. */
export type Answer = string | null | { readonly error: string };

const FOLDER = "test/fixtures/sql/answers";
/** Files of expressions and PostgreSQL's answers, one of each a line. */
export const ANSWERS: readonly string[] = readdirSync(FOLDER).map((file) => join(FOLDER, file));

/** What the answers depend on. */
const SETTINGS = "SET timezone = 'UTC'; SET extra_float_digits = 1";

/** The lines of a file; one that was not asked yet is the expression alone. */
export function answersIn(text: string): readonly (readonly [string, Answer])[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => (line.startsWith('["') ? JSON.parse(line) : [line, null]));
}

/** Asks a server each expression, as the text of its value. */
export async function ask(
  wire: PostgresWire,
  expressions: readonly string[],
): Promise<readonly Answer[]> {
  await wire.query(SETTINGS);
  const sent = expressions.map((expression) => wire.query(`SELECT (${expression})::text`));
  const answers = await Promise.all(sent);
  return answers.map(([answer]): Answer => {
    if (answer === undefined) throw new Error("no answer");
    if (answer.error !== undefined) return { error: answer.error.sqlState };
    return answer.rows[0]?.[0] ?? null;
  });
}
