import { afterEach, describe, expect, test } from "vitest";
import { utf8 } from "../../src/base/bytes.ts";
import { LIMITS } from "../../src/base/limits.ts";
import { randomBelow, SeededPrng } from "../../src/base/prng.ts";
import type { Engine } from "../../src/lsm/engine/engine.ts";
import { Gaps } from "../../src/pointer/gaps.ts";
import { LsmPointerStore } from "../../src/pointer/lsm.ts";
import type { PointerOp } from "../../src/pointer/port.ts";
import { encodeRow } from "../../src/pointer/row.ts";
import { del, put } from "../contract/pointer-store-space.ts";
import { makeWorld, type World } from "../lsm/support/worlds.ts";
import { TEST_FAMILIES } from "../support/pointer-families.ts";
import { costOf } from "../support/turns.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const NAMES = "/test/s/entities/by-name";
/** More than a scan passes in one turn, so that lists stand still amid the dead. */
const DEAD = 5_000;

const worlds: World[] = [];
afterEach(() => {
  for (const world of worlds.splice(0)) world.end();
});

async function open() {
  const world = makeWorld({ store: "memory", wal: "objects" });
  worlds.push(world);
  const engine = await world.open();
  const clock = new VirtualClock();
  const store = new LsmPointerStore({ families: TEST_FAMILIES, clock, engine: () => engine });
  const commit = async (...ops: readonly PointerOp[]): Promise<void> => {
    expect(await store.commit({ writerId: "w", ops })).toMatchObject({ outcome: "committed" });
  };
  const listed = async (): Promise<readonly string[]> =>
    (await store.list(NAMES)).map(({ key }) => key.slice(NAMES.length + 1));
  return { world, engine, clock, store, commit, listed };
}

const nameOf = (text: string): string => `${NAMES}/${text}`;
const deadName = (i: number): string => nameOf(`n${String(i).padStart(6, "0")}`);

/** Names that were created and dropped. */
async function bury(commit: (...ops: readonly PointerOp[]) => Promise<void>): Promise<void> {
  const keys = Array.from({ length: DEAD }, (_, i) => deadName(i));
  for (const op of [(key: string) => put(key), (key: string) => del(key, 1n)]) {
    for (let at = 0; at < DEAD; at += LIMITS.batchOps) {
      await commit(...keys.slice(at, at + LIMITS.batchOps).map(op));
    }
  }
}

/** The same, at once and without a look. */
async function plant(engine: Engine, keys: readonly string[]): Promise<void> {
  const dead = { state: "absent", version: 2n, writerId: "w", deadUntilMs: 0 } as const;
  for (let at = 0; at < keys.length; at += 1_000) {
    const ops = keys.slice(at, at + 1_000).map((key) => {
      return { op: "put", key: utf8(key), value: encodeRow({ ...dead, key }) } as const;
    });
    await engine.write(ops);
  }
}

/** Rows and deletions that lists ask the engine for. */
function counted(engine: Engine): () => number {
  let passed = 0;
  const { scan } = engine;
  engine.scan = (request) => {
    const inner = scan.call(engine, request);
    const next = inner.next.bind(inner);
    inner.next = async () => {
      const rows = await next();
      for (const row of rows ?? []) passed += 1 + (row.passed ?? 0);
      if (rows === undefined) passed += inner.passed ?? 0;
      return rows;
    };
    return inner;
  };
  return () => passed;
}

describe("a list behind dropped names", () => {
  test.each(["tombstones", "forgotten"])("skips them, after reading them once (%s)", async (as) => {
    const { engine, store, clock, commit, listed } = await open();
    await bury(commit);
    await commit(put(nameOf("a")), put(nameOf("z")));
    if (as === "forgotten") {
      await clock.advance(LIMITS.tombstoneLifeMs + 1);
      const keys = Array.from({ length: DEAD }, (_, i) => deadName(i));
      await Promise.all(keys.map((key) => store.forget(key, 2n)));
    }
    const passed = counted(engine);
    expect(await listed()).toEqual(["a", "z"]);
    const first = passed();
    expect(first).toBeGreaterThanOrEqual(DEAD);
    for (let i = 0; i < 10; i++) expect(await listed()).toEqual(["a", "z"]);
    expect(passed() - first).toBeLessThan(100);
    // A name that comes back amid them splits the gap and no more.
    const back = as === "forgotten" ? 0n : 2n;
    await commit(put(deadName(2_500), back));
    expect(await listed()).toEqual(["a", "n002500", "z"]);
    expect(await store.list(NAMES, { after: "n002000", limit: 1 })).toHaveLength(1);
    expect(passed() - first).toBeLessThan(200);
  });

  test("a neighbour's dropped names cost nothing", async () => {
    const { engine, commit, clock, store } = await open();
    await bury(commit);
    await clock.advance(LIMITS.tombstoneLifeMs + 1);
    for (let i = 0; i < DEAD; i++) await store.forget(deadName(i), 2n);
    const paths = "/test/s/entities/aa/parts";
    await commit(put(`${paths}/1`));
    const passed = counted(engine);
    expect(await store.list(paths)).toHaveLength(1);
    expect(passed()).toBeLessThan(10);
  });

  test("behind 100,000 of them takes no turn over 100 ms", async () => {
    const { engine, commit, listed } = await open();
    await plant(
      engine,
      Array.from({ length: 100_000 }, (_, i) => deadName(i)),
    );
    await commit(put(nameOf("z")));
    for (let list = 0; list < 2; list++) {
      const { result, longestTurnMs } = await costOf(listed);
      expect(result).toEqual(["z"]);
      expect(longestTurnMs).toBeLessThan(100);
    }
  });
});

describe("a list beside other lists", () => {
  test("a list goes on in its own state, whatever later lists have met behind it", async () => {
    const { engine, store, commit, listed } = await open();
    const some = (letter: string): readonly string[] =>
      Array.from({ length: 100 }, (_, i) => nameOf(`${letter}${100 + i}`));
    const many = Array.from({ length: 40_000 }, (_, i) => deadName(i));
    await plant(engine, [...many, ...some("x"), ...some("z")]);
    await commit(put(nameOf("y")));
    // A gap is known before `y` alone, so a list that comes by looks again what is behind it.
    expect(await store.list(NAMES, { after: "w", limit: 1 })).toHaveLength(1);
    let ended = false;
    const slow = listed().finally(() => {
      ended = true;
    });
    await commit(del(nameOf("y"), 1n), put(nameOf("a")));
    expect(await store.list(NAMES, { after: "w" })).toHaveLength(0);
    expect(ended).toBe(false);
    expect(await slow).toEqual(["y"]);
    expect(await listed()).toEqual(["a"]);
  });

  test("a name that moves about while lists are under way is in each of them once", async () => {
    for (const seed of [1, 2, 3]) {
      const { commit, listed } = await open();
      const prng = new SeededPrng(seed);
      await bury(commit);
      const places = ["a0", "a1", "n001000", "n003000x", "z0", "z1"].map(nameOf);
      const versions = new Map(places.map((key) => [key, 0n]));
      versions.set(deadName(1_000), 2n);
      let at = places[0] ?? "";
      await commit(put(at));
      versions.set(at, 1n);
      let ended = false;
      const mover = async (): Promise<void> => {
        while (!ended) {
          const to = places[randomBelow(prng, places.length)] ?? "";
          if (to !== at) {
            const [from, into] = [versions.get(at) ?? 0n, versions.get(to) ?? 0n];
            await commit(del(at, from), put(to, into));
            versions.set(at, from + 1n).set(to, into + 1n);
            at = to;
          }
          await new Promise((resolve) => setImmediate(resolve));
        }
      };
      const lister = async (): Promise<void> => {
        for (let list = 0; list < 40; list++) {
          expect(await listed()).toHaveLength(1);
          // Others come in between at any place.
          for (let turns = randomBelow(prng, 4); turns > 0; turns--) {
            await new Promise((resolve) => setImmediate(resolve));
          }
        }
      };
      const moving = mover();
      const lists = Promise.all(Array.from({ length: 4 }, lister));
      await lists.finally(() => {
        ended = true;
      });
      await moving;
      expect(await listed()).toEqual([at.slice(NAMES.length + 1)]);
    }
  });
});

describe("gaps", () => {
  const [from, to] = [`${NAMES}/`, `${NAMES}0`];
  const gap = { from, to, sequence: 7, passed: 1_000 };

  test("hold from their own state on, and not before", () => {
    const gaps = new Gaps();
    gaps.note(gaps.beginList(NAMES), gap);
    expect(gaps.next(NAMES, from, 7)).toEqual(gap);
    expect(gaps.next(NAMES, from, 6)).toBeUndefined();
    expect(gaps.next("/test/s/entities/other", from, 7)).toBeUndefined();
    expect(gaps.next(NAMES, to, 7)).toBeUndefined();
  });

  test("are cut by a put, whenever it was announced and is over", () => {
    const cases: readonly ((gaps: Gaps) => void)[] = [
      // Known before the put.
      (gaps) => {
        gaps.note(gaps.beginList(NAMES), gap);
        gaps.beginPut(nameOf("k"));
      },
      // The put was under way when the list began, or came while it was.
      (gaps) => {
        gaps.beginPut(nameOf("k"));
        const listing = gaps.beginList(NAMES);
        gaps.endPut(nameOf("k"));
        gaps.note(listing, gap);
      },
      (gaps) => {
        const listing = gaps.beginList(NAMES);
        gaps.beginPut(nameOf("k"));
        gaps.endPut(nameOf("k"));
        gaps.note(listing, gap);
      },
    ];
    for (const play of cases) {
      const gaps = new Gaps();
      play(gaps);
      expect(gaps.next(NAMES, from, 9)).toMatchObject({ from, to: nameOf("k") });
      expect(gaps.next(NAMES, nameOf("k"), 9)).toMatchObject({ from: `${nameOf("k")}\0`, to });
    }
  });

  test("a put that was over before the list began cuts nothing: its state shows it", () => {
    const gaps = new Gaps();
    gaps.beginPut(nameOf("k"));
    gaps.beginPut(nameOf("k"));
    gaps.endPut(nameOf("k"));
    gaps.endPut(nameOf("k"));
    gaps.note(gaps.beginList(NAMES), gap);
    expect(gaps.next(NAMES, from, 7)).toEqual(gap);
  });

  test("of a directory are bounded: the longest stay", () => {
    const gaps = new Gaps();
    const listing = gaps.beginList(NAMES);
    for (let i = 0; i < 5_000; i++) {
      const at = String(i).padStart(5, "0");
      const bounds = { from: nameOf(at), to: nameOf(`${at}9`) };
      gaps.note(listing, { ...bounds, sequence: 1, passed: i });
    }
    let kept = 0;
    for (let at = from; ; kept++) {
      const next = gaps.next(NAMES, at, 1);
      if (next === undefined) break;
      at = next.to;
    }
    expect(kept).toBeGreaterThan(500);
    expect(kept).toBeLessThanOrEqual(2_048);
    expect(gaps.next(NAMES, nameOf("04999"), 1)).toMatchObject({ passed: 4_999 });
  });
});
