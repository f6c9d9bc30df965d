import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Clock } from "../../src/base/clock.ts";
import { TimeSlices } from "../../src/server/time-slices.ts";
import { scripted, serving } from "../http/support.ts";

/** Time that passes only where work says so. */
class WorkClock implements Clock {
  ms = 0;
  nowMs(): number {
    return this.ms;
  }
  monotonicMs(): number {
    return this.ms;
  }
  async sleep(): Promise<void> {
    throw new Error("nothing sleeps here");
  }
}

/** All that can go on without waiting has gone on. */
function microtasks(): Promise<void> {
  return new Promise((resolve) => queueMicrotask(() => process.nextTick(resolve)));
}

test("work is done in order, as much of it in a turn as there is time for", async () => {
  const clock = new WorkClock();
  const slices = new TimeSlices(clock);
  const done: string[] = [];
  const work = async (name: string) => {
    await slices.enter();
    for (let i = 0; i < 2; i++) {
      clock.ms++;
      await undefined;
    }
    done.push(name);
  };
  const all: Promise<void>[] = [];
  // One after the other in one turn, as requests are read.
  for (const name of "abcdefgh") {
    all.push(work(name));
    await microtasks();
  }
  const turns = [done.join("")];
  while (done.length < 9) {
    const before = done.length;
    // Who comes later waits behind those who wait already, however much time is left.
    if (before === 6) all.push(work("i"));
    await nextTurn();
    await microtasks();
    turns.push(done.slice(before).join(""));
  }
  await Promise.all(all);
  expect(turns.filter((each) => each !== "")).toEqual(["abc", "def", "ghi"]);
});

test("an idle turn leaves nothing behind: the next work finds a whole slice", async () => {
  const clock = new WorkClock();
  const slices = new TimeSlices(clock);
  expect(slices.enter()).toBeUndefined();
  await nextTurn();
  clock.ms += 1_000;
  expect(slices.enter()).toBeUndefined();
  clock.ms += 4;
  expect(slices.enter()).toBeUndefined();
  clock.ms += 1;
  const waiting = slices.enter();
  expect(waiting).toBeInstanceOf(Promise);
  await waiting;
});

test("who is refused does not wait for what was let in before", async () => {
  const clock = new WorkClock();
  const { service } = scripted({
    loadNamespace: async (_ctx, { namespace }) => {
      clock.ms += 100;
      return { namespace, properties: {} };
    },
  });
  await using running = await serving(service, { clock, maxInFlight: 4 });
  const ask = () => running.server.inject("GET", "/iceberg/v1/namespaces/a", HOST, undefined);
  await running.server.inject("GET", "/livez", HOST, undefined);
  const statuses: number[] = [];
  const asked = Array.from({ length: 10 }, async () => {
    statuses.push((await ask()).status);
  });
  await Promise.all(asked);
  const shed = statuses.filter((status) => status === 429).length;
  expect(shed).toBeGreaterThan(0);
  expect(statuses.slice(-3)).toEqual([200, 200, 200]);
  expect(statuses.filter((status) => status === 200)).toHaveLength(10 - shed);
});

const HOST = { host: "localhost" };
