import { COMPACTION_STYLES, type CompactionStyle } from "../../src/lsm/compaction-style.ts";
import { formatTable } from "../report.ts";
import type { Own } from "./goals.ts";
import { benchIngest, type IngestCell } from "./ingest.ts";
import { benchMemory, MEMORY_LOADS } from "./memory.ts";
import type { MemoryCell } from "./memory-child.ts";
import { benchDrop, type DropCell } from "./range-drop.ts";
import { benchRequests, type RequestCell } from "./requests.ts";
import { benchTransactions, type TransactionCell } from "./transactions.ts";
import { benchUpdates, type UpdateCell } from "./updates.ts";
import type { Size } from "./workloads.ts";

interface OwnOptions {
  readonly smoke: boolean;
  readonly wants: (workload: string) => boolean;
}

const DROPPED_ROWS = 1_000_000;
const INGESTED_ROWS = 1_000_000;
/** Short values, and long ones of about as many bytes. */
const SIZES: readonly Size[] = [
  { keyBytes: 16, valueBytes: 100, rows: 400_000 },
  { keyBytes: 20, valueBytes: 400, rows: 110_000 },
];

/** The rows are some hundred of them, so that every tier of runs is met. */
const MANY_MEMTABLES = { memtableBytes: 524_288, tableBytes: 1_048_576 };

/** What the engine is to reach beside nobody: amplification, memory, ranges, requests. */
export async function benchOwn({ smoke, wants }: OwnOptions): Promise<Own> {
  const memory = wants("memory") ? MEMORY_LOADS.map((load) => benchMemory(smoke, load)) : [];
  if (memory.length > 0) showMemory(memory);
  const shrink = smoke ? 20 : 1;
  const sizes = SIZES.map((size) => ({ ...size, rows: size.rows / shrink }));
  const updates = wants("updates") ? await benchUpdates(sizes) : [];
  if (updates.length > 0) showUpdates(updates);
  if (wants("compaction-styles")) await showCompactionStyles(sizes.slice(-1));
  const drop = wants("drop") ? await benchDrop(DROPPED_ROWS / shrink) : undefined;
  if (drop !== undefined) showDrop(drop);
  const requests = wants("requests") ? await benchRequests(smoke) : [];
  if (requests.length > 0) showRequests(requests);
  const ingest = wants("ingest") ? await benchIngest(INGESTED_ROWS / shrink) : undefined;
  if (ingest !== undefined) showIngest(ingest);
  const transactions = wants("transactions") ? await benchTransactions(shrink) : undefined;
  if (transactions !== undefined) showTransactions(transactions);
  return { updates, memory, drop, requests, ingest, transactions };
}

const mib = (bytes: number): string => (bytes / 1_048_576).toFixed(0);

function showMemory(cells: readonly MemoryCell[]): void {
  const header = ["memory of a load", "budget MiB", "most MiB", "counted MiB"];
  const rows = cells.map(({ shards, loadedBytes, budgetBytes, mostBytes, mostCountedBytes }) => [
    `${(loadedBytes / 1e6).toFixed(0)} MB into ${shards}, in a process of its own`,
    mib(budgetBytes),
    mib(mostBytes),
    mib(mostCountedBytes),
  ]);
  console.log(`${formatTable(header, rows)}\n`);
}

function showTransactions(cell: TransactionCell): void {
  const { plainRows, plainScans } = cell;
  const rows = [
    ["indexed rows/s, plain batches of 1,000 rows", plainRows.toFixed(0), "1.00"],
    ["through transactions, put", cell.putRows.toFixed(0), (cell.putRows / plainRows).toFixed(2)],
    [
      "through transactions, insert",
      cell.insertRows.toFixed(0),
      (cell.insertRows / plainRows).toFixed(2),
    ],
    ["scans of 10 rows/s, engine", plainScans.toFixed(0), "1.00"],
    [
      "in a transaction",
      cell.transactionScans.toFixed(0),
      (cell.transactionScans / plainScans).toFixed(2),
    ],
    ["bytes a put beyond its own, 12 open transactions", cell.bytesAPut.toFixed(0), ""],
    [
      `ms of a commit beside ${(cell.besideBytes / 1e6).toFixed(0)} MB of other writes`,
      cell.commitMs.toFixed(1),
      "",
    ],
  ];
  console.log(`${formatTable(["transactions", "figure", "of plain"], rows)}\n`);
}

/** What each compaction style saves, and what it costs. */
async function showCompactionStyles(sizes: readonly Size[]): Promise<void> {
  const cells: UpdateCell[] = [];
  for (const compactionStyle of Object.keys(COMPACTION_STYLES) as CompactionStyle[]) {
    const [cell] = await benchUpdates(sizes, { ...MANY_MEMTABLES, compactionStyle });
    if (cell !== undefined) cells.push({ ...cell, title: `${compactionStyle}: ${cell.title}` });
  }
  showUpdates(cells);
}

function showUpdates(cells: readonly UpdateCell[]): void {
  const header = [
    "uniform updates",
    "k/s",
    "write amp.",
    "places at rest",
    "space at rest",
    "while compacting",
  ];
  const rows = cells.map((cell) => [
    cell.title,
    (cell.updatesPerSecond / 1_000).toFixed(0),
    cell.writeAmplification.toFixed(2),
    String(cell.restPlaces),
    cell.steadySpace.toFixed(2),
    cell.mostSpace.toFixed(2),
  ]);
  console.log(`${formatTable(header, rows)}\n`);
}

function showDrop(cell: DropCell): void {
  const header = ["range deleted", "delete ms", "scan ms", "compact ms", "MiB before", "after"];
  const row = [
    `${cell.rows} rows`,
    ...[cell.deleteMs, cell.scanMs, cell.compactMs].map((ms) => ms.toFixed(1)),
    mib(cell.bytesBefore),
    mib(cell.bytesAfter),
  ];
  console.log(`${formatTable(header, [row])}\n`);
}

function showIngest(cell: IngestCell): void {
  const header = [
    "bulk load",
    "ingested k/s",
    "CPU us",
    "in batches k/s",
    "CPU us",
    "loop p99.9 ms",
  ];
  const row = [
    `${cell.rows} indexed rows`,
    (cell.ingestedPerSecond / 1_000).toFixed(0),
    cell.ingestCpuMicros.toFixed(1),
    (cell.writtenPerSecond / 1_000).toFixed(0),
    cell.writeCpuMicros.toFixed(1),
    cell.loopP999Ms.toFixed(1),
  ];
  console.log(`${formatTable(header, [row])}\n`);
}

function showRequests(cells: readonly RequestCell[]): void {
  const rows = cells.map(({ operation, requests, goal }) => {
    return [operation, String(requests), goal === undefined ? "" : String(goal)];
  });
  console.log(formatTable(["store in memory", "requests", "goal"], rows));
}
