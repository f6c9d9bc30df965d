import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { SeededPrng } from "../src/base/prng.ts";
import { median } from "./driver.ts";
import { type Figures, Rounds, showFigures } from "./lsm/figures.ts";
import { formatTable } from "./report.ts";
import { benchRow } from "./rows/rows.ts";
import { copyIn } from "./sql/copy.ts";
import { type SqlServer, startFirn, startPeer } from "./sql/servers.ts";

/*
 * SQL over PostgreSQL's protocol beside PostgreSQL 15: the same driver, the same statements, turns
 * in each round, every commit durable.
 */

export interface SqlOptions {
  readonly smoke: boolean;
  readonly rows?: number;
  readonly rounds?: number;
  /** Only the peers of these names; none but Firn where it is empty. */
  readonly peers?: readonly string[];
  /** Writes a CPU profile of Firn's server into this folder. */
  readonly profileTo?: string;
}

export interface SqlFigures {
  readonly rows: number;
  readonly rounds: number;
  readonly load: readonly [before: number, after: number];
  readonly rates: Figures["rates"];
  /** Milliseconds of one statement, by server: medians. */
  readonly ms: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** CPU of the server's processes for one operation or statement, microseconds: medians. */
  readonly cpuMicros: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly missing: readonly string[];
}

const ROWS = 1_000_000;
const SMOKE_ROWS = 3_000;
const ROUNDS = 3;
const KINDS = 1_000;
const CHUNK_ROWS = 1_000;
const LIMIT_MS = 3_000;
const SMOKE_LIMIT_MS = 100;
const NAME = "PostgreSQL 15";

/** Statements over all rows, one at a time. */
const STATEMENTS: readonly (readonly [name: string, text: string, rows: number])[] = [
  ["five aggregates", "SELECT count(*), sum(qty), avg(amount), min(ts), max(ts) FROM bench.t", 1],
  ["group by 1,000", "SELECT grp, count(*), sum(qty) FROM bench.t GROUP BY grp", KINDS],
  ["top 10", "SELECT * FROM bench.t ORDER BY amount DESC, id LIMIT 10", 10],
  [
    "join with 1,000 rows",
    "SELECT k.label, sum(t.qty) FROM bench.t AS t JOIN bench.k AS k ON k.grp = t.grp " +
      "GROUP BY k.label",
    10,
  ],
];

/** Measures and prints. */
export async function benchSql(options: SqlOptions): Promise<SqlFigures> {
  const { smoke, rows = smoke ? SMOKE_ROWS : ROWS, rounds = smoke ? 1 : ROUNDS } = options;
  const scratch = mkdtempSync(join(tmpdir(), "firn-bench-sql-"));
  const { profileTo } = options;
  const flags = profileTo === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profileTo}`];
  const servers: SqlServer[] = [await startFirn(scratch, flags)];
  const before = loadavg()[0] ?? 0;
  const [rates, ms, cpu] = [new Rounds(), new Rounds(), new Rounds()];
  const wantsPeer = options.peers?.includes(NAME) ?? true;
  try {
    const peer = wantsPeer ? await startPeer() : undefined;
    if (peer !== undefined) servers.push(peer);
    for (const one of servers) console.log(`${one.name}: ${one.options}`);
    for (let round = 0; round < rounds; round++) {
      for (const server of servers) {
        const turn = new Turn(server, rows, smoke ? SMOKE_LIMIT_MS : LIMIT_MS);
        await turn.run();
        rates.add(server.name, turn.rates);
        ms.add(server.name, turn.ms);
        cpu.add(server.name, turn.cpuMicros);
        console.error(`round ${round + 1} of ${rounds}: ${server.name}`);
      }
    }
  } finally {
    for (const server of servers) await server.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
  const figures: SqlFigures = {
    rows,
    rounds,
    load: [before, loadavg()[0] ?? 0],
    rates: rates.medians(),
    ms: ms.medians(),
    cpuMicros: cpu.medians(),
    missing: wantsPeer && servers.length === 1 ? [NAME] : [],
  };
  print(figures);
  return figures;
}

export function sqlCells({ rates, ms, missing }: SqlFigures): { cells: number; failed: number } {
  const all = [...Object.values(rates), ...Object.values(ms)].flatMap(Object.values<number>);
  const ours = Object.keys(rates["firn"] ?? {}).length + Object.keys(ms["firn"] ?? {}).length;
  const lacking = missing.length * ours;
  return { cells: all.length + lacking, failed: all.filter((n) => !(n > 0)).length + lacking };
}

/** One server's turn. */
class Turn {
  readonly rates: Map<string, number> = new Map();
  readonly ms: Map<string, number> = new Map();
  readonly cpuMicros: Map<string, number> = new Map();
  readonly #server: SqlServer;
  readonly #rows: number;
  readonly #limitMs: number;

  constructor(server: SqlServer, rows: number, limitMs: number) {
    this.#server = server;
    this.#rows = rows;
    this.#limitMs = limitMs;
  }

  async run(): Promise<void> {
    await this.#with(16, async (clients) => {
      const [first] = clients as [pg.Client];
      await first.query("CREATE SCHEMA IF NOT EXISTS bench");
      await first.query(
        "CREATE TABLE bench.t (id int PRIMARY KEY, grp int NOT NULL, kind text, ts timestamptz, " +
          "amount float8, qty int, note text, flag bool)",
      );
      await first.query("CREATE TABLE bench.k (grp int PRIMARY KEY, label text)");
      const fill =
        "INSERT INTO bench.k SELECT i, 'label ' || i % 10 FROM generate_series(0, 999) i";
      await first.query(fill);
      await this.#rate("COPY in, rows", async () => {
        await copyIn(first, "COPY bench.t FROM STDIN", copyText(this.#rows));
        return this.#rows;
      });
      await this.#points(clients.slice(0, 8));
      await this.#inserts(clients);
      if (this.#server.name !== "firn") await first.query("VACUUM ANALYZE bench.t");
      await this.#statements(first);
      const from = performance.now();
      await first.query("DROP TABLE bench.t");
      this.ms.set("DROP TABLE", performance.now() - from);
      await first.query("DROP TABLE bench.k");
    });
  }

  /** Point SELECTs of a prepared statement. */
  async #points(clients: readonly pg.Client[]): Promise<void> {
    const prng = new SeededPrng(5);
    const text = "SELECT * FROM bench.t WHERE id = $1";
    const point = async (client: pg.Client): Promise<void> => {
      const values = [prng.uint32() % this.#rows];
      const { rows } = await client.query({ name: "point", text, values });
      if (rows.length !== 1) throw new Error("a row is missing");
    };
    await this.#many("point SELECT, prepared, 8 connections", clients, point);
    const simple = async (client: pg.Client): Promise<void> => {
      const id = prng.uint32() % this.#rows;
      await client.query(`SELECT * FROM bench.t WHERE id = ${id}`);
    };
    await this.#many("point SELECT, text, 8 connections", clients, simple);
  }

  async #inserts(clients: readonly pg.Client[]): Promise<void> {
    let next = this.#rows;
    const text = "INSERT INTO bench.t VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    await this.#many("durable INSERT of one row, 16 connections", clients, async (client) => {
      const id = next++;
      const { grp, kind, ts, amount, qty, note, flag } = benchRow(id, KINDS * 10);
      const values = [id, grp, kind, new Date(ts), amount, qty, note, flag];
      await client.query({ name: "insert", text, values });
    });
    const from = performance.now();
    await clients[0]?.query(`DELETE FROM bench.t WHERE id >= ${this.#rows}`);
    this.ms.set("DELETE of those rows", performance.now() - from);
  }

  async #statements(client: pg.Client): Promise<void> {
    const rows = this.#rows;
    await this.#repeat("full scan to the client, rows", async () => {
      const found = await client.query({ text: "SELECT * FROM bench.t", rowMode: "array" });
      if (found.rows.length !== rows) throw new Error(`${found.rows.length} rows`);
      return rows;
    });
    for (const [name, text, expected] of STATEMENTS) {
      const times: number[] = [];
      const cpu = this.#server.cpuMs();
      const until = performance.now() + this.#limitMs;
      do {
        const from = performance.now();
        const found = await client.query(text);
        times.push(performance.now() - from);
        if (found.rows.length !== Math.min(expected, rows)) {
          throw new Error(`${name}: ${found.rows.length} rows`);
        }
      } while (performance.now() < until);
      this.ms.set(name, median(times));
      this.cpuMicros.set(name, ((this.#server.cpuMs() - cpu) * 1_000) / times.length);
    }
  }

  /** Each client sends one after the other, until the time is over. */
  async #many(
    name: string,
    clients: readonly pg.Client[],
    work: (client: pg.Client) => Promise<void>,
  ): Promise<void> {
    for (const client of clients) await work(client);
    await this.#rate(name, async () => {
      let done = 0;
      const until = performance.now() + this.#limitMs;
      const one = async (client: pg.Client): Promise<void> => {
        for (; performance.now() < until; done++) await work(client);
      };
      await Promise.all(clients.map(one));
      return done;
    });
  }

  async #repeat(name: string, work: () => Promise<number>): Promise<void> {
    await this.#rate(name, async () => {
      let done = 0;
      const until = performance.now() + this.#limitMs;
      do done += await work();
      while (performance.now() < until);
      return done;
    });
  }

  async #rate(name: string, work: () => Promise<number>): Promise<void> {
    const [from, cpu] = [performance.now(), this.#server.cpuMs()];
    const count = await work();
    this.rates.set(name, (count * 1_000) / (performance.now() - from));
    this.cpuMicros.set(name, ((this.#server.cpuMs() - cpu) * 1_000) / count);
  }

  async #with(
    count: number,
    work: (clients: readonly pg.Client[]) => Promise<void>,
  ): Promise<void> {
    const clients = Array.from({ length: count }, () => new pg.Client(this.#server.connection));
    try {
      for (const client of clients) await client.connect();
      await work(clients);
    } finally {
      for (const client of clients) await client.end().catch(() => undefined);
    }
  }
}

function* copyText(rows: number): Generator<Buffer> {
  for (let from = 0; from < rows; from += CHUNK_ROWS) {
    const lines: string[] = [];
    for (let id = from; id < Math.min(rows, from + CHUNK_ROWS); id++) {
      const { grp, kind, ts, amount, qty, note, flag } = benchRow(id, KINDS * 10);
      const at = new Date(ts).toISOString();
      lines.push([id, grp, kind, at, amount, qty, note, flag].join("\t"));
    }
    yield Buffer.from(`${lines.join("\n")}\n`);
  }
}

function print({ rows, rounds, rates, ms, cpuMicros, load, missing }: SqlFigures): void {
  const size = { keyBytes: 0, valueBytes: 0, rows };
  const title = `${rows} rows of 8 columns, by the driver pg; medians of ${rounds} rounds`;
  console.log(showFigures({ title, size, rates }, missing));
  const names = Object.keys(ms);
  const header = ["statement, ms", ...names, "PostgreSQL / firn"];
  const lines = Object.entries(ms["firn"] ?? {}).map(([name, ours]) => {
    const ratio = (ms[NAME]?.[name] ?? Number.NaN) / ours;
    return [name, ...names.map((who) => (ms[who]?.[name] ?? 0).toFixed(1)), ratio.toFixed(2)];
  });
  console.log(`\n${formatTable(header, lines)}`);
  const cpu = Object.entries(cpuMicros["firn"] ?? {}).map(([name, ours]) => [
    name,
    ...names.map((who) => (who === "firn" ? ours : (cpuMicros[who]?.[name] ?? 0)).toFixed(1)),
  ]);
  console.log(`\n${formatTable(["server CPU an operation, us", ...names], cpu)}`);
  console.log(
    `\nload of the machine: ${load.map((one) => one.toFixed(1)).join(" before, ")} after`,
  );
}
