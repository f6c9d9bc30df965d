import { describe, expect, it } from "vitest";
import { utf8, utf8Text } from "../../../src/base/bytes.ts";
import type { Engine } from "../../../src/lsm/engine/engine.ts";
import { LSM_LIMITS } from "../../../src/lsm/limits.ts";
import { LogReplay } from "../../../src/lsm/memtable/log-replay.ts";
import type { Reader } from "../../../src/lsm/read/reader.ts";
import { encodeBatch } from "../../../src/lsm/wal/batch.ts";
import { FaultyBlobStore } from "../../support/faulty-blob-store.ts";
import { TimedShard } from "../support/timed-shard.ts";

const HOUR = 3_600_000;
const FOLLOW = { follow: { pollMs: 1_000 } } as const;
const TOLD = { follow: { pollMs: 0 } } as const;

async function put(shard: TimedShard, engine: Engine, value: string): Promise<number> {
  const written = await shard.run(
    Promise.resolve(engine.put(utf8("key 07"), utf8(value), { durable: true })),
  );
  return written.sequence;
}

async function one(shard: TimedShard, reader: Reader): Promise<string> {
  const value = await shard.run(Promise.resolve(reader.get(utf8("key 07"))));
  return value === undefined ? "" : utf8Text(value);
}

async function replaceAll(shard: TimedShard, engine: Engine, value: string): Promise<void> {
  await shard.flush(engine, value);
  await shard.run(engine.compact());
  await shard.run(engine.collectGarbage());
}

describe("a reader that follows", () => {
  it("sees what is durable and in no table yet, and says how stale it is", async () => {
    const shard = new TimedShard();
    const engine = await shard.open();
    await shard.flush(engine, "1");
    const reader = await shard.read(FOLLOW);
    const sequence = await put(shard, engine, "2");
    expect([reader.sequence, await one(shard, reader)]).toEqual([50, "1"]);
    await shard.clock.advance(999);
    expect(reader.stats()).toMatchObject({ staleMs: 999, sequence: 50, keptMs: undefined });
    await shard.clock.advance(2);
    expect([reader.sequence, await one(shard, reader)]).toEqual([sequence, "2"]);
    expect(reader.stats().staleMs).toBe(1);
    // Over a flush, a compaction, and a new owner.
    for (const value of ["3", "4"]) {
      await shard.flush(engine, value);
      await shard.run(engine.compact());
      const next = await put(shard, engine, `${value}'`);
      await shard.clock.advance(1_001);
      expect([reader.sequence, await one(shard, reader)]).toEqual([next, `${value}'`]);
    }
    const heir = await shard.open();
    await put(shard, heir, "5");
    await shard.clock.advance(1_001);
    expect(await one(shard, reader)).toBe("5");
    await shard.run(reader.close());
    expect(() => reader.get(utf8("key 07"))).toThrow(
      expect.objectContaining({ code: "LSM_CLOSED" }),
    );
    // It wrote nothing, and the store is asked no more.
    expect((await shard.newest()).checkpoints).toEqual([]);
  });

  it("asks twice where nothing is new, and gives up what tables hold by now", async () => {
    const shard = new TimedShard();
    const engine = await shard.open();
    await shard.flush(engine, "1");
    const calls: string[] = [];
    const store = new FaultyBlobStore(shard.store, (_index, method) => {
      calls.push(method);
      return undefined;
    });
    const reader = await shard.read(TOLD, {}, store);
    calls.length = 0;
    await shard.run(reader.refresh());
    expect(calls).toEqual(["get", "get"]);
    for (let i = 0; i < 30; i++) await put(shard, engine, `${i}`);
    await shard.run(reader.refresh());
    expect(reader.stats().memtables.bytes).toBeGreaterThan(0);
    await shard.run(engine.flush());
    await shard.run(reader.refresh());
    expect(reader.stats().memtables.count).toBe(1);
    expect(await one(shard, reader)).toBe("29");
    await shard.run(reader.close());
  });

  it("waits for a sequence, and says so where it does not come", async () => {
    const shard = new TimedShard();
    const engine = await shard.open();
    await shard.flush(engine, "1");
    const reader = await shard.read(TOLD);
    const token = await put(shard, engine, "2");
    await shard.run(reader.waitFor(token));
    expect(await one(shard, reader)).toBe("2");
    const late = { kind: "Unavailable", code: "LSM_SEQUENCE_AHEAD" };
    const waiting = reader.waitFor(token + 1, 5_000);
    await expect(shard.run(waiting)).rejects.toMatchObject(late);
    const other = reader.waitFor(token + 1, 5_000);
    await shard.clock.advance(2_000);
    await put(shard, engine, "3");
    await shard.run(other);
    expect(reader.sequence).toBe(token + 1);
    await shard.run(reader.close());
  });

  it("keeps nothing beyond the least age: a scan ends, a get goes on", async () => {
    const shard = new TimedShard();
    const options = { gcMinAgeMs: HOUR };
    const engine = await shard.open({ ...options, blockBytes: 40 });
    await shard.flush(engine, "1");
    const reader = await shard.read(TOLD, { ...options, readAheadBytes: 0, readGapBytes: 0 });
    const scan = reader.scan({ batchRows: 1 });
    await shard.run(Promise.resolve(scan.next()));
    await shard.clock.advance(2 * HOUR);
    await replaceAll(shard, engine, "2");
    await shard.clock.advance(HOUR + 1);
    await shard.run(engine.collectGarbage());
    const rest = async () => {
      while ((await scan.next()) !== undefined);
    };
    const behind = { kind: "Unavailable", code: "LSM_READER_BEHIND" };
    await expect(shard.run(rest())).rejects.toMatchObject(behind);
    expect(await one(shard, reader)).toBe("2");
    await shard.run(reader.close());
  });
});

describe("a reader that races with garbage collection", () => {
  it("does not call a table lost while it cannot ask whether it was due", async () => {
    const shard = new TimedShard();
    const options = { gcMinAgeMs: HOUR };
    const engine = await shard.open(options);
    await shard.flush(engine, "1");
    const store = new FaultyBlobStore(shard.store, (_, __, [path]) =>
      String(path).startsWith("manifest/") && shut ? { fault: "refused" } : undefined,
    );
    let shut = false;
    const reader = await shard.read(TOLD, options, store);
    await shard.clock.advance(2 * HOUR);
    await replaceAll(shard, engine, "2");
    await shard.clock.advance(HOUR + 1);
    await shard.run(engine.collectGarbage());
    shut = true;
    const unsure = { kind: "Unavailable", code: "BLOB_STORE_UNAVAILABLE" };
    const scan = reader.scan();
    await expect(shard.run(Promise.resolve(scan.next()))).rejects.toMatchObject(unsure);
    shut = false;
    expect(await one(shard, reader)).toBe("2");
    await shard.run(reader.close());
  });

  it.each([
    ["opens", "manifest/"],
    ["looks", "manifest/"],
    ["looks", "wal/"],
  ])("%s by a request to %s that arrives when the answer was collected", async (when, folder) => {
    const shard = new TimedShard();
    const options = { gcMinAgeMs: HOUR };
    const engine = await shard.open(options);
    await shard.flush(engine, "1");
    // Which of those requests from now on.
    const sight = { strikes: 0 };
    let last = 0;
    const until = async () => {
      for (const value of ["2", "3", "4"]) {
        await put(shard, engine, value);
        await shard.clock.advance(3 * HOUR);
        await replaceAll(shard, engine, value);
      }
      last = await put(shard, engine, "5");
    };
    const store = new FaultyBlobStore(shard.store, (_index, method, [path]) => {
      const number = Number(/\d{20}/.exec(String(path))?.[0]);
      const isNext = folder === "wal/" || number > newest;
      if (method !== "get" || !String(path).startsWith(folder) || !isNext) return undefined;
      if (--sight.strikes !== 0) return undefined;
      return { fault: "stalled", applied: "after", until };
    });
    const newest = (await shard.newest()).id;
    // The first one only tells that there is a shard.
    if (when === "opens") sight.strikes = 2;
    const reader = await shard.read(TOLD, options, store);
    if (when === "looks") sight.strikes = 1;
    const asked = shard.clock.monotonicMs();
    await shard.run(reader.refresh());
    expect(last).toBeGreaterThan(0);
    expect([reader.sequence, await one(shard, reader)]).toEqual([last, "5"]);
    expect(reader.stats().staleMs).toBeLessThan(HOUR);
    expect(shard.clock.monotonicMs() - asked).toBe(when === "looks" ? 9 * HOUR : 0);
    await shard.run(reader.close());
  });

  it("of a shard that deletes at once keeps what it reads, its scans' too", async () => {
    const shard = new TimedShard();
    const options = { gcMinAgeMs: 0 };
    const engine = await shard.open({ ...options, blockBytes: 40 });
    await shard.flush(engine, "1");
    const reader = await shard.read(TOLD, { ...options, readAheadBytes: 0, readGapBytes: 0 });
    const scan = reader.scan({ batchRows: 1 });
    await shard.run(Promise.resolve(scan.next()));
    for (const value of ["2", "3"]) {
      await replaceAll(shard, engine, value);
      await shard.run(reader.refresh());
      expect(await one(shard, reader)).toBe(value);
    }
    await replaceAll(shard, engine, "3'");
    let rows = 1;
    while ((await shard.run(Promise.resolve(scan.next()))) !== undefined) rows++;
    expect(rows).toBe(50);
    await replaceAll(shard, engine, "4");
    await shard.run(reader.refresh());
    await replaceAll(shard, engine, "5");
    await shard.run(reader.refresh());
    // The one before last, and the last.
    expect((await shard.newest()).checkpoints).toHaveLength(2);
    await shard.run(reader.close());
    await shard.run(engine.collectGarbage());
    expect(await shard.names("sst/")).toHaveLength(1);
  });
});

describe("a reader of one state", () => {
  it("keeps it as long as it lives, and for its life behind that", async () => {
    const shard = new TimedShard();
    const options = { gcMinAgeMs: 0 };
    const engine = await shard.open(options);
    await shard.flush(engine, "1");
    await shard.run(engine.checkpoint("one"));
    const reader = await shard.read({ checkpoint: "one" }, options);
    await shard.run(engine.deleteCheckpoint("one"));
    await replaceAll(shard, engine, "2");
    await shard.clock.advance(3 * LSM_LIMITS.readerLifeMs);
    await replaceAll(shard, engine, "3");
    expect(reader.stats()).toMatchObject({ sequence: 50, staleMs: undefined });
    expect(reader.stats().keptMs).toBeGreaterThan(LSM_LIMITS.readerLifeMs / 2);
    expect(await one(shard, reader)).toBe("1");
    await shard.run(reader.refresh());
    expect(reader.sequence).toBe(50);
    // Another one, whose process ends without a word.
    const lost = new FaultyBlobStore(shard.store, () => undefined);
    await shard.run(engine.checkpoint("two"));
    await shard.read({ checkpoint: "two" }, options, lost);
    lost.put = () => new Promise(() => undefined);
    await shard.run(engine.deleteCheckpoint("two"));
    await shard.run(reader.close());
    await replaceAll(shard, engine, "4");
    expect(await shard.names("sst/")).toHaveLength(2);
    await shard.clock.advance(LSM_LIMITS.readerLifeMs + 1);
    await replaceAll(shard, engine, "5");
    expect(await shard.names("sst/")).toHaveLength(1);
  });

  it("is found by its time: tables, and the log behind them", async () => {
    const shard = new TimedShard();
    const engine = await shard.open();
    const times: number[] = [];
    for (const value of ["1", "2", "3", "4"]) {
      await shard.clock.advance(60_000);
      if (value === "3") await put(shard, engine, value);
      else await shard.flush(engine, value);
      times.push(shard.clock.nowMs() + 30_000);
    }
    await shard.clock.advance(60_000);
    const seen: string[] = [];
    for (const timeMs of times) {
      const reader = await shard.read({ at: { timeMs } });
      seen.push(await one(shard, reader));
      await shard.run(reader.close());
    }
    expect(seen).toEqual(["1", "2", "3", "4"]);
    const ahead = shard.read({ at: { timeMs: shard.clock.nowMs() + 1 } });
    await expect(ahead).rejects.toMatchObject({ kind: "Invalid", code: "LSM_TIME_AHEAD" });
    const before = shard.read({ at: { timeMs: 1 } });
    await expect(before).rejects.toMatchObject({ kind: "NotFound", code: "LSM_HISTORY_GONE" });
  });

  it("is refused where it is gone, within a batch, or not there yet", async () => {
    const shard = new TimedShard();
    const options = { gcMinAgeMs: HOUR };
    const engine = await shard.open(options);
    await shard.flush(engine, "1");
    await put(shard, engine, "2");
    await shard.clock.advance(3 * HOUR);
    await shard.flush(engine, "3");
    await shard.clock.advance(3 * HOUR);
    await replaceAll(shard, engine, "4");
    const at = (sequence: number) => shard.read({ at: { sequence } }, options);
    const gone = { kind: "NotFound", code: "LSM_HISTORY_GONE" };
    await expect(at(50)).rejects.toMatchObject(gone);
    await expect(at(51)).rejects.toMatchObject(gone);
    const last = await put(shard, engine, "5");
    await expect(at(last - 10)).rejects.toMatchObject(gone);
    const ahead = { kind: "Unavailable", code: "LSM_SEQUENCE_AHEAD" };
    await expect(at(last + 1)).rejects.toMatchObject(ahead);
    const missing = { kind: "NotFound", code: "LSM_CHECKPOINT_NOT_FOUND" };
    await expect(shard.read({ checkpoint: "none" }, options)).rejects.toMatchObject(missing);
    expect((await shard.newest()).checkpoints).toEqual([]);
    const reader = await at(last);
    expect(await one(shard, reader)).toBe("5");
    await shard.run(reader.close());
    const nowhere = new TimedShard().read(TOLD);
    await expect(nowhere).rejects.toMatchObject({ kind: "NotFound", code: "LSM_NO_SHARD" });
  });
});

describe("a state that two want and a collector takes", () => {
  it("is not counted on for another reader's sake, which came too late itself", async () => {
    const shard = new TimedShard();
    const options = { gcMinAgeMs: 0 };
    const engine = await shard.open(options);
    await shard.flush(engine, "1");
    await put(shard, engine, "2");
    const target = { at: { sequence: 50 } };
    let puts = 0;
    const dead = Promise.withResolvers<void>();
    // Looks, is overtaken by the collector, says what it keeps all the same, and ends.
    const early = new FaultyBlobStore(shard.store, (_index, method) => {
      if (method !== "put") return undefined;
      if (++puts === 1) {
        const until = () => replaceAll(shard, engine, "3");
        return { fault: "stalled", applied: "after", until };
      }
      return { fault: "stalled", applied: "before", until: async () => dead.resolve() };
    });
    let isFirst = true;
    const late = new FaultyBlobStore(shard.store, (_index, method) => {
      if (method !== "put" || !isFirst) return undefined;
      isFirst = false;
      const until = async () => {
        void shard.read(target, options, early).catch(() => undefined);
        await dead.promise;
      };
      return { fault: "stalled", applied: "after", until };
    });
    const gone = { kind: "NotFound", code: "LSM_HISTORY_GONE" };
    await expect(shard.read(target, options, late)).rejects.toMatchObject(gone);
  });
});

describe("what was read of the log", () => {
  it("is cut where tables begin, in the midst of a memtable too", () => {
    // Memtables of a kibibyte: the first batch fills one.
    const replay = new LogReplay(1_024, 0);
    const add = (sequence: number, count: number): void => {
      const ops = Array.from({ length: count }, (_, i) => {
        const value = Uint8Array.of(sequence + i, 0, 0, 0, 0, 0, 0, 0);
        return { op: "merge" as const, key: utf8(`k${i % 3}`), operator: 0, value };
      });
      const payload = encodeBatch(ops);
      replay.add({ epoch: 1, batches: [{ firstSequence: sequence, count, payload }] });
    };
    add(1, 60);
    add(61, 60);
    const entries = () => replay.memtables.reduce((sum, one) => sum + one.entries, 0);
    expect([replay.memtables.length > 1, entries()]).toEqual([true, 120]);
    replay.cut(90);
    expect(entries()).toBe(30);
    const [last] = replay.memtables.filter(({ isEmpty }) => !isEmpty);
    expect([last?.minSequence, last?.maxSequence]).toEqual([91, 120]);
    expect(last?.get("k0", 120)?.sequence).toBe(118);
    expect(last?.get("k0", 92)?.sequence).toBe(91);
    replay.cut(130);
    expect(entries()).toBe(0);
    // What tables hold is not read from the log once more.
    add(121, 10);
    expect([entries(), replay.lastSequence]).toEqual([0, 130]);
  });
});

describe("a reader that looks while it reads", () => {
  it("reads the newest state where collection deleted what a stalled read began with", async () => {
    const shard = new TimedShard();
    const options = { gcMinAgeMs: HOUR };
    const engine = await shard.open(options);
    await shard.flush(engine, "1");
    let slow = false;
    const until = async () => {
      await shard.clock.advance(2 * HOUR);
      await replaceAll(shard, engine, "2");
      await shard.clock.advance(HOUR + 1);
      await shard.run(engine.collectGarbage());
      // The view that is read is an old one; the reader's own state is the newest.
      await shard.run(reader.refresh());
      expect(reader.stats().manifestId).toBe((await shard.newest()).id);
    };
    const store = new FaultyBlobStore(shard.store, (_index, _method, [path]) => {
      if (!slow || !String(path).startsWith("sst/")) return undefined;
      slow = false;
      return { fault: "stalled", applied: "after", until };
    });
    const reader = await shard.read(TOLD, options, store);
    slow = true;
    expect(await one(shard, reader)).toBe("2");
    expect(slow).toBe(false);
    await shard.run(reader.close());
  });
});
