import { describe, expect, it } from "vitest";
import { utf8, utf8Text } from "../../src/base/bytes.ts";
import type { FirnError } from "../../src/base/error.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import { Engine } from "../../src/lsm/engine/engine.ts";
import type { LsmTuning } from "../../src/lsm/options.ts";
import { int64Bytes } from "../../src/lsm/read/operators.ts";
import type { Isolation, Transaction } from "../../src/lsm/transaction/transaction.ts";
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

const text = (value: Uint8Array | undefined): string | undefined => value && utf8Text(value);
const a = utf8("a");
const one = utf8("1");
const conflicted = { kind: "Conflict", code: "LSM_CONFLICT" };

/** Some other keys, in a table of their own. */
async function flushOthers(engine: Engine, round: number): Promise<void> {
  for (let i = 0; i < 50; i++) await engine.put(utf8(`other-${round}-${i}`), one);
  await engine.flush();
}

describe("a transaction beside flushes and compactions", () => {
  it("outlives the memory of what others wrote: tables tell its conflicts", async () => {
    for (const compacts of [false, true]) {
      const engine = await open({ recentBytes: 1, blockBytes: 128 });
      for (const key of ["a", "r1", "r5", "s"]) await engine.put(utf8(key), one);
      const begin = (
        change: (transaction: Transaction) => unknown,
        isolation: Isolation = "serializable",
      ) => {
        const transaction = engine.transaction({ isolation });
        return { transaction, ready: Promise.resolve(change(transaction)) };
      };
      const range = { from: utf8("r1"), to: utf8("r9") };
      const reads = async (transaction: Transaction): Promise<void> => {
        for await (const rows of transaction.scan(range)) expect(rows.length).toBe(2);
        transaction.put(utf8("mine"), one);
      };
      const open1 = [
        begin((t) => t.put(utf8("fresh"), one), "snapshot"),
        begin((t) => t.put(a, one)),
        begin(reads),
        begin(async (t) => {
          await t.get(utf8("s"));
          t.put(utf8("mine too"), one);
        }),
        begin((t) => t.deleteRange(utf8("r0"), utf8("r2"))),
      ];
      for (const { ready } of open1) await ready;
      for (let round = 0; round < 3; round++) await flushOthers(engine, round);
      await engine.delete(a);
      await engine.put(utf8("r3"), one);
      await engine.deleteRange(utf8("s"), utf8("t"));
      await engine.put(utf8("r1"), utf8("2"));
      for (let round = 3; round < 6; round++) await flushOthers(engine, round);
      if (compacts) await engine.compact();
      const [fresh, ...others] = open1.map(({ transaction }) => transaction);
      expect(text(await fresh?.get(a))).toBe("1");
      expect(await fresh?.commit()).toHaveProperty("sequence");
      const keys = ["a", /r[13]/, "s", "r1"];
      for (const [i, other] of others.entries()) {
        const error = await other.commit().catch((reason: unknown) => reason);
        expect(error).toMatchObject(conflicted);
        const { key } = (error as FirnError).context;
        expect(Buffer.from(String(key), "hex").toString()).toMatch(keys[i] as string);
      }
      await engine.close();
    }
  });

  it("is told of a merge that has expired and that a compaction met", async () => {
    const engine = await open({ recentBytes: 1 });
    const transaction = engine.transaction();
    transaction.put(a, int64Bytes(1n));
    await flushOthers(engine, 0);
    await engine.put(utf8("Z"), one);
    await flushOthers(engine, 1);
    await engine.merge(a, int64Bytes(1n), "add", { expiresAtMs: 1 });
    await engine.compact();
    await expect(transaction.commit()).rejects.toMatchObject(conflicted);
  });

  it("commits over flushes that overtake its check, and loses to what they bring", async () => {
    const prng = new SeededPrng(1);
    let hold = false;
    const store = new FaultyBlobStore(new MemoryBlobStore(clock), (_index, method, [path]) =>
      hold && method !== "putStream" && String(path).startsWith("sst/")
        ? { fault: "stalled", applied: "before" }
        : undefined,
    );
    const wal = new ObjectWalStore(store, { clock, prng, prefix: "wal/" });
    const engine = await Engine.open({
      store,
      wal,
      clock,
      prng,
      node: new Processes().start(),
      forTests: { recentBytes: 1, blockBytes: 128 },
    });
    for (const loses of [false, true]) {
      const transaction = engine.transaction();
      transaction.put(utf8("other-7-1a"), one);
      await flushOthers(engine, 7);
      hold = true;
      const committing = transaction.commit().catch((error: unknown) => error);
      await clock.advance(0);
      hold = false;
      if (loses) await engine.put(utf8("other-7-1a"), utf8("2"));
      await flushOthers(engine, 8);
      await store.releaseAll();
      const outcome = await committing;
      if (loses) expect(outcome).toMatchObject(conflicted);
      else expect(outcome).toHaveProperty("sequence");
    }
  });
});
