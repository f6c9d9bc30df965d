import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { utf8 } from "../../src/base/bytes.ts";
import { FirnError } from "../../src/base/error.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import type { BlobStore } from "../../src/blob/port.ts";
import { Engine } from "../../src/lsm/engine/engine.ts";
import {
  DELETE,
  END_OF_KEYS,
  type Key,
  MAX_SEQUENCE,
  type Sequence,
} from "../../src/lsm/format/entry.ts";
import { type Fragment, joinRanges, RangeMap } from "../../src/lsm/format/range-map.ts";
import { decodeRanges, encodeRanges, rangeBytes } from "../../src/lsm/format/range-section.ts";
import type { LsmTuning } from "../../src/lsm/options.ts";
import { CoveredCursor, RangeCover } from "../../src/lsm/read/covered-cursor.ts";
import { ObjectWalStore } from "../../src/lsm/wal/objects.ts";
import { MemoryBudget } from "../../src/lsm/write/budget.ts";
import { InlineMerger } from "../support/inline-merger.ts";
import { SleepIsTime } from "../support/virtual-clock.ts";
import { compareMoves, type Entry, ModelCursor, randomEntries } from "./support/model.ts";
import { forgetfulCursor, patient, writeTable } from "./support/tables.ts";
import { Processes } from "./support/worlds.ts";

/** Few units, so that bounds meet and are prefixes of each other. */
const bound = fc.string({ unit: fc.constantFrom("a", "b", "\0", "\xff"), maxLength: 3 });
const range = fc
  .tuple(bound, bound, fc.nat(8))
  .map(([a, b, chance]) => {
    const [from, to] = a < b ? [a, b] : [b, a];
    return { from: from === "" ? "\0" : from, to: chance === 0 ? "" : to };
  })
  .filter(({ from, to }) => to === "" || from < to);
/** An empty `to` is the end. */
type Range = { readonly from: Key; readonly to: Key };
const endOf = (to: Key): Key => (to === "" ? END_OF_KEYS : to);

/** Sequences are places in the list, from 1 on. */
function mapOf(ranges: readonly Range[]): RangeMap {
  const map = new RangeMap();
  for (const [i, { from, to }] of ranges.entries()) map.add(from, endOf(to), i + 1);
  return map;
}

function newestOver(ranges: readonly Range[], key: Key, sequence: Sequence): Sequence {
  const covers = ({ from, to }: Range, i: number): boolean =>
    i < sequence && key >= from && key < endOf(to);
  return ranges.findLastIndex(covers) + 1;
}

describe("range tombstones in memory", () => {
  it("are found over every key, as of every sequence, as a look at each would find them", () => {
    fc.assert(
      fc.property(
        fc.array(range, { maxLength: 12 }),
        fc.array(bound, { minLength: 1 }),
        (ranges, keys) => {
          const map = mapOf(ranges);
          for (const key of keys) {
            for (let sequence = 0; sequence <= ranges.length; sequence++) {
              expect(map.at(key, sequence)).toBe(newestOver(ranges, key, sequence));
            }
          }
        },
      ),
    );
  });

  it("say the same over the whole stretch that a reader is told", () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(range, { maxLength: 5 }), { maxLength: 3 }),
        fc.array(bound, { minLength: 2 }),
        fc.nat(6),
        (lists, keys, snapshot) => {
          const cover = new RangeCover(lists.map(mapOf), snapshot);
          for (const key of keys) {
            const over = cover.over(key);
            expect(key >= cover.from && key < cover.to).toBe(true);
            for (const other of keys.filter((one) => one >= cover.from && one < cover.to)) {
              const due = lists.map((list) => newestOver(list, other, snapshot));
              expect(over).toBe(Math.max(0, ...due));
            }
          }
        },
      ),
    );
  });

  it("answer for whole ranges: what is newer than a sequence, and what covers all", () => {
    fc.assert(
      fc.property(fc.array(range, { maxLength: 6 }), range, fc.nat(6), (ranges, asked, at) => {
        const map = mapOf(ranges);
        const { from } = asked;
        const to = endOf(asked.to);
        const newer = ranges.some((one, i) => i + 1 > at && one.from < to && from < endOf(one.to));
        expect(map.after(from, to, at) !== undefined).toBe(newer);
        expect(map.after(from, from, 0)).toBeUndefined();
        // Where something changes: at the bounds, and so at all keys.
        const places = [from, ...ranges.flatMap((one) => [one.from, endOf(one.to)])];
        const within = places.filter((key) => key >= from && key <= to);
        const least = Math.min(...within.map((key) => newestOver(ranges, key, at)));
        expect(map.least(from, to, at)).toBe(least);
      }),
    );
  });

  it("are the same once they were joined, written and read", () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(range, { maxLength: 6 }), { maxLength: 3 }),
        fc.array(bound),
        (lists, keys) => {
          let sequence = 0;
          const all: Range[] = lists.flat();
          const inputs = lists.map((list) => {
            const map = new RangeMap();
            for (const { from, to } of list) map.add(from, endOf(to), ++sequence);
            return map.fragments();
          });
          const joined = joinRanges(inputs, (sequences) => sequences);
          if (joined.length === 0) return;
          const section = encodeRanges(joined);
          expect(section.length).toBeLessThanOrEqual(
            joined.reduce((sum, one) => sum + rangeBytes(one), 8),
          );
          const read = decodeRanges(section);
          expect(read).toEqual(joined);
          const map = RangeMap.of(read);
          expect(map.fragments()).toEqual(joined);
          for (const key of keys) {
            for (let at = 0; at <= sequence; at++) {
              expect(map.at(key, at)).toBe(newestOver(all, key, at));
            }
          }
        },
      ),
    );
  });

  it("that overlap cost memory, which a budget counts", () => {
    const map = new RangeMap();
    for (let i = 0; i < 200; i++) map.add(`a${String(999 - i)}`, "b", i + 1);
    expect(map.memoryBytes).toBeGreaterThan((200 * 200 * 40) / 2);
  });
});

describe("a section of range tombstones", () => {
  it("of any bytes is refused, or in order", () => {
    const good = encodeRanges(
      mapOf([
        { from: "a", to: "c" },
        { from: "b", to: "d" },
      ]).fragments(),
    );
    const anything = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.tuple(fc.nat(good.length - 1), fc.nat(255)).map(([at, value]) => {
        const forged = new Uint8Array(good);
        forged[at] = value;
        return forged;
      }),
    );
    let refused = 0;
    fc.assert(
      fc.property(anything, (bytes) => {
        let fragments: readonly Fragment[];
        try {
          fragments = decodeRanges(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(FirnError);
          expect(error).toMatchObject({ kind: "Corrupt", code: "LSM_FILE_CORRUPT" });
          refused++;
          return;
        }
        for (const [i, { from, to, sequences }] of fragments.entries()) {
          expect(from < to && from >= (fragments[i - 1]?.to ?? "")).toBe(true);
          expect(sequences).toEqual([...new Set(sequences)].sort((a, b) => b - a));
        }
      }),
      { numRuns: 1_000 },
    );
    expect(refused).toBeGreaterThan(300);
  });
});

describe("a cursor below range tombstones", () => {
  it("moves over what they leave, in both directions, whatever is at hand", () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.nat(200),
        fc.array(range, { maxLength: 4 }),
        (seed, count, ranges) => {
          const prng = new SeededPrng(seed);
          const entries = randomEntries(prng, count + 1);
          const first = entries[0]?.sequence ?? 0;
          const map = new RangeMap();
          for (const [i, { from, to }] of ranges.entries()) {
            map.add(from, endOf(to), first + (1 + Math.floor(count / 5)) * (i + 1));
          }
          const { cursor, file } = forgetfulCursor(
            writeTable(entries, { blockBytes: 100 }).bytes,
            prng,
          );
          const cover = new RangeCover([map], MAX_SEQUENCE);
          const newest = entries.at(-1)?.sequence ?? 0;
          const covered = new CoveredCursor(cursor, cover, newest);
          const left = entries.flatMap((entry): readonly Entry[] => {
            const deletedAt = map.at(entry.key, MAX_SEQUENCE);
            if (deletedAt < entry.sequence) return [entry];
            return deletedAt < newest ? [{ ...entry, kind: DELETE, value: new Uint8Array(0) }] : [];
          });
          const model = new ModelCursor(left);
          expect(compareMoves(patient(covered, [file]), model, entries, prng, 100)).toBeUndefined();
        },
      ),
      { numRuns: 40 },
    );
  });
});

const SMALL: Partial<LsmTuning> = {
  blockBytes: 256,
  tableBytes: 4_000,
  compaction: "manual",
  compactionL0Tables: 2,
  readAheadBytes: 0,
  readGapBytes: 0,
  gcMinAgeMs: 0,
};

interface Opened {
  readonly engine: Engine;
  /** Tables that were read since the last call. */
  readonly read: () => ReadonlySet<string>;
}

async function open(options: Partial<LsmTuning> = {}): Promise<Opened> {
  const clock = new SleepIsTime();
  const prng = new SeededPrng(1);
  const store = new MemoryBlobStore(clock);
  let seen = new Set<string>();
  const watched: BlobStore = new Proxy(store, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name, target);
      if (typeof found !== "function") return found;
      return (...args: readonly unknown[]): unknown => {
        if (name === "getRange" && String(args[0]).startsWith("sst/")) seen.add(String(args[0]));
        return found.apply(target, args);
      };
    },
  });
  const engine = await Engine.open({
    store: watched,
    wal: new ObjectWalStore(store, { clock, prng, prefix: "wal/" }),
    clock,
    prng,
    node: new Processes().start(),
    merger: new InlineMerger(clock),
    budget: new MemoryBudget(100_000_000, 0),
    forTests: { ...SMALL, ...options },
  });
  const read = (): ReadonlySet<string> => {
    const tables = seen;
    seen = new Set();
    return tables;
  };
  return { engine, read };
}

const row = (i: number): Uint8Array => utf8(`row ${String(i).padStart(5, "0")}`);

async function fill(engine: Engine, count: number): Promise<void> {
  for (const half of [0, 1]) {
    const rows = Array.from({ length: count / 2 }, (_, i) => row(2 * i + half));
    await engine.write(rows.map((key) => ({ op: "put" as const, key, value: key })));
    await engine.flush();
  }
  await engine.compact();
}

async function rowsOf(
  engine: Engine,
  options: Parameters<Engine["scan"]>[0] = {},
): Promise<number> {
  let rows = 0;
  for await (const batch of engine.scan(options)) rows += batch.length;
  return rows;
}

describe("a deleted range", () => {
  it("takes one operation, and none of its rows is read again", async () => {
    const { engine, read } = await open();
    await fill(engine, 4_000);
    const before = engine.lastSequence;
    await engine.deleteRange(row(100), row(3_900));
    expect(engine.lastSequence).toBe(before + 1);
    for (const where of ["memtable", "table"]) {
      read();
      expect(await rowsOf(engine), where).toBe(200);
      expect(await rowsOf(engine, { reverse: true }), where).toBe(200);
      const { tables } = engine.stats().tree;
      expect(tables).toBeGreaterThan(15);
      // The tables at both ends, and those that it begins and ends in.
      expect(read().size).toBeLessThan(9);
      expect(await engine.get(row(500))).toBeUndefined();
      expect(await engine.get(row(99))).toBeDefined();
      await engine.flush();
    }
  });

  it("lets a compaction drop the tables below it unread, but what a snapshot sees", async () => {
    const { engine, read } = await open();
    await fill(engine, 2_000);
    const snapshot = engine.snapshot();
    await engine.deleteRange(row(100), row(1_900));
    await engine.put(row(300), utf8("again"));
    await engine.compact();
    expect(await rowsOf(engine)).toBe(201);
    expect(await rowsOf(engine, { snapshot })).toBe(2_000);
    expect(engine.stats().tree).toMatchObject({ entries: 2_001 });
    expect(engine.stats().tree.ranges).toBeGreaterThan(0);
    snapshot.close();
    await engine.compact();
    expect(engine.stats().tree).toMatchObject({ entries: 201, ranges: 0 });
    expect(await rowsOf(engine)).toBe(201);
    await fill(engine, 4_000);
    const { tables } = engine.stats().tree;
    await engine.deleteRange(row(100), row(3_900));
    read();
    await engine.compact();
    expect(tables).toBeGreaterThan(15);
    expect(read().size).toBeLessThan(9);
    expect(engine.stats().tree).toMatchObject({ entries: 200, ranges: 0 });
    expect(await rowsOf(engine)).toBe(200);
  });

  it("is compacted on its own where that frees more than it costs", async () => {
    const { engine } = await open({ compaction: "auto", compactionSpacePercent: 1_000 });
    await fill(engine, 2_000);
    await engine.deleteRange(row(1), row(1_999));
    await engine.flush();
    await engine.put(utf8("other"), utf8("x"));
    await engine.flush();
    const clock = new SleepIsTime();
    for (let turn = 0; turn < 2_000 && engine.stats().tree.entries > 3; turn++)
      await clock.sleep(0);
    expect(engine.stats().tree.entries).toBe(3);
    expect(await rowsOf(engine)).toBe(3);
  });

  it("that nothing lies in leaves tables of tombstones alone, which go at the bottom", async () => {
    const { engine } = await open();
    await engine.deleteRange(utf8("a"), new Uint8Array(0));
    await engine.flush();
    expect(engine.stats().tree).toMatchObject({ tables: 1, entries: 0, ranges: 1 });
    await engine.put(utf8("b"), utf8("1"));
    expect(await rowsOf(engine)).toBe(1);
    await engine.compact();
    expect(engine.stats().tree).toMatchObject({ tables: 1, entries: 1, ranges: 0 });
    await engine.delete(utf8("b"));
    await engine.compact();
    expect(engine.stats().tree.tables).toBe(0);
  });

  it("has bounds: crossed or too long ones are refused, equal ones do nothing", async () => {
    const { engine } = await open();
    const refused = expect.objectContaining({ kind: "Invalid", code: "LSM_RANGE_INVALID" });
    const longest = new Uint8Array(65_535).fill(7);
    const next = Buffer.concat([longest, Uint8Array.of(0)]);
    expect(() => engine.deleteRange(utf8("b"), utf8("a"))).toThrow(refused);
    expect(() => engine.deleteRange(new Uint8Array(65_537), utf8("a"))).toThrow(refused);
    const transaction = engine.transaction();
    expect(() => transaction.deleteRange(utf8("b"), utf8("a"))).toThrow(refused);
    transaction.deleteRange(utf8("a"), utf8("a"));
    await transaction.commit();
    await engine.deleteRange(utf8("a"), utf8("a"));
    expect(engine.lastSequence).toBe(0);
    for (const key of [longest, utf8("\u0008")]) await engine.put(key, utf8("v"));
    await engine.deleteRange(next, new Uint8Array(0));
    expect(await engine.get(longest)).toBeDefined();
    expect(await engine.get(utf8("\u0008"))).toBeUndefined();
    await engine.deleteRange(new Uint8Array(0), next);
    await engine.compact();
    expect(await rowsOf(engine)).toBe(0);
  });
});

describe("a transaction that deletes a range", () => {
  it("conflicts with every write in it, under both isolations, and nobody else's", async () => {
    for (const isolation of ["snapshot", "serializable"] as const) {
      const { engine } = await open();
      const commitAfter = async (write: () => unknown): Promise<unknown> => {
        const transaction = engine.transaction({ isolation });
        transaction.deleteRange(utf8("k"), utf8("m"));
        await write();
        return await transaction.commit().catch((error: unknown) => error);
      };
      const conflict = { kind: "Conflict", code: "LSM_CONFLICT" };
      expect(await commitAfter(() => engine.put(utf8("l"), utf8("1")))).toMatchObject(conflict);
      expect(await commitAfter(() => engine.delete(utf8("k")))).toMatchObject(conflict);
      const wider = () => engine.deleteRange(utf8("a"), utf8("z"));
      expect(await commitAfter(wider)).toMatchObject(conflict);
      expect(await commitAfter(() => engine.put(utf8("m"), utf8("1")))).toHaveProperty("sequence");
      const beside = () => engine.deleteRange(utf8("m"), new Uint8Array(0));
      expect(await commitAfter(beside)).toHaveProperty("sequence");
      await engine.flush();
      expect(await commitAfter(async () => undefined)).toHaveProperty("sequence");
    }
  });

  it("is a write to a key and to a range that others have read or written", async () => {
    const { engine } = await open();
    const conflict = { kind: "Conflict", code: "LSM_CONFLICT" };
    const [reader, scanner, writer] = [0, 1, 2].map(() => engine.transaction());
    await reader?.get(utf8("l"));
    expect(await scanner?.scan({ from: utf8("l"), to: utf8("n") }).next()).toBeUndefined();
    writer?.put(utf8("l"), utf8("1"));
    for (const one of [reader, scanner]) one?.put(utf8("other"), utf8("1"));
    await engine.deleteRange(utf8("k"), utf8("m"));
    await engine.flush();
    for (const one of [reader, scanner, writer]) {
      await expect(one?.commit()).rejects.toMatchObject(conflict);
    }
  });

  it("sees its rows no more, and what it wrote to them before neither", async () => {
    const { engine } = await open();
    await fill(engine, 10);
    const transaction = engine.transaction();
    transaction.put(row(3), utf8("before"));
    transaction.deleteRange(row(2), row(8));
    transaction.put(row(5), utf8("after"));
    const shown: string[] = [];
    for await (const rows of transaction.scan({ limit: 4 })) {
      for (const { key, value } of rows) shown.push(`${Buffer.from(key)}=${Buffer.from(value)}`);
    }
    expect(shown).toEqual([
      ...["row 00000=row 00000", "row 00001=row 00001"],
      ...["row 00005=after", "row 00008=row 00008"],
    ]);
    expect(await transaction.get(row(3))).toBeUndefined();
    await transaction.commit();
    expect(await rowsOf(engine)).toBe(5);
  });

  it("holds so many ranges, and no more", async () => {
    const { engine } = await open({ transactionRanges: 3 });
    const tooLarge = expect.objectContaining({ code: "LSM_TRANSACTION_TOO_LARGE" });
    const transaction = engine.transaction();
    // Those that meet are one.
    for (let i = 0; i < 5; i++) {
      const scan = transaction.scan({ from: utf8("x"), to: utf8(`y${i}`) });
      expect(await scan.next()).toBeUndefined();
      transaction.deleteRange(utf8("a"), utf8(`aa${i}`));
    }
    transaction.deleteRange(utf8("c"), utf8("ca"));
    expect(() => transaction.deleteRange(utf8("e"), utf8("f"))).toThrow(tooLarge);
    expect(() => transaction.scan()).toThrow(tooLarge);
    await transaction.commit();
    expect(engine.lastSequence).toBe(6);
  });
});
