import { describe, expect, it, onTestFinished } from "vitest";
import { utf8 } from "../../src/base/bytes.ts";
import { FirnError } from "../../src/base/error.ts";
import { randomBelow, SeededPrng } from "../../src/base/prng.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import type { BlobStore } from "../../src/blob/port.ts";
import type { Engine } from "../../src/lsm/engine/engine.ts";
import { int64Bytes } from "../../src/lsm/read/operators.ts";
import type { CommittedBatch, Subscription } from "../../src/lsm/subscribe/subscription.ts";
import { restoreShard } from "../../src/lsm/tools/restore.ts";
import { walId, walName } from "../../src/lsm/wal/names.ts";
import { encodeObject } from "../../src/lsm/wal/object-format.ts";
import { ObjectWalStore } from "../../src/lsm/wal/objects.ts";
import { ObjectReader } from "../../src/lsm/wal/reader.ts";
import { keptFrom } from "../../src/lsm/wal/retention.ts";
import type { WriteOp } from "../../src/lsm/write/write-path.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { TimedShard } from "./support/timed-shard.ts";
import { KINDS, type Kind, makeWorld, Processes, type World } from "./support/worlds.ts";

const FOREVER = { logRetentionMs: 1e12 };
const MEMORY: Kind = { store: "memory", wal: "segments" };

function worldOf(kind: Kind): World {
  const world = makeWorld(kind);
  onTestFinished(() => world.end());
  return world;
}

function randomOp(prng: SeededPrng): WriteOp {
  const key = utf8(`key ${randomBelow(prng, 50)}`);
  const value = prng.bytes(randomBelow(prng, 300));
  const expiry = prng.float() < 0.2 ? { expiresAtMs: 1 + randomBelow(prng, 1e9) } : {};
  const chance = prng.float();
  if (chance < 0.5) return { op: "put", key, value, ...expiry };
  if (chance < 0.7) return { op: "delete", key };
  if (chance < 0.8) return { op: "deleteRange", from: key, to: new Uint8Array(0) };
  const operator = prng.float() < 0.5 ? "add" : "max";
  return {
    op: "merge",
    key,
    operator,
    value: int64Bytes(BigInt(randomBelow(prng, 99))),
    ...expiry,
  };
}

const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, one) =>
      one instanceof Uint8Array || one?.type === "Buffer"
        ? Buffer.from(one.data ?? one).toString("hex")
        : one,
    ),
  );

/** What a subscriber has been given, without a gap. */
class Follower {
  readonly ops: WriteOp[] = [];
  due = 1;

  take(batches: readonly CommittedBatch[] | undefined): void {
    for (const { firstSequence, lastSequence, ops } of batches ?? []) {
      expect(firstSequence).toBe(this.due);
      expect(lastSequence).toBe(firstSequence + ops.length - 1);
      this.ops.push(...ops);
      this.due = lastSequence + 1;
    }
  }

  async readTo(subscription: Subscription, sequence: number): Promise<void> {
    while (this.due <= sequence) this.take(await subscription.next());
    expect(subscription.nextSequence).toBe(this.due);
  }
}

describe.each(KINDS)("a subscriber, tables in $store, log of $wal", (kind) => {
  it("is given every batch once, as it was written, across restarts", async () => {
    const seed = Math.floor(Math.random() * 2 ** 32);
    console.info(`seed ${seed}`);
    const prng = new SeededPrng(seed);
    const world = worldOf(kind);
    const written: WriteOp[] = [];
    const follower = new Follower();
    for (let life = 0; life < 4; life++) {
      const options = { ...FOREVER, memtableBytes: 30_000 };
      const engine = await world.open({ takeOver: "takeover", forTests: options });
      expect(engine.lastSequence).toBe(written.length);
      const subscription = engine.subscribe(follower.due);
      for (let round = 0; round < 60; round++) {
        const ops = Array.from({ length: 1 + randomBelow(prng, 6) }, () => randomOp(prng));
        written.push(...ops);
        const { sequence, durable } = await engine.write(ops);
        if (prng.float() < 0.3) await durable();
        if (prng.float() < 0.05) await engine.flush();
        if (prng.float() < 0.2) await follower.readTo(subscription, sequence);
        if (prng.float() < 0.1) follower.take(await engineStep(engine, subscription));
      }
      await engine.durable();
      if (life % 2 === 0) await follower.readTo(subscription, engine.lastSequence);
      await engine.close();
      await expect(subscription.next()).rejects.toMatchObject({ code: "LSM_CLOSED" });
    }
    const engine = await world.open({ options: FOREVER });
    const again = new Follower();
    await follower.readTo(engine.subscribe(follower.due), written.length);
    await again.readTo(engine.subscribe(1), written.length);
    expect(plain(follower.ops)).toEqual(plain(written));
    expect(plain(again.ops)).toEqual(plain(written));
    // From within a batch it is that batch, whole.
    const [first] = (await engine.subscribe(written.length).next()) ?? [];
    expect(first?.lastSequence).toBe(written.length);
    await engine.close();
  });

  it("waits for what is written next, and for nobody else", async () => {
    const world = worldOf(kind);
    const engine = await world.open();
    const subscription = engine.subscribe(1);
    const next = subscription.next();
    await engine.put(utf8("a"), utf8("1"));
    expect(plain(await next)).toMatchObject([{ firstSequence: 1, lastSequence: 1 }]);
    for (const wrong of [0, 3, 1.5, Number.NaN, -1]) {
      expect(() => engine.subscribe(wrong)).toThrow(
        expect.objectContaining({ code: "LSM_SEQUENCE_AHEAD" }),
      );
    }
    const waiting = subscription.next();
    subscription.close();
    expect(await waiting).toBeUndefined();
    expect(await subscription.next()).toBeUndefined();
    const other = expect(engine.subscribe(2).next()).rejects.toMatchObject({ code: "LSM_CLOSED" });
    await engine.close();
    await other;
  });
});

/** A step that must not wait for ever: undefined where nothing more is durable. */
async function engineStep(
  engine: Engine,
  subscription: Subscription,
): Promise<readonly CommittedBatch[] | undefined> {
  if (subscription.nextSequence > engine.stats().durableSequence) return undefined;
  return subscription.next();
}

/** Counts calls, and holds puts of the log back when told to. */
function gated(inner: BlobStore): { store: BlobStore; calls: number; gate: Promise<void> } {
  const state = { calls: 0, gate: Promise.resolve(), store: inner };
  state.store = new Proxy(inner, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return async (...args: unknown[]) => {
        state.calls++;
        if (name === "put" && String(args[0]).startsWith("wal/")) await state.gate;
        return value.apply(target, args);
      };
    },
  });
  return state;
}

describe("what is handed out", () => {
  it("is durable, and costs one who keeps up no request", async () => {
    const world = worldOf({ store: "memory", wal: "objects" });
    const gate = gated(world.store);
    const { clock, prng } = world;
    const wal = new ObjectWalStore(gate.store, { clock, prng, prefix: "wal/" });
    const engine = await world.open({ wal });
    const subscription = engine.subscribe(1);
    const held = Promise.withResolvers<void>();
    gate.gate = held.promise;
    let given: readonly CommittedBatch[] | undefined;
    const next = subscription.next().then((batches) => {
      given = batches;
    });
    const { durable } = await engine.put(utf8("a"), utf8("1"));
    await engine.put(utf8("b"), utf8("2"));
    for (let turn = 0; turn < 20; turn++) await clock.sleep(0);
    expect(given).toBeUndefined();
    expect(() => engine.subscribe(2)).toThrow(
      expect.objectContaining({ code: "LSM_SEQUENCE_AHEAD" }),
    );
    held.resolve();
    await durable();
    await next;
    expect(given?.[0]?.firstSequence).toBe(1);
    await engine.durable();
    const follower = new Follower();
    follower.take(given);
    const before = gate.calls;
    for (let i = 0; i < 50; i++) {
      await engine.put(utf8(`k${i}`), utf8("v"), { durable: true });
      await follower.readTo(subscription, engine.lastSequence);
    }
    expect(gate.calls - before).toBe(50);
    await engine.close();
  });

  it("never holds up who writes, and is read from the log once it is behind", async () => {
    const world = worldOf({ store: "local", wal: "segments" });
    const engine = await world.open({ options: FOREVER });
    const subscription = engine.subscribe(1);
    const value = new Uint8Array(100_000);
    for (let i = 0; i < 90; i++) await engine.put(utf8(`k${i}`), value, { durable: true });
    expect(engine.stats().pressure.delayed).toBe(0);
    const follower = new Follower();
    const half = follower.readTo(subscription, 45);
    for (let i = 0; i < 20; i++) await engine.put(utf8(`m${i}`), value, { durable: true });
    await half;
    await follower.readTo(subscription, 110);
    expect(follower.ops).toHaveLength(110);
    await engine.close();
  });
});

const goneOf = async (subscription: Subscription): Promise<number> => {
  const error: unknown = await subscription.next().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(FirnError);
  const { kind, code, context } = error as FirnError;
  expect([kind, code]).toEqual(["NotFound", "LSM_SEQUENCE_GONE"]);
  return Number(context["oldest"]);
};
/** Each round fills a few segments of 256 KiB, or as many objects, and flushes them. */
const fill = async (engine: Engine, rounds: number): Promise<void> => {
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < 10; i++) {
      await engine.put(utf8(`${round} ${i}`), new Uint8Array(50_000), { durable: true });
    }
    await engine.flush();
  }
};
/** The oldest sequence that can be had, from which on all can. */
const oldestOf = async (engine: Engine): Promise<number> => {
  const last = engine.lastSequence;
  const whole = new Follower();
  const first = engine.subscribe(1);
  const some = await first.next().catch(() => undefined);
  const oldest = some === undefined ? await goneOf(engine.subscribe(1)) : 1;
  whole.due = oldest;
  if (oldest <= last) await whole.readTo(engine.subscribe(oldest), last);
  if (oldest > 1) expect(await goneOf(engine.subscribe(oldest - 1))).toBe(oldest);
  return oldest;
};
const shortLived = (world: World): ObjectWalStore => {
  const { store, clock, prng } = world;
  return new ObjectWalStore(store, { clock, prng, prefix: "wal/", minAgeMs: 0 });
};

describe("what is kept for subscribers", () => {
  it.each(["segments", "objects"] as const)("is what the options say: %s", async (wal) => {
    for (const [options, after] of [
      [{}, [91, 100]],
      [{ logRetentionMs: 1e12, logRetentionBytes: 1_400_000 }, [61, 90]],
      [{ logRetentionMs: 1e12, logRetentionBytes: 0 }, [91, 101]],
      [FOREVER, [1, 1]],
    ] as const) {
      const world = worldOf({ store: "memory", wal });
      const logs = wal === "objects" ? { wal: shortLived(world) } : {};
      const engine = await world.open({ ...logs, options });
      await fill(engine, 10);
      const oldest = await oldestOf(engine);
      expect([options, oldest >= (after[0] ?? 0)]).toEqual([options, true]);
      expect([options, oldest <= (after[1] ?? 0) + 1]).toEqual([options, true]);
      await engine.close();
      const again = await world.open({ ...logs, options });
      expect(await oldestOf(again)).toBeGreaterThanOrEqual(oldest);
      await again.close();
      // What is not wanted any more goes with the next owner.
      const last = await world.open(logs);
      expect(await oldestOf(last)).toBe(101);
      await last.close();
    }
  });

  it("goes when it is old, counted from when no replay needed it", async () => {
    const clock = new VirtualClock();
    const prng = new SeededPrng(1);
    const store = new MemoryBlobStore(clock);
    const wal = new ObjectWalStore(store, { clock, prng, prefix: "wal/", minAgeMs: 0 });
    const parts = { store, wal, clock, prng, node: new Processes().start() };
    const { Engine: Opened } = await import("../../src/lsm/engine/engine.ts");
    const engine = await Opened.open({ ...parts, options: { logRetentionMs: 10_000 } });
    const round = async (name: string): Promise<void> => {
      await engine.put(utf8(name), utf8("v"), { durable: true });
      await engine.flush();
    };
    await round("a");
    await clock.advance(6_000);
    await round("b");
    const both = new Follower();
    await both.readTo(engine.subscribe(1), 2);
    await clock.advance(6_000);
    await round("c");
    expect(await goneOf(engine.subscribe(1))).toBe(2);
    await clock.run(engine.close());
  });

  it("is the newest files without a gap", () => {
    const files = [1, 2, 3, 4].map((id) => ({ id, bytes: 10, releasedMs: id * 100 }));
    expect(keptFrom(files, { bytes: 0, ms: 1e9 }, 500)).toBe(5);
    expect(keptFrom(files, { bytes: 25, ms: 1e9 }, 500)).toBe(3);
    expect(keptFrom(files, { bytes: 1e9, ms: 250 }, 500)).toBe(3);
    expect(keptFrom(files, { bytes: 1e9, ms: 0 }, 400)).toBe(5);
    expect(keptFrom([], { bytes: 1, ms: 1 }, 0)).toBe(1);
  });

  it("may be released while it is read: who reads hears that it is gone", async () => {
    const world = worldOf(MEMORY);
    const engine = await world.open({
      options: { logRetentionMs: 1e12, logRetentionBytes: 600_000 },
    });
    await fill(engine, 2);
    const oldest = await oldestOf(engine);
    const subscription = engine.subscribe(oldest);
    const follower = new Follower();
    follower.due = oldest;
    follower.take(await subscription.next());
    await fill(engine, 10);
    for (let gone = false; !gone && follower.due <= engine.lastSequence; ) {
      try {
        follower.take(await subscription.next());
      } catch (error) {
        expect(error).toMatchObject({ code: "LSM_SEQUENCE_GONE" });
        gone = true;
      }
    }
    expect(follower.due).toBeLessThan(engine.lastSequence);
    await engine.close();
  });
});

/** Puts an object of the log, of one batch. */
function putsObjects(store: BlobStore) {
  return async (id: number, epoch: number, firstSequence: number, count: number) => {
    const payload = Buffer.alloc(10, epoch);
    const object = { id, epoch, putId: Buffer.alloc(16, id), firstSequence, isOverlapped: false };
    const batches = [{ firstSequence, count, payload }];
    await store.put(`wal/${walName(id)}`, encodeObject({ ...object, batches }));
  };
}

describe("what is kept for subscribers after a restore, a takeover or a lagging list", () => {
  it("ends at a restore, which is not a batch: a follower begins anew behind it", async () => {
    for (const more of [0, 3]) {
      const shard = new TimedShard();
      const engine = await shard.open(FOREVER);
      await shard.flush(engine, "1");
      await shard.flush(engine, "2");
      await shard.run(engine.close());
      const { replaced } = await shard.run(shard.restore({ sequence: 50 }, FOREVER));
      const after = await shard.open(FOREVER);
      for (let i = 0; i < more; i++) {
        await shard.run(Promise.resolve(after.put(utf8("a"), utf8(`${i}`), { durable: true })));
      }
      const follower = new Follower();
      const subscription = after.subscribe(1);
      await shard.run(follower.readTo(subscription, replaced));
      expect(await shard.run(goneOf(subscription))).toBe(replaced + 2);
      const anew = after.subscribe(replaced + 2);
      follower.due = replaced + 2;
      await shard.run(follower.readTo(anew, replaced + 1 + more));
      expect(follower.ops).toHaveLength(100 + more);
      await shard.run(after.close());
    }
  });

  it("is found where a list of the objects is behind", async () => {
    const { store, open } = worldOf({ store: "memory", wal: "objects" });
    for (let life = 0; life < 3; life++) {
      const engine = await open({ options: FOREVER });
      for (const name of ["a", "b"]) await engine.put(utf8(name), utf8("1"), { durable: true });
      await engine.close();
    }
    let behind = 0;
    const late = new Proxy(store, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        if (name !== "list") return value.bind(target);
        return async (...args: unknown[]) => (await value.apply(target, args)).slice(0, -behind);
      },
    });
    const all = (await store.list("wal/")).length;
    expect(all).toBe(11);
    const reader = new ObjectReader(late, "wal/");
    for (behind = 1; behind < all; behind++) {
      for (const [sequence, file] of [2, 3, 6, 7, 10, 11].entries()) {
        expect(await reader.holding(sequence + 1, all + 1)).toEqual({ file });
      }
      expect(await reader.holding(7, all + 1)).toEqual({ next: undefined });
    }
  });

  it("is not what an overtaken owner put late, where a fence was released", async () => {
    const store = new MemoryBlobStore(new VirtualClock());
    const put = putsObjects(store);
    await put(7, 1, 1, 3);
    // Epoch 2 begins with a fence, which is gone, and so is that of the third one.
    await put(8, 1, 4, 2);
    await put(9, 2, 4, 3);
    await put(10, 2, 7, 1);
    await put(11, 2, 8, 5);
    await put(12, 3, 8, 1);
    const files = [7, 7, 7, 9, 9, 9, 10, 12];
    for (const [index, file] of files.entries()) {
      for (const after of [0, ...files.slice(0, index)]) {
        const reader = new ObjectReader(store, "wal/");
        expect(await reader.holding(index + 1, 13, after)).toEqual({ file });
      }
    }
  });
});

describe("a subscription to a restored shard", () => {
  it.each([
    [4, 0],
    [4, 3],
    [1, 0],
    [1, 3],
  ])("is not handed %s that were put late where a restore is, %s behind", async (count, more) => {
    const shard = new TimedShard();
    const engine = await shard.open(FOREVER);
    await shard.flush(engine, "1");
    await shard.run(engine.close());
    const late =
      1 + Math.max(...(await shard.names("wal/")).map((name) => walId(name.slice(4)) ?? 0));
    // The fence of the restore stands there, and is released one day.
    const { replaced } = await shard.run(shard.restore({ sequence: 50 }, FOREVER));
    const after = await shard.open(FOREVER);
    for (let i = 0; i < more; i++) {
      await shard.run(Promise.resolve(after.put(utf8("a"), utf8(`${i}`), { durable: true })));
    }
    await shard.store.delete(`wal/${walName(late)}`);
    await shard.clock.advance(1_000);
    await putsObjects(shard.store)(late, 1, replaced + 1, count);
    expect(await shard.run(goneOf(after.subscribe(replaced + 1)))).toBe(replaced + 2);
    await shard.run(after.close());
  });
});

describe("a subscription", () => {
  it.each(["segments", "objects"] as const)(
    "ends once at restores that follow each other, and owners that wrote nothing: %s",
    async (wal) => {
      for (const restores of [1, 2, 4]) {
        for (const more of [0, 3]) {
          const world = worldOf({ store: "memory", wal });
          const { store, log, clock, prng, processes } = world;
          const engine = await world.open({ options: FOREVER });
          for (const name of ["a", "b", "c"]) {
            await engine.put(utf8(name), utf8("1"), { durable: true });
            await engine.flush();
          }
          await engine.close();
          const node = processes.start();
          const parts = { store, wal: world.wal, log, clock, prng, node, options: FOREVER };
          for (let i = 0; i < restores; i++) {
            await restoreShard(parts, { sequence: 2 });
            await (await world.open({ options: FOREVER })).close();
          }
          const after = await world.open({ options: FOREVER });
          for (let i = 0; i < more; i++) await after.put(utf8("d"), utf8(`${i}`));
          await after.flush();
          await after.close();
          const last = await world.open({ options: FOREVER });
          const behind = 4 + restores;
          const follower = new Follower();
          const subscription = last.subscribe(1);
          await follower.readTo(subscription, 3);
          for (let due = 4; due < behind; due++) {
            expect(await goneOf(last.subscribe(due))).toBe(behind);
          }
          expect(await goneOf(subscription)).toBe(behind);
          follower.due = behind;
          await follower.readTo(last.subscribe(behind), behind + more - 1);
          expect(follower.ops).toHaveLength(3 + more);
          await last.put(utf8("e"), utf8("1"), { durable: true });
          expect(await goneOf(subscription)).toBe(behind);
          await last.close();
        }
      }
    },
  );
});
