import { expect, test } from "vitest";
import { LIMITS } from "../../src/base/limits.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import { FaultyPointerStore } from "../support/faulty-pointer-store.ts";
import { ACTOR, testStores } from "../support/open-catalog.ts";
import { openInMemory } from "../support/open-iceberg.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const NS = { catalog: "c", namespace: ["a"] } as const;

async function open() {
  const clock = new VirtualClock();
  const stores = testStores({ clock });
  const pointers = new FaultyPointerStore(stores.pointers, () => undefined);
  const node = await openInMemory({ ...stores, pointers }, new MemoryBlobStore(clock));
  return { ...node, clock, pointers };
}

test("an idle node asks once a while: one list a bucket, and nothing else", async () => {
  const { runner, clock, pointers } = await open();
  const from = pointers.history.length;
  runner.start();
  await clock.advance(LIMITS.jobPollMs * 30);
  const methods = new Set(pointers.history.slice(from).map(({ method }) => method));
  expect([...methods]).toEqual(["list"]);
  const looks = (pointers.history.length - from) / LIMITS.jobBuckets;
  expect(looks).toBeGreaterThanOrEqual(20);
  expect(looks).toBeLessThanOrEqual(60);
  await runner.stop();
  expect(clock.sleeping).toBe(0);
});

test("what is due is done by itself, and not before", async () => {
  const { runner, clock, iceberg, dropped } = await open();
  runner.start();
  await iceberg.createNamespace(ACTOR, NS, {});
  await iceberg.dropNamespace(ACTOR, NS);
  await clock.advance(LIMITS.dropRetentionMs - 2 * LIMITS.jobPollMs);
  expect((await dropped.list()).items).toHaveLength(1);
  await clock.advance(4 * LIMITS.jobPollMs);
  expect((await dropped.list()).items).toEqual([]);
  await runner.stop();
  await runner.stop();
});
