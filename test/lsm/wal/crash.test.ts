import { describe, expect, it } from "vitest";
import { crashMatrix } from "./lives.ts";
import { ObjectWorld, SegmentWorld } from "./worlds.ts";

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
