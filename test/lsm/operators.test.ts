import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { utf8 } from "../../src/base/bytes.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import { Engine } from "../../src/lsm/engine/engine.ts";
import { ManifestObjects } from "../../src/lsm/manifest/objects.ts";
import type { LsmTuning } from "../../src/lsm/options.ts";
import {
  int64Bytes,
  int64Of,
  membersOf,
  Operators,
  setBytes,
} from "../../src/lsm/read/operators.ts";
import { ObjectWalStore } from "../../src/lsm/wal/objects.ts";
import { InlineMerger } from "../support/inline-merger.ts";
import { costOf, expectShortTurns } from "../support/turns.ts";
import { SleepIsTime } from "../support/virtual-clock.ts";
import { Processes } from "./support/worlds.ts";

const NAMES = ["add", "max", "set-union"] as const;

class World {
  readonly clock = new SleepIsTime();
  readonly store = new MemoryBlobStore(this.clock);
  readonly #prng = new SeededPrng(1);
  readonly #processes = new Processes();

  open(options: Partial<LsmTuning> = {}): Promise<Engine> {
    const { clock, store } = this;
    return Engine.open({
      clock,
      store,
      prng: this.#prng,
      merger: new InlineMerger(clock),
      wal: new ObjectWalStore(store, { clock, prng: this.#prng, prefix: "wal/" }),
      node: this.#processes.start({ sight: () => "dead" }),
      forTests: { compaction: "manual", gcMinAgeMs: 0, ...options },
    });
  }

  /** The clock stands at 0 when it is made. */
  async at(ms: number): Promise<void> {
    await this.clock.sleep(ms - this.clock.nowMs());
  }
}

const key = utf8("key");
const int64 = (value: bigint): Uint8Array => int64Bytes(value);

async function sum(engine: Engine, name = key): Promise<bigint | undefined> {
  const value = await engine.get(name);
  return value && int64Of(value);
}

describe("merge operators", () => {
  const values = {
    add: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(int64),
    max: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(int64),
    "set-union": fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 4 }).map(setBytes),
  };

  it("folds the operands of a set at once, not one after the other into what grows", async () => {
    const operators = new Operators(["set-union"]);
    const member = (n: number) => utf8(String(n).padStart(5, "0"));
    const operands = Array.from({ length: 5_000 }, (_, n) => ({
      operator: 0,
      value: setBytes([member(n)]),
    }));
    const cost = await costOf(() => operators.fold(setBytes([member(5_000)]), operands));
    expect(membersOf(cost.result ?? new Uint8Array())).toHaveLength(5_001);
    await expectShortTurns("fold", cost);
  });

  it.each(NAMES)("%s is associative, and closed", (name) => {
    const operators = new Operators([name]);
    const combine = (older: Uint8Array, newer: Uint8Array): Uint8Array =>
      operators.combine(0, [older, newer]).value;
    fc.assert(
      fc.property(values[name], values[name], values[name], (a, b, c) => {
        const left = combine(combine(a, b), c);
        expect(Buffer.from(combine(a, combine(b, c)))).toEqual(Buffer.from(left));
        expect(operators.numberFor(name, left)).toBe(0);
        const folded = operators.fold(
          a,
          [c, b].map((value) => ({ operator: 0, value })),
        );
        expect(Buffer.from(folded ?? [])).toEqual(Buffer.from(left));
      }),
    );
  });

  it("take what they are for, and nothing else", () => {
    const operators = new Operators(NAMES);
    const invalid = (code: string) => expect.objectContaining({ kind: "Invalid", code });
    expect(() => operators.numberFor("times", int64(1n))).toThrow(invalid("LSM_OPERATOR_INVALID"));
    for (const [name, operand] of [
      ["add", utf8("seven b")],
      ["max", new Uint8Array(0)],
      ["set-union", Uint8Array.of(2, 1)],
      ["set-union", Uint8Array.of(1, 7, 1, 7)],
    ] as const) {
      expect(() => operators.numberFor(name, operand)).toThrow(invalid("LSM_OPERAND_INVALID"));
    }
    const members = [utf8("b"), utf8("a"), utf8("b"), new Uint8Array(0)];
    expect(membersOf(setBytes(members))?.map((one) => Buffer.from(one).toString())).toEqual([
      ...["", "a", "b"],
    ]);
  });

  it("keep their numbers in the manifest; an unknown one stops an open at once", async () => {
    const world = new World();
    const engine = await world.open();
    await engine.merge(key, int64(5n), "max");
    await engine.close();
    const objects = { store: world.store, clock: world.clock, prefix: "", gcMinAgeMs: 0 };
    const manifests = new ManifestObjects(objects);
    const before = await manifests.latest();
    expect(before?.operators).toEqual(["add", "max", "set-union"]);
    if (before === undefined) return;
    // As a shard would be that another version founded.
    const other = ["set-union", "max"];
    await manifests.publish({ ...before, operators: other }, before.id);
    const again = await world.open();
    expect((await manifests.latest())?.operators).toEqual([...other, "add"]);
    expect(await sum(again)).toBe(5n);
    await again.close();
    const last = await manifests.latest();
    if (last === undefined) return;
    await manifests.publish({ ...last, operators: ["add", "bloom"] }, last.id);
    await expect(world.open()).rejects.toMatchObject({
      kind: "Unavailable",
      code: "LSM_OPERATOR_UNKNOWN",
      context: { name: "bloom" },
    });
    expect((await manifests.latest())?.writerEpoch).toBe(last.writerEpoch);
  });
});

describe("operands", () => {
  it("are folded across log, memtables, tables and snapshots, and cut by deletions", async () => {
    const world = new World();
    let engine = await world.open();
    await engine.put(key, int64(1n));
    await engine.flush();
    await engine.merge(key, int64(2n), "add");
    const snapshot = engine.snapshot();
    await engine.flush();
    await engine.merge(key, int64(4n), "add");
    expect(await sum(engine)).toBe(7n);
    expect(int64Of((await engine.get(key, { snapshot })) ?? key)).toBe(3n);
    await engine.compact();
    // 1 + 2 as one put, and what the snapshot does not see.
    expect(engine.stats().tree).toMatchObject({ entries: 2 });
    expect(int64Of((await engine.get(key, { snapshot })) ?? key)).toBe(3n);
    snapshot.close();
    await engine.merge(key, int64(8n), "max");
    await engine.close();
    engine = await world.open();
    expect(await sum(engine)).toBe(8n);
    await engine.compact();
    expect(engine.stats().tree).toMatchObject({ entries: 1 });
    await engine.delete(key);
    await engine.merge(key, int64(1n), "add");
    expect(await sum(engine)).toBe(1n);
    await engine.deleteRange(utf8("a"), utf8("z"));
    await engine.merge(key, int64(2n), "add");
    await engine.merge(key, int64(3n), "add");
    expect(await sum(engine)).toBe(5n);
    await engine.flush();
    expect(await sum(engine)).toBe(5n);
    await engine.compact();
    expect(engine.stats().tree).toMatchObject({ entries: 1, ranges: 0 });
    expect(await sum(engine)).toBe(5n);
  });

  it("over a value of another form are an error of whoever reads them alone", async () => {
    const engine = await new World().open();
    await engine.put(key, utf8("no integer"));
    await engine.merge(key, int64(1n), "add");
    await engine.put(utf8("other"), utf8("x"));
    const mismatch = { kind: "Invalid", code: "LSM_MERGE_MISMATCH" };
    for (const compacted of [false, true]) {
      if (compacted) await engine.compact();
      const asked = (async () => await engine.get(key))();
      await expect(asked, String(compacted)).rejects.toMatchObject(mismatch);
      expect(await engine.get(utf8("other"))).toBeDefined();
    }
    await engine.put(key, int64(1n));
    expect(await sum(engine)).toBe(1n);
  });

  it("in a transaction are a write, and no read; one that reads sees them", async () => {
    const engine = await new World().open();
    await engine.put(key, int64(1n));
    const [blind, reading] = [engine.transaction(), engine.transaction()];
    blind.merge(utf8("other"), int64(2n), "add");
    reading.merge(utf8("third"), int64(2n), "add");
    reading.merge(key, int64(2n), "add");
    expect(int64Of((await reading.get(key)) ?? key)).toBe(3n);
    const rows: bigint[] = [];
    for await (const batch of reading.scan())
      rows.push(...batch.map(({ value }) => int64Of(value)));
    expect(rows).toEqual([3n, 2n]);
    await engine.merge(utf8("unread"), int64(1n), "add");
    await engine.merge(key, int64(10n), "add");
    await blind.commit();
    await expect(reading.commit()).rejects.toMatchObject({ code: "LSM_CONFLICT" });
    expect(await sum(engine)).toBe(11n);
    expect(await sum(engine, utf8("other"))).toBe(2n);
  });
});

describe("what expires", () => {
  it("is gone at once for every read, and what it had replaced stays gone", async () => {
    const world = new World();
    const engine = await world.open();
    const shown = async (): Promise<readonly unknown[]> => {
      const transaction = engine.transaction();
      const [got] = await engine.getMany([key]);
      const scanned = await engine.scan().next();
      const back = await engine.scan({ reverse: true }).next();
      const own = await transaction.get(key);
      transaction.rollback();
      return [got, scanned?.[0]?.value, back?.[0]?.value, own].map((value) => value && `${value}`);
    };
    await engine.put(key, utf8("older"));
    await engine.flush();
    await engine.put(key, utf8("new"), { expiresAtMs: 1_000 });
    const seen = `${utf8("new")}`;
    const nothing = [undefined, undefined, undefined, undefined];
    for (const where of ["memtable", "table"]) {
      expect(await shown(), where).toEqual([seen, seen, seen, seen]);
      await engine.flush();
    }
    await world.at(1_000);
    expect(await shown()).toEqual(nothing);
    // Without the tables below it: the deletion that it has become must stay.
    await engine.put(utf8("z"), utf8("x"), { expiresAtMs: 1 });
    await engine.flush();
    expect(await shown()).toEqual(nothing);
    await engine.compact();
    expect(await shown()).toEqual(nothing);
    expect(engine.stats().tree.entries).toBe(0);
  });

  it("goes on hiding what lies further down, when it is compacted before that", async () => {
    const world = new World();
    const engine = await world.open({ compaction: "auto", compactionL0Tables: 2 });
    await engine.put(key, utf8("older"));
    await engine.flush();
    for (let i = 0; i < 400; i++) await engine.put(utf8(`row ${i}`), new Uint8Array(500));
    await engine.compact();
    await engine.put(key, utf8("new"), { expiresAtMs: world.clock.nowMs() + 50 });
    await engine.flush();
    await world.clock.sleep(100);
    await engine.put(utf8("beside"), utf8("x"));
    await engine.flush();
    for (let turn = 0; turn < 500 && engine.stats().tree.l0Tables > 0; turn++) {
      await world.clock.sleep(0);
    }
    // The two became a run of their own above the first one, the put a deletion.
    expect(engine.stats().tree).toMatchObject({ l0Tables: 0, runs: 2, deletions: 1 });
    expect(await engine.get(key)).toBeUndefined();
    expect((await engine.scan({ to: utf8("l") }).next())?.length).toBe(1);
  });

  it("is compacted away when all of a table has expired and something else comes", async () => {
    const world = new World();
    const engine = await world.open({ compaction: "auto", compactionL0Tables: 2 });
    for (const half of ["a", "b"]) {
      for (let i = 0; i < 50; i++) {
        const expiresAtMs = 10_000 + i;
        await engine.put(utf8(`${half}${i}`), new Uint8Array(500), { expiresAtMs });
      }
      await engine.flush();
    }
    const settle = async (entries: number): Promise<void> => {
      const { tree } = engine.stats();
      for (let turn = 0; turn < 500 && tree.entries !== entries; turn++) await world.clock.sleep(0);
      expect(engine.stats().tree).toMatchObject({ entries });
    };
    await settle(100);
    await world.at(11_000);
    await engine.put(key, utf8("x"));
    await engine.flush();
    await settle(1);
  });
});

describe("what has expired", () => {
  it("stays gone where the clock goes back", async () => {
    const world = new World();
    let backMs = 0;
    const { clock } = world;
    const told = clock.nowMs.bind(clock);
    clock.nowMs = () => told() - backMs;
    const engine = await world.open();
    await engine.put(key, utf8("v"), { expiresAtMs: 1_000 });
    await world.at(1_500);
    expect(await engine.get(key)).toBeUndefined();
    backMs = 1_400;
    expect(await engine.get(key)).toBeUndefined();
    expect(await engine.scan().next()).toBeUndefined();
  });

  it("counts for nothing in a sum, above and below what does not", async () => {
    const world = new World();
    const engine = await world.open();
    await engine.put(key, int64(100n), { expiresAtMs: 2_000 });
    await engine.merge(key, int64(1n), "add");
    await engine.merge(key, int64(10n), "add", { expiresAtMs: 1_000 });
    await engine.merge(key, int64(2n), "add");
    for (const [ms, due] of [
      [0, 113n],
      [1_000, 103n],
      [2_000, 3n],
    ] as const) {
      await world.at(ms);
      expect(await sum(engine)).toBe(due);
      await engine.compact();
      expect(await sum(engine)).toBe(due);
    }
    expect(engine.stats().tree).toMatchObject({ entries: 1 });
  });

  it("leaves nothing to compact where what is merged expires one by one, and later", async () => {
    const world = new World();
    const engine = await world.open();
    for (let i = 1; i <= 10; i++) {
      await engine.merge(key, int64(1n), "add", { expiresAtMs: 10_000 + i });
      if (i === 5) await engine.flush();
    }
    await engine.compact();
    expect(engine.stats().tree).toMatchObject({ runs: 1, entries: 10 });
    expect(engine.stats().compaction.debtBytes).toBe(0);
    await world.at(10_005);
    expect(await sum(engine)).toBe(5n);
    await world.at(10_010);
    await engine.compact();
    expect(engine.stats().tree).toMatchObject({ entries: 0 });
  });

  it("does so at some time: a positive integer of milliseconds", async () => {
    const engine = await new World().open();
    const invalid = expect.objectContaining({ kind: "Invalid", code: "LSM_EXPIRY_INVALID" });
    const transaction = engine.transaction();
    for (const expiresAtMs of [0, -1, 1.5, Number.NaN, 2 ** 60]) {
      expect(() => engine.put(key, key, { expiresAtMs })).toThrow(invalid);
      expect(() => engine.merge(key, int64(1n), "add", { expiresAtMs })).toThrow(invalid);
      expect(() => transaction.put(key, key, { expiresAtMs })).toThrow(invalid);
    }
  });
});
