import { describe, expect, test } from "vitest";
import { createMetrics } from "../../src/base/metrics.ts";
import { MemoryPointerStore } from "../../src/pointer/memory.ts";
import { MeteredPointerStore } from "../../src/pointer/metered.ts";
import { FaultyPointerStore } from "../support/faulty-pointer-store.ts";
import { TEST_FAMILIES } from "../support/pointer-families.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const KEY = "/test/s/entities/by-name/a";

describe("MeteredPointerStore", () => {
  test("counts every request once, by method and outcome", async () => {
    const clock = new VirtualClock();
    const metrics = createMetrics();
    const memory = new MemoryPointerStore({ families: TEST_FAMILIES, clock });
    const faulty = new FaultyPointerStore(memory, (index) =>
      index === 4 ? { fault: "refused" } : undefined,
    );
    const store = new MeteredPointerStore(faulty, { clock, metrics });
    const put = { writerId: "w", ops: [{ op: "put", key: KEY, expected: 0n } as const] };
    await store.commit(put);
    await store.commit(put);
    await store.get(KEY);
    await store.getMany([KEY, KEY]);
    await expect(store.list("/test/s/entities/by-name")).rejects.toThrow();
    await store.list("/test/s/entities/by-name");
    for await (const item of store.sweep("/test/")) expect(item.key).toBe(KEY);
    const counts = metrics.samples("firn_pointer_requests_total");
    const seen = counts.map(({ labels, value }) => [labels["method"], labels["outcome"], value]);
    expect(seen).toEqual([
      ["commit", "ok", 1],
      ["commit", "conflict", 1],
      ["get", "ok", 1],
      ["getMany", "ok", 1],
      ["list", "failed", 1],
      ["list", "ok", 1],
      ["sweep", "ok", 1],
    ]);
    expect(metrics.print()).toMatch(/^firn_pointer_conflicts_total 1$/m);
    expect(metrics.print()).toMatch(/^firn_pointer_ops_total\{op="put"\} 2$/m);
  });

  test("times a request by the clock it is given", async () => {
    const clock = new VirtualClock();
    const metrics = createMetrics();
    const memory = new MemoryPointerStore({ families: TEST_FAMILIES, clock });
    const slow = new FaultyPointerStore(memory, () => ({
      fault: "stalled",
      applied: "before",
      until: () => clock.sleep(2_000),
    }));
    const store = new MeteredPointerStore(slow, { clock, metrics });
    await clock.run(store.get(KEY));
    expect(metrics.print()).toMatch(/^firn_pointer_request_seconds_sum\{method="get"\} 2$/m);
  });
});
