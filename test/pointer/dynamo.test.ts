import { expect, test } from "vitest";
import { LIMITS } from "../../src/base/limits.ts";
import type { DynamoUsage } from "../../src/pointer/dynamo/client.ts";
import {
  describePointerStore,
  type PointerStoreCapabilities,
  type PointerStoreSubject,
} from "../contract/describe-pointer-store.ts";
import { del, put } from "../contract/pointer-store-space.ts";
import { openDynamoWorld } from "../double/dynamo/world.ts";

async function subject(): Promise<PointerStoreSubject> {
  const { store, clock, close } = await openDynamoWorld();
  return {
    store,
    close,
    nowMs: () => clock.nowMs(),
    advance: (ms) => clock.advance(ms),
  };
}

/** A millisecond of CPU a request: the same races, fewer rounds than over memory. */
const CAPABILITIES: PointerStoreCapabilities = {
  bumpVersions: true,
  sweepOrder: false,
  races: { rounds: 3, writers: 24 },
  modelRuns: 8,
};

describePointerStore("DynamoDB's double", subject, CAPABILITIES);

test("a tombstone is forgotten for one read and one write unit, passed for less", async () => {
  const used: DynamoUsage[] = [];
  const { store, clock, close } = await openDynamoWorld({ onUsage: (usage) => used.push(usage) });
  try {
    const names = "/test/s/entities/by-name";
    const keys = Array.from({ length: 400 }, (_, i) => `${names}/n${i}`);
    for (let at = 0; at < keys.length; at += LIMITS.batchOps) {
      const some = keys.slice(at, at + LIMITS.batchOps);
      await store.commit({ writerId: "w", ops: some.map((key) => put(key)) });
      await store.commit({ writerId: "w", ops: some.map((key) => del(key, 1n)) });
    }
    await clock.advance(LIMITS.tombstoneLifeMs + 1);
    const spent = async (work: () => Promise<unknown>): Promise<readonly number[]> => {
      used.length = 0;
      await work();
      const sum = (of: "readUnits" | "writeUnits") => used.reduce((all, each) => all + each[of], 0);
      return [used.length, sum("readUnits"), sum("writeUnits")];
    };
    const [, behind = 0] = await spent(() => store.list(names));
    expect(await spent(() => store.forget(keys[0] ?? "", 2n))).toEqual([2, 1, 1]);
    const gone = await Promise.all(keys.slice(1).map((key) => store.forget(key, 2n)));
    expect(gone).not.toContain(false);
    const [, without = 0] = await spent(() => store.list(names));
    // A list pays for the bytes that it passes: some sixty of them a unit.
    expect(behind - without).toBeGreaterThan(2);
    expect(behind - without).toBeLessThan(keys.length / 20);
  } finally {
    await close();
  }
});
