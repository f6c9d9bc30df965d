import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openFrame } from "../../../src/lsm/format/block-frame.ts";
import { BloomBuilder, BloomFilter } from "../../../src/lsm/format/bloom.ts";
import { DataBlock } from "../../../src/lsm/format/data-block.ts";
import { DataBlockCursor } from "../../../src/lsm/format/data-block-cursor.ts";
import { DELETE, END_OF_KEYS, EXPIRES, MERGE, PUT } from "../../../src/lsm/format/entry.ts";
import { FieldReader, FieldWriter } from "../../../src/lsm/format/fields.ts";
import { decodeFooter, encodeFooter, FOOTER_BYTES } from "../../../src/lsm/format/footer.ts";
import { decodeGcBoundary, encodeGcBoundary } from "../../../src/lsm/format/gc-boundary.ts";
import { IndexBuilder, readIndexBlock } from "../../../src/lsm/format/index-block.ts";
import { encodeIndexPart, readIndexPart } from "../../../src/lsm/format/index-part.ts";
import { decodeManifest, encodeManifest } from "../../../src/lsm/format/manifest.ts";
import { decodeSample, encodeSample } from "../../../src/lsm/format/manifest-records.ts";
import { decodePrefixFilter, encodePrefixFilter } from "../../../src/lsm/format/prefix-filter.ts";
import { decodeRanges, encodeRanges } from "../../../src/lsm/format/range-section.ts";
import { decodeStats, encodeStats } from "../../../src/lsm/format/sst-meta.ts";
import { ulidOfBytes } from "../../../src/lsm/format/ulid.ts";
import { decodeReference, referenceTo } from "../../../src/lsm/format/value-reference.ts";
import { readVarint, writeVarint } from "../../../src/lsm/format/varint.ts";
import { blockOf, type Entry } from "../support/model.ts";
import { sealFrame } from "../support/tables.ts";

const FORMATS = new URL("../../../src/lsm/format/", import.meta.url);
const NOTHING = new Uint8Array(0);
const text = (letters: string): Uint8Array => Buffer.from(letters, "latin1");
const fault = (): never => {
  throw new Error("malformed");
};

/** The bytes that a codec's header shows: the lines of hex behind "Example:". */
function example(file: string): Buffer {
  const source = readFileSync(new URL(file, FORMATS), "utf8");
  const shown = /Example: ([\s\S]*?)\*\//.exec(source)?.[1] ?? "";
  const lines = [...shown.matchAll(/^ \* {3}([0-9a-f ]+)$/gm)].map((match) => match[1] ?? "");
  expect(lines).not.toEqual([]);
  return Buffer.from(lines.join("").replaceAll(" ", ""), "hex");
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const shows = (file: string, bytes: Uint8Array): void =>
  expect(hex(bytes)).toBe(hex(example(file)));

describe("the examples of blocks and values", () => {
  it("show a reference to a value apart", () => {
    const reference = referenceTo("01JD4Y0Q3Z8K6V5T2R1P0NMHGF", text("firn"));
    shows("value-reference.ts", reference);
    const entry = { valueSource: reference, valueStart: 0, valueEnd: reference.length };
    expect(decodeReference(entry)).toMatchObject({ id: "01JD4Y0Q3Z8K6V5T2R1P0NMHGF", bytes: 4 });
  });

  it("show a data block as it is written and read", () => {
    const entries: Entry[] = [
      { key: "apple", sequence: 7, kind: PUT, value: text("red") },
      { key: "apple", sequence: 5, kind: DELETE, value: NOTHING },
      { key: "apply", sequence: 9, kind: PUT, value: NOTHING },
      {
        key: "b",
        sequence: 8,
        kind: EXPIRES | MERGE,
        value: text("x"),
        operator: 2,
        expiresAtMs: 300,
      } as Entry,
    ];
    shows("data-block.ts", blockOf(entries, 100));
    const cursor = new DataBlockCursor();
    cursor.reset(new DataBlock(example("data-block.ts"), 0));
    const read: unknown[] = [];
    while (cursor.next()) read.push(cursor.key, cursor.sequence, cursor.kind);
    const plain = ["apple", 7, PUT, "apple", 5, DELETE, "apply", 9, PUT];
    expect(read).toEqual([...plain, "b", 8, EXPIRES | MERGE]);
    expect([cursor.expiresAtMs, cursor.operator]).toEqual([300, 2]);
  });

  it("show a frame as it is written and read", () => {
    shows("block-frame.ts", sealFrame(text("firn"), "none", 0, 4_096));
    expect(hex(openFrame(example("block-frame.ts"), 0, 4_096, "x"))).toBe(hex(text("firn")));
  });

  it("show a filter as it is written and read", () => {
    const builder = new BloomBuilder(10);
    builder.add(text("a"), 0, 1);
    builder.add(text("b"), 0, 1);
    shows("bloom.ts", builder.finish());
    const filter = new BloomFilter(example("bloom.ts"));
    expect(["a", "b", "c"].map((key) => filter.mayContain(key))).toEqual([true, true, false]);
  });

  it("show an index as it is written and read", () => {
    const builder = new IndexBuilder(0);
    builder.add("b", 0, 0, 300);
    builder.add("ca", 0, 300, 45);
    shows("index-block.ts", builder.finish());
    const index = readIndexBlock(example("index-block.ts"), "x", { level: 0, start: 0, end: 345 });
    expect([index.find("b", 0), index.find("b\0", 0), index.find("cb", 0)]).toEqual([0, 1, 2]);
  });

  it("show a part of an index as it is written and read", () => {
    shows("index-part.ts", encodeIndexPart(example("bloom.ts"), example("index-block.ts")));
    const part = readIndexPart(example("index-part.ts"), "x", true);
    expect(["a", "b", "c"].map((key) => part.filter?.mayContain(key))).toEqual([true, true, false]);
    expect([part.start, part.end, part.separators]).toEqual([0, 345, ["b", "ca"]]);
  });

  it("show fields as they are written and read", () => {
    shows("fields.ts", new FieldWriter().text(2, "ice").number(1, 300).finish());
    const fields = FieldReader.of(example("fields.ts"), 0, fault);
    expect([fields.number(1), fields.text(2)]).toEqual([300, "ice"]);
  });

  it("show a varint as it is written and read", () => {
    const bytes = new Uint8Array(8);
    expect(hex(bytes.subarray(0, writeVarint(bytes, 0, 300)))).toBe("ac02");
    expect(hex(bytes.subarray(0, writeVarint(bytes, 0, 2 ** 53 - 1)))).toBe("ffffffffffffff0f");
    expect(readVarint(bytes, 0, 8)).toEqual({ value: 2 ** 53 - 1, after: 8 });
  });

  it("show statistics as they are written and read", () => {
    const stats = {
      entries: 1,
      deletions: 0,
      keys: 1,
      firstKey: "a",
      lastKey: "a",
      minSequence: 1,
      maxSequence: 1,
      rawBytes: 2,
      dataBlocks: 1,
      ranges: 0,
      merges: 0,
      expiring: 0,
      firstExpiryMs: 0,
      lastExpiryMs: 0,
      filterParts: 0,
      apart: 0,
      apartBytes: 0,
      unknown: [],
    };
    shows("sst-meta.ts", encodeStats(stats));
    expect(decodeStats(FieldReader.of(example("sst-meta.ts"), 0, fault))).toEqual(stats);
  });
});

describe("the examples of tables and manifests", () => {
  it("show a prefix filter as it is written and read", () => {
    const builder = new BloomBuilder(10);
    builder.add(text("a/"), 0, 2);
    const rule = { separator: 0x2f };
    shows("prefix-filter.ts", encodePrefixFilter(rule, builder.finish()));
    const filter = decodePrefixFilter(example("prefix-filter.ts"));
    expect(filter.rule).toEqual(rule);
    expect([filter.mayContain("a/"), filter.mayContain("b/")]).toEqual([true, false]);
  });

  it("show range tombstones as they are written and read", () => {
    const fragments = [
      { from: "ape", to: "bee", sequences: [9, 5] },
      { from: "bee", to: END_OF_KEYS, sequences: [12] },
    ];
    shows("range-section.ts", encodeRanges(fragments));
    expect(decodeRanges(example("range-section.ts"))).toEqual(fragments);
  });

  it("show a footer as it is written and read", () => {
    const footer = {
      id: ulidOfBytes(Buffer.from("0190a5b0c0000123456789abcdef0123", "hex")),
      fileBytes: 1_000,
      tailBytes: 600,
      requiredFeatures: 0,
      optionalFeatures: 0,
      index: { offset: 0, bytes: 100 },
      filter: { offset: 100, bytes: 200 },
      stats: { offset: 300, bytes: 184 },
      ranges: undefined,
      prefixes: undefined,
    };
    shows("footer.ts", encodeFooter(footer));
    expect(decodeFooter(example("footer.ts"))).toEqual(footer);
    expect(example("footer.ts")).toHaveLength(FOOTER_BYTES);
  });

  it("show a manifest as it is written and read", () => {
    const manifest = {
      id: 7,
      writerEpoch: 2,
      compactorEpoch: 1,
      walFrom: 3,
      lastSequence: 0,
      level0: [],
      runs: [],
      checkpoints: [],
      operators: [],
      samples: [],
      owner: undefined,
      writtenAtMs: 1_000,
      optionalFeatures: 0,
      unknown: [],
    };
    shows("manifest.ts", encodeManifest(manifest));
    expect(decodeManifest(example("manifest.ts"))).toEqual(manifest);
  });

  it("show the records of a manifest as they are written and read", () => {
    const sample = { sequence: 300, timeMs: 1_000, unknown: [] };
    shows("manifest-records.ts", encodeSample(sample));
    expect(decodeSample(FieldReader.of(example("manifest-records.ts"), 0, fault))).toEqual(sample);
  });

  it("show a boundary as it is written and read", () => {
    const boundary = {
      id: 2,
      walThrough: 300,
      manifestThrough: 9,
      raisedAtMs: 1_000,
      optionalFeatures: 0,
      unknown: [],
    };
    shows("gc-boundary.ts", encodeGcBoundary(boundary));
    expect(decodeGcBoundary(example("gc-boundary.ts"))).toEqual(boundary);
  });
});
