import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";

export const QUERIES: string = join(import.meta.dirname, "..", "fixtures", "sql", "queries");

/** What a server answered: names and types of columns, rows and the tag; or the SQLSTATE. */
export type QueryAnswer =
  | { readonly columns: string; readonly rows: readonly string[]; readonly tag: string }
  | { readonly error: string };

/** Statements of a file, in order. */
export function statementsOf(name: string): readonly string[] {
  const text = readFileSync(join(QUERIES, `${name}.sql`), "utf8");
  const all = text.split(/;[ ]*\n/).map((each) => each.replace(/^--.*$/gm, "").trim());
  return all.filter((each) => each !== "");
}

export function queryFiles(): readonly string[] {
  const files = readdirSync(QUERIES).filter((file) => file.endsWith(".sql"));
  return files.map((file) => file.slice(0, -4)).sort();
}

/** Asks for values as texts, as PostgreSQL prints them. */
export async function answerOf(client: pg.Client, text: string): Promise<QueryAnswer> {
  try {
    const types = { getTypeParser: () => (value: string) => value };
    const query = { text, rowMode: "array" as const, types };
    const { fields, rows, command, rowCount } = await client.query<(string | null)[]>(query);
    return {
      columns: fields.map(({ name, dataTypeID }) => `${name}:${dataTypeID}`).join(","),
      rows: inOrder(
        text,
        rows.map((row) => row.map((value) => value ?? "NULL").join("|")),
      ),
      tag: `${command} ${rowCount}`,
    };
  } catch (error) {
    if (error instanceof pg.DatabaseError) return { error: error.code ?? "" };
    throw error;
  }
}

/** Where the query says no order, rows are compared in any. */
function inOrder(sql: string, rows: readonly string[]): readonly string[] {
  return /order by[^)]*$/i.test(sql) ? rows : [...rows].sort();
}
