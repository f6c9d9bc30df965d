import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ENTRY } from "../../../src/lsm/format/cursor.ts";
import {
  APART,
  DELETE,
  END_OF_KEYS,
  EXPIRES,
  type Kind,
  MERGE,
  PUT,
  plainKind,
} from "../../../src/lsm/format/entry.ts";
import { decodeGcBoundary, encodeGcBoundary } from "../../../src/lsm/format/gc-boundary.ts";
import { decodeManifest, encodeManifest } from "../../../src/lsm/format/manifest.ts";
import { prefixOf } from "../../../src/lsm/format/prefix-filter.ts";
import { cutBelow } from "../../../src/lsm/format/sst-meta.ts";
import {
  decodeReference,
  decodeValue,
  encodeValue,
  referenceTo,
} from "../../../src/lsm/format/value-reference.ts";
import type { Entry } from "../support/model.ts";
import { cursorOf, openTable, partsOf, TABLE_ID, writeTable } from "../support/tables.ts";

/*
 * Files of every version stay readable for ever. These were written by the first version; a change
 * that needs another text here breaks stores that exist. What a newer version writes gets files of
 * its own beside them.
 */
const FIXTURES = new URL("../../fixtures/lsm/", import.meta.url);

const text = (letters: string): Uint8Array => Buffer.from(letters, "latin1");

/** Versions, deletions, keys with the outermost bytes, empty and long values, a far sequence. */
const ENTRIES: readonly Entry[] = [
  { key: "\0", sequence: 1, kind: PUT, value: text("") },
  { key: "account/1", sequence: 9, kind: PUT, value: text("newest") },
  { key: "account/1", sequence: 4, kind: DELETE, value: text("") },
  { key: "account/1", sequence: 2, kind: PUT, value: text("oldest") },
  { key: "account/10", sequence: 2 ** 40, kind: PUT, value: text("far") },
  { key: "k".repeat(200), sequence: 5, kind: PUT, value: text("v".repeat(300)) },
  { key: "\xff\xff", sequence: 6, kind: DELETE, value: text("") },
];

const TABLES = {
  "table-v1": { blockBytes: 64 },
  "table-v1-parts": { blockBytes: 64, indexPartBytes: 20, filterPartBytes: Infinity },
  "table-v1-zstd": { compression: "zstd" },
  "table-v1-filters": { blockBytes: 64, filterPartBytes: 16 },
} as const;

const MANIFEST = (() => {
  const { meta } = writeTable(ENTRIES, TABLES["table-v1"]);
  const other = { ...meta, id: "01JD4Y0Q3Z8K6V5T2R1P0NMHGG" };
  return {
    id: 42,
    writerEpoch: 7,
    compactorEpoch: 3,
    walFrom: 1_234,
    lastSequence: 2 ** 40,
    level0: [meta],
    runs: [{ id: 5, tables: [other], unknown: [] }],
    checkpoints: [
      {
        name: "nightly",
        manifestId: 40,
        sequence: 9,
        createdAtMs: 1_763_740_000_000,
        expiresAtMs: 1_763_840_000_000,
        kind: "named",
        unknown: [],
      },
    ],
    operators: [],
    samples: [{ sequence: 9, timeMs: 1_763_740_000_000, unknown: [] }],
    owner: {
      node: "node-1",
      host: "example",
      pid: 4_711,
      bootId: "3f0c8d6e",
      url: "http://127.0.0.1:8181",
      state: "OPEN",
      outwaits: false,
      unknown: [],
    },
    writtenAtMs: 1_763_740_000_001,
    optionalFeatures: 0,
    unknown: [{ id: 200, bytes: Uint8Array.of(1, 2, 3) }],
  } as const;
})();

const BOUNDARY = {
  id: 3,
  walThrough: 1_200,
  manifestThrough: 39,
  raisedAtMs: 1_763_740_000_002,
  optionalFeatures: 0,
  unknown: [],
} as const;

/** The stored bytes. Writes a file that is not there yet, which then has to be committed. */
function golden(name: string, made: () => Uint8Array): Buffer {
  const url = new URL(`${name}.hex`, FIXTURES);
  if (!existsSync(url)) {
    const hex = Buffer.from(made()).toString("hex");
    writeFileSync(url, `${hex.match(/.{1,80}/g)?.join("\n")}\n`);
    expect.fail(`${name}.hex was missing and has been written`);
  }
  return Buffer.from(readFileSync(url, "utf8").replaceAll("\n", ""), "hex");
}

describe("files of the first version are read as they were meant", () => {
  it.each(Object.entries(TABLES))("%s", (name, options) => {
    const bytes = golden(name, () => writeTable(ENTRIES, options).bytes);
    const cursor = cursorOf(bytes);
    const seen: { key: string; sequence: number; kind: Kind; value: string }[] = [];
    for (let step = cursor.first(); step === ENTRY; step = cursor.next()) {
      const { key, sequence, kind } = cursor;
      seen.push({ key, sequence, kind, value: Buffer.from(cursor.value()).toString("latin1") });
    }
    const meant = ENTRIES.map((entry) => {
      return { ...entry, value: Buffer.from(entry.value).toString("latin1") };
    });
    expect(seen).toEqual(meant);
    const sst = openTable(bytes);
    expect(sst.id).toBe(TABLE_ID);
    const isParted = name === "table-v1-parts" || name === "table-v1-filters";
    expect(sst.index.level).toBe(isParted ? 1 : 0);
    expect(sst.stats).toMatchObject({ entries: 7, deletions: 2, keys: 5, maxSequence: 2 ** 40 });
    expect(ENTRIES.every(({ key }) => sst.mayContain(key))).toBe(true);
    const filters = name === "table-v1-filters" ? partsOf(bytes) : [sst];
    for (const { filter } of filters) expect(filter?.mayContain("account/2")).toBe(false);
    for (const { key } of ENTRIES) {
      expect(filters.some(({ filter }) => filter?.mayContain(key))).toBe(true);
    }
  });

  it("manifest", () => {
    const bytes = golden("manifest-v1", () => encodeManifest(MANIFEST));
    expect(decodeManifest(bytes)).toEqual(MANIFEST);
  });

  it("boundary", () => {
    const bytes = golden("boundary-v1", () => encodeGcBoundary(BOUNDARY));
    expect(decodeGcBoundary(bytes)).toEqual(BOUNDARY);
  });
});

/** What later features added: each in files of its own. */
describe("tables with range tombstones are read as they were meant", () => {
  const RANGES = [
    { from: "\0", to: "account/1\0", sequences: [2 ** 41, 3] },
    { from: "b", to: "k".repeat(200), sequences: [7] },
    { from: "\xff\xff\xff", to: END_OF_KEYS, sequences: [8] },
  ];

  it.each([
    ["table-v1-ranges", ENTRIES],
    ["table-v1-ranges-alone", []],
  ] as const)("%s", (name, entries) => {
    const { bytes: made } = writeTable(entries, TABLES["table-v1"], RANGES);
    const bytes = golden(name, () => made);
    expect(made.toString("hex")).toBe(bytes.toString("hex"));
    const sst = openTable(bytes);
    expect(sst.ranges?.fragments()).toEqual(RANGES);
    const { firstKey, lastKey } = sst.stats;
    expect([firstKey, lastKey]).toEqual(["\0", END_OF_KEYS]);
    expect(sst.stats).toMatchObject({ entries: entries.length, ranges: 3, maxSequence: 2 ** 41 });
    // Byte 28 of the footer: who does not know them refuses the table.
    expect(bytes.readUInt32LE(bytes.length - 116 + 28)).toBe(2);
  });

  it("manifest-v1-ranges", () => {
    const { meta } = writeTable(ENTRIES, TABLES["table-v1"], RANGES);
    const manifest = { ...MANIFEST, level0: [meta], lastSequence: 2 ** 41 };
    const bytes = golden("manifest-v1-ranges", () => encodeManifest(manifest));
    expect(decodeManifest(bytes)).toEqual(manifest);
    expect(bytes.readUInt32LE(12)).toBe(2);
  });
});

describe("tables with a filter of prefixes are read as they were meant", () => {
  it.each([
    ["table-v1-prefix-bytes", { bytes: 3 }, ["acc", "kkk"], "account/2", "abc"],
    ["table-v1-prefix-separator", { separator: 0x2f }, ["account/"], "account/2", "a/"],
  ] as const)("%s", (name, rule, prefixes, key, other) => {
    const { bytes: made } = writeTable(ENTRIES, { blockBytes: 64, prefixes: rule });
    const bytes = golden(name, () => made);
    expect(made.toString("hex")).toBe(bytes.toString("hex"));
    const filter = openTable(bytes).prefixes;
    expect(filter?.rule).toEqual(rule);
    expect(prefixes.every((prefix) => filter?.mayContain(prefix))).toBe(true);
    expect(prefixOf(rule, key)).toBe(prefixes[0]);
    expect(filter?.mayContain(other)).toBe(false);
    // Byte 32 of the footer: whoever does not know it passes it over.
    const footerAt = bytes.length - 116;
    expect([bytes.readUInt32LE(footerAt + 28), bytes.readUInt32LE(footerAt + 32)]).toEqual([0, 1]);
  });
});

describe("what is written today", () => {
  it.each(["table-v1", "table-v1-parts"] as const)("is still %s, byte for byte", (name) => {
    const { bytes } = writeTable(ENTRIES, TABLES[name]);
    expect(bytes.toString("hex")).toBe(golden(name, () => bytes).toString("hex"));
  });

  it("is still manifest and boundary of version 1", () => {
    const manifest = Buffer.from(encodeManifest(MANIFEST));
    expect(manifest.equals(golden("manifest-v1", () => manifest))).toBe(true);
    const boundary = Buffer.from(encodeGcBoundary(BOUNDARY));
    expect(boundary.equals(golden("boundary-v1", () => boundary))).toBe(true);
  });
});

describe("tables with operands and what expires are read as they were meant", () => {
  const OTHERS: readonly Entry[] = [
    { key: "a", sequence: 9, kind: MERGE, operator: 1, value: text("operand") },
    { key: "a", sequence: 8, kind: (EXPIRES | MERGE) as Kind, expiresAtMs: 300, value: text("") },
    {
      key: "a",
      sequence: 7,
      kind: (EXPIRES | PUT) as Kind,
      expiresAtMs: 1_763_740_000_000,
      value: text("until then"),
    },
    { key: "a", sequence: 3, kind: DELETE, value: text("") },
    { key: "b".repeat(70), sequence: 2 ** 40, kind: MERGE, operator: 255, value: text("far") },
  ];

  it("table-v1-others", () => {
    const { bytes: made } = writeTable(OTHERS, { blockBytes: 64 });
    const bytes = golden("table-v1-others", () => made);
    expect(made.toString("hex")).toBe(bytes.toString("hex"));
    const cursor = cursorOf(bytes);
    const seen: Entry[] = [];
    for (let step = cursor.first(); step === ENTRY; step = cursor.next()) {
      const { key, sequence, kind, operator, expiresAtMs } = cursor;
      seen.push({ key, sequence, kind, operator, expiresAtMs, value: cursor.value() });
    }
    const plain = ({ value, operator = 0, expiresAtMs = 0, ...rest }: Entry) => {
      const what = kindOf(rest.kind);
      const operand = what.isMerge ? operator : 0;
      return { ...rest, operand, expiresAtMs: what.expires ? expiresAtMs : 0, value: hexOf(value) };
    };
    expect(seen.map(plain)).toEqual(OTHERS.map(plain));
    const { stats } = openTable(bytes);
    expect(stats).toMatchObject({ entries: 5, merges: 3, expiring: 2, deletions: 1 });
    expect(stats).toMatchObject({ firstExpiryMs: 300, lastExpiryMs: 1_763_740_000_000 });
    expect(bytes.readUInt32LE(bytes.length - 116 + 28)).toBe(5);
  });

  it("manifest-v1-others", () => {
    const { meta } = writeTable(OTHERS, { blockBytes: 64 });
    const manifest = { ...MANIFEST, level0: [meta], operators: ["add", "max", "set-union"] };
    const bytes = golden("manifest-v1-others", () => encodeManifest(manifest));
    expect(decodeManifest(bytes)).toEqual(manifest);
    expect(bytes.readUInt32LE(12)).toBe(5);
  });
});

describe("values apart are read as they were meant", () => {
  const VALUE = text("a long value, ".repeat(20));
  const OTHER = "01JD4Y0Q3Z8K6V5T2R1P0NMHEE";
  const entries: readonly Entry[] = [
    { key: "a", sequence: 9, kind: (APART | PUT) as Kind, value: referenceTo(TABLE_ID, VALUE) },
    {
      key: "a",
      sequence: 2,
      kind: (APART | EXPIRES | PUT) as Kind,
      expiresAtMs: 1_763_740_000_000,
      value: referenceTo(OTHER, text("x")),
    },
    { key: "b", sequence: 3, kind: PUT, value: text("short") },
  ];

  it("table-v1-values", () => {
    const { bytes: made } = writeTable(entries, { blockBytes: 64 });
    const bytes = golden("table-v1-values", () => made);
    expect(made.toString("hex")).toBe(bytes.toString("hex"));
    const cursor = cursorOf(bytes);
    const found: unknown[] = [];
    for (let step = cursor.first(); step === ENTRY; step = cursor.next()) {
      const { id, bytes: long } =
        cursor.kind > PUT ? decodeReference(cursor) : { id: "", bytes: 0 };
      found.push([cursor.key, cursor.sequence, cursor.kind, id, long]);
    }
    expect(found).toEqual([
      ["a", 9, 0x21, TABLE_ID, VALUE.length],
      ["a", 2, 0x31, OTHER, 1],
      ["b", 3, PUT, "", 0],
    ]);
    const sst = openTable(bytes);
    expect(sst.stats).toMatchObject({ entries: 3, expiring: 1, apart: 2, apartBytes: 281 });
    expect(sst.stats.rawBytes).toBe(1 + 280 + 1 + 1 + 1 + 5);
    expect(sst.apartIds()).toEqual([TABLE_ID, OTHER]);
    // Bits 2 and 3: who does not know one of them refuses the table.
    expect(bytes.readUInt32LE(bytes.length - 116 + 28)).toBe(12);
  });

  it.each(["none", "zstd"] as const)("value-v1-%s", (compression) => {
    const made = Buffer.from(encodeValue(TABLE_ID, VALUE, compression));
    const bytes = golden(`value-v1-${compression}`, () => made);
    if (compression === "none") expect(made.toString("hex")).toBe(bytes.toString("hex"));
    else expect(bytes.length).toBeLessThan(VALUE.length / 2);
    const reference = referenceTo(TABLE_ID, VALUE);
    const entry = { valueSource: reference, valueStart: 0, valueEnd: reference.length };
    expect(hexOf(decodeValue(bytes, decodeReference(entry)))).toBe(hexOf(VALUE));
  });

  it("manifest-v1-values", () => {
    const { meta } = writeTable(entries, { blockBytes: 64 });
    const manifest = { ...MANIFEST, level0: [meta] };
    const bytes = golden("manifest-v1-values", () => encodeManifest(manifest));
    expect(decodeManifest(bytes)).toEqual(manifest);
    expect(bytes.readUInt32LE(12)).toBe(12);
  });
});

describe("manifests of clones, and of those that they were made of, are read as meant", () => {
  const CLONE = "clones/a/01JD4Y0Q3Z8K6V5T2R1P0NMHAA";

  it("manifest-v1-clone", () => {
    const { meta } = writeTable(ENTRIES, TABLES["table-v1"]);
    const ids = ["01JD4Y0Q3Z8K6V5T2R1P0NMHBB", "01JD4Y0Q3Z8K6V5T2R1P0NMHCC"];
    const [theirs, root] = ids.map((id) => ({ ...meta, id }));
    const manifest = {
      ...MANIFEST,
      level0: [meta, { ...theirs!, home: "parents/ä/" }],
      runs: [{ id: 5, tables: [{ ...root!, home: "" }], unknown: [] }],
      parent: { prefix: "parents/ä/", pin: CLONE, manifestId: 9, unknown: [] },
    };
    const bytes = golden("manifest-v1-clone", () => encodeManifest(manifest));
    expect(decodeManifest(bytes)).toEqual(manifest);
    expect(Buffer.from(encodeManifest(manifest)).equals(bytes)).toBe(true);
    expect(bytes.readUInt32LE(12)).toBe(32);
  });

  it("manifest-v1-parent", () => {
    const pin = { manifestId: 9, sequence: 7, createdAtMs: 1_000, unknown: [] };
    const checkpoints = [
      { ...pin, name: CLONE, expiresAtMs: undefined, kind: "clone" as const },
      { ...pin, name: "other/", expiresAtMs: 601_000, kind: "clone" as const },
    ];
    const manifest = { ...MANIFEST, checkpoints };
    const bytes = golden("manifest-v1-parent", () => encodeManifest(manifest));
    expect(decodeManifest(bytes)).toEqual(manifest);
    expect(Buffer.from(encodeManifest(manifest)).equals(bytes)).toBe(true);
    expect(bytes.readUInt32LE(12)).toBe(32);
  });
});

it("a manifest amid a compaction is read as meant", () => {
  const { meta } = writeTable(ENTRIES, TABLES["table-v1"]);
  const [made, other] = ["01JD4Y0Q3Z8K6V5T2R1P0NMHBB", "01JD4Y0Q3Z8K6V5T2R1P0NMHCC"];
  const rest = cutBelow(meta, "b", 3);
  const manifest = {
    ...MANIFEST,
    level0: [rest],
    runs: [
      { id: 7, tables: [{ ...meta, id: made! }], unknown: [] },
      { id: 5, tables: [{ ...meta, id: other! }], unknown: [] },
    ],
    unfinished: {
      reason: "level0" as const,
      into: 7,
      tables: [meta.id],
      unknown: [{ id: 9, bytes: Uint8Array.of(1) }],
    },
  };
  const bytes = golden("manifest-v1-unfinished", () => encodeManifest(manifest));
  expect(decodeManifest(bytes)).toEqual(manifest);
  expect(Buffer.from(encodeManifest(manifest)).equals(bytes)).toBe(true);
  expect(bytes.readUInt32LE(12)).toBe(256);
  // Either of the two refuses an older version: it would read, or compact, what was taken.
  for (const one of [
    { ...manifest, unfinished: undefined },
    { ...manifest, level0: [meta] },
  ]) {
    expect(Buffer.from(encodeManifest(one)).readUInt32LE(12)).toBe(256);
  }
  const odd = { ...manifest.unfinished, tables: ["01JD4Y0Q3Z8K6V5T2R1P0NMHDD"] };
  for (const wrong of [odd, { ...odd, tables: [meta.id, meta.id] }, { ...odd, into: 9 }]) {
    const encoded = encodeManifest({ ...manifest, unfinished: wrong });
    expect(() => decodeManifest(encoded)).toThrow("an unfinished compaction of other tables");
  }
  const outside = { ...rest, stats: { ...rest.stats, entries: meta.stats.entries + 1 } };
  const encoded = encodeManifest({ ...manifest, level0: [outside] });
  expect(() => decodeManifest(encoded)).toThrow("no rest of its file");
});

it("the last manifest of a shard that was deleted is read as meant", () => {
  const nothing = { level0: [], runs: [], checkpoints: [], samples: [] };
  const manifest = { ...MANIFEST, ...nothing, deletedAtMs: 1_763_740_000_000 };
  const bytes = golden("manifest-v1-deleted", () => encodeManifest(manifest));
  expect(decodeManifest(bytes)).toEqual(manifest);
  expect(Buffer.from(encodeManifest(manifest)).equals(bytes)).toBe(true);
  expect(bytes.readUInt32LE(12)).toBe(64);
});

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

function kindOf(kind: Kind): { readonly isMerge: boolean; readonly expires: boolean } {
  return { isMerge: plainKind(kind) === MERGE, expires: (kind & EXPIRES) !== 0 };
}
