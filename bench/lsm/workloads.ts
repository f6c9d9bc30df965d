import { type Prng, randomBelow, SeededPrng } from "../../src/base/prng.ts";
import { touchMemory } from "../touch.ts";
import type { Contender, Database, Dataset, Durability } from "./contender.ts";
import type { Scratch } from "./scratch.ts";

export interface Size {
  readonly keyBytes: number;
  readonly valueBytes: number;
  readonly rows: number;
}

/** Operations (rows, where a workload is of rows) a second, by workload. */
export type Rates = ReadonlyMap<string, number>;

/** What is run, and for how long: the rate of what ends early is of what was done by then. */
export interface Limits {
  /** Of a workload; but what later ones read is written whole. */
  readonly mostMs: number;
  /** Of a fill, which takes longer to show what it leaves behind. */
  readonly mostFillMs: number;
  readonly wants: (workload: string) => boolean;
}

const SEED = 20_261_121;

/** What is scanned at first, and for how long at least. */
const SCANNED_ROWS = 50_000;
const SCAN_MS = 300;

/** Rows that lie side by side, in one list of keys. */
const NEIGHBORS = 10;

/** Nobody's blocks are smaller. */
const BLOCK_BYTES = 4_096;

export const CALLERS: readonly number[] = [1, 16, 128];

export interface Data {
  readonly limits: Limits;
  /** Of all rows. */
  readonly bytes: number;
  readonly sequential: Dataset;
  readonly random: Dataset;
  /** Its keys are between those of the others. */
  readonly absent: Dataset;
}

/** Values are stretches of these random bytes. */
const POOL_BYTES = 4_096;

class Records implements Dataset {
  readonly rows: number;
  readonly #size: Size;
  readonly #keys: Buffer;
  readonly #pool: Buffer;
  readonly #valueAt: Uint16Array;

  /** @param number of the row that is written as the i-th. */
  constructor(size: Size, prng: Prng, number: (i: number) => number) {
    const { rows, keyBytes, valueBytes } = size;
    this.rows = rows;
    this.#size = size;
    this.#keys = Buffer.alloc(rows * keyBytes);
    this.#pool = Buffer.from(prng.bytes(valueBytes + POOL_BYTES));
    this.#valueAt = new Uint16Array(rows);
    for (let i = 0; i < rows; i++) {
      this.#keys.write(String(number(i)).padStart(keyBytes, "0"), i * keyBytes, "latin1");
      this.#valueAt[i] = randomBelow(prng, POOL_BYTES);
    }
  }

  key(row: number): Uint8Array {
    const { keyBytes } = this.#size;
    return this.#keys.subarray(row * keyBytes, (row + 1) * keyBytes);
  }

  value(row: number): Uint8Array {
    const at = this.#valueAt[row] as number;
    return this.#pool.subarray(at, at + this.#size.valueBytes);
  }
}

/** Rows in the order of their keys. */
export function rowsOf(size: Size): Dataset {
  return new Records(size, new SeededPrng(SEED), (i) => i);
}

export function makeData(size: Size, limits: Limits): Data {
  const prng = new SeededPrng(SEED);
  const order = shuffled(size.rows, prng);
  const random = (i: number): number => order[i] as number;
  return {
    limits,
    bytes: size.rows * (size.keyBytes + size.valueBytes),
    sequential: new Records(size, prng, (i) => 2 * i),
    random: new Records(size, prng, (i) => 2 * random(i)),
    absent: new Records(size, prng, (i) => 2 * random(i) + 1),
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

const BASE = "fillrandom, batch 1000";

/** Every workload of one contender without syncs, in an order that keeps what later ones read. */
export async function measure(contender: Contender, data: Data, scratch: Scratch): Promise<Rates> {
  const { wants } = data.limits;
  const rates = new Map<string, number>();
  for (const [name, run] of freshWorkloads(data)) {
    if (!wants(name)) continue;
    const db = await opened(contender, data, scratch, "none");
    rates.set(name, await run(db));
    await db.close();
  }
  const later = [...laterWorkloads(data)].filter(([name]) => wants(name));
  if (later.length === 0 && !wants(BASE)) return rates;
  const db = await opened(contender, data, scratch, "none");
  const based = await fill(db, data.random, 1_000, Number.POSITIVE_INFINITY);
  if (wants(BASE)) rates.set(BASE, based);
  await db.settle();
  if (later.length > 0) await warm(db, data.sequential);
  for (const [name, run] of later) rates.set(name, await run(db));
  await db.close();
  return rates;
}

type Workloads = ReadonlyMap<string, (db: Database) => Promise<number>>;

/** What begins with an empty store. */
function freshWorkloads({ limits, sequential, random }: Data): Workloads {
  const { mostMs, mostFillMs } = limits;
  const fresh = new Map<string, (db: Database) => Promise<number>>([
    ["fillseq, batch 1000", (db) => fill(db, sequential, 1_000, mostFillMs)],
    ["fillrandom, batch 1", (db) => fill(db, random, 1, mostFillMs)],
    ["fillrandom, batch 100", (db) => fill(db, random, 100, mostFillMs)],
    ["delete a range, rows", (db) => removeAll(db, sequential, mostFillMs)],
  ]);
  for (const callers of CALLERS.slice(1)) {
    const name = `fillrandom, batch 1, ${callersText(callers)}`;
    fresh.set(name, (db) => fillTogether(db, random, 1, callers, mostMs));
  }
  return fresh;
}

/** What reads the base, then what changes it. */
function laterWorkloads({ limits, random, absent, sequential }: Data): Workloads {
  const { mostMs } = limits;
  const later = new Map<string, (db: Database) => Promise<number>>();
  const each = (name: string, run: (db: Database, callers: number) => Promise<number>): void => {
    for (const callers of CALLERS) {
      later.set(`${name}, ${callersText(callers)}`, (db) => run(db, callers));
    }
  };
  each("get hit", (db, callers) => reads(db, random, callers, true, mostMs));
  each("get miss", (db, callers) => reads(db, absent, callers, false, mostMs));
  later.set("full scan, rows", (db) => scanAll(db, random.rows, false));
  later.set("full scan backward, rows", (db) => scanAll(db, random.rows, true));
  later.set("sum of a byte of each value, rows", (db) => again(random.rows, () => db.sum()));
  later.set("keys alone, rows", (db) => again(random.rows, () => db.keys()));
  later.set(`get ${NEIGHBORS} neighbors by their keys`, (db) => neighbors(db, sequential, mostMs));
  for (const count of [10, 100]) {
    each(`seek + next ${count}`, (db, callers) => seeks(db, random, count, callers, mostMs));
  }
  each("mixed 50/50", (db, callers) => mixed(db, random, callers, mostMs));
  later.set("delete random, batch 1000", (db) => remove(db, random, limits.mostFillMs));
  return later;
}

/** Writes that are answered once they are synced; each ends after a while. */
export async function measureSynced(
  contender: Contender,
  data: Data,
  scratch: Scratch,
): Promise<Rates> {
  const rates = new Map<string, number>();
  const run = async (workload: string, batch: number, callers: number): Promise<void> => {
    const name = `${workload}, synced`;
    if (!data.limits.wants(name)) return;
    const db = await opened(contender, data, scratch, "group");
    rates.set(name, await fillTogether(db, data.random, batch, callers, data.limits.mostMs));
    await db.close();
  };
  for (const callers of CALLERS) await run(`put, ${callersText(callers)}`, 1, callers);
  await run("fillrandom, batch 100", 100, 1);
  await run("fillrandom, batch 1000", 1_000, 1);
  return rates;
}

/**
 * Who comes first must not pay for what all that follow find: memory that the machine has got back
 * from its host. As much as a log and tables take.
 */
function opened(
  contender: Contender,
  { bytes }: Data,
  scratch: Scratch,
  durability: Durability,
): Promise<Database> {
  const directory = scratch();
  touchMemory(directory, 2 * bytes);
  return contender.open(directory, durability);
}

function callersText(callers: number): string {
  return callers === 1 ? "1 caller" : `${callers} callers`;
}

/** Callers that take turns; each waits for its own batch. */
async function fillTogether(
  db: Database,
  random: Dataset,
  batch: number,
  callers: number,
  mostMs: number,
): Promise<number> {
  const rows = random.rows;
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

/** The clock is looked at once in a while. */
async function fill(db: Database, data: Dataset, batch: number, mostMs: number): Promise<number> {
  const rows = data.rows;
  const startMs = performance.now();
  let done = 0;
  while (done < rows) {
    const to = Math.min(rows, done + batch);
    await db.put(data, done, to);
    done = to;
    if (done % 256 < batch && performance.now() - startMs > mostMs) break;
  }
  return (done * 1_000) / (performance.now() - startMs);
}

/** From the deletion of all rows to the end of a scan that finds none of them. */
async function removeAll(db: Database, data: Dataset, mostMs: number): Promise<number> {
  let rows = 0;
  for (const startMs = performance.now(); performance.now() - startMs < mostMs; ) {
    const to = Math.min(data.rows, rows + 1_000);
    await db.put(data, rows, to);
    rows = to;
    if (rows === data.rows) break;
  }
  await db.settle();
  const startMs = performance.now();
  await db.removeRange(data.key(0), Buffer.concat([data.key(rows - 1), Buffer.alloc(1)]));
  const left = await db.scan(undefined, rows, false);
  if (left > 0) throw new Error(`${left} rows are left`);
  return (rows * 1_000) / (performance.now() - startMs);
}

async function remove(db: Database, data: Dataset, mostMs: number): Promise<number> {
  const rows = data.rows;
  const startMs = performance.now();
  let done = 0;
  while (done < rows && performance.now() - startMs < mostMs) {
    const to = Math.min(rows, done + 1_000);
    await db.remove(data, done, to);
    done = to;
  }
  return (done * 1_000) / (performance.now() - startMs);
}

/** Brings every block to where it is read from. */
async function warm(db: Database, data: Dataset): Promise<void> {
  const step = Math.floor(BLOCK_BYTES / (data.key(0).length + data.value(0).length));
  for (let row = 0; row < data.rows; row += step) {
    if ((await db.get(data.key(row))) === undefined) throw new Error("a row that is missing");
  }
}

async function reads(
  db: Database,
  data: Dataset,
  callers: number,
  present: boolean,
  mostMs: number,
): Promise<number> {
  const startMs = performance.now();
  let next = 0;
  let over = false;
  const caller = async (): Promise<void> => {
    while (next < data.rows && !over) {
      const value = await db.get(data.key(next++));
      if ((value !== undefined) !== present) throw new Error("a row that is wrong");
      if (next % 512 === 0) over = performance.now() - startMs > mostMs;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return (next * 1_000) / (performance.now() - startMs);
}

/** All rows, again and again until there is something to measure; of who is slow, the first. */
async function scanAll(db: Database, rows: number, reverse: boolean): Promise<number> {
  const few = Math.min(rows, SCANNED_ROWS);
  const rate = async (most: number): Promise<number> => {
    const startMs = performance.now();
    let count = 0;
    do count += await db.scan(undefined, most, reverse);
    while (performance.now() - startMs < SCAN_MS);
    if (count % Math.min(rows, most) !== 0) throw new Error(`${count} rows of ${rows}`);
    return (count * 1_000) / (performance.now() - startMs);
  };
  const first = await rate(few);
  return (1_000 * few) / first > SCAN_MS ? first : await rate(Number.POSITIVE_INFINITY);
}

/** Reads of all rows, again and again until there is something to measure. */
async function again(rows: number, read: () => Promise<number> | number): Promise<number> {
  const startMs = performance.now();
  let count = 0;
  do {
    const found = await read();
    if (found !== rows) throw new Error(`${found} rows of ${rows}`);
    count += found;
  } while (performance.now() - startMs < SCAN_MS);
  return (count * 1_000) / (performance.now() - startMs);
}

/** Rows that lie side by side, by a list of their keys in order: lists a second. */
async function neighbors(db: Database, data: Dataset, mostMs: number): Promise<number> {
  const prng = new SeededPrng(SEED);
  return await together(1, data.rows, mostMs, async () => {
    const from = randomBelow(prng, data.rows - NEIGHBORS);
    await db.getMany(Array.from({ length: NEIGHBORS }, (_, i) => data.key(from + i)));
  });
}

/** Callers that take turns until the time is up; answers what they did a second. */
async function together(
  callers: number,
  most: number,
  mostMs: number,
  one: (at: number) => unknown,
): Promise<number> {
  const startMs = performance.now();
  let next = 0;
  let over = false;
  const caller = async (): Promise<void> => {
    while (next < most && !over) {
      await one(next++);
      if (next % 64 === 0) over = performance.now() - startMs > mostMs;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return (next * 1_000) / (performance.now() - startMs);
}

async function seeks(
  db: Database,
  data: Dataset,
  count: number,
  callers: number,
  mostMs: number,
): Promise<number> {
  return await together(callers, data.rows, mostMs, async (at) => {
    const rows = await db.scan(data.key(at), count, false);
    if (rows > count || rows === 0) throw new Error("a scan that is wrong");
  });
}

async function mixed(
  db: Database,
  data: Dataset,
  callers: number,
  mostMs: number,
): Promise<number> {
  const { rows } = data;
  return await together(callers, rows, mostMs, (at) =>
    at % 2 === 0 ? db.put(data, at, at + 1) : db.get(data.key(rows - at)),
  );
}
