import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { IdSource } from "../src/base/ids.ts";
import { createMetrics } from "../src/base/metrics.ts";
import { LocalBlobStore } from "../src/blob/local.ts";
import { AccountCatalog } from "../src/catalog/catalog.ts";
import type { FirnOptions } from "../src/index.ts";
import { SystemClock } from "../src/runtime/clock.ts";
import { openStores } from "../src/runtime/compose.ts";
import { readOptions } from "../src/runtime/open-settings.ts";
import { SystemPrng } from "../src/runtime/prng.ts";
import { requireSettings } from "../src/runtime/read-settings.ts";
import type { Stores } from "../src/runtime/stores.ts";
import { findBackup } from "../src/service/backup/format.ts";
import { restoreBackup } from "../src/service/backup/restore.ts";
import { takeBackup } from "../src/service/backup/take.ts";
import { ManyNamespaces } from "../test/support/many-namespaces.ts";
import { startDouble } from "./double-process.ts";
import { formatTable } from "./report.ts";

/*
 * Backup of a catalog of namespaces to a directory, and its restore into an empty store. Rates
 * count live pointers: a namespace has 10, and the source also keeps their change records. Sources
 * are filled by batches of pointers, as a restore does, since creates one by one take far longer.
 */

/** The recovery time objective for a million pointers. */
const GOAL_MINUTES = 10;
const WEEK_MS = 7 * 86_400_000;
/** A smoke run makes this many on each profile: its figures mean nothing. */
const SMOKE_NAMESPACES = 50;
/** Namespaces that are made: a million pointers, unless that takes too long. */
const NAMESPACES = { memory: 100_000, local: 100_000, aws: 20_000 } as const;
/** Batches that are sent at once, and namespaces of a batch. */
const WRITERS = 32;
const NAMESPACES_A_BATCH = 8;

export interface BackupCell {
  readonly profile: "memory" | "local" | "aws";
  /** That the restore wrote. */
  readonly pointers: number;
  readonly backupMs: number;
  readonly restoreMs: number;
  /** Of this process; doubles have their own. */
  readonly backupCpuMs: number;
  readonly restoreCpuMs: number;
  /** Average of the machine over the last minute, at the end. */
  readonly load: number;
  readonly backupPerSecond: number;
  readonly restorePerSecond: number;
  /** Restore of a million pointers at this rate. */
  readonly minutesPerMillion: number;
  readonly peakRssMib: number;
  readonly met: boolean;
}

function namespacesOf(profile: BackupCell["profile"], smoke: boolean): number {
  return smoke ? SMOKE_NAMESPACES : NAMESPACES[profile];
}

/** Measures each profile; `aws` over doubles of S3 and DynamoDB in processes of their own. */
export async function benchBackup(smoke: boolean): Promise<readonly BackupCell[]> {
  const directory = await mkdtemp(join(tmpdir(), "firn-bench-"));
  const cells: BackupCell[] = [];
  try {
    for (const profile of ["memory", "local"] as const) {
      const options = (name: string): FirnOptions => ({ profile, dir: join(directory, name) });
      cells.push(await measure(profile, namespacesOf(profile, smoke), options, directory));
    }
    cells.push(await overDoubles(namespacesOf("aws", smoke), directory));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
  console.log(show(cells));
  return cells;
}

async function overDoubles(namespaces: number, directory: string): Promise<BackupCell> {
  const s3 = await startDouble("s3");
  const dynamo = await startDouble("dynamo");
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_S3: s3.url,
    AWS_ENDPOINT_URL_DYNAMODB: dynamo.url,
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "bench",
    AWS_SECRET_ACCESS_KEY: "bench",
  });
  try {
    const options = (name: string): FirnOptions => ({
      profile: "aws",
      s3Bucket: `firn-${name}`,
      dynamodbTable: `firn-${name}`,
      secret: "s".repeat(64),
      init: true,
    });
    return await measure("aws", namespaces, options, directory);
  } finally {
    await dynamo.stop();
    await s3.stop();
  }
}

async function measure(
  profile: BackupCell["profile"],
  namespaces: number,
  options: (name: string) => FirnOptions,
  directory: string,
): Promise<BackupCell> {
  const clock = new SystemClock();
  const prng = new SystemPrng();
  const parts = { clock, prng, ids: new IdSource(clock, prng) };
  const target = new LocalBlobStore(join(directory, `backup-${profile}`), { clock, prng });
  const scratch = new LocalBlobStore(join(directory, `scratch-${profile}`), {
    clock,
    prng,
    durable: false,
  });
  const source = await open(options("from"), parts);
  await fill({ ...source, ...parts }, namespaces);
  const begun = performance.now();
  const backupCpu = process.cpuUsage();
  const { uncached: blobs = source.blobs, pointers } = source;
  await takeBackup(
    { ...parts, pointers, blobs, target, scratch, historyRetentionMs: WEEK_MS },
    "default",
  );
  const backupMs = performance.now() - begun;
  const backupCpuMs = cpuMsSince(backupCpu);
  await source.close();
  const into = await open(options("into"), parts);
  const restoring = performance.now();
  const restoreCpu = process.cpuUsage();
  const backup = await findBackup(target);
  const report = await restoreBackup({ ...into, ...parts, source: target, scratch }, backup);
  const restoreMs = performance.now() - restoring;
  const restoreCpuMs = cpuMsSince(restoreCpu);
  await into.close();
  const restorePerSecond = (report.pointers / restoreMs) * 1_000;
  const minutesPerMillion = 1_000_000 / restorePerSecond / 60;
  return {
    profile,
    pointers: report.pointers,
    backupMs,
    restoreMs,
    backupCpuMs,
    restoreCpuMs,
    load: loadavg()[0] ?? 0,
    backupPerSecond: (report.pointers / backupMs) * 1_000,
    restorePerSecond,
    minutesPerMillion,
    peakRssMib: process.resourceUsage().maxRSS / 1_024,
    met: minutesPerMillion <= GOAL_MINUTES,
  };
}

function open(
  options: FirnOptions,
  { clock, prng }: { readonly clock: SystemClock; readonly prng: SystemPrng },
): Promise<Stores> {
  const quiet = { nodeId: "bench", onDefect: () => undefined, notify: () => undefined };
  const settings = requireSettings(readOptions(options, process.cwd()));
  return openStores(settings, { clock, prng, ...quiet }, createMetrics());
}

function cpuMsSince(begin: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1_000;
}

async function fill(
  stores: Parameters<typeof AccountCatalog.open>[0],
  namespaces: number,
): Promise<void> {
  const many = await ManyNamespaces.of(await AccountCatalog.open(stores, "default"));
  const step = NAMESPACES_A_BATCH * WRITERS;
  for (let from = 0; from < namespaces; from += step) {
    const batches = Array.from({ length: WRITERS }, async (_, writer) => {
      const first = from + writer * NAMESPACES_A_BATCH;
      const count = Math.min(NAMESPACES_A_BATCH, namespaces - first);
      if (count <= 0) return;
      const made = Array.from({ length: count }, (_each, i) => many.make(first + i));
      await Promise.all(made.map(({ path, bytes }) => stores.blobs.put(path, bytes, "absent")));
      const ops = made.flatMap((one) => one.ops);
      const done = await stores.pointers.commit({ writerId: "bench", ops });
      if (done.outcome !== "committed") throw new Error(`a batch came to ${done.outcome}`);
    });
    await Promise.all(batches);
  }
}

function show(cells: readonly BackupCell[]): string {
  return formatTable(
    [
      "profile",
      "pointers",
      "backup/s",
      "restore/s",
      "restore of 1 M, min",
      "backup CPU, s",
      "restore CPU, s",
      "load",
      "peak RSS, MiB",
    ],
    cells.map((cell) => [
      cell.profile,
      String(cell.pointers),
      cell.backupPerSecond.toFixed(0),
      cell.restorePerSecond.toFixed(0),
      cell.minutesPerMillion.toFixed(1),
      (cell.backupCpuMs / 1_000).toFixed(1),
      (cell.restoreCpuMs / 1_000).toFixed(1),
      cell.load.toFixed(1),
      cell.peakRssMib.toFixed(0),
    ]),
  );
}
