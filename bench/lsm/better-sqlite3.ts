import { join } from "node:path";
import {
  type Contender,
  type Database,
  type Dataset,
  type Durability,
  SUMMED_BYTE,
} from "./contender.ts";
import { loadPeer } from "./peers.ts";

export interface Statement {
  run(...values: unknown[]): unknown;
  get(...values: unknown[]): unknown;
  iterate(...values: unknown[]): Iterable<unknown>;
  raw(): Statement;
  pluck(): Statement;
}
export interface Sqlite {
  pragma(text: string): unknown;
  exec(text: string): unknown;
  prepare(text: string): Statement;
  transaction(work: (...args: number[]) => void): (...args: number[]) => void;
  close(): void;
}
export interface Package {
  readonly default: new (path: string) => Sqlite;
}

/** SQLite, in C: one table without row ids. */
export async function betterSqlite3(): Promise<Contender | undefined> {
  const loaded = await loadPeer<Package>("better-sqlite3");
  if (loaded === undefined) return undefined;
  return {
    name: "better-sqlite3",
    options: (durability) =>
      `WAL, synchronous ${modeOf(durability)}, cache 256 MiB, WITHOUT ROWID; a transaction a batch`,
    async open(directory, durability) {
      const db = new loaded.default(join(directory, "db"));
      db.pragma("journal_mode = WAL");
      db.pragma(`synchronous = ${modeOf(durability)}`);
      db.pragma("cache_size = -262144");
      db.exec("CREATE TABLE kv (k BLOB PRIMARY KEY, v BLOB) WITHOUT ROWID");
      return new SqliteDatabase(db);
    },
  };
}

function modeOf(durability: Durability): string {
  return durability === "none" ? "OFF" : "FULL";
}

class SqliteDatabase implements Database {
  readonly #db: Sqlite;
  readonly #put: Statement;
  readonly #remove: Statement;
  readonly #removeRange: Statement;
  readonly #get: Statement;
  readonly #sum: Statement;
  readonly #keys: Statement;

  constructor(db: Sqlite) {
    this.#db = db;
    this.#put = db.prepare("INSERT OR REPLACE INTO kv VALUES (?, ?)");
    this.#remove = db.prepare("DELETE FROM kv WHERE k = ?");
    this.#removeRange = db.prepare("DELETE FROM kv WHERE k >= ? AND k < ?");
    // It tells nothing else of one byte of a blob as a number.
    const byte = `length(substr(v, ${SUMMED_BYTE + 1}, 1))`;
    this.#sum = db.prepare(`SELECT count(*), sum(${byte}) FROM kv`).raw();
    this.#keys = db.prepare("SELECT k FROM kv ORDER BY k").pluck();
    this.#get = db.prepare("SELECT v FROM kv WHERE k = ?").pluck();
  }

  put(data: Dataset, from: number, to: number): unknown {
    return this.#db.transaction(() => {
      for (let i = from; i < to; i++) this.#put.run(data.key(i), data.value(i));
    })();
  }

  remove(data: Dataset, from: number, to: number): unknown {
    return this.#db.transaction(() => {
      for (let i = from; i < to; i++) this.#remove.run(data.key(i));
    })();
  }

  removeRange(from: Uint8Array, to: Uint8Array): unknown {
    return this.#removeRange.run(from, to);
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.#get.get(key) as Uint8Array | undefined;
  }

  scan(from: Uint8Array | undefined, limit: number, reverse: boolean): number {
    const where = from === undefined ? "" : `WHERE k ${reverse ? "<" : ">="} ?`;
    const order = `ORDER BY k ${reverse ? "DESC" : "ASC"}`;
    const most = limit === Number.POSITIVE_INFINITY ? "" : `LIMIT ${limit}`;
    const statement = this.#db.prepare(`SELECT k, v FROM kv ${where} ${order} ${most}`).raw();
    let count = 0;
    for (const row of statement.iterate(...(from === undefined ? [] : [from]))) {
      if (row !== undefined) count++;
    }
    return count;
  }

  getMany(keys: readonly Uint8Array[]): unknown {
    return keys.map((key) => this.#get.get(key));
  }

  sum(): number {
    const [count, bytes] = this.#sum.get() as readonly number[];
    return bytes === count ? (count as number) : 0;
  }

  keys(): number {
    let count = 0;
    for (const key of this.#keys.iterate()) if (key !== undefined) count++;
    return count;
  }

  async settle(): Promise<void> {}

  async close(): Promise<void> {
    this.#db.close();
  }
}
