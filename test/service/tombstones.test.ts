import { expect, test } from "vitest";
import { LIMITS } from "../../src/base/limits.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import { locationKey } from "../../src/catalog/keys.ts";
import { CATALOG_LIMITS } from "../../src/catalog/limits.ts";
import type { PointerOp } from "../../src/pointer/port.ts";
import { SERVICE_LIMITS } from "../../src/service/limits.ts";
import { type Fault, FaultyPointerStore } from "../support/faulty-pointer-store.ts";
import { ACTOR, testStores } from "../support/open-catalog.ts";
import { openInMemory } from "../support/open-iceberg.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const DAY_MS = SERVICE_LIMITS.tombstoneSweepMs;
const LIFE_MS = LIMITS.tombstoneLifeMs;
const NS = { catalog: "c", namespace: ["a"] } as const;

/** Nodes over one store; of each, the store's calls that it made. */
async function world() {
  const clock = new VirtualClock();
  const stores = testStores({ clock });
  const files = new MemoryBlobStore(clock);
  const open = async (
    fault: (index: number) => Fault | undefined = () => undefined,
    pointersExpire = false,
  ) => {
    const pointers = new FaultyPointerStore(stores.pointers, fault);
    const node = await openInMemory({ ...stores, pointers }, files, { pointersExpire });
    node.tombstones.start();
    node.runner.start();
    const die = async (): Promise<void> => {
      await node.runner.stop();
      await node.tombstones.stop();
    };
    const { account } = node.catalog.context;
    const keyOf = (i: number): string => locationKey(account, `mem://w/${i}`);
    /** Creates names and drops them, in as few batches as that takes. */
    const bury = async (count: number): Promise<void> => {
      for (let at = 0; at < count; at += LIMITS.batchOps) {
        const keys = Array.from({ length: Math.min(LIMITS.batchOps, count - at) }, (_, i) =>
          keyOf(at + i),
        );
        const send = async (ops: readonly PointerOp[]): Promise<void> => {
          const answer = await node.tombstones.pointers.commit({ writerId: "w", ops });
          expect(answer).toMatchObject({ outcome: "committed" });
        };
        await send(keys.map((key) => ({ op: "put", key, expected: 0n })));
        await send(keys.map((key) => ({ op: "delete", key, expected: 1n })));
      }
    };
    const forgotten = async (found: "node" | "sweep"): Promise<number> => {
      const metric = node.metrics.samples("firn_tombstones_forgotten_total");
      return metric.find(({ labels }) => labels["found"] === found)?.value ?? 0;
    };
    let from = pointers.history.length;
    /** Methods called since the last time that this was asked. */
    const calls = (): readonly string[] => {
      const since = pointers.history.slice(from).map(({ method }) => method);
      from += since.length;
      return since;
    };
    return { ...node, pointers, die, bury, keyOf, forgotten, calls };
  };
  const dead = async (): Promise<readonly string[]> => {
    const keys: string[] = [];
    for await (const item of stores.pointers.sweep("/")) {
      if (item.state === "absent") keys.push(item.key);
    }
    return keys;
  };
  const jobs = async (): Promise<number> => {
    let count = 0;
    for await (const { key } of stores.pointers.sweep("/")) if (key.includes("/jobs/")) count++;
    return count;
  };
  return { clock, stores, open, dead, jobs };
}

test("a node forgets what it deleted, past its life and not before, and then is idle", async () => {
  const { clock, open, dead, jobs } = await world();
  const { iceberg, runner, die, calls, forgotten, catalog } = await open();
  for (let i = 0; i < 3; i++) {
    await iceberg.createNamespace(ACTOR, NS, {});
    await iceberg.dropNamespace(ACTOR, NS);
  }
  await catalog.context.background.settled();
  const left = await dead();
  expect(left.length).toBeGreaterThan(8);
  calls();
  await clock.advance(LIFE_MS);
  expect(calls()).toEqual([]);
  expect(await dead()).toEqual(left);
  await clock.advance(2 * SERVICE_LIMITS.forgetSpreadMs);
  expect(await dead()).toEqual([]);
  expect(await forgotten("node")).toBe(left.length);
  // The name goes on as one that never was.
  await iceberg.createNamespace(ACTOR, NS, {});
  expect((await iceberg.listNamespaces(ACTOR, "c", [], {})).items).toHaveLength(1);
  // The sweep of that day finds nothing, and makes no other.
  await clock.advance(3 * DAY_MS);
  expect(await jobs()).toBe(6);
  calls();
  await clock.advance(CATALOG_LIMITS.dropRetentionMs - 4 * DAY_MS);
  expect(calls()).toEqual([]);
  await runner.stop();
  await die();
  expect(clock.sleeping).toBe(0);
});

test("a node sweeps what a dead one left, a day later, and nothing else", async () => {
  const { clock, stores, open, dead, jobs } = await world();
  const doomed = await open();
  await doomed.bury(300);
  const alive = doomed.keyOf(1_000);
  const ops = [{ op: "put", key: alive, expected: 0n }] as const;
  await stores.pointers.commit({ writerId: "w", ops });
  await doomed.die();
  const other = await open();
  await clock.advance(LIFE_MS + DAY_MS / 4);
  expect(await dead()).toHaveLength(300);
  await clock.advance(2 * DAY_MS - LIFE_MS - DAY_MS / 4 - SERVICE_LIMITS.jobPollMs);
  // One that is younger than its life when the sweep comes by.
  await stores.pointers.commit({
    writerId: "w",
    ops: [{ op: "delete", key: alive, expected: 1n }],
  });
  await clock.advance(SERVICE_LIMITS.jobPollMs + LIFE_MS / 2);
  expect(await dead()).toEqual([alive]);
  expect(await other.forgotten("sweep")).toBe(300);
  expect(await jobs()).toBe(0);
  other.calls();
  await clock.advance(60 * DAY_MS);
  expect(other.calls()).toEqual([]);
  await other.die();
});

test("they are forgotten at a bounded rate, few at once", async () => {
  const { clock, open, dead } = await world();
  const node = await open();
  await node.bury(2_000);
  await clock.advance(LIFE_MS + SERVICE_LIMITS.forgetSpreadMs - 1);
  node.calls();
  let most = 0;
  for (let ms = 0; ms < 60_000; ms += 1_000) {
    await clock.advance(1_000);
    most = Math.max(most, node.calls().filter((method) => method === "forget").length);
  }
  expect(most).toBeGreaterThan(SERVICE_LIMITS.forgottenPerSecond / 2);
  expect(most).toBeLessThanOrEqual(
    SERVICE_LIMITS.forgottenPerSecond + SERVICE_LIMITS.forgottenAtOnce,
  );
  expect(await dead()).toEqual([]);
  await node.die();
});

test("a store that fails is asked again, and loses no tombstone", async () => {
  const { clock, open, dead } = await world();
  let down = false;
  const node = await open(() => (down ? { fault: "notSent" } : undefined));
  await node.bury(120);
  await node.catalog.context.background.settled();
  down = true;
  await clock.advance(LIFE_MS + 10 * SERVICE_LIMITS.jobRetryMs);
  down = false;
  expect(await dead()).toHaveLength(120);
  await clock.advance(2 * SERVICE_LIMITS.jobRetryMs);
  expect(await dead()).toEqual([]);
  await node.die();
});

test("a sweep that is stopped or killed goes on from where it was, on any node", async () => {
  const { clock, open, dead, jobs } = await world();
  const count = 4_000;
  const doomed = await open();
  await doomed.bury(count);
  await doomed.die();
  await clock.advance(3 * DAY_MS);
  const cursors: (string | undefined)[] = [];
  let down = false;
  /** Takes the job up on a node of its own, and lets it go on for so long. */
  const sweepFor = async (ms: number, end: "stopped" | "killed"): Promise<void> => {
    const node = await open((index) => (down && index > 0 ? { fault: "notSent" } : undefined));
    const { sweep } = node.pointers;
    node.pointers.sweep = (prefix, options) => {
      cursors.push(options?.after);
      return sweep.call(node.pointers, prefix, options);
    };
    await clock.advance(ms);
    down = end === "killed";
    await Promise.all([clock.advance(SERVICE_LIMITS.jobRetryMs), node.die()]);
    down = false;
    // A lease that nobody gave back is over by then, and so is the pause of a job that failed.
    await clock.advance(CATALOG_LIMITS.jobLeaseMs + SERVICE_LIMITS.jobRetryMs);
  };
  await sweepFor(2_000, "stopped");
  const [after] = [(await dead()).length];
  expect(after).toBeLessThan(count - 500);
  expect(after).toBeGreaterThan(count / 2);
  await sweepFor(1_000, "killed");
  expect((await dead()).length).toBeLessThan(after);
  await sweepFor(DAY_MS, "stopped");
  expect(await dead()).toEqual([]);
  expect(await jobs()).toBe(0);
  const place = expect.stringContaining("/locations/");
  // The one that was killed had no time to say how far it came.
  expect(cursors).toEqual([undefined, place, place]);
  expect(cursors[2]).toBe(cursors[1]);
});

test("where the store expires tombstones itself, only those go that lists pass", async () => {
  const { clock, open, dead, jobs } = await world();
  const node = await open(undefined, true);
  await node.bury(10);
  const guard = node.keyOf(0).replace("/locations/", "/plans/");
  const ops = [{ op: "delete", key: guard, expected: 0n }] as const;
  await node.tombstones.pointers.commit({ writerId: "w", ops });
  await clock.advance(3 * DAY_MS);
  expect(await dead()).toEqual([guard]);
  expect(await node.forgotten("node")).toBe(10);
  expect(await jobs()).toBe(0);
  await node.die();
});
