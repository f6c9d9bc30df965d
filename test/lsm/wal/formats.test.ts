import { describe, expect, it } from "vitest";
import { utf8 } from "../../../src/base/bytes.ts";
import { FRAME_BYTES, readGroup, writeFrames } from "../../../src/lsm/wal/frame.ts";
import { decodeObject, encodeObject } from "../../../src/lsm/wal/object-format.ts";
import { decodeSegmentHeader, encodeSegmentHeader } from "../../../src/lsm/wal/segment-header.ts";
import { batch } from "./support.ts";
import { exampleIn } from "./worked-example.ts";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

describe("worked examples", () => {
  it("a frame encodes to the documented bytes", () => {
    const file = { id: 5, epoch: 3, salt: 0x01020304 };
    const group = [batch(7, "hi", 2)];
    const out = Buffer.alloc(FRAME_BYTES + 2);
    expect(writeFrames(out, 0, group, file, 4_096)).toBe(out.length);
    expect(hex(out)).toBe(hex(exampleIn("src/lsm/wal/frame.ts")));
    const read = readGroup(out, 0, file, 7, 4_096);
    expect(read).toEqual({
      batches: [{ ...group[0], payload: Buffer.from(utf8("hi")) }],
      end: out.length,
    });
  });

  it("a segment's header encodes to the documented bytes", () => {
    const header = {
      id: 5,
      epoch: 3,
      salt: 0x01020304,
      firstSequence: 7,
      previous: { id: 4, end: 12_288, lastSequence: 6 },
    };
    const out = encodeSegmentHeader(header);
    const example = exampleIn("src/lsm/wal/segment-header.ts");
    expect(hex(out.subarray(0, 64))).toBe(hex(example));
    expect(hex(out.subarray(64))).toBe("00".repeat(4_096 - 64));
    expect(decodeSegmentHeader(out, 5)).toEqual(header);
    expect(decodeSegmentHeader(out, 6)).toBe("unwritten");
  });

  it("an object that was put while another was under way encodes to its golden bytes", () => {
    const putId = Buffer.from("000102030405060708090a0b0c0d0e0f", "hex");
    const batches = [batch(7, "hi", 2)];
    const object = { id: 9, epoch: 3, putId, firstSequence: 7, isOverlapped: true, batches };
    expect(hex(encodeObject(object))).toBe(
      [
        "46574f42020000000900000000000000",
        "03000000010000000001020304050607",
        "08090a0b0c0d0e0f0700000000000000",
        "2a00000000000000000000007e237bbf",
        "9eb225d23f8401030200000003000000",
        "09000000000000000700000000000000",
        "02000000000000006869",
      ].join(""),
    );
    const payload = Buffer.from("hi");
    expect(decodeObject(encodeObject(object), 9)).toEqual({
      ...object,
      batches: [{ ...batches[0], payload }],
    });
  });

  it("an object encodes to the documented bytes", () => {
    const putId = Buffer.from("000102030405060708090a0b0c0d0e0f", "hex");
    const fence = { id: 9, epoch: 3, putId, firstSequence: 7, isOverlapped: false, batches: [] };
    expect(hex(encodeObject(fence))).toBe(hex(exampleIn("src/lsm/wal/object-format.ts")));
    expect(decodeObject(encodeObject(fence), 9)).toEqual(fence);
  });
});
