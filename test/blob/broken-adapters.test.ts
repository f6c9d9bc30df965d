import { describe, expect, it } from "vitest";
import type { Clock } from "../../src/base/clock.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import type { BlobStore } from "../../src/blob/port.ts";
import { DeletedStillListed } from "../contract/broken/blob-deleted-listed.ts";
import { EtagRestarts } from "../contract/broken/blob-etag-restarts.ts";
import { HalfADeleteMany } from "../contract/broken/blob-half-delete.ts";
import { ListAfterMustExist } from "../contract/broken/blob-list-after-must-exist.ts";
import { ListMissesLive } from "../contract/broken/blob-list-misses.ts";
import { ListInUtf16Order } from "../contract/broken/blob-list-utf16.ts";
import { LostAnswerCalledFailure } from "../contract/broken/blob-lost-answer.ts";
import { ConditionNotHeld } from "../contract/broken/blob-lost-update.ts";
import { SharedBytes } from "../contract/broken/blob-shared-bytes.ts";
import { TornPut } from "../contract/broken/blob-torn-put.ts";
import { TornStream } from "../contract/broken/blob-torn-stream.ts";
import { TwoWinners } from "../contract/broken/blob-two-winners.ts";
import { blobChecks } from "../contract/describe-blob-store.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const checks = blobChecks({ anyPath: true, raceRounds: 10 });

/** Names of the checks (or of the one named) that a store fails, each on an empty one. */
async function failures(
  Store: new (clock: Clock) => BlobStore,
  only?: keyof typeof checks,
): Promise<string[]> {
  const failed: string[] = [];
  for (const [name, check] of Object.entries(checks)) {
    if (only !== undefined && name !== only) continue;
    await check(new Store(new VirtualClock())).catch(() => failed.push(name));
  }
  return failed;
}

/** Each broken adapter with the one check that was written against its fault. */
const BROKEN: readonly (readonly [new (clock: Clock) => BlobStore, keyof typeof checks])[] = [
  [TwoWinners, "absent: exactly one of many racers wins, and its bytes stand"],
  [TwoWinners, "{etag}: exactly one of many racers wins, and its bytes stand"],
  [ConditionNotHeld, "{etag} against a delete or a put: the condition held until the write"],
  [
    LostAnswerCalledFailure,
    "absent: the first wins, a failure names what stands and changes nothing",
  ],
  [EtagRestarts, "other content has another etag, also after a delete"],
  [ListMissesLive, "pages of any size join to the whole list"],
  [ListInUtf16Order, "lists are in the order of UTF-8 bytes, whole, by prefix and after any name"],
  [
    ListAfterMustExist,
    "lists are in the order of UTF-8 bytes, whole, by prefix and after any name",
  ],
  [DeletedStillListed, "what is deleted is gone everywhere at once"],
  [HalfADeleteMany, "many are deleted together, present or not, and no others"],
  [TornPut, "readers see one whole blob or another, and each under its own etag"],
  [TornStream, "a stream whose source fails leaves no trace"],
  [TornStream, "a stream is stored whole, and not before its end"],
  [SharedBytes, "what was put cannot be changed through the caller's array"],
];

describe("the contract of a blob store", () => {
  it("is kept by the reference model", async () => {
    expect(await failures(MemoryBlobStore)).toEqual([]);
  });

  it.each(BROKEN)("is seen to be broken by %o: %s", async (Store, check) => {
    expect(await failures(Store, check)).toEqual([check]);
  });
});
