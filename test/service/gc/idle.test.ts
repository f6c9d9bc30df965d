import { expect, test } from "vitest";
import { MemoryBlobStore } from "../../../src/blob/memory.ts";
import { StoreRateLimiter } from "../../../src/service/gc/store-rate-limiter.ts";
import { SERVICE_LIMITS } from "../../../src/service/limits.ts";
import { FaultyBlobStore } from "../../support/faulty-blob-store.ts";
import { FaultyPointerStore } from "../../support/faulty-pointer-store.ts";
import { ACTOR, testStores } from "../../support/open-catalog.ts";
import { openInMemory } from "../../support/open-iceberg.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const DAY_MS = 86_400_000;

test("it runs by itself after a write, and an idle store makes no request", async () => {
  const clock = new VirtualClock();
  const stores = testStores({ clock });
  const pointers = new FaultyPointerStore(stores.pointers, () => undefined);
  const blobs = new FaultyBlobStore(stores.blobs, () => undefined);
  const node = await openInMemory({ ...stores, pointers, blobs }, new MemoryBlobStore(clock));
  node.tombstones.start();
  node.collector.start();
  node.runner.start();
  const calls = () => pointers.history.length + blobs.history.length;
  await node.iceberg.createNamespace(ACTOR, { catalog: "c", namespace: ["a"] }, {});
  await node.iceberg.dropNamespace(ACTOR, { catalog: "c", namespace: ["a"] });
  await node.catalog.context.background.settled();
  // The drop ends after a week, which is history for another one.
  await clock.advance(40 * DAY_MS);
  const left = (await stores.blobs.list("")).map(({ path }) => path);
  // The account and the catalog.
  expect(left).toHaveLength(2);
  const before = calls();
  await clock.advance(60 * DAY_MS);
  expect(calls()).toBe(before);
  // And again, when it is used again.
  await node.iceberg.createNamespace(ACTOR, { catalog: "c", namespace: ["b"] }, {});
  await clock.advance(3 * DAY_MS);
  expect(calls()).toBeGreaterThan(before + 20);
  await node.runner.stop();
  await node.tombstones.stop();
});

test("its requests and bytes a second are bounded", async () => {
  const clock = new VirtualClock();
  const limiter = new StoreRateLimiter(clock);
  const requests = 10 * SERVICE_LIMITS.gcRequestsPerSecond;
  const startedMs = clock.monotonicMs();
  await clock.run(
    (async () => {
      for (let i = 0; i < requests; i++) await limiter.spend(1);
    })(),
  );
  expect(clock.monotonicMs() - startedMs).toBeGreaterThanOrEqual(8_900);
  const bytesMs = clock.monotonicMs();
  await clock.run(
    (async () => {
      for (let i = 0; i < 100; i++) await limiter.spend(1, SERVICE_LIMITS.gcBytesPerSecond / 10);
    })(),
  );
  expect(clock.monotonicMs() - bytesMs).toBeGreaterThanOrEqual(8_900);
});
