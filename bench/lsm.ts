import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LSM_DEFAULTS } from "../src/lsm/options.ts";
import { benchCompaction, type CompactionCell } from "./compaction.ts";
import { betterSqlite3 } from "./lsm/better-sqlite3.ts";
import { classicLevel } from "./lsm/classic-level.ts";
import { CACHE_BYTES, type Contender, type Durability } from "./lsm/contender.ts";
import { type Figures, Rounds, showFigures } from "./lsm/figures.ts";
import { firn, firnInMemory } from "./lsm/firn.ts";
import { type Goal, goalsOf, type Own, ownGoals } from "./lsm/goals.ts";
import { lmdb } from "./lsm/lmdb.ts";
import { installPeers } from "./lsm/peers.ts";
import { slatedb } from "./lsm/slatedb.ts";
import {
  type Data,
  type Limits,
  makeData,
  measure,
  measureSynced,
  type Run,
  type Scratch,
  type Size,
} from "./lsm/workloads.ts";
import { formatTable } from "./report.ts";
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
  readonly own: readonly Own[];
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
/** Of our engine: blocks, and memtables up to where writes are slowed. */
const BUDGET_BYTES = CACHE_BYTES + LSM_DEFAULTS.unflushedBytes[0];
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
  const own: Own[] = [];
  for (const size of sizes) {
    const data = makeData(size, limits);
    const run = await rounded(contenders, size, data, rounds);
    for (const one of run.figures) {
      console.log(showFigures(one, missing));
      figures.push(one);
    }
    if (run.first.amplification !== undefined) own.push(ownOf(size, run.first, own.length === 0));
  }
  await profile?.();
  console.log("");
  const wal = wants("wal") ? await benchWal({ smoke }) : [];
  console.log("");
  const compaction = wants("compaction") ? await benchCompaction({ smoke }) : [];
  const goals = [...goalsOf(figures, wal, compaction), ...ownGoals(own, BUDGET_BYTES)];
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

interface Rounded {
  readonly figures: readonly Figures[];
  /** Of our engine on disk, in the first round. */
  readonly first: Run;
}

async function rounded(
  contenders: readonly Contender[],
  size: Size,
  data: Data,
  rounds: number,
): Promise<Rounded> {
  const [none, group] = [new Rounds(), new Rounds()];
  let first: Run | undefined;
  for (let round = 0; round < rounds; round++) {
    for (const contender of contenders) {
      // Beside the others it only tells what the disk costs.
      if (contender === firnInMemory && round > 0) continue;
      const startMs = performance.now();
      const run = await inScratch((scratch) => measure(contender, data, scratch));
      none.add(contender.name, run.rates);
      first ??= run;
      const synced = (scratch: Scratch) => measureSynced(contender, data, scratch);
      if (contender !== firnInMemory) group.add(contender.name, await inScratch(synced));
      const tookS = ((performance.now() - startMs) / 1_000).toFixed(0);
      console.error(`round ${round + 1} of ${rounds}: ${contender.name}, ${tookS} s`);
    }
  }
  if (first === undefined) throw new Error("at least one round");
  const { rows, keyBytes, valueBytes } = size;
  const title = (durability: Durability): string =>
    `${rows} rows of ${keyBytes} + ${valueBytes} B; class: ${CLASSES[durability]}`;
  return {
    first,
    figures: [
      { title: title("none"), size, rates: none.medians() },
      { title: title("group"), size, rates: group.medians() },
    ],
  };
}

/** A directory of its own for each database, and none of them longer than it is measured. */
async function inScratch<T>(work: (scratch: Scratch) => Promise<T>): Promise<T> {
  const root = mkdtempSync(join(tmpdir(), "firn-bench-lsm-"));
  try {
    return await work(() => mkdtempSync(`${root}/`));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
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

function ownOf({ rows, keyBytes, valueBytes }: Size, run: Run, isFirst: boolean): Own {
  const { write, space } = run.amplification ?? { write: Number.NaN, space: Number.NaN };
  return {
    title: `${rows} rows of ${keyBytes} + ${valueBytes} B`,
    writeAmplification: write,
    spaceAmplification: space,
    rssBytes: isFirst ? run.rssBytes : undefined,
  };
}

function printOptions(shown: LsmFigures["options"]): void {
  for (const durability of ["none", "group"] as const) {
    console.log(`class ${CLASSES[durability]}:`);
    for (const [name, text] of Object.entries(shown[durability])) console.log(`  ${name}: ${text}`);
  }
}

function showGoals(goals: readonly Goal[]): void {
  const rows = goals.map(({ goal, worst, met }) => [goal, met ? "met" : "NOT met", worst]);
  console.log(`\n${formatTable(["goal", "", "worst cell"], rows)}`);
}
