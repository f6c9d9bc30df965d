import { describe, expect, it } from "vitest";
import { SeededPrng } from "../../src/base/prng.ts";
import { seededFaults as blobFaults, FaultyBlobStore } from "../support/faulty-blob-store.ts";
import { type Fault, FaultyPointerStore, seededFaults } from "../support/faulty-pointer-store.ts";
import { Life } from "./support/life.ts";
import { Shop, someOf, type Wrapping } from "./support/writers.ts";

const ONE = ["t0"] as const;
const TEN = Array.from({ length: 10 }, (_, i) => `t${i}`);
const WRITERS = 16;
const SEEDS = 5;

/** Which tables each of the writers appends to. */
const SCENES = [
  { name: "16 writers of one table", tables: ONE, sets: Array(WRITERS).fill(ONE) },
  {
    name: "16 transactions over 10 tables",
    tables: TEN,
    sets: Array.from({ length: WRITERS }, (_, i) => someOf(TEN, 2 + (i % 4), i)),
  },
] as const;

/** Faults by seed once they are armed; and what lets everything under way land. */
class Faulty {
  armed = false;
  readonly #stores: { releaseAll(): Promise<void> }[] = [];
  readonly wrapping: Wrapping;

  constructor(seed: number, rate: number) {
    const prng = new SeededPrng(seed);
    this.wrapping = {
      pointers: (inner) => {
        const script = seededFaults(prng, { rate });
        const store = new FaultyPointerStore(inner, (...call) =>
          this.armed ? script(...call) : undefined,
        );
        this.#stores.push(store);
        return store;
      },
      blobs: (inner) => {
        const script = blobFaults(prng, { rate: rate / 2 });
        const store = new FaultyBlobStore(inner, (...call) =>
          this.armed ? script(...call) : undefined,
        );
        this.#stores.push(store);
        return store;
      },
    };
  }

  async release(): Promise<void> {
    this.armed = false;
    for (const store of this.#stores) await store.releaseAll();
  }
}

describe.each(SCENES)("$name on two nodes", ({ tables, sets }) => {
  it("lose no update, tear none, and leave nothing behind", async () => {
    const shop = await Shop.open(tables);
    const nodes = [await shop.node(), await shop.node()] as const;
    await shop.clock.run(
      Promise.all(sets.map((set, i) => shop.append(nodes[i % 2 === 0 ? 0 : 1], set))),
    );
    expect(shop.tries.filter(({ answer }) => answer === "committed")).toHaveLength(WRITERS);
    expect(shop.tries.length).toBeGreaterThan(WRITERS);
    await shop.judge(tables, "as left");
    expect(await shop.strayFiles(tables)).toBe(0);
  });

  it("among faults of every kind: no answer is a lie", async () => {
    const answers = { committed: 0, refused: 0, unknown: 0, pending: 0 };
    for (let seed = 1; seed <= SEEDS; seed++) {
      const shop = await Shop.open(tables);
      const faults = [0, 1].map((n) => new Faulty(seed * 2 + n, 0.02 * (1 + (seed % 6))));
      const nodes = await Promise.all(faults.map(({ wrapping }) => shop.node(wrapping)));
      for (const faulty of faults) faulty.armed = true;
      await shop.clock.run(Promise.all(sets.map((set, i) => shop.append(nodes[i % 2]!, set))));
      for (const faulty of faults) await faulty.release();
      for (const { answer } of shop.tries) answers[answer]++;
      await shop.judge(tables, "as read");
    }
    console.log(`${SEEDS} seeds: ${JSON.stringify(answers)}`);
    expect(answers.committed).toBeGreaterThan(WRITERS * SEEDS * 0.8);
  });
});

const FAULTS: readonly ((index: number) => Fault)[] = [
  () => ({ fault: "notSent" }),
  () => ({ fault: "answerLost" }),
  (index) => ({ fault: "late", lands: { beforeCall: index + 3 } }),
  () => ({ fault: "late", lands: "release" }),
  () => ({ fault: "duplicated", lands: "release" }),
  () => ({ fault: "refused" }),
];

/** What goes on while one node suffers: it and another append to the same tables. */
const TWO = ["t0", "t1"] as const;
const SUFFERING = [TWO] as const;

it("one fault at each call to the pointer store: every answer is certain and true", async () => {
  let runs = 0;
  for (const fault of FAULTS) {
    for (let at = 0, calls = 1; at < calls; at++) {
      const shop = await Shop.open(TWO);
      let first = Number.POSITIVE_INFINITY;
      const stores: FaultyPointerStore[] = [];
      const pointers: Wrapping["pointers"] = (inner) => {
        const store = new FaultyPointerStore(inner, (index) =>
          index === first + at ? fault(index) : undefined,
        );
        stores.push(store);
        return store;
      };
      const [bad, good] = [await shop.node({ pointers }), await shop.node()];
      const [store] = stores;
      first = store?.history.length ?? 0;
      const theirs = SUFFERING.map((set) => shop.append(bad, set));
      await shop.clock.run(Promise.all([...theirs, shop.append(good, ["t1"])]));
      calls = (store?.history.length ?? 0) - first;
      await store?.releaseAll();
      expect(shop.tries.map(({ answer }) => answer)).not.toContain("unknown");
      expect(shop.tries.filter(({ answer }) => answer === "committed")).toHaveLength(2);
      await shop.judge(TWO, "as read");
      runs++;
    }
  }
  console.log(`${runs} runs with one fault`);
  expect(runs).toBeGreaterThan(60);
});

it.each(["before", "after"] as const)("a node may end %s any store call", async (side) => {
  let ended = 0;
  for (let at = 0; ; at++) {
    const shop = await Shop.open(TWO);
    const life = new Life(at, side);
    const [mortal, other] = [await shop.node(life.wrapping), await shop.node()];
    life.armed = true;
    const dead = Promise.all(SUFFERING.map((set) => shop.append(mortal, set)));
    await shop.clock.run(Promise.race([dead, life.over]));
    await shop.clock.run(shop.append(other, TWO));
    await shop.judge(TWO, "as read");
    if (!life.isOver) break;
    ended++;
  }
  console.log(`${ended} ends ${side} a call`);
  expect(ended).toBeGreaterThan(20);
});
