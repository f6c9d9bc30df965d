import { ADMIN_KEY, type Team } from "../access/support.ts";

/** What a statement came to: rows, or the error's SQLSTATE and text. */
export type Outcome =
  | { readonly rows: readonly (readonly unknown[])[] }
  | { readonly sqlState: string; readonly text: string };

/** Runs a statement over HTTP. */
export async function sql(
  team: Team,
  key: string,
  statement: string,
  more: object = {},
): Promise<Outcome> {
  const { status, body } = await team.ask(key, "POST", "/api/v1/sql", { statement, ...more });
  if (status < 300) return { rows: body["rows"] as (readonly unknown[])[] };
  const { sqlState } = (body["context"] ?? {}) as { readonly sqlState?: string };
  return { sqlState: sqlState ?? String(status), text: JSON.stringify(body) };
}

/** Rows of a statement that must succeed. */
export async function rowsOf(
  team: Team,
  statement: string,
  more: object = {},
  key: string = ADMIN_KEY,
): Promise<readonly (readonly unknown[])[]> {
  const outcome = await sql(team, key, statement, more);
  if ("rows" in outcome) return outcome.rows;
  throw new Error(`${statement}: ${outcome.text}`);
}
