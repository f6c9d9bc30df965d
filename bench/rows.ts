import { loadavg } from "node:os";
import { SeededPrng } from "../src/base/prng.ts";
import { median } from "./driver.ts";
import { type Figures, Rounds, showFigures } from "./lsm/figures.ts";
import { installPeers } from "./lsm/peers.ts";
import { inScratch } from "./lsm/scratch.ts";
import type { RowsContender, RowsDatabase } from "./rows/contender.ts";
import { firnRows } from "./rows/firn.ts";
import { postgresRows } from "./rows/postgres.ts";
import { GROUP_ROWS, groupsOf, inSteps } from "./rows/rows.ts";
import { sqliteRows } from "./rows/sqlite.ts";

/*
 * Row tables beside SQLite and PostgreSQL: 8 columns, one secondary index, every write durable.
 * Each contender takes its turn in each round; rates are medians of the rounds.
 */

export interface RowsOptions {
  readonly smoke: boolean;
  readonly rows?: number;
  readonly rounds?: number;
  /** Only contenders of these names. */
  readonly peers?: readonly string[];
}

export interface RowsFigures {
  readonly rows: number;
  readonly rounds: number;
  /** Of the machine: before, and behind the last round. */
  readonly load: readonly [before: number, after: number];
  readonly rates: Figures["rates"];
  /** Milliseconds of a drop of the whole table: medians. */
  readonly dropMs: Readonly<Record<string, number>>;
  /** CPU of this process a row or operation, where Firn runs, in microseconds: medians. */
  readonly cpuMicros: Readonly<Record<string, number>>;
  readonly missing: readonly string[];
}

const ROWS = 1_000_000;
const SMOKE_ROWS = 3_000;
const ROUNDS = 3;
const BATCH = 1_000;
const RANGE_ROWS = 10_000;
const LIMIT_MS = 2_000;
const SMOKE_LIMIT_MS = 50;
const WARM_SHARE = 1 / 4;

/** Measures and prints. A contender that is missing is said to be. */
export async function benchRows(options: RowsOptions): Promise<RowsFigures> {
  const { smoke, rows = smoke ? SMOKE_ROWS : ROWS, rounds = smoke ? 1 : ROUNDS } = options;
  const wants = (name: string): boolean =>
    name === firnRows.name || (options.peers?.includes(name) ?? true);
  installPeers();
  const peers = [
    ["better-sqlite3", sqliteRows],
    ["PostgreSQL 15", postgresRows],
  ] as const;
  const contenders: RowsContender[] = [firnRows];
  const missing: string[] = [];
  for (const [name, load] of peers) {
    if (!wants(name)) continue;
    const found = await load();
    if (found === undefined) missing.push(name);
    else contenders.push(found);
  }
  for (const one of contenders) console.log(`${one.name}: ${one.options}`);
  const before = loadavg()[0] ?? 0;
  const [rates, cpu] = [new Rounds(), new Rounds()];
  const drops = new Map<string, number[]>();
  try {
    for (let round = 0; round < rounds; round++) {
      for (const one of contenders) {
        const measure = new Measure(rows, smoke ? SMOKE_LIMIT_MS : LIMIT_MS);
        await inScratch(async (scratch) => measure.run(one, await one.open(scratch(), rows)));
        rates.add(one.name, measure.rates);
        cpu.add(one.name, measure.cpuMicros);
        drops.set(one.name, [...(drops.get(one.name) ?? []), measure.dropMs]);
        console.error(`round ${round + 1} of ${rounds}: ${one.name}`);
      }
    }
  } finally {
    for (const one of contenders) await one.stop();
  }
  const figures: RowsFigures = {
    rows,
    rounds,
    load: [before, loadavg()[0] ?? 0],
    rates: rates.medians(),
    dropMs: Object.fromEntries([...drops].map(([name, list]) => [name, median(list)])),
    cpuMicros: cpu.medians()[firnRows.name] ?? {},
    missing,
  };
  print(figures);
  return figures;
}

/** A cell for each workload of each contender; one that is missing has failed. */
export function rowsCells({ rates, missing }: RowsFigures): { cells: number; failed: number } {
  const all = Object.values(rates).flatMap(Object.values<number>);
  const lacking = missing.length * Object.keys(rates[firnRows.name] ?? {}).length;
  const failed = all.filter((rate) => !(rate > 0)).length + lacking;
  return { cells: all.length + lacking, failed };
}

/** One contender's turn. */
class Measure {
  readonly rates: Map<string, number> = new Map();
  readonly cpuMicros: Map<string, number> = new Map();
  dropMs = Number.NaN;
  readonly #rows: number;
  readonly #limitMs: number;

  constructor(rows: number, limitMs: number) {
    this.#rows = rows;
    this.#limitMs = limitMs;
  }

  async run({ hasCallers }: RowsContender, db: RowsDatabase): Promise<void> {
    try {
      const rows = this.#rows;
      const bulk = Math.floor(rows * 0.9);
      await this.#time("insert, 1,000 a transaction", async () => {
        await inSteps(bulk, BATCH, (from, to) => db.insert(from, to));
        return bulk;
      });
      let next = await this.#singles("1 caller", db, 1, bulk);
      if (hasCallers) {
        next = await this.#singles("16 callers", db, 16, next);
        next = await this.#singles("128 callers", db, 128, next);
      }
      await inSteps(rows - next, BATCH, (from, to) => db.insert(next + from, next + to));
      await db.settle();
      await this.#reads(db);
      await this.#changes(db);
      const from = performance.now();
      await db.drop();
      this.dropMs = performance.now() - from;
    } finally {
      await db.close();
    }
  }

  async #reads(db: RowsDatabase): Promise<void> {
    const rows = this.#rows;
    const prng = new SeededPrng(11);
    const below = (bound: number): number => prng.uint32() % bound;
    await this.#repeat("point read by key", async () => {
      if ((await db.get(below(rows))) === undefined) throw new Error("a row is missing");
      return 1;
    });
    const groups = groupsOf(rows);
    await this.#repeat("10 rows by index", async () => {
      const found = await db.byIndex(below(groups));
      if (found < GROUP_ROWS) throw new Error(`${found} rows of a group`);
      return 1;
    });
    const expect = (found: number): number => {
      if (found !== rows) throw new Error(`a scan found ${found} of ${rows} rows`);
      return found;
    };
    await this.#repeat("full scan to objects, rows", async () => expect(await db.scan()));
    await this.#repeat("sum of a column, rows", async () => ((await db.sum()) > 0 ? rows : 0));
    const range = Math.min(groups, RANGE_ROWS / GROUP_ROWS);
    await this.#repeat("index-only range of 10,000, rows", async () => {
      const from = below(groups - range + 1);
      return await db.indexOnly(from, from + range);
    });
  }

  async #changes(db: RowsDatabase): Promise<void> {
    const half = Math.floor(this.#rows / 2);
    await this.#time("update of the indexed column, 1,000 a transaction", async () => {
      await inSteps(half, BATCH, (from, to) => db.update(from, to));
      return half;
    });
    await this.#time("delete, 1,000 a transaction", async () => {
      await inSteps(half, BATCH, (from, to) => db.remove(from, to));
      return half;
    });
  }

  /** Durable inserts of one row, by callers that each wait for their own. */
  async #singles(name: string, db: RowsDatabase, callers: number, first: number): Promise<number> {
    const last = Math.min(this.#rows, first + Math.floor(this.#rows * 0.02));
    let next = first;
    await this.#time(`durable insert of one row, ${name}`, async () => {
      const caller = async (): Promise<void> => {
        while (next < last) {
          const id = next++;
          await db.insert(id, id + 1);
        }
      };
      await Promise.all(Array.from({ length: callers }, caller));
      return last - first;
    });
    return last;
  }

  async #repeat(name: string, work: () => Promise<number>): Promise<void> {
    // Before, as code that runs often is compiled, and what is read often lies in memory: by
    // CPU time, of which a busy machine gives little.
    const warm = this.#limitMs * WARM_SHARE * 1_000;
    const until = performance.now() + 2 * this.#limitMs;
    const from = process.cpuUsage();
    do await work();
    while (performance.now() < until && cpuSince(from) < warm);
    await this.#time(name, async () => {
      let done = 0;
      const until = performance.now() + this.#limitMs;
      do done += await work();
      while (performance.now() < until);
      return done;
    });
  }

  async #time(name: string, work: () => Promise<number>): Promise<void> {
    const [from, cpu] = [performance.now(), process.cpuUsage()];
    const count = await work();
    const used = cpuSince(cpu);
    this.rates.set(name, (count * 1_000) / (performance.now() - from));
    this.cpuMicros.set(name, used / count);
  }
}

/** Microseconds of this process. */
function cpuSince(from: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(from);
  return user + system;
}

function print({ rows, rounds, rates, dropMs, cpuMicros, load, missing }: RowsFigures): void {
  const size = { keyBytes: 0, valueBytes: 0, rows };
  const title = `${rows} rows of 8 columns, one secondary index; medians of ${rounds} rounds`;
  console.log(showFigures({ title, size, rates }, missing));
  const drops = Object.entries(dropMs).map(([name, ms]) => `${name} ${ms.toFixed(1)}`);
  console.log(`\ndrop of the table, ms: ${drops.join(", ")}`);
  console.log(`load of the machine: ${load.map((one) => one.toFixed(1)).join(" before, ")} after`);
  const cpu = Object.entries(cpuMicros).map(([name, us]) => `  ${name}: ${us.toFixed(1)}`);
  console.log(`CPU of Firn's process a row or operation, us:\n${cpu.join("\n")}`);
}
