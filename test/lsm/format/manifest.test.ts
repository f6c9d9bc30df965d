import { crc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FirnError } from "../../../src/base/error.ts";
import { SeededPrng } from "../../../src/base/prng.ts";
import {
  decodeGcBoundary,
  encodeGcBoundary,
  type GcBoundary,
} from "../../../src/lsm/format/gc-boundary.ts";
import { decodeManifest, encodeManifest, type Manifest } from "../../../src/lsm/format/manifest.ts";
import type { SstMeta } from "../../../src/lsm/format/sst-meta.ts";
import { ulidOfBytes } from "../../../src/lsm/format/ulid.ts";

const number = fc.maxSafeNat();
const unknown = fc
  .array(fc.tuple(fc.integer({ min: 40, max: 300 }), fc.uint8Array({ maxLength: 9 })), {
    maxLength: 3,
  })
  .map((fields) => fields.toSorted(([a], [b]) => a - b).map(([id, bytes]) => ({ id, bytes })));

/** Tables of a seed: disjoint ids, keys that ascend, sequences up to 1,000. */
function table(n: number, extra: Manifest["unknown"]): SstMeta {
  const prng = new SeededPrng(n);
  const key = String(n).padStart(6, "\xff");
  const stats = {
    entries: 10,
    deletions: 2,
    keys: 7,
    firstKey: key,
    lastKey: `${key}\0`,
    minSequence: n,
    maxSequence: n + 3,
    rawBytes: 12_345,
    dataBlocks: 3,
    ranges: n % 3 === 0 ? n + 1 : 0,
    merges: n % 5 === 0 ? 3 : 0,
    expiring: n % 4 === 0 ? 2 : 0,
    firstExpiryMs: n % 4 === 0 ? 1_000 : 0,
    lastExpiryMs: n % 4 === 0 ? 2_000 + n : 0,
    filterParts: n % 6 === 0 ? 4 : 0,
    apart: n % 10 === 0 ? 3 : 0,
    apartBytes: n % 10 === 0 ? 120_000 : 0,
    unknown: extra,
  };
  const id = ulidOfBytes(Uint8Array.of(n & 127, ...prng.bytes(15)));
  const place = n % 7 === 0 ? { home: n % 2 === 0 ? "" : `others/${n}/` } : {};
  return { id, fileBytes: 9_000, tailBytes: 900, stats, ...place, unknown: extra };
}

const manifests = fc.record<Manifest>({
  id: number,
  writerEpoch: number,
  compactorEpoch: number,
  walFrom: number,
  lastSequence: fc.integer({ min: 2_000, max: Number.MAX_SAFE_INTEGER }),
  level0: fc
    .tuple(fc.nat(5), unknown)
    .map(([count, extra]) => Array.from({ length: count }, (_, i) => table(i, extra))),
  runs: fc.tuple(fc.nat(3), fc.integer({ min: 1, max: 20 }), unknown).map(([runs, count, extra]) =>
    Array.from({ length: runs }, (_, run) => ({
      id: 7 - run,
      tables: Array.from({ length: count }, (_, i) => table(100 + run * 300 + i, extra)),
      unknown: extra,
    })),
  ),
  operators: fc.array(fc.string({ unit: "grapheme" }), { maxLength: 3 }),
  checkpoints: fc.array(
    fc.record({
      name: fc.string({ unit: "grapheme" }),
      manifestId: number,
      sequence: number,
      createdAtMs: number,
      expiresAtMs: fc.option(number, { nil: undefined }),
      kind: fc.constantFrom("named", "reader", "clone"),
      unknown,
    }),
    { maxLength: 3 },
  ),
  samples: fc.array(fc.record({ sequence: number, timeMs: number, unknown }), { maxLength: 3 }),
  owner: fc.option(
    fc.record({
      node: fc.string(),
      host: fc.string(),
      pid: number,
      bootId: fc.string(),
      url: fc.webUrl(),
      state: fc.constantFrom("OPEN", "DRAINING", "FREE"),
      outwaits: fc.boolean(),
      unknown,
    }),
    { nil: undefined },
  ),
  parent: fc.record({
    prefix: fc.constantFrom("", "a/", "a/b c/"),
    pin: fc.string({ unit: "grapheme" }),
    manifestId: number,
    unknown,
  }),
  writtenAtMs: number,
  optionalFeatures: fc.nat(),
  unknown,
});

const boundaries = fc.record<GcBoundary>({
  id: number,
  walThrough: number,
  manifestThrough: number,
  raisedAtMs: number,
  optionalFeatures: fc.nat(),
  unknown,
});

/** A manifest with one of everything. */
function sample(): Manifest {
  const extra = [{ id: 99, bytes: Uint8Array.of(1, 2, 3) }];
  return {
    id: 12,
    writerEpoch: 4,
    compactorEpoch: 3,
    walFrom: 77,
    lastSequence: 5_000,
    level0: [table(9, extra), table(8, [])],
    runs: [{ id: 2, tables: [table(20, []), table(21, [])], unknown: [] }],
    checkpoints: [],
    operators: ["add"],
    samples: [{ sequence: 5, timeMs: 6, unknown: [] }],
    owner: undefined,
    parent: { prefix: "p/", pin: "c/1", manifestId: 3, unknown: [] },
    writtenAtMs: 1_000,
    optionalFeatures: 0,
    unknown: extra,
  };
}

function faultOf(read: () => unknown): FirnError {
  try {
    read();
  } catch (error) {
    expect(error).toBeInstanceOf(FirnError);
    return error as FirnError;
  }
  throw new Error("nothing was refused");
}

/** The same bytes with another byte and a right checksum: a newer or a hostile writer's. */
function resealed(bytes: Uint8Array, at: number, value: number): Uint8Array {
  const out = Buffer.from(bytes);
  out[at] = value;
  out.writeUInt32LE(crc32(out.subarray(0, -4)), out.length - 4);
  return out;
}

describe("a manifest", () => {
  it("is read as it was written, fields of the future included", () => {
    fc.assert(
      fc.property(manifests, (manifest) => {
        const bytes = encodeManifest(manifest);
        expect(decodeManifest(bytes)).toEqual(manifest);
        expect(encodeManifest(decodeManifest(bytes))).toEqual(bytes);
      }),
      { numRuns: 30 },
    );
  });

  it("notices every bit that flips and every byte that is missing", () => {
    const bytes = encodeManifest(sample());
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3] = flipped[bit >> 3]! ^ (1 << (bit & 7));
      expect(faultOf(() => decodeManifest(flipped))).toMatchObject({ kind: "Corrupt" });
    }
    for (let length = 0; length < bytes.length; length++) {
      const cut = bytes.subarray(0, length);
      expect(faultOf(() => decodeManifest(cut))).toMatchObject({ kind: "Corrupt" });
    }
  });

  it("made by an enemy is refused, or read as what it says", () => {
    const bytes = encodeManifest(sample());
    fc.assert(
      fc.property(fc.nat(bytes.length - 5), fc.nat(255), (at, value) => {
        const forged = resealed(bytes, at, value);
        try {
          decodeManifest(forged);
        } catch (error) {
          expect(error).toBeInstanceOf(FirnError);
          expect((error as FirnError).kind).toMatch(/^(?:Corrupt|Unavailable)$/);
        }
      }),
      { numRuns: 800 },
    );
  });

  it("of a newer version, or with a feature that has to be known, is refused as such", () => {
    const bytes = encodeManifest(sample());
    const unsupported = { kind: "Unavailable", code: "LSM_FORMAT_UNSUPPORTED" };
    expect(faultOf(() => decodeManifest(resealed(bytes, 8, 2)))).toMatchObject(unsupported);
    expect(faultOf(() => decodeManifest(resealed(bytes, 15, 0x80)))).toMatchObject(unsupported);
    expect(decodeManifest(resealed(bytes, 19, 0x40)).optionalFeatures).toBe(0x4000_0000);
  });

  it.each<readonly [string, Partial<Manifest>]>([
    ["one table twice", { level0: [table(9, []), table(9, [])] }],
    ["a table that holds what was never written", { lastSequence: 5 }],
    [
      "tables of a run that overlap",
      { runs: [{ id: 1, tables: [table(21, []), table(20, [])], unknown: [] }] },
    ],
    ["a table of others, and no parent that keeps it", { parent: undefined }],
    ["tables of a shard that is deleted", { deletedAtMs: 5 }],
    ["a run without tables", { runs: [{ id: 1, tables: [], unknown: [] }] }],
    [
      "two runs of one id",
      { runs: [20, 30].map((n) => ({ id: 1, tables: [table(n, [])], unknown: [] })) },
    ],
  ])("with %s is corrupt", (_, change) => {
    const bytes = encodeManifest({ ...sample(), ...change });
    expect(faultOf(() => decodeManifest(bytes))).toMatchObject({
      kind: "Corrupt",
      code: "LSM_FILE_CORRUPT",
      context: { file: "manifest" },
    });
  });
});

describe("a table that lies with others", () => {
  const HOSTILE = [
    "/",
    "/a/",
    "a",
    "a//",
    "../",
    "a/../",
    "a/./b/",
    "./",
    "\0/",
    `${"a".repeat(990)}/`,
  ];

  it.each(HOSTILE)("lies in a shard of the same store, and not at %j", (home) => {
    const corrupt = { kind: "Corrupt", code: "LSM_FILE_CORRUPT", context: { file: "manifest" } };
    const theirs = { ...table(9, []), home };
    const named = encodeManifest({ ...sample(), level0: [theirs] });
    expect(faultOf(() => decodeManifest(named))).toMatchObject(corrupt);
    const parent = { prefix: home, pin: "c/1", manifestId: 3, unknown: [] };
    const made = encodeManifest({ ...sample(), parent });
    expect(faultOf(() => decodeManifest(made))).toMatchObject(corrupt);
  });

  it("has to be known to whoever reads the manifest", () => {
    const without = { ...sample(), level0: [], runs: [], parent: undefined };
    const required = (manifest: Manifest) => Buffer.from(encodeManifest(manifest)).readUInt32LE(12);
    expect(required(without)).toBe(0);
    const pin = { name: "c/1", manifestId: 1, sequence: 1, createdAtMs: 1, unknown: [] };
    const clone = { ...pin, expiresAtMs: 5, kind: "clone" as const };
    expect(required({ ...without, checkpoints: [clone] })).toBe(32);
    expect(required({ ...without, parent: sample().parent })).toBe(32);
    expect(required({ ...without, deletedAtMs: 5 })).toBe(64);
  });
});

describe("a boundary", () => {
  it("is read as it was written, and is not a manifest", () => {
    fc.assert(
      fc.property(boundaries, (boundary) => {
        const bytes = encodeGcBoundary(boundary);
        expect(decodeGcBoundary(bytes)).toEqual(boundary);
        expect(faultOf(() => decodeManifest(bytes)).kind).toBe("Corrupt");
      }),
      { numRuns: 50 },
    );
  });
});
