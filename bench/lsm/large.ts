import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { SeededPrng } from "../../src/base/prng.ts";
import type { Engine } from "../../src/lsm/engine/engine.ts";
import { median } from "../driver.ts";
import { formatTable } from "../report.ts";
import { budgetOf, openEngine } from "./firn.ts";
import { type Goal, showGoals } from "./goals.ts";
import { KEY_BYTES, keyOf, VALUE_BYTES } from "./large-rows.ts";
import { inScratch } from "./scratch.ts";

/** A shard of so many rows: what came of its load, its opens and its look-ups. */
export interface LargeCell {
  readonly rows: number;
  readonly rowsPerSecond: number;
  /** From the end of the load until nothing is left to flush or to compact. */
  readonly restMs: number;
  readonly writeAmplification: number;
  /** Of what the latest manifest refers to. */
  readonly tables: number;
  readonly space: number;
  /** After a close; after the end of a process amid writes, with its log to be replayed. */
  readonly openMs: number;
  readonly replayMs: number;
  readonly replayedBytes: number;
  /** Look-ups a second: all blocks in the cache, any row; the same among neighbours. */
  readonly warmGets: number;
  readonly nearGets: number;
}

const MIB = 1_048_576;
const ROWS: readonly number[] = [1_000_000, 10_000_000];
const SMOKE_ROWS: readonly number[] = [10_000, 100_000];
const BATCH = 1_000;
/** Prime to every number of rows: each key comes once, in no order. */
const STRIDE = 7_368_787;
/** All blocks of the larger shard, and the texts that are made of their restart points. */
const CACHE_BYTES = 3_072 * MIB;
const NEAR_ROWS = 100_000;
const BLOCK_ROWS = 32;
const ROUNDS = 5;
const ROUND_MS = 1_000;
const OPENS = 3;
const POLL_MS = 20;
const MAX_SLOWER = 1.5;
const MAX_OPEN_MS = 300;

/** Grows a shard tenfold, and tells what became slower. Some minutes, most of them the load. */
export async function benchLarge(smoke: boolean): Promise<readonly LargeCell[]> {
  const sizes = smoke ? SMOKE_ROWS : ROWS;
  return await inScratch(async (scratch) => {
    const shards: Shard[] = [];
    for (const rows of sizes) {
      const shard = new Shard(scratch(), rows);
      console.error(`${rows} rows: loading`);
      await shard.load();
      await shard.reopen();
      await shard.warm();
      shards.push(shard);
    }
    // By turns: what else the machine does meets all sizes.
    for (let round = 0; round < ROUNDS; round++) {
      for (const shard of shards) await shard.read(smoke ? ROUND_MS / 20 : ROUND_MS);
    }
    for (const shard of shards) await shard.end();
    const cells = shards.map((shard) => shard.cell());
    show(cells);
    showGoals(largeGoals(cells));
    return cells;
  });
}

class Shard {
  readonly #directory: string;
  readonly #rows: number;
  #random = 5;
  readonly #warmGets: number[] = [];
  readonly #nearGets: number[] = [];
  #engine: Engine | undefined;
  #told: Omit<LargeCell, "warmGets" | "nearGets"> | undefined;

  constructor(directory: string, rows: number) {
    this.#directory = directory;
    this.#rows = rows;
  }

  cell(): LargeCell {
    if (this.#told === undefined) throw new Error("not loaded");
    const [warmGets, nearGets] = [median(this.#warmGets), median(this.#nearGets)];
    return { ...this.#told, warmGets, nearGets };
  }

  async load(): Promise<void> {
    const rows = this.#rows;
    const engine = await this.#open();
    const values = new SeededPrng(11).bytes(65_536 + VALUE_BYTES);
    const startMs = performance.now();
    for (let at = 0; at < rows; at += BATCH) {
      const ops = Array.from({ length: Math.min(BATCH, rows - at) }, (_, i) => {
        const from = ((at + i) * 7) % 65_536;
        const value = values.subarray(from, from + VALUE_BYTES);
        return { op: "put" as const, key: keyOf(((at + i) * STRIDE) % rows), value };
      });
      await engine.write(ops);
    }
    const loadedMs = performance.now();
    await engine.flush();
    while (engine.stats().compaction.debtBytes > 0) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    const { tree, amplification } = engine.stats();
    this.#told = {
      rows,
      rowsPerSecond: (rows * 1_000) / (loadedMs - startMs),
      restMs: performance.now() - loadedMs,
      writeAmplification: amplification.write,
      tables: tree.tables,
      space: tree.fileBytes / (rows * (KEY_BYTES + VALUE_BYTES)),
      openMs: Number.NaN,
      replayMs: Number.NaN,
      replayedBytes: 0,
    };
  }

  /** Opens it again, after closes and after a process that was killed. */
  async reopen(): Promise<void> {
    const opens: number[] = [];
    for (let open = 0; open < OPENS; open++) {
      await this.end();
      const startMs = performance.now();
      await this.#open();
      opens.push(performance.now() - startMs);
    }
    await this.end();
    const child = fileURLToPath(new URL("./large-child.ts", import.meta.url));
    const ran = spawnSync(process.execPath, [child, this.#directory, String(this.#rows)]);
    if (ran.signal !== "SIGKILL") throw new Error(`the writer was not killed: ${ran.stderr}`);
    const startMs = performance.now();
    const engine = await this.#open();
    const replayMs = performance.now() - startMs;
    const replayedBytes = engine.stats().memtables.bytes;
    await engine.compact();
    if (this.#told === undefined) throw new Error("not loaded");
    this.#told = { ...this.#told, openMs: median(opens), replayMs, replayedBytes };
  }

  async warm(): Promise<void> {
    for (let row = 0; row < this.#rows; row += BLOCK_ROWS) await this.#get(row);
  }

  async read(mostMs: number): Promise<void> {
    const rows = this.#rows;
    const from = this.#below(Math.max(1, rows - NEAR_ROWS));
    const near = Math.min(rows, NEAR_ROWS);
    this.#warmGets.push(await this.#rate(mostMs, () => this.#below(rows)));
    this.#nearGets.push(await this.#rate(mostMs, () => from + this.#below(near)));
  }

  async end(): Promise<void> {
    await this.#engine?.close();
    this.#engine = undefined;
  }

  /** By Marsaglia's xorshift: a better one would take longer than what is measured. */
  #below(bound: number): number {
    this.#random ^= this.#random << 13;
    this.#random ^= this.#random >>> 17;
    this.#random ^= this.#random << 5;
    return (this.#random >>> 0) % bound;
  }

  async #rate(mostMs: number, row: () => number): Promise<number> {
    const startMs = performance.now();
    let done = 0;
    for (; done % 256 > 0 || performance.now() - startMs < mostMs; done++) await this.#get(row());
    return (done * 1_000) / (performance.now() - startMs);
  }

  async #get(row: number): Promise<void> {
    const value = await this.#engine?.get(keyOf(row));
    if (value === undefined) throw new Error(`row ${row} is missing`);
  }

  async #open(): Promise<Engine> {
    const budget = budgetOf(CACHE_BYTES);
    this.#engine = await openEngine(this.#directory, { durable: false, budget });
    return this.#engine;
  }
}

/** @param cells by rows, ascending. */
export function largeGoals(cells: readonly LargeCell[]): readonly Goal[] {
  const [small, large] = [cells[0], cells.at(-1)];
  if (small === undefined || large === undefined) return [];
  const slower = (of: (cell: LargeCell) => number, what: string): Goal => {
    const ratio = of(small) / of(large);
    return {
      goal: `${what}: <= ${MAX_SLOWER}x slower`,
      worst: `${ratio.toFixed(2)}x from ${small.rows} to ${large.rows} rows`,
      met: ratio <= MAX_SLOWER,
    };
  };
  const opens = (of: (cell: LargeCell) => number, what: string): Goal => {
    const worst = Math.max(...cells.map(of));
    const met = worst <= MAX_OPEN_MS;
    return { goal: `${what}: <= ${MAX_OPEN_MS} ms`, worst: `${worst.toFixed(0)} ms`, met };
  };
  return [
    slower((cell) => cell.warmGets, "warm get"),
    slower((cell) => cell.nearGets, "warm get among neighbours"),
    opens((cell) => cell.openMs, "open"),
    opens((cell) => cell.replayMs, "open after a kill, a memtable to be replayed"),
  ];
}

function show(cells: readonly LargeCell[]): void {
  const names = ["rows", "load k rows/s", "to rest s", "write amp.", "tables", "space"];
  const header = [...names, "open ms", "replay MB", "in ms", "warm get k/s", "neighbours k/s"];
  const rows = cells.map((cell) => [
    String(cell.rows),
    (cell.rowsPerSecond / 1_000).toFixed(0),
    (cell.restMs / 1_000).toFixed(1),
    cell.writeAmplification.toFixed(2),
    String(cell.tables),
    cell.space.toFixed(2),
    cell.openMs.toFixed(0),
    (cell.replayedBytes / MIB).toFixed(0),
    cell.replayMs.toFixed(0),
    (cell.warmGets / 1_000).toFixed(0),
    (cell.nearGets / 1_000).toFixed(0),
  ]);
  console.log(formatTable(header, rows));
}
