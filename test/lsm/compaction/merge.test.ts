import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { FirnError } from "../../../src/base/error.ts";
import { sha256Hex } from "../../../src/base/hash.ts";
import { SeededPrng } from "../../../src/base/prng.ts";
import type { Merger, MergeSpec } from "../../../src/lsm/compaction/merger.ts";
import { ThreadMerger } from "../../../src/lsm/compaction/thread-merger.ts";
import { ENTRY } from "../../../src/lsm/format/cursor.ts";
import { openSst } from "../../../src/lsm/format/sst.ts";
import { SstCursor } from "../../../src/lsm/format/sst-cursor.ts";
import { InlineMerger } from "../../support/inline-merger.ts";
import { SleepIsTime } from "../../support/virtual-clock.ts";
import {
  bytesById,
  drive,
  type File,
  filesOf,
  specOf as mergeOf,
  survivors,
} from "../support/merges.ts";
import { bytesOf, type Entry, randomEntries, shown } from "../support/model.ts";
import { WholeFile } from "../support/tables.ts";

const inline = new InlineMerger(new SleepIsTime());
const thread = new ThreadMerger();
afterAll(() => thread.close());

/** Entries dealt to inputs, each a run of tables. */
function inputsOf(entries: readonly Entry[], ways: number, perTable: number, prng: SeededPrng) {
  return Array.from({ length: ways }, (_, way) =>
    filesOf(
      entries.filter((_entry, i) => (i * 7) % ways === way),
      perTable,
      prng,
      { blockBytes: 64 + 64 * way, indexPartBytes: 200 },
    ),
  ).filter((run) => run.length > 0);
}

const specOf = (inputs: readonly (readonly File[])[], parts: Partial<MergeSpec> = {}): MergeSpec =>
  mergeOf(inputs, { blockBytes: 256, tableBytes: 2_000, ...parts });

function entriesOf({ meta, bytes }: File): readonly string[] {
  const opened = openSst(bytes, { id: meta.id, fileBytes: bytes.length });
  if (opened.state === "short") throw new Error("a whole file is never short");
  const cursor = new SstCursor(opened.sst, new WholeFile(opened.sst, bytes));
  const found: string[] = [];
  for (let step = cursor.first(); step === ENTRY; step = cursor.next()) found.push(shown(cursor));
  expect(opened.sst.meta.stats).toEqual(meta.stats);
  return found;
}

const text = ({ key, sequence, kind, value }: Entry): string =>
  shown({
    key,
    sequence,
    kind,
    valueSource: value,
    valueStart: 0,
    valueEnd: value.length,
    value: () => value,
    entry: bytesOf({ key, sequence, kind, value }),
  } as Parameters<typeof shown>[0]);

describe("a merge", () => {
  it("leaves what somebody can still read, however its inputs come", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          seed: fc.nat(),
          count: fc.integer({ min: 1, max: 400 }),
          ways: fc.integer({ min: 1, max: 5 }),
          perTable: fc.integer({ min: 1, max: 200 }),
          windowBytes: fc.constantFrom(1, 300, 5_000),
          stepBytes: fc.constantFrom(1, 500, 1_000_000),
          tableBytes: fc.constantFrom(200, 3_000, 1_000_000),
          snapshots: fc.uniqueArray(fc.integer({ min: 0, max: 420 }), { maxLength: 4 }),
          dropTombstones: fc.boolean(),
          compression: fc.constantFrom("none" as const, "zstd" as const),
        }),
        async ({ seed, count, ways, perTable, snapshots, ...parts }) => {
          const prng = new SeededPrng(seed);
          const entries = randomEntries(prng, count);
          const inputs = inputsOf(entries, ways, perTable, prng);
          const offset = (entries[0]?.sequence ?? 1) - 1;
          const states = snapshots.map((at) => offset + at).sort((a, b) => a - b);
          const spec = specOf(inputs, { ...parts, snapshots: states });
          const { files } = await drive(inline, spec, bytesById(inputs), prng);
          const expected = survivors(entries, states, parts.dropTombstones).map(text);
          expect(files.flatMap(entriesOf)).toEqual(expected);
          for (const [i, { meta }] of files.entries()) {
            // All versions of a key are in one table.
            expect(files[i + 1]?.meta.stats.firstKey).not.toBe(meta.stats.lastKey);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it("does the same in a thread of its own", async () => {
    const prng = new SeededPrng(5);
    const inputs = inputsOf(randomEntries(prng, 2_000), 4, 300, prng);
    const [here, there] = await Promise.all(
      [inline, thread].map((merger: Merger) =>
        drive(merger, specOf(inputs), bytesById(inputs), new SeededPrng(9)),
      ),
    );
    const told = (files: readonly File[] = []) =>
      files.map(({ meta, bytes }) => ({ meta, hash: sha256Hex(bytes) }));
    expect(told(there?.files)).toEqual(told(here?.files));
    expect(here?.files.length).toBeGreaterThan(3);
  });

  it("reads every byte once", async () => {
    const prng = new SeededPrng(6);
    const inputs = inputsOf(randomEntries(prng, 1_000), 3, 200, prng);
    const { fedBytes } = await drive(inline, specOf(inputs), bytesById(inputs));
    expect(fedBytes).toBe(inputs.flat().reduce((sum, { bytes }) => sum + bytes.length, 0));
  });
});

describe("a merge of damaged tables", () => {
  it("takes no flipped bit, and says in which table it is", async () => {
    const prng = new SeededPrng(7);
    const inputs = inputsOf(randomEntries(prng, 120), 2, 60, prng);
    const victim = inputs[1]?.[0] as File;
    for (let at = 0; at < victim.bytes.length; at += 11) {
      const bytes = new Uint8Array(victim.bytes);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << (at % 8));
      const files = bytesById(inputs).set(victim.meta.id, bytes);
      const error = await drive(inline, specOf(inputs), files).catch((thrown: unknown) => thrown);
      expect(error, `byte ${at}`).toBeInstanceOf(FirnError);
      const { kind, code, context } = error as FirnError;
      const newer = code === "LSM_FORMAT_UNSUPPORTED";
      expect(newer ? "Unavailable" : "Corrupt", `byte ${at}`).toBe(kind);
      expect(context["table"]).toBe(victim.meta.id);
    }
  });

  it.each([inline, thread])(
    "fails where a file is shorter than described, and stays usable",
    async (merger) => {
      const prng = new SeededPrng(8);
      const inputs = inputsOf(randomEntries(prng, 200), 2, 200, prng);
      const victim = inputs[0]?.[0] as File;
      const files = bytesById(inputs).set(victim.meta.id, victim.bytes.subarray(0, 600));
      await expect(drive(merger, specOf(inputs), files)).rejects.toMatchObject({
        kind: "Corrupt",
        context: { table: victim.meta.id },
      });
      const { files: made } = await drive(merger, specOf(inputs), bytesById(inputs));
      expect(made.length).toBeGreaterThan(0);
    },
  );

  it("does not lose entries in silence where a table counts more than it holds", async () => {
    const prng = new SeededPrng(9);
    const [run = []] = inputsOf(randomEntries(prng, 100), 1, 50, prng);
    const [first, ...others] = run;
    const { meta, bytes } = first as File;
    const stats = { ...meta.stats, entries: meta.stats.entries + 1 };
    const inputs = [[{ meta: { ...meta, stats }, bytes }, ...others]];
    await expect(drive(inline, specOf(inputs), bytesById(inputs))).rejects.toMatchObject({
      kind: "Corrupt",
      code: "LSM_FILE_CORRUPT",
    });
  });

  it("tells those who wait when its thread ends", async () => {
    const merger = new ThreadMerger();
    const prng = new SeededPrng(10);
    const inputs = inputsOf(randomEntries(prng, 50), 2, 50, prng);
    const session = merger.start(specOf(inputs));
    const step = session.step({ parts: [], ids: [] });
    const ended = expect(step).rejects.toMatchObject({ code: "LSM_MERGE_STOPPED" });
    await merger.close();
    await ended;
    const { files } = await drive(merger, specOf(inputs), bytesById(inputs));
    expect(files.length).toBeGreaterThan(0);
    await merger.close();
  });
});
