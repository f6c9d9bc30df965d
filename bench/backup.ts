import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
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
import { startDouble } from "./double-process.ts";
import { formatTable } from "./report.ts";

/*
 * Backup of a catalog of namespaces to a directory, and its restore into an empty store. Rates
 * count live pointers: a namespace has 10, and the source also keeps their change records.
 */

/** The recovery time objective for a million pointers. */
const GOAL_MINUTES = 10;
const WEEK_MS = 7 * 86_400_000;
const ACTOR = { requestId: "bench", principal: "bench" } as const;
/** A smoke run makes this many on each profile: its figures mean nothing. */
const SMOKE_NAMESPACES = 50;
/** Namespaces that are made, by how long that takes. */
const NAMESPACES = { memory: 20_000, local: 5_000, aws: 1_000 } as const;
/** Namespaces that are made at once. */
const WRITERS = 64;

export interface BackupCell {
  readonly profile: "memory" | "local" | "aws";
  /** That the restore wrote. */
  readonly pointers: number;
  readonly backupMs: number;
  readonly restoreMs: number;
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
  const source = await open(options("from"), parts);
  await fill({ ...source, ...parts }, namespaces);
  const begun = performance.now();
  const { uncached: blobs = source.blobs, pointers } = source;
  await takeBackup({ ...parts, pointers, blobs, target, historyRetentionMs: WEEK_MS }, "default");
  const backupMs = performance.now() - begun;
  await source.close();
  const into = await open(options("into"), parts);
  const restoring = performance.now();
  const backup = await findBackup(target);
  const report = await restoreBackup({ ...into, ...parts, source: target }, backup);
  const restoreMs = performance.now() - restoring;
  await into.close();
  const restorePerSecond = (report.pointers / restoreMs) * 1_000;
  const minutesPerMillion = 1_000_000 / restorePerSecond / 60;
  return {
    profile,
    pointers: report.pointers,
    backupMs,
    restoreMs,
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

async function fill(
  stores: Parameters<typeof AccountCatalog.open>[0],
  namespaces: number,
): Promise<void> {
  const catalog = await AccountCatalog.open(stores, "default");
  await catalog.catalogs.create(ACTOR, { name: "c", defaultLocation: "file:///bench" });
  for (let from = 0; from < namespaces; from += WRITERS) {
    const some = Array.from({ length: Math.min(WRITERS, namespaces - from) }, (_, i) =>
      catalog.namespaces.create(ACTOR, { catalog: "c", path: [`n${from + i}`] }, {}),
    );
    await Promise.all(some);
  }
}

function show(cells: readonly BackupCell[]): string {
  return formatTable(
    ["profile", "pointers", "backup/s", "restore/s", "restore of 1 M, min", "peak RSS, MiB"],
    cells.map((cell) => [
      cell.profile,
      String(cell.pointers),
      cell.backupPerSecond.toFixed(0),
      cell.restorePerSecond.toFixed(0),
      cell.minutesPerMillion.toFixed(1),
      cell.peakRssMib.toFixed(0),
    ]),
  );
}
