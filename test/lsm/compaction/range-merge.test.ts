import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FirnError } from "../../../src/base/error.ts";
import { SeededPrng } from "../../../src/base/prng.ts";
import type { MergeSpec } from "../../../src/lsm/compaction/merger.ts";
import { type Key, MAX_SEQUENCE, PUT, type Sequence } from "../../../src/lsm/format/entry.ts";
import { InlineMerger } from "../../support/inline-merger.ts";
import { SleepIsTime } from "../../support/virtual-clock.ts";
import { drive, type File, specOf as mergeOf } from "../support/merges.ts";
import { type Entry, visibleAt } from "../support/model.ts";
import {
  type Content,
  contentOf,
  tablesOf,
  type Writes,
  writesOf,
} from "../support/range-writes.ts";

const inline = new InlineMerger(new SleepIsTime());

/** What a state shows of a key: nothing, a value, or that it cannot be told. */
function shown(left: readonly Entry[], state: Sequence): string {
  try {
    const [row] = visibleAt(left, state);
    return row === undefined ? "nothing" : Buffer.from(row.value).toString("hex");
  } catch (error) {
    return (error as FirnError).code;
  }
}

/** Of a key what no range tombstone hides from a state. */
function leftOf({ entries, ranges }: Writes, key: Key, state: Sequence): readonly Entry[] {
  const isHidden = (one: Entry): boolean =>
    ranges.some(
      ({ from, to, sequence }) =>
        sequence <= state && sequence > one.sequence && key >= from && key < to,
    );
  return entries.filter((one) => one.key === key && !isHidden(one));
}

/** As a reader looks it up: a table's tombstones hide what it holds, and what lies below. */
function foundIn(
  tables: readonly Content[],
  below: readonly Content[],
  key: Key,
  state: Sequence,
): string {
  const own = tables.flatMap((table) => leftOf(writesIn(table), key, state));
  const ranges = [...tables, ...below].flatMap((table) => writesIn(table).ranges);
  const entries = below.flatMap((table) => table.entries);
  return shown([...own, ...leftOf({ entries, ranges }, key, state)], state);
}

function writesIn({ entries, ranges }: Content): Writes {
  const all = ranges.flatMap(({ from, to, sequences }) =>
    sequences.map((sequence) => ({ from, to, sequence })),
  );
  return { entries, ranges: all };
}

const specOf = (files: readonly File[], parts: Partial<MergeSpec>): MergeSpec =>
  mergeOf(
    files.map((file) => [file]),
    { blockBytes: 256, tableBytes: 600, ...parts },
  );

describe("a merge of range tombstones, operands and what expires", () => {
  it("shows in every state what its inputs show, in tables that do not meet", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          seed: fc.nat(),
          count: fc.integer({ min: 1, max: 120 }),
          ages: fc.integer({ min: 1, max: 5 }),
          dropTombstones: fc.boolean(),
          snapshots: fc.uniqueArray(fc.integer({ min: 0, max: 130 }), { maxLength: 3 }),
        }),
        async ({ seed, count, ages, dropTombstones, ...rest }) => {
          const prng = new SeededPrng(seed);
          const writes = writesOf(prng, count);
          const files = tablesOf(writes, ages, prng);
          const snapshots = rest.snapshots.sort((a, b) => a - b);
          // Where everything is merged nothing lies below; where the oldest stays, it is read last.
          const merged = dropTombstones ? files : files.slice(0, -1);
          const below = dropTombstones ? [] : files.slice(-1).map(contentOf);
          if (merged.length === 0) return;
          const spec = specOf(merged, { snapshots, dropTombstones });
          const bytes = new Map(merged.map((file) => [file.meta.id, file.bytes]));
          const { files: made } = await drive(inline, spec, bytes, prng);
          const contents = made.map(contentOf);
          for (const state of [...snapshots, MAX_SEQUENCE]) {
            for (const key of new Set(writes.entries.map((entry) => entry.key))) {
              const due = shown(leftOf(writes, key, state), state);
              expect(foundIn(contents, below, key, state)).toBe(due);
            }
          }
          for (const [i, { meta }] of made.entries()) {
            const next = made[i + 1]?.meta.stats.firstKey ?? "\xff\xff\xff\xff";
            const { lastKey } = meta.stats;
            expect(i + 1 === made.length || lastKey <= next).toBe(true);
          }
          const entries = contents.flatMap((content) => content.entries);
          // Of each key at most one version a state is left; operands apart, of which some cannot
          // be folded.
          for (const versions of Map.groupBy(entries, ({ key }) => key).values()) {
            const plain = versions.filter(({ kind }) => kind <= PUT);
            expect(plain.length).toBeLessThanOrEqual(snapshots.length + 1);
          }
          if (dropTombstones && snapshots.length === 0)
            expect(contents.flatMap(({ ranges }) => ranges)).toEqual([]);
        },
      ),
      { numRuns: 250 },
    );
  });
});
