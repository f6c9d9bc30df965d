import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/base/json.ts";
import { type NewTable, newTableMetadata } from "../../src/iceberg/create.ts";
import {
  isGzipMetadata,
  metadataCodec,
  nextMetadataFileName,
} from "../../src/iceberg/file-name.ts";
import { parseTableMetadata } from "../../src/iceberg/metadata.ts";
import { printTableMetadata, snapshotsOfRefs } from "./printed.ts";
import { append, column, commit, failure, NOW_MS, newTable, schemaOf, UUID } from "./support.ts";

const NESTED = schemaOf(
  { id: 70, name: "id", required: true, type: "long", doc: "key" },
  column(71, "point", {
    type: "struct",
    fields: [column(40, "x", "double"), column(41, "tags", "string")],
  }),
  column(72, "prices", {
    type: "map",
    "key-id": 50,
    key: "STRING",
    "value-id": 51,
    value: { type: "struct", fields: [column(52, "amount", "Decimal(10,2)")] },
    "value-required": true,
  }),
  column(73, "seen", {
    type: "list",
    "element-id": 60,
    element: "timestamptz",
    "element-required": false,
  }),
);

function create(more: Partial<NewTable> = {}): ReturnType<typeof newTableMetadata> {
  return newTableMetadata({
    schema: NESTED,
    location: "s3://bucket/ns/tbl/",
    properties: {},
    uuid: UUID,
    nowMs: NOW_MS,
    ...more,
  });
}

describe("the metadata of a new table", () => {
  test("assigns ids level by level and prints members in Iceberg's order (golden file)", () => {
    const table = create({
      schema: { ...NESTED, "identifier-field-ids": [70] },
      partitionSpec: {
        fields: [{ name: "x_trunc", transform: "Truncate[10]", "source-id": 70, "field-id": 1 }],
      },
      writeOrder: {
        "order-id": 4,
        fields: [
          { transform: "identity", "source-id": 40, direction: "desc", "null-order": "nulls-last" },
        ],
      },
      properties: { owner: "me", "format-version": "2", uuid: "ignored" },
    });
    expect(JSON.parse(printTableMetadata(table))).toEqual({
      "format-version": 2,
      "table-uuid": UUID,
      location: "s3://bucket/ns/tbl",
      "last-sequence-number": 0,
      "last-updated-ms": NOW_MS,
      "last-column-id": 10,
      "current-schema-id": 0,
      schemas: [
        {
          type: "struct",
          "schema-id": 0,
          "identifier-field-ids": [1],
          fields: [
            { id: 1, name: "id", required: true, type: "long", doc: "key" },
            column(2, "point", {
              type: "struct",
              fields: [column(5, "x", "double"), column(6, "tags", "string")],
            }),
            column(3, "prices", {
              type: "map",
              "key-id": 7,
              key: "string",
              "value-id": 8,
              value: { type: "struct", fields: [column(9, "amount", "decimal(10, 2)")] },
              "value-required": true,
            }),
            column(4, "seen", {
              type: "list",
              "element-id": 10,
              element: "timestamptz",
              "element-required": false,
            }),
          ],
        },
      ],
      "default-spec-id": 0,
      "partition-specs": [
        {
          "spec-id": 0,
          fields: [
            { name: "x_trunc", transform: "truncate[10]", "source-id": 1, "field-id": 1000 },
          ],
        },
      ],
      "last-partition-id": 1000,
      "default-sort-order-id": 1,
      "sort-orders": [
        {
          "order-id": 1,
          fields: [
            {
              transform: "identity",
              "source-id": 5,
              direction: "desc",
              "null-order": "nulls-last",
            },
          ],
        },
      ],
      properties: { "write.parquet.compression-codec": "zstd", owner: "me" },
      "current-snapshot-id": -1,
      refs: {},
      snapshots: [],
      statistics: [],
      "partition-statistics": [],
      "snapshot-log": [],
      "metadata-log": [],
    });
  });
});

describe("a new table", () => {
  test("prints the golden bytes of the smallest table, format version 3", () => {
    const table = create({
      schema: { type: "struct", fields: [column(0, "a", "variant")] },
      properties: { "format-version": "3", "write.parquet.compression-codec": "snappy" },
    });
    expect(printTableMetadata(table)).toBe(
      `{"format-version":3,"table-uuid":"${UUID}","location":"s3://bucket/ns/tbl",` +
        `"last-sequence-number":0,"last-updated-ms":${NOW_MS},"last-column-id":1,` +
        `"current-schema-id":0,"schemas":[{"type":"struct","schema-id":0,"fields":` +
        `[{"id":1,"name":"a","required":false,"type":"variant"}]}],"default-spec-id":0,` +
        `"partition-specs":[{"spec-id":0,"fields":[]}],"last-partition-id":999,` +
        `"default-sort-order-id":0,"sort-orders":[{"order-id":0,"fields":[]}],"properties":` +
        `{"write.parquet.compression-codec":"snappy"},"current-snapshot-id":null,` +
        `"next-row-id":0,"refs":{},"snapshots":[],"statistics":[],"partition-statistics":[],` +
        `"snapshot-log":[],"metadata-log":[]}`,
    );
  });

  test.each<[string, string, Partial<NewTable>]>([
    [
      "a version that is not there",
      "FORMAT_VERSION_INVALID",
      { properties: { "format-version": "4" } },
    ],
    [
      "a version that is not a number",
      "FORMAT_VERSION_INVALID",
      { properties: { "format-version": "two" } },
    ],
    [
      "a type of a later version",
      "SCHEMA_INVALID",
      { schema: schemaOf(column(1, "g", "geometry")) },
    ],
    [
      "a required unknown",
      "SCHEMA_INVALID",
      {
        schema: schemaOf({ id: 1, name: "u", required: true, type: "unknown" }),
        properties: { "format-version": "3" },
      },
    ],
    [
      "an order of no column",
      "SORT_ORDER_INVALID",
      {
        writeOrder: {
          fields: [
            { transform: "identity", "source-id": 1, direction: "asc", "null-order": "nulls-last" },
          ],
        },
      },
    ],
    [
      "a partition inside a list",
      "PARTITION_SPEC_INVALID",
      {
        partitionSpec: { fields: [{ name: "e", transform: "day", "source-id": 60 }] },
      },
    ],
    [
      "a partition void of a source",
      "PARTITION_SPEC_INVALID",
      {
        partitionSpec: { fields: [{ name: "e", transform: "void", "source-id": 99 }] },
      },
    ],
    [
      "retries below zero",
      "TABLE_PROPERTY_INVALID",
      {
        properties: { "commit.retry.num-retries": "-1" },
      },
    ],
    [
      "metrics of no column",
      "TABLE_PROPERTY_INVALID",
      {
        properties: { "write.metadata.metrics.column.nope": "full" },
      },
    ],
    [
      "encryption before version 3",
      "TABLE_PROPERTY_INVALID",
      {
        properties: { "encryption.key-id": "k" },
      },
    ],
  ])("refuses %s", (_, code, more) => {
    expect(failure("Invalid", () => create(more)).code).toBe(code);
  });
});

describe("the types of a new table", () => {
  test.each<[string, JsonObject]>([
    ["boolean", { "initial-default": true }],
    ["int", { "initial-default": -5, "write-default": 2147483647 }],
    ["long", { "initial-default": 9223372036854775807n }],
    ["double", { "write-default": 1.5 }],
    ["decimal(9, 2)", { "initial-default": "14.20" }],
    ["date", { "initial-default": "2007-12-03" }],
    ["time", { "initial-default": "10:15:30.123456" }],
    ["timestamp", { "initial-default": "2007-12-03T10:15:30" }],
    ["timestamptz", { "initial-default": "2007-12-03T10:15:30+00:00" }],
    ["timestamptz_ns", { "initial-default": "2007-12-03T10:15:30.000000001+00:00" }],
    ["uuid", { "initial-default": "eb26bdb1-a1d8-4aa6-990e-da940875492c" }],
    ["fixed[2]", { "initial-default": "10af" }],
    ["binary", { "initial-default": "" }],
    ["string", { "initial-default": "" }],
  ])("takes the default of a %s, and no other value", (type, defaults) => {
    const properties = { "format-version": "3" };
    const field = (more: JsonObject): JsonObject => schemaOf({ ...column(1, "a", type), ...more });
    const table = create({ schema: field(defaults), properties });
    const printed = printTableMetadata(table);
    expect(printTableMetadata(parseTableMetadata(printed))).toBe(printed);
    for (const wrong of [[1], { a: 1 }, type === "boolean" ? "true" : false]) {
      const run = (): unknown => create({ schema: field({ "write-default": wrong }), properties });
      expect(failure("Invalid", run).code).toBe("SCHEMA_INVALID");
    }
  });

  test.each(["geometry(EPSG:3857)", "geography(OGC:CRS84, karney)", "timestamp_ns", "unknown"])(
    "of version 3 may hold a %s",
    (type) => {
      const schema = schemaOf(column(1, "a", type));
      const table = create({ schema, properties: { "format-version": "3" } });
      expect(printTableMetadata(table)).toContain(`"type":"${type}"`);
    },
  );

  test("a long or hostile type name is refused at once", () => {
    for (const type of ["decimal(", `fixed[${" ".repeat(1e6)}]`, `geometry(${"(".repeat(1e6)}`]) {
      const run = (): unknown => create({ schema: schemaOf(column(1, "a", type)) });
      expect(failure("Invalid", run).code).toBe("SCHEMA_INVALID");
    }
  });
});

describe("names of metadata files", () => {
  const none = new Map<string, string>();
  const gzip = new Map([["write.metadata.compression-codec", "GZIP"]]);

  test("count up from the version of the base", () => {
    expect(nextMetadataFileName(undefined, UUID, none)).toBe(`00000-${UUID}.metadata.json`);
    const next = (base: string): string => nextMetadataFileName(base, "u", none).slice(0, 7);
    expect(next("s3://b/t/metadata/00041-x.metadata.json")).toBe("00042-u");
    expect(next("s3://b/99-t/metadata/99999-x.gz.metadata.json")).toBe("100000-");
    for (const foreign of ["s3://b/00001/v7.metadata.json", "x/-y", "x/1e3-y", "x/ 7-y"]) {
      expect(next(foreign)).toBe("00000-u");
    }
  });

  test("say how the file is compressed", () => {
    const name = nextMetadataFileName(undefined, UUID, gzip);
    expect(name).toBe(`00000-${UUID}.gz.metadata.json`);
    expect([isGzipMetadata(name), isGzipMetadata("v1.metadata.json.gz")]).toEqual([true, true]);
    expect(isGzipMetadata("00000-gz.metadata.json")).toBe(false);
    expect([metadataCodec(none), metadataCodec(gzip)]).toEqual(["none", "gzip"]);
    const zstd = new Map([["write.metadata.compression-codec", "zstd"]]);
    expect(failure("Invalid", () => nextMetadataFileName("x", "u", zstd)).code).toBe(
      "TABLE_PROPERTY_INVALID",
    );
  });
});

test("snapshots=refs keeps what references name, and all but snapshots", () => {
  let table = newTable();
  for (const id of [1n, 2n, 3n, 9007199254740993n]) {
    table = commit(table, append(table, id));
    if (id === 2n) table = commit(table, [{ ...TAG, "snapshot-id": id }]);
  }
  const whole = JSON.parse(printTableMetadata(table)) as { snapshots: unknown[] };
  const text = snapshotsOfRefs(table);
  const some = JSON.parse(text) as { snapshots: unknown[] };
  expect(some.snapshots).toEqual([whole.snapshots[1], whole.snapshots[3]]);
  expect({ ...some, snapshots: [] }).toEqual({ ...whole, snapshots: [] });
  expect(text).toContain('"snapshot-id":9007199254740993');
  expect(parseTableMetadata(text).currentSnapshotId).toBe(9007199254740993n);
});

const TAG = { action: "set-snapshot-ref", "ref-name": "t", type: "tag" };
