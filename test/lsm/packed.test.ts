import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { utf8 } from "../../src/base/bytes.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import { Engine, type ScanRequest } from "../../src/lsm/engine/engine.ts";
import { ENTRY, MISS, type MissingBlock, type Step } from "../../src/lsm/format/cursor.ts";
import { DELETE, PUT } from "../../src/lsm/format/entry.ts";
import { Drain, RowRoom } from "../../src/lsm/format/packed-rows.ts";
import type { LsmTuning } from "../../src/lsm/options.ts";
import { MergeCursor } from "../../src/lsm/read/merge.ts";
import { VisibleCursor } from "../../src/lsm/read/merge-visible.ts";
import type { Scan } from "../../src/lsm/read/scan.ts";
import { ObjectWalStore } from "../../src/lsm/wal/objects.ts";
import type { WriteOp } from "../../src/lsm/write/write-path.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { InlineMerger } from "../support/inline-merger.ts";
import { type Entry, MEANING, randomEntries, visibleAt } from "./support/model.ts";
import { mixedPairs, packedKeys, packedPairs, unpacked } from "./support/packed.ts";
import { forgetfulCursor, settled, writeTable } from "./support/tables.ts";
import type { Pair } from "./support/version-map.ts";

/** How many keys the tests know. */
const KEYS = 600;
const keyOf = (n: number): Uint8Array => utf8(`r${String(n).padStart(4, "0")}`);

/** One of the operations on them, each of its own kind. */
function randomOp(prng: SeededPrng): WriteOp {
  const below = (bound: number): number => Math.floor(prng.float() * bound);
  const chance = prng.float();
  const key = keyOf(below(KEYS));
  if (chance < 0.15) return { op: "delete", key };
  if (chance < 0.17) {
    const from = below(KEYS);
    return { op: "deleteRange", from: keyOf(from), to: keyOf(from + below(60)) };
  }
  const value = prng.bytes(chance < 0.2 ? 300 : 8);
  if (chance >= 0.22) return { op: "put", key, value };
  const expiresAtMs = Date.now() + (below(2) === 0 ? -1 : 1_000_000);
  return { op: "put", key, value, expiresAtMs };
}

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");

async function openEngine(options: Partial<LsmTuning>): Promise<Engine> {
  const clock = new SystemClock();
  const store = new MemoryBlobStore(clock);
  return await Engine.open({
    store,
    clock,
    prng: new SeededPrng(1),
    merger: new InlineMerger(clock),
    wal: new ObjectWalStore(store, { clock, prng: new SeededPrng(2), prefix: "wal/" }),
    node: { node: "n", host: "h", pid: 1, bootId: "b", url: "", sight: () => "dead" },
    options,
  });
}

async function plainPairs(scan: Scan): Promise<readonly Pair[]> {
  const found: Pair[] = [];
  for await (const rows of scan) {
    for (const { key, value } of rows) found.push([latin1(key), latin1(value)]);
  }
  return found;
}

describe("a drain", () => {
  it("packs what single steps show, wherever it stops", () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 500 }), fc.nat(4), (seed, count, tables) => {
        const prng = new SeededPrng(seed);
        const below = (bound: number): number => Math.floor(prng.float() * bound);
        const entries = randomEntries(prng, count, prng.float() < 0.5 ? 0 : 0.1);
        const hands = Array.from({ length: tables + 1 }, () => [] as (typeof entries)[number][]);
        // Each table has its own keys, mostly: else no two rows in a row come of one.
        const spread = prng.float() < 0.3;
        for (const entry of entries) {
          const hand = spread ? below(hands.length) : entry.key.charCodeAt(0) % hands.length;
          hands[hand]!.push(entry);
        }
        const files = hands
          .filter((hand) => hand.length > 0)
          .map((hand) =>
            forgetfulCursor(writeTable(hand, { blockBytes: 100 + below(3_000) }).bytes, prng),
          );
        const merged =
          files.length === 1
            ? files[0]!.cursor
            : new MergeCursor(files.map(({ cursor }) => cursor));
        const snapshot = Math.max(0, entries[0]!.sequence + below(count + 2) - 1);
        const end = prng.float() < 0.5 ? undefined : entries[below(count)]!.key;
        const visible = new VisibleCursor(merged, snapshot, MEANING, 1 + below(50), end);
        const room = new RowRoom(1_000);
        const drain = new Drain(room);
        const found: Pair[] = [];
        let step: Step = settled(
          visible,
          files.map(({ file }) => file),
          (c) => c.first(),
        );
        while (step === ENTRY && (end === undefined || visible.key < end)) {
          found.push([visible.key, latin1(visible.value())]);
          if (visible.drainSource !== undefined && prng.float() < 0.8) {
            room.count = 0;
            drain.most = 1 + below(200);
            const source = visible.drainSource;
            visible.drain(drain);
            room.values = source;
            found.push(...unpacked(room));
          }
          step = settled(
            visible,
            files.map(({ file }) => file),
            (c) => c.next(),
          );
        }
        const rows = visibleAt(entries, snapshot).filter(
          ({ key }) => end === undefined || key < end,
        );
        expect(found).toEqual(rows.map(({ key, value }) => [key, latin1(value)]));
      }),
      { numRuns: 150 },
    );
  });
});

it("a seek over blocks of deletions comes to its end, in turns of any length", () => {
  const entries = Array.from({ length: 400 }, (_, i): Entry => {
    const kind = i === 399 ? PUT : DELETE;
    const key = `k${String(i).padStart(4, "0")}`;
    return { key, sequence: i + 1, kind, value: new Uint8Array(0) };
  });
  const { bytes } = writeTable(entries, { blockBytes: 200 });
  for (let steps = 1; steps < 40; steps++) {
    const { cursor, file } = forgetfulCursor(bytes, new SeededPrng(1));
    const visible = new VisibleCursor(cursor, 1_000, MEANING, steps);
    let step: Step = MISS;
    for (let tries = 0; step === MISS && tries < 2_000; tries++) {
      step = visible.isMidway ? visible.resume() : visible.first();
      const missing: MissingBlock[] = [];
      visible.missing(missing);
      if (visible.isPaused) visible.refresh();
      else for (const { offset } of missing) file.load(offset);
    }
    expect([steps, step, visible.key]).toEqual([steps, ENTRY, "k0399"]);
  }
});

it("a packed scan of a memtable goes on where it was while others write", async () => {
  const engine = await openEngine({ scanBatchRows: 5 });
  const even = Array.from({ length: KEYS / 2 }, (_, n) => keyOf(2 * n));
  await engine.write(even.map((key): WriteOp => ({ op: "put", key, value: key })));
  const scan = engine.scan();
  const found: Pair[] = [];
  for (let turn = 0; ; turn++) {
    const rows = await scan.nextPacked();
    if (rows === undefined) break;
    found.push(...unpacked(rows));
    // Before what it stands on, and behind; and newer versions of what it has yet to read.
    const places = [2 * turn + 1, KEYS - 2 * turn - 1, Math.min(KEYS - 2, 12 * turn)];
    await engine.write(
      places.map((n): WriteOp => ({ op: "put", key: keyOf(n), value: utf8("x") })),
    );
  }
  expect(found).toEqual(even.map((key) => [latin1(key), latin1(key)]));
  await engine.close();
});

describe("packed scans", () => {
  it("see what plain scans see, beside versions, tombstones and expiry", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const prng = new SeededPrng(seed);
        const below = (bound: number): number => Math.floor(prng.float() * bound);
        const engine = await openEngine({
          blockBytes: [300, 1_000, 16_384][below(3)]!,
          memtableBytes: 65_536,
          scanBatchRows: [5, 100, 256][below(3)]!,
        });
        const first = Array.from({ length: KEYS }, (_, n): WriteOp => {
          return { op: "put", key: keyOf(n), value: utf8(`v${n}`) };
        });
        await engine.write(first);
        const snapshots = [engine.snapshot()];
        for (let rounds = below(6); rounds > 0; rounds--) {
          if (below(2) === 0) await engine.flush();
          if (below(6) === 0) await engine.compact();
          const some = Array.from({ length: below(150) }, () => randomOp(prng));
          if (some.length > 0) await engine.write(some);
          snapshots.push(engine.snapshot());
        }
        if (below(3) > 0) await engine.flush();
        for (const snapshot of snapshots) {
          for (const reverse of [false, true]) {
            const [a, b] = [below(KEYS), below(KEYS)];
            const range =
              below(2) === 0 ? {} : { from: keyOf(Math.min(a, b)), to: keyOf(Math.max(a, b)) };
            const request: ScanRequest = { ...range, reverse, snapshot };
            const expected = await plainPairs(engine.scan(request));
            expect(await packedPairs(engine.scan(request))).toEqual(expected);
            expect(await mixedPairs(engine.scan(request))).toEqual(expected);
            const keys = expected.map(([key]) => key);
            expect(await packedKeys(engine.scan({ ...request, keysOnly: true }))).toEqual(keys);
            const limit = 1 + below(400);
            const some = expected.slice(0, limit);
            expect(await packedPairs(engine.scan({ ...request, limit }))).toEqual(some);
            const moved = engine.scan({ ...request, movable: true });
            for (let moves = below(4); moves > 0; moves--) {
              const [low, high] = [below(KEYS), below(KEYS)].toSorted((x, y) => x - y).map(keyOf);
              moved.seek({ from: low!, to: high! });
              const isIn = ([key]: Pair) => key >= latin1(low!) && key < latin1(high!);
              if (below(3) === 0) await moved.nextPacked();
              else expect(await packedPairs(moved)).toEqual(expected.filter(isIn));
            }
            moved.close();
          }
        }
        await engine.close();
      }),
      { numRuns: 25 },
    );
  });
});

describe("a packed scan", () => {
  it("reads no more for a first batch than their limit says", async () => {
    const engine = await openEngine({});
    const rows = Array.from({ length: 2_000 }, (_, n): WriteOp => {
      return { op: "put", key: utf8(`r${String(n).padStart(4, "0")}`), value: utf8("v") };
    });
    await engine.write(rows);
    await engine.flush();
    await packedPairs(engine.scan());
    const scan = engine.scan({ limit: 10, movable: true });
    const found = await scan.nextPacked();
    expect(found?.count).toBe(10);
    expect(found?.keyEnds).toHaveLength(10);
    // It stands on its last row, and has passed nothing behind it.
    expect(scan.passed).toBe(0);
    scan.close();
    await engine.close();
  });

  it("answers at once until a block is missing", async () => {
    const engine = await openEngine({});
    const rows = Array.from({ length: 1_000 }, (_, n): WriteOp => {
      return {
        op: "put",
        key: utf8(`r${String(n).padStart(4, "0")}`),
        value: utf8("v".repeat(50)),
      };
    });
    await engine.write(rows);
    await engine.flush();
    await packedPairs(engine.scan());
    const scan = engine.scan();
    let count = 0;
    for (;;) {
      const answer = scan.nextPacked();
      expect(answer).not.toBeInstanceOf(Promise);
      const batch = await answer;
      if (batch === undefined) break;
      count += batch.count;
    }
    expect(count).toBe(1_000);
    await engine.close();
  });

  it("keeps a batch of a memtable that is given back meanwhile", async () => {
    const engine = await openEngine({});
    const rows = Array.from({ length: 100 }, (_, n): WriteOp => {
      return { op: "put", key: utf8(`r${String(n).padStart(4, "0")}`), value: utf8(`value ${n}`) };
    });
    await engine.write(rows);
    const scan = engine.scan({ limit: 100 });
    const batch = await scan.nextPacked();
    await engine.flush();
    const values = unpacked(batch!).map(([, value]) => value);
    expect(values).toEqual(rows.map((_, n) => `value ${n}`));
    await engine.close();
  });

  it("goes on elsewhere only while it is open", async () => {
    const engine = await openEngine({});
    await engine.write([
      { op: "put", key: utf8("a"), value: utf8("1") },
      { op: "put", key: utf8("b"), value: utf8("2") },
    ]);
    const moved = engine.scan({ movable: true, to: utf8("b") });
    expect(await packedPairs(moved)).toEqual([["a", "1"]]);
    // Its range holds whatever it is told.
    moved.seek({ from: utf8("b"), to: utf8("c") });
    expect(await packedPairs(moved)).toEqual([]);
    moved.seek({});
    expect(await packedPairs(moved)).toEqual([["a", "1"]]);
    moved.close();
    const code = { code: "LSM_SCAN_CLOSED" };
    expect(() => moved.seek({})).toThrow(expect.objectContaining(code));
    const plain = engine.scan();
    await packedPairs(plain);
    expect(() => plain.seek({})).toThrow(expect.objectContaining(code));
    await engine.close();
  });
});
