import { describe, expect, it } from "vitest";
import { SegmentWalStore } from "../../../src/lsm/wal/segments.ts";
import { ModelledDisk } from "../../support/modelled-disk.ts";
import { SleepIsTime } from "../../support/virtual-clock.ts";
import { crashMatrix } from "./lives.ts";
import { inTurns, race } from "./races.ts";
import { SegmentWorld, SIZES } from "./worlds.ts";

/* What `npm test` has a sample of, for so long that each seeded bug of the log shows. */

const SEEDS = Array.from({ length: 12 }, (_, index) => index + 1);
const ROUNDS = 200;
const FIRST = Array.from({ length: 15 }, (_, index) => 1 + index * ROUNDS);

function crashes(diskOf: () => ModelledDisk): Promise<number> {
  return crashMatrix({ makeWorld: () => new SegmentWorld(diskOf()), seeds: SEEDS });
}

describe("a power cut at every call of many lives", () => {
  it("loses nothing", async () => {
    expect(await crashes(() => new ModelledDisk())).toBeGreaterThan(900);
  });

  it.each([
    ["writes", { syncs: true, names: false }],
    ["names", { syncs: false, names: true }],
  ])("shows that %s are not synced", async (_, lies) => {
    await expect(crashes(() => new ModelledDisk(undefined, lies))).rejects.toThrow();
  });
});

describe("rivals that take over a log from each other", () => {
  it.each(FIRST)("lose no acknowledgement, from seed %i on", async (first) => {
    for (let seed = first; seed < first + ROUNDS; seed++) {
      const disk = new ModelledDisk();
      await race(seed, {
        owners: 3,
        store: (owner, turns, prng) =>
          new SegmentWalStore(inTurns(disk, owner, turns), {
            clock: new SleepIsTime(),
            prng,
            ...SIZES,
          }),
      }).catch((error: unknown) => {
        throw new Error(`seed ${seed}: ${error}`, { cause: error });
      });
    }
  });
});
