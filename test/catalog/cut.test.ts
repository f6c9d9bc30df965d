import { expect, test } from "vitest";
import { Pauses } from "../../src/base/pauses.ts";
import {
  type KeyState,
  type KeyStep,
  leftOut,
  type Stream,
  statesAfter,
  statesBefore,
  undoneWith,
} from "../../src/catalog/cut.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { costOf, expectShortTurns } from "../support/turns.ts";

const MINUTE_MS = 60_000;

interface Batch {
  readonly id: string;
  readonly timeMs: number;
  /** The version from which it takes each key to the next. */
  readonly keys: Readonly<Record<string, bigint>>;
}

function batch(id: number, keys: Batch["keys"], timeMs: number = id): Batch {
  return { id: String(id).padStart(9, "0"), timeMs, keys };
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Steps as they are sorted; the payload of each is named by its batch and version. */
function stepsOf(batches: readonly Batch[]): Stream<KeyStep> {
  const steps = batches.flatMap(({ id, timeMs, keys }) =>
    Object.entries(keys).map(([key, versionFrom]): KeyStep => {
      const shaFrom = versionFrom === 0n ? undefined : `before ${id}`;
      const versionTo = versionFrom + 1n;
      return { key, versionFrom, versionTo, shaFrom, shaTo: `of ${id}`, record: id, timeMs };
    }),
  );
  steps.sort(
    (a, b) => order(a.key, b.key) || Number(a.versionFrom - b.versionFrom) || a.timeMs - b.timeMs,
  );
  return stream(steps);
}

function stream<T>(items: readonly T[]): Stream<T> {
  return async function* () {
    const pauses = new Pauses(new SystemClock(), 2_000);
    for (const item of items) {
      yield item;
      const pause = pauses.step();
      if (pause !== undefined) await pause;
    }
  };
}

function swept(versions: Readonly<Record<string, bigint>>): Stream<KeyState> {
  const states = Object.entries(versions).map(([key, version]) => ({ key, version, sha: "swept" }));
  return stream(states.sort((a, b) => order(a.key, b.key)));
}

async function versionsOf(states: AsyncIterable<KeyState>): Promise<Record<string, bigint>> {
  const found: Record<string, bigint> = {};
  for await (const { key, version } of states) found[key] = version;
  return found;
}

async function forward(states: Stream<KeyState>, batches: readonly Batch[]) {
  const steps = stepsOf(batches);
  const left = await leftOut(states, steps);
  return { left, versions: await versionsOf(statesAfter(states, steps, left)) };
}

async function back(states: Stream<KeyState>, batches: readonly Batch[], atMs: number) {
  const steps = stepsOf(batches);
  const undone = await undoneWith(steps, atMs);
  return versionsOf(statesBefore(states, steps, atMs, undone));
}

test("a batch that was seen in part is taken whole, after all that it rests on", async () => {
  // The sweep saw `a` before all batches, `b` after the last.
  const batches = [batch(3, { a: 2n, b: 1n }), batch(2, { a: 1n })];
  const { left, versions } = await forward(swept({ a: 1n, b: 2n }), batches);
  expect(versions).toEqual({ a: 3n, b: 2n });
  expect([...left]).toEqual([]);
});

test("a batch that was seen in part, and rests on one that is unknown, is not a cut", async () => {
  const done = forward(swept({ a: 1n, b: 2n }), [batch(3, { a: 2n, b: 1n })]);
  await expect(done).rejects.toMatchObject({ code: "BACKUP_UNSETTLED" });
});

test("a batch that rests on one that is unknown is left out, and what rests on it", async () => {
  const batches = [batch(3, { a: 2n, b: 0n }), batch(4, { b: 1n, c: 0n }), batch(5, { d: 1n })];
  const { left, versions } = await forward(swept({ a: 1n, d: 1n }), batches);
  expect(versions).toEqual({ a: 1n, d: 2n });
  expect([...left].sort()).toEqual(["000000003", "000000004"]);
});

test("a key that died before the sweep, and left no tombstone, stays dead", async () => {
  const { left, versions } = await forward(swept({ b: 1n }), [batch(3, { a: 4n, b: 0n })]);
  expect(versions).toEqual({ b: 1n });
  expect([...left]).toEqual([]);
});

test("a batch that rests on one of a later time is undone with it", async () => {
  // A clock that is behind filed the second write of `a` under an earlier time than the first.
  const batches = [batch(1, { a: 0n }, 100), batch(2, { a: 1n, b: 0n }, 10)];
  expect((await forward(swept({}), batches)).versions).toEqual({ a: 2n, b: 1n });
  expect(await back(swept({ a: 2n, b: 1n }), batches, 50)).toEqual({ a: 0n, b: 0n });
});

test("what rests on an undone batch is undone, however their keys sort", async () => {
  const batches = [
    batch(1, { z: 0n }, 100),
    batch(2, { y: 0n, z: 1n }, 10),
    batch(3, { x: 0n, y: 1n }, 11),
    batch(4, { w: 0n }, 12),
  ];
  const all = swept({ w: 1n, x: 1n, y: 2n, z: 2n });
  expect(await back(all, batches, 50)).toEqual({ w: 1n, x: 0n, y: 0n, z: 0n });
});

test("a key that began anew once its tombstone was forgotten has each of its lives", async () => {
  const batches = [
    batch(1, { a: 0n }, 60 * MINUTE_MS),
    batch(2, { a: 1n }, 70 * MINUTE_MS),
    batch(3, { a: 0n }, 120 * MINUTE_MS),
    batch(4, { a: 1n }, 121 * MINUTE_MS),
  ];
  const now = swept({ a: 2n });
  for (const [minute, version] of [
    [50, 0n],
    [65, 1n],
    [100, 0n],
    [120, 1n],
    [122, 2n],
  ] as const) {
    expect([minute, await back(now, batches, minute * MINUTE_MS)]).toEqual([
      minute,
      { a: version },
    ]);
  }
});

test("a cut of many pointers and records takes short turns", async () => {
  const versions: Record<string, bigint> = {};
  const batches: Batch[] = [];
  for (let n = 0; n < 60_000; n++) {
    versions[`k${n}`] = 1n;
    batches.push(batch(2 * n + 1, { [`k${n}`]: 1n }), batch(2 * n + 2, { [`k${n}`]: 2n }));
  }
  const states = swept(versions);
  const steps = stepsOf(batches);
  const cost = await costOf(async () => {
    const left = await leftOut(states, steps);
    return versionsOf(statesAfter(states, steps, left));
  });
  await expectShortTurns("forward", cost);
  // In one turn it would be over the limit, so the pauses are what is measured.
  expect(cost.cpuMs).toBeGreaterThan(100);
  expect(cost.result["k0"]).toBe(3n);
  const undo = await costOf(async () => {
    const undone = await undoneWith(steps, 0);
    return versionsOf(statesBefore(states, steps, 0, undone));
  });
  await expectShortTurns("back", undo);
  expect(undo.result["k0"]).toBe(1n);
});
