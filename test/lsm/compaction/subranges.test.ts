import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SeededPrng } from "../../../src/base/prng.ts";
import type { MergeSpec } from "../../../src/lsm/compaction/merger.ts";
import { type Key, keyAfter, PUT } from "../../../src/lsm/format/entry.ts";
import { type Fragment, joinRanges } from "../../../src/lsm/format/range-map.ts";
import { InlineMerger } from "../../support/inline-merger.ts";
import { SleepIsTime } from "../../support/virtual-clock.ts";
import {
  bytesById,
  drive,
  driveCut,
  type File,
  filesOf,
  specOf as mergeOf,
} from "../support/merges.ts";
import type { Entry } from "../support/model.ts";
import { contentOf, tableOf, tablesOf, writesOf } from "../support/range-writes.ts";

const inline = new InlineMerger(new SleepIsTime());

const specOf = (inputs: readonly (readonly File[])[], parts: Partial<MergeSpec> = {}): MergeSpec =>
  mergeOf(inputs, { blockBytes: 128, tableBytes: 500, ...parts });

/** Tables of level 0, and what is older as a run of small tables, of one age or of several. */
async function inputsOf(seed: number, count: number, prng: SeededPrng) {
  const writes = writesOf(prng, count);
  const tables = tablesOf(writes, 1 + (seed % 5), prng);
  const young = tables.slice(0, seed % (tables.length + 1)).map((file) => [file]);
  const old = tables.slice(young.length).map((file) => [file]);
  const sizes = { tableBytes: 150 + (seed % 400), blockBytes: 50 };
  const run = await drive(inline, specOf(old, sizes), bytesById(old), prng);
  return { writes, inputs: [...young, run.files].filter((files) => files.length > 0) };
}

/** Keys that are there, and others beside them. */
function cutsOf(keys: readonly Key[], prng: SeededPrng, most: number): readonly Key[] {
  const cuts = new Set<Key>();
  for (let left = Math.floor(prng.float() * (most + 1)); left > 0 && keys.length > 0; left--) {
    const key = keys[Math.floor(prng.float() * keys.length)] as Key;
    const kind = prng.float();
    cuts.add(kind < 0.5 ? key : kind < 0.75 ? keyAfter(key) : `${key.slice(0, -1)}\x60`);
  }
  return [...cuts].sort();
}

/** Entries and range tombstones, whichever table they lie in. */
function allOf(files: readonly File[]) {
  const contents = files.map(contentOf);
  const ranges = contents.map((content) => content.ranges);
  return {
    entries: contents
      .flatMap((content) => content.entries)
      .map(({ key, sequence, kind, operator, expiresAtMs, value }) => [
        ...[key, sequence, kind, Buffer.from(value).toString("hex")],
        // Of use where the kind says so.
        ...[kind > PUT && operator, kind > PUT && expiresAtMs],
      ]),
    ranges: joinRanges(ranges, (all) => all),
  };
}

/** Descriptions in the order of keys, which meet at most where a tombstone was cut. */
function assertApart(files: readonly File[]): void {
  for (const [i, { meta }] of files.entries()) {
    const next = files[i + 1];
    if (next === undefined) continue;
    const { lastKey } = meta.stats;
    const { firstKey } = next.meta.stats;
    expect(lastKey <= firstKey).toBe(true);
    const { entries } = contentOf(files[i] as File);
    if (lastKey === firstKey) expect(entries.at(-1)?.key).not.toBe(lastKey);
  }
}

function entriesOf(count: number): readonly Entry[] {
  return Array.from({ length: count }, (_, i) => ({
    key: `key ${String(i).padStart(6, "0")}`,
    sequence: i + 1,
    kind: PUT,
    value: Buffer.alloc(20, i),
  }));
}

describe("a merge that is cut into subranges", () => {
  it("makes what the whole one makes, in tables that do not meet", async () => {
    const met = { cuts: 0, crossing: 0, covered: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          seed: fc.nat(),
          count: fc.integer({ min: 1, max: 150 }),
          dropTombstones: fc.boolean(),
          windowBytes: fc.constantFrom(1, 300, 5_000),
          stepBytes: fc.constantFrom(1, 500, 1_000_000),
          tableBytes: fc.constantFrom(200, 3_000, 1_000_000),
          compression: fc.constantFrom("none" as const, "zstd" as const),
          snapshots: fc.uniqueArray(fc.integer({ min: 0, max: 160 }), { maxLength: 3 }),
        }),
        async ({ seed, count, snapshots, ...parts }) => {
          const prng = new SeededPrng(seed);
          const { writes, inputs } = await inputsOf(seed, count, prng);
          const spec = specOf(inputs, { ...parts, snapshots: snapshots.sort((a, b) => a - b) });
          const keys = writes.entries.map(({ key }) => key);
          const cuts = cutsOf(keys, prng, 5);
          const whole = await drive(inline, spec, bytesById(inputs), prng);
          const cut = await driveCut(inline, spec, cuts, bytesById(inputs), prng);
          expect(allOf(cut.files)).toEqual(allOf(whole.files));
          assertApart(cut.files);
          const crosses = ({ from, to }: Fragment) => cuts.some((at) => from < at && at < to);
          met.cuts += cuts.length;
          met.crossing += allOf(cut.files).ranges.filter(crosses).length;
          const total = inputs.flat().reduce((sum, { bytes }) => sum + bytes.length, 0);
          met.covered += whole.fedBytes < total ? 1 : 0;
        },
      ),
      { numRuns: 300 },
    );
    expect(Math.min(met.cuts, met.crossing, met.covered)).toBeGreaterThan(20);
  });

  it("reads a block of each table twice where it is cut, and no more", async () => {
    const prng = new SeededPrng(6);
    const sizes = { blockBytes: 256, indexPartBytes: 300 };
    const even = entriesOf(4_000).filter((_, i) => i % 2 === 0);
    const odd = entriesOf(4_000).filter((_, i) => i % 2 === 1);
    const inputs = [filesOf(even, 700, prng, sizes), filesOf(odd, 4_000, prng, sizes)];
    const cuts = ["key 001000", "key 002001", "key 0030005"];
    const whole = await drive(inline, specOf(inputs), bytesById(inputs), prng);
    const cut = await driveCut(inline, specOf(inputs), cuts, bytesById(inputs), prng);
    // At each cut a block, a part of the index and the tail of a table of each input.
    const tails = inputs.flat().map(({ meta }) => meta.tailBytes);
    const most = 2 * cuts.length * (Math.max(...tails) + 2 * 400);
    expect(cut.fedBytes).toBeGreaterThan(whole.fedBytes);
    expect(cut.fedBytes - whole.fedBytes).toBeLessThan(most);
    expect(allOf(cut.files)).toEqual(allOf(whole.files));
  });

  it("leaves a table unread that a tombstone covers as a whole, also where it is cut", async () => {
    const prng = new SeededPrng(7);
    const run = filesOf(entriesOf(600), 200, prng);
    const range = { from: "key 0001", to: "key 0005", sequences: [1_000] };
    const young = tableOf([], [range], prng);
    const inputs = [young, run];
    const middle = run[1] as File;
    const { meta } = middle;
    // Where nothing but its tail could be read.
    const files = bytesById(inputs).set(meta.id, new Uint8Array(0));
    const cuts = ["key 000150", "key 000250", "key 000300", "key 000550"];
    const { files: made, counts } = await driveCut(inline, specOf(inputs), cuts, files, prng);
    const all = allOf(made);
    expect(all.entries.map(([key]) => key)).toEqual(
      entriesOf(600)
        .map(({ key }) => key)
        .filter((key) => key < range.from || key >= range.to),
    );
    expect(all.ranges).toEqual([range]);
    expect(counts.filter(({ table }) => table === meta.id && counts.length > 0)).toContainEqual({
      table: meta.id,
      entries: 200,
      isCovered: true,
    });
  });

  it.each([1, -1])(
    "is Corrupt where a table counts %i more than it holds, and names it",
    async (by) => {
      const prng = new SeededPrng(9);
      const run = filesOf(entriesOf(100), 50, prng);
      const [first, ...others] = run as [File, ...File[]];
      const stats = { ...first.meta.stats, entries: first.meta.stats.entries + by };
      const inputs = [[{ ...first, meta: { ...first.meta, stats } }, ...others]];
      const cuts = ["key 000020", "key 000070"];
      const merging = driveCut(inline, specOf(inputs), cuts, bytesById(inputs));
      await expect(merging).rejects.toMatchObject({
        kind: "Corrupt",
        code: "LSM_FILE_CORRUPT",
        context: { table: first.meta.id, found: 50, expected: 50 + by },
      });
    },
  );
});
