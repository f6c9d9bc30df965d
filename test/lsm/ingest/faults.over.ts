import { describe, expect, it } from "vitest";
import { utf8, utf8Text } from "../../../src/base/bytes.ts";
import { FirnError } from "../../../src/base/error.ts";
import { SeededPrng } from "../../../src/base/prng.ts";
import type { BlobStore } from "../../../src/blob/port.ts";
import { Engine } from "../../../src/lsm/engine/engine.ts";
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
  ingestBytes: 120,
  compaction: "manual",
  gcMinAgeMs: 0,
};
const ROWS = 16;

/** A process that ingests all rows again and again, each time with another value, and writes. */
class Loads implements Scenario {
  readonly clock: SleepIsTime = new SleepIsTime();
  readonly #processes = new Processes();
  /** The last load, and the last write beside it, that was acknowledged; and begun. */
  readonly #acknowledged = { load: 0, write: 0 };
  readonly #begun = { load: 0, write: 0 };

  open(store: BlobStore): Promise<Engine> {
    const { clock } = this;
    const node = this.#processes.start({ sight: () => "dead" });
    const prng = new SeededPrng(this.#processes.count);
    const wal = new ObjectWalStore(store, { clock, prng, prefix: "wal/" });
    const merger = new InlineMerger(clock, 2);
    return Engine.open({ store, wal, clock, prng, node, merger, forTests: OPTIONS });
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
    for (let round = 0; round < 2; round++) {
      // A fault may have ended the load; the engine goes on all the same, unless it failed.
      await this.load(engine).catch((error: unknown) => {
        if (engine.failure !== undefined) throw error;
      });
      await this.write(engine);
      await this.check(engine);
    }
    await engine.compact();
    await engine.collectGarbage();
    await this.check(engine);
    await engine.close();
  }

  async load(engine: Engine): Promise<void> {
    const round = ++this.#begun.load;
    const ingest = engine.ingest({ ranges: [{ prefix: utf8("row ") }] });
    try {
      for (let i = 0; i < ROWS; i++) {
        const key = utf8(`row ${String((i * 7) % ROWS).padStart(3, "0")}`);
        await ingest.add([{ key, value: utf8(String(round)) }]);
      }
    } catch (error) {
      await ingest.abort();
      throw error;
    }
    await ingest.commit();
    this.#acknowledged.load = round;
  }

  async write(engine: Engine): Promise<void> {
    const value = ++this.#begun.write;
    await engine.put(utf8("beside"), utf8(String(value)), { durable: true });
    this.#acknowledged.write = value;
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
    expect((await store.list("sst/")).length).toBe(tree.tables);
    await this.load(engine);
    await this.check(engine);
    await engine.close();
    const wal = new ObjectReader(store, "wal/");
    const findings = verifyShard({ store, prefix: "", wal, clock: this.clock });
    for await (const finding of findings) expect(finding).toBeUndefined();
  }

  /** Each load is there whole or not at all, and an acknowledged one stays until the next. */
  async check(engine: Engine): Promise<void> {
    const values = new Set<string>();
    let rows = 0;
    for await (const batch of engine.scan({ prefix: utf8("row ") })) {
      for (const { value } of batch) values.add(utf8Text(value));
      rows += batch.length;
    }
    expect(values.size).toBe(rows === 0 ? 0 : 1);
    expect([0, ROWS]).toContain(rows);
    const [load = "0"] = values;
    const beside = await engine.get(utf8("beside"));
    const write = beside === undefined ? 0 : Number(utf8Text(beside));
    for (const [name, now] of [
      ["load", Number(load)],
      ["write", write],
    ] as const) {
      expect(now).toBeGreaterThanOrEqual(this.#acknowledged[name]);
      expect(now).toBeLessThanOrEqual(this.#begun[name]);
    }
  }
}

const make = (): Scenario => new Loads();

describe("every store call of an ingest", () => {
  it.each(Object.keys(STORE_FAULTS))("%s: it appears whole or not at all", async (name) => {
    const faultAt = STORE_FAULTS[name]!;
    const calls = await everyCall((at) => runWith(make, faultAt, at));
    expect(calls).toBeGreaterThan(30);
  });

  it.each(["before", "after"] as const)("the process ends, applied %s that", async (applied) => {
    const calls = await everyCall((at) => runTo(make, at, applied));
    expect(calls).toBeGreaterThan(30);
  });
});
