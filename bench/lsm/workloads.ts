import { type Prng, randomBelow, SeededPrng } from "../../src/base/prng.ts";
import type { Contender, Database, Dataset } from "./contender.ts";

export interface Size {
  readonly keyBytes: number;
  readonly valueBytes: number;
  readonly rows: number;
}

/** Operations (rows, where a workload is of rows) a second, by workload. */
export type Rates = ReadonlyMap<string, number>;

/** What one round of the workloads without syncs told. */
export interface Run {
  readonly rates: Rates;
  /** The most memory beyond what the process had before. */
  readonly rssBytes: number;
  readonly amplification?: { readonly write: number; readonly space: number };
}

const SEED = 20_261_121;

export const CALLERS: readonly number[] = [1, 16, 128];

/** Directories of their own, made and removed by whoever runs the bench. */
export type Scratch = () => string;

export interface Data {
  /** A workload that takes longer ends after this; its rate is of what was done by then. */
  readonly mostMs: number;
  readonly sequential: Dataset;
  readonly random: Dataset;
  readonly absent: readonly Uint8Array[];
}

export function makeData({ keyBytes, valueBytes, rows }: Size, mostMs: number): Data {
  const prng = new SeededPrng(SEED);
  const keys: Uint8Array[] = [];
  const values: Uint8Array[] = [];
  const pool = Buffer.from(prng.bytes(valueBytes + 4_096));
  for (let i = 0; i < rows; i++) {
    keys.push(Buffer.from(String(2 * i).padStart(keyBytes, "0")));
    const at = randomBelow(prng, 4_096);
    values.push(Buffer.from(pool.subarray(at, at + valueBytes)));
  }
  const order = shuffled(rows, prng);
  const pick = (list: readonly Uint8Array[]) => order.map((i) => list[i] as Uint8Array);
  const absent = order.map((i) => Buffer.from(String(2 * i + 1).padStart(keyBytes, "0")));
  return {
    mostMs,
    sequential: { keys, values },
    random: { keys: pick(keys), values: pick(values) },
    absent,
  };
}

function shuffled(count: number, prng: Prng): readonly number[] {
  const order = Array.from({ length: count }, (_, i) => i);
  for (let i = count - 1; i > 0; i--) {
    const j = randomBelow(prng, i + 1);
    [order[i], order[j]] = [order[j] as number, order[i] as number];
  }
  return order;
}

/** Every workload of one contender without syncs, in an order that keeps what later ones read. */
export async function measure(contender: Contender, data: Data, scratch: Scratch): Promise<Run> {
  const rates = new Map<string, number>();
  const rows = data.random.keys.length;
  const memory = new MemoryWatch();
  const fresh = async (name: string, source: Dataset, batch: number): Promise<void> => {
    const db = await contender.open(scratch(), "none");
    rates.set(name, await fill(db, source, batch, data.mostMs));
    await db.close();
  };
  await fresh("fillseq, batch 1000", data.sequential, 1_000);
  await fresh("fillrandom, batch 1", data.random, 1);
  await fresh("fillrandom, batch 100", data.random, 100);
  const db = await contender.open(scratch(), "none");
  rates.set(
    "fillrandom, batch 1000",
    await fill(db, data.random, 1_000, data.mostMs, () => memory.look()),
  );
  await db.settle();
  await readRates(db, data, rates);
  rates.set("full scan, rows", await scanAll(db, rows, false));
  rates.set("full scan backward, rows", await scanAll(db, rows, true));
  for (const count of [10, 100]) {
    rates.set(`seek + next ${count}`, await seeks(db, data.random.keys, count, data.mostMs));
  }
  memory.look();
  rates.set("mixed 50/50, 1 caller", await mixed(db, data.random, data.mostMs));
  const amplification = db.amplification?.();
  rates.set("delete random, batch 1000", await remove(db, data.random));
  await db.close();
  return { rates, rssBytes: memory.mostBytes, ...(amplification && { amplification }) };
}

/** Writes that are answered once they are synced; each ends after a while. */
export async function measureSynced(
  contender: Contender,
  data: Data,
  scratch: Scratch,
): Promise<Rates> {
  const rates = new Map<string, number>();
  const run = async (name: string, batch: number, callers: number): Promise<void> => {
    const db = await contender.open(scratch(), "group");
    rates.set(name, await fillTogether(db, data, batch, callers));
    await db.close();
  };
  for (const callers of CALLERS) await run(`put, ${callersText(callers)}`, 1, callers);
  await run("fillrandom, batch 100", 100, 1);
  await run("fillrandom, batch 1000", 1_000, 1);
  return rates;
}

function callersText(callers: number): string {
  return callers === 1 ? "1 caller" : `${callers} callers`;
}

/** The most memory of the process beyond what it had at first, as far as it is looked at. */
class MemoryWatch {
  readonly #atFirst = process.memoryUsage.rss();
  mostBytes = 0;

  look(): void {
    this.mostBytes = Math.max(this.mostBytes, process.memoryUsage.rss() - this.#atFirst);
  }
}

/** Callers that take turns; each waits for its own batch. */
async function fillTogether(
  db: Database,
  { random, mostMs }: Data,
  batch: number,
  callers: number,
): Promise<number> {
  const rows = random.keys.length;
  const startMs = performance.now();
  let next = 0;
  let done = 0;
  const caller = async (): Promise<void> => {
    while (next < rows && performance.now() - startMs < mostMs) {
      const from = next;
      next = Math.min(rows, from + batch);
      const count = next - from;
      await db.put(random, from, from + count);
      done += count;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return (done * 1_000) / (performance.now() - startMs);
}

async function readRates(db: Database, data: Data, rates: Map<string, number>): Promise<void> {
  const { keys } = data.random;
  const { mostMs } = data;
  await reads(db, keys.toSorted(Buffer.compare), 1, true, mostMs);
  for (const callers of CALLERS) {
    rates.set(`get hit, ${callersText(callers)}`, await reads(db, keys, callers, true, mostMs));
  }
  rates.set("get miss, 1 caller", await reads(db, data.absent, 1, false, mostMs));
}

/** All of it, whatever it takes: later workloads read it. Small batches may end early. */
async function fill(
  db: Database,
  data: Dataset,
  batch: number,
  mostMs: number,
  look: () => void = () => undefined,
): Promise<number> {
  const rows = data.keys.length;
  const startMs = performance.now();
  let done = 0;
  while (done < rows) {
    const to = Math.min(rows, done + batch);
    await db.put(data, done, to);
    done = to;
    if (done % 50_000 < batch) look();
    if (batch < 1_000 && done % 256 < batch && performance.now() - startMs > mostMs) break;
  }
  return (done * 1_000) / (performance.now() - startMs);
}

async function remove(db: Database, data: Dataset): Promise<number> {
  const rows = data.keys.length;
  const startMs = performance.now();
  for (let from = 0; from < rows; from += 1_000) {
    await db.remove(data, from, Math.min(rows, from + 1_000));
  }
  return (rows * 1_000) / (performance.now() - startMs);
}

async function reads(
  db: Database,
  keys: readonly Uint8Array[],
  callers: number,
  present: boolean,
  mostMs: number,
): Promise<number> {
  const startMs = performance.now();
  let next = 0;
  let over = false;
  const caller = async (): Promise<void> => {
    while (next < keys.length && !over) {
      const value = await db.get(keys[next++] as Uint8Array);
      if ((value !== undefined) !== present) throw new Error("a row that is wrong");
      if (next % 512 === 0) over = performance.now() - startMs > mostMs;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return (next * 1_000) / (performance.now() - startMs);
}

async function scanAll(db: Database, rows: number, reverse: boolean): Promise<number> {
  const startMs = performance.now();
  let count = 0;
  // Short scans of a small set say little: again until there is something to measure.
  do count += await db.scan(undefined, Number.POSITIVE_INFINITY, reverse);
  while (performance.now() - startMs < 300);
  if (count % rows !== 0) throw new Error(`${count} rows of ${rows}`);
  return (count * 1_000) / (performance.now() - startMs);
}

async function seeks(
  db: Database,
  keys: readonly Uint8Array[],
  count: number,
  mostMs: number,
): Promise<number> {
  const startMs = performance.now();
  let done = 0;
  while (done < keys.length) {
    const rows = await db.scan(keys[done] as Uint8Array, count, false);
    if (rows > count || rows === 0) throw new Error("a scan that is wrong");
    if (++done % 64 === 0 && performance.now() - startMs > mostMs) break;
  }
  return (done * 1_000) / (performance.now() - startMs);
}

async function mixed(db: Database, data: Dataset, mostMs: number): Promise<number> {
  const startMs = performance.now();
  const rows = data.keys.length;
  let done = 0;
  while (done < rows) {
    if (done % 2 === 0) await db.put(data, done, done + 1);
    else await db.get(data.keys[rows - done] as Uint8Array);
    if (++done % 256 === 0 && performance.now() - startMs > mostMs) break;
  }
  return (done * 1_000) / (performance.now() - startMs);
}
