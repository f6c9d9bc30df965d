import { describe, expect, it } from "vitest";
import { utf8, utf8Text } from "../../src/base/bytes.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import type { Engine } from "../../src/lsm/engine/engine.ts";
import { encodeValue } from "../../src/lsm/format/value-reference.ts";
import type { LsmTuning } from "../../src/lsm/options.ts";
import { BlockCache } from "../../src/lsm/read/cache.ts";
import { int64Bytes, int64Of } from "../../src/lsm/read/operators.ts";
import { openReader } from "../../src/lsm/read/reader.ts";
import { inspectShard, inspectTable } from "../../src/lsm/tools/inspect.ts";
import { repairShard } from "../../src/lsm/tools/repair/repair.ts";
import { ObjectReader } from "../../src/lsm/wal/reader.ts";
import { FaultyBlobStore } from "../support/faulty-blob-store.ts";
import { readOne, TimedShard } from "./support/timed-shard.ts";

/** Values of more than ten bytes go apart. */
const OPTIONS: Partial<LsmTuning> = { gcMinAgeMs: 0, inlineValueBytes: 10 };
const ROWS = 50;
/** A scan reads as far ahead as there is something. */
const WIDE: Partial<LsmTuning> = { blockBytes: 16_384, readAheadBytes: 1_000_000 };

const longOf = (text: string): string => `a long value: ${text}`;

async function rowsOf(
  world: TimedShard,
  source: Pick<Engine, "scan">,
  reverse = false,
): Promise<readonly (readonly [string, string])[]> {
  const rows: (readonly [string, string])[] = [];
  const scan = source.scan({ reverse, batchRows: 7 });
  for (;;) {
    const batch = await world.run(Promise.resolve(scan.next()));
    if (batch === undefined) return rows;
    for (const { key, value } of batch) rows.push([utf8Text(key), utf8Text(value)]);
  }
}

const valueReads = (engine: Engine): number => engine.stats().reads.valueReads;

describe("long values in objects apart", () => {
  it("are written before their table, and read by get, getMany and scans both ways", async () => {
    const world = new TimedShard();
    const puts: string[] = [];
    const store = new FaultyBlobStore(world.store, (_, method, [path]) => {
      if (method === "put" || method === "putStream") puts.push(String(path).split("/")[0] ?? "");
      return undefined;
    });
    const engine = await world.open(OPTIONS, store);
    await world.run(Promise.resolve(engine.write([put("a", "short"), put("b", longOf("b"))])));
    await world.run(engine.flush());
    const order = puts.filter((folder) => folder !== "wal").slice(-3);
    expect(order).toEqual(["values", "sst", "manifest"]);
    expect(await world.names("values/")).toHaveLength(1);
    const keys = ["a", "b", "c"].map(utf8);
    const many = await world.run(Promise.resolve(engine.getMany(keys)));
    expect(many.map((one) => one && utf8Text(one))).toEqual(["short", longOf("b"), undefined]);
    const rows = [
      ["a", "short"],
      ["b", longOf("b")],
    ];
    expect(await rowsOf(world, engine)).toEqual(rows);
    expect(await rowsOf(world, engine, true)).toEqual(rows.toReversed());
    const [table] = await world.names("sst/");
    // Byte 28 of the footer: a version without them refuses the table, and the manifest of it.
    const file = Buffer.from((await world.store.get(table!))!.bytes);
    expect(file.readUInt32LE(file.length - 116 + 28)).toBe(8);
    const [manifest] = (await world.names("manifest/")).slice(-1);
    const state = Buffer.from((await world.store.get(manifest!))!.bytes);
    expect(state.readUInt32LE(12)).toBe(8);
  });

  it("are not read by scans of keys; a scan reads those that follow with the first", async () => {
    const world = new TimedShard();
    const engine = await world.open({ ...OPTIONS, ...WIDE });
    await world.flush(engine, longOf("1"));
    const scan = engine.scan({ keysOnly: true });
    let rows = 0;
    for (;;) {
      const batch = await world.run(Promise.resolve(scan.nextPacked()));
      if (batch === undefined) break;
      rows += batch.count;
    }
    expect([rows, valueReads(engine)]).toEqual([ROWS, 0]);
    const calls: number[] = [];
    const reader = await world.open({ ...OPTIONS, ...WIDE });
    const values = reader.scan();
    for (;;) {
      const batch = await world.run(Promise.resolve(values.next()));
      if (batch === undefined) break;
      calls.push(valueReads(reader));
    }
    // All of them were asked for when the first was missing.
    expect([calls[0], calls.at(-1)]).toEqual([ROWS, ROWS]);
  });

  it("stay what they are when tables are compacted", async () => {
    const world = new TimedShard();
    const engine = await world.open(OPTIONS);
    await world.flush(engine, longOf("1"));
    await world.run(Promise.resolve(engine.write([put("other", "1")])));
    await world.run(engine.flush());
    const before = await world.names("values/");
    const reads = valueReads(engine);
    await world.run(engine.compact());
    await world.run(engine.collectGarbage());
    expect(await world.names("sst/")).toHaveLength(1);
    expect(await world.names("values/")).toEqual(before);
    expect(valueReads(engine)).toBe(reads);
    expect(await world.run(readOne(engine))).toBe(longOf("1"));
    const { tree } = engine.stats();
    expect(tree.rawBytes).toBeGreaterThan(ROWS * longOf("1").length);
  });
});

describe("long values beside others", () => {
  it("are what operands are based on", async () => {
    const world = new TimedShard();
    const engine = await world.open({ ...OPTIONS, inlineValueBytes: 1 });
    const add = { op: "merge" as const, key: utf8("n"), operator: "add", value: int64Bytes(2n) };
    const first = { op: "put" as const, key: utf8("n"), value: int64Bytes(40n) };
    await world.run(Promise.resolve(engine.write([first])));
    await world.run(engine.flush());
    await world.run(Promise.resolve(engine.write([add])));
    await world.run(engine.flush());
    for (let compacted = 0; compacted < 2; compacted++) {
      const value = await world.run(Promise.resolve(engine.get(utf8("n"))));
      expect(int64Of(value!)).toBe(42n);
      for (const reverse of [false, true]) {
        const batch = await world.run(Promise.resolve(engine.scan({ reverse }).next()));
        expect(int64Of(batch![0]!.value)).toBe(42n);
        const keys = engine.scan({ reverse, keysOnly: true });
        const packed = await world.run(Promise.resolve(keys.nextPacked()));
        expect(packed?.count).toBe(1);
      }
      await world.run(engine.compact());
    }
  });

  it("are held while a scan is at them, with a cache that keeps nothing", async () => {
    const world = new TimedShard();
    const engine = await world.open(OPTIONS);
    await world.flush(engine, longOf("1"));
    const { store, clock } = world;
    const [wal, prng, cache] = [
      new ObjectReader(store, "wal/"),
      new SeededPrng(1),
      new BlockCache(0),
    ];
    const parts = { store, wal, clock, prng, cache, forTests: { readAheadBytes: 500 } };
    const reader = await world.run(openReader(parts, { newest: true }));
    expect(await rowsOf(world, reader)).toHaveLength(ROWS);
    // Each was read once: what was read ahead was there when it was needed.
    expect(reader.stats().reads.valueReads).toBe(ROWS);
    await world.run(reader.close());
  });

  it("end a table before their ids make a large tail", async () => {
    const world = new TimedShard();
    const engine = await world.open({ ...OPTIONS, inlineValueBytes: 1, blockBytes: 16_384 });
    for (let part = 0; part < 2; part++) {
      const ops = Array.from({ length: 5_000 }, (_, i) => put(`key ${2 * i + part}`, "12"));
      await world.run(Promise.resolve(engine.write(ops)));
      await world.run(engine.flush());
    }
    await world.run(engine.compact());
    expect((await world.names("sst/")).length - 2).toBe(3);
  });
});

describe("garbage collection of values apart", () => {
  it("deletes those that nothing refers to any more", async () => {
    const world = new TimedShard();
    const engine = await world.open(OPTIONS);
    for (const text of ["1", "2"]) await world.flush(engine, longOf(text));
    expect(await world.names("values/")).toHaveLength(2 * ROWS);
    await world.run(engine.collectGarbage());
    // Both tables refer to theirs.
    expect(await world.names("values/")).toHaveLength(2 * ROWS);
    await world.run(engine.compact());
    await world.run(engine.collectGarbage());
    expect(await world.names("values/")).toHaveLength(ROWS);
    expect(engine.stats().gc).toMatchObject({ obsoleteBytes: 0, failures: 0 });
    expect(await world.run(readOne(engine))).toBe(longOf("2"));
  });

  it("keeps those of checkpoints, of readers and of what is read here", async () => {
    const world = new TimedShard();
    const engine = await world.open(OPTIONS);
    await world.flush(engine, longOf("1"));
    await world.run(engine.checkpoint("kept"));
    const scan = engine.scan({ batchRows: 1 });
    await world.run(Promise.resolve(scan.next()));
    await world.flush(engine, longOf("2"));
    await world.run(engine.compact());
    await world.run(engine.collectGarbage());
    expect(await world.names("values/")).toHaveLength(2 * ROWS);
    expect(engine.stats().gc.keptBytes).toBeGreaterThan(ROWS * longOf("1").length);
    const past = await world.read({ checkpoint: "kept" }, OPTIONS);
    expect(await world.run(Promise.resolve(past.get(utf8("key 07"))))).toEqual(utf8(longOf("1")));
    await world.run(past.close());
    await world.run(engine.deleteCheckpoint("kept"));
    await world.run(engine.collectGarbage());
    // The scan reads the old table still.
    expect(await world.names("values/")).toHaveLength(2 * ROWS);
    let last = "";
    for (;;) {
      const batch = await world.run(Promise.resolve(scan.next()));
      if (batch === undefined) break;
      last = utf8Text(batch[0]!.value);
    }
    expect(last).toBe(longOf("1"));
    await world.run(engine.collectGarbage());
    expect(await world.names("values/")).toHaveLength(ROWS);
  });

  it("deletes what was left behind, of that age, and no file of others", async () => {
    const world = new TimedShard();
    const HOUR = 3_600_000;
    const engine = await world.open({ ...OPTIONS, gcMinAgeMs: HOUR });
    await world.flush(engine, longOf("1"));
    const left = "values/01JD4Y0Q3Z8K6V5T2R1P0NMHGF";
    await world.store.put(left, utf8("left behind"));
    await world.store.put("values/notes.txt", utf8("somebody else's"));
    await world.run(engine.collectGarbage());
    expect(await world.names("values/")).toContain(left);
    expect(engine.stats().gc.obsoleteBytes).toBe("left behind".length);
    await world.clock.advance(2 * HOUR);
    await world.run(engine.collectGarbage());
    const names = await world.names("values/");
    expect(names).not.toContain(left);
    expect(names).toContain("values/notes.txt");
    expect(names).toHaveLength(ROWS + 1);
  });

  it("leaves what a flush is writing", async () => {
    const world = new TimedShard();
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const store = new FaultyBlobStore(world.store, (_, method, [path]) =>
      method === "putStream" && String(path).startsWith("sst/")
        ? { fault: "stalled", applied: "after", until: () => gate }
        : undefined,
    );
    const engine = await world.open(OPTIONS, store);
    await world.run(Promise.resolve(engine.write([put("a", longOf("a"))])));
    const flushing = engine.flush();
    for (let i = 0; i < 100 && (await world.names("values/")).length === 0; i++) {
      await world.clock.advance(0);
    }
    await world.run(engine.collectGarbage());
    open();
    await world.run(flushing);
    await world.run(engine.collectGarbage());
    expect(await rowsOf(world, engine)).toEqual([["a", longOf("a")]]);
  });
});

describe("a value apart that is not what was written", () => {
  async function shard() {
    const world = new TimedShard();
    const engine = await world.open(OPTIONS);
    await world.run(Promise.resolve(engine.write([put("a", longOf("a")), put("b", longOf("b"))])));
    await world.run(engine.flush());
    const [first, second] = await world.names("values/");
    return { world, engine, first: first!, second: second! };
  }
  const read = ({ world, engine }: { world: TimedShard; engine: Engine }) =>
    world.run(Promise.resolve(engine.getMany(["a", "b"].map(utf8))));

  it("is missing: its path is told, and the rest can be read", async () => {
    const one = await shard();
    await one.world.store.delete(one.first);
    await expect(read(one)).rejects.toMatchObject({
      kind: "Corrupt",
      code: "LSM_VALUE_MISSING",
      context: { path: one.first },
    });
    await expect(rowsOf(one.world, one.engine)).rejects.toMatchObject({ kind: "Corrupt" });
    expect(await one.world.findings()).toMatchObject([{ file: one.first }]);
    const keys = one.engine.scan({ keysOnly: true });
    const batch = await one.world.run(Promise.resolve(keys.nextPacked()));
    expect(batch?.count).toBe(2);
  });

  const damages = ["a bit", "its end", "another value", "a value under its id"];
  it.each(damages)("%s differs: it is refused", async (what) => {
    const one = await shard();
    const { store } = one.world;
    const bytes = Buffer.from((await store.get(one.first))!.bytes);
    if (what === "a bit") bytes[3]! ^= 1;
    const other = (await store.get(one.second))!.bytes;
    const forged = encodeValue(one.first.slice(7), utf8(longOf("c")), "none");
    const damaged = {
      "a bit": bytes,
      "its end": bytes.subarray(1),
      "another value": other,
      "a value under its id": forged,
    }[what];
    await store.put(one.first, damaged!);
    await expect(read(one)).rejects.toMatchObject({
      kind: "Corrupt",
      code: "LSM_FILE_CORRUPT",
      context: { path: one.first },
    });
    expect(await one.world.findings()).toMatchObject([{ file: one.first }]);
  });

  it("is left out by a repair, which names its row and brings the others over", async () => {
    const one = await shard();
    const { store, clock } = one.world;
    await one.world.store.delete(one.first);
    await one.world.run(one.engine.close());
    const wal = new ObjectReader(store, "wal/");
    const target = {
      store,
      prefix: "repaired/",
      clock,
      prng: new SeededPrng(5),
      forTests: OPTIONS,
    };
    const repaired = await one.world.run(repairShard({ store, prefix: "", wal, clock }, target));
    const lost = repaired.losses[0]?.keys?.from ?? "";
    expect(["a", "b"]).toContain(lost);
    expect(repaired.losses).toMatchObject([{ file: one.first, keys: { to: `${lost}\0` } }]);
    const other = new TimedShard("repaired/", one.world);
    const engine = await other.open(OPTIONS);
    const left = lost === "a" ? "b" : "a";
    expect(await rowsOf(other, engine)).toEqual([[left, longOf(left)]]);
    expect(await other.names("values/")).toHaveLength(1);
    expect(await other.findings()).toEqual([]);
  });
});

describe("states with values apart", () => {
  it("are cloned without a copy, until the clone is compacted", async () => {
    const parent = new TimedShard("parent/");
    const engine = await parent.open(OPTIONS);
    await parent.flush(engine, longOf("1"));
    await parent.clone("clone/", undefined, OPTIONS);
    const clone = new TimedShard("clone/", parent);
    const copy = await clone.open(OPTIONS);
    expect(await clone.run(readOne(copy))).toBe(longOf("1"));
    expect(await clone.names("values/")).toEqual([]);
    await parent.flush(engine, longOf("2"));
    await parent.run(engine.compact());
    await parent.run(engine.collectGarbage());
    expect(await clone.findings()).toEqual([]);
    await clone.run(copy.compact());
    await clone.run(copy.collectGarbage());
    await clone.run(copy.collectGarbage());
    expect(await clone.names("values/")).toHaveLength(ROWS);
    expect((await clone.newest()).parent).toBeUndefined();
    await parent.run(engine.collectGarbage());
    expect(await parent.names("values/")).toHaveLength(ROWS);
    expect(await clone.run(readOne(copy))).toBe(longOf("1"));
    expect(await clone.findings()).toEqual([]);
    await clone.run(copy.close());
    await clone.delete();
    expect(await clone.names("values/")).toEqual([]);
  });

  it("are restored", async () => {
    const world = new TimedShard();
    const engine = await world.open({ ...OPTIONS, inlineValueBytes: 10 });
    await world.flush(engine, longOf("1"));
    await world.run(engine.checkpoint("kept"));
    await world.flush(engine, longOf("2"));
    await world.run(engine.compact());
    await world.run(engine.collectGarbage());
    await world.run(engine.close());
    await world.restore({ checkpoint: "kept" }, OPTIONS);
    const after = await world.open(OPTIONS);
    expect(await world.run(readOne(after))).toBe(longOf("1"));
    expect(await world.findings()).toEqual([]);
  });

  it("are ingested, and an ingest that is given up leaves none", async () => {
    const world = new TimedShard();
    const engine = await world.open({ ...OPTIONS, ingestBytes: 400, tableBytes: 8_000 });
    const rows = Array.from({ length: 40 }, (_, i) => {
      return { key: utf8(`row ${10 + i}`), value: utf8(i % 2 === 0 ? longOf(`${i}`) : "short") };
    });
    const given = engine.ingest({ ranges: [{ prefix: utf8("row ") }] });
    await world.run(given.add(rows));
    await world.run(given.abort());
    expect(await world.names("values/")).toEqual([]);
    const ingest = engine.ingest({ ranges: [{ prefix: utf8("row ") }] });
    await world.run(ingest.add(rows));
    await world.run(engine.collectGarbage());
    await world.run(ingest.commit());
    await world.run(engine.collectGarbage());
    expect(await world.names("values/")).toHaveLength(20);
    const found = await rowsOf(world, engine);
    expect(found).toEqual(rows.map(({ key, value }) => [utf8Text(key), utf8Text(value)]));
    expect(await world.findings()).toEqual([]);
  });

  it("are shown by the tools", async () => {
    const world = new TimedShard();
    const engine = await world.open(OPTIONS);
    await world.run(Promise.resolve(engine.write([put("a", longOf("a"))])));
    await world.run(engine.flush());
    const { store, clock } = world;
    const files = { store, prefix: "", clock, wal: new ObjectReader(store, "wal/") };
    const lines: string[] = [];
    for await (const line of inspectShard(files)) lines.push(line);
    expect(lines.join("\n")).toMatch(/1 values apart of 15 bytes/);
    const [table] = await world.names("sst/");
    const [value] = await world.names("values/");
    for await (const line of inspectTable(files, table!.slice(4, -4), 0)) lines.push(line);
    expect(lines.at(-1)).toContain(`put value ${value!.slice(7)} of 15 bytes`);
  });
});

function put(key: string, value: string) {
  return { op: "put" as const, key: utf8(key), value: utf8(value) };
}
