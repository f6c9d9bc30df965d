import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import protobuf from "protobufjs/minimal.js";
import { describe, expect, it, test } from "vitest";
import { compareUtf8 } from "../../src/base/bytes.ts";
import { FirnError } from "../../src/base/error.ts";
import { sha256Hex } from "../../src/base/hash.ts";
import { LIMITS } from "../../src/base/limits.ts";
import {
  decodeChange,
  decodeChangeEnvelope,
  encodeChange,
  encodePackedChange,
} from "../../src/catalog/codec/change.ts";
import { decodePayload, encodeContent } from "../../src/catalog/codec/entities.ts";
import { encodeEnvelope } from "../../src/catalog/codec/envelope.ts";
import { decodeReceipt, encodeReceipt } from "../../src/catalog/codec/receipt.ts";
import { decodeReport, encodeReportContent } from "../../src/catalog/codec/report.ts";
import {
  decodeSnapshot,
  decodeSnapshotSummary,
  encodeSnapshotContent,
  encodeSnapshotSummary,
} from "../../src/catalog/codec/snapshot.ts";
import { decodeSummary, encodeSummary, formatIn } from "../../src/catalog/codec/summary.ts";
import type { ChangeRecord, Entity, Properties } from "../../src/catalog/model.ts";
import * as sample from "./support/samples.ts";

const FIXTURES = join(import.meta.dirname, "..", "fixtures", "catalog");

function payload(entity: Entity): Uint8Array {
  const envelope = { ...sample.ENVELOPE, entityType: entity.type, entityId: entity.id };
  return Buffer.concat([encodeEnvelope(envelope), encodeContent(entity)]);
}

/** What one message looks like on disk, and what it must be read as. */
interface Golden {
  readonly name: string;
  readonly bytes: () => Uint8Array;
  readonly read: (bytes: Uint8Array) => unknown;
  readonly means: unknown;
}

function goldenEntity(entity: Entity): Golden {
  return {
    name: entity.type,
    bytes: () => payload(entity),
    read: (bytes) => decodePayload(entity.type, bytes),
    means: {
      envelope: { ...sample.ENVELOPE, entityType: entity.type, entityId: entity.id },
      entity,
    },
  };
}

const GOLDEN: readonly Golden[] = [
  goldenEntity(sample.ACCOUNT),
  goldenEntity(sample.CATALOG),
  goldenEntity(sample.NAMESPACE),
  goldenEntity(sample.TABLE),
  goldenEntity(sample.VIEW),
  {
    name: "summary",
    bytes: () => encodeSummary(sample.SUMMARY),
    read: decodeSummary,
    means: sample.SUMMARY,
  },
  {
    name: "snapshot",
    bytes: () =>
      Buffer.concat([
        encodeEnvelope({ ...sample.ENVELOPE, entityType: "snapshot" }),
        encodeSnapshotContent(sample.SNAPSHOT),
      ]),
    read: decodeSnapshot,
    means: {
      envelope: { ...sample.ENVELOPE, entityType: "snapshot" },
      snapshot: sample.SNAPSHOT,
    },
  },
  {
    name: "report",
    bytes: () =>
      Buffer.concat([
        encodeEnvelope({ ...sample.ENVELOPE, entityType: "report" }),
        encodeReportContent('{"report-type":"scan-report","snapshot-id":9007199254740993}'),
      ]),
    read: decodeReport,
    means: {
      envelope: { ...sample.ENVELOPE, entityType: "report" },
      report: '{"report-type":"scan-report","snapshot-id":9007199254740993}',
    },
  },
  {
    name: "snapshot-summary",
    bytes: () => encodeSnapshotSummary(sample.SNAPSHOT_SUMMARY),
    read: decodeSnapshotSummary,
    means: sample.SNAPSHOT_SUMMARY,
  },
  {
    name: "receipt",
    bytes: () => encodeReceipt(sample.RECEIPT),
    read: decodeReceipt,
    means: sample.RECEIPT,
  },
  {
    name: "change",
    bytes: () => encodeChange(sample.CHANGE),
    read: decodeChange,
    means: sample.CHANGE,
  },
];

const HEX_COLUMNS = 96;

function hexOf(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString("hex");
  const lines = hex.match(new RegExp(`.{1,${HEX_COLUMNS}}`, "g")) ?? [];
  return `${lines.join("\n")}\n`;
}

function bytesOfHex(text: string): Uint8Array {
  return Buffer.from(text.replaceAll("\n", ""), "hex");
}

/** Bytes as protobufjs hands them out may be Buffers: compared as plain arrays. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, v: unknown) => {
      if (typeof v === "bigint") return `${v}n`;
      if (v instanceof Uint8Array) return Buffer.from(v).toString("hex");
      if (
        typeof v === "object" &&
        v !== null &&
        "type" in v &&
        v.type === "Buffer" &&
        "data" in v
      ) {
        return Buffer.from(v.data as number[]).toString("hex");
      }
      return v;
    }),
  );
}

describe("golden bytes", () => {
  it.each(GOLDEN)("$name is written and read as it ever was", ({ name, bytes, read, means }) => {
    const path = join(FIXTURES, `${name}.hex`);
    if (process.env["ACCEPT_GOLDEN"] === "1") writeFileSync(path, hexOf(bytes()));
    const text = readFileSync(path, "utf8");
    expect(hexOf(bytes())).toBe(text);
    expect(plain(read(bytesOfHex(text)))).toEqual(plain(means));
  });
});

const properties: fc.Arbitrary<Properties> = fc.dictionary(
  fc.oneof(
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }),
    fc.nat({ max: 200 }).map(String),
    fc.constantFrom("__proto__", "constructor", "toString", "10", "9"),
  ),
  fc.string({ unit: "grapheme", maxLength: 8 }),
);

/** Keys of a map field as they follow each other in the bytes. */
function mapKeys(bytes: Uint8Array, field: number): readonly string[] {
  const reader = protobuf.Reader.create(bytes);
  const keys: string[] = [];
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag >>> 3 !== field) {
      reader.skipType(tag & 7);
      continue;
    }
    const entry = protobuf.Reader.create(reader.bytes());
    expect(entry.uint32()).toBe(10);
    keys.push(entry.string());
  }
  return keys;
}

describe("determinism", () => {
  test("properties come in the order of their bytes, however they were set", () => {
    fc.assert(
      fc.property(properties, fc.infiniteStream(fc.nat()), (set, order) => {
        const shuffled = Object.entries(set)
          .map((entry) => ({ entry, at: order.next().value ?? 0 }))
          .sort((a, b) => a.at - b.at)
          .map(({ entry }) => entry);
        const other: Record<string, string> = Object.fromEntries(shuffled);
        const bytes = encodeContent({ ...sample.NAMESPACE, properties: set });
        expect(encodeContent({ ...sample.NAMESPACE, properties: other })).toEqual(bytes);
        const keys = mapKeys(bytes, 4);
        expect(keys).toEqual(keys.toSorted(compareUtf8));
        expect(keys).toHaveLength(Object.keys(set).length);
      }),
    );
  });

  test("every property comes back, whatever it is called", () => {
    fc.assert(
      fc.property(properties, (set) => {
        const { entity } = decodePayload(
          "namespace",
          payload({ ...sample.NAMESPACE, properties: set }),
        );
        const read = entity.type === "namespace" ? entity.properties : {};
        expect(new Map(Object.entries(read))).toEqual(new Map(Object.entries(set)));
      }),
    );
  });
});

const int64 = fc.oneof(
  fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n }),
  fc.constantFrom(-(1n << 63n), (1n << 63n) - 1n, -1n, 0n, 1n, (1n << 53n) + 1n),
);

describe("integers", () => {
  test("a snapshot id keeps all of its 64 bits, and zero is not absence", () => {
    fc.assert(
      fc.property(fc.option(int64, { nil: undefined }), (currentSnapshotId) => {
        const { currentSnapshotId: _, ...rest } = sample.TABLE.iceberg ?? { metadataLocation: "" };
        const iceberg = {
          purgeRequested: false,
          ...rest,
          ...(currentSnapshotId === undefined ? {} : { currentSnapshotId }),
        };
        const { entity } = decodePayload("table", payload({ ...sample.TABLE, iceberg }));
        const read = entity.type === "table" ? entity.iceberg : undefined;
        expect(read?.currentSnapshotId).toBe(currentSnapshotId);
        expect(read !== undefined && "currentSnapshotId" in read).toBe(
          currentSnapshotId !== undefined,
        );
      }),
    );
  });

  test("a snapshot keeps every bit, and zero is not absence", () => {
    const absent = { nil: undefined };
    fc.assert(
      fc.property(
        int64,
        fc.option(int64, absent),
        fc.option(fc.integer(), absent),
        properties,
        (snapshotId, parentSnapshotId, schemaId, summary) => {
          const snapshot = {
            snapshotId,
            summary,
            sequenceNumber: 0n,
            timestampMs: 0,
            manifestList: "",
            operation: "",
            ...(parentSnapshotId === undefined ? {} : { parentSnapshotId }),
            ...(schemaId === undefined ? {} : { schemaId }),
          };
          const envelope = encodeEnvelope({ ...sample.ENVELOPE, entityType: "snapshot" });
          const bytes = Buffer.concat([envelope, encodeSnapshotContent(snapshot)]);
          expect(decodeSnapshot(bytes).snapshot).toEqual(snapshot);
        },
      ),
    );
  });

  test("a schema id of zero is not absence", () => {
    const envelope = encodeEnvelope({ ...sample.ENVELOPE, entityType: "snapshot" });
    for (const schemaId of [0, undefined]) {
      const snapshot = {
        snapshotId: 1n,
        summary: {},
        sequenceNumber: 0n,
        timestampMs: 0,
        manifestList: "",
        operation: "",
        ...(schemaId === undefined ? {} : { schemaId }),
      };
      const bytes = Buffer.concat([envelope, encodeSnapshotContent(snapshot)]);
      expect("schemaId" in decodeSnapshot(bytes).snapshot).toBe(schemaId === 0);
    }
  });

  test("versions keep all of their bits", () => {
    fc.assert(
      fc.property(int64, (version) => {
        const receipt = decodeReceipt(encodeReceipt({ ...sample.RECEIPT, version }));
        expect(receipt.version).toBe(version);
      }),
    );
  });

  test("what does not fit is refused, not wrapped", () => {
    for (const version of [1n << 63n, -(1n << 63n) - 1n]) {
      expect(() => encodeReceipt({ ...sample.RECEIPT, version })).toThrow(FirnError);
    }
  });

  test("a stored time past 2^53 is corrupt, not rounded", () => {
    const bytes = protobuf.Writer.create().uint32(120).int64("9007199254740993").finish();
    const summary = Buffer.concat([encodeSummary(sample.SUMMARY), bytes]);
    expect(() => decodeSummary(summary)).toThrow(
      expect.objectContaining({ kind: "Corrupt", code: "PAYLOAD_CORRUPT" }),
    );
  });
});

/** A field that this schema does not have, as raw bytes. */
function unknownField(number: number, text: string): Uint8Array {
  return protobuf.Writer.create()
    .uint32((number << 3) | 2)
    .string(text)
    .finish();
}

function contains(bytes: Uint8Array, part: Uint8Array): boolean {
  return Buffer.from(bytes).includes(Buffer.from(part));
}

describe("a newer schema", () => {
  const own = unknownField(1000, "of a newer node");
  const nested = unknownField(1001, "inside iceberg");

  it.each([sample.ACCOUNT, sample.CATALOG, sample.NAMESPACE, sample.TABLE, sample.VIEW] as const)(
    "$type: its fields survive an update by this one",
    (entity) => {
      const read = decodePayload(entity.type, Buffer.concat([payload(entity), own])).entity;
      const updated: Entity = { ...read, description: "updated" };
      const again = decodePayload(entity.type, payload(updated)).entity;
      expect(again.description).toBe("updated");
      expect(contains(encodeContent(again), own)).toBe(true);
    },
  );

  it("fields inside a nested message survive too", () => {
    // A message field that comes twice is merged: this one adds an unknown field to the first.
    const more = protobuf.Writer.create()
      .uint32((14 << 3) | 2)
      .bytes(nested)
      .finish();
    const bytes = Buffer.concat([payload(sample.TABLE), more]);
    const { entity } = decodePayload("table", bytes);
    if (entity.type !== "table") throw new Error("not a table");
    const iceberg = { metadataLocation: "elsewhere", purgeRequested: false };
    const content = encodeContent({ ...entity, iceberg });
    expect(contains(content, nested)).toBe(true);
    expect(encodeContent(entity).length).toBeGreaterThan(encodeContent(sample.TABLE).length);
  });
});

test("fields of a newer node inside a view's nested message survive", () => {
  const nested = unknownField(1001, "inside iceberg");
  const more = protobuf.Writer.create()
    .uint32((13 << 3) | 2)
    .bytes(nested)
    .finish();
  const bytes = Buffer.concat([payload(sample.VIEW), more]);
  const { entity } = decodePayload("view", bytes);
  expect(contains(encodeContent({ ...entity, name: "other" }), nested)).toBe(true);
});

type Reader = (bytes: Uint8Array) => unknown;

const READERS: readonly (readonly [string, Reader])[] = [
  ["account", (bytes) => decodePayload("account", bytes)],
  ["catalog", (bytes) => decodePayload("catalog", bytes)],
  ["namespace", (bytes) => decodePayload("namespace", bytes)],
  ["table", (bytes) => decodePayload("table", bytes)],
  ["view", (bytes) => decodePayload("view", bytes)],
  ["summary", decodeSummary],
  ["receipt", decodeReceipt],
  ["change", decodeChange],
  ["change envelope", decodeChangeEnvelope],
  ["report", decodeReport],
  ["snapshot", decodeSnapshot],
  ["snapshot summary", decodeSnapshotSummary],
];

/** Golden bytes with some of them changed, cut or doubled: nearly right is what finds holes. */
const damaged = fc
  .tuple(
    fc.constantFrom(...GOLDEN.map(({ bytes }) => bytes()), encodePackedChange(sample.CHANGE)),
    fc.array(fc.tuple(fc.nat({ max: 600 }), fc.integer({ min: 0, max: 255 })), { maxLength: 4 }),
    fc.nat({ max: 600 }),
  )
  .map(([golden, changes, cut]) => {
    const bytes = Uint8Array.from(golden);
    for (const [at, value] of changes) bytes[at % bytes.length] = value;
    return cut < bytes.length && changes.length % 2 === 0 ? bytes.subarray(0, cut) : bytes;
  });

function readOrCorrupt(read: Reader, bytes: Uint8Array): "read" | "corrupt" {
  try {
    read(bytes);
    return "read";
  } catch (error) {
    if (error instanceof FirnError && error.kind === "Corrupt") return "corrupt";
    throw error;
  }
}

/** What a transaction over so many tables records. */
function changeOf(tables: number): ChangeRecord {
  const hash = (n: number) => Buffer.from(sha256Hex(String(n)), "hex");
  const keys = Array.from({ length: tables }, (_, n) => ({
    key: `tables/by-id/${sha256Hex(`${n}`).slice(0, 36)}`,
    deleted: false,
    versionFrom: BigInt(n),
    versionTo: BigInt(n) + 1n,
    blobFrom: hash(n),
    blobTo: hash(n + 1),
  }));
  return { ...sample.CHANGE, keys };
}

describe("a packed change record", () => {
  it("says the same in less", () => {
    for (const tables of [0, 1, 20, 300]) {
      const change = changeOf(tables);
      expect(decodeChange(encodePackedChange(change))).toEqual(change);
    }
    const long = changeOf(20);
    expect(encodePackedChange(long).length).toBeLessThan(0.7 * encodeChange(long).length);
  });

  it("that holds more than any batch can is corrupt", () => {
    const bomb = zstdCompressSync(new Uint8Array(16 * 1_048_576));
    const field = protobuf.Writer.create()
      .uint32((7 << 3) | 2)
      .bytes(bomb)
      .finish();
    expect(readOrCorrupt(decodeChange, field)).toBe("corrupt");
    const torn = protobuf.Writer.create()
      .uint32((7 << 3) | 2)
      .bytes(bomb.subarray(4))
      .finish();
    expect(readOrCorrupt(decodeChange, torn)).toBe("corrupt");
  });
});

describe("malformed bytes", () => {
  it.each(READERS)("%s: read or corrupt, never a crash", (_, read) => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(fc.oneof(damaged, fc.uint8Array({ maxLength: 64 })), (bytes) => {
        seen.add(readOrCorrupt(read, bytes));
      }),
      { numRuns: 400 },
    );
    expect(seen).toContain("corrupt");
  });

  it("a payload of another type is corrupt", () => {
    expect(readOrCorrupt((b) => decodePayload("catalog", b), payload(sample.NAMESPACE))).toBe(
      "corrupt",
    );
  });

  it("so is one whose content would decode, but whose envelope says another type", () => {
    const entities = { catalog: sample.CATALOG, namespace: sample.NAMESPACE };
    for (const [type, entity] of Object.entries(entities)) {
      for (const entityType of Object.keys(entities) as (keyof typeof entities)[]) {
        // Of two envelopes the last one counts, field by field.
        const said = encodeEnvelope({ ...sample.ENVELOPE, entityType });
        const bytes = Buffer.concat([payload(entity), said]);
        const read = readOrCorrupt((b) => decodePayload(entity.type, b), bytes);
        const expected = entityType === type ? "read" : "corrupt";
        expect(read, `${type} that says ${entityType}`).toBe(expected);
      }
    }
  });

  it("a summary about what no pointer is about is corrupt", () => {
    for (const type of [0, 5 + 1, 10, 99]) {
      const field = protobuf.Writer.create().uint32(8).int32(type).finish();
      const bytes = Buffer.concat([encodeSummary(sample.SUMMARY), field]);
      expect(readOrCorrupt(decodeSummary, bytes), `entity type ${type}`).toBe("corrupt");
    }
  });
});

test("a receipt and a summary of usual size fit one write unit", () => {
  expect(encodeReceipt(sample.RECEIPT).length).toBeLessThan(LIMITS.summaryBytes / 2);
  expect(encodeSummary(sample.SUMMARY).length).toBeLessThan(LIMITS.summaryBytes / 2);
});

test("the format is found in a summary without decoding it", () => {
  const numbers = { ICEBERG: 1, ROW: 2, DELTA: 3, HUDI: 4, OTHER: 5 } as const;
  const formats = [undefined, ...(Object.keys(numbers) as (keyof typeof numbers)[])];
  const property = fc.property(
    fc.string({ maxLength: 200 }),
    fc.constantFrom(...formats),
    fc.boolean(),
    (name, format, isNamed) => {
      const { format: _, contentHash, parentId, ...rest } = sample.SUMMARY;
      const whole = { ...rest, ...(!isNamed && { contentHash, parentId }), name };
      const bytes = encodeSummary(format === undefined ? whole : { ...whole, format });
      expect(formatIn(bytes)).toBe(format === undefined ? 0 : numbers[format]);
    },
  );
  fc.assert(property);
});

test("a summary that ends in the middle of a member has no format, and one may say so", () => {
  const bytes = encodeSummary({ ...sample.SUMMARY, format: "ROW" });
  for (let end = 0; end <= bytes.length; end++) {
    const cut = bytes.subarray(0, end);
    const read = readOrCorrupt((b) => expect([0, 2]).toContain(formatIn(b)), cut);
    if (end === bytes.length) expect(read).toBe("read");
  }
  expect(formatIn(new Uint8Array())).toBe(0);
});
