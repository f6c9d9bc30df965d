import { expect, test } from "vitest";
import { utf8 } from "../../src/base/bytes.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import { Engine } from "../../src/lsm/engine/engine.ts";
import { int64Bytes, int64Of, membersOf, setBytes } from "../../src/lsm/read/operators.ts";
import { ObjectWalStore } from "../../src/lsm/wal/objects.ts";
import type { WriteOp } from "../../src/lsm/write/write-path.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { InlineMerger } from "../support/inline-merger.ts";
import { costOf, expectShortTurns } from "../support/turns.ts";

const KEYS = 40_000;
/** Entries that a scan passes at most before it gives way. */
const STEPS = 512;
const BATCH = 1_000;
const keyOf = (n: number): Uint8Array => utf8(`k${String(n).padStart(7, "0")}`);

class CountingClock extends SystemClock {
  turns = 0;

  override async sleep(ms: number, ended?: AbortSignal): Promise<void> {
    if (ms === 0) this.turns++;
    await super.sleep(ms, ended);
  }
}

async function openEngine(clock: SystemClock): Promise<Engine> {
  const store = new MemoryBlobStore(clock);
  return Engine.open({
    store,
    clock,
    prng: new SeededPrng(1),
    merger: new InlineMerger(clock),
    wal: new ObjectWalStore(store, { clock, prng: new SeededPrng(2), prefix: "wal/" }),
    node: { node: "n", host: "h", pid: 1, bootId: "b", url: "", sight: () => "dead" },
  });
}

/** An engine of so many keys, of which all but the first and the last were deleted again. */
async function withTombstones(clock: CountingClock): Promise<Engine> {
  const engine = await openEngine(clock);
  const batches = async (last: number, op: (n: number) => WriteOp): Promise<void> => {
    for (let n = 0; n < last; n += BATCH) {
      const batch = Array.from({ length: Math.min(BATCH, last - n) }, (_, i) => op(n + i));
      await (await engine.write(batch)).durable();
    }
  };
  await batches(KEYS, (n) => ({ op: "put", key: keyOf(n), value: utf8("v") }));
  await batches(KEYS - 2, (n) => ({ op: "delete", key: keyOf(n + 1) }));
  return engine;
}

test("a scan over tombstones gives way", async () => {
  const clock = new CountingClock();
  const engine = await withTombstones(clock);
  try {
    for (const [place, reverse] of [
      ["memtable", false],
      ["memtable", true],
      ["table", false],
      ["table", true],
    ] as const) {
      if (place === "table") await engine.flush();
      const found: string[] = [];
      clock.turns = 0;
      const cost = await costOf(async () => {
        for await (const rows of engine.scan({ reverse })) {
          for (const { key } of rows) found.push(Buffer.from(key).toString());
        }
      });
      const ends = ["k0000000", `k${String(KEYS - 1).padStart(7, "0")}`];
      expect(found).toEqual(reverse ? ends.toReversed() : ends);
      // Going forward, deletions of a block are passed in a sixteenth of the time, and those of a
      // memtable in a quarter.
      const entries = reverse ? 1 : place === "table" ? 16 : 4;
      expect(clock.turns).toBeGreaterThanOrEqual(Math.floor(KEYS / (entries * STEPS)));
      await expectShortTurns(`${place}, ${reverse ? "backward" : "forward"}`, cost);
    }
    const transaction = engine.transaction();
    const inTransaction = await costOf(async () => {
      for await (const _ of transaction.scan({}));
    });
    transaction.rollback();
    await expectShortTurns("in a transaction", inTransaction);
  } finally {
    await engine.close();
  }
});

test("a scan over what a range tombstone deletes beside newer writes gives way", async () => {
  const clock = new CountingClock();
  const engine = await openEngine(clock);
  try {
    for (let n = 0; n < KEYS; n += BATCH) {
      const batch = Array.from({ length: BATCH }, (_, i) => keyOf(n + i));
      await engine.write(batch.map((key) => ({ op: "put", key, value: utf8("v") })));
    }
    await engine.deleteRange(keyOf(0), keyOf(KEYS));
    // Newer than the tombstone: it is not known that nothing else is.
    await engine.put(keyOf(KEYS / 2), utf8("new"));
    for (const reverse of [false, true]) {
      clock.turns = 0;
      const cost = await costOf(async () => {
        const rows = await engine.scan({ reverse, limit: 1 }).next();
        expect(rows?.map(({ value }) => Buffer.from(value).toString())).toEqual(["new"]);
      });
      const entries = reverse ? 1 : 4;
      expect(clock.turns).toBeGreaterThanOrEqual(Math.floor(KEYS / 2 / (entries * STEPS)));
      await expectShortTurns(reverse ? "backward" : "forward", cost);
    }
  } finally {
    await engine.close();
  }
});

test("a look-up of many keys gives way", async () => {
  const clock = new CountingClock();
  const engine = await withTombstones(clock);
  try {
    for (const place of ["memtable", "table"]) {
      if (place === "table") await engine.flush();
      clock.turns = 0;
      const cost = await costOf(async () => {
        const values = await engine.getMany(Array.from({ length: KEYS }, (_, n) => keyOf(n)));
        const found = values.flatMap((value, n) => (value === undefined ? [] : [n]));
        expect(found).toEqual([0, KEYS - 1]);
      });
      expect(clock.turns).toBeGreaterThanOrEqual(Math.floor(KEYS / STEPS) - 1);
      await expectShortTurns(place, cost);
    }
  } finally {
    await engine.close();
  }
});

test("a scan that is aborted ends, also while it gives way", async () => {
  const engine = await withTombstones(new CountingClock());
  const code = { code: "LSM_SCAN_ABORTED" };
  try {
    for (const packed of [false, true]) {
      const ended = new AbortController();
      const scan = engine.scan({ from: keyOf(1), limit: 1, signal: ended.signal });
      const next = () => (packed ? scan.nextPacked() : scan.next());
      const pending = next();
      expect(pending).toBeInstanceOf(Promise);
      ended.abort();
      await expect(pending).rejects.toThrow(expect.objectContaining(code));
      expect(next).toThrow(expect.objectContaining(code));
    }
    const scan = engine.scan({ signal: AbortSignal.abort() });
    expect(() => scan.next()).toThrow(expect.objectContaining(code));
  } finally {
    await engine.close();
  }
});

const OPERANDS = 5_000;
const SUM = utf8("sum");
const SET = utf8("set");

function mergesOf(from: number): readonly WriteOp[] {
  return Array.from({ length: BATCH }, (_, i): WriteOp[] => [
    { op: "merge", key: SUM, operator: "add", value: int64Bytes(1n) },
    { op: "merge", key: SET, operator: "set-union", value: setBytes([keyOf(from + i)]) },
  ]).flat();
}

test("reads, a flush and a transaction combine the operands of one key at once", async () => {
  const engine = await openEngine(new SystemClock());
  const readBoth = async (source: Pick<Engine, "get">) => {
    expect(int64Of((await source.get(SUM)) ?? new Uint8Array(8))).toBe(BigInt(OPERANDS));
    expect(membersOf((await source.get(SET)) ?? new Uint8Array())).toHaveLength(OPERANDS);
  };
  try {
    for (let n = 0; n < OPERANDS; n += BATCH) await engine.write(mergesOf(n));
    await expectShortTurns("reads", await costOf(() => readBoth(engine)));
    await expectShortTurns("a flush", await costOf(() => engine.flush()));
    await readBoth(engine);
    await engine.write([SUM, SET].map((key) => ({ op: "delete", key })));
    const transaction = engine.transaction();
    const merged = await costOf(async () => {
      for (let n = 0; n < OPERANDS; n += BATCH) {
        for (const op of mergesOf(n)) {
          if (op.op === "merge") transaction.merge(op.key, op.value, op.operator);
        }
        await new Promise(setImmediate);
      }
      await readBoth(transaction);
      await transaction.commit();
    });
    await expectShortTurns("a transaction", merged);
    await readBoth(engine);
  } finally {
    await engine.close();
  }
});
