import { describe, expect, it } from "vitest";
import { MemoryBlobStore } from "../../../src/blob/memory.ts";
import type { BlobStore } from "../../../src/blob/port.ts";
import { ObjectWalStore } from "../../../src/lsm/wal/objects.ts";
import { SegmentWalStore } from "../../../src/lsm/wal/segments.ts";
import { ModelledDisk } from "../../support/modelled-disk.ts";
import { SleepIsTime } from "../../support/virtual-clock.ts";
import { type CommitQueue, inTurns, type Race, race } from "./races.ts";
import { SIZES } from "./worlds.ts";

const ROUNDS = 500;

/** A blob store on which every request waits for its owner's turn, before it and after it. */
function blobsInTurns(blobs: BlobStore, owner: number, turns: CommitQueue): BlobStore {
  return new Proxy(blobs, {
    get: (inner, name) => {
      const method = Reflect.get(inner, name) as (...args: readonly unknown[]) => unknown;
      return async (...args: readonly unknown[]) => {
        await turns.take(owner);
        const answer = await method.apply(inner, [...args]);
        await turns.take(owner);
        return answer;
      };
    },
  });
}

const RACES: Readonly<Record<string, () => Race>> = {
  segments: () => {
    const disk = new ModelledDisk();
    return {
      owners: 3,
      store: (owner, turns, prng) =>
        new SegmentWalStore(inTurns(disk, owner, turns), {
          clock: new SleepIsTime(),
          prng,
          ...SIZES,
        }),
    };
  },
  objects: () => {
    const clock = new SleepIsTime();
    const blobs = new MemoryBlobStore(clock);
    return {
      owners: 3,
      store: (owner, turns, prng) =>
        new ObjectWalStore(blobsInTurns(blobs, owner, turns), {
          clock,
          prng,
          prefix: "w/",
          // Deletes at once, and so lists after every put.
          minAgeMs: 0,
        }),
    };
  },
};

describe.each(Object.entries(RACES))("owners that take over a log of %s", (_, makeRace) => {
  it("lose no acknowledgement of each other", async () => {
    let acknowledged = 0;
    let fenced = 0;
    for (let seed = 1; seed <= ROUNDS; seed++) {
      const [acks, fences] = await race(seed, makeRace()).catch((error: unknown) => {
        throw new Error(`seed ${seed}: ${error}`, { cause: error });
      });
      acknowledged += acks;
      fenced += fences;
    }
    expect(acknowledged).toBeGreaterThan(ROUNDS * 5);
    expect(fenced).toBeGreaterThan(ROUNDS / 2);
  });
});
