import { assert } from "../../base/assert.ts";
import type { KeyBounds } from "../compaction/bounds.ts";
import { overlap, type Tree } from "../compaction/plan.ts";
import type { SortedRun } from "../format/manifest-records.ts";
import type { SstMeta } from "../format/sst-meta.ts";

/**
 * Puts the tables of an ingest, which do not overlap each other, where they cost least: into the
 * oldest run that nothing between overlaps, else into a run above the others, else, where a table
 * of level 0 overlaps them, into level 0.
 */
export function placed<T extends Tree>(tree: T, tables: readonly SstMeta[]): T {
  if (tables.length === 0) return tree;
  const { level0, runs } = tree;
  assertApart(tables);
  if (meetAny(level0, tables)) return { ...tree, level0: [...tables, ...level0] };
  const below = runs.findIndex((run) => meetAny(run.tables, tables));
  const free = below < 0 ? runs.length : below;
  if (free === 0) {
    const id = Math.max(0, ...runs.map((run) => run.id)) + 1;
    return { ...tree, runs: [{ id, tables, unknown: [] }, ...runs] };
  }
  const joined = runs.map((run, i): SortedRun => {
    if (i !== free - 1) return run;
    const all = inKeyOrder([...run.tables, ...tables]);
    assertApart(all);
    return { ...run, tables: all };
  });
  return { ...tree, runs: joined };
}

/** Whether they would have to lie in level 0. */
export function fallsIntoLevel0({ level0 }: Tree, tables: readonly SstMeta[]): boolean {
  return meetAny(level0, tables);
}

/** Versions of one key are never apart here: an ingest has one of each. */
function assertApart(tables: readonly SstMeta[]): void {
  const isSorted = tables.every(({ stats }, i) => {
    const before = tables[i - 1]?.stats;
    return before === undefined || before.lastKey <= stats.firstKey;
  });
  assert(isSorted, "tables of a run ascend, or a look-up would end at the wrong one");
}

function meetAny(some: readonly SstMeta[], others: readonly SstMeta[]): boolean {
  return some.some((one) => others.some((other) => overlap(one, other)));
}

function inKeyOrder(tables: readonly SstMeta[]): readonly SstMeta[] {
  return tables.toSorted(({ stats: a }, { stats: b }) => (a.firstKey < b.firstKey ? -1 : 1));
}

/** Ascending, and joined where they meet. */
export function joinBounds(ranges: readonly KeyBounds[]): readonly KeyBounds[] {
  const joined: KeyBounds[] = [];
  const sorted = ranges
    .filter(({ from, to }) => from < to)
    .toSorted((a, b) => (a.from < b.from ? -1 : 1));
  for (const range of sorted) {
    const last = joined.at(-1);
    if (last === undefined || range.from > last.to) joined.push(range);
    else if (range.to > last.to) joined.splice(-1, 1, { from: last.from, to: range.to });
  }
  return joined;
}
