import { describe, expect, it } from "vitest";
import { SeededPrng } from "../../../src/base/prng.ts";
import { SegmentWalStore } from "../../../src/lsm/wal/segments.ts";
import { ModelledDisk } from "../../support/modelled-disk.ts";
import { SleepIsTime } from "../../support/virtual-clock.ts";
import { crashMatrix } from "./lives.ts";
import { appendTexts, openWal, textsOf } from "./support.ts";
import { ObjectWorld, SegmentWorld, SIZES } from "./worlds.ts";

const SEEDS = [1, 2, 3, 4];

describe("a power cut at every call of a life", () => {
  it("loses nothing of a log of segments", async () => {
    const cuts = await crashMatrix({ makeWorld: () => new SegmentWorld(), seeds: SEEDS });
    expect(cuts).toBeGreaterThan(300);
  });

  it("loses nothing of a log of objects", async () => {
    const cuts = await crashMatrix({ makeWorld: () => new ObjectWorld(), seeds: SEEDS });
    expect(cuts).toBeGreaterThan(100);
  });
});

it("a group that an owner has read stays, though its writer ended before its sync", async () => {
  const clock = new SleepIsTime();
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  for (let seed = 1; seed <= 20; seed++) {
    const prng = new SeededPrng(seed);
    const disk = new ModelledDisk();
    let ended = false;
    const never = new Promise<void>(() => undefined);
    const dying = disk.view(({ when }) => (ended && when === "during" ? never : undefined));
    const first = await openWal(new SegmentWalStore(dying, { clock, prng, ...SIZES }), 1);
    await appendTexts(first.wal, ["a"]);
    await turn();
    ended = true;
    void appendTexts(first.wal, ["b"]);
    await turn();
    const second = await openWal(new SegmentWalStore(disk, { clock, prng, ...SIZES }), 2);
    expect(textsOf(second.groups)).toEqual([["a"], ["b"]]);
    const after = new SegmentWalStore(disk.afterCut(prng), { clock, prng, ...SIZES });
    const third = await openWal(after, 3);
    expect(textsOf(third.groups)).toEqual([["a"], ["b"]]);
  }
});
