import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { FirnError } from "../../src/base/error.ts";
import { readAvroFile } from "../../src/iceberg/avro-file.ts";
import { readManifest, readManifestList } from "../../src/iceberg/manifest.ts";
import { avroFile, type Codec, container, long, sized } from "../support/avro-writer.ts";
import { type FixtureVersion, fixtureFiles, schemaOf } from "../support/planted-table.ts";

const VERSIONS: readonly FixtureVersion[] = ["v1", "v2", "v3"];
const isList = (name: string): boolean => name.startsWith("snap-");

/** Manifest lists and manifests of a fixture. */
function avroFiles(version: FixtureVersion): readonly (readonly [string, Buffer])[] {
  return [...fixtureFiles(version)].filter(([name]) => name.endsWith(".avro"));
}

describe.each(VERSIONS)("files that PyIceberg wrote, %s", (version) => {
  it("each list names manifests that are there, and all are named", () => {
    const files = avroFiles(version);
    const named = files
      .filter(([name]) => isList(name))
      .flatMap(([, bytes]) => [...readManifestList(bytes)]);
    const directory = `file:///fixture/${version}/metadata/`;
    const expected = files.map(([name]) => name).filter((name) => !isList(name));
    const names = new Set(named.map((path) => path.slice(directory.length)));
    expect([...names].sort()).toEqual(expected.sort());
  });

  it("entries say what became of a file", () => {
    const entries = avroFiles(version)
      .filter(([name]) => !isList(name))
      .flatMap(([, bytes]) => [...readManifest(bytes)]);
    const statuses = new Set(entries.map(({ status }) => status));
    expect(statuses.has("added") && statuses.has("deleted")).toBe(true);
    for (const { path } of entries) expect(path).toMatch(/^file:\/\/\/fixture\/v\d\/data\//);
  });

  it("what is passed over is read to the same end as what is not", () => {
    for (const [, bytes] of avroFiles(version)) {
      const whole = [...readAvroFile(bytes, true)];
      expect([...readAvroFile(bytes, {})]).toHaveLength(whole.length);
      for (const codec of ["null", "deflate", "zstandard"] satisfies Codec[]) {
        const again = avroFile(schemaOf(bytes), whole, codec);
        expect([...readAvroFile(again, true)]).toEqual(whole);
      }
    }
  });
});

test("a version 3 manifest is read with its deletion vector", () => {
  const files = fixtureFiles("v3");
  const entries = (name: string) =>
    [...readManifest(files.get(name)!)].map(({ status, path }) => [status, path.split("/").at(-1)]);
  expect(entries("data-m0.avro")).toEqual([
    ["added", "added.parquet"],
    ["existing", "existing.parquet"],
    ["deleted", "deleted.parquet"],
  ]);
  expect(entries("deletes-m0.avro")).toEqual([["added", "vectors.puffin"]]);
});

test("64-bit numbers are read whole", () => {
  const [first] = [...readAvroFile(fixtureFiles("v3").get("data-m0.avro")!, true)];
  expect(first).toMatchObject({ snapshot_id: 9_007_199_254_740_993n });
});

const INVALID = { kind: "Invalid", code: "MANIFEST_INVALID" };
const refused = (bytes: Uint8Array) => expect(() => [...readManifest(bytes)]);

const NULLS = `{"type":"record","name":"r","fields":[
  {"name":"x","type":{"type":"array","items":"null"}},{"name":"status","type":"int"}]}`;
/** Thirty records, each of two of the one before: a billion values of no bytes. */
const LAUGHS = JSON.stringify({
  type: "record",
  name: "top",
  fields: [
    ...Array.from({ length: 30 }, (_, i) => ({
      name: `f${i}`,
      type: {
        type: "record",
        name: `r${i}`,
        fields: i === 0 ? [] : ["a", "b"].map((name) => ({ name, type: `r${i - 1}` })),
      },
    })),
  ],
});
const LOOP = `{"type":"record","name":"r","fields":[{"name":"next","type":["null","r"]}]}`;
const BOMB = `{"type":"record","name":"r","fields":[{"name":"status","type":"int"}]}`;

function undeflated(): Buffer {
  const bytes = container(BOMB, "deflate", 1, long(1));
  return bytes.fill(0xff, bytes.length - 18, bytes.length - 16);
}

describe("hostile files are refused, and soon", () => {
  it.each([
    ["nothing", Buffer.alloc(0)],
    ["another file", Buffer.from("PAR1, or so it says")],
    ["a list of nulls without end", container(NULLS, "null", 1, long(2n ** 62n))],
    ["skipped nulls in an array", container(NULLS, "null", 1, Buffer.concat([long(9n), long(0)]))],
    ["values of no bytes without end", container(LAUGHS, "null", 1_000_000, Buffer.alloc(0))],
    ["more values than there are", container(BOMB, "null", 2 ** 40, long(1))],
    ["a type that holds itself", container(LOOP, "null", 1, Buffer.from([2, 2, 2, 0]))],
    ["no schema", container("", "null", 1, Buffer.alloc(1))],
    ["a schema of nonsense", container('{"type":"record"}', "null", 1, Buffer.alloc(1))],
    ["a schema without an end", container("[".repeat(100_000), "null", 1, Buffer.alloc(1))],
    ["an unknown codec", container(BOMB, "lzma", 1, long(1))],
    ["a block that is not deflated", undeflated()],
    ["a text past the end", container('"string"', "null", 1, long(2n ** 40n))],
    ["a number of too many bytes", container(BOMB, "null", 1, Buffer.alloc(12, 0xff))],
    ["a manifest of numbers", container('"long"', "null", 1, long(1))],
    ["a record without a path", container(BOMB, "null", 1, long(1))],
    ["half a text", container('"string"', "null", 1, sized(Buffer.from([0xff, 0xfe])))],
  ])("%s", (_, bytes) => {
    refused(bytes).toThrow(expect.objectContaining(INVALID) as unknown as Error);
  });
});

test("whatever is changed in a real file, it is read or refused, and soon", () => {
  const files = VERSIONS.flatMap((version) => avroFiles(version).map(([, bytes]) => bytes));
  // Unpacked, so that a changed byte reaches the values.
  const plain = files.map((bytes) =>
    avroFile(schemaOf(bytes), [...readAvroFile(bytes, true)], "null"),
  );
  const part = fc.noBias(fc.nat(1_000_000)).map((millionths) => millionths / 1_000_001);
  // Mostly near the end, since values come after a long schema.
  const change = fc.tuple(
    part.map((where) => where ** 0.1),
    fc.nat(255),
  );
  const whole = { weight: 4, arbitrary: fc.constant(null) };
  let read = 0;
  let refusals = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(...plain),
      fc.array(change, { minLength: 1, maxLength: 4 }),
      fc.oneof(whole, { weight: 1, arbitrary: part }),
      (bytes, changes, cut) => {
        const hostile = Buffer.from(bytes);
        for (const [where, byte] of changes)
          hostile[Math.floor(where * (hostile.length - 1))] = byte;
        const shown =
          cut === null ? hostile : hostile.subarray(0, Math.floor(cut * hostile.length));
        for (const parse of [readManifest, readManifestList]) {
          try {
            for (const _ of parse(shown)) read++;
          } catch (error) {
            if (!(error instanceof FirnError)) throw error;
            expect(error).toMatchObject(INVALID);
            refusals++;
          }
        }
      },
    ),
    { numRuns: 1_500 },
  );
  expect(Math.min(read, refusals)).toBeGreaterThan(100);
});
