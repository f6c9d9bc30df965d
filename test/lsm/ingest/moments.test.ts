import { describe, expect, it } from "vitest";
import { utf8, utf8Text } from "../../../src/base/bytes.ts";
import type { ListOptions, PutCondition } from "../../../src/blob/port.ts";
import type { Engine } from "../../../src/lsm/engine/engine.ts";
import { decodeManifest, encodeManifest } from "../../../src/lsm/format/manifest.ts";
import type { LsmTuning } from "../../../src/lsm/options.ts";
import { FaultyBlobStore } from "../../support/faulty-blob-store.ts";
import { TimedShard } from "../support/timed-shard.ts";

const OPTIONS: Partial<LsmTuning> = { gcMinAgeMs: 0, ingestBytes: 4_000, tableBytes: 8_000 };

const keyOf = (i: number): Uint8Array => utf8(`row ${String(i).padStart(6, "0")}`);

async function readRow(world: TimedShard, engine: Pick<Engine, "get">, i: number) {
  const value = await world.run(Promise.resolve(engine.get(keyOf(i))));
  return value && utf8Text(value);
}

async function begin(world: TimedShard, engine: Engine, value: string) {
  const ingest = engine.ingest({ ranges: [{ prefix: utf8("row ") }] });
  const rows = Array.from({ length: 200 }, (_, i) => ({ key: keyOf(i), value: utf8(value) }));
  await world.run(ingest.add(rows));
  return ingest;
}

/** Holds back the next manifest until it is let go. */
function heldManifest(world: TimedShard) {
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const put = world.store.put.bind(world.store);
  world.store.put = async (path: string, bytes: Uint8Array, condition?: PutCondition) => {
    if (path.includes("manifest/")) {
      world.store.put = put;
      reached.resolve();
      await released.promise;
    }
    return await put(path, bytes, condition);
  };
  return { reached: reached.promise, release: () => released.resolve() };
}

describe("while an ingest is published", () => {
  it("nobody reads a sequence of which its rows are not there yet", async () => {
    const world = new TimedShard();
    const engine = await world.open(OPTIONS);
    const reader = await world.read({ follow: { pollMs: 0 } });
    await world.run(Promise.resolve(engine.put(utf8("a"), utf8("1"), { durable: true })));
    const ingest = await begin(world, engine, "loaded");
    await world.run(engine.flush());
    const { lastSequence } = engine;
    const held = heldManifest(world);
    const committing = ingest.commit();
    await world.run(held.reached);
    const snapshot = engine.snapshot();
    expect([engine.lastSequence, snapshot.sequence]).toEqual([lastSequence, lastSequence]);
    // The log has its sequence by now, which says nothing of its rows.
    await world.run(reader.refresh());
    expect(reader.sequence).toBe(lastSequence);
    const writing = Promise.resolve(engine.put(utf8("b"), utf8("2"), { durable: true }));
    await world.clock.advance(10);
    expect(await engine.get(utf8("b"))).toBe(undefined);
    held.release();
    const { sequence } = await world.run(committing);
    await world.run(writing);
    expect([sequence, engine.lastSequence]).toEqual([lastSequence + 1, lastSequence + 2]);
    const before = await world.run(Promise.resolve(engine.get(keyOf(7), { snapshot })));
    expect([before, await readRow(world, engine, 7)]).toEqual([undefined, "loaded"]);
    await world.run(reader.waitFor(sequence + 1));
    expect(await readRow(world, reader, 7)).toBe("loaded");
    await world.run(reader.close());
  });

  it("what is written while others are flushed lies in tables before its rows do", async () => {
    const world = new TimedShard();
    const engine = await world.open(OPTIONS);
    const ingest = await begin(world, engine, "loaded");
    await world.run(Promise.resolve(engine.put(utf8("a"), utf8("1"))));
    const held = heldManifest(world);
    const committing = ingest.commit();
    await world.run(held.reached);
    await world.run(Promise.resolve(engine.put(utf8("b"), utf8("2"), { durable: true })));
    held.release();
    const { sequence } = await world.run(committing);
    expect((await world.newest()).lastSequence).toBe(sequence);
    // Another process finds all of it.
    const other = await world.open(OPTIONS);
    for (const key of ["a", "b"]) {
      expect(await world.run(Promise.resolve(other.get(utf8(key))))).toBeDefined();
    }
    expect(await readRow(world, other, 7)).toBe("loaded");
  });

  it("a reader never passes its sequence with tables of before, whenever it looks", async () => {
    const seen = new Set<boolean>();
    for (let at = 0, met = true; met; at++) {
      const world = new TimedShard();
      const engine = await world.open(OPTIONS);
      await world.run(Promise.resolve(engine.put(utf8("a"), utf8("1"), { durable: true })));
      const ingest = await begin(world, engine, "loaded");
      await world.run(engine.flush());
      let from = Number.POSITIVE_INFINITY;
      met = false;
      const done = Promise.withResolvers<number>();
      // Before one of the calls of a look it is published, and something is written behind it.
      const publish = async (): Promise<void> => {
        const { sequence } = await ingest.commit();
        await engine.put(utf8("b"), utf8("2"), { durable: true });
        done.resolve(sequence);
      };
      let last = -1;
      const store = new FaultyBlobStore(world.store, (index) => {
        last = index;
        if (from === Number.POSITIVE_INFINITY || index !== from + at) return undefined;
        met = true;
        return { fault: "stalled", applied: "after", until: publish };
      });
      const reader = await world.read({ follow: { pollMs: 0 } }, {}, store);
      from = last + 1;
      await world.run(reader.refresh());
      if (met) {
        const sequence = await world.run(done.promise);
        const passed = reader.sequence >= sequence;
        seen.add(passed);
        expect([at, await readRow(world, reader, 7)]).toEqual([at, passed ? "loaded" : undefined]);
        await world.run(reader.waitFor(sequence));
        expect(await readRow(world, reader, 7)).toBe("loaded");
      }
      await world.run(reader.close());
    }
    expect(seen.size).toBe(2);
  });
});

describe("a compaction of rows that are named and not seen", () => {
  it("keeps the state before it until readers see it", async () => {
    const world = new TimedShard();
    const engine = await world.open(OPTIONS);
    for (let i = 0; i < 200; i += 10) {
      await world.run(Promise.resolve(engine.put(keyOf(i), utf8("old"))));
    }
    await world.run(engine.flush());
    const ingest = await begin(world, engine, "loaded");
    // Between the manifest that names its rows and the moment at which they are seen.
    const named = Promise.withResolvers<void>();
    const seen = Promise.withResolvers<void>();
    const list = world.store.list.bind(world.store);
    world.store.list = async (prefix: string, options?: ListOptions) => {
      if (prefix.includes("wal/") && (await world.newest()).lastSequence > engine.lastSequence) {
        world.store.list = list;
        named.resolve();
        await seen.promise;
      }
      return await list(prefix, options);
    };
    const committing = ingest.commit();
    await world.run(named.promise);
    await world.run(engine.compact());
    const snapshot = engine.snapshot();
    const at = async () => await world.run(Promise.resolve(engine.get(keyOf(10), { snapshot })));
    expect(snapshot.sequence).toBe(engine.lastSequence);
    expect(Buffer.from((await at()) ?? []).toString()).toBe("old");
    seen.resolve();
    const { sequence } = await world.run(committing);
    expect(sequence).toBe(snapshot.sequence + 1);
    expect(Buffer.from((await at()) ?? []).toString()).toBe("old");
    snapshot.close();
    expect(await readRow(world, engine, 10)).toBe("loaded");
  });
});

describe("tables of an ingest", () => {
  it("lie above what they replace, in level 0 and below", async () => {
    const world = new TimedShard();
    const engine = await world.open(OPTIONS);
    const put = (value: string) =>
      world.run(Promise.resolve(engine.write([{ op: "put", key: keyOf(3), value: utf8(value) }])));
    await put("first");
    await world.run(engine.compact());
    await put("second");
    await world.run(engine.flush());
    await world.run((await begin(world, engine, "third")).commit());
    expect((await world.newest()).level0.length).toBeGreaterThan(1);
    expect(await readRow(world, engine, 3)).toBe("third");
    await world.run(engine.compact());
    expect(await readRow(world, engine, 3)).toBe("third");
    await world.run((await begin(world, engine, "fourth")).commit());
    // Nothing of level 0 meets them, so they are a run above that which does.
    const { level0, runs } = await world.newest();
    expect([level0.length, runs.length]).toEqual([0, 2]);
    expect(await readRow(world, engine, 3)).toBe("fourth");
  });

  it("join a run that they do not meet, and are known by a feature of the manifest", async () => {
    const world = new TimedShard();
    const engine = await world.open(OPTIONS);
    for (const value of ["1", "2"]) {
      await world.run(Promise.resolve(engine.put(utf8("a"), utf8(value))));
      await world.run(engine.flush());
    }
    await world.run(engine.compact());
    expect(encodeManifest(await world.newest())[12]! & 128).toBe(0);
    await world.run((await begin(world, engine, "loaded")).commit());
    const newest = await world.newest();
    expect([newest.level0.length, newest.runs.length]).toEqual([0, 1]);
    const bytes = encodeManifest(newest);
    expect(bytes[12]! & 128).toBe(128);
    expect(decodeManifest(bytes)).toEqual(newest);
    const [, table] = newest.runs[0]!.tables;
    expect(table).toMatchObject({ sequence: 3, stats: { minSequence: 3, maxSequence: 3 } });
    // A description whose statistics are those of another sequence is damage.
    const wrong = { ...table!, sequence: 1 };
    const run = { ...newest.runs[0]!, tables: [newest.runs[0]!.tables[0]!, wrong] };
    expect(() => decodeManifest(encodeManifest({ ...newest, runs: [run] }))).toThrow(
      expect.objectContaining({ kind: "Corrupt" }),
    );
  });
});
