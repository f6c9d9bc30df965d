import { expect, it } from "vitest";
import { SeededPrng } from "../../../src/base/prng.ts";
import { MemoryBlobStore } from "../../../src/blob/memory.ts";
import { ObjectWalStore } from "../../../src/lsm/wal/objects.ts";
import { FaultyBlobStore, seededFaults } from "../../support/faulty-blob-store.ts";
import { SleepIsTime } from "../../support/virtual-clock.ts";
import { appendTexts, openWal, textsOf } from "./support.ts";

it("settles lost answers, late puts and second copies: told once, stored once", async () => {
  let failures = 0;
  for (let seed = 1; seed <= 300; seed++) {
    const prng = new SeededPrng(seed);
    const clock = new SleepIsTime();
    const inner = new MemoryBlobStore(clock);
    // Beyond one half, some puts are given up: `Unknown`, or certainly not there.
    const faulty = new FaultyBlobStore(inner, seededFaults(prng, { rate: 0.9 * prng.float() }));
    const options = { clock, prng, prefix: "w/", attemptMs: 3_000 };
    const certain: string[] = [];
    const perhaps: string[] = [];
    try {
      const { wal } = await openWal(new ObjectWalStore(faulty, options), 1);
      for (let n = 1; n <= 8; n++) {
        perhaps.splice(0, 1, `${n}`);
        await appendTexts(wal, [`${n}`]);
        certain.push(...perhaps.splice(0));
      }
    } catch (error) {
      const { kind } = error as { kind?: string };
      expect(["Unknown", "Unavailable"], `seed ${seed}`).toContain(kind);
      if (kind === "Unavailable") perhaps.length = 0;
      failures++;
    }
    await faulty.releaseAll();
    const { groups } = await openWal(new ObjectWalStore(inner, options), 2);
    const found = textsOf(groups).flat();
    const outcomes = [certain, [...certain, ...perhaps]].map((list) => list.join());
    expect(outcomes, `seed ${seed}`).toContain(found.join());
  }
  expect(failures).toBeGreaterThan(0);
  expect(failures).toBeLessThan(200);
});

it("does not deny a group that a new owner read and released before its answer came", async () => {
  const clock = new SleepIsTime();
  const inner = new MemoryBlobStore(clock);
  const options = { clock, prng: new SeededPrng(1), prefix: "w/", minAgeMs: 0 };
  const heir = new ObjectWalStore(inner, options);
  const put = inner.put.bind(inner);
  const first = await openWal(new ObjectWalStore(inner, options), 1);
  inner.put = async (path, bytes, condition) => {
    inner.put = put;
    // It arrives, its answer does not; and before it is sent again, others have done with it.
    await put(path, bytes, condition);
    const { wal, groups } = await openWal(heir, 2);
    expect(textsOf(groups)).toEqual([["a"]]);
    await appendTexts(wal, ["b"], ["c"]);
    await wal.release(wal.lowWater(2));
    return { outcome: "failed", etag: undefined };
  };
  await expect(appendTexts(first.wal, ["a"])).rejects.toMatchObject({
    kind: "Unknown",
    code: "WAL_FENCED",
  });
});
