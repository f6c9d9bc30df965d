import { describe, expect, test } from "vitest";
import { Stopwatch } from "../../src/base/clock.ts";
import { IdSource, type WriterId } from "../../src/base/ids.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { type Attempt, type CertainDeps, commitCertain } from "../../src/pointer/certain.ts";
import { MemoryPointerStore } from "../../src/pointer/memory.ts";
import { TEST_FAMILIES } from "../support/pointer-families.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const RECEIPT = "/test/s/receipts/op/key";
const ENTITY = "/test/s/entities/by-id/1";

function setup(): { store: MemoryPointerStore; deps: CertainDeps; attempt: () => Attempt } {
  const clock = new VirtualClock();
  const prng = new SeededPrng(1);
  const ids = new IdSource(clock, prng);
  const store = new MemoryPointerStore({ families: TEST_FAMILIES, clock });
  const attempt = (): Attempt => ({
    writerId: ids.mint<WriterId>(),
    stopwatch: new Stopwatch(clock),
  });
  return { store, deps: { clock, prng, ids }, attempt };
}

describe("commitCertain on a store that answers", () => {
  test("commits the operations and the receipt as one batch", async () => {
    const { store, deps, attempt } = setup();
    const verdict = await commitCertain(store, deps, attempt(), {
      ops: [{ op: "put", key: ENTITY, expected: 0n }],
      receipt: { key: RECEIPT, expected: 0n, summary: Uint8Array.of(7) },
    });
    expect(verdict.verdict).toBe("committed");
    expect(await store.get(ENTITY)).toMatchObject({ state: "live", version: 1n });
    expect(await store.get(RECEIPT)).toMatchObject({ version: 1n, summary: Uint8Array.of(7) });
  });

  test("a second attempt under the same receipt key is answered the first one's receipt", async () => {
    const { store, deps, attempt } = setup();
    const first = attempt();
    const request = { ops: [], receipt: { key: RECEIPT, expected: 0n } };
    await commitCertain(store, deps, first, request);
    const verdict = await commitCertain(store, deps, attempt(), request);
    expect(verdict).toMatchObject({
      verdict: "replayed",
      receipt: { writerId: first.writerId, version: 1n },
    });
  });

  test("a moved version is a conflict, with what was found there and the receipt in place", async () => {
    const { store, deps, attempt } = setup();
    await store.commit({ writerId: "w", ops: [{ op: "put", key: ENTITY, expected: 0n }] });
    const verdict = await commitCertain(store, deps, attempt(), {
      ops: [{ op: "put", key: ENTITY, expected: 0n }],
      receipt: { key: RECEIPT, expected: 0n },
    });
    expect(verdict).toMatchObject({
      verdict: "conflict",
      failed: [{ key: ENTITY, version: 1n, writerId: "w" }],
      receiptExpected: 0n,
    });
    expect(await store.get(RECEIPT)).toMatchObject({ version: 0n });
  });

  test("a missing guard is a conflict behind a fence, since the guard may come back", async () => {
    const { store, deps, attempt } = setup();
    const verdict = await commitCertain(store, deps, attempt(), {
      ops: [{ op: "bump", key: "/test/s/guards/0" }],
      receipt: { key: RECEIPT, expected: 0n },
    });
    expect(verdict).toMatchObject({
      verdict: "conflict",
      failed: [{ key: "/test/s/guards/0" }],
      receiptExpected: 1n,
    });
  });

  test("refuses a batch that touches its own receipt", async () => {
    const { store, deps, attempt } = setup();
    const request = {
      ops: [{ op: "checkAbsent", key: RECEIPT } as const],
      receipt: { key: RECEIPT, expected: 0n },
    };
    await expect(commitCertain(store, deps, attempt(), request)).rejects.toMatchObject({
      kind: "Internal",
    });
  });
});
