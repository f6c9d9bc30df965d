import { describe, expect, it } from "vitest";
import { utf8, utf8Text } from "../../../src/base/bytes.ts";
import { FirnError } from "../../../src/base/error.ts";
import { SeededPrng } from "../../../src/base/prng.ts";
import { MemoryBlobStore } from "../../../src/blob/memory.ts";
import type { BlobStore } from "../../../src/blob/port.ts";
import { Engine } from "../../../src/lsm/engine/engine.ts";
import { ManifestObjects } from "../../../src/lsm/manifest/objects.ts";
import type { LsmTuning } from "../../../src/lsm/options.ts";
import { verifyShard } from "../../../src/lsm/tools/verify.ts";
import { ObjectWalStore } from "../../../src/lsm/wal/objects.ts";
import { ObjectReader } from "../../../src/lsm/wal/reader.ts";
import { InlineMerger } from "../../support/inline-merger.ts";
import { SleepIsTime } from "../../support/virtual-clock.ts";
import { everyCall, runTo, runWith, type Scenario, STORE_FAULTS } from "../support/every-call.ts";
import { Processes } from "../support/worlds.ts";

const OPTIONS: Partial<LsmTuning> = {
  blockBytes: 64,
  tableBytes: 400,
  compactionL0Tables: 2,
  compactionSubrangeBytes: 200,
  inlineValueBytes: 6,
  gcMinAgeMs: 0,
};

/** A process that overwrites and deletes, flushes, compacts and collects. */
class Overwrites implements Scenario {
  readonly clock: SleepIsTime = new SleepIsTime();
  readonly #processes = new Processes();
  /** The last round that was acknowledged, and the last that was begun. */
  #acknowledged = 0;
  #begun = 0;

  open(store: BlobStore, options: Partial<LsmTuning> = OPTIONS): Promise<Engine> {
    const { clock } = this;
    const node = this.#processes.start({ sight: () => "dead" });
    const prng = new SeededPrng(this.#processes.count);
    const wal = new ObjectWalStore(store, { clock, prng, prefix: "wal/" });
    const merger = new InlineMerger(clock, 3);
    return Engine.open({ store, wal, clock, prng, node, merger, forTests: options });
  }

  async run(store: BlobStore, died: Promise<void> = new Promise(() => undefined)): Promise<void> {
    try {
      await Promise.race([this.#live(store), died]);
    } catch (error) {
      if (!(error instanceof FirnError)) throw error;
      expect(["Unavailable", "Unknown"]).toContain(error.kind);
    }
  }

  async #live(store: BlobStore): Promise<void> {
    const engine = await this.open(store);
    for (let flush = 0; flush < 2; flush++) {
      await this.write(engine);
      await engine.flush();
    }
    await engine.compact();
    await engine.collectGarbage();
    await this.write(engine);
    await this.check(engine);
    await engine.close();
  }

  /** A round overwrites eight keys, adds one, and deletes that of the round before. */
  async write(engine: Engine): Promise<void> {
    const round = ++this.#begun;
    const put = (key: string, text: string) => ({
      op: "put" as const,
      key: utf8(key),
      value: utf8(text),
    });
    const steady = Array.from({ length: 8 }, (_, i) => {
      return put(`steady ${i}`, steadyValue(i, round));
    });
    const before = { op: "delete" as const, key: utf8(`round ${round - 1}`) };
    await engine.write([...steady, put(`round ${round}`, String(round)), before], {
      durable: true,
    });
    this.#acknowledged = round;
  }

  async verify(store: BlobStore): Promise<void> {
    const engine = await this.open(store);
    await this.check(engine);
    await engine.compact();
    await engine.collectGarbage();
    await this.check(engine);
    const { tree, gc } = engine.stats();
    expect(gc.obsoleteBytes).toBe(0);
    // Nothing is left of what failed, and nothing that is needed is gone.
    const stored = (await store.list("sst/")).length;
    expect(stored).toBe(tree.tables);
    const values = (await store.list("values/")).length;
    expect(values).toBe(this.#acknowledged === 0 ? values : APART);
    await engine.close();
    const wal = new ObjectReader(store, "wal/");
    const findings = verifyShard({ store, prefix: "", wal, clock: this.clock });
    for await (const finding of findings) expect(finding).toBeUndefined();
  }

  async check(engine: Engine): Promise<void> {
    const rows = new Map<string, string>();
    for await (const batch of engine.scan()) {
      for (const { key, value } of batch) rows.set(utf8Text(key), utf8Text(value));
    }
    if (rows.size === 0) {
      expect(this.#acknowledged).toBe(0);
      return;
    }
    const round = Number(rows.get("steady 0"));
    expect(round).toBeGreaterThanOrEqual(this.#acknowledged);
    expect(round).toBeLessThanOrEqual(this.#begun);
    for (let i = 0; i < 8; i++) expect(rows.get(`steady ${i}`)).toBe(steadyValue(i, round));
    // Rounds that nobody acknowledged may be missing, and with them what they would have deleted.
    expect(rows.get(`round ${round}`)).toBe(String(round));
    expect(rows.has(`round ${round - 1}`)).toBe(false);
  }
}

/** Some of the values go apart. */
const APART = 2;

function steadyValue(i: number, round: number): string {
  return i < APART ? String(round).padStart(9, "0") : String(round);
}

const make = (): Scenario => new Overwrites();

describe("every store call of flushing, compacting and collecting", () => {
  it.each(Object.keys(STORE_FAULTS))(
    "%s: what was acknowledged stands, the rest goes",
    async (name) => {
      const faultAt = STORE_FAULTS[name]!;
      const calls = await everyCall((at) => runWith(make, faultAt, at));
      expect(calls).toBeGreaterThan(40);
    },
  );

  it.each(["before", "after"] as const)("the process ends, applied %s that", async (applied) => {
    const calls = await everyCall((at) => runTo(make, at, applied));
    expect(calls).toBeGreaterThan(40);
  });
});

/** An engine with some tables of level 0, that compacts when it is asked to. */
async function withTables(options: Partial<LsmTuning> = {}) {
  const scenario = new Overwrites();
  const store = new MemoryBlobStore(scenario.clock);
  const engine = await scenario.open(store, { ...OPTIONS, compaction: "manual", ...options });
  for (let flush = 0; flush < 3; flush++) {
    await scenario.write(engine);
    await engine.flush();
  }
  return { scenario, store, engine };
}

describe("a compactor", () => {
  it("publishes nothing once another one has taken over, and its engine goes on", async () => {
    const { scenario, store, engine } = await withTables();
    const manifests = new ManifestObjects({
      store,
      clock: scenario.clock,
      prefix: "",
      gcMinAgeMs: 0,
    });
    const put = store.putStream.bind(store);
    store.putStream = async (path, source) => {
      store.putStream = put;
      // While the first compactor writes, a rival takes its epoch.
      const latest = (await manifests.latest())!;
      await manifests.publish({ ...latest, compactorEpoch: latest.compactorEpoch + 1 }, latest.id);
      return put(path, source);
    };
    await expect(engine.compact()).rejects.toMatchObject({ code: "LSM_COMPACTOR_FENCED" });
    expect(engine.stats().tree.l0Tables).toBe(3);
    await scenario.write(engine);
    await scenario.check(engine);
    await engine.collectGarbage();
    expect((await store.list("sst/")).length).toBe(3);
    await engine.close();
  });

  it("keeps what an open snapshot sees, and drops it when nobody does", async () => {
    const { scenario, engine } = await withTables();
    const snapshot = engine.snapshot();
    const at = async (key: string): Promise<string | undefined> => {
      const value = await engine.get(utf8(key), { snapshot });
      return value && utf8Text(value);
    };
    await scenario.write(engine);
    await engine.compact();
    expect([await at("steady 5"), await at("round 3"), await at("round 4")]).toEqual([
      "3",
      "3",
      undefined,
    ]);
    const { entries } = engine.stats().tree;
    snapshot.close();
    await engine.compact();
    expect(engine.stats().tree.entries).toBeLessThan(entries);
    expect(engine.stats().tree.deletions).toBe(0);
    await scenario.check(engine);
    await engine.close();
  });

  it("names the file and the place where an input is damaged, and drops nothing", async () => {
    const { scenario, store, engine } = await withTables({ compaction: "manual" });
    const [victim] = await store.list("sst/");
    const bytes = new Uint8Array((await store.get(victim!.path))!.bytes);
    bytes[20] = (bytes[20] ?? 0) ^ 4;
    await store.put(victim!.path, bytes);
    await expect(engine.compact()).rejects.toMatchObject({
      kind: "Corrupt",
      context: { path: victim!.path, offset: 0 },
    });
    expect(engine.stats().compaction).toMatchObject({ compactions: 0, failures: 1 });
    expect(engine.stats().compaction.damagedTables).toBe(1);
    expect(engine.stats().tree.l0Tables).toBe(3);
    await engine.collectGarbage();
    expect((await store.list("sst/")).map(({ path }) => path)).toContain(victim!.path);
    // What newer tables hold is served, and what is newer is flushed.
    expect(utf8Text((await engine.get(utf8("steady 3")))!)).toBe("3");
    await scenario.write(engine);
    await engine.flush();
    await engine.close();
  });

  it("names a file that is gone, and on its own goes round it", async () => {
    const { scenario, store, engine } = await withTables();
    await engine.close();
    const [victim] = await store.list("sst/");
    await store.delete(victim!.path);
    const again = await scenario.open(store, { ...OPTIONS, compaction: "manual" });
    await expect(again.compact()).rejects.toMatchObject({
      code: "LSM_TABLE_MISSING",
      context: { path: victim!.path },
    });
    await again.close();
    const auto = await scenario.open(store);
    for (let flush = 0; flush < 6; flush++) {
      await scenario.write(auto);
      await auto.flush();
    }
    expect(utf8Text((await auto.get(utf8("steady 3")))!)).toBe("9");
    expect(auto.stats().compaction.damagedTables).toBe(1);
    await auto.close();
  });
});
