import { describe, expect, test } from "vitest";
import { SeededPrng } from "../../src/base/prng.ts";
import { MemoryPointerStore } from "../../src/pointer/memory.ts";
import type { Batch } from "../../src/pointer/port.ts";
import { type Fault, FaultyPointerStore, seededFaults } from "../support/faulty-pointer-store.ts";
import { TEST_FAMILIES } from "../support/pointer-families.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const KEY = "/test/s/entities/by-id/1";

function open(...faults: readonly (Fault | undefined)[]): {
  memory: MemoryPointerStore;
  faulty: FaultyPointerStore;
} {
  const memory = new MemoryPointerStore({ families: TEST_FAMILIES, clock: new VirtualClock() });
  return { memory, faulty: new FaultyPointerStore(memory, (index) => faults[index]) };
}

function put(expected: bigint): Batch {
  return { writerId: `w${expected}`, ops: [{ op: "put", key: KEY, expected }] };
}

describe("FaultyPointerStore", () => {
  test("lands a late request just before the call that it is held for", async () => {
    const { memory, faulty } = open({ fault: "late", lands: { beforeCall: 2 } });
    expect(await faulty.commit(put(0n))).toEqual({ outcome: "unknown" });
    expect(await faulty.get(KEY)).toMatchObject({ version: 0n });
    expect(await faulty.get(KEY)).toMatchObject({ version: 1n });
    expect(faulty.held).toBe(0);
    expect(faulty.history[0]?.landings).toMatchObject([{ outcome: "committed" }]);
    expect(await memory.get(KEY)).toMatchObject({ version: 1n });
  });

  test("lands what is held for release, in the order it was sent", async () => {
    const held: Fault = { fault: "late", lands: "release" };
    const { memory, faulty } = open(held, held, { fault: "duplicated", lands: "release" });
    await faulty.commit(put(0n));
    await faulty.commit(put(1n));
    expect(await faulty.commit(put(0n))).toMatchObject({ outcome: "committed" });
    expect(faulty.held).toBe(3);
    await faulty.releaseAll();
    expect(await memory.get(KEY)).toMatchObject({ version: 2n, writerId: "w1" });
    const outcomes = faulty.history.map((call) => call.landings.map(({ outcome }) => outcome));
    expect(outcomes).toEqual([["conflict"], ["committed"], ["committed", "conflict"]]);
  });

  test.each(["before", "after"] as const)(
    "applies a stalled call %s the stall",
    async (applied) => {
      const { memory, faulty } = open({ fault: "stalled", applied });
      const answer = faulty.commit(put(0n));
      await new Promise((resolve) => setImmediate(resolve));
      const version = applied === "before" ? 1n : 0n;
      expect(await memory.get(KEY)).toMatchObject({ version });
      await faulty.release(0);
      expect(await answer).toMatchObject({ outcome: "committed" });
      expect(await memory.get(KEY)).toMatchObject({ version: 1n });
    },
  );

  test("a seed decides every fault", async () => {
    const faultsOf = (seed: number): readonly (Fault | undefined)[] => {
      const script = seededFaults(new SeededPrng(seed), { rate: 0.5 });
      return Array.from({ length: 200 }, (_, index) => script(index, "commit", []));
    };
    expect(faultsOf(1)).toEqual(faultsOf(1));
    expect(faultsOf(1)).not.toEqual(faultsOf(2));
    expect(new Set(faultsOf(1).map((fault) => fault?.fault)).size).toBe(7);
  });
});
