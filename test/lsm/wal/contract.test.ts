import { describe, expect, it } from "vitest";
import { SeededPrng } from "../../../src/base/prng.ts";
import { MemoryBlobStore } from "../../../src/blob/memory.ts";
import { LocalDisk, type SyncMode } from "../../../src/lsm/disk/local.ts";
import { ObjectWalStore } from "../../../src/lsm/wal/objects.ts";
import type { WalStore } from "../../../src/lsm/wal/port.ts";
import { SegmentWalStore } from "../../../src/lsm/wal/segments.ts";
import { ModelledDisk } from "../../support/modelled-disk.ts";
import { scratchDirectory } from "../../support/open-iceberg.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";
import { appendTexts, batch, openWal, textsOf } from "./support.ts";

/** A place for one log; each call is another node's view of it. */
type Place = () => WalStore;

const SMALL = { segmentBytes: 16_384, sliceBytes: 4_096 };

function onDisk(mode: SyncMode): Place {
  const directory = scratchDirectory();
  let seed = 0;
  return () => {
    const prng = new SeededPrng(++seed);
    const clock = new VirtualClock();
    return new SegmentWalStore(new LocalDisk(directory, mode), { clock, prng, ...SMALL });
  };
}

function onModel(): Place {
  const disk = new ModelledDisk();
  let seed = 0;
  return () => {
    const prng = new SeededPrng(++seed);
    return new SegmentWalStore(disk, { clock: new VirtualClock(), prng, ...SMALL });
  };
}

function inObjects(): Place {
  const clock = new VirtualClock();
  const blobs = new MemoryBlobStore(clock);
  let seed = 0;
  return () => {
    const prng = new SeededPrng(++seed);
    return new ObjectWalStore(blobs, { clock, prng, prefix: "s/wal/", minAgeMs: 1 });
  };
}

const PLACES: Readonly<Record<string, () => Place>> = {
  "segments, O_DSYNC": () => onDisk("dsync"),
  "segments, fdatasync": () => onDisk("fdatasync"),
  "segments, never synced": () => onDisk("never"),
  "segments, modelled disk": onModel,
  objects: inObjects,
};

describe.each(Object.entries(PLACES))("a log of %s", (_, makePlace) => {
  it("is empty at first, and replays groups in order, each with its epoch", async () => {
    const place = makePlace();
    const first = await openWal(place(), 3);
    expect(first.groups).toEqual([]);
    await appendTexts(first.wal, ["a", "b"], ["c"]);
    await first.wal.close();
    const second = await openWal(place(), 4);
    expect(textsOf(second.groups)).toEqual([["a", "b"], ["c"]]);
    expect(second.groups.map(({ epoch }) => epoch)).toEqual([3, 3]);
    await appendTexts(second.wal, ["d"]);
    await second.wal.close();
    const third = await openWal(place(), 9);
    expect(textsOf(third.groups)).toEqual([["a", "b"], ["c"], ["d"]]);
    expect(third.groups.map(({ epoch }) => epoch)).toEqual([3, 3, 4]);
    expect(third.wal.stats()).toMatchObject({ epoch: 9, lastSequence: 4, groups: 0 });
    await third.wal.close();
  });

  it("keeps counts and bytes, empty and large payloads too", async () => {
    const place = makePlace();
    const { wal } = await openWal(place(), 1);
    const large = new SeededPrng(7).bytes(6_000);
    const group = [batch(1, "", 5), batch(6, large, 2), batch(8, "x")];
    await wal.append(group);
    expect(wal.stats()).toMatchObject({ groups: 1, batches: 3, payloadBytes: 6_001 });
    expect(wal.stats().writtenBytes).toBeGreaterThan(6_001);
    await wal.close();
    const { groups, wal: reader } = await openWal(place(), 2);
    const found = groups[0]?.batches.map((b) => ({ ...b, payload: Uint8Array.from(b.payload) }));
    expect(found).toEqual(group);
    await reader.close();
  });

  it("fences the writer before", async () => {
    const place = makePlace();
    const old = await openWal(place(), 1);
    await appendTexts(old.wal, ["a"]);
    const young = await openWal(place(), 2);
    expect(textsOf(young.groups)).toEqual([["a"]]);
    await expect(appendTexts(old.wal, ["lost"])).rejects.toMatchObject({ code: "WAL_FENCED" });
    await expect(appendTexts(old.wal, ["lost"])).rejects.toMatchObject({
      code: "WAL_FENCED",
      kind: "Unavailable",
    });
    await appendTexts(young.wal, ["b"]);
    await old.wal.close();
    await young.wal.close();
    const { groups, wal } = await openWal(place(), 3);
    expect(textsOf(groups)).toEqual([["a"], ["b"]]);
    await wal.close();
  });

  it("refuses a writer whose epoch is not above those before, who goes on", async () => {
    const place = makePlace();
    const { wal } = await openWal(place(), 5);
    await appendTexts(wal, ["a"]);
    for (const epoch of [4, 5]) {
      await expect(openWal(place(), epoch)).rejects.toMatchObject({ code: "WAL_FENCED" });
    }
    await appendTexts(wal, ["b"]);
    await wal.close();
  });
});

describe.each(Object.entries(PLACES))("the mark of a log of %s", (_, makePlace) => {
  it("releases what is not needed, and replays from the mark", async () => {
    const place = makePlace();
    const { wal } = await openWal(place(), 1);
    for (let n = 1; n <= 20; n++) {
      await appendTexts(wal, [`${n}`]);
      if (n % 5 === 0) await wal.roll();
    }
    const files = wal.stats().files;
    const mark = { file: wal.lowWater(12), sequence: 12 };
    expect(mark.file).toBeGreaterThan(wal.lowWater(0));
    await wal.release(mark.file);
    expect(wal.stats().files).toBeLessThan(files);
    expect(wal.lowWater(0)).toBe(mark.file);
    // Released files come back as spares.
    for (let n = 21; n <= 40; n++) await appendTexts(wal, [`${n}`]);
    await wal.close();
    const { groups, wal: reader } = await openWal(place(), 2, mark);
    const expected = Array.from({ length: 28 }, (_, index) => [`${index + 13}`]);
    expect(textsOf(groups)).toEqual(expected);
    const all = { file: reader.lowWater(40), sequence: 40 };
    await reader.close();
    const { groups: none, wal: last } = await openWal(place(), 3, all);
    expect(none).toEqual([]);
    expect(last.stats().lastSequence).toBe(40);
    await last.close();
  });

  it("goes on after a mark that is ahead of the log", async () => {
    const place = makePlace();
    const { wal } = await openWal(place(), 1);
    await appendTexts(wal, ["a"]);
    const file = wal.lowWater(1);
    await wal.close();
    const ahead = await openWal(place(), 2, { file, sequence: 10 });
    expect(ahead.groups).toEqual([]);
    await ahead.wal.append([batch(11, "b")]);
    await ahead.wal.close();
    const { groups, wal: reader } = await openWal(place(), 3, { file, sequence: 10 });
    expect(textsOf(groups)).toEqual([["b"]]);
    await reader.close();
  });
});
