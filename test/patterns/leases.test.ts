import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TableId } from "../../src/base/ids.ts";
import { LEASE_SHAPE, Leases } from "../../src/patterns/leases.ts";
import { codeOf, Dice, type PatternWorld, patternWorld } from "./support.ts";

const TTL = 1_000;
let world: PatternWorld;
let id: TableId;

beforeEach(async () => {
  world = await patternWorld();
  id = await world.table(LEASE_SHAPE);
});
afterEach(() => world.end());

const leases = (): Leases => new Leases(world.of(id));

describe("leases", () => {
  it("are given to one of many racers", async () => {
    const racers = Array.from({ length: 50 }, (_, i) =>
      codeOf(leases().acquire("job", { owner: `racer-${i}`, ttlMs: TTL })),
    );
    const told = await Promise.all(racers);
    expect(told.filter((one) => one === "done")).toHaveLength(1);
    expect(told.filter((one) => one === "LEASE_HELD")).toHaveLength(49);
  });

  it("have a fence that grows over releases, expiries and restarts", async () => {
    const a = await leases().acquire("job", { owner: "a", ttlMs: TTL });
    expect(await leases().release("job", a.fence)).toBe(true);
    expect(await leases().release("job", a.fence)).toBe(false);
    expect(await leases().get("job")).toBeUndefined();
    await world.at.reopen();
    const b = await leases().acquire("job", { owner: "b", ttlMs: TTL });
    world.clock.ms += TTL;
    expect(await leases().get("job")).toBeUndefined();
    const c = await leases().acquire("job", { owner: "c", ttlMs: TTL });
    const again = await leases().acquire("job", { owner: "c", ttlMs: TTL });
    expect([a, b, c, again].map(({ fence }) => fence)).toEqual([1n, 2n, 3n, 4n]);
    expect(await codeOf(leases().renew("job", { fence: c.fence, ttlMs: TTL }))).toBe("LEASE_LOST");
    expect((await leases().renew("job", { fence: 4n, ttlMs: 9 * TTL })).owner).toBe("c");
    world.clock.ms += 2 * TTL;
    expect((await leases().get("job"))?.fence).toBe(4n);
  });

  it("refuse a token that was never given", async () => {
    await leases().acquire("job", { owner: "a", ttlMs: TTL });
    for (const fence of [0n, 2n, -1n]) {
      expect(await codeOf(leases().renew("job", { fence, ttlMs: TTL }))).toBe(
        "PATTERN_FENCE_INVALID",
      );
    }
    expect(await codeOf(leases().release("other", 1n))).toBe("PATTERN_FENCE_INVALID");
    expect(await codeOf(leases().acquire("", { owner: "a", ttlMs: TTL }))).toBe(
      "PATTERN_VALUE_INVALID",
    );
    expect(await codeOf(leases().acquire("x", { owner: "a", ttlMs: 0.5 }))).toBe(
      "PATTERN_VALUE_INVALID",
    );
  });

  it.each([
    ["serializable", "ROW_CONFLICT"],
    ["repeatable read", "ROW_CONFLICT"],
    ["read committed", "LEASE_LOST"],
  ] as const)("keep a holder that was paused from writing: %s", async (isolation, code) => {
    const data = await world.table(
      {
        columns: [
          { name: "k", type: { kind: "text" } },
          { name: "v", type: { kind: "text" } },
        ],
        primaryKey: { parts: [{ column: "k" }] },
      },
      "data",
    );
    const a = await leases().acquire("job", { owner: "a", ttlMs: TTL });
    const tx = await world.at.rows.begin({ isolation });
    await tx.put(await tx.tables.get(data), ["k", "of a"]);
    world.clock.ms += 2 * TTL;
    const b = await leases().acquire("job", { owner: "b", ttlMs: TTL });
    expect(b.fence > a.fence).toBe(true);
    const write = async (): Promise<void> => {
      await leases().requireFence(tx, "job", a.fence);
      await tx.commit();
    };
    expect(await codeOf(write())).toBe(code);
    tx.rollback();
    const again = world.at.rows.run((next) => leases().requireFence(next, "job", a.fence));
    expect(await codeOf(again)).toBe("LEASE_LOST");
    const row = await world.at.rows.run(async (now) => now.get(await now.tables.get(data), ["k"]));
    expect(row).toBeUndefined();
  });

  it("are not taken between the check of a fence and its commit", async () => {
    const a = await leases().acquire("job", { owner: "a", ttlMs: TTL });
    const tx = await world.at.rows.begin();
    await leases().requireFence(tx, "job", a.fence);
    world.clock.ms += 2 * TTL;
    let isTaken = false;
    const taking = leases()
      .acquire("job", { owner: "b", ttlMs: TTL })
      .then(() => {
        isTaken = true;
      });
    await world.clock.sleep(20);
    expect(isTaken).toBe(false);
    await tx.commit();
    await taking;
    expect(isTaken).toBe(true);
  });
});

describe("leases under seeds", () => {
  it.each([1, 2, 3, 4])("never let an older fence write behind a newer one: %i", async (seed) => {
    const dice = new Dice(seed);
    const log = await world.table(
      {
        columns: [
          { name: "at", type: { kind: "int8" } },
          { name: "fence", type: { kind: "int8" } },
        ],
        primaryKey: { parts: [{ column: "at" }] },
      },
      "log",
    );
    let written = 0;
    /** Appends its fence to a log, whose order is that of the commits: the next number is read. */
    const write = async (fence: bigint): Promise<void> => {
      await world.at.rows.run(async (tx) => {
        await leases().requireFence(tx, "job", fence);
        const table = await tx.tables.get(log);
        const newest = await tx.scan(table, { reverse: true, limit: 1 }).nextBatch();
        const next = ((newest?.columns[0]?.[0] as bigint | undefined) ?? 0n) + 1n;
        await dice.pause();
        await tx.insert(table, [[next, fence]]);
      });
      written++;
    };
    const client = async (owner: string): Promise<void> => {
      for (let i = 0; i < 12; i++) {
        // The clock of the shard's owner goes forth and back.
        world.clock.ms += dice.below(4) * TTL - dice.below(3) * TTL;
        const lease = await leases()
          .acquire("job", { owner, ttlMs: TTL })
          .catch(() => undefined);
        await dice.pause();
        if (lease !== undefined) await codeOf(write(lease.fence));
      }
    };
    await Promise.all(["a", "b", "c", "d"].map(client));
    await world.at.reopen();
    const fences = await world.at.rows.run(async (tx) => {
      const batch = await tx.scan(await tx.tables.get(log)).nextBatch();
      return (batch?.columns[1] ?? []) as readonly bigint[];
    });
    expect(fences).toHaveLength(written);
    expect(written).toBeGreaterThan(4);
    expect(fences).toEqual([...fences].sort((a, b) => Number(a - b)));
  });
});
