import { writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { benchCompaction, type CompactionCell } from "./compaction.ts";
import { betterSqlite3 } from "./lsm/better-sqlite3.ts";
import { classicLevel } from "./lsm/classic-level.ts";
import type { Contender, Durability } from "./lsm/contender.ts";
import { type Figures, Rounds, showFigures } from "./lsm/figures.ts";
import { firn, firnInMemory } from "./lsm/firn.ts";
import { type Goal, goalsOf, type Own, ownGoals, showGoals } from "./lsm/goals.ts";
import { lmdb } from "./lsm/lmdb.ts";
import { benchOwn } from "./lsm/own.ts";
import { installPeers } from "./lsm/peers.ts";
import { inScratch, type Scratch } from "./lsm/scratch.ts";
import { slatedb } from "./lsm/slatedb.ts";
import {
  type Data,
  type Limits,
  makeData,
  measure,
  measureSynced,
  type Size,
} from "./lsm/workloads.ts";
import { benchWal, type WalCell } from "./wal.ts";

export interface LsmOptions {
  /** 20,000 rows, one size, one round: that everything runs, not how fast. */
  readonly smoke: boolean;
  /** Without the peers: for profiles. */
  readonly alone: boolean;
  readonly cpuProfile: boolean;
  /** Of the size with short values; a quarter of them have long ones: as many bytes. */
  readonly rows?: number;
  readonly rounds?: number;
  /** Only workloads whose names hold one of these, and peers of these names. */
  readonly workloads?: readonly string[];
  readonly peers?: readonly string[];
}

export interface LsmFigures {
  readonly options: Readonly<Record<Durability, Readonly<Record<string, string>>>>;
  readonly rounds: number;
  readonly figures: readonly Figures[];
  readonly own: Own;
  readonly wal: readonly WalCell[];
  readonly compaction: readonly CompactionCell[];
  readonly goals: readonly Goal[];
  readonly missing: readonly string[];
}

const PEERS: readonly [string, () => Promise<Contender | undefined>][] = [
  ["classic-level", classicLevel],
  ["lmdb", lmdb],
  ["better-sqlite3", betterSqlite3],
  ["@slatedb/uniffi", slatedb],
];
const ROWS = 1_000_000;
const SMOKE_ROWS = 20_000;
const ROUNDS = 3;
const LIMITS = { mostMs: 400, mostFillMs: 1_000 };
const SMOKE_LIMITS = { mostMs: 250, mostFillMs: 250 };
const CLASSES: Readonly<Record<Durability, string>> = {
  none: "no fsync",
  group: "fsync a group, awaited",
};

/** Runs every contender through the same workloads, in turns, and prints tables and goals. */
export async function benchLsm(options: LsmOptions): Promise<LsmFigures> {
  const { smoke, alone, rows = smoke ? SMOKE_ROWS : ROWS, rounds = smoke ? 1 : ROUNDS } = options;
  const sizes: Size[] = [{ keyBytes: 16, valueBytes: 100, rows }];
  if (!smoke) sizes.push({ keyBytes: 20, valueBytes: 400, rows: Math.ceil(rows / 4) });
  const { workloads } = options;
  const wants = (name: string): boolean => workloads?.some((one) => name.includes(one)) ?? true;
  const limits: Limits = { ...(smoke ? SMOKE_LIMITS : LIMITS), wants };
  const { contenders, missing } = await contendersOf(alone ? [] : options.peers);
  const optionsOf = (durability: Durability): Readonly<Record<string, string>> =>
    Object.fromEntries(contenders.map((one) => [one.name, one.options(durability)]));
  const shown = { none: optionsOf("none"), group: optionsOf("group") };
  printOptions(shown);
  const profile = options.cpuProfile ? await startProfile() : undefined;
  const figures: Figures[] = [];
  for (const size of sizes) {
    for (const one of await rounded(contenders, size, makeData(size, limits), rounds)) {
      console.log(showFigures(one, missing));
      figures.push(one);
    }
  }
  await profile?.();
  console.log("");
  const wal = wants("wal") ? await benchWal({ smoke }) : [];
  console.log("");
  const compaction = wants("compaction") ? await benchCompaction(options) : [];
  console.log("");
  const own = await benchOwn({ smoke, wants });
  const goals = [...goalsOf(figures, wal, compaction), ...ownGoals(own)];
  showGoals(goals);
  return { options: shown, rounds, figures, own, wal, compaction, goals, missing };
}

/** A cell for each workload of each contender; those of one that is missing have failed. */
export function cellsOf({ figures, wal, missing }: LsmFigures): { cells: number; failed: number } {
  const rates = figures.flatMap((one) => Object.values(one.rates).flatMap(Object.values<number>));
  const puts = wal.map(({ perSecond }) => perSecond);
  const wrong = [...rates, ...puts].filter((rate) => !(rate > 0)).length;
  const lacking = figures
    .map((one) => missing.length * Object.keys(one.rates["firn"] ?? {}).length)
    .reduce((sum, count) => sum + count, 0);
  return { cells: rates.length + puts.length + lacking, failed: wrong + lacking };
}

/** @param chosen names of peers; all of them unless some are chosen. */
async function contendersOf(
  chosen: readonly string[] = PEERS.map(([name]) => name),
): Promise<{ contenders: readonly Contender[]; missing: readonly string[] }> {
  const missing: string[] = [];
  const contenders: Contender[] = [firn, firnInMemory];
  if (chosen.length === 0) return { contenders, missing };
  installPeers();
  for (const [name, load] of PEERS.filter(([name]) => chosen.includes(name))) {
    const peer = await load();
    if (peer === undefined) missing.push(name);
    else contenders.push(peer);
  }
  return { contenders, missing };
}

async function rounded(
  contenders: readonly Contender[],
  size: Size,
  data: Data,
  rounds: number,
): Promise<readonly Figures[]> {
  const [none, group] = [new Rounds(), new Rounds()];
  for (let round = 0; round < rounds; round++) {
    for (const contender of contenders) {
      // Beside the others it only tells what the disk costs.
      if (contender === firnInMemory && round > 0) continue;
      const startMs = performance.now();
      none.add(contender.name, await inScratch((scratch) => measure(contender, data, scratch)));
      const synced = (scratch: Scratch) => measureSynced(contender, data, scratch);
      if (contender !== firnInMemory) group.add(contender.name, await inScratch(synced));
      const tookS = ((performance.now() - startMs) / 1_000).toFixed(0);
      console.error(`round ${round + 1} of ${rounds}: ${contender.name}, ${tookS} s`);
    }
  }
  const { rows, keyBytes, valueBytes } = size;
  const title = (durability: Durability): string =>
    `${rows} rows of ${keyBytes} + ${valueBytes} B; class: ${CLASSES[durability]}`;
  return [
    { title: title("none"), size, rates: none.medians() },
    { title: title("group"), size, rates: group.medians() },
  ];
}

/** @returns what ends it and writes the file. */
async function startProfile(): Promise<() => Promise<void>> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.start");
  return async () => {
    const { profile } = await session.post("Profiler.stop");
    session.disconnect();
    const file = join(tmpdir(), `firn-bench-lsm-${process.pid}.cpuprofile`);
    writeFileSync(file, JSON.stringify(profile));
    console.log(`\nCPU profile: ${file}`);
  };
}

function printOptions(shown: LsmFigures["options"]): void {
  for (const durability of ["none", "group"] as const) {
    console.log(`class ${CLASSES[durability]}:`);
    for (const [name, text] of Object.entries(shown[durability])) console.log(`  ${name}: ${text}`);
  }
}
