import { describe, expect, it } from "vitest";
import { SeededPrng } from "../../../src/base/prng.ts";
import { walName } from "../../../src/lsm/wal/names.ts";
import type { TailGroup, Wal, WalPlace } from "../../../src/lsm/wal/port.ts";
import { SegmentReader } from "../../../src/lsm/wal/reader.ts";
import { SegmentWalStore } from "../../../src/lsm/wal/segments.ts";
import { ModelledDisk } from "../../support/modelled-disk.ts";
import { SleepIsTime } from "../../support/virtual-clock.ts";

const START: WalPlace = { file: 0, offset: 0, sequence: 0 };
const SIZES = { segmentBytes: 65_536, sliceBytes: 16_384 };

function world() {
  const disk = new ModelledDisk();
  const ports = { clock: new SleepIsTime(), prng: new SeededPrng(7), ...SIZES };
  const open = (epoch: number): Promise<Wal> =>
    new SegmentWalStore(disk, ports).open({
      epoch,
      from: { file: 0, sequence: 0 },
      onGroup: () => undefined,
    });
  return { disk, open, reader: new SegmentReader(disk) };
}

const group = (firstSequence: number, bytes = 3) => [
  { firstSequence, count: 1, payload: new Uint8Array(bytes) },
];

async function read(reader: SegmentReader, from: WalPlace) {
  const found: TailGroup[] = [];
  const tail = reader.tail(from);
  for (;;) {
    const { done, value } = await tail.next();
    if (done !== true) found.push(value);
    else {
      const sequences = found.flatMap((one) => one.group.batches.map((b) => b.firstSequence));
      return { sequences, isWhole: value, place: found.at(-1)?.place ?? from };
    }
  }
}

describe("the tail of a log of segments", () => {
  it("is read on from where it was read to, over rolls and owners", async () => {
    const { open, reader } = world();
    expect(await read(reader, START)).toMatchObject({ sequences: [], isWhole: true });
    const first = await open(1);
    for (const sequence of [1, 2]) await first.append(group(sequence));
    const start = await read(reader, START);
    expect(start).toMatchObject({ sequences: [1, 2], isWhole: true });
    await first.append(group(3, 60_000));
    await first.append(group(4, 60_000));
    await first.roll();
    await first.append(group(5, 100));
    const next = await read(reader, start.place);
    expect(next).toMatchObject({ sequences: [3, 4, 5], isWhole: true });
    const second = await open(2);
    expect((await read(reader, next.place)).sequences).toEqual([]);
    await second.append(group(6));
    expect(await read(reader, next.place)).toMatchObject({ sequences: [6], isWhole: true });
    expect((await read(reader, START)).sequences).toEqual([1, 2, 3, 4, 5, 6]);
    expect((await read(reader, { ...START, sequence: 3 })).sequences).toContain(6);
  });

  it("ends where somebody begins the next segment: what comes then may be nobody's", async () => {
    const { disk, open, reader } = world();
    const stale = await open(1);
    await stale.append(group(1));
    const before = await read(reader, START);
    // A rival has fenced it, and has read what there was, but has not written its header yet.
    const ids = (await disk.list()).map((name) => Number.parseInt(name, 10));
    const name = `${String(Math.max(...ids) + 1).padStart(20, "0")}.wal`;
    await disk.create(name);
    await expect(stale.append(group(2))).rejects.toMatchObject({ code: "WAL_FENCED" });
    expect(await read(reader, before.place)).toMatchObject({ sequences: [], isWhole: false });
    expect(await read(reader, START)).toMatchObject({ isWhole: false });
  });

  it("never holds what is written after a rival has begun, at whatever call", async () => {
    for (let at = 0, met = true; met; at++) {
      const { disk, open, reader } = world();
      const stale = await open(1);
      await stale.append(group(1));
      const { place } = await read(reader, START);
      let calls = 0;
      met = false;
      const slow = disk.view(async ({ when }) => {
        if (when !== "before" || calls++ !== at) return;
        met = true;
        await disk.create(walName(place.file + 1));
        await stale.append(group(2)).catch(() => undefined);
      });
      const found = await read(new SegmentReader(slow), place);
      expect([at, found.sequences]).toEqual([at, []]);
      if (met) expect(stale.stats().lastSequence).toBe(1);
    }
  });

  it("that was released is told from one that ends", async () => {
    const { open, reader } = world();
    const wal = await open(1);
    await wal.append(group(1));
    await wal.append(group(2));
    await wal.roll();
    await wal.append(group(3));
    await wal.release(wal.lowWater(2));
    await expect(read(reader, START)).rejects.toMatchObject({ code: "WAL_CORRUPT" });
    const mark = { file: wal.lowWater(2), offset: 0, sequence: 2 };
    expect((await read(reader, mark)).sequences).toEqual([3]);
  });
});
