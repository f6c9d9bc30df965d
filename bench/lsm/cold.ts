import { SeededPrng } from "../../src/base/prng.ts";
import { MemoryBudget } from "../../src/lsm/write/budget.ts";
import { formatTable } from "../report.ts";
import { openEngine } from "./firn.ts";
import { type Goal, showGoals } from "./goals.ts";
import { KEY_BYTES, keyOf, VALUE_BYTES } from "./large-rows.ts";
import { inScratch } from "./scratch.ts";

/** Gets of any row of a shard that is many times as large as the memory it may take. */
export interface ColdCell {
  readonly rows: number;
  readonly budgetBytes: number;
  readonly tables: number;
  readonly gets: number;
  /** Of the store, for each get. */
  readonly requests: number;
  readonly bytes: number;
}

const KIB = 1_024;
/** 20 GB of rows for 256 MiB of memory; measured on less of both. */
const ROW_BYTES = KEY_BYTES + VALUE_BYTES;
const BUDGET_SHARE = (256 * KIB * KIB) / 20e9;
const ROWS = 1_000_000;
const SMOKE_ROWS = 200_000;
const BATCH = 1_000;
/** Prime to every number of rows. */
const STRIDE = 7_368_787;
const POLL_MS = 20;
const MAX_REQUESTS = 1.5;
const MAX_BYTES = 40 * KIB;

export async function benchCold(smoke: boolean): Promise<readonly ColdCell[]> {
  const rows = smoke ? SMOKE_ROWS : ROWS;
  const cells = [await inScratch((scratch) => coldGets(scratch(), rows))];
  const header = ["rows", "budget MiB", "tables", "requests a get", "KiB a get"];
  const lines = cells.map((cell) => [
    String(cell.rows),
    (cell.budgetBytes / KIB / KIB).toFixed(1),
    String(cell.tables),
    cell.requests.toFixed(2),
    (cell.bytes / KIB).toFixed(1),
  ]);
  console.log(formatTable(header, lines));
  showGoals(coldGoals(cells));
  return cells;
}

export function coldGoals(cells: readonly ColdCell[]): readonly Goal[] {
  return cells.flatMap(({ requests, bytes }) => [
    {
      goal: `cold get that hits: <= ${MAX_REQUESTS} requests`,
      worst: requests.toFixed(2),
      met: requests <= MAX_REQUESTS,
    },
    {
      goal: `cold get that hits: <= ${MAX_BYTES / KIB} KiB`,
      worst: `${(bytes / KIB).toFixed(1)} KiB`,
      met: bytes <= MAX_BYTES,
    },
  ]);
}

async function coldGets(directory: string, rows: number): Promise<ColdCell> {
  const writer = await openEngine(directory, { durable: false });
  const values = new SeededPrng(11).bytes(65_536 + VALUE_BYTES);
  for (let at = 0; at < rows; at += BATCH) {
    const ops = Array.from({ length: BATCH }, (_, i) => {
      const from = ((at + i) * 7) % 65_536;
      const value = values.subarray(from, from + VALUE_BYTES);
      return { op: "put" as const, key: keyOf(((at + i) * STRIDE) % rows), value };
    });
    await writer.write(ops);
  }
  await writer.flush();
  while (writer.stats().compaction.debtBytes > 0) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  await writer.close();
  const budgetBytes = Math.ceil(rows * ROW_BYTES * BUDGET_SHARE);
  const engine = await openEngine(directory, {
    durable: false,
    budget: new MemoryBudget(budgetBytes),
  });
  const prng = new SeededPrng(7);
  const get = async (): Promise<void> => {
    const row = Math.floor(prng.float() * rows);
    if ((await engine.get(keyOf(row))) === undefined) throw new Error(`row ${row} is missing`);
  };
  const gets = Math.ceil(rows / 100);
  // What it may keep in memory is there by then.
  for (let i = 0; i < gets; i++) await get();
  const before = engine.stats().reads;
  for (let i = 0; i < gets; i++) await get();
  const { reads, tree } = engine.stats();
  await engine.close();
  return {
    rows,
    budgetBytes,
    tables: tree.tables,
    gets,
    requests: (reads.tableReads - before.tableReads) / gets,
    bytes: (reads.tableReadBytes - before.tableReadBytes) / gets,
  };
}
