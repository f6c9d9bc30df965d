import { describe, expect, it } from "vitest";
import { SeededPrng } from "../../../src/base/prng.ts";
import type { ReadableFile } from "../../../src/lsm/disk/port.ts";
import { FRAME_BYTES, framesBytes, writeFrames } from "../../../src/lsm/wal/frame.ts";
import { walName } from "../../../src/lsm/wal/names.ts";
import type { WalBatch } from "../../../src/lsm/wal/port.ts";
import {
  BLOCK_BYTES,
  encodeSegmentHeader,
  type SegmentHeader,
  wholeBlocks,
} from "../../../src/lsm/wal/segment-header.ts";
import { SegmentWalStore } from "../../../src/lsm/wal/segments.ts";
import { ModelledDisk } from "../../support/modelled-disk.ts";
import { SleepIsTime } from "../../support/virtual-clock.ts";
import { openWal } from "./support.ts";

const MIB = 1_048_576;
/** Of each group, the lengths of its batches: what is read at once ends in the middle of some. */
const GROUPS: readonly (readonly number[])[] = [
  [100],
  [MIB, MIB, 3],
  [2 * MIB - 4_096, 17],
  [9 * MIB],
  [5],
  Array.from({ length: 9 }, () => MIB),
  [4 * MIB - BLOCK_BYTES - FRAME_BYTES],
  [77],
];
const HEADER: SegmentHeader = {
  id: 1,
  epoch: 1,
  salt: 0x1234_5678,
  firstSequence: 1,
  previous: { id: 0, end: 0, lastSequence: 0 },
};

/** A segment of these groups, where each of them begins, and how many zeros follow. */
function segmentOf(zeros: number) {
  const noise = Buffer.from(new SeededPrng(7).bytes(9 * MIB));
  let sequence = 1;
  let end = BLOCK_BYTES;
  const groups = GROUPS.map((lengths) => {
    const batches = lengths.map((length): WalBatch => {
      return { firstSequence: sequence++, count: 1, payload: noise.subarray(0, length) };
    });
    const at = end;
    end += wholeBlocks(framesBytes(batches));
    return { at, batches };
  });
  const bytes = Buffer.alloc(end + zeros);
  bytes.set(encodeSegmentHeader(HEADER));
  for (const { at, batches } of groups) writeFrames(bytes, at, batches, HEADER, at);
  return { bytes, starts: groups.map(({ at }) => at) };
}

async function lengthsIn(disk: ModelledDisk): Promise<readonly (readonly number[])[] | "corrupt"> {
  const world = { clock: new SleepIsTime(), prng: new SeededPrng(1) };
  const store = new SegmentWalStore(disk, { ...world, segmentBytes: 20_480, sliceBytes: 4_096 });
  try {
    const { groups } = await openWal(store, 9);
    return groups.map(({ batches }) => batches.map(({ payload }) => payload.length));
  } catch (error) {
    expect(error).toMatchObject({ kind: "Corrupt", code: "WAL_CORRUPT" });
    return "corrupt";
  }
}

async function replayed(bytes: Uint8Array): Promise<readonly (readonly number[])[] | "corrupt"> {
  const disk = new ModelledDisk();
  disk.plant(walName(1), bytes);
  return lengthsIn(disk);
}

const { bytes: GOOD, starts: STARTS } = segmentOf(6 * MIB);

describe("a segment that is read in several stretches", () => {
  it("is replayed whole, and in order", async () => {
    expect(await replayed(GOOD)).toEqual(GROUPS);
  });

  it("is read about once, and never all of it at once", async () => {
    const disk = new ModelledDisk();
    disk.plant(walName(1), GOOD);
    const reads: number[] = [];
    const open = disk.open.bind(disk);
    disk.open = async (name) => {
      const file = await open(name);
      return file && counting(file, reads);
    };
    expect(await lengthsIn(disk)).toEqual(GROUPS);
    // A group of 9 MiB does not fit what is read at once; twice as much as was read last does.
    expect(Math.max(...reads)).toBeLessThan(17 * MIB);
    expect(reads.reduce((sum, length) => sum + length)).toBeLessThan(2.5 * GOOD.length);
  });

  it("is refused for damage with a group behind it, however far", async () => {
    for (const at of STARTS.slice(0, -1)) {
      const bytes = Buffer.from(GOOD);
      bytes[at + 20] = (bytes[at + 20] ?? 0) ^ 1;
      expect(await replayed(bytes)).toBe("corrupt");
    }
    // Nothing but the last group is left of what came behind the first one.
    const bytes = Buffer.from(GOOD).fill(0, STARTS[1], STARTS.at(-1));
    expect(await replayed(bytes)).toBe("corrupt");
  });

  it("ends with the last whole group where it is torn or cut off", async () => {
    for (const [index, at] of STARTS.entries()) {
      const whole = GROUPS.slice(0, index);
      expect(await replayed(GOOD.subarray(0, at + 20))).toEqual(whole);
      expect(await replayed(GOOD.subarray(0, at + FRAME_BYTES))).toEqual(whole);
      expect(await replayed(Buffer.from(GOOD).fill(0, at + FRAME_BYTES))).toEqual(whole);
    }
  });

  it("tells of a read that fails while what was read before is taken in", async () => {
    const disk = new ModelledDisk();
    disk.plant(walName(1), GOOD);
    const open = disk.open.bind(disk);
    disk.open = async (name) => {
      const file = await open(name);
      const read = async (offset: number, length: number) => {
        if (offset > MIB) throw new Error("unreadable");
        return (file as ReadableFile).read(offset, length);
      };
      return file && { ...file, read };
    };
    await expect(lengthsIn(disk)).rejects.toThrow();
  });
});

function counting(file: ReadableFile, reads: number[]): ReadableFile {
  return {
    ...file,
    read: async (offset, length) => {
      const bytes = await file.read(offset, length);
      reads.push(bytes.length);
      return bytes;
    },
  };
}
