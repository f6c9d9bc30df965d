import { Pool } from "pg";
import { postgresPrograms, startPostgres } from "../../test/support/postgres-server.ts";
import type { RowsContender, RowsDatabase } from "./contender.ts";
import { benchRow, COLUMNS, groupOf } from "./rows.ts";

/** Enough for the callers that insert at once. */
const CONNECTIONS = 128;
const SETTINGS = ["shared_buffers=256MB", `max_connections=${CONNECTIONS + 16}`];
const TYPES = ["int4", "int4", "text", "float8", "float8", "int4", "text", "bool"];

/** PostgreSQL 15 by `pg`, on a folder of this machine. Undefined where it is not installed. */
export async function postgresRows(): Promise<RowsContender | undefined> {
  const programs = postgresPrograms();
  if (programs === undefined) {
    console.error("PostgreSQL 15: not installed");
    return undefined;
  }
  const server = await startPostgres(programs, { durable: true, settings: SETTINGS });
  return {
    name: "PostgreSQL 15",
    options: "fsync on, shared_buffers 256 MB, `pg` over loopback",
    hasCallers: true,
    async open(_directory, rows) {
      const { port } = server;
      const pool = new Pool({
        port,
        host: "127.0.0.1",
        user: "postgres",
        database: "postgres",
        max: CONNECTIONS,
      });
      pool.on("error", () => undefined);
      const columns = COLUMNS.map((name, i) => `${name} ${TYPES[i]}`).join(", ");
      await pool.query(`CREATE TABLE t (${columns}, PRIMARY KEY (id))`);
      await pool.query("CREATE INDEX by_grp ON t (grp)");
      return new PostgresRows(pool, rows);
    },
    stop: () => server.stop(),
  };
}

const ONE = `INSERT INTO t VALUES (${COLUMNS.map((_, i) => `$${i + 1}`).join(", ")})`;
const ARRAYS = TYPES.map((type, i) => `$${i + 1}::${type}[]`).join(", ");
const MANY = `INSERT INTO t SELECT * FROM unnest(${ARRAYS})`;

class PostgresRows implements RowsDatabase {
  readonly #pool: Pool;
  readonly #rows: number;

  constructor(pool: Pool, rows: number) {
    this.#pool = pool;
    this.#rows = rows;
  }

  async insert(from: number, to: number): Promise<void> {
    if (to - from === 1) {
      const row = benchRow(from, this.#rows);
      await this.#ask(
        "one",
        ONE,
        COLUMNS.map((name) => row[name]),
      );
      return;
    }
    const rows = Array.from({ length: to - from }, (_, i) => benchRow(from + i, this.#rows));
    await this.#ask(
      "many",
      MANY,
      COLUMNS.map((name) => rows.map((row) => row[name])),
    );
  }

  async get(id: number): Promise<unknown> {
    return (await this.#ask("get", "SELECT * FROM t WHERE id = $1", [id]))[0];
  }

  async byIndex(group: number): Promise<number> {
    return (await this.#ask("by_grp", "SELECT * FROM t WHERE grp = $1", [group])).length;
  }

  async scan(): Promise<number> {
    return (await this.#ask("scan", "SELECT * FROM t", [])).length;
  }

  async sum(): Promise<number> {
    const [row] = await this.#ask("sum", "SELECT sum(qty)::float8 AS sum FROM t", []);
    return (row as { readonly sum: number }).sum;
  }

  async indexOnly(from: number, to: number): Promise<number> {
    const text = "SELECT grp, id FROM t WHERE grp >= $1 AND grp < $2 ORDER BY grp";
    return (await this.#ask("range", text, [from, to])).length;
  }

  async update(from: number, to: number): Promise<void> {
    const ids = Array.from({ length: to - from }, (_, i) => from + i);
    const groups = ids.map((id) => groupOf(id + 1, this.#rows));
    const text =
      "UPDATE t SET grp = u.grp FROM unnest($1::int4[], $2::int4[]) AS u (id, grp) " +
      "WHERE t.id = u.id";
    await this.#ask("update", text, [ids, groups]);
  }

  async remove(from: number, to: number): Promise<void> {
    const ids = Array.from({ length: to - from }, (_, i) => from + i);
    await this.#ask("remove", "DELETE FROM t WHERE id = ANY ($1::int4[])", [ids]);
  }

  async drop(): Promise<void> {
    await this.#pool.query("DROP TABLE t");
  }

  async settle(): Promise<void> {
    await this.#pool.query("VACUUM ANALYZE t");
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #ask(name: string, text: string, values: unknown[]): Promise<readonly unknown[]> {
    return (await this.#pool.query({ name, text, values })).rows;
  }
}
