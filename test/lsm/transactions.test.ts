import { describe, expect, it } from "vitest";
import { utf8, utf8Text } from "../../src/base/bytes.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import { Engine } from "../../src/lsm/engine/engine.ts";
import type { LsmTuning } from "../../src/lsm/options.ts";
import type { Transaction } from "../../src/lsm/transaction/transaction.ts";
import { ObjectWalStore } from "../../src/lsm/wal/objects.ts";
import { FaultyBlobStore } from "../support/faulty-blob-store.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { Processes } from "./support/worlds.ts";

const clock = new VirtualClock();

async function open(options: Partial<LsmTuning> = {}): Promise<Engine> {
  const prng = new SeededPrng(1);
  const store = new MemoryBlobStore(clock);
  const wal = new ObjectWalStore(store, { clock, prng, prefix: "wal/" });
  return await Engine.open({
    store,
    wal,
    clock,
    prng,
    node: new Processes().start(),
    forTests: options,
  });
}

const a = utf8("a");
const b = utf8("b");
const one = utf8("1");
const conflicted = { kind: "Conflict", code: "LSM_CONFLICT" };

describe("transactions", () => {
  it("of two that write one key the second fails, plain writes count too", async () => {
    const engine = await open();
    const first = engine.transaction({ isolation: "snapshot" });
    const second = engine.transaction({ isolation: "snapshot" });
    const third = engine.transaction({ isolation: "snapshot" });
    first.put(a, one);
    second.put(a, utf8("2"));
    third.put(b, one);
    await first.commit();
    await expect(second.commit()).rejects.toMatchObject(conflicted);
    await engine.delete(b);
    await expect(third.commit()).rejects.toMatchObject(conflicted);
    expect(utf8Text((await engine.get(a)) ?? utf8(""))).toBe("1");
  });

  it("write skew passes under snapshot isolation, and not under serializable", async () => {
    for (const isolation of ["snapshot", "serializable"] as const) {
      const engine = await open();
      const [x, y] = [engine.transaction({ isolation }), engine.transaction({ isolation })];
      await x.get(a);
      await y.get(b);
      x.put(b, one);
      y.put(a, one);
      await x.commit();
      if (isolation === "snapshot") await y.commit();
      else await expect(y.commit()).rejects.toMatchObject(conflicted);
    }
  });

  it("a new row in a range that was read is a conflict; beyond it is not", async () => {
    const engine = await open();
    for (const key of ["k1", "k3", "k5"]) await engine.put(utf8(key), one);
    const commitAfter = async (key: string, limit?: number, reverse = false): Promise<unknown> => {
      const transaction = engine.transaction();
      const scan = transaction.scan({
        from: utf8("k"),
        to: utf8("l"),
        reverse,
        ...(limit && { limit }),
      });
      for await (const rows of scan) expect(rows.length).toBeGreaterThan(0);
      transaction.put(utf8("other"), one);
      await engine.put(utf8(key), one);
      return await transaction.commit().catch((error: unknown) => error);
    };
    expect(await commitAfter("k2")).toMatchObject(conflicted);
    expect(await commitAfter("k9")).toMatchObject(conflicted);
    expect(await commitAfter("m")).toHaveProperty("sequence");
    expect(await commitAfter("k4", 2)).toHaveProperty("sequence");
    expect(await commitAfter("k1", 2)).toMatchObject(conflicted);
    expect(await commitAfter("k1", 2, true)).toHaveProperty("sequence");
    expect(await commitAfter("k9", 2, true)).toMatchObject(conflicted);
  });

  it("conflicts are found in memtables that were flushed meanwhile", async () => {
    const engine = await open();
    const transaction = engine.transaction();
    transaction.put(a, one);
    await engine.put(a, utf8("2"));
    await engine.flush();
    await engine.put(b, utf8("2"));
    await engine.flush();
    await expect(transaction.commit()).rejects.toMatchObject(conflicted);
    expect(engine.stats().recentBytes).toBe(0);
  });
});

describe("a read of what is put next", () => {
  it("a key that is read to be put is claimed by the put, or by a touch", async () => {
    const begin = async (): Promise<[Engine, Transaction]> => {
      const engine = await open();
      return [engine, engine.transaction({ isolation: "snapshot" })];
    };
    const ways: readonly ((on: Transaction) => void)[] = [
      (on) => on.put(a, one),
      (on) => on.touch(a),
    ];
    for (const way of ways) {
      const [engine, on] = await begin();
      expect(await on.getToPut(a)).toBeUndefined();
      way(on);
      on.put(b, one);
      await engine.put(a, utf8("2"));
      await expect(on.commit()).rejects.toMatchObject(conflicted);
    }
    const [engine, on] = await begin();
    const before = on.savepoint();
    expect(await on.getToPut(a)).toBeUndefined();
    on.put(a, one);
    on.rollbackTo(before);
    on.put(b, one);
    await engine.put(a, utf8("2"));
    await expect(on.commit()).rejects.toMatchObject(conflicted);
  });

  it("a key that is read to be put has what is stored, or was written before", async () => {
    for (const isFlushed of [false, true]) {
      const engine = await open();
      await engine.put(a, one);
      if (isFlushed) await engine.flush();
      const on = engine.transaction();
      on.put(b, utf8("2"));
      const [stored, own] = [await on.getToPut(a), await on.getToPut(b)];
      expect([stored, own].map((value) => utf8Text(value ?? utf8("")))).toEqual(["1", "2"]);
      on.delete(b);
      expect(await on.getToPut(b)).toBeUndefined();
      await on.commit();
    }
  });
});

describe("a transaction", () => {
  it("that takes too long is too old, and gives up its snapshot", async () => {
    const engine = await open({ transactionMs: 1_000 });
    const transaction = engine.transaction();
    transaction.put(a, one);
    clock.skip(1_001);
    const tooOld = expect.objectContaining({ code: "LSM_TRANSACTION_TOO_OLD" });
    expect(() => transaction.get(a)).toThrow(tooOld);
    await engine.put(b, one);
    await engine.flush();
    expect(engine.stats()).toMatchObject({ snapshots: 0, transactions: 0, recentBytes: 0 });
    await expect(transaction.commit()).rejects.toEqual(tooOld);
  });

  it("is bounded in bytes, and over once", async () => {
    const engine = await open({ transactionBytes: 1_000 });
    const transaction = engine.transaction();
    const tooLarge = expect.objectContaining({ code: "LSM_TRANSACTION_TOO_LARGE" });
    expect(() => transaction.put(a, new Uint8Array(2_000))).toThrow(tooLarge);
    transaction.put(a, one);
    await transaction.commit();
    const over = expect.objectContaining({ code: "LSM_TRANSACTION_OVER" });
    expect(() => transaction.put(a, one)).toThrow(over);
    await expect(transaction.commit()).rejects.toEqual(over);
    transaction.rollback();
  });

  it("answers a conflict only once what it saw is durable", async () => {
    const prng = new SeededPrng(1);
    let hold = false;
    const store = new FaultyBlobStore(new MemoryBlobStore(clock), (_index, method, [path]) =>
      hold && method === "put" && String(path).startsWith("wal/")
        ? { fault: "stalled", applied: "before" }
        : undefined,
    );
    const wal = new ObjectWalStore(store, { clock, prng, prefix: "wal/" });
    const engine = await Engine.open({ store, wal, clock, prng, node: new Processes().start() });
    const transaction = engine.transaction();
    transaction.put(a, one);
    hold = true;
    const written = await engine.put(a, utf8("2"));
    let answered = false;
    const commit = transaction.commit().catch((error: unknown) => {
      answered = true;
      return error;
    });
    await clock.advance(0);
    expect(answered).toBe(false);
    await store.releaseAll();
    expect(await commit).toMatchObject(conflicted);
    await written.durable();
  });
});
