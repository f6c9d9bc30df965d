import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { betterSqlite3 } from "./lsm/better-sqlite3.ts";
import { classicLevel } from "./lsm/classic-level.ts";
import type { Contender } from "./lsm/contender.ts";
import { firn } from "./lsm/firn.ts";
import { lmdb } from "./lsm/lmdb.ts";
import { installPeers } from "./lsm/peers.ts";
import { slatedb } from "./lsm/slatedb.ts";
import { makeData, measure, type Rates, type Size } from "./lsm/workloads.ts";
import { formatTable } from "./report.ts";

export interface LsmOptions {
  /** 20,000 rows: that everything runs, not how fast. */
  readonly smoke: boolean;
  /** Without the peers: for profiles. */
  readonly alone: boolean;
  readonly rows?: number;
}

/** What every cell says: operations a second of a contender in a workload. */
export interface LsmFigures {
  readonly size: Size;
  readonly options: Readonly<Record<string, string>>;
  readonly rates: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly missing: readonly string[];
}

const PEERS: readonly [string, () => Promise<Contender | undefined>][] = [
  ["classic-level", classicLevel],
  ["lmdb", lmdb],
  ["better-sqlite3", betterSqlite3],
  ["@slatedb/uniffi", slatedb],
];

/** Runs every contender through the same workloads, one after the other, and prints one table. */
export async function benchLsm({ smoke, alone, rows }: LsmOptions): Promise<LsmFigures> {
  const size = { keyBytes: 16, valueBytes: 100, rows: rows ?? (smoke ? 20_000 : 1_000_000) };
  const missing: string[] = [];
  const contenders: Contender[] = [firn];
  if (!alone) {
    installPeers();
    for (const [name, load] of PEERS) {
      const peer = await load();
      if (peer === undefined) missing.push(name);
      else contenders.push(peer);
    }
  }
  const data = makeData(size);
  const root = mkdtempSync(join(tmpdir(), "firn-bench-lsm-"));
  const measured = new Map<string, Rates>();
  try {
    for (const contender of contenders) {
      console.error(`${contender.name}: ${contender.options}`);
      measured.set(contender.name, await measure(contender, data, () => mkdtempSync(`${root}/`)));
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  show(size, measured, missing);
  return {
    size,
    options: Object.fromEntries(contenders.map(({ name, options }) => [name, options])),
    rates: Object.fromEntries(
      [...measured].map(([name, rates]) => [name, Object.fromEntries(rates)]),
    ),
    missing,
  };
}

/** A cell for each workload of each contender; those of one that is missing have failed. */
export function cellsOf({ rates, missing }: LsmFigures): { cells: number; failed: number } {
  const present = Object.values(rates).map((ofOne) => Object.values(ofOne));
  const each = present[0]?.length ?? 0;
  const wrong = present.flat().filter((rate) => !(rate > 0)).length;
  const cells = (present.length + missing.length) * each;
  return { cells, failed: wrong + missing.length * each };
}

function show(size: Size, measured: ReadonlyMap<string, Rates>, missing: readonly string[]): void {
  const ours = measured.get("firn") ?? new Map<string, number>();
  const peers = [...measured.keys()].filter((name) => name !== "firn");
  const rows = [...ours].map(([workload, rate]) => {
    const cells = [...peers, ...missing].map((name) => {
      const theirs = measured.get(name)?.get(workload);
      return theirs === undefined ? "missing" : `${short(theirs)} (${(rate / theirs).toFixed(1)}x)`;
    });
    return [workload, short(rate), ...cells];
  });
  const { rows: count, keyBytes, valueBytes } = size;
  console.log(
    `\n${count} rows, keys ${keyBytes} B, values ${valueBytes} B; class: no fsync awaited`,
  );
  console.log("operations a second; in parentheses how many times as fast firn is\n");
  console.log(formatTable(["workload", "firn", ...peers, ...missing], rows));
}

function short(rate: number): string {
  if (rate >= 1e6) return `${(rate / 1e6).toFixed(2)} M`;
  return rate >= 1e4 ? `${(rate / 1e3).toFixed(0)} k` : `${(rate / 1e3).toFixed(2)} k`;
}
