import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Clock } from "../../src/base/clock.ts";
import type { TableId } from "../../src/base/ids.ts";
import { CONFIGURATION_SHAPE, Configuration } from "../../src/patterns/configuration.ts";
import { codeOf, Dice, type PatternWorld, patternWorld } from "./support.ts";

let world: PatternWorld;
let id: TableId;

beforeEach(async () => {
  world = await patternWorld();
  id = await world.table(CONFIGURATION_SHAPE);
});
afterEach(() => world.end());

const open = (): Configuration => new Configuration(world.of(id));

function clockOf(time: { readonly ms: number }): Clock {
  return {
    nowMs: () => world.clock.nowMs(),
    monotonicMs: () => time.ms,
    sleep: (ms, ended) => world.clock.sleep(ms, ended),
  };
}

/** One whose monotonic time the test sets. */
function timed(time: { ms: number }): Configuration {
  return new Configuration({ ...world.of(id), clock: clockOf(time) });
}

/** One whose transactions end with what the test does meanwhile. */
function followed(time: { ms: number }, follow: () => Promise<void> | undefined): Configuration {
  const table = world.of(id);
  const { store } = table;
  const run = async (...asked: Parameters<typeof store.run>) => {
    const result = await store.run(...asked);
    await follow();
    return result;
  };
  const own = Object.create(store, { run: { value: run } }) as typeof store;
  return new Configuration({ ...table, store: own, clock: clockOf(time) });
}

describe("a configuration", () => {
  it("has the newest value, with a version that never comes twice, over a restart", async () => {
    const config = open();
    expect(await config.get("a")).toBeUndefined();
    expect(await config.set("a", { on: true })).toMatchObject({ version: 1n, revision: 1n });
    expect(await config.set("b", null)).toMatchObject({ version: 1n, revision: 2n });
    expect(await config.remove("a")).toBe(true);
    expect(await config.remove("a")).toBe(false);
    expect(await config.remove("none")).toBe(false);
    expect(await config.get("a")).toBeUndefined();
    expect(await config.get("b")).toMatchObject({ value: null });
    await world.at.reopen();
    const again = open();
    expect(await again.set("a", 2)).toMatchObject({ version: 3n, revision: 4n, value: 2 });
    expect(await again.get("a")).toMatchObject({ version: 3n, revision: 4n, value: 2 });
  });

  it("takes a change of the version that is expected alone", async () => {
    const racers = Array.from({ length: 20 }, (_, i) =>
      codeOf(open().set("a", i, { expectedVersion: 0n })),
    );
    const told = await Promise.all(racers);
    expect(told.filter((one) => one === "done")).toHaveLength(1);
    expect(told.filter((one) => one === "CONFIGURATION_CONFLICT")).toHaveLength(19);
    expect(await codeOf(open().remove("a", { expectedVersion: 0n }))).toBe(
      "CONFIGURATION_CONFLICT",
    );
    expect(await open().remove("a", { expectedVersion: 1n })).toBe(true);
    expect(await codeOf(open().set("a", 1, { expectedVersion: 0n }))).toBe(
      "CONFIGURATION_CONFLICT",
    );
  });

  it("keeps what it read for as long as the caller takes it, and no longer", async () => {
    const time = { ms: 1_000 };
    const [reader, writer] = [timed(time), open()];
    await writer.set("a", 1);
    for (let i = 0; i < 3; i++) await reader.get("a", { maxAgeMs: 100 });
    await writer.set("a", 2);
    time.ms += 99;
    expect(await reader.get("a", { maxAgeMs: 100 })).toMatchObject({ value: 1 });
    time.ms += 1;
    expect(await reader.get("a", { maxAgeMs: 100 })).toMatchObject({ value: 2 });
    await writer.remove("a");
    expect(await reader.get("a")).toBeUndefined();
  });

  it("gives each caller a value of its own", async () => {
    const config = open();
    await config.set("a", { list: [1] });
    for (let i = 0; i < 3; i++) {
      const { value } = (await config.get("a", { maxAgeMs: 60_000 })) ?? {};
      (value as { list: number[] }).list.push(2);
    }
    expect(await config.get("a", { maxAgeMs: 60_000 })).toMatchObject({ value: { list: [1] } });
  });

  it("is as old as the beginning of its look-up", async () => {
    const time = { ms: 1_000 };
    let steps: (() => Promise<void>)[] = [];
    const reader = followed(time, () => steps.shift()?.());
    const writer = open();
    await writer.set("a", 1);
    for (let i = 0; i < 3; i++) await reader.get("a", { maxAgeMs: 1 });
    steps = [
      async () => {
        await writer.set("a", 2);
        time.ms += 50;
      },
    ];
    expect(await reader.get("a")).toMatchObject({ value: 1 });
    time.ms += 60;
    expect(await reader.get("a", { maxAgeMs: 100 })).toMatchObject({ value: 2 });
  });

  it("keeps nothing that was read before its last look-up", async () => {
    const time = { ms: 1_000 };
    let steps: (() => Promise<void>)[] = [];
    const reader = followed(time, () => steps.shift()?.());
    const writer = open();
    await writer.set("a", 1);
    await writer.set("b", 1);
    for (let i = 0; i < 3; i++) await reader.get("b", { maxAgeMs: 1 });
    steps = [
      async () => {
        await writer.set("a", 2);
        time.ms += 50;
        await reader.get("b");
      },
    ];
    expect(await reader.get("a")).toMatchObject({ value: 1 });
    expect(await reader.get("a", { maxAgeMs: 10 })).toMatchObject({ value: 2 });
  });
});

describe("changes of a configuration", () => {
  it("are told behind a revision, of each entry the newest", async () => {
    const config = open();
    await config.set("a", 1);
    await config.set("b", 2);
    await config.set("a", 3);
    await config.remove("b");
    const { changes, revision } = await config.changes();
    expect(changes).toMatchObject([
      { name: "a", version: 2n, revision: 3n, value: 3, isRemoved: false },
      { name: "b", version: 2n, revision: 4n, isRemoved: true },
    ]);
    expect(revision).toBe(4n);
    expect(await config.changes({ limit: 1 })).toMatchObject({ revision: 3n });
    expect(await config.changes({ after: 4n })).toEqual({ changes: [], revision: 4n });
    const stop = new AbortController();
    const seen: unknown[] = [];
    const reading = (async () => {
      for await (const { name, revision } of config.subscribe({ after: 3n, signal: stop.signal })) {
        seen.push([name, revision]);
        if (seen.length === 3) stop.abort();
      }
    })();
    await config.set("c", 1);
    await world.clock.sleep(1);
    await open().set("d", 1);
    await reading;
    expect(seen).toEqual([
      ["b", 4n],
      ["c", 5n],
      ["d", 6n],
    ]);
  });

  it("stand in the transaction of their caller", async () => {
    const config = open();
    await config.set("a", 1);
    const work = world.at.rows.run(async (tx) => {
      await config.in(tx).set("a", 2);
      expect(await config.in(tx).get("a")).toMatchObject({ value: 2 });
      await config.in(tx).set("a", 3, { expectedVersion: 1n });
    });
    expect(await codeOf(work)).toBe("CONFIGURATION_CONFLICT");
    expect(await config.get("a", { maxAgeMs: 1 })).toMatchObject({ value: 1, version: 1n });
  });

  it("are refused where they are of no entry", async () => {
    const wrong = "PATTERN_VALUE_INVALID";
    expect(await codeOf(open().set("", 1))).toBe(wrong);
    expect(await codeOf(open().get(""))).toBe(wrong);
    expect(await codeOf(open().set("a", undefined))).toBe(wrong);
    expect(await codeOf(open().get("a", { maxAgeMs: -1 }))).toBe(wrong);
    expect(await codeOf(open().changes({ limit: 0 }))).toBe(wrong);
  });
});

describe("a cached configuration under seeds", () => {
  it.each([1, 2, 3, 4, 5, 6])("is never older than the reader allows: %i", async (seed) => {
    const dice = new Dice(seed);
    const time = { ms: 0 };
    const caches = [timed(time), timed(time)];
    const names = ["a", "b", "c"];
    /** When the sets of a name had ended, and what they had set. */
    const ended = new Map(names.map((name) => [name, [{ ms: -1, value: 0 }]]));
    let isOver = false;
    const writer = async (name: string): Promise<void> => {
      for (let value = 1; value <= 30; value++) {
        await (dice.below(2) === 0 ? open() : (caches[dice.below(2)] as Configuration)).set(
          name,
          value,
        );
        ended.get(name)?.push({ ms: time.ms, value });
        time.ms += dice.below(3);
        await dice.pause();
      }
    };
    let old = 0;
    const reader = async (): Promise<void> => {
      while (!isOver) {
        const name = names[dice.below(3)] as string;
        const maxAgeMs = dice.below(8);
        const before = (ended.get(name) ?? []).filter(({ ms }) => ms <= time.ms - maxAgeMs);
        const known = ended.get(name)?.at(-1)?.value ?? 0;
        const cache = caches[dice.below(2)] as Configuration;
        const value = ((await cache.get(name, { maxAgeMs }))?.value as number | undefined) ?? 0;
        expect(value).toBeGreaterThanOrEqual(before.at(-1)?.value ?? 0);
        if (value < known) old++;
        await dice.pause();
      }
    };
    const readers = Array.from({ length: 12 }, reader);
    await Promise.all(names.map(writer));
    isOver = true;
    await Promise.all(readers);
    // Some were served from what was kept: otherwise nothing was shown.
    expect(old).toBeGreaterThan(0);
  });

  it("serves 10,000 readers beside a writer by few look-ups", async () => {
    const config = open();
    await config.set("a", 0);
    let reads = 0;
    const cache = followed({ ms: 0 }, () => {
      reads++;
      return undefined;
    });
    await cache.get("a");
    await cache.get("a");
    await cache.get("a", { maxAgeMs: 60_000 });
    reads = 0;
    const readers = Array.from({ length: 10_000 }, () => cache.get("a", { maxAgeMs: 60_000 }));
    await config.set("a", 1);
    expect(await Promise.all(readers)).toHaveLength(10_000);
    expect(reads).toBe(0);
  });
});
