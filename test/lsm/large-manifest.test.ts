import { describe, expect, it } from "vitest";
import { SeededPrng } from "../../src/base/prng.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import { decodeManifest, decodingManifest, encodeManifest } from "../../src/lsm/format/manifest.ts";
import type { SstMeta } from "../../src/lsm/format/sst-meta.ts";
import { mintUlid } from "../../src/lsm/format/ulid.ts";
import { ManifestObjects } from "../../src/lsm/manifest/objects.ts";
import { readManifest } from "../../src/lsm/manifest/read-manifest.ts";
import type { ManifestState } from "../../src/lsm/manifest/store.ts";
import { EMPTY } from "../../src/lsm/ownership/take-over.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { costOf, expectShortTurns } from "../support/turns.ts";

const TABLES = 20_000;

/** A state of so many tables, in one run but for one of level 0. */
function stateOf(tables: number): ManifestState {
  const [clock, prng] = [new SystemClock(), new SeededPrng(1)];
  const made = Array.from({ length: tables }, (_, i): SstMeta => {
    const key = `tenant/${String(i).padStart(8, "0")}`;
    const stats = {
      entries: 100_000,
      deletions: 10,
      keys: 99_000,
      firstKey: key,
      lastKey: `${key}z`,
      minSequence: i * 10 + 1,
      maxSequence: i * 10 + 9,
      rawBytes: 60_000_000,
      dataBlocks: 4_000,
      merges: 0,
      ranges: 0,
      expiring: 0,
      firstExpiryMs: 0,
      lastExpiryMs: 0,
      filterParts: 0,
      apart: 0,
      apartBytes: 0,
      unknown: [],
    };
    const extent = { fileBytes: 67_108_864, tailBytes: 120_000 };
    return { id: mintUlid(clock, prng), ...extent, stats, unknown: [] };
  });
  const level0 = made.slice(-1);
  const runs = [{ id: 1, tables: made.slice(0, -1), unknown: [] }];
  return { ...EMPTY, lastSequence: 10 * tables, level0, runs };
}

describe("a manifest of 20,000 tables", () => {
  it("is read and published by short turns, and is not encoded anew for each change", async () => {
    const clock = new SystemClock();
    const store = new MemoryBlobStore(clock);
    const options = { store, clock, prefix: "", gcMinAgeMs: 0 };
    await new ManifestObjects(options).publish(stateOf(TABLES), 0);
    // As another process does that opens the shard.
    const manifests = new ManifestObjects(options);
    const reading = () => costOf(() => manifests.latest());
    const read = await reading();
    await expectShortTurns("reading it", read, reading);
    expect(read.result?.runs[0]?.tables.length).toBe(TABLES - 1);
    let last = read.result;
    const publishing = () =>
      costOf(async () => {
        const next = last && { ...last, walFrom: last.walFrom + 1 };
        last = next && (await manifests.publish(next, next.id));
      });
    const published = await publishing();
    await expectShortTurns("publishing a change of it", published, publishing);
    // Much less than it takes to read it: tables that were read are stored again as they were.
    expect(published.cpuMs).toBeLessThan(read.cpuMs / 2);
    const stored = await new ManifestObjects(options).latest();
    expect(stored?.walFrom).toBe(last?.walFrom);
    expect(stored?.runs).toEqual(last?.runs);
  });

  it("gives way to others throughout its tables as it is read", async () => {
    const clock = new SystemClock();
    const store = new MemoryBlobStore(clock);
    await store.put("m", encodeManifest({ ...stateOf(TABLES), id: 1, writtenAtMs: 1 }));
    let turns = 0;
    const counted = {
      nowMs: () => clock.nowMs(),
      monotonicMs: () => clock.monotonicMs(),
      sleep: async () => void turns++,
    };
    await readManifest(store, "m", 1, counted);
    expect(turns).toBeGreaterThanOrEqual(Math.floor(TABLES / 256));
  });

  it("pauses between its tables while it is decoded", () => {
    const bytes = encodeManifest({ ...stateOf(500), id: 1, writtenAtMs: 1 });
    const decoding = decodingManifest(bytes);
    let pauses = 0;
    let next = decoding.next();
    for (; next.done !== true; next = decoding.next()) pauses++;
    // As its fields are found, too: eight at a time, before the first table is read.
    expect(pauses).toBeGreaterThanOrEqual(500 + Math.floor(499 / 8));
    expect(next.value).toEqual(decodeManifest(bytes));
  });
});

describe("a manifest of which some tables are changed", () => {
  it("is stored as one that was never stored before", () => {
    const read = decodeManifest(encodeManifest({ ...stateOf(20), id: 1, writtenAtMs: 1 }));
    const [run] = read.runs;
    const tables = (run?.tables ?? []).map((table, i) =>
      i % 2 === 0 ? table : { ...table, home: "other/", fileBytes: table.fileBytes + i },
    );
    const parent = { prefix: "other/", pin: "p", manifestId: 1, unknown: [] };
    const changed = { ...read, id: 2, parent, runs: [{ id: 2, tables, unknown: [] }] };
    // A copy is known to no cache.
    const fresh = encodeManifest(structuredClone(changed));
    expect(Buffer.from(encodeManifest(changed)).equals(fresh)).toBe(true);
    expect(decodeManifest(fresh).runs[0]?.tables[1]?.home).toBe("other/");
  });
});
