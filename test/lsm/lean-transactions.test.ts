import { describe, expect, it } from "vitest";
import { utf8, utf8Text } from "../../src/base/bytes.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import type { BlobStore } from "../../src/blob/port.ts";
import { Engine } from "../../src/lsm/engine/engine.ts";
import type { LsmTuning } from "../../src/lsm/options.ts";
import { int64Bytes, int64Of } from "../../src/lsm/read/operators.ts";
import type { PackedScan } from "../../src/lsm/read/scan.ts";
import { ObjectWalStore } from "../../src/lsm/wal/objects.ts";
import { MemoryBudget } from "../../src/lsm/write/budget.ts";
import { FaultyBlobStore } from "../support/faulty-blob-store.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { Processes } from "./support/worlds.ts";

const clock = new VirtualClock();

async function open(
  forTests: Partial<LsmTuning> = {},
  budget?: MemoryBudget,
  store: BlobStore = new MemoryBlobStore(clock),
): Promise<Engine> {
  const prng = new SeededPrng(1);
  const wal = new ObjectWalStore(store, { clock, prng, prefix: "wal/" });
  const node = new Processes().start();
  return await Engine.open({ store, wal, clock, prng, node, forTests, ...(budget && { budget }) });
}

const a = utf8("a");
const b = utf8("b");
const one = utf8("1");
const two = utf8("2");
const conflicted = { kind: "Conflict", code: "LSM_CONFLICT" };
const text = (value: Uint8Array | undefined): string | undefined => value && utf8Text(value);

async function rowsOf(scan: PackedScan): Promise<readonly string[]> {
  const rows: string[] = [];
  for await (const batch of scan) {
    for (const { key, value } of batch) rows.push(`${utf8Text(key)}=${utf8Text(value)}`);
  }
  return rows;
}

it("an insert finds a key wherever it lies", async () => {
  const store = new FaultyBlobStore(new MemoryBlobStore(clock), (_index, method) =>
    method === "putStream" && isShut ? { fault: "stalled", applied: "after", until } : undefined,
  );
  const opened = Promise.withResolvers<void>();
  const until = () => opened.promise;
  let isShut = true;
  const engine = await open({ compaction: "manual", parallelFlushes: 2 }, undefined, store);
  const keys = ["frozen first", "frozen then", "active"].map((name) => utf8(name));
  const flushes: Promise<void>[] = [];
  for (const [i, key] of keys.entries()) {
    await engine.put(key, one);
    if (i < 2) flushes.push(engine.flush());
  }
  const finds = async (): Promise<void> => {
    const transaction = engine.transaction();
    for (const key of keys) expect(await transaction.insert(key, two), utf8Text(key)).toBe(false);
    // Within all bounds, and behind them.
    for (const key of [utf8("frozen so"), utf8("z")]) {
      expect(await transaction.insert(key, two)).toBe(true);
      expect(await transaction.insert(key, two)).toBe(false);
    }
    transaction.rollback();
  };
  expect(engine.stats().memtables.count).toBe(3);
  await finds();
  isShut = false;
  opened.resolve();
  await Promise.all(flushes);
  await engine.flush();
  await finds();
  await engine.compact();
  await finds();
  await engine.delete(keys[0]!);
  const transaction = engine.transaction();
  expect(await transaction.insert(keys[0]!, two)).toBe(true);
  await transaction.commit();
  expect(text(await engine.get(keys[0]!))).toBe("2");
  await engine.close();
});

it("own writes have a say in each read of a key, whenever they were made", async () => {
  const engine = await open();
  const key = (i: number): Uint8Array => utf8(`k${i}`);
  for (let i = 0; i < 4_000; i++) await engine.put(key(i), utf8("0"));
  const transaction = engine.transaction();
  // More than the hashes of its keys have room for at first, read in between.
  for (let i = 0; i < 4_000; i += 2) {
    transaction.put(key(i), utf8(String(i)));
    expect(text(await transaction.get(key(i)))).toBe(String(i));
    expect(text(await transaction.get(key(i + 1)))).toBe("0");
    expect(await transaction.insert(key(i), one)).toBe(false);
  }
  const savepoint = transaction.savepoint();
  transaction.deleteRange(utf8("k1"), utf8("k2"));
  expect(text(await transaction.get(key(17)))).toBe(undefined);
  expect(text(await transaction.lockForUpdate(key(1_000)))).toBe(undefined);
  expect(await transaction.insert(key(18), one)).toBe(true);
  expect(text(await transaction.get(key(18)))).toBe("1");
  expect(text(await transaction.get(key(3)))).toBe("0");
  transaction.rollbackTo(savepoint);
  expect(text(await transaction.get(key(17)))).toBe("0");
  expect(text(await transaction.get(key(18)))).toBe("18");
  transaction.rollback();
});

describe("a transaction's own writes", () => {
  it("are seen by its scans as of their beginning, both ways, packed and moved", async () => {
    const engine = await open();
    for (const key of ["k1", "k2", "k3", "k4"]) await engine.put(utf8(key), utf8("0"));
    const transaction = engine.transaction();
    transaction.put(utf8("k2"), one);
    transaction.delete(utf8("k3"));
    transaction.put(utf8("k5"), one);
    await engine.put(utf8("k2"), utf8("other"));
    const scan = transaction.scan({ batchRows: 1 });
    const back = transaction.scan({ reverse: true });
    transaction.put(utf8("k4"), two);
    transaction.deleteRange(utf8("k5"), utf8("k6"));
    expect(text(await transaction.get(utf8("k4")))).toBe("2");
    expect(await rowsOf(scan)).toEqual(["k1=0", "k2=1", "k4=0", "k5=1"]);
    expect(await rowsOf(back)).toEqual(["k5=1", "k4=0", "k2=1", "k1=0"]);
    const packed = transaction.scan({ movable: true });
    expect((await packed.nextPacked())?.count).toBe(3);
    packed.seek({ from: utf8("k4") });
    expect((await packed.nextPacked())?.count).toBe(1);
    packed.close();
    transaction.deleteRange(utf8("k"), utf8("l"));
    transaction.put(utf8("k9"), one);
    expect(await rowsOf(transaction.scan())).toEqual(["k9=1"]);
    expect(await transaction.get(utf8("k1"))).toBeUndefined();
    transaction.rollback();
  });

  it("go back to a savepoint, as often as it is asked for", async () => {
    const engine = await open();
    await engine.put(b, one);
    const transaction = engine.transaction();
    transaction.put(a, one);
    const point = transaction.savepoint();
    for (let i = 0; i < 3; i++) {
      for (let n = 0; n < 2_000; n++) transaction.put(utf8(`more-${n}`), utf8("x".repeat(300)));
      transaction.put(a, two);
      transaction.deleteRange(b, utf8("c"));
      transaction.merge(utf8("n"), int64Bytes(2n), "add");
      expect(await transaction.get(b)).toBeUndefined();
      transaction.rollbackTo(point);
      expect(await rowsOf(transaction.scan())).toEqual(["a=1", "b=1"]);
    }
    const later = engine.transaction();
    expect(() => later.rollbackTo(point)).toThrow(
      expect.objectContaining({ code: "LSM_SAVEPOINT_INVALID" }),
    );
    transaction.merge(utf8("n"), int64Bytes(3n), "add");
    const { sequence } = await transaction.commit();
    expect(sequence).toBe(3);
    expect(int64Of((await engine.get(utf8("n"))) ?? one)).toBe(3n);
    expect(engine.stats().memory.transactionBytes).toBe(0);
  });

  it("tell an insert what is there, which holds when it commits", async () => {
    const engine = await open({ recentBytes: 1 });
    await engine.put(a, one);
    await engine.flush();
    for (const rollsBack of [false, true]) {
      const transaction = engine.transaction();
      if (rollsBack) transaction.savepoint();
      const point = transaction.savepoint();
      expect(await transaction.insert(a, two)).toBe(false);
      expect(await transaction.insert(b, one)).toBe(true);
      expect(await transaction.insert(b, two)).toBe(false);
      if (rollsBack) transaction.rollbackTo(point);
      transaction.put(utf8("c"), one);
      await engine.put(b, utf8("other"));
      await expect(transaction.commit()).rejects.toMatchObject(conflicted);
      await engine.delete(b);
    }
    expect(text(await engine.get(a))).toBe("1");
  });

  it("guard keys that it locked, whatever its isolation", async () => {
    const engine = await open();
    await engine.put(a, one);
    for (const locks of [true, false]) {
      const transaction = engine.transaction({ isolation: "snapshot" });
      expect(text(await transaction.get(a))).toBe("1");
      if (locks) expect(text(await transaction.lockForUpdate(a))).toBe("1");
      else transaction.touch(a);
      transaction.put(b, one);
      await engine.put(a, one);
      await expect(transaction.commit()).rejects.toMatchObject(conflicted);
    }
  });
});

describe("what expires", () => {
  it.each([false, true])("is judged by one time in a scan (reverse: %s)", async (reverse) => {
    const memory = new MemoryBlobStore(clock);
    const first = await open({ compaction: "manual" }, undefined, memory);
    const expiresAtMs = clock.nowMs() + 1_000;
    await first.put(a, int64Bytes(1n), { expiresAtMs });
    await first.flush();
    await first.merge(a, int64Bytes(2n), "add");
    await first.flush();
    await first.merge(a, int64Bytes(4n), "add", { expiresAtMs: expiresAtMs + 500 });
    await first.close();
    let slow = false;
    const store = new FaultyBlobStore(memory, (_index, method) => {
      if (slow && method.startsWith("get")) clock.skip(600);
      return undefined;
    });
    const engine = await open({ compaction: "manual" }, undefined, store);
    slow = true;
    const scan = engine.scan({ reverse });
    const rows = await scan.next();
    expect(rows?.map(({ value }) => int64Of(value))).toEqual([7n]);
    scan.close();
    await engine.close();
  });

  it("is there for a snapshot, a view and a transaction as at their beginning", async () => {
    const engine = await open({ compaction: "manual" });
    const expiresAtMs = clock.nowMs() + 1_000;
    await engine.put(a, one, { expiresAtMs });
    await engine.put(b, two, { expiresAtMs: expiresAtMs + 1 });
    const [snapshot, view, transaction] = [
      engine.snapshot(),
      engine.readView(),
      engine.transaction({ isolation: "snapshot" }),
    ];
    clock.skip(5_000);
    for (const compacts of [false, true]) {
      if (compacts) {
        await engine.put(utf8("Z"), one);
        await engine.flush();
        await engine.put(utf8("c"), one);
        await engine.compact();
      }
      expect(await engine.get(a)).toBeUndefined();
      expect(text(await engine.get(a, { snapshot }))).toBe("1");
      expect((await engine.getMany([a, b], { snapshot })).map(text)).toEqual(["1", "2"]);
      expect(text(await view.get(a))).toBe("1");
      expect(await rowsOf(view.scan())).toEqual(["a=1", "b=2"]);
      expect(text(await transaction.get(a))).toBe("1");
      transaction.put(utf8("own"), one);
      expect(await rowsOf(transaction.scan({ to: utf8("c") }))).toEqual(["a=1", "b=2"]);
    }
    snapshot.close();
    view.close();
    transaction.rollback();
    await engine.put(utf8("Y"), one);
    await engine.compact();
    expect(await rowsOf(engine.scan({ from: a, to: utf8("c") }))).toEqual([]);
  });
});

describe("memory of open transactions", () => {
  it("is counted: few bytes beyond those of their writes, and refused in the end", async () => {
    const budget = new MemoryBudget(64_000_000);
    const engine = await open({ transactionBytes: 100_000_000 }, budget);
    const transactions = Array.from({ length: 4 }, () => engine.transaction());
    const key = Buffer.alloc(16);
    const value = Buffer.alloc(40);
    const puts = 50_000;
    for (const [i, transaction] of transactions.entries()) {
      for (let n = 0; n < puts; n++) {
        key.writeUInt32BE((n * 2_654_435_761) >>> 0, 0);
        key.writeUInt32BE(i, 4);
        transaction.put(key, value);
      }
      await transaction.get(key);
    }
    const { transactionBytes } = budget.figures;
    const own = 4 * puts * (key.length + value.length);
    expect(transactionBytes).toBeGreaterThan(own);
    expect((transactionBytes - own) / (4 * puts)).toBeLessThan(200);
    const full = expect.objectContaining({ kind: "Overloaded", code: "LSM_TRANSACTIONS_FULL" });
    const more = engine.transaction();
    expect(() => {
      for (let n = 0; n < 200; n++) more.put(utf8(`${n}`), Buffer.alloc(100_000));
    }).toThrow(full);
    more.rollback();
    for (const transaction of transactions) await clock.run(transaction.commit());
    expect(budget.figures.transactionBytes).toBe(0);
    expect(engine.stats().pressure.refused).toBe(0);
    await clock.run(engine.close());
  });
});

describe("reads as of a moment", () => {
  it("do not see what the transaction writes later", async () => {
    const engine = await open();
    await engine.put(a, one);
    await engine.put(utf8("d"), one);
    const transaction = engine.transaction();
    const begun = transaction.asOfNow();
    transaction.put(b, one);
    transaction.deleteRange(utf8("d"), utf8("e"));
    const then = transaction.asOfNow();
    transaction.put(a, two);
    transaction.delete(b);
    transaction.put(utf8("c"), two);
    transaction.put(utf8("d"), two);
    const seen = async (reads: typeof begun): Promise<unknown> => {
      const keys = ["a", "b", "c", "d"].map((key) => utf8(key));
      const values = (await reads.getMany(keys)).map(text);
      const each: (string | undefined)[] = [];
      for (const key of keys) each.push(text(await reads.get(key)));
      expect(each).toEqual(values);
      return [values.join(), await rowsOf(reads.scan({ from: a, to: utf8("z") }))];
    };
    const expected = [
      ["1,,,1", ["a=1", "d=1"]],
      ["1,1,,", ["a=1", "b=1"]],
      ["2,,2,2", ["a=2", "c=2", "d=2"]],
    ];
    const all = async () => [await seen(begun), await seen(then), await seen(transaction)];
    expect(await all()).toEqual(expected);
    transaction.deleteRange(utf8("a"), utf8("b"));
    expected[2] = [",,2,2", ["c=2", "d=2"]];
    expect(await all()).toEqual(expected);
    await engine.flush();
    expect(await all()).toEqual(expected);
    transaction.rollback();
    expect(() => then.get(a)).toThrow(expect.objectContaining({ code: "LSM_TRANSACTION_OVER" }));
    await clock.run(engine.close());
  });

  it("are reads of a serializable transaction", async () => {
    const engine = await open();
    const transaction = engine.transaction();
    transaction.put(a, one);
    expect(await transaction.asOfNow().get(b)).toBeUndefined();
    await engine.put(b, two);
    await expect(transaction.commit()).rejects.toMatchObject(conflicted);
    await clock.run(engine.close());
  });
});
