import { describe, expect, it } from "vitest";
import { utf8 } from "../../src/base/bytes.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import type { BlobStore } from "../../src/blob/port.ts";
import { Engine } from "../../src/lsm/engine/engine.ts";
import { decodeFooter } from "../../src/lsm/format/footer.ts";
import type { LsmTuning } from "../../src/lsm/options.ts";
import { int64Bytes, int64Of } from "../../src/lsm/read/operators.ts";
import { type Repaired, repairShard } from "../../src/lsm/tools/repair/repair.ts";
import { verifyShard } from "../../src/lsm/tools/verify.ts";
import { ObjectWalStore } from "../../src/lsm/wal/objects.ts";
import { ObjectReader } from "../../src/lsm/wal/reader.ts";
import { InlineMerger } from "../support/inline-merger.ts";
import { SleepIsTime } from "../support/virtual-clock.ts";
import { Processes } from "./support/worlds.ts";

const OPTIONS: Partial<LsmTuning> = {
  blockBytes: 200,
  tableBytes: 3_000,
  compaction: "manual",
  gcMinAgeMs: 0,
};

type Rows = ReadonlyMap<string, string>;

interface Shard {
  readonly store: MemoryBlobStore;
  /** Of the path of each object: damage is put there. */
  readonly paths: (folder: string) => Promise<readonly string[]>;
  readonly engine: Engine;
  readonly clock: SleepIsTime;
  readonly prng: SeededPrng;
}

const processes = new Processes();

async function open(
  store: BlobStore,
  prefix: string,
  options: Partial<LsmTuning> = {},
): Promise<Engine> {
  const [clock, prng] = [new SleepIsTime(), new SeededPrng(1)];
  return await Engine.open({
    store,
    prefix,
    clock,
    prng,
    wal: new ObjectWalStore(store, { clock, prng, prefix: `${prefix}wal/` }),
    node: processes.start({ sight: () => "dead" }),
    merger: new InlineMerger(clock),
    forTests: { ...OPTIONS, ...options },
  });
}

async function makeShard(options: Partial<LsmTuning> = {}): Promise<Shard> {
  const [clock, prng] = [new SleepIsTime(), new SeededPrng(3)];
  const store = new MemoryBlobStore(clock);
  const engine = await open(store, "s/", options);
  const paths = async (folder: string) =>
    (await store.list(`s/${folder}/`)).map(({ path }) => path);
  return { store, paths, engine, clock, prng };
}

async function repaired(
  { store, clock, prng }: Shard,
  options: Partial<LsmTuning> = {},
): Promise<{ readonly told: Repaired; readonly rows: Rows; readonly engine: Engine }> {
  const into = new MemoryBlobStore(clock);
  const wal = new ObjectReader(store, "s/wal/");
  const told = await repairShard(
    { store, prefix: "s/", wal, clock },
    { store: into, prefix: "n/", clock, prng, forTests: { ...OPTIONS, ...options } },
  );
  const files = { store: into, prefix: "n/", wal: new ObjectReader(into, "n/wal/"), clock };
  for await (const finding of verifyShard(files)) expect(finding).toBeUndefined();
  const engine = await open(into, "n/");
  return { told, rows: await rowsOf(engine), engine };
}

async function rowsOf(engine: Engine): Promise<Rows> {
  const rows = new Map<string, string>();
  for await (const batch of engine.scan()) {
    for (const { key, value } of batch) {
      rows.set(Buffer.from(key).toString(), Buffer.from(value).toString());
    }
  }
  return rows;
}

async function write(engine: Engine, from: number, to: number, value: string): Promise<void> {
  for (let i = from; i < to; i++) await engine.put(utf8(name(i)), utf8(`${value} ${i}`));
}

function name(i: number): string {
  return `key ${String(i).padStart(4, "0")}`;
}

async function flip(store: MemoryBlobStore, path: string, at: number): Promise<void> {
  const bytes = Buffer.from((await store.get(path))?.bytes ?? []);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  await store.put(path, bytes);
}

/** Losses that concern rows. */
function lossy({ losses }: Repaired) {
  return losses.filter(({ keys }) => keys !== undefined);
}

describe("the repair of a shard", () => {
  it("brings over all of one that has no damage, under the same sequences", async () => {
    const shard = await makeShard();
    const { engine } = shard;
    await write(engine, 0, 300, "old");
    await engine.flush();
    await engine.compact();
    await write(engine, 100, 200, "new");
    await engine.flush();
    await engine.deleteRange(utf8(name(20)), utf8(name(40)));
    await engine.delete(utf8(name(50)));
    await engine.put(utf8("late"), utf8("x"), { durable: true });
    const due = await rowsOf(engine);
    const { lastSequence } = engine;
    await engine.close();
    const { told, rows, engine: made } = await repaired(shard);
    expect(rows).toEqual(due);
    expect(told).toMatchObject({ losses: [], rows: due.size, lastSequence, checkpoints: [] });
    await made.put(utf8("next"), utf8("y"), { durable: true });
    expect(made.lastSequence).toBe(lastSequence + 1);
    await made.close();
  });

  it("loses one block of a table, and names its keys and the rows in doubt", async () => {
    const shard = await makeShard();
    const { engine } = shard;
    await write(engine, 0, 100, "old");
    await engine.flush();
    const [older] = await shard.paths("sst");
    await write(engine, 0, 100, "new");
    await engine.flush();
    const due = await rowsOf(engine);
    await engine.close();
    const newer = (await shard.paths("sst")).find((path) => path !== older) ?? "";
    await flip(shard.store, newer, 20);
    const { told, rows, engine: made } = await repaired(shard);
    await made.close();
    const changed = [...due].filter(([key, value]) => rows.get(key) !== value);
    expect(changed.length).toBeGreaterThan(0);
    expect(changed.length).toBeLessThan(20);
    expect(rows.size).toBe(due.size);
    const [loss, ...others] = lossy(told);
    expect(others).toEqual([]);
    expect(loss).toMatchObject({ file: newer, offset: 0 });
    const { from = "", to = "" } = loss?.keys ?? {};
    for (const [key] of changed) expect(key >= from && key < to, key).toBe(true);
    // And the first key of the next block: a newer version of it may have ended the damaged one.
    expect(loss?.doubtful).toBe(changed.length + 1);
  });

  it("finds the blocks of a table without its index and footer", async () => {
    for (const compression of ["none", "zstd"] as const) {
      const shard = await makeShard({ compression, blockBytes: 1_000 });
      const { engine } = shard;
      await write(engine, 0, 200, "text that shrinks, that shrinks, that shrinks");
      await engine.flush();
      const due = await rowsOf(engine);
      await engine.close();
      const [table = ""] = await shard.paths("sst");
      const { bytes } = (await shard.store.get(table)) ?? { bytes: new Uint8Array(0) };
      const broken = Buffer.from(bytes);
      broken.fill(0, bytes.length - 700);
      await shard.store.put(table, broken);
      const { told, rows, engine: made } = await repaired(shard);
      await made.close();
      const missing = [...due.keys()].filter((key) => !rows.has(key));
      // The last 700 bytes are the tail, and a block at most.
      expect(missing.length).toBeLessThan(60);
      expect(rows.size).toBeGreaterThan(100);
      const { from = "", to = "" } = lossy(told)[0]?.keys ?? {};
      for (const key of missing) expect(key >= from && key < to, key).toBe(true);
    }
  });
});

describe("what a repair cannot read of deletions", () => {
  it("says that what a lost tombstone deleted may be back", async () => {
    const shard = await makeShard();
    const { engine } = shard;
    await write(engine, 0, 50, "old");
    await engine.flush();
    const [older] = await shard.paths("sst");
    await engine.deleteRange(utf8(name(10)), utf8(name(20)));
    await engine.delete(utf8(name(30)));
    await engine.flush();
    await engine.close();
    const newer = (await shard.paths("sst")).find((path) => path !== older) ?? "";
    await shard.store.delete(newer);
    const { told, rows, engine: made } = await repaired(shard);
    await made.close();
    expect(rows.size).toBe(50);
    const [loss] = lossy(told);
    expect(loss).toMatchObject({ file: newer, keys: { from: name(10) } });
    // All from the first deleted key to the last one.
    expect(loss?.doubtful).toBe(21);
  });

  it("doubts all keys of a table whose range tombstones are damaged", async () => {
    const shard = await makeShard();
    const { engine } = shard;
    await write(engine, 0, 50, "old");
    await engine.flush();
    const [older] = await shard.paths("sst");
    await engine.deleteRange(utf8(name(10)), utf8(name(20)));
    await engine.flush();
    await engine.close();
    const newer = (await shard.paths("sst")).find((path) => path !== older) ?? "";
    const bytes = (await shard.store.get(newer))?.bytes ?? new Uint8Array(0);
    const { tailBytes, ranges } = decodeFooter(bytes);
    await flip(shard.store, newer, bytes.length - tailBytes + (ranges?.offset ?? 0) + 3);
    const { told, rows, engine: made } = await repaired(shard);
    await made.close();
    expect(rows.size).toBe(50);
    expect(lossy(told)).toMatchObject([{ file: newer, keys: { from: name(10) }, doubtful: 11 }]);
  });
});

describe("the state that a repair begins with", () => {
  it("takes of tables that no manifest names only what is newer than its state", async () => {
    const shard = await makeShard({ gcMinAgeMs: 3_600_000 });
    const { engine } = shard;
    await write(engine, 0, 40, "old");
    await engine.flush();
    const [older] = await shard.paths("sst");
    for (let i = 0; i < 20; i++) await engine.delete(utf8(name(i)));
    await engine.flush();
    const deletions = (await shard.paths("sst")).find((path) => path !== older) ?? "";
    // A collector has deleted the deletions, and not yet what they deleted.
    await engine.compact();
    await shard.store.delete(deletions);
    const kept = (await shard.paths("manifest")).at(-1) ?? "";
    await write(engine, 30, 60, "new");
    await engine.flush();
    await engine.put(utf8("late"), utf8("x"), { durable: true });
    const due = await rowsOf(engine);
    await engine.close();
    for (const path of await shard.paths("manifest")) {
      if (path > kept) await flip(shard.store, path, 30);
    }
    for (const path of (await shard.paths("wal")).slice(0, -1)) await shard.store.delete(path);
    const { told, rows, engine: made } = await repaired(shard);
    await made.close();
    expect(rows).toEqual(due);
    expect(told.tablesRead).toBe(3);
    expect(lossy(told)[0]?.doubtful).toBe(rows.size);
  });

  it("takes the newest manifest that is whole, and the log behind it", async () => {
    const shard = await makeShard({ gcMinAgeMs: 3_600_000 });
    const { engine } = shard;
    await write(engine, 0, 60, "old");
    await engine.flush();
    await write(engine, 30, 90, "new");
    await engine.deleteRange(utf8(name(0)), utf8(name(5)));
    await engine.flush();
    await engine.put(utf8("late"), utf8("x"), { durable: true });
    const due = await rowsOf(engine);
    // As a process leaves it that ends now.
    const newest = (await shard.paths("manifest")).at(-1) ?? "";
    await flip(shard.store, newest, 30);
    const { told, rows, engine: made } = await repaired(shard);
    await made.close();
    await engine.close().catch(() => undefined);
    expect(rows).toEqual(due);
    expect(told.losses[0]?.file).toBe(newest);
  });

  it("takes tables that only a lost manifest named, where no log holds their rows", async () => {
    const shard = await makeShard();
    const { engine } = shard;
    await write(engine, 0, 60, "old");
    await engine.flush();
    await write(engine, 30, 90, "new");
    await engine.flush();
    const due = await rowsOf(engine);
    await engine.close();
    for (const path of await shard.paths("manifest")) await flip(shard.store, path, 30);
    for (const path of (await shard.paths("wal")).slice(0, -1)) await shard.store.delete(path);
    const { told, rows, engine: made } = await repaired(shard);
    await made.close();
    expect(rows).toEqual(due);
    expect(told.manifestId).toBeUndefined();
    // No manifest says which tables a compaction had replaced.
    expect(lossy(told).length).toBeGreaterThan(0);
    expect(lossy(told)[0]?.doubtful).toBe(rows.size);
    expect(told.lastSequence).toBeGreaterThan(engine.lastSequence + 100_000);
  });
});

describe("the log of a shard under repair", () => {
  it("counts no operand twice, and folds those that are left", async () => {
    const shard = await makeShard();
    const { engine } = shard;
    const add = (by: bigint) => engine.merge(utf8("sum"), int64Bytes(by), "add");
    await add(1n);
    await engine.flush();
    await add(20n);
    await engine.flush();
    await add(300n);
    await engine.put(utf8("late"), utf8("x"), { durable: true });
    const { told, engine: made } = await repaired(shard);
    await engine.close();
    expect(told.losses).toEqual([]);
    expect(int64Of((await made.get(utf8("sum"))) ?? new Uint8Array(8))).toBe(321n);
    await made.close();
  });

  it("brings over what the log holds behind a damaged object", async () => {
    const shard = await makeShard();
    const { engine } = shard;
    for (let i = 0; i < 10; i++) {
      await engine.put(utf8(name(i)), utf8("x"), { durable: true });
    }
    const due = await rowsOf(engine);
    // As a process leaves it that ends now; its first object is a fence.
    const files = await shard.paths("wal");
    await flip(shard.store, files[4] ?? "", 110);
    const { told, rows, engine: made } = await repaired(shard);
    await made.close();
    await engine.close().catch(() => undefined);
    expect(rows.size).toBe(due.size - 1);
    expect(lossy(told).map(({ file, offset }) => [file, offset])).toContainEqual([files[4], 64]);
  });
});

describe("the place of a repaired shard", () => {
  it("writes into an empty place only, and changes nothing where it reads", async () => {
    const shard = await makeShard();
    await write(shard.engine, 0, 20, "x");
    await shard.engine.close();
    const { store, clock, prng } = shard;
    const before = await store.list("");
    const source = { store, prefix: "s/", wal: new ObjectReader(store, "s/wal/"), clock };
    const target = { store, prefix: "s/", clock, prng };
    await expect(repairShard(source, target)).rejects.toMatchObject({
      code: "LSM_REPAIR_TARGET_TAKEN",
    });
    await repairShard(source, { ...target, prefix: "t/" });
    const after = (await store.list("")).filter(({ path }) => path.startsWith("s/"));
    expect(after).toEqual(before);
    const none = { ...source, prefix: "none/", wal: new ObjectReader(store, "none/wal/") };
    const gone = repairShard(none, { ...target, prefix: "u/" });
    await expect(gone).rejects.toMatchObject({ code: "LSM_NO_SHARD" });
  });

  it("refuses a shard that a running process owns", async () => {
    const shard = await makeShard();
    const { store, clock, prng } = shard;
    const node = processes.start({ sight: () => "alive" });
    const source = { store, prefix: "s/", wal: new ObjectReader(store, "s/wal/"), clock, node };
    const target = { store: new MemoryBlobStore(clock), prefix: "", clock, prng };
    await expect(repairShard(source, target)).rejects.toMatchObject({ code: "LSM_OWNED" });
    await shard.engine.close();
    await repairShard(source, target);
  });
});
