import { describe, expect, it, test } from "vitest";
import {
  addFigures,
  boundText,
  emptyFigures,
  figuresOf,
  type ManifestFigures,
} from "../../src/iceberg/manifest-figures.ts";
import { parseTableMetadata } from "../../src/iceberg/metadata.ts";
import { partitionText } from "../../src/iceberg/single-value.ts";
import { healthOf, healthOfTotals } from "../../src/iceberg/table-health.ts";
import { parseTransform } from "../../src/iceberg/transform.ts";
import type { PrimitiveName, PrimitiveType } from "../../src/iceberg/type.ts";
import { avroFile } from "../support/avro-writer.ts";
import { fixtureFiles } from "../support/planted-table.ts";

const typed = (name: PrimitiveName, text: string = name): PrimitiveType => ({
  kind: "primitive",
  name,
  text,
});
const hex = (text: string) => new Uint8Array(Buffer.from(text, "hex"));

describe("single values, as the spec serialises them", () => {
  it.each([
    [typed("boolean"), "01", "true"],
    [typed("int"), "22000000", "34"],
    [typed("long"), "22000000", "34"],
    [typed("long"), "ffffffffffffffff", "-1"],
    [typed("float"), "000090c0", "-4.5"],
    [typed("double"), "00000000000012c0", "-4.5"],
    [typed("date"), "80430000", "2017-04-24"],
    [typed("date"), "ffffff7f", "2147483647"],
    [typed("time"), "a01145ba12000000", "22:20:34.5"],
    [typed("timestamp"), "01c3262d215e0500", "2017-11-16T22:31:08.000001"],
    [typed("timestamptz"), "ffffffffffffffff", "1969-12-31T23:59:59.999999Z"],
    [typed("timestamp_ns"), "e9bb695f98b1f714", "2017-11-16T22:31:08.000001001"],
    [typed("timestamp"), "ffffffffffffff7f", "9223372036854775807"],
    [typed("decimal", "decimal(9, 2)"), "04d2", "12.34"],
    [typed("decimal", "decimal(9, 2)"), "fb2e", "-12.34"],
    [typed("decimal", "decimal(9, 2)"), "07", "0.07"],
    [typed("string"), "c3a4", "ä"],
    [typed("uuid"), "f79c3e09677c4bbda4793f349cb785e7", "f79c3e09-677c-4bbd-a479-3f349cb785e7"],
    [typed("binary"), "00ff", "AP8="],
    [typed("int"), "22", undefined],
    [typed("uuid"), "22", undefined],
    [typed("variant"), "22", undefined],
  ] as const)("%s %s", (type, bytes, text) => {
    expect(boundText(type, hex(bytes))).toBe(text);
  });

  it.each([
    ["identity", typed("date"), 17_280, "2017-04-24"],
    ["identity", typed("decimal", "decimal(4, 1)"), hex("ff85"), "-12.3"],
    ["identity", undefined, 7, "7"],
    ["identity", typed("string"), null, null],
    ["year", typed("date"), -1, "1969"],
    ["month", typed("date"), 567, "2017-04"],
    ["month", typed("date"), -1, "1969-12"],
    ["day", typed("timestamp"), 17_280, "2017-04-24"],
    ["hour", typed("timestamp"), 24 * 17_280 + 5, "2017-04-24-05"],
    ["hour", typed("timestamp"), -1, "1969-12-31-23"],
    ["bucket[16]", typed("timestamp"), 3, "3"],
    ["truncate[10]", typed("long"), 40n, "40"],
    ["zorder", typed("string"), "a", "a"],
  ] as const)("partition by %s of %o: %s", (transform, type, value, text) => {
    const by = parseTransform(transform, "PARTITION_SPEC_INVALID");
    expect(partitionText(by, type, value)).toBe(text);
  });
});

test("deletion vectors count as their part of a file, and deleted files do not count", () => {
  const files = fixtureFiles("v3");
  const asked = { specId: 0, fields: [] };
  const figures = emptyFigures();
  for (const name of ["data-m0.avro", "deletes-m0.avro"]) {
    addFigures(figures, figuresOf(files.get(name)!, asked));
  }
  expect(figures.data).toEqual({ files: 2, bytes: 200n, rows: 2n });
  expect(figures.deletionVectors).toEqual({ files: 1, bytes: 42n, rows: 1n });
  expect(figures.positionDeletes.files + figures.equalityDeletes.files).toBe(0);
  expect([...figures.partitions.values()]).toMatchObject([{ files: 2, deleteFiles: 1 }]);
});

const ENTRY = JSON.stringify({
  type: "record",
  name: "entry",
  fields: [
    { name: "status", type: "int" },
    {
      name: "data_file",
      type: {
        type: "record",
        name: "file",
        fields: [
          { name: "file_path", type: "string" },
          {
            name: "partition",
            type: { type: "record", name: "p", fields: [{ name: "d", type: ["null", "int"] }] },
          },
          { name: "record_count", type: "long" },
          { name: "file_size_in_bytes", type: "long" },
        ],
      },
    },
  ],
});
const DAY = {
  specId: 3,
  fields: [{ transform: parseTransform("day", "PARTITION_SPEC_INVALID"), source: typed("date") }],
};

function dayFiles(count: number, size: bigint, days: number, rows = 1n): ManifestFigures {
  const entries = Array.from({ length: count }, (_, i) => ({
    status: 1,
    data_file: {
      file_path: `s3://b/${i}`,
      partition: { d: i % days },
      record_count: rows,
      file_size_in_bytes: size,
    },
  }));
  return figuresOf(avroFile(ENTRY, entries, "deflate"), DAY);
}

test("partitions are told apart up to a bound, and their files are still counted", () => {
  const figures = dayFiles(10_050, 10n, 10_050);
  expect(figures.partitions.size).toBe(10_000);
  expect(figures.hasMorePartitions).toBe(true);
  expect(figures.data.files).toBe(10_050);
});

test.each([
  ["negative", -1n, 1n],
  ["beyond 64 bits in sum", 2n ** 63n - 1n, 1n],
])("sizes that are %s are refused", (_, size, rows) => {
  const invalid = expect.objectContaining({ code: "MANIFEST_INVALID" }) as unknown as Error;
  expect(() => dayFiles(2, size, 1, rows)).toThrow(invalid);
});

describe("health", () => {
  const [, text] = [...fixtureFiles("v2")].findLast(([name]) => name.endsWith(".json"))!;
  const base = JSON.parse(text.toString().replaceAll(/: ?(\d{16,})/g, ': "$1"')) as object;
  const parse = (changes: object) =>
    parseTableMetadata(JSON.stringify({ ...base, ...changes }).replaceAll(/"(\d{16,})"/g, "$1"));
  const nowMs = Date.parse("2031-01-01");
  const NONE = { manifests: 1, manifestBytes: 100n, metadataBytes: 5_000, nowMs };
  const codes = (input: object, changes: object = {}) =>
    healthOf({ metadata: parse(changes), ...NONE, ...input }).map(({ code }) => code);

  it("has nothing to say of a small table, however old its current snapshot", () => {
    expect(codes({ figures: dayFiles(9, 1_000n, 1) })).toEqual([]);
  });

  it("counts the files that a rewrite saves, by partition", () => {
    expect(codes({ figures: dayFiles(100, 1_000n, 5) })).toEqual(["SMALL_FILES"]);
    expect(codes({ figures: dayFiles(100, 1_000n, 100) })).toEqual([]);
    expect(codes({ figures: dayFiles(100, 600n * 1_048_576n, 5) })).toEqual([]);
    const properties = { "write.target-file-size-bytes": "1000" };
    expect(codes({ figures: dayFiles(100, 1_000n, 5) }, { properties })).toEqual([]);
  });

  it("tells deletes that every scan applies", () => {
    const figures = dayFiles(5, 600n * 1_048_576n, 5, 100n);
    figures.positionDeletes.files = 1;
    figures.positionDeletes.rows = 49n;
    expect(codes({ figures })).toEqual([]);
    figures.positionDeletes.rows = 50n;
    expect(codes({ figures })).toEqual(["MANY_DELETES"]);
  });

  it("tells small files and many deletes by totals alone", () => {
    const totals = { files: 100, bytes: 100_000n, rows: 500n, deleteFiles: 1, deleted: 49n };
    const of = (more: object, changes: object = {}) =>
      healthOfTotals({ ...totals, ...more }, parse(changes));
    expect(of({})).toEqual(["SMALL_FILES"]);
    expect(of({ files: 10 })).toEqual([]);
    expect(of({ deleted: 50n })).toEqual(["MANY_DELETES", "SMALL_FILES"]);
    expect(of({ files: 11, deleteFiles: 10, bytes: 11n << 30n })).toEqual(["MANY_DELETES"]);
    // Files of 100 MiB, where 512 are aimed at: a partition each may need them.
    const bytes = 10_000n * 1_048_576n;
    expect(of({ bytes })).toEqual([]);
    const unpartitioned = {
      "default-spec-id": 0,
      "partition-specs": [{ "spec-id": 0, fields: [] }],
    };
    expect(of({ bytes }, unpartitioned)).toEqual(["SMALL_FILES"]);
    const properties = { "write.target-file-size-bytes": "1000" };
    expect(of({}, { ...unpartitioned, properties })).toEqual([]);
  });

  it("tells snapshots past the table's own retention, and no others", () => {
    const snapshots = Array.from({ length: 30 }, (_, i) => ({
      "snapshot-id": i + 1,
      "sequence-number": i + 1,
      "timestamp-ms": nowMs - (30 - i) * 86_400_000,
      "manifest-list": `s3://b/${i}`,
      summary: { operation: "append" },
    }));
    const main = { "snapshot-id": 30, type: "branch" };
    const history = {
      snapshots,
      "current-snapshot-id": 30,
      "last-sequence-number": 30,
      "last-updated-ms": nowMs,
      "snapshot-log": [],
      refs: { main },
    };
    expect(codes({}, history)).toEqual(["OLD_SNAPSHOTS"]);
    const lately = { "history.expire.max-snapshot-age-ms": String(22 * 86_400_000) };
    expect(codes({}, { ...history, properties: lately })).toEqual([]);
    const many = { "history.expire.min-snapshots-to-keep": "25" };
    expect(codes({}, { ...history, properties: many })).toEqual([]);
  });

  it("tells manifests and metadata that have grown", () => {
    expect(codes({ manifests: 40, manifestBytes: 4_000n })).toEqual(["MANY_MANIFESTS"]);
    expect(codes({ manifests: 40, manifestBytes: 40n * 8_388_608n })).toEqual([]);
    expect(codes({ metadataBytes: 8 * 1_048_576 })).toEqual(["METADATA_GROWTH"]);
  });
});
