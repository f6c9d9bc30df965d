import { gzipSync } from "node:zlib";
import { JSON_TEXTS } from "../http/fuzz/shapes/json.ts";
import { column, SCHEMAS, struct } from "../http/fuzz/shapes/schemas.ts";
import { many, type Size } from "../http/fuzz/shapes/size.ts";

/** A metadata file whose size or shape is hostile; `gzip` says how it is stored. */
export interface HostileMetadata {
  readonly bytes: Buffer;
  readonly gzip: boolean;
}

const SMALL = struct(column(1, "a")).replace("{", '{"schema-id":0,');
const SNAPSHOT = '"sequence-number":1,"timestamp-ms":1,"summary":{"operation":"append"}';

function snapshot(index: number): string {
  return `{"snapshot-id":${index + 1},${SNAPSHOT},"manifest-list":"@location@/s${index}.avro"}`;
}

/** A whole metadata file with members of one's own in the place of the usual ones. */
function metadata(members: Readonly<Record<string, string>>): string {
  const all: Record<string, string> = {
    "format-version": "2",
    "table-uuid": '"0193f3c4-2f5b-7a3c-8d2e-000000000001"',
    location: '"@location@"',
    "last-sequence-number": "1",
    "last-updated-ms": "1",
    "last-column-id": "30000",
    schemas: `[${SMALL}]`,
    "current-schema-id": "0",
    "partition-specs": '[{"spec-id":0,"fields":[]}]',
    "default-spec-id": "0",
    "last-partition-id": "999",
    "sort-orders": '[{"order-id":0,"fields":[]}]',
    "default-sort-order-id": "0",
    properties: "{}",
    snapshots: "[]",
    ...members,
  };
  const lines = Object.entries(all).map(([name, value]) => `${JSON.stringify(name)}:${value}`);
  return `{${lines.join(",")}}`;
}

const TEXTS: Readonly<Record<string, (size: Size) => string>> = {
  "many snapshots": (size) => metadata({ snapshots: `[${many(size.upTo(60_000), snapshot)}]` }),
  "one snapshot again and again": (size) =>
    metadata({ snapshots: `[${many(size.upTo(20_000), () => snapshot(0))}]` }),
  "many schemas": (size) => {
    const schema = (i: number): string =>
      struct(column(1, `c${i}`)).replace("{", `{"schema-id":${i},`);
    return metadata({ schemas: `[${many(size.upTo(10_000), schema)}]` });
  },
  "many specs": (size) => {
    const spec = (i: number): string => `{"spec-id":${i},"fields":[]}`;
    return metadata({ "partition-specs": `[${many(size.upTo(20_000), spec)}]` });
  },
  "many sort orders": (size) => {
    const order = (i: number): string => `{"order-id":${i},"fields":[]}`;
    return metadata({ "sort-orders": `[${many(size.upTo(20_000), order)}]` });
  },
  "a long log": (size) => {
    const entry = (i: number): string => `{"timestamp-ms":${i},"metadata-file":"@location@/${i}"}`;
    return metadata({ "metadata-log": `[${many(size.upTo(60_000), entry)}]` });
  },
  "a long snapshot log": (size) => {
    const entry = (i: number): string => `{"timestamp-ms":${i},"snapshot-id":1}`;
    const log = `[${many(size.upTo(60_000), entry)}]`;
    return metadata({ "snapshot-log": log, snapshots: `[${snapshot(0)}]` });
  },
  "many refs": (size) => {
    const ref = (i: number): string => `"r${i}":{"snapshot-id":1,"type":"branch"}`;
    const refs = `{${many(size.upTo(40_000), ref)}}`;
    return metadata({ refs, snapshots: `[${snapshot(0)}]` });
  },
  "many properties": (size) => {
    const value = "v".repeat(size.upTo(500));
    return metadata({ properties: `{${many(size.upTo(30_000), (i) => `"k${i}":"${value}"`)}}` });
  },
  "a large schema": (size) => {
    const schema = size.oneOf(Object.values(SCHEMAS))(size);
    return metadata({ schemas: `[${schema.replace("{", '{"schema-id":0,')}]` });
  },
  "an unknown member": (size) => metadata({ unknown: size.oneOf(Object.values(JSON_TEXTS))(size) }),
  "no object": (size) => size.oneOf(Object.values(JSON_TEXTS))(size),
};

/** What a few kibibytes unpack to. */
const BOMBS: Readonly<Record<string, (size: Size) => Buffer>> = {
  zeros: (size) => gzipSync(Buffer.alloc(size.upTo(400_000_000))),
  "white space": (size) => gzipSync(Buffer.alloc(size.upTo(200_000_000), 0x20)),
  "empty arrays": (size) => gzipSync(`[${"[],".repeat(size.upTo(20_000_000))}[]]`),
  "many members": (size) =>
    Buffer.concat(Array.from({ length: size.upTo(2_000) }, () => gzipSync(" ".repeat(65_536)))),
  "cut off": (size) => gzipSync(metadata({})).subarray(0, size.upTo(200)),
  "no gzip at all": (size) => Buffer.alloc(size.upTo(100_000), 0x7b),
};

/** All hostile metadata files by name; `location`: of the table that they describe. */
export const METADATA_FILES: ReadonlyMap<
  string,
  (size: Size, location: string) => HostileMetadata
> = new Map([
  ...Object.entries(TEXTS).map(
    ([name, text]) =>
      [
        name,
        (size: Size, location: string): HostileMetadata => {
          const bytes = Buffer.from(text(size).replaceAll("@location@", location));
          const gzip = size.chance(0.3);
          return { bytes: gzip ? gzipSync(bytes) : bytes, gzip };
        },
      ] as const,
  ),
  ...Object.entries(BOMBS).map(
    ([name, bomb]) => [name, (size: Size) => ({ bytes: bomb(size), gzip: true })] as const,
  ),
]);
