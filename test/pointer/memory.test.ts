import { describe, expect, test } from "vitest";
import { MemoryPointerStore } from "../../src/pointer/memory.ts";
import { HalfABatch } from "../contract/broken/pointer-half-a-batch.ts";
import { ListMisses } from "../contract/broken/pointer-list-misses.ts";
import { LostAnswerIsConflict } from "../contract/broken/pointer-lost-answer.ts";
import { TombstoneAlive } from "../contract/broken/pointer-tombstone-alive.ts";
import { TwoWinners } from "../contract/broken/pointer-two-winners.ts";
import { VersionRestarts } from "../contract/broken/pointer-version-restarts.ts";
import {
  describePointerStore,
  POINTER_STORE_CHECKS,
  type PointerStoreCapabilities,
  type PointerStoreSubject,
  runPointerCheck,
} from "../contract/describe-pointer-store.ts";
import { TEST_FAMILIES } from "../support/pointer-families.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

type Store = typeof MemoryPointerStore;

const CAPABILITIES: PointerStoreCapabilities = { bumpVersions: true, sweepOrder: true };

function open(Store: Store, clock: VirtualClock = new VirtualClock()): PointerStoreSubject {
  return {
    store: new Store({ families: TEST_FAMILIES, clock }),
    nowMs: () => clock.nowMs(),
    advance: (ms) => clock.advance(ms),
  };
}

describePointerStore("memory", async () => open(MemoryPointerStore), CAPABILITIES);

/** Names of the checks that an adapter fails, few rounds each: what is broken breaks soon. */
async function failures(subject: () => PointerStoreSubject): Promise<readonly string[]> {
  const capabilities = { ...CAPABILITIES, races: { rounds: 3, writers: 24 }, modelRuns: 20 };
  const failed: string[] = [];
  for (const checks of Object.values(POINTER_STORE_CHECKS)) {
    for (const [title, check] of Object.entries(checks)) {
      await runPointerCheck(check, subject(), capabilities).catch(() => failed.push(title));
    }
  }
  return failed;
}

describe("the contract catches a pointer store with", () => {
  const endOfTime = new VirtualClock(Number.POSITIVE_INFINITY);
  const lostAnswer = (): PointerStoreSubject => {
    const subject = open(MemoryPointerStore);
    return { ...subject, faulty: (script) => new LostAnswerIsConflict(subject.store, script) };
  };
  const broken: readonly [string, () => PointerStoreSubject, string][] = [
    ["two winners", () => open(TwoWinners), "of many creators exactly one wins"],
    [
      "versions that restart",
      () => open(VersionRestarts, endOfTime),
      "a re-created key goes on from its tombstone's version",
    ],
    [
      "half a batch",
      () => open(HalfABatch),
      "a batch is all or nothing, whichever operation fails, wherever it stands",
    ],
    [
      "a list that misses a live key",
      () => open(ListMisses),
      "goes on after any leaf, whether it exists or not",
    ],
    [
      "a tombstone counted alive",
      () => open(TombstoneAlive),
      "a check holds only of a live pointer at that version",
    ],
    [
      "a lost answer called conflict",
      lostAnswer,
      "a lost answer is unknown, never a conflict, and applied once",
    ],
  ];

  test.each(broken)("%s", async (_name, subject, caughtBy) => {
    expect(await failures(subject)).toContain(caughtBy);
  });

  test("and passes one with nothing wrong", async () => {
    expect(await failures(() => open(MemoryPointerStore))).toEqual([]);
  });
});
