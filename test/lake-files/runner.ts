import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { FirnError } from "../../src/base/error.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { JOB_DONE } from "../../src/catalog/jobs.ts";
import { CATALOG_LIMITS } from "../../src/catalog/limits.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { SERVICE_LIMITS } from "../../src/service/limits.ts";
import { type Reading, threadReading } from "../../src/service/reading.ts";
import { Size } from "../http/fuzz/shapes/size.ts";
import { TURN_LIMIT_MS } from "../http/fuzz/turns.ts";
import { ACTOR, testStores } from "../support/open-catalog.ts";
import { commitOf, openTestIceberg, SCHEMA } from "../support/open-iceberg.ts";
import { costOf } from "../support/turns.ts";
import { SleepIsTime } from "../support/virtual-clock.ts";
import { AVRO_FILES } from "./avro.ts";
import { METADATA_FILES } from "./metadata.ts";

const NS = { catalog: "c", namespace: ["a"] } as const;
/** A job that meets a file which cannot be read ends; it is not tried for ever. */
const MOST_ROUNDS = 4;
/** Nothing that is read of a lake's file takes this long, on a busy machine. */
const LIMIT_MS = 60_000;

/** What hostile files came to. */
export interface LakeFiles {
  readonly judged: number;
  readonly outcomes: ReadonlyMap<string, number>;
  readonly wrong: readonly string[];
}

/** Which file is read where, and by whose threads. */
interface Site {
  readonly name: string;
  readonly size: Size;
  readonly directory: string;
  readonly reading: () => Reading;
}

/** `registered`, `purged`, or the code of a refusal. */
type Outcome = string;

/** Reads every kind of hostile file once, or those whose names hold the text. */
export async function runLakeFiles(seed: number, only = ""): Promise<LakeFiles> {
  const outcomes = new Map<string, number>();
  const wrong: string[] = [];
  let judged = 0;
  const threads = threadReading(new SystemClock());
  const reading = (): Reading => threads;
  const judge = async (
    name: string,
    prepare: (directory: string) => Promise<() => Promise<Outcome>>,
  ): Promise<void> => {
    if (!name.includes(only)) return;
    judged++;
    const directory = mkdtempSync(join(tmpdir(), "firn-lake-"));
    try {
      const read = await prepare(directory);
      const startedMs = performance.now();
      const { result, longestTurnMs } = await costOf(read);
      outcomes.set(result, (outcomes.get(result) ?? 0) + 1);
      const tookMs = performance.now() - startedMs;
      if (longestTurnMs > TURN_LIMIT_MS) {
        wrong.push(`${name}: the event loop was held for ${Math.round(longestTurnMs)} ms`);
      }
      if (tookMs > LIMIT_MS) wrong.push(`${name}: it took ${Math.round(tookMs)} ms`);
    } catch (error) {
      wrong.push(`${name}: ${error instanceof Error ? error.stack : String(error)}`);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  };
  for (const name of METADATA_FILES.keys()) {
    const size = new Size(new SeededPrng(seed + judged));
    await judge(`metadata: ${name}`, (directory) => register({ name, size, directory, reading }));
  }
  for (const name of AVRO_FILES.keys()) {
    const size = new Size(new SeededPrng(seed + judged));
    await judge(`manifest list: ${name}`, (directory) => purge({ name, size, directory, reading }));
  }
  await threads.close();
  return { judged, outcomes, wrong };
}

function plant(path: string, bytes: Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
}

/** A metadata file that is registered, and loaded where that succeeds. */
async function register({ name, size, directory, reading }: Site): Promise<() => Promise<Outcome>> {
  const { iceberg } = await openTestIceberg(testStores(), directory, { reading });
  await iceberg.createNamespace(ACTOR, NS, {});
  const location = `file://${directory}/t`;
  const hostile = METADATA_FILES.get(name)?.(size, location);
  if (hostile === undefined) throw new Error(`no file is named ${name}`);
  const leaf = hostile.gzip ? "1.gz.metadata.json" : "1.metadata.json";
  plant(join(directory, "t", "metadata", leaf), hostile.bytes);
  const metadataLocation = `${location}/metadata/${leaf}`;
  return async () => {
    try {
      await iceberg.registerTable(ACTOR, NS, { name: "t", metadataLocation, overwrite: false });
      return "registered";
    } catch (error) {
      return refusalOf(error);
    }
  };
}

/** Only a typed refusal that blames the file is one. */
function refusalOf(error: unknown): Outcome {
  if (!(error instanceof FirnError) || error.kind !== "Invalid") throw error;
  return error.code;
}

/** A table that is purged while its one snapshot's manifest list is hostile. */
async function purge({ name, size, directory, reading }: Site): Promise<() => Promise<Outcome>> {
  const clock = new SleepIsTime();
  const { catalog, iceberg, runner } = await openTestIceberg(testStores({ clock }), directory, {
    reading,
  });
  await iceberg.createNamespace(ACTOR, NS, {});
  const table = { name: "t", schema: SCHEMA, properties: {}, stageCreate: false };
  const created = await iceberg.createTable(ACTOR, NS, table);
  const location = /"location":"([^"]+)"/.exec(Buffer.concat(created.metadata).toString())?.[1];
  if (location === undefined) throw new Error("a created table has no location");
  const list = `${location}/metadata/snap-1.avro`;
  const bytes = AVRO_FILES.get(name)?.(size);
  if (bytes === undefined) throw new Error(`no file is named ${name}`);
  plant(list.slice("file://".length), bytes);
  const snapshot = {
    "snapshot-id": 1,
    "sequence-number": 1,
    "timestamp-ms": clock.nowMs(),
    "manifest-list": list,
    summary: { operation: "append" },
  };
  const commit = commitOf([{ action: "add-snapshot", snapshot }]);
  await iceberg.commitTable(ACTOR, { ...NS, table: "t" }, commit);
  await iceberg.dropTable(ACTOR, { ...NS, table: "t" }, { purgeRequested: true });
  await clock.sleep(CATALOG_LIMITS.dropRetentionMs);
  return async () => {
    for (let round = 0; round < MOST_ROUNDS; round++) {
      await runner.runDue();
      // The record of a job that is over stays for days.
      const { items } = await catalog.jobs.list();
      if (items.length === 1 && items.every(({ step }) => step === JOB_DONE)) return "purged";
      await clock.sleep(SERVICE_LIMITS.jobRetryCapMs);
    }
    throw new Error("the purge is tried again and again");
  };
}
