import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { postgresPrograms, startPostgres } from "../../test/support/postgres-server.ts";
import { ROOT } from "../tools.ts";
import type { Generated } from "./generated.ts";

const PATH = "src/sql/signatures/postgres-15-catalogs.json";

/** Relations: `[schema, name, oid, kind, [[column, type, typmod, notNull] …]]`. */
const SHAPES = `
  SELECT json_build_array(n.nspname, c.relname, c.oid::int8, c.relkind, json_agg(
      json_build_array(a.attname,
        CASE WHEN t.typtype = 'd' THEN t.typbasetype::int8 ELSE t.oid::int8 END,
        CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE a.atttypmod END,
        a.attnotnull::int)
      ORDER BY a.attnum))::text
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 JOIN pg_type t ON t.oid = a.atttypid
  WHERE n.nspname IN ('pg_catalog', 'information_schema') AND c.relkind IN ('r', 'v')
  GROUP BY n.nspname, c.relname, c.oid, c.relkind ORDER BY n.nspname DESC, c.relname COLLATE "C"`;

/** Rows that no database changes: all columns as text. */
const FIXED: Readonly<Record<string, string>> = {
  pg_am: "SELECT * FROM pg_am ORDER BY oid",
  pg_language: "SELECT * FROM pg_language WHERE oid < 100 ORDER BY oid",
  pg_tablespace: "SELECT * FROM pg_tablespace ORDER BY oid",
  pg_range: "SELECT * FROM pg_range ORDER BY rngtypid",
  pg_opfamily: "SELECT * FROM pg_opfamily ORDER BY oid",
  pg_opclass: "SELECT * FROM pg_opclass ORDER BY oid",
  pg_collation: "SELECT * FROM pg_collation WHERE oid < 1000 ORDER BY oid",
};

/**
 * The columns of PostgreSQL's own relations. A machine without PostgreSQL 15, and `--check`, keep
 * the committed file: starting a server takes seconds.
 */
export async function generateCatalogShapes(): Promise<readonly Generated[]> {
  const programs = process.argv.includes("--check") ? undefined : postgresPrograms();
  if (programs === undefined) {
    console.log(`kept ${PATH}: read only by npm run gen where PostgreSQL 15 is installed`);
    return [{ path: PATH, text: await readFile(join(ROOT, PATH), "utf8") }];
  }
  const server = await startPostgres(programs);
  try {
    const wire = await server.connect();
    const ask = async (sql: string) => {
      const [answer] = await wire.query(sql);
      if (answer?.error !== undefined) throw new Error(`${sql}: ${answer.error.message}`);
      return answer?.rows ?? [];
    };
    const shapes = (await ask(SHAPES)).map(([row]) => JSON.stringify(JSON.parse(row ?? "null")));
    const parts = [`"relations": [\n${shapes.join(",\n")}\n]`];
    for (const [name, query] of Object.entries(FIXED)) {
      const rows = (await ask(query)).map((row) => JSON.stringify(row));
      parts.push(`"${name}": [\n${rows.join(",\n")}\n]`);
    }
    wire.close();
    return [{ path: PATH, text: `{\n${parts.join(",\n")}\n}\n` }];
  } finally {
    await server.stop();
  }
}
