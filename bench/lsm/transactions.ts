import type { Engine } from "../../src/lsm/engine/engine.ts";
import { MemoryBudget } from "../../src/lsm/write/budget.ts";
import { openEngine } from "./firn.ts";
import { inScratch } from "./scratch.ts";

/**
 * What transactions cost beside the plain paths: medians of interleaved rounds. Rates are of the
 * processor time of the thread: other processes change them little.
 */
export interface TransactionCell {
  readonly rows: number;
  /** Rows a second, each with an entry of an index: by plain batches, and through transactions. */
  readonly plainRows: number;
  readonly putRows: number;
  readonly insertRows: number;
  /** Scans of 10 rows a second. */
  readonly plainScans: number;
  readonly transactionScans: number;
  /** Of 12 open transactions: counted bytes of a put beyond those of its key and value. */
  readonly bytesAPut: number;
  /** Written by others while a transaction was open that then committed, and how long that took. */
  readonly besideBytes: number;
  readonly commitMs: number;
}

const BATCH_ROWS = 1_000;
const ROUNDS = 7;

type Load = (engine: Engine, from: number, count: number) => Promise<void>;

/** A row of 16 + 100 bytes, and an index entry of 24 bytes without a value. */
function* writesOf(from: number, count: number): Generator<[Uint8Array, Uint8Array]> {
  for (let i = from; i < from + count; i++) {
    const hash = Math.imul(i, 2_654_435_761) >>> 0;
    const key = Buffer.alloc(16);
    key.writeUInt32BE(1, 0);
    key.writeUInt32BE(hash, 4);
    key.writeUInt32BE(i, 12);
    const entry = Buffer.alloc(24);
    entry.writeUInt32BE(2, 0);
    entry.writeUInt32BE(Math.imul(hash, 40_503) >>> 0, 4);
    key.copy(entry, 8);
    yield [key, Buffer.alloc(100, i)];
    yield [entry, NOTHING];
  }
}

const NOTHING = new Uint8Array(0);

const plain: Load = async (engine, from, count) => {
  const ops = [...writesOf(from, count)].map(
    ([key, value]) => ({ op: "put", key, value }) as const,
  );
  await engine.write(ops);
};

const puts: Load = async (engine, from, count) => {
  const transaction = engine.transaction();
  for (const [key, value] of writesOf(from, count)) transaction.put(key, value);
  await transaction.commit();
};

const inserts: Load = async (engine, from, count) => {
  const transaction = engine.transaction();
  for (const [key, value] of writesOf(from, count)) {
    if (value === NOTHING) transaction.put(key, value);
    else if (!(await transaction.insert(key, value))) throw new Error("a row is there already");
  }
  await transaction.commit();
};

export async function benchTransactions(shrink: number): Promise<TransactionCell> {
  const rows = 200_000 / shrink;
  const rates: number[][] = [[], [], []];
  const scans: number[][] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, load] of [plain, puts, inserts].entries()) {
      rates[i]?.push(await inScratch((scratch) => loadRate(scratch(), rows, load)));
    }
  }
  await inScratch(async (scratch) => {
    const engine = await openEngine(scratch(), { durable: false });
    for (let at = 0; at < rows; at += BATCH_ROWS) await plain(engine, at, BATCH_ROWS);
    await engine.compact();
    for (let round = 0; round < ROUNDS; round++) {
      scans[0]?.push(await scanRate(engine, rows, false));
      scans[1]?.push(await scanRate(engine, rows, true));
    }
    await engine.close();
  });
  const beside = await inScratch((scratch) => besideOthers(scratch(), 2_000_000_000 / shrink));
  return {
    rows,
    plainRows: median(rates[0]),
    putRows: median(rates[1]),
    insertRows: median(rates[2]),
    plainScans: median(scans[0]),
    transactionScans: median(scans[1]),
    bytesAPut: await inScratch((scratch) => memoryOfPuts(scratch(), 50_000 / shrink)),
    ...beside,
  };
}

async function loadRate(path: string, rows: number, load: Load): Promise<number> {
  const engine = await openEngine(path, { durable: false });
  try {
    const startMs = threadMs();
    for (let at = 0; at < rows; at += BATCH_ROWS) await load(engine, at, BATCH_ROWS);
    return (rows * 1_000) / (threadMs() - startMs);
  } finally {
    await engine.close();
  }
}

async function scanRate(engine: Engine, rows: number, inTransaction: boolean): Promise<number> {
  const count = Math.min(5_000, rows);
  const keys = Array.from({ length: count }, (_, i) => [...writesOf((i * 37) % rows, 1)][0]?.[0]);
  const transaction = engine.transaction();
  const startMs = threadMs();
  for (const from of keys) {
    const request = { limit: 10, ...(from && { from }) };
    const scan = inTransaction ? transaction.scan(request) : engine.scan(request);
    const found = await scan.next();
    if (found === undefined) throw new Error("no row is there");
    scan.close();
  }
  const rate = (count * 1_000) / (threadMs() - startMs);
  transaction.rollback();
  return rate;
}

async function memoryOfPuts(path: string, count: number): Promise<number> {
  const budget = new MemoryBudget(512 * 1_048_576);
  const engine = await openEngine(path, { durable: false, budget });
  const transactions = Array.from({ length: 12 }, () => engine.transaction());
  let own = 0;
  for (const [i, transaction] of transactions.entries()) {
    for (const [key, value] of writesOf(i * count, count / 2)) {
      transaction.put(key, value);
      own += key.length + value.length;
    }
    // What it has written is in order from here on.
    await transaction.scan({ limit: 1 }).next();
  }
  const { transactionBytes } = budget.figures;
  for (const transaction of transactions) transaction.rollback();
  await engine.close();
  return (transactionBytes - own) / (12 * count);
}

async function besideOthers(path: string, bytes: number) {
  const engine = await openEngine(path, { durable: false });
  const transaction = engine.transaction();
  for (const [key, value] of writesOf(1, 100)) {
    await transaction.get(key);
    transaction.put(key, value);
  }
  const value = Buffer.alloc(10_000, 7);
  for (let written = 0, n = 0; written < bytes; n++) {
    const ops = Array.from({ length: 100 }, (_, i) => {
      const key = Buffer.alloc(12);
      key.writeUInt32BE(1, 0);
      key.writeUInt32BE(Math.imul(n * 100 + i, 2_654_435_761) >>> 0, 4);
      return { op: "put", key, value } as const;
    });
    await engine.write(ops);
    written += 100 * value.length;
  }
  const startMs = performance.now();
  await transaction.commit();
  const commitMs = performance.now() - startMs;
  await engine.close();
  return { besideBytes: bytes, commitMs };
}

/** Processor time of this thread. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

function median(values: readonly number[] = []): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
