import { describe, expect, it } from "vitest";
import { SeededPrng } from "../../src/base/prng.ts";
import { type MergeRoom, MergeRooms } from "../../src/lsm/write/merge-room.ts";

const [A, B, C] = ["a", "b", "c"].map((name) => ({ name })) as [object, object, object];

/** 800 bytes of room; a merge of 20 is small. */
function rooms(): MergeRooms {
  return new MergeRooms(800, 20, () => undefined);
}

const granted = (...all: readonly MergeRoom[]): readonly number[] => all.map(({ bytes }) => bytes);

describe("room for merges", () => {
  it("gives one merge half at most, and leaves a quarter to small ones", () => {
    const all = rooms();
    const huge = all.ask(A, 100_000);
    expect(granted(huge)).toEqual([400]);
    const second = all.ask(B, 100_000);
    expect(granted(second)).toEqual([200]);
    const third = all.ask(C, 100_000);
    expect(granted(third)).toEqual([0]);
    const small = [A, B, C].map((shard) => all.ask({ of: shard }, 20));
    expect(granted(...small)).toEqual([20, 20, 20]);
    huge.end();
    expect(granted(third)).toEqual([400]);
    for (const room of [second, third, ...small]) room.end();
    expect(all.bytes).toBe(0);
  });

  it("lets a small merge of one shard begin beside large ones of others, at once", () => {
    const all = rooms();
    const large = Array.from({ length: 10 }, (_, i) => all.ask({ i }, 1_000_000));
    for (let i = 0; i < 100; i++) {
      const small = all.ask(A, 20);
      expect(small.isGranted).toBe(true);
      small.end();
    }
    for (const room of large) room.end();
    expect(all.bytes).toBe(0);
  });

  it("serves shards by turns, whoever asks most", () => {
    const all = rooms();
    const first = all.ask(C, 1_000);
    const many = Array.from({ length: 5 }, () => all.ask(A, 1_000));
    const one = all.ask(B, 1_000);
    expect(granted(...many, one)).toEqual([200, 0, 0, 0, 0, 0]);
    first.end();
    // A holds room already: B has its turn although four of A have waited longer.
    expect(one.bytes).toBe(400);
    expect(granted(...many)).toEqual([200, 0, 0, 0, 0]);
    one.end();
    expect(granted(...many).slice(0, 3)).toEqual([200, 400, 0]);
    for (const room of many) room.end();
    expect(all.bytes).toBe(0);
  });

  it("serves the shard that holds least, whichever was served last", () => {
    const all = rooms();
    const holds = all.ask(A, 1_000);
    const ends = all.ask(B, 1_000);
    const [ofA, ofB] = [all.ask(A, 1_000), all.ask(B, 1_000)];
    ends.end();
    expect(granted(holds, ofA, ofB)).toEqual([400, 0, 200]);
    for (const room of [holds, ofA, ofB]) room.end();
    expect(all.bytes).toBe(0);
  });

  it("keeps the order within a shard, and lets go of one that gives up", () => {
    const all = rooms();
    const [first, second] = [all.ask(A, 1_000), all.ask(B, 1_000)];
    const waiting = all.ask(A, 1_000);
    const behind = all.ask(A, 10);
    // A small one waits behind the large one of its own shard.
    expect(granted(first, second, waiting, behind)).toEqual([400, 200, 0, 0]);
    waiting.end();
    waiting.end();
    expect(behind.isGranted).toBe(true);
    for (const room of [first, second, behind]) room.end();
    expect(all.bytes).toBe(0);
  });
});

describe("room for merges of many shards", () => {
  it("gives more of it to small merges only while no large one waits", () => {
    const all = rooms();
    const small = Array.from({ length: 40 }, (_, i) => all.ask({ i }, 20));
    expect(all.bytes).toBe(800);
    const large = all.ask(A, 1_000);
    const late = all.ask(B, 20);
    for (const room of small.slice(0, 10)) room.end();
    expect([large.bytes, late.bytes]).toEqual([200, 0]);
    for (const room of [...small, large]) room.end();
    expect(late.isGranted).toBe(true);
    late.end();
    expect(all.bytes).toBe(0);
  });

  it("never gives more than there is, and serves everyone in the end", () => {
    for (let seed = 1; seed <= 200; seed++) {
      const prng = new SeededPrng(seed);
      const below = (n: number): number => Math.floor(prng.float() * n);
      const most = 1 + below(1_000);
      const all = new MergeRooms(most, below(most), () => undefined);
      const shards = Array.from({ length: 1 + below(4) }, (_, i) => ({ i }));
      const open: MergeRoom[] = [];
      const asked: MergeRoom[] = [];
      for (let step = 0; step < 100; step++) {
        if (open.length === 0 || prng.float() < 0.6) {
          const room = all.ask(shards[below(shards.length)]!, 1 + below(2 * most));
          open.push(room);
          asked.push(room);
        } else open.splice(below(open.length), 1)[0]!.end();
        expect(all.bytes).toBeLessThanOrEqual(most);
        expect(all.bytes).toBe(open.reduce((sum, { bytes }) => sum + bytes, 0));
        expect(open.length === 0 || all.bytes > 0).toBe(true);
      }
      // Those that hold room end, until nobody waits.
      for (let left = open.length; left > 0; left--) {
        const at = open.findIndex(({ isGranted }) => isGranted);
        expect(at).toBeGreaterThanOrEqual(0);
        open.splice(at, 1)[0]!.end();
      }
      expect(all.bytes).toBe(0);
    }
  });
});
