import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import { SeededPrng } from "../../../src/base/prng.ts";
import { MemoryBlobStore } from "../../../src/blob/memory.ts";
import { FRAME_BYTES, readGroup, writeFrames } from "../../../src/lsm/wal/frame.ts";
import { walName } from "../../../src/lsm/wal/names.ts";
import { decodeObject, encodeObject } from "../../../src/lsm/wal/object-format.ts";
import { ObjectWalStore } from "../../../src/lsm/wal/objects.ts";
import type { WalStore } from "../../../src/lsm/wal/port.ts";
import {
  BLOCK_BYTES,
  decodeSegmentHeader,
  encodeSegmentHeader,
  type SegmentHeader,
} from "../../../src/lsm/wal/segment-header.ts";
import { SegmentWalStore } from "../../../src/lsm/wal/segments.ts";
import { ModelledDisk } from "../../support/modelled-disk.ts";
import { SleepIsTime } from "../../support/virtual-clock.ts";
import { ROOT } from "../../tidy/source.ts";
import { appendTexts, batch, openWal, textsOf } from "./support.ts";

const FIRST = walName(1);
const SECOND = walName(2);
const GROUPS: readonly (readonly string[])[] = [["a", "bb"], ["ccc"], ["d"]];
const SIZES = { segmentBytes: 20_480, sliceBytes: 4_096 };

function segmentsOn(disk: ModelledDisk): WalStore {
  const ports = { clock: new SleepIsTime(), prng: new SeededPrng(1) };
  return new SegmentWalStore(disk, { ...ports, ...SIZES });
}

/** A segment of three groups, as its writer left it. */
async function writtenSegment(): Promise<Buffer> {
  const disk = new ModelledDisk();
  const { wal } = await openWal(segmentsOn(disk), 1);
  await appendTexts(wal, ...GROUPS);
  return Buffer.from(disk.bytesOf(FIRST) ?? []);
}

/** What an owner reads of a directory that holds this first segment. */
async function readSegment(bytes: Uint8Array): Promise<readonly (readonly string[])[] | "corrupt"> {
  const disk = new ModelledDisk();
  disk.plant(FIRST, bytes);
  return readLog(segmentsOn(disk));
}

async function readLog(store: WalStore): Promise<readonly (readonly string[])[] | "corrupt"> {
  try {
    return textsOf((await openWal(store, 9)).groups);
  } catch (error) {
    expect(error).toMatchObject({ kind: "Corrupt", code: "WAL_CORRUPT" });
    const { context } = error as { context?: Record<string, unknown> };
    expect(context?.["file"]).toMatch(/\.wal$/);
    expect(context?.["offset"]).toBeTypeOf("number");
    return "corrupt";
  }
}

/** Where groups begin, and what frames take of them. */
const FRAMES = GROUPS.map((texts, index) => {
  const bytes = texts.reduce((sum, text) => sum + FRAME_BYTES + text.length, 0);
  return { start: 4_096 * (index + 1), end: 4_096 * (index + 1) + bytes };
});

describe("a damaged segment", () => {
  it("is refused for any bit of its header and of every group but the last", async () => {
    const good = await writtenSegment();
    expect(await readSegment(good)).toEqual(GROUPS);
    const flipped = async (at: number, bit: number) => {
      const bytes = Buffer.from(good);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
      return readSegment(bytes);
    };
    for (let bit = 0; bit < 8; bit++) {
      for (let at = 0; at < 64; at++) expect(await flipped(at, bit)).toBe("corrupt");
      for (const [index, { start, end }] of FRAMES.entries()) {
        // The last group cannot be told from one that was never acknowledged.
        const expected = index < 2 ? "corrupt" : GROUPS.slice(0, 2);
        for (let at = start; at < end; at++) expect(await flipped(at, bit)).toEqual(expected);
      }
      for (const { end } of FRAMES) expect(await flipped(end, bit)).toEqual(GROUPS);
    }
  });

  it("ends with the last whole group where it is cut short", async () => {
    const good = await writtenSegment();
    for (let length = 0; length < good.length; length += 37) {
      const whole = FRAMES.filter(({ end }) => end <= length).length;
      expect(await readSegment(good.subarray(0, length))).toEqual(GROUPS.slice(0, whole));
    }
  });

  it("costs no memory and no time, whatever it says of its lengths", async () => {
    const good = await writtenSegment();
    for (const length of [0x7fff_ffff, 0xffff_ffff, 16_384, 3]) {
      const bytes = Buffer.from(good);
      bytes.writeUInt32LE(length, (FRAMES[0]?.start ?? 0) + 8);
      expect(await readSegment(bytes)).toBe("corrupt");
    }
    const noise = new SeededPrng(5);
    for (let round = 0; round < 50; round++) {
      const bytes = Buffer.from(noise.bytes(8_192));
      expect(await readSegment(bytes)).toEqual([]);
      // Behind a header that is as it should be.
      expect(await readSegment(Buffer.concat([good.subarray(0, 4_096), bytes]))).toEqual([]);
    }
  });

  it("is refused where its header says what no writer writes", async () => {
    const good = await writtenSegment();
    const sealed = async (at: number, value: bigint) => {
      const bytes = Buffer.from(good);
      bytes.writeBigUInt64LE(value, at);
      bytes.writeUInt32LE(crc32(bytes.subarray(0, 60)), 60);
      return readSegment(bytes);
    };
    // First sequence, and what it says of the segment before: none, below 1, above 2^53.
    for (const [at, value] of [
      [24, 0n],
      [24, 2n ** 53n],
      [32, 1n],
      [32, 2n ** 60n],
    ] as const) {
      expect(await sealed(at, value)).toBe("corrupt");
    }
    for (const at of [40, 48]) expect(await sealed(at, 2n ** 53n)).toBe("corrupt");
    expect(await sealed(24, 1n)).toEqual(GROUPS);
  });
});

describe("a segment among others", () => {
  it("is refused where it is missing, or its successor says more of it than it holds", async () => {
    const disk = new ModelledDisk();
    const { wal } = await openWal(segmentsOn(disk), 1);
    await appendTexts(wal, ["a"], ["b"]);
    await wal.roll();
    await appendTexts(wal, ["c"]);
    const first = Buffer.from(disk.bytesOf(FIRST) ?? []);
    const second = Buffer.from(disk.bytesOf(SECOND) ?? []);
    const withFirst = async (bytes: Uint8Array | undefined) => {
      const copy = new ModelledDisk();
      if (bytes !== undefined) copy.plant(FIRST, bytes);
      copy.plant(SECOND, second);
      return readLog(segmentsOn(copy));
    };
    expect(await withFirst(first)).toEqual([["a"], ["b"], ["c"]]);
    expect(await withFirst(undefined)).toBe("corrupt");
    expect(await withFirst(first.subarray(0, 8_192))).toBe("corrupt");
  });

  it("takes no frame of another epoch, segment, salt, place or sequence", () => {
    const file = { id: 5, epoch: 3, salt: 1 };
    const out = Buffer.alloc(4_096);
    writeFrames(out, 0, [batch(7, "x")], file, 0);
    expect(readGroup(out, 0, file, 7, 0)).toMatchObject({ end: FRAME_BYTES + 1 });
    for (const other of [{ epoch: 2 }, { epoch: 4 }, { id: 4 }, { salt: 2 }]) {
      expect(readGroup(out, 0, { ...file, ...other }, 7, 0)).toEqual({ badAt: 0, needs: 0 });
    }
    expect(readGroup(out, 0, file, 7, 4_096)).toEqual({ badAt: 0, needs: 0 });
    expect(readGroup(out, 0, file, 8, 0)).toEqual({ badAt: 0, needs: 0 });
  });

  it("is not made up by a value that looks like a group", async () => {
    const disk = new ModelledDisk();
    const { wal } = await openWal(segmentsOn(disk), 1);
    await appendTexts(wal, ["a"]);
    // A torn group whose payload holds, where a block begins, the copy of a real frame.
    const good = Buffer.from(disk.bytesOf(FIRST) ?? []);
    const forged = Buffer.from(good.subarray(4_096, 4_096 + FRAME_BYTES + 1));
    forged.writeUInt32LE(12_288, 36);
    good.set(forged, 12_288);
    expect(await readSegment(good)).toEqual([["a"]]);
  });
});

describe("a damaged object", () => {
  it("is refused for any bit and any length", async () => {
    const blobs = new MemoryBlobStore(new SleepIsTime());
    const ports = { clock: new SleepIsTime(), prng: new SeededPrng(1), prefix: "w/" };
    const { wal } = await openWal(new ObjectWalStore(blobs, ports), 1);
    await appendTexts(wal, ["a", "bb"]);
    const id = 2;
    const good = Buffer.from((await blobs.get(`w/${"2".padStart(20, "0")}.wal`))?.bytes ?? []);
    expect(decodeObject(good, id).batches).toHaveLength(2);
    const corrupt = expect.objectContaining({ kind: "Corrupt", code: "WAL_CORRUPT" });
    for (let at = 0; at < good.length; at++) {
      for (let bit = 0; bit < 8; bit++) {
        const bytes = Buffer.from(good);
        bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
        expect(() => decodeObject(bytes, id)).toThrow(corrupt);
      }
      expect(() => decodeObject(good.subarray(0, at), id)).toThrow(corrupt);
    }
    expect(() => decodeObject(Buffer.concat([good, Buffer.of(0)]), id)).toThrow(corrupt);
    expect(() => decodeObject(good, 3)).toThrow(corrupt);
  });
});

describe("files of version 1", () => {
  const FIXTURES = join(ROOT, "test/fixtures/lsm/wal-v1");
  const files = readdirSync(FIXTURES).sort();

  it("can still be read", async () => {
    expect(files).toEqual(["object-2.wal", "segment-1.wal"]);
    const segment = readFileSync(join(FIXTURES, "segment-1.wal"));
    expect(await readSegment(segment)).toEqual(GROUPS);
    const object = decodeObject(readFileSync(join(FIXTURES, "object-2.wal")), 2);
    expect(textsOf([object])).toEqual([["a", "bb"]]);
  });

  it("are written to the byte", async () => {
    const golden = readFileSync(join(FIXTURES, "segment-1.wal"));
    expect((await writtenSegment()).subarray(0, golden.length).equals(golden)).toBe(true);
  });
});

it("a log whose epoch falls was written by who had been fenced: it is refused", async () => {
  for (const [epoch, outcome] of [
    [5, [["a"], ["b"]]],
    [4, "corrupt"],
  ] as const) {
    const disk = new ModelledDisk();
    await appendTexts((await openWal(segmentsOn(disk), 5)).wal, ["a"]);
    const first = decodeSegmentHeader(Buffer.from(disk.bytesOf(FIRST) ?? []), 1) as SegmentHeader;
    const previous = { id: 1, end: 2 * BLOCK_BYTES, lastSequence: 1 };
    const header = { ...first, id: 2, epoch, firstSequence: 2, previous };
    const group = Buffer.alloc(BLOCK_BYTES);
    writeFrames(group, 0, [batch(2, "b")], header, BLOCK_BYTES);
    disk.plant(SECOND, Buffer.concat([encodeSegmentHeader(header), group]));
    expect(await readLog(segmentsOn(disk))).toEqual(outcome);

    const blobs = new MemoryBlobStore(new SleepIsTime());
    for (const [id, of, text] of [
      [1, 5, "a"],
      [2, epoch, "b"],
    ] as const) {
      const putId = new Uint8Array(16);
      const object = { id, epoch: of, putId, firstSequence: id, isOverlapped: false };
      await blobs.put(`w/${walName(id)}`, encodeObject({ ...object, batches: [batch(id, text)] }));
    }
    const ports = { clock: new SleepIsTime(), prng: new SeededPrng(1) };
    expect(await readLog(new ObjectWalStore(blobs, { ...ports, prefix: "w/" }))).toEqual(outcome);
  }
});
