import { describe, expect, it } from "vitest";
import { utf8, utf8Text } from "../../../src/base/bytes.ts";
import type { Engine } from "../../../src/lsm/engine/engine.ts";
import type { Ingest } from "../../../src/lsm/ingest/ingest.ts";
import type { LsmTuning } from "../../../src/lsm/options.ts";
import { readOne, TimedShard } from "../support/timed-shard.ts";

const OPTIONS: Partial<LsmTuning> = { gcMinAgeMs: 0, ingestBytes: 4_000, tableBytes: 8_000 };

const keyOf = (i: number): string => `row ${String(i).padStart(6, "0")}`;

/** In an order that is not theirs: each number below `count` once, where 7 does not divide that. */
function rowsOf(count: number, value: string) {
  return Array.from({ length: count }, (_, i) => {
    return { key: utf8(keyOf((i * 7) % count)), value: utf8(value) };
  });
}

const ROWS = { prefix: utf8("row ") };

async function fill(world: TimedShard, ingest: Ingest, count: number, value: string) {
  const rows = rowsOf(count, value);
  for (let at = 0; at < count; at += 50) await world.run(ingest.add(rows.slice(at, at + 50)));
}

async function load(world: TimedShard, engine: Engine, count: number, value: string) {
  const ingest = engine.ingest({ ranges: [ROWS] });
  await fill(world, ingest, count, value);
  return await world.run(ingest.commit());
}

async function contents(
  world: TimedShard,
  source: Pick<Engine, "scan">,
  reverse = false,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const scan = source.scan({ prefix: utf8("row "), reverse });
  for (;;) {
    const batch = await world.run(Promise.resolve(scan.next()));
    if (batch === undefined) return found;
    for (const { key, value } of batch) found.set(utf8Text(key), utf8Text(value));
  }
}

const expected = (count: number, value: string): ReadonlyMap<string, string> =>
  new Map(Array.from({ length: count }, (_, i) => [keyOf(i), value]));

describe("an ingest", () => {
  it("appears whole, under one sequence, and survives", async () => {
    const world = new TimedShard();
    const engine = await world.open(OPTIONS);
    await world.flush(engine, "before");
    const before = engine.snapshot();
    const made = await load(world, engine, 1_000, "loaded");
    expect(made).toMatchObject({ rows: 1_000, sequence: 51 });
    expect(made.tables).toBeGreaterThan(1);
    expect(await contents(world, engine)).toEqual(expected(1_000, "loaded"));
    expect((await contents(world, engine, true)).size).toBe(1_000);
    expect(await world.run(Promise.resolve(engine.get(utf8(keyOf(5)), { snapshot: before })))).toBe(
      undefined,
    );
    before.close();
    // What comes later is newer, in memory and in tables.
    await world.run(Promise.resolve(engine.put(utf8(keyOf(3)), utf8("later"), { durable: true })));
    for (const step of ["memory", "flushed", "compacted", "opened again"]) {
      if (step === "flushed") await world.run(engine.flush());
      if (step === "compacted") await world.run(engine.compact());
      const now = await contents(world, engine);
      expect([step, now.size, now.get(keyOf(3)), now.get(keyOf(4))]).toEqual([
        step,
        1_000,
        "later",
        "loaded",
      ]);
    }
    await world.run(engine.close());
    const again = await world.open(OPTIONS);
    expect(again.lastSequence).toBe(52);
    expect((await contents(world, again)).get(keyOf(3))).toBe("later");
    expect(await world.run(readOne(again))).toBe("before");
    await world.run(again.close());
    expect(await world.findings()).toEqual([]);
  });

  it("survives the end of its process right after it, and replaces what was there", async () => {
    const world = new TimedShard();
    const engine = await world.open(OPTIONS);
    await load(world, engine, 300, "one");
    await world.run(Promise.resolve(engine.put(utf8("other"), utf8("beside"))));
    await load(world, engine, 200, "two");
    const other = await world.open(OPTIONS);
    const now = await contents(world, other);
    expect([now.size, now.get(keyOf(199)), now.get(keyOf(200))]).toEqual([300, "two", "one"]);
    expect(utf8Text((await world.run(Promise.resolve(other.get(utf8("other")))))!)).toBe("beside");
    await world.run(other.compact());
    expect(await contents(world, other)).toEqual(now);
    await world.run(other.collectGarbage());
    expect(await world.findings()).toEqual([]);
  });

  it("is seen by a reader once its sequence is, and not before", async () => {
    const world = new TimedShard();
    const engine = await world.open(OPTIONS);
    await world.flush(engine, "before");
    const reader = await world.read({ follow: { pollMs: 0 } });
    const { sequence } = await load(world, engine, 500, "loaded");
    await world.run(reader.waitFor(sequence));
    expect((await contents(world, reader)).size).toBe(500);
    await world.run(Promise.resolve(engine.put(utf8(keyOf(1)), utf8("x"), { durable: true })));
    await world.run(reader.refresh());
    expect((await contents(world, reader)).get(keyOf(1))).toBe("x");
    await world.run(reader.close());
  });

  it("leaves nothing where it was given up or nobody ended it", async () => {
    const world = new TimedShard();
    const engine = await world.open(OPTIONS);
    await world.flush(engine, "before");
    const aborted = engine.ingest();
    await fill(world, aborted, 500, "never");
    await world.run(aborted.abort());
    expect(await world.names("sst/")).toHaveLength(1);
    const left = engine.ingest();
    await fill(world, left, 500, "never");
    await world.clock.advance(1_000);
    expect((await world.names("sst/")).length).toBeGreaterThan(1);
    // What is under way is not garbage.
    await world.run(engine.collectGarbage());
    expect((await world.names("sst/")).length).toBeGreaterThan(1);
    const other = await world.open(OPTIONS);
    await world.run(other.collectGarbage());
    expect(await world.names("sst/")).toHaveLength(1);
    expect((await contents(world, other)).size).toBe(0);
  });
});

describe("what an ingest takes of memory", () => {
  it("is nothing where it had no rows", async () => {
    const world = new TimedShard();
    const engine = await world.open(OPTIONS);
    const { lastSequence } = engine;
    const made = await world.run(engine.ingest().commit());
    expect(made).toEqual({ sequence: lastSequence, rows: 0, tables: 0, fileBytes: 0 });
  });

  it("counts its rows in the memory of the shard, and gives all of it back", async () => {
    const world = new TimedShard();
    const engine = await world.open(OPTIONS);
    const ingest = engine.ingest();
    await world.run(ingest.add(rowsOf(20, "x")));
    expect(engine.stats().memory.memtableBytes).toBeGreaterThanOrEqual(4_000);
    await world.run(ingest.commit());
    const other = engine.ingest();
    await world.run(other.add(rowsOf(20, "x")));
    await world.run(other.abort());
    expect(engine.stats().memory.memtableBytes).toBe(0);
  });
});

describe("an ingest conflicts with", () => {
  const writes: readonly (readonly [string, (engine: Engine) => unknown])[] = [
    ["a put", (engine) => engine.put(utf8(keyOf(3)), utf8("x"))],
    ["a deletion", (engine) => engine.delete(utf8(keyOf(9_999)))],
    ["a range that begins below it", (engine) => engine.deleteRange(utf8("a"), utf8("row 5"))],
    ["a range without an end", (engine) => engine.deleteRange(utf8("rov"), new Uint8Array(0))],
  ];

  it.each(writes)("%s in its ranges, and leaves nothing", async (_, write) => {
    const world = new TimedShard();
    const engine = await world.open(OPTIONS);
    const ingest = engine.ingest({ ranges: [ROWS] });
    await fill(world, ingest, 300, "never");
    await world.run(Promise.resolve(write(engine)));
    await expect(world.run(ingest.commit())).rejects.toMatchObject({ code: "LSM_CONFLICT" });
    expect((await contents(world, engine)).size).toBeLessThan(2);
    await world.run(engine.flush());
    await world.run(engine.collectGarbage());
    const { level0Tables } = { level0Tables: (await world.newest()).level0.length };
    expect(await world.names("sst/")).toHaveLength(level0Tables);
    await expect(world.run(ingest.commit())).rejects.toMatchObject({ code: "LSM_INGEST_OVER" });
  });

  it("no write beside its ranges, which goes on meanwhile", async () => {
    const world = new TimedShard();
    const engine = await world.open(OPTIONS);
    const ingest = engine.ingest({ ranges: [ROWS, { from: utf8("x"), to: utf8("y") }] });
    await fill(world, ingest, 300, "loaded");
    await world.run(Promise.resolve(engine.put(utf8("row"), utf8("1"))));
    await world.run(Promise.resolve(engine.put(utf8("y"), utf8("1"))));
    await world.run(Promise.resolve(engine.deleteRange(utf8("a"), utf8("row "))));
    const committing = ingest.commit();
    const beside = Array.from({ length: 20 }, (_, i) =>
      Promise.resolve(engine.put(utf8(`z ${i}`), utf8("2"), { durable: true })),
    );
    const { sequence } = await world.run(committing);
    await world.run(Promise.all(beside));
    expect(engine.lastSequence).toBe(24);
    expect(sequence).toBeLessThan(25);
    expect((await contents(world, engine)).size).toBe(300);
  });

  it("another ingest of a range that it shares", async () => {
    const world = new TimedShard();
    const engine = await world.open(OPTIONS);
    const first = engine.ingest({ ranges: [ROWS] });
    const second = engine.ingest({ ranges: [{ from: utf8("row 000100") }] });
    await fill(world, first, 300, "first");
    await world.run(second.add([{ key: utf8("row 000200"), value: utf8("second") }]));
    await world.run(second.commit());
    await expect(world.run(first.commit())).rejects.toMatchObject({ code: "LSM_CONFLICT" });
    expect([...(await contents(world, engine))]).toEqual([["row 000200", "second"]]);
  });

  it("a transaction that read or wrote in its ranges before it, which then fails", async () => {
    const world = new TimedShard();
    const engine = await world.open(OPTIONS);
    const reads = engine.transaction();
    const scans = engine.transaction();
    const inserts = engine.transaction({ isolation: "snapshot" });
    const beside = engine.transaction();
    expect(await world.run(Promise.resolve(reads.get(utf8(keyOf(7)))))).toBe(undefined);
    expect(await world.run(Promise.resolve(scans.scan({ from: utf8("row") }).next()))).toBe(
      undefined,
    );
    expect(await world.run(Promise.resolve(beside.get(utf8("other"))))).toBe(undefined);
    await load(world, engine, 300, "loaded");
    for (const [i, one] of [reads, scans, beside].entries()) one.put(utf8(`mine ${i}`), utf8("1"));
    inserts.put(utf8(keyOf(7)), utf8("mine"));
    for (const one of [reads, scans, inserts]) {
      await expect(world.run(one.commit())).rejects.toMatchObject({ code: "LSM_CONFLICT" });
    }
    await world.run(beside.commit());
    expect((await contents(world, engine)).get(keyOf(7))).toBe("loaded");
  });
});

it("an ingest whose engine was closed meanwhile fails, and can be aborted", async () => {
  const world = new TimedShard();
  const engine = await world.open(OPTIONS);
  const [first, second] = [engine.ingest(), engine.ingest()];
  for (const one of [first, second]) await fill(world, one, 400, "never");
  await world.run(engine.close());
  await expect(world.run(first.commit())).rejects.toMatchObject({ code: "LSM_CLOSED" });
  for (const one of [first, second]) await world.run(one.abort());
  const again = await world.open(OPTIONS);
  expect((await contents(world, again)).size).toBe(0);
});

it("an ingest of a stale owner hears that it is fenced, not that its tables are lost", async () => {
  const world = new TimedShard();
  const stale = await world.open(OPTIONS);
  const ingest = stale.ingest({ ranges: [ROWS] });
  await fill(world, ingest, 2_000, "never");
  expect((await world.names("sst/")).length).toBeGreaterThan(4);
  const owner = await world.open(OPTIONS);
  await world.run(owner.collectGarbage());
  expect(await world.names("sst/")).toEqual([]);
  const fenced = { kind: "Unavailable", code: "LSM_FENCED" };
  await expect(world.run(ingest.commit())).rejects.toMatchObject(fenced);
  expect(() => stale.put(utf8("row"), utf8("mine"))).toThrow("fenced");
  expect((await contents(world, owner)).size).toBe(0);
});

it("an ingest hears of a write that a crash could undo once that is durable", async () => {
  const world = new TimedShard();
  const engine = await world.open(OPTIONS);
  const ingest = engine.ingest({ ranges: [ROWS] });
  await fill(world, ingest, 100, "loaded");
  const { put } = world.store;
  const released = Promise.withResolvers<void>();
  world.store.put = async (path, bytes, condition) => {
    await released.promise;
    return await put.call(world.store, path, bytes, condition);
  };
  await engine.put(utf8(keyOf(7)), utf8("mine"));
  let heard = 0;
  const told = async (): Promise<void> => {
    const isDurable = engine.stats().durableSequence >= engine.lastSequence;
    if (isDurable) heard++;
    else throw new Error("it heard of what a crash could undo");
  };
  const added = ingest.add([{ key: utf8("row 9"), value: utf8("more") }]).catch(told);
  const committed = ingest.commit().catch(told);
  await world.clock.advance(1_000);
  expect(heard).toBe(0);
  released.resolve();
  await world.run(Promise.all([added, committed]));
  expect(heard).toBe(2);
});

it("rows that come in order are written once, whatever the order of others", async () => {
  const world = new TimedShard();
  const engine = await world.open({ gcMinAgeMs: 0, ingestBytes: 4_000, tableBytes: 64_000 });
  const puts: string[] = [];
  const putStream = world.store.putStream.bind(world.store);
  world.store.putStream = async (path, source) => {
    puts.push(path);
    return await putStream(path, source);
  };
  const ranges = [{ prefix: utf8("row ") }, { prefix: utf8("index ") }];
  const ingest = engine.ingest({ ranges });
  for (let i = 0; i < 1_000; i++) {
    const entry = utf8(`index ${(i * 379) % 1_000}`);
    await world.run(
      ingest.add([
        { key: utf8(keyOf(i)), value: utf8("loaded") },
        { key: entry, value: new Uint8Array(0) },
      ]),
    );
  }
  const { rows, tables } = await world.run(ingest.commit());
  expect(rows).toBe(2_000);
  const stored = await world.names("sst/");
  expect(stored.length).toBe(tables);
  // Tables of rows stay as they were written; those of the index became one.
  const { runs } = await world.newest();
  const names = runs.flatMap((run) => run.tables);
  const moved = names.filter(({ stats }) => stats.firstKey.startsWith("row "));
  expect(moved.length).toBeGreaterThan(2);
  expect(names.filter(({ stats }) => stats.firstKey.startsWith("index ")).length).toBe(1);
  expect(puts.length).toBeLessThan(2 * (moved.length + 8));
  expect((await contents(world, engine)).size).toBe(1_000);
  expect(await world.findings()).toEqual([]);
});

describe("what a check of all files says of an ingest", () => {
  it("finds nothing where its tables lie side by side in level 0", async () => {
    const world = new TimedShard();
    const engine = await world.open({ ...OPTIONS, compaction: "manual" });
    await load(world, engine, 300, "loaded");
    await world.run(Promise.resolve(engine.put(utf8(keyOf(7)), utf8("mine"))));
    await world.run(engine.flush());
    const options = { ...OPTIONS, compaction: "manual", tableBytes: 4_000 } as const;
    await world.run(engine.close());
    const again = await world.open(options);
    await load(world, again, 1_100, "again");
    const { level0 } = await world.newest();
    expect(level0.length).toBeGreaterThan(2);
    expect(await world.findings()).toEqual([]);
  });
});

describe("rows of an ingest", () => {
  it.each([
    ["a key twice, in different tables", "LSM_INGEST_DUPLICATE_KEY"],
    ["a key outside its ranges", "LSM_INGEST_OUT_OF_RANGE"],
  ])("are refused with %s", async (what, code) => {
    const world = new TimedShard();
    const engine = await world.open(OPTIONS);
    const ingest = engine.ingest({ ranges: [ROWS] });
    await fill(world, ingest, 500, "never");
    const key = utf8(code === "LSM_INGEST_DUPLICATE_KEY" ? keyOf(11) : "elsewhere");
    await world.run(ingest.add([{ key, value: utf8(what) }]));
    await expect(world.run(ingest.commit())).rejects.toMatchObject({ kind: "Invalid", code });
    expect(await world.names("sst/")).toEqual([]);
  });

  it("may be as large as a row can be", async () => {
    const world = new TimedShard();
    const engine = await world.open(OPTIONS);
    const ingest = engine.ingest();
    const value = new Uint8Array(100_000).fill(7);
    await world.run(
      ingest.add([
        { key: utf8("a"), value },
        { key: utf8("b"), value: utf8("b") },
      ]),
    );
    await world.run(ingest.commit());
    expect(await world.run(Promise.resolve(engine.get(utf8("a"))))).toEqual(value);
    await expect(
      world.run(engine.ingest().add([{ key: new Uint8Array(0), value }])),
    ).rejects.toMatchObject({ code: "LSM_KEY_INVALID" });
  });
});

describe("subscribers", () => {
  it("hear of an ingest as a state to begin anew with", async () => {
    const world = new TimedShard();
    const engine = await world.open(OPTIONS);
    await world.run(Promise.resolve(engine.put(utf8("a"), utf8("1"), { durable: true })));
    const subscription = engine.subscribe(1);
    const { sequence } = await load(world, engine, 100, "loaded");
    await world.run(Promise.resolve(engine.put(utf8("b"), utf8("2"), { durable: true })));
    expect((await world.run(subscription.next()))?.map(({ lastSequence }) => lastSequence)).toEqual(
      [1],
    );
    await expect(world.run(subscription.next())).rejects.toMatchObject({
      code: "LSM_SEQUENCE_GONE",
      context: { oldest: sequence + 1 },
    });
    subscription.close();
    const next = engine.subscribe(sequence + 1);
    expect((await world.run(next.next()))?.[0]?.firstSequence).toBe(sequence + 1);
    next.close();
  });

  it("hear of an ingest and of a restore behind it one after the other", async () => {
    const world = new TimedShard();
    const engine = await world.open(OPTIONS);
    await world.run(Promise.resolve(engine.put(utf8("a"), utf8("1"), { durable: true })));
    const { sequence } = await load(world, engine, 100, "loaded");
    await world.run(engine.close());
    const { replaced } = await world.run(world.restore({ sequence }, OPTIONS));
    expect(replaced).toBe(sequence);
    const heir = await world.open(OPTIONS);
    await world.run(Promise.resolve(heir.put(utf8("b"), utf8("2"), { durable: true })));
    const oldestFrom = async (from: number): Promise<unknown> => {
      const subscription = heir.subscribe(from);
      const error: unknown = await world.run(subscription.next()).catch((caught) => caught);
      subscription.close();
      return error;
    };
    const gone = (oldest: number) => ({ code: "LSM_SEQUENCE_GONE", context: { oldest } });
    expect(await oldestFrom(sequence)).toMatchObject(gone(sequence + 1));
    // No batch has the sequence of a restore.
    expect(await oldestFrom(sequence + 1)).toMatchObject(gone(sequence + 2));
    const next = heir.subscribe(sequence + 2);
    expect((await world.run(next.next()))?.[0]?.firstSequence).toBe(sequence + 2);
    next.close();
  });
});
