import { join } from "node:path";
import type { Package, Sqlite, Statement } from "../lsm/better-sqlite3.ts";
import { loadPeer } from "../lsm/peers.ts";
import type { RowsContender, RowsDatabase } from "./contender.ts";
import { benchRow, COLUMNS, groupOf } from "./rows.ts";

/** SQLite, in C. Undefined where it is missing. */
export async function sqliteRows(): Promise<RowsContender | undefined> {
  const loaded = await loadPeer<Package>("better-sqlite3");
  if (loaded === undefined) return undefined;
  return {
    name: "better-sqlite3",
    options: "WAL, synchronous FULL, cache 256 MiB",
    hasCallers: false,
    async open(directory, rows) {
      const db = new loaded.default(join(directory, "db"));
      db.pragma("journal_mode = WAL");
      db.pragma("synchronous = FULL");
      db.pragma("cache_size = -262144");
      db.exec(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, grp INTEGER, kind TEXT, ts REAL, " +
          "amount REAL, qty INTEGER, note TEXT, flag INTEGER)",
      );
      db.exec("CREATE INDEX by_grp ON t (grp)");
      return new SqliteRows(db, rows);
    },
    stop: async () => undefined,
  };
}

class SqliteRows implements RowsDatabase {
  readonly #db: Sqlite;
  readonly #rows: number;
  readonly #made: Readonly<Record<"insert" | "get" | "byIndex" | "update" | "remove", Statement>>;

  constructor(db: Sqlite, rows: number) {
    this.#db = db;
    this.#rows = rows;
    this.#made = {
      insert: db.prepare(`INSERT INTO t VALUES (${COLUMNS.map(() => "?").join(", ")})`),
      get: db.prepare("SELECT * FROM t WHERE id = ?"),
      byIndex: db.prepare("SELECT * FROM t WHERE grp = ?"),
      update: db.prepare("UPDATE t SET grp = ? WHERE id = ?"),
      remove: db.prepare("DELETE FROM t WHERE id = ?"),
    };
  }

  insert(from: number, to: number): unknown {
    return this.#each(from, to, (id) => {
      const row = benchRow(id, this.#rows);
      const { grp, kind, ts, amount, qty, note, flag } = row;
      this.#made.insert.run(id, grp, kind, ts, amount, qty, note, flag ? 1 : 0);
    });
  }

  get(id: number): unknown {
    return this.#made.get.get(id);
  }

  byIndex(group: number): number {
    return count(this.#made.byIndex.iterate(group));
  }

  scan(): number {
    return count(this.#db.prepare("SELECT * FROM t").iterate());
  }

  sum(): number {
    return this.#db.prepare("SELECT sum(qty) FROM t").pluck().get() as number;
  }

  indexOnly(from: number, to: number): number {
    const text = "SELECT grp, id FROM t WHERE grp >= ? AND grp < ? ORDER BY grp";
    return count(this.#db.prepare(text).iterate(from, to));
  }

  update(from: number, to: number): unknown {
    return this.#each(from, to, (id) => this.#made.update.run(groupOf(id + 1, this.#rows), id));
  }

  remove(from: number, to: number): unknown {
    return this.#each(from, to, (id) => this.#made.remove.run(id));
  }

  drop(): unknown {
    return this.#db.exec("DROP TABLE t");
  }

  async settle(): Promise<void> {}

  async close(): Promise<void> {
    this.#db.close();
  }

  #each(from: number, to: number, work: (id: number) => unknown): unknown {
    return this.#db.transaction(() => {
      for (let id = from; id < to; id++) work(id);
    })();
  }
}

function count(rows: Iterable<unknown>): number {
  let found = 0;
  for (const row of rows) if (row !== undefined) found++;
  return found;
}
