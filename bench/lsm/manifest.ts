import { loadavg } from "node:os";
import { SeededPrng } from "../../src/base/prng.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import type { SstMeta } from "../../src/lsm/format/sst-meta.ts";
import { mintUlid } from "../../src/lsm/format/ulid.ts";
import { ManifestObjects } from "../../src/lsm/manifest/objects.ts";
import type { ManifestState } from "../../src/lsm/manifest/store.ts";
import { EMPTY } from "../../src/lsm/ownership/take-over.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { type Cost, costOf } from "../../test/support/turns.ts";

/** A manifest of many tables, each figure in processor time of the thread, a round each. */
export interface ManifestFigures {
  readonly tables: number;
  readonly load: number;
  readonly bytes: number;
  readonly readCpuMs: readonly number[];
  readonly readTurnCpuMs: readonly number[];
  /** A change of a manifest that was read before. */
  readonly publishCpuMs: readonly number[];
  readonly publishTurnCpuMs: readonly number[];
}

const TABLES = 20_000;
const ROUNDS = 7;

/** Reads a manifest as a process does that opens the shard, and publishes a change of it. */
export async function benchManifest(smoke: boolean): Promise<ManifestFigures> {
  const tables = smoke ? TABLES / 20 : TABLES;
  const clock = new SystemClock();
  const store = new MemoryBlobStore(clock);
  const options = { store, clock, prefix: "", gcMinAgeMs: 0 };
  await new ManifestObjects(options).publish(stateOf(tables), 0);
  const [stored] = await store.list("manifest/");
  const reads: Cost[] = [];
  const publishes: Cost[] = [];
  for (let round = 0; round < (smoke ? 1 : ROUNDS); round++) {
    const manifests = new ManifestObjects(options);
    const read = await costOf(() => manifests.latest());
    const { result } = read;
    if (result === undefined) throw new Error("the manifest was published");
    const change = { ...result, walFrom: result.walFrom + 1 };
    reads.push(read);
    publishes.push(await costOf(() => manifests.publish(change, result.id)));
  }
  const figures: ManifestFigures = {
    tables,
    load: loadavg()[0] ?? 0,
    bytes: stored?.size ?? 0,
    readCpuMs: reads.map(({ cpuMs }) => cpuMs),
    readTurnCpuMs: reads.map(({ longestTurnMs }) => longestTurnMs),
    publishCpuMs: publishes.map(({ cpuMs }) => cpuMs),
    publishTurnCpuMs: publishes.map(({ longestTurnMs }) => longestTurnMs),
  };
  console.log(`${tables} tables, ${figures.bytes} bytes, load ${figures.load.toFixed(1)}`);
  for (const [name, times] of Object.entries(figures)) {
    if (!Array.isArray(times)) continue;
    console.log(`${name.padEnd(18)} ${times.map((ms: number) => ms.toFixed(1)).join("  ")}`);
  }
  return figures;
}

/** All of them in one run but for one of level 0. */
function stateOf(tables: number): ManifestState {
  const [clock, prng] = [new SystemClock(), new SeededPrng(1)];
  const made = Array.from({ length: tables }, (_, i): SstMeta => {
    const key = `tenant/${String(i).padStart(8, "0")}`;
    const counts = { entries: 100_000, deletions: 10, keys: 99_000, dataBlocks: 4_000 };
    const none = {
      merges: 0,
      ranges: 0,
      expiring: 0,
      firstExpiryMs: 0,
      lastExpiryMs: 0,
      filterParts: 0,
      apart: 0,
      apartBytes: 0,
    };
    const sequences = { minSequence: i * 10 + 1, maxSequence: i * 10 + 9 };
    const bounds = { firstKey: key, lastKey: `${key}z`, rawBytes: 60_000_000 };
    const stats = { ...counts, ...none, ...sequences, ...bounds, unknown: [] };
    const extent = { fileBytes: 67_108_864, tailBytes: 120_000 };
    return { id: mintUlid(clock, prng), ...extent, stats, unknown: [] };
  });
  const runs = [{ id: 1, tables: made.slice(0, -1), unknown: [] }];
  return { ...EMPTY, lastSequence: 10 * tables, level0: made.slice(-1), runs };
}
