import { describe, expect, it } from "vitest";
import { ModelledDisk } from "../../support/modelled-disk.ts";
import { SleepIsTime } from "../../support/virtual-clock.ts";
import { crashMatrix } from "./lives.ts";
import { CRASH_MUTANTS, RACE_MUTANTS, segmentsWith } from "./mutants.ts";
import { inTurns, race } from "./races.ts";
import { type SegmentsClass, SegmentWorld, SIZES } from "./worlds.ts";

/** The first failure that the matrix shows; a survivor shows none. */
async function firstFailure(run: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    return String(error).slice(0, 160);
  }
}

const SEEDS = Array.from({ length: 12 }, (_, index) => index + 1);

function crashes(makeDisk: () => ModelledDisk, Store?: SegmentsClass): Promise<number> {
  const makeWorld = () => new SegmentWorld(Store, makeDisk());
  return crashMatrix({ makeWorld, seeds: SEEDS });
}

async function races(Store: SegmentsClass, from = 1): Promise<void> {
  for (let seed = from; seed < from + 3_000; seed++) {
    const disk = new ModelledDisk();
    await race(seed, {
      owners: 3,
      store: (owner, turns, prng) =>
        new Store(inTurns(disk, owner, turns), { clock: new SleepIsTime(), prng, ...SIZES }),
    }).catch((error: unknown) => {
      throw new Error(`seed ${seed}: ${error}`);
    });
  }
}

describe("a power cut shows that", () => {
  it("writes are not synced", async () => {
    const lying = () => new ModelledDisk(undefined, { syncs: true, names: false });
    expect(await firstFailure(() => crashes(lying))).toBeDefined();
  });

  it("names are not synced", async () => {
    const lying = () => new ModelledDisk(undefined, { syncs: false, names: true });
    expect(await firstFailure(() => crashes(lying))).toBeDefined();
  });

  it.each(CRASH_MUTANTS)("$name", async (mutant) => {
    const Store = await segmentsWith(mutant);
    const failure = await firstFailure(() => crashes(() => new ModelledDisk(), Store));
    expect(failure).toBeDefined();
  });
});

describe("a rival shows that an owner", () => {
  it.each(RACE_MUTANTS)("$name", async (mutant) => {
    const Store = await segmentsWith(mutant);
    const failure = await firstFailure(() => races(Store, mutant.seed));
    expect(failure).toBeDefined();
  });
});
