import { crc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FirnError } from "../../../src/base/error.ts";
import { SeededPrng } from "../../../src/base/prng.ts";
import { fileSeed, openFrame } from "../../../src/lsm/format/block-frame.ts";
import { BloomFilter } from "../../../src/lsm/format/bloom.ts";
import { ENTRY } from "../../../src/lsm/format/cursor.ts";
import { DataBlock } from "../../../src/lsm/format/data-block.ts";
import { DataBlockCursor } from "../../../src/lsm/format/data-block-cursor.ts";
import { END_OF_KEYS, isBefore, MAX_SEQUENCE, PUT } from "../../../src/lsm/format/entry.ts";
import { readIndexBlock } from "../../../src/lsm/format/index-block.ts";
import { Drain, RowRoom } from "../../../src/lsm/format/packed-rows.ts";
import { openSst } from "../../../src/lsm/format/sst.ts";
import { bytesOfUlid } from "../../../src/lsm/format/ulid.ts";
import { blockOf, type Entry, inOrder, randomEntries } from "../support/model.ts";
import { cursorOf, sealFrame, TABLE_ID, writeTable } from "../support/tables.ts";

/** Every entry of a file, forwards, backwards and by seeks. */
function readAll(bytes: Uint8Array): readonly string[] {
  const cursor = cursorOf(bytes);
  const seen: string[] = [];
  for (let step = cursor.first(); step === ENTRY; step = cursor.next()) seen.push(cursor.key);
  for (let step = cursor.last(); step === ENTRY; step = cursor.prev()) seen.push(cursor.key);
  for (const key of ["", "a", "b\xff"]) if (cursor.seek(key) === ENTRY) seen.push(cursor.key);
  return seen;
}

/** What reading ends in: its answer, or `Corrupt`. Anything else fails the test. */
function outcome<T>(read: () => T): T | "corrupt" {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof FirnError)) throw error;
    expect(error).toMatchObject({ kind: "Corrupt", code: "LSM_FILE_CORRUPT" });
    expect(error.context).toMatchObject({ file: "sst", part: expect.any(String) });
    expect(error.context["offset"]).toEqual(expect.any(Number));
    return "corrupt";
  }
}

const SHAPES = [
  { blockBytes: 40 },
  { blockBytes: 40, indexPartBytes: 20, filterBitsPerKey: 0 },
  { blockBytes: 40, filterPartBytes: 16 },
  { blockBytes: 300, compression: "zstd", prefixes: { bytes: 2 } },
] as const;

const RANGES = [
  { from: "a", to: "ab", sequences: [100, 3] },
  { from: "b", to: END_OF_KEYS, sequences: [4] },
] as const;

describe("a damaged table", () => {
  it.each(SHAPES)("is noticed at every bit that flips: %j", (options) => {
    const { bytes } = writeTable(randomEntries(new SeededPrng(4), 9, 0.4), options, RANGES);
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3] = flipped[bit >> 3]! ^ (1 << (bit & 7));
      if (outcome(() => readAll(flipped)) !== "corrupt") expect.fail(`bit ${bit} went unnoticed`);
    }
  });

  it.each(SHAPES)("is noticed wherever it is cut, or goes on: %j", (options) => {
    const { bytes } = writeTable(randomEntries(new SeededPrng(4), 9, 0.4), options, RANGES);
    for (let length = 0; length < bytes.length; length++) {
      expect(outcome(() => readAll(bytes.subarray(0, length)))).toBe("corrupt");
    }
    const longer = Buffer.concat([bytes.subarray(0, 10), bytes]);
    expect(outcome(() => readAll(longer))).toBe("corrupt");
    expect(outcome(() => readAll(Buffer.concat([bytes, bytes])))).toBe("corrupt");
  });

  it("is not mistaken for another one", () => {
    const { bytes, meta } = writeTable(randomEntries(new SeededPrng(4), 24));
    const other = "01JD4Y0Q3Z8K6V5T2R1P0NMHGG";
    expect(outcome(() => openSst(bytes, { id: other }))).toBe("corrupt");
    const longer = { id: meta.id, fileBytes: meta.fileBytes + 1 };
    expect(outcome(() => openSst(bytes, longer))).toBe("corrupt");
  });

  it("does not pass a block that lies in another place, or in another table", () => {
    const seed = fileSeed(bytesOfUlid(TABLE_ID));
    const frame = sealFrame(Buffer.from("content"), "none", seed, 100);
    expect(outcome(() => openFrame(frame, seed, 100, "block"))).not.toBe("corrupt");
    expect(outcome(() => openFrame(frame, seed, 200, "block"))).toBe("corrupt");
    expect(outcome(() => openFrame(frame, seed + 1, 100, "block"))).toBe("corrupt");
  });
});

/** A frame with any codec and any length, and a right checksum. */
function forgedFrame(stored: Uint8Array, codec: number, contentBytes: number): Uint8Array {
  const out = Buffer.alloc(stored.length + 9);
  out.set(stored);
  out[stored.length] = codec;
  out.writeUInt32LE(contentBytes, stored.length + 1);
  out.writeUInt32LE(crc32(out.subarray(0, -4), 0), stored.length + 5);
  return out;
}

/** Every move over a block, each of which has to keep the order. */
function walk(content: Uint8Array): "walked" {
  const cursor = new DataBlockCursor();
  cursor.reset(new DataBlock(content, 0));
  let key = "";
  let sequence = MAX_SEQUENCE;
  let entries = 0;
  while (cursor.next()) {
    if (entries > 0) expect(isBefore(key, sequence, cursor.key, cursor.sequence)).toBe(true);
    ({ key, sequence } = cursor);
    expect(cursor.valueEnd).toBeLessThanOrEqual(content.length);
    entries++;
  }
  expect(entries).toBeLessThan(content.length);
  if (cursor.last()) while (cursor.prev()) entries--;
  for (const target of ["", "a", "k".repeat(40), "\xff"]) {
    if (cursor.seek(target, MAX_SEQUENCE)) cursor.prev();
    // The first look-up goes step by step, the second one checks the block before it does not.
    for (let again = 0; again < 3; again++) {
      if (cursor.find(target, MAX_SEQUENCE)) expect(cursor.key).toBe(target);
    }
  }
  return "walked";
}

/** Rows of a block, by steps alone or by drains, as far as they can be read. */
function readRows(content: Uint8Array, drains: boolean): readonly string[] {
  const cursor = new DataBlockCursor();
  const rows: string[] = [];
  const drain = new Drain(new RowRoom(7));
  drain.most = 7;
  drain.mostSteps = 50;
  // A forged block may say sequences that no reader asks for.
  drain.snapshot = Number.POSITIVE_INFINITY;
  let before: string | undefined;
  outcome(() => {
    cursor.reset(new DataBlock(content, 0));
    for (let goesOn = cursor.first(); goesOn; goesOn = cursor.next()) {
      const { key, kind, valueStart, valueEnd } = cursor;
      if (key !== before && kind === PUT) rows.push(`${key} ${valueStart} ${valueEnd}`);
      before = key;
      if (!drains) continue;
      drain.rows.count = 0;
      drain.steps = 0;
      drain.isDecided = true;
      const refused = outcome(() => cursor.drain(drain)) === "corrupt";
      const { count, keys, keyEnds, valueStarts, valueEnds } = drain.rows;
      for (let i = 0; i < count; i++) {
        const text = Buffer.from(keys.subarray(i === 0 ? 0 : keyEnds[i - 1], keyEnds[i]));
        rows.push(`${text.toString("latin1")} ${valueStarts[i]} ${valueEnds[i]}`);
      }
      if (refused) return;
      before = cursor.key;
    }
  });
  return rows;
}

const block = blockOf(inOrder(randomEntries(new SeededPrng(9), 60, 0.4)), 4_096);

describe("a table made by an enemy, with right checksums", () => {
  it("has blocks that are refused or read in order", () => {
    expect(outcome(() => walk(block))).toBe("walked");
    let refused = 0;
    fc.assert(
      fc.property(fc.nat(block.length - 1), fc.nat(255), fc.nat(3), (at, value, more) => {
        const forged = new Uint8Array(block);
        for (let i = at; i <= at + more && i < forged.length; i++) forged[i] = value + i;
        if (outcome(() => walk(forged)) === "corrupt") refused++;
        expect(readRows(forged, true)).toEqual(readRows(forged, false));
      }),
      { numRuns: 1_000 },
    );
    expect(refused).toBeGreaterThan(100);
  });

  it("has blocks of any bytes at all", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        outcome(() => walk(bytes));
        expect(readRows(bytes, true)).toEqual(readRows(bytes, false));
        outcome(() => readIndexBlock(bytes, "index", {}));
        outcome(() => new BloomFilter(bytes).mayContain("key"));
      }),
      { numRuns: 1_000 },
    );
  });

  it("has entries out of order, or that end outside", () => {
    const small: Entry[] = [
      { key: "a", sequence: 5, kind: PUT, value: Uint8Array.of(1) },
      { key: "b", sequence: 4, kind: PUT, value: Uint8Array.of(2) },
    ];
    const good = Buffer.from(blockOf(small, 100));
    const [first, second] = [8 + 5, 8 + 7 + 5];
    expect([good[first], good[second]]).toEqual([0x61, 0x62]);
    const forged = (at: number, value: number): Uint8Array => {
      const out = Buffer.from(good);
      out[at] = value;
      return out;
    };
    for (const [what, bytes] of Object.entries({
      "one key, its older version behind": forged(second, 0x61),
      "a smaller key": forged(second, 0x60),
      "a longer value": forged(second - 3, 0x40),
      "an unknown kind": forged(second - 2, 2),
      "a flag of the future": forged(second - 2, 0x11),
      "a share of more than the key": forged(second - 5, 2),
      "a restart point elsewhere": forged(good.length - 8, 9),
      "more restart points than bytes": forged(good.length - 4, 200),
    })) {
      const expected = what.startsWith("one key") ? "walked" : "corrupt";
      expect([what, outcome(() => walk(bytes))]).toEqual([what, expected]);
    }
    const newer = Buffer.from(forged(second, 0x61));
    newer[second - 1] = 2;
    expect(outcome(() => walk(newer))).toBe("corrupt");
  });
});

describe("a table that lies about its sizes, with right checksums", () => {
  it("has content that unpacks to more than it says, or says more than any block has", () => {
    const bomb = sealFrame(new Uint8Array(8 * 1024 * 1024), "zstd", 0, 0);
    expect(bomb.length).toBeLessThan(10_000);
    const stored = bomb.subarray(0, bomb.length - 9);
    expect(outcome(() => openFrame(bomb, 0, 0, "block")).length).toBe(8 * 1024 * 1024);
    for (const said of [0, 100, 8 * 1024 * 1024 - 1, 8 * 1024 * 1024 + 1, 0xffff_ffff]) {
      const forged = forgedFrame(stored, 1, said);
      expect(outcome(() => openFrame(forged, 0, 0, "block"))).toBe("corrupt");
    }
    for (const codec of [0, 2, 255]) {
      const forged = forgedFrame(stored, codec, 100);
      expect(outcome(() => openFrame(forged, 0, 0, "block"))).toBe("corrupt");
    }
    const noise = forgedFrame(new SeededPrng(1).bytes(50), 1, 50);
    expect(outcome(() => openFrame(noise, 0, 0, "block"))).toBe("corrupt");
  });

  it("has a footer, an index or statistics that say anything", () => {
    const { bytes, meta } = writeTable(randomEntries(new SeededPrng(4), 24), { blockBytes: 40 });
    const footerAt = bytes.length - 116;
    fc.assert(
      fc.property(fc.nat(103), fc.nat(255), (at, value) => {
        const forged = Buffer.from(bytes);
        forged[footerAt + at] = value;
        forged.writeUInt32LE(crc32(forged.subarray(footerAt, footerAt + 104)), footerAt + 104);
        try {
          openSst(forged, meta);
        } catch (error) {
          expect(error).toBeInstanceOf(FirnError);
          expect((error as FirnError).kind).toMatch(/^(?:Corrupt|Unavailable)$/);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it("of a newer version is refused as such", () => {
    const { bytes, meta } = writeTable(randomEntries(new SeededPrng(4), 24));
    const footerAt = bytes.length - 116;
    for (const [at, value] of [
      [36, 2],
      [28, 16],
      [31, 0x80],
    ] as const) {
      const forged = Buffer.from(bytes);
      forged[footerAt + at] = value;
      forged.writeUInt32LE(crc32(forged.subarray(footerAt, footerAt + 104)), footerAt + 104);
      expect(() => openSst(forged, meta)).toThrow(
        expect.objectContaining({ kind: "Unavailable", code: "LSM_FORMAT_UNSUPPORTED" }),
      );
    }
    const optional = Buffer.from(bytes);
    optional[footerAt + 32] = 2;
    optional.writeUInt32LE(crc32(optional.subarray(footerAt, footerAt + 104)), footerAt + 104);
    expect(openSst(optional, meta).state).toBe("open");
  });
});

describe("a filter", () => {
  it("is wrong about one absent key in a hundred, and never about one that it holds", () => {
    const count = 20_000;
    const entries = Array.from({ length: count }, (_, i) => {
      return {
        key: `user:${i * 7}`,
        sequence: i + 1,
        kind: PUT,
        value: new Uint8Array(0),
      } as const;
    });
    const { bytes } = writeTable(entries, { filterPartBytes: Number.POSITIVE_INFINITY });
    const opened = openSst(bytes, { id: TABLE_ID });
    if (opened.state === "short") expect.fail("a whole file is never short");
    const { filter } = opened.sst;
    expect(entries.every(({ key }) => filter?.mayContain(key))).toBe(true);
    const wrong = entries.filter((_, i) => filter?.mayContain(`user:${i * 7 + 3}`)).length;
    expect(wrong / count).toBeLessThan(0.012);
    expect(wrong / count).toBeGreaterThan(0.004);
  });
});
