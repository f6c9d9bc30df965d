import { describe, expect, test } from "vitest";
import { FirnError } from "../../src/base/error.ts";
import { LIMITS } from "../../src/base/limits.ts";
import {
  type Attempt,
  commitCertain,
  putCertain,
  type Verdict,
} from "../../src/pointer/certain.ts";
import type { CommitOutcome, PointerStore } from "../../src/pointer/port.ts";
import { type Fault, FaultyPointerStore } from "../support/faulty-pointer-store.ts";
import { ENTITY, GUARD, NAME, RECEIPT, World } from "./certain-world.ts";

const UPDATE = { op: "put", key: ENTITY, expected: 1n } as const;
const FRESH = { key: RECEIPT, expected: 0n };

interface Parts {
  readonly world: World;
  readonly memory: World["memory"];
  readonly deps: World["deps"];
  readonly attempt: () => Attempt;
}

async function openParts(): Promise<Parts> {
  const world = new World();
  await world.begin();
  const { memory, deps } = world;
  return { world, memory, deps, attempt: () => world.attempt() };
}

/** One update under faults that may depend on the time. */
async function against(
  faultAt: (index: number, nowMs: number) => Fault | undefined,
): Promise<{ verdict: Verdict; world: World; faulty: FaultyPointerStore }> {
  const { world, memory, deps, attempt } = await openParts();
  const faulty = new FaultyPointerStore(memory, (index) => faultAt(index, world.clock.nowMs()));
  const request = { ops: [UPDATE], receipt: FRESH };
  const verdict = await commitCertain(faulty, deps, attempt(), request);
  return { verdict, world, faulty };
}

describe("commitCertain on a store that answers", () => {
  test("commits the operations and the receipt as one batch", async () => {
    const { memory, deps, attempt } = await openParts();
    const receipt = { ...FRESH, summary: Uint8Array.of(7), blobPath: "b" };
    const verdict = await commitCertain(memory, deps, attempt(), { ops: [UPDATE], receipt });
    expect(verdict).toEqual({
      verdict: "committed",
      versions: new Map([
        [ENTITY, 2n],
        [RECEIPT, 1n],
      ]),
    });
    expect(await memory.get(ENTITY)).toMatchObject({ state: "live", version: 2n });
    expect(await memory.get(RECEIPT)).toMatchObject({
      version: 1n,
      blobPath: "b",
      summary: Uint8Array.of(7),
    });
  });

  test("a second attempt under the same key is answered the first one's receipt", async () => {
    const { memory, deps, attempt } = await openParts();
    const first = attempt();
    await commitCertain(memory, deps, first, { ops: [UPDATE], receipt: FRESH });
    const verdict = await commitCertain(memory, deps, attempt(), { ops: [UPDATE], receipt: FRESH });
    expect(verdict).toMatchObject({
      verdict: "replayed",
      receipt: { writerId: first.writerId, version: 1n },
    });
  });

  test("a moved version is a conflict, with what was found there, without a fence", async () => {
    const { memory, deps, attempt, world } = await openParts();
    await world.rival(UPDATE);
    const faulty = new FaultyPointerStore(memory, () => undefined);
    const verdict = await commitCertain(faulty, deps, attempt(), { ops: [UPDATE], receipt: FRESH });
    expect(verdict).toMatchObject({
      verdict: "conflict",
      failed: [{ key: ENTITY, version: 2n, writerId: "rival" }],
      receiptExpected: 0n,
    });
    expect(faulty.history).toHaveLength(1);
  });

  test("a guard that is gone, a name that is taken: fenced, since both may come back", async () => {
    const { memory, deps, attempt, world } = await openParts();
    await world.rival({ op: "delete", key: GUARD, expected: 1n });
    await world.rival({ op: "put", key: NAME, expected: 0n });
    const ops = [{ op: "bump", key: GUARD } as const, { op: "checkAbsent", key: NAME } as const];
    const one = attempt();
    const verdict = await commitCertain(memory, deps, one, { ops, receipt: FRESH });
    expect(verdict).toMatchObject({
      verdict: "conflict",
      failed: [{ key: GUARD }, { key: NAME }],
      receiptExpected: 1n,
    });
    const next = { ops: [UPDATE], receipt: { key: RECEIPT, expected: 1n } };
    expect(await commitCertain(memory, deps, one, next)).toMatchObject({ verdict: "committed" });
  });

  test.each(["Unavailable", "Overloaded"] as const)(
    "what a fence leaves is read again where a store says %s",
    async (kind) => {
      const { memory, deps, attempt, world } = await openParts();
      await world.rival({ op: "delete", key: GUARD, expected: 1n });
      let turnedAway = 0;
      const store: PointerStore = {
        get: (key) => memory.get(key),
        getMany: async (keys) => {
          if (turnedAway++ < 2) throw new FirnError(kind, "STORE_BUSY", "not now");
          return memory.getMany(keys);
        },
        commit: (batch) => memory.commit(batch),
        list: (directory, options) => memory.list(directory, options),
        sweep: (...of) => memory.sweep(...of),
        forget: (key, version) => memory.forget(key, version),
      };
      const request = { ops: [{ op: "bump", key: GUARD } as const], receipt: FRESH };
      const verdict = await commitCertain(store, deps, attempt(), request);
      expect(verdict).toMatchObject({ verdict: "conflict", failed: [{ key: GUARD }] });
      expect(turnedAway).toBe(3);
    },
  );

  test("refuses a batch that touches its own receipt, or that no store could take", async () => {
    const { memory, deps, attempt } = await openParts();
    const own = { ops: [{ op: "checkAbsent", key: RECEIPT } as const], receipt: FRESH };
    await expect(commitCertain(memory, deps, attempt(), own)).rejects.toMatchObject({
      kind: "Internal",
    });
    const ops = Array.from({ length: LIMITS.batchOps }, (_, i) => ({
      ...UPDATE,
      key: `${ENTITY}${i}`,
    }));
    const large = commitCertain(memory, deps, attempt(), { ops, receipt: FRESH });
    await expect(large).rejects.toMatchObject({ kind: "Invalid", code: "BATCH_TOO_LARGE" });
  });
});

describe("commitCertain on a store that does not", () => {
  test("is overloaded where everything is refused, soon, with the store's own hint", async () => {
    const { verdict, world, faulty } = await against(() => ({
      fault: "refused",
      retryAfterMs: 30,
    }));
    expect(verdict).toEqual({ verdict: "overloaded", retryAfterMs: 30 });
    expect(world.clock.nowMs()).toBeLessThan(5_000);
    expect(faulty.history.length).toBeGreaterThan(2);
    expect(await world.version(ENTITY)).toBe(1n);
  });

  test("is unknown, not overloaded, where one request was not answered first", async () => {
    const { verdict, world } = await against((index) =>
      index === 0 ? { fault: "late", lands: "release" } : { fault: "refused" },
    );
    expect(verdict).toEqual({ verdict: "unknown" });
    expect(world.clock.nowMs()).toBeGreaterThanOrEqual(LIMITS.attemptMs);
  });

  test("fences in time, so that a silence that ends within the attempt is settled", async () => {
    const { verdict, world, faulty } = await against((_index, nowMs) =>
      nowMs < (LIMITS.attemptMs * 3) / 4 ? { fault: "late", lands: "release" } : undefined,
    );
    expect(verdict).toMatchObject({ verdict: "conflict", failed: [], receiptExpected: 1n });
    await faulty.releaseAll();
    expect(await world.version(ENTITY)).toBe(1n);
  });

  test("replays another request of the key that came once a tombstone was forgotten", async () => {
    const { world, memory, deps, attempt } = await openParts();
    await world.rival({ op: "put", key: RECEIPT, expected: 0n });
    await world.rival({ op: "delete", key: RECEIPT, expected: 1n });
    await world.clock.sleep(LIMITS.tombstoneLifeMs);
    const receipt = { key: RECEIPT, expected: await world.version(RECEIPT) };
    await memory.forget(RECEIPT, receipt.expected);
    await world.rival({ op: "put", key: RECEIPT, expected: 0n }, UPDATE);
    const verdict = await commitCertain(memory, deps, attempt(), { ops: [UPDATE], receipt });
    expect(verdict).toMatchObject({
      verdict: "replayed",
      receipt: { writerId: "rival", version: 1n },
    });
  });

  test("is unknown where the receipt's tombstone was forgotten: versions begin anew", async () => {
    const { world, memory, deps } = await openParts();
    await world.rival({ op: "delete", key: RECEIPT, expected: 0n });
    await world.clock.sleep(LIMITS.tombstoneLifeMs);
    const attempt = world.attempt();
    const faulty = new FaultyPointerStore(memory, (index) => {
      if (index === 0) return { fault: "late", lands: "release" };
      void memory.forget(RECEIPT, 1n);
      return undefined;
    });
    const receipt = { key: RECEIPT, expected: 1n };
    const verdict = await commitCertain(faulty, deps, attempt, { ops: [UPDATE], receipt });
    expect(verdict).toEqual({ verdict: "unknown" });
    // Somebody else's first fence takes the receipt to the version that the late request expects.
    await world.rival({ op: "delete", key: RECEIPT, expected: 0n });
    await faulty.releaseAll();
    expect(await world.version(ENTITY)).toBe(2n);
  });
});

describe("commitCertain on a store that will not serve", () => {
  const gone = new FirnError("Unavailable", "LSM_FAILED", "as a test says");

  /** Serves as told for some commits, then refuses every call. */
  function goneAfter(world: World, outcomes: readonly CommitOutcome[]): PointerStore {
    const left = [...outcomes];
    const refuse = async (): Promise<never> => {
      throw gone;
    };
    const commit = async (): Promise<CommitOutcome> => left.shift() ?? (await refuse());
    return new Proxy<PointerStore>(world.memory, {
      get: (_, name) => (name === "commit" ? commit : refuse),
    });
  }

  test.each<readonly [string, readonly CommitOutcome[]]>([
    ["a request", [{ outcome: "unknown" }]],
    [
      "a request behind a refusal",
      [{ outcome: "overloaded", retryAfterMs: 0 }, { outcome: "unknown" }],
    ],
  ])("leaves %s in doubt that was not answered, and does not wait", async (_, outcomes) => {
    const { world, deps, attempt } = await openParts();
    const request = { ops: [UPDATE], receipt: FRESH };
    const store = goneAfter(world, outcomes);
    const started = world.clock.nowMs();
    expect(await commitCertain(store, deps, attempt(), request)).toEqual({ verdict: "unknown" });
    expect(await putCertain(goneAfter(world, outcomes), deps, attempt(), UPDATE)).toEqual({
      verdict: "unknown",
    });
    expect(world.clock.nowMs() - started).toBeLessThan(LIMITS.attemptMs / 3);
  });

  test("throws what it says where nothing is in doubt", async () => {
    const { world, deps, attempt } = await openParts();
    const request = { ops: [UPDATE], receipt: FRESH };
    for (const outcomes of [[], [{ outcome: "overloaded", retryAfterMs: 0 }]] as const) {
      const store = goneAfter(world, outcomes);
      await expect(commitCertain(store, deps, attempt(), request)).rejects.toBe(gone);
      const single = putCertain(goneAfter(world, outcomes), deps, attempt(), UPDATE);
      await expect(single).rejects.toBe(gone);
    }
  });
});
