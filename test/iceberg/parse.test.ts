import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FirnError } from "../../src/base/error.ts";
import { type JsonObject, type JsonValue, parseJson, printJson } from "../../src/base/json.ts";
import { parseTableMetadata } from "../../src/iceberg/metadata.ts";
import { printTableMetadata } from "./printed.ts";
import { append, commit, failure } from "./support.ts";

const FOLDER = new URL("../fixtures/iceberg/metadata/", import.meta.url);
const sample = (name: string): JsonObject =>
  parseJson(readFileSync(new URL(`${name}.json`, FOLDER), "utf8")) as JsonObject;
const V2 = sample("TableMetadataV2Valid");
const CURRENT = 3055729675574597004n;

function parse(object: JsonObject): ReturnType<typeof parseTableMetadata> {
  return parseTableMetadata(printJson(object));
}

describe("a file that was read", () => {
  const odd =
    '{"z-unknown":{"9":1.0,"1":[1e3,-0]},"format-version":2,' +
    '"table-uuid":"9c12d441-03fe-4693-9a96-a0705ddf69c1",' +
    '"location":"s3://b/t/","last-sequence-number":9007199254740993,"last-updated-ms":1,' +
    '"last-column-id":1,"current-schema-id":0,"schemas":[{"type":"struct","schema-id":0,' +
    '"x":{"deep":[true]},"fields":[{"id":1,"name":"a","required":false,"type":"Decimal( 9,' +
    '2 )","y":1e-3}]}],"default-spec-id":0,"partition-specs":[{"spec-id":0,"type":"struct",' +
    '"fields":[]}],"last-partition-id":999,"default-sort-order-id":0,' +
    '"sort-orders":[{"order-id":0,"fields":[]}],"properties":{"10":"a","b":"c","2":"d"},' +
    '"current-snapshot-id":null,"refs":{"7":{"snapshot-id":9223372036854775807,' +
    '"type":"tag","w":0.50}},"snapshots":[{"snapshot-id":9223372036854775807,' +
    '"timestamp-ms":1,"summary":{"operation":"append","20":"x","3":"y"},' +
    '"manifest-list":"m","v":1.10}],"statistics":null}';

  test("prints as it was, unknown members, odd numbers and index-like keys included", () => {
    expect(printTableMetadata(parseTableMetadata(odd))).toBe(odd);
  });

  test("keeps its unknown members and untouched parts through commits", () => {
    const base = parseTableMetadata(odd);
    const next = commit(base, append(base, 5n));
    const text = printTableMetadata(next);
    expect(text).toContain('"z-unknown":{"9":1.0,"1":[1e3,-0]}');
    expect(text).toContain('"summary":{"operation":"append","20":"x","3":"y"}');
    expect(text).toContain('"v":1.10');
    expect(text).toContain('"type":"Decimal( 9,2 )","y":1e-3');
    expect(text).toContain('"last-sequence-number":9007199254740994');
    expect(printTableMetadata(parseTableMetadata(text))).toBe(text);
  });

  test("of format version 1 gets the lists that it lacks with its first change", () => {
    const v1 = parse(sample("TableMetadataV1Valid"));
    const next = commit(v1, [{ action: "set-properties", updates: { a: "b" } }]);
    const printed = JSON.parse(printTableMetadata(next)) as Record<string, JsonValue>;
    expect(printed["schema"]).toEqual((printed["schemas"] as JsonValue[])[0]);
    expect(printed["schema"]).toMatchObject({ "schema-id": 0 });
    expect(printed["partition-specs"]).toEqual([
      { "spec-id": 0, fields: printed["partition-spec"] },
    ]);
    expect(printed["last-partition-id"]).toBe(1000);
    expect(printed["sort-orders"]).toEqual([{ "order-id": 0, fields: [] }]);
  });

  test("without references has main at its current snapshot", () => {
    const table = parse(V2);
    expect(table.refs.get("main")).toMatchObject({ snapshotId: CURRENT, type: "branch" });
    expect(table.currentSnapshotId).toBe(CURRENT);
    expect(table.snapshots.find(CURRENT)?.fragment.object["snapshot-id"]).toBe(CURRENT);
    expect(printTableMetadata(table)).not.toContain('"refs"');
    expect(table.snapshots.find(CURRENT)?.fragment.object["snapshot-id"]).toBe(CURRENT);
  });
});

const snapshots = V2["snapshots"] as JsonObject[];
const log = V2["snapshot-log"] as JsonObject[];
const schemas = V2["schemas"] as JsonObject[];

describe("a file is refused with", () => {
  test.each<[string, JsonObject]>([
    ["version 4", { "format-version": 4 }],
    ["version 0", { "format-version": 0 }],
    ["a version that is not an integer", { "format-version": "2" }],
    ["no uuid", { "table-uuid": null }],
    ["no location", { location: null }],
    ["a current snapshot that is not there", { "current-snapshot-id": 7 }],
    ["a default spec that is not there", { "default-spec-id": 9 }],
    ["a default order that is not there", { "default-sort-order-id": 9 }],
    ["a schema id twice", { schemas: [...schemas, schemas[0] ?? null] }],
    ["a snapshot twice", { snapshots: [...snapshots, snapshots[0] ?? null] }],
    ["a snapshot of the future", { "last-sequence-number": 0 }],
    ["a snapshot without manifests", { snapshots: [{ ...snapshots[0], "manifest-list": null }] }],
    ["a snapshot id beyond 64 bits", { "current-snapshot-id": 2n ** 63n }],
    ["a summary of other values", { snapshots: [{ ...snapshots[0], summary: { a: 1 } }] }],
    ["a log out of order", { "snapshot-log": [...log].reverse() }],
    ["a log of the future", { "last-updated-ms": 1 }],
    ["a reference to nothing", { refs: { b: { "snapshot-id": 1, type: "branch" } } }],
    ["main elsewhere", { refs: { main: { "snapshot-id": 3051729675574597004n, type: "branch" } } }],
    ["main as a tag", { refs: { main: { "snapshot-id": CURRENT, type: "tag" } } }],
    [
      "a tag that keeps many",
      {
        refs: { t: { "snapshot-id": CURRENT, type: "tag", "min-snapshots-to-keep": 2 } },
      },
    ],
    ["properties that are not texts", { properties: { a: 1 } }],
    ["a list that is none", { "metadata-log": {} }],
  ])("%s", (_, change) => {
    expect(failure("Invalid", () => parse({ ...V2, ...change })).code).toBe("METADATA_INVALID");
  });

  test.each(["", "null", "[]", "{}", '{"format-version":2', '{"a":1,"a":1}', "\ufeff{}"])(
    "the text %j",
    (text) => {
      expect(failure("Invalid", () => parseTableMetadata(text)).code).toBe("METADATA_INVALID");
    },
  );
});

/** Every place of a value, as the members that lead to it. */
function places(value: JsonValue, path: readonly (string | number)[] = []): (string | number)[][] {
  const here = [[...path]];
  if (typeof value !== "object" || value === null) return here;
  return [
    ...here,
    ...Object.entries(value).flatMap(([k, v]) => places(v as JsonValue, [...path, k])),
  ];
}

function replaceAt(value: JsonValue, path: readonly (string | number)[], by: JsonValue): JsonValue {
  const [head, ...tail] = path;
  if (head === undefined) return by;
  if (Array.isArray(value)) {
    return value.map((v: JsonValue, i) => (i === Number(head) ? replaceAt(v, tail, by) : v));
  }
  const object = value as JsonObject;
  return { ...object, [head]: replaceAt(object[head] ?? null, tail, by) };
}

test("a wrong value at any place is Invalid or harmless, never anything else", () => {
  const all = places(V2);
  const wrong = fc.oneof(
    fc.constantFrom<JsonValue>(null, true, -1, 0, 2 ** 31, 2n ** 64n, 0.5, "", "x", [], {}, [null]),
    fc.constantFrom<JsonValue>([[]], [{}], { a: { b: 1 } }, { type: "struct" }, "decimal(99,1)"),
  );
  fc.assert(
    fc.property(fc.nat(all.length - 1), wrong, (index, value) => {
      const broken = replaceAt(V2, all[index] ?? [], value);
      const text = printJson(broken);
      try {
        expect(printTableMetadata(parseTableMetadata(text))).toBe(text);
      } catch (error) {
        if (!(error instanceof FirnError)) throw error;
        expect([error.kind, error.code]).toEqual(["Invalid", "METADATA_INVALID"]);
      }
    }),
    { numRuns: 600 },
  );
});
