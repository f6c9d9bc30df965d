import { expect, it } from "vitest";
import { encodeBatch } from "../../../src/lsm/wal/batch.ts";
import { FRAME_BYTES, writeFrames } from "../../../src/lsm/wal/frame.ts";
import { walName } from "../../../src/lsm/wal/names.ts";
import type { WalSalvage } from "../../../src/lsm/wal/port.ts";
import { salvageSegments } from "../../../src/lsm/wal/salvage.ts";
import { encodeSegmentHeader } from "../../../src/lsm/wal/segment-header.ts";
import { ModelledDisk } from "../../support/modelled-disk.ts";
import { START } from "./support.ts";

it("a segment that ends before the next one says so is told, however far that lies", async () => {
  for (const end of [8_192, 2 ** 52]) {
    const disk = new ModelledDisk();
    const own = { epoch: 1, salt: 7 };
    const none = { id: 0, end: 0, lastSequence: 0 };
    const first = { ...own, id: 1, firstSequence: 1, previous: none };
    const previous = { id: 1, end, lastSequence: 9 };
    const second = { ...own, id: 2, firstSequence: 10, previous };
    disk.plant(walName(1), encodeSegmentHeader(first));
    disk.plant(walName(2), encodeSegmentHeader(second));
    const found: WalSalvage[] = [];
    for await (const each of salvageSegments(disk, START)) found.push(each);
    expect(found).toEqual([
      { epoch: 1, begins: 1 },
      { file: `${disk.path}/${walName(1)}`, offset: 4_096, what: expect.stringMatching(/missing/) },
      { epoch: 1, begins: 10 },
    ]);
  }
});

const OP = { op: "put", key: Buffer.from("k"), value: Buffer.from("v") } as const;
const OWN = { epoch: 1, salt: 7 };
const BLOCK = 4_096;

interface Told {
  /** What the header says of its first operation; absent: the truth. */
  readonly says?: number;
  /** Where the segment before it ended, as it says. */
  readonly previous: { readonly id: number; readonly end: number; readonly lastSequence: number };
}

/** A segment of groups of one operation each, a block a group. */
function segment(id: number, sequences: readonly number[], { says, previous }: Told): Buffer {
  const header = { ...OWN, id, firstSequence: says ?? (sequences[0] as number), previous };
  const bytes = Buffer.alloc(BLOCK * (sequences.length + 1));
  bytes.set(encodeSegmentHeader(header));
  for (const [i, firstSequence] of sequences.entries()) {
    const at = BLOCK * (i + 1);
    const group = [{ payload: encodeBatch([OP]), count: 1, firstSequence }];
    writeFrames(bytes, at, group, header, at);
  }
  return bytes;
}

async function sequencesOf(...segments: readonly Buffer[]): Promise<readonly number[]> {
  const from = { file: 1, sequence: 0 };
  const disk = new ModelledDisk();
  for (const [i, bytes] of segments.entries()) disk.plant(walName(i + 1), bytes);
  const found: number[] = [];
  for await (const each of salvageSegments(disk, from)) {
    if ("batches" in each) found.push(...each.batches.map(({ firstSequence }) => firstSequence));
  }
  return found;
}

/** Where something is damaged, as a repair tells it. */
async function damagesOf(bytes: Buffer): Promise<readonly number[]> {
  const disk = new ModelledDisk();
  disk.plant(walName(1), bytes);
  const found: number[] = [];
  for await (const each of salvageSegments(disk, { file: 1, sequence: 0 })) {
    if ("what" in each) found.push(each.offset);
  }
  return found;
}

const NONE = { id: 0, end: 0, lastSequence: 0 };
const AT_END = { id: 1, end: 4 * BLOCK, lastSequence: 3 };

it("a header that tells another first operation hides none", async () => {
  for (const says of [2, 3, 65_536, 2 ** 31 - 1]) {
    const first = segment(1, [1, 2, 3], { says, previous: NONE });
    const second = segment(2, [4], { previous: AT_END });
    expect([says, await sequencesOf(first, second)]).toEqual([says, [1, 2, 3, 4]]);
    const later = segment(2, [4, 5], { says, previous: AT_END });
    const whole = segment(1, [1, 2, 3], { previous: NONE });
    expect([says, await sequencesOf(whole, later)]).toEqual([says, [1, 2, 3, 4, 5]]);
  }
});

it("an end that the next segment tells too early hides none of what comes before it", async () => {
  const first = segment(1, [1, 2, 3], { previous: NONE });
  for (const end of [BLOCK, 2 * BLOCK, 3 * BLOCK, 5 * BLOCK]) {
    const second = segment(2, [4], { previous: { ...AT_END, end } });
    expect([end, await sequencesOf(first, second)]).toEqual([end, [1, 2, 3, 4]]);
  }
});

it("a header that leads past the segment that the log begins with hides none", async () => {
  const first = segment(1, [1, 2, 3], { previous: NONE });
  const second = segment(2, [4], { previous: NONE });
  const third = segment(3, [5], { previous: { id: 2, end: 2 * BLOCK, lastSequence: 4 } });
  expect(await sequencesOf(first, second, third)).toEqual([1, 2, 3, 4, 5]);
});

it("what a fenced owner wrote behind the end of a segment does not come back", async () => {
  const first = segment(1, [1, 2, 3, 4, 5], { previous: NONE });
  const second = segment(2, [4], { previous: AT_END });
  expect(await sequencesOf(first, second)).toEqual([1, 2, 3, 4]);
});

it("a last group whose checksums hold is told where its operations cannot be read", async () => {
  for (const group of [1, 3]) {
    const bytes = segment(1, [1, 2, 3].slice(0, group), { previous: NONE });
    const at = BLOCK * group;
    const payload = encodeBatch([OP]);
    const header = { ...OWN, id: 1 };
    for (const longer of [-1, 1]) {
      const other = Buffer.alloc(payload.length + longer);
      other.set(payload.subarray(0, other.length));
      writeFrames(bytes, at, [{ payload: other, count: 1, firstSequence: group }], header, at);
      expect(await damagesOf(bytes)).toEqual([at]);
    }
    writeFrames(bytes, at, [{ payload, count: 2, firstSequence: group }], header, at);
    expect(await damagesOf(bytes)).toEqual([at]);
    // Half of it was never written: a torn tail, of which no operation was acknowledged.
    bytes.fill(0, at + FRAME_BYTES + 1);
    expect(await damagesOf(bytes)).toEqual([]);
  }
});
