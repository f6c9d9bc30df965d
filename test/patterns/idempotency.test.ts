import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TableId } from "../../src/base/ids.ts";
import { IDEMPOTENCY_SHAPE, IdempotencyStore } from "../../src/patterns/idempotency.ts";
import type { RowTransaction } from "../../src/rows/index.ts";
import { rowsOf } from "../rows/support/open-rows.ts";
import { codeOf, Dice, type PatternWorld, patternWorld } from "./support.ts";

const LEASE = 1_000;
const PAY = { scope: "payments", key: "order-1", hash: "h1" };
let world: PatternWorld;
let id: TableId;
let effects: TableId;

beforeEach(async () => {
  world = await patternWorld();
  id = await world.table(IDEMPOTENCY_SHAPE);
  effects = await world.table({ columns: [{ name: "what", type: { kind: "text" } }] }, "effects");
});
afterEach(() => world.end());

const open = (): IdempotencyStore => new IdempotencyStore(world.of(id));

const effect =
  (what: string) =>
  async (tx: RowTransaction): Promise<{ what: string }> => {
    await tx.insert(await tx.tables.get(effects), [[what]]);
    return { what };
  };

const happened = async (): Promise<readonly unknown[]> =>
  await world.at.rows.run(async (tx) => {
    const rows = await rowsOf(tx.scan(await tx.tables.get(effects)));
    return rows.map(([what]) => what);
  });

describe("an idempotency store", () => {
  it("gives 50 duplicates at once one effect, and one reply", async () => {
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) => open().run(PAY, effect(`paid by ${i}`))),
    );
    await world.at.reopen();
    const late = await open().run(PAY, effect("paid again"));
    const [done] = await happened();
    expect(new Set([...replies, late].map(({ what }) => what))).toEqual(new Set([done]));
    expect(await happened()).toHaveLength(1);
    expect(await codeOf(open().run({ ...PAY, hash: "h2" }, effect("other")))).toBe(
      "IDEMPOTENCY_KEY_MISMATCH",
    );
  });

  it("keeps nothing of a command that failed", async () => {
    const failing = open().run(PAY, async (tx) => {
      await effect("half")(tx);
      throw new Error("no money");
    });
    await expect(failing).rejects.toThrow("no money");
    expect(await happened()).toEqual([]);
    expect(await open().run(PAY, effect("paid"))).toEqual({ what: "paid" });
  });

  it("lets another take over what a crash behind the reservation left", async () => {
    const first = await open().reserve(PAY, { leaseMs: LEASE });
    expect(first).toEqual({ state: "reserved", fence: 1n, isTakenOver: false });
    await world.at.reopen();
    expect(await codeOf(open().reserve(PAY, { leaseMs: LEASE }))).toBe("IDEMPOTENCY_IN_PROGRESS");
    expect(await codeOf(open().run(PAY, effect("beside it")))).toBe("IDEMPOTENCY_IN_PROGRESS");
    world.clock.ms += LEASE;
    const second = await open().reserve(PAY, { leaseMs: LEASE });
    expect(second).toEqual({ state: "reserved", fence: 2n, isTakenOver: true });
    // The first one was slow, not dead.
    expect(await codeOf(open().complete(PAY, 1n, "first"))).toBe("IDEMPOTENCY_LOST");
    expect(await codeOf(open().abandon(PAY, 1n))).toBe("IDEMPOTENCY_LOST");
    expect(await codeOf(open().complete(PAY, 3n, "forged"))).toBe("PATTERN_FENCE_INVALID");
    await open().complete(PAY, 2n, { ok: 1 });
    await open().complete(PAY, 2n, { ok: 2 });
    const done = { state: "done", reply: { ok: 1 } };
    expect(await open().reserve(PAY, { leaseMs: LEASE })).toEqual(done);
    expect(await open().run(PAY, async () => ({ ok: 3 }))).toEqual({ ok: 1 });
  });

  it("is free at once behind an effect that did not happen", async () => {
    await open().reserve(PAY, { leaseMs: LEASE });
    await open().abandon(PAY, 1n);
    expect(await open().reserve(PAY, { leaseMs: LEASE })).toMatchObject({ fence: 2n });
    expect(await open().forget(PAY)).toBe(false);
    await open().complete(PAY, 2n, null);
    expect(await open().reserve(PAY, { leaseMs: LEASE })).toEqual({ state: "done", reply: null });
    expect(await open().forget(PAY)).toBe(true);
    expect(await codeOf(open().run({ ...PAY, key: "" }, effect("x")))).toBe(
      "PATTERN_VALUE_INVALID",
    );
  });

  it.each([1, 2, 3, 4])("counts one completion of each command, seed %i", async (seed) => {
    const dice = new Dice(seed);
    const completed = new Map<string, string[]>();
    const replies = new Map<string, Set<string>>();
    const client = async (owner: number): Promise<void> => {
      for (let i = 0; i < 20; i++) {
        world.clock.ms += dice.below(3) * 400 - dice.below(2) * 300;
        const command = { scope: "s", key: `k${dice.below(4)}`, hash: "h" };
        const told = await open()
          .reserve(command, { leaseMs: LEASE })
          .catch(() => undefined);
        await dice.pause();
        if (told?.state === "done") {
          const seen = replies.get(command.key) ?? new Set();
          replies.set(command.key, seen.add(String(told.reply)));
        }
        // Some die behind the reservation.
        if (told?.state !== "reserved" || dice.below(3) === 0) continue;
        const reply = `${owner}/${i}`;
        if ((await codeOf(open().complete(command, told.fence, reply))) === "done") {
          completed.set(command.key, [...(completed.get(command.key) ?? []), reply]);
        }
      }
    };
    await Promise.all([0, 1, 2, 3, 4, 5].map(client));
    await world.at.reopen();
    expect(completed.size).toBe(4);
    for (const [key, [reply = "", ...others]] of completed) {
      expect(others).toEqual([]);
      const now = await open().reserve({ scope: "s", key, hash: "h" }, { leaseMs: LEASE });
      expect(now).toEqual({ state: "done", reply });
      expect([...(replies.get(key) ?? [reply])]).toEqual([reply]);
    }
  });
});
