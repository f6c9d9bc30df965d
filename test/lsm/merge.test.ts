import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SeededPrng } from "../../src/base/prng.ts";
import {
  type Cursor,
  END,
  ENTRY,
  MISS,
  type MissingBlock,
  type Step,
} from "../../src/lsm/format/cursor.ts";
import { MERGE, PUT, plainKind } from "../../src/lsm/format/entry.ts";
import { Memtable } from "../../src/lsm/memtable/memtable.ts";
import { MergeCursor } from "../../src/lsm/read/merge.ts";
import { VisibleCursor } from "../../src/lsm/read/merge-visible.ts";
import {
  compareMoves,
  type Entry,
  MEANING,
  ModelCursor,
  randomEntries,
  visibleAt,
} from "./support/model.ts";
import { type Forgetful, forgetfulCursor, patient, settled, writeTable } from "./support/tables.ts";

interface Sources {
  readonly entries: readonly Entry[];
  readonly cursors: readonly Cursor[];
  readonly files: readonly Forgetful["file"][];
}

/** Entries dealt to a memtable and tables whose blocks come and go. */
function deal(prng: SeededPrng, count: number, tables: number, others = 0.2): Sources {
  const entries = randomEntries(prng, count, others);
  const hands: Entry[][] = Array.from({ length: tables + 1 }, () => []);
  for (const entry of entries) hands[Math.floor(prng.float() * hands.length)]!.push(entry);
  const memtable = new Memtable();
  for (const entry of hands[0]!) {
    memtable.add(entry.key, entry.sequence, entry.kind, entry.value, entry);
  }
  const files = hands
    .slice(1)
    .filter((hand) => hand.length > 0)
    .map((hand) => forgetfulCursor(writeTable(hand, { blockBytes: 100 }).bytes, prng));
  const cursors = [memtable.cursor(), ...files.map(({ cursor }) => cursor)];
  return { entries, cursors, files: files.map(({ file }) => file) };
}

describe("a merge", () => {
  it("moves like one sorted list, in both directions, over any number of inputs", () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(300), fc.nat(8), (seed, count, tables) => {
        const prng = new SeededPrng(seed);
        const { entries, cursors, files } = deal(prng, count + 1, tables);
        const merged = patient(new MergeCursor(cursors), files);
        const model = new ModelCursor(entries);
        expect(compareMoves(merged, model, entries, prng, 150)).toBeUndefined();
      }),
      { numRuns: 30 },
    );
  });

  it("of nothing is at its end", () => {
    const merged = new MergeCursor([]);
    expect([merged.first(), merged.last(), merged.seek("a")]).toEqual([END, END, END]);
  });

  it("names what all of its inputs miss at once", () => {
    const { cursors } = deal(new SeededPrng(1), 300, 3);
    const merged = new MergeCursor(cursors);
    expect(merged.seek("a")).toBe(MISS);
    const missing: Parameters<Cursor["missing"]>[0] = [];
    merged.missing(missing);
    expect(missing).toHaveLength(3);
  });
});

describe("what is visible at a snapshot", () => {
  it("is of each key the newest version that is old enough and no deletion", () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(300), fc.nat(4), (seed, count, tables) => {
        const prng = new SeededPrng(seed);
        const { entries, cursors, files } = deal(prng, count + 1, tables);
        const first = entries[0]!.sequence;
        const snapshot = first + Math.floor(prng.float() * (count + 2)) - 1;
        const model = new ModelCursor(visibleAt(entries, Math.max(0, snapshot)));
        const merged = new MergeCursor(cursors);
        // Some give way after every few steps.
        const steps = prng.float() < 0.5 ? 1_000_000 : 1 + Math.floor(prng.float() * 6);
        const visible = new VisibleCursor(merged, Math.max(0, snapshot), MEANING, steps);
        walk(visible, model, files, prng, entries);
      }),
      { numRuns: 70 },
    );
  });

  it("goes back over many versions also where each seek misses time after time", () => {
    const memtables = [new Memtable(), new Memtable()];
    let sequence = 0;
    for (const key of ["a", "b", "c"]) {
      for (let i = 0; i < 41; i++) memtables[i % 2]!.add(key, ++sequence, PUT, Uint8Array.of(i));
    }
    for (const misses of [1, 2, 3]) {
      const below = new MergeCursor([
        memtables[0]!.cursor(),
        missing(memtables[1]!.cursor(), misses),
      ]);
      const visible = new VisibleCursor(below, 1_000, MEANING);
      const rows: string[] = [];
      let step = settled(visible, [], (cursor) => cursor.last());
      for (; step === ENTRY; step = settled(visible, [], (cursor) => cursor.prev())) {
        rows.push(`${visible.key}${visible.sequence}`);
      }
      expect(rows).toEqual(["c123", "b82", "a41"]);
    }
  });

  it("passes a thousand versions of one key in a few steps", () => {
    const memtable = new Memtable();
    memtable.add("a", 1, PUT, Uint8Array.of(1));
    memtable.add("c", 2, PUT, Uint8Array.of(3));
    for (let i = 0; i < 1_000; i++) memtable.add("b", i + 3, PUT, Uint8Array.of(i & 255));
    const below = memtable.cursor();
    let calls = 0;
    const counted = new Proxy(below, {
      get(target, name) {
        const found: unknown = Reflect.get(target, name, target);
        if (typeof found !== "function") return found;
        return (...args: unknown[]): unknown => {
          calls++;
          return found.apply(target, args);
        };
      },
    });
    for (const snapshot of [500, 5_000]) {
      const visible = new VisibleCursor(counted, snapshot, MEANING);
      const keys: string[] = [];
      for (let step = visible.first(); step === ENTRY; step = visible.next()) {
        keys.push(visible.key);
      }
      for (let step = visible.last(); step === ENTRY; step = visible.prev()) {
        keys.push(visible.key);
        if (visible.key === "b") expect(visible.sequence).toBe(Math.min(snapshot, 1_002));
      }
      expect(keys.join("")).toBe("abccba");
    }
    expect(calls).toBeLessThan(150);
  });
});

/** A cursor each of whose seeks misses so many times before it is answered. */
function missing(cursor: Cursor, misses: number): Cursor {
  const asked = new Map<string, number>();
  return new Proxy(cursor, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name, target);
      if (typeof found !== "function") return found;
      return (...args: unknown[]): unknown => {
        const call = `${String(name)} ${args}`;
        const times = asked.get(call) ?? 0;
        asked.set(call, times + 1);
        if (call.startsWith("seek") && times < misses) return MISS;
        if (name !== "missing") return found.apply(target, args);
        (args[0] as MissingBlock[]).push({ file: "", kind: "data", offset: 0, bytes: 1 });
        return undefined;
      };
    },
  });
}

function walk(
  visible: VisibleCursor,
  model: Cursor,
  files: readonly Forgetful["file"][],
  prng: SeededPrng,
  entries: readonly Entry[],
): void {
  let step: Step = END;
  for (let i = 0; i < 80; i++) {
    const chance = prng.float();
    const { key } = entries[Math.floor(prng.float() * entries.length)]!;
    const name = (["next", "prev", "first", "last", "seek", "seekBefore"] as const)[
      step === ENTRY && chance < 0.8 ? Math.floor(chance * 2.5) : 2 + Math.floor(chance * 4)
    ]!;
    const move = (cursor: VisibleCursor | Cursor): Step =>
      name === "seek" || name === "seekBefore" ? cursor[name](key) : cursor[name]();
    step = move(model);
    expect(settled(visible, files, move)).toBe(step);
    if (step !== ENTRY) continue;
    expect(visible.key).toBe(model.key);
    // What was folded is of several versions.
    if (plainKind(model.kind) !== MERGE) expect(visible.sequence).toBe(model.sequence);
    expect(Buffer.from(visible.value())).toEqual(Buffer.from(model.value()));
  }
}
