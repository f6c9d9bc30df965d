import { assert } from "../../base/assert.ts";
import type { TreeShape } from "../compaction-style.ts";
import type { Sequence } from "../format/entry.ts";
import type { CompactionReason, SortedRun, Unfinished } from "../format/manifest-records.ts";
import type { SstMeta } from "../format/sst-meta.ts";
import type { Ulid } from "../format/ulid.ts";
import {
  applyPlan,
  bytesOf,
  type CompactionPlan,
  garbageShare,
  isIdle,
  overlap,
  type PlanPart,
  planOf,
  rewrittenBytes,
  type SortedTables,
  type Tree,
} from "./plan.ts";

/** The shape that compactions aim at, and the size of what they write. */
export interface PickOptions extends TreeShape {
  /** Bytes at which a table ends that a compaction writes. */
  readonly tableBytes: number;
}

/** What the choice depends on apart from the manifest. */
export interface PickContext {
  readonly oldestSnapshot?: Sequence | undefined;
  /** What expires by then is garbage. */
  readonly nowMs?: number;
  /** Tables that could not be read: they stay where they are, and so does what would need them. */
  readonly avoid?: ReadonlySet<Ulid>;
}

/** The largest of runs that are similar has at most so many times the bytes of the smallest. */
const SIMILAR = 3;
/** From this share of garbage on a table is written again for its own sake. */
const GARBAGE_SHARE = 0.5;
/** Entries that are written again for one that goes, at most. */
const GARBAGE_COST = 16;
/** Compactions that a look ahead follows. */
const LOOK_AHEAD = 32;

/**
 * The next compaction, if there is any: a pure function, so that it can be simulated. Only sorted
 * tables of adjacent ages are joined, because a read stops at the newest version that it finds.
 *
 * One that is not finished goes on first, unless it leaves level 0 alone and that has enough
 * tables. Then in this order: everything, where what is newer is about to take too much space
 * beside the oldest run; level 0 when it has enough tables, together with the runs that its result
 * would be similar to; runs of similar size; the cheapest adjacent ones where there are too many;
 * tables full of garbage.
 */
export function pickCompaction(
  tree: Tree,
  options: PickOptions,
  context: PickContext = {},
): CompactionPlan | undefined {
  return new Picker(tree, options, context).pick();
}

/** The rest of a compaction that is not finished. */
export function pickRest(
  tree: Tree,
  options: PickOptions,
  context: PickContext = {},
): CompactionPlan | undefined {
  return new Picker(tree, options, context).rest();
}

/** Everything into one run, and without garbage; undefined where it is so already. */
export function pickAll(
  tree: Tree,
  options: PickOptions,
  context: PickContext = {},
): CompactionPlan | undefined {
  return new Picker(tree, options, context).all();
}

/** Bytes to rewrite until nothing is left to pick, if nothing is written meanwhile. */
export function compactionDebt(tree: Tree, options: PickOptions, context: PickContext): number {
  let bytes = 0;
  let now = tree;
  for (let step = 0; step < LOOK_AHEAD; step++) {
    const plan = pickCompaction(now, options, context);
    if (plan === undefined) return bytes;
    bytes += rewrittenBytes(plan);
    now = applyPlan(now, plan, plan.parts.map(supposed)) ?? now;
  }
  return bytes;
}

/** What a part will become, as far as the choice after it depends on that: nothing is dropped. */
function supposed(part: PlanPart): SstMeta {
  if (part.part === "move") return part.table;
  const tables = part.inputs.flat();
  const [first] = tables as [SstMeta];
  assert(first !== undefined, "a merge has an input");
  const keys = tables.map(({ stats }) => stats);
  const entries = keys.reduce((sum, stats) => sum + stats.entries, 0);
  return {
    ...first,
    fileBytes: bytesOf(tables),
    whole: undefined,
    stats: {
      ...first.stats,
      // Range tombstones alone come to nothing, but a description needs an entry.
      entries: Math.max(1, entries),
      keys: Math.max(1, entries),
      deletions: 0,
      ranges: 0,
      expiring: 0,
      firstKey: keys.map((stats) => stats.firstKey).reduce((a, b) => (a < b ? a : b)),
      lastKey: keys.map((stats) => stats.lastKey).reduce((a, b) => (a > b ? a : b)),
      maxSequence: keys.reduce((most, stats) => Math.max(most, stats.maxSequence), 0),
    },
  };
}

class Picker {
  readonly #runs: readonly SortedRun[];
  readonly #unfinished: Unfinished | undefined;
  readonly #options: PickOptions;
  readonly #oldestSnapshot: Sequence | undefined;
  readonly #nowMs: number;
  readonly #avoid: ReadonlySet<Ulid>;
  /** The oldest tables of level 0 up to one that cannot be read, each sorted in itself. */
  readonly #level0: readonly SortedTables[];

  constructor({ level0, runs, unfinished }: Tree, options: PickOptions, context: PickContext) {
    this.#runs = runs;
    this.#unfinished = unfinished;
    this.#options = options;
    this.#oldestSnapshot = context.oldestSnapshot;
    this.#nowMs = context.nowMs ?? 0;
    this.#avoid = context.avoid ?? new Set();
    const bad = level0.findLastIndex(({ id }) => this.#avoid.has(id));
    this.#level0 = level0.slice(bad + 1).map((table) => [table]);
  }

  pick(): CompactionPlan | undefined {
    const rest = this.rest();
    if (rest !== undefined) return this.#pickLevel0Beside(rest) ?? rest;
    return this.#pickLevel0() ?? this.#pickRuns() ?? this.#pickGarbage();
  }

  all(): CompactionPlan | undefined {
    const readable = this.#readableFrom(0);
    return this.#plan("all", this.#level0, 0, readable);
  }

  /**
   * Undefined where there is none, and where one of its tables is gone or cannot be read: then what
   * is left of its tables is compacted as other tables are.
   */
  rest(): CompactionPlan | undefined {
    const resumes = this.#unfinished;
    if (resumes === undefined) return undefined;
    const wanted = new Set(resumes.tables);
    const ages = [...this.#level0, ...this.#runs.map((run) => run.tables)];
    const there = ages.map((tables) => tables.filter(({ id }) => wanted.has(id)));
    const [found, oldest] = [there.flat(), there.findLast((tables) => tables.length > 0)?.[0]];
    if (found.length !== wanted.size || oldest === undefined) return undefined;
    // What was made lies where the oldest input does, or further down.
    const below = this.#runs.findLastIndex(
      (run) => run.id === resumes.into || run.tables.includes(oldest),
    );
    const older = this.#runs.slice(below + 1);
    // An ingest since may have joined that run in a gap of the inputs, which outputs would cover.
    const { firstKey, lastKey } = spanning(found).stats;
    const isAmong = ({ stats }: SstMeta): boolean =>
      stats.firstKey > firstKey && stats.lastKey < lastKey;
    const joined = this.#runs[below]?.tables.filter(isAmong) ?? [];
    const taken = new Set([...wanted, ...joined.map(({ id }) => id)]);
    if ([...taken].some((id) => this.#avoid.has(id))) return undefined;
    const inputs = ages
      .map((tables) => tables.filter(({ id }) => taken.has(id)))
      .filter((tables) => tables.length > 0);
    const isWorthIt = this.#worth(resumes.reason, older.length === 0);
    const isWorth = (table: SstMeta): boolean => table.whole !== undefined || isWorthIt(table);
    return { ...planOf(resumes.reason, inputs, older, this.#parts(isWorth)), resumes };
  }

  /** Level 0 into a run above what is compacted: writes must not wait for that. */
  #pickLevel0Beside({ inputs }: CompactionPlan): CompactionPlan | undefined {
    if (this.#level0.length < this.#options.compactionL0Tables) return undefined;
    const taken = new Set(inputs.flat().map(({ id }) => id));
    const isApart = this.#level0.flat().every(({ id }) => !taken.has(id));
    return isApart ? this.#plan("level0", this.#level0, 0, 0) : undefined;
  }

  #pickLevel0(): CompactionPlan | undefined {
    const [newest] = this.#level0;
    if (newest === undefined) return undefined;
    const bytes = bytesOf(this.#level0.flat());
    // As it will be when the next table has come: then it would be too late.
    if (this.#isTooMuchBeside(bytes + bytesOf(newest))) {
      return this.#plan("space", this.#level0, 0, this.#runs.length);
    }
    if (this.#level0.length < this.#options.compactionL0Tables) return undefined;
    // With the run that it will be, are there enough of one size?
    const readable = this.#readableFrom(0);
    const sizes = [bytes, ...this.#sizes().slice(0, readable)];
    const similar = similarFrom(sizes, 0);
    const runs = similar >= this.#options.compactionRuns ? similar - 1 : 0;
    return this.#plan("level0", this.#level0, 0, runs);
  }

  #pickRuns(): CompactionPlan | undefined {
    const { compactionRuns, compactionMaxRuns } = this.#options;
    if (this.#isTooMuchBeside(0)) return this.#plan("space", [], 0, this.#runs.length);
    const sizes = this.#sizes();
    for (let from = 0; from < sizes.length; from++) {
      const count = Math.min(similarFrom(sizes, from), this.#readableFrom(from));
      if (count >= compactionRuns) return this.#plan("runs", [], from, count);
    }
    return sizes.length > compactionMaxRuns ? this.#cheapest(sizes) : undefined;
  }

  /** The adjacent runs that cost least for each that is one less. */
  #cheapest(sizes: readonly number[]): CompactionPlan | undefined {
    const count = sizes.length - this.#options.compactionMaxRuns + 1;
    assert(count >= 2, "fewer runs come of two at least");
    let best: { from: number; bytes: number } | undefined;
    for (let from = 0; from + count <= sizes.length; from++) {
      if (this.#readableFrom(from) < count) continue;
      const bytes = sizes.slice(from, from + count).reduce((sum, size) => sum + size, 0);
      if (best === undefined || bytes < best.bytes) best = { from, bytes };
    }
    return best && this.#plan("runs", [], best.from, count);
  }

  /**
   * A table that is mostly garbage, or whose range tombstones cover much, with what lies below its
   * keys, down to the bottom: there its deletions go. What else lies between stays: it is newer
   * than all that goes down past it, or does not meet it.
   */
  #pickGarbage(): CompactionPlan | undefined {
    const ages = [...this.#level0, ...this.#runs.map((run) => run.tables)];
    for (const [index, tables] of ages.entries()) {
      for (const table of tables) {
        const isGarbage = this.#garbage(table) > GARBAGE_SHARE;
        if (!isGarbage && !this.#frees(table, ages.slice(index + 1))) continue;
        const inputs = downFrom(ages.slice(index), table);
        if (inputs.flat().some(({ id }) => this.#avoid.has(id))) continue;
        if (isGarbage && !this.#isWorthIt(table, inputs)) continue;
        return planOf("garbage", inputs, [], this.#parts(this.#worth("garbage", true)));
      }
    }
    return undefined;
  }

  /** Whether enough goes for what is written again: itself, and one entry below each deletion. */
  #isWorthIt(table: SstMeta, inputs: readonly SortedTables[]): boolean {
    const { entries, deletions } = table.stats;
    const all = inputs.flat().reduce((sum, { stats }) => sum + stats.entries, 0);
    const gone = this.#garbage(table) * entries + Math.min(deletions, all - entries);
    return gone * GARBAGE_COST >= all;
  }

  /**
   * Whether range tombstones of a table seem to delete more than a rewrite costs: tables below that
   * lie within its extent go unread, others there are written again.
   */
  #frees({ stats, fileBytes }: SstMeta, older: readonly SortedTables[]): boolean {
    if (stats.ranges === 0 || !this.#isSeenByAll({ stats })) return false;
    let freed = 0;
    let written = fileBytes;
    for (const tables of older) {
      for (const { stats: below, fileBytes: bytes } of tables) {
        const { firstKey, lastKey } = below;
        if (lastKey < stats.firstKey || firstKey > stats.lastKey) continue;
        if (firstKey >= stats.firstKey && lastKey < stats.lastKey) freed += bytes;
        else written += bytes;
      }
    }
    return freed > written;
  }

  #isSeenByAll({ stats }: Pick<SstMeta, "stats">): boolean {
    return this.#oldestSnapshot === undefined || stats.maxSequence <= this.#oldestSnapshot;
  }

  #plan(
    reason: CompactionReason,
    level0: readonly SortedTables[],
    from: number,
    count: number,
  ): CompactionPlan | undefined {
    const isWithin = from >= 0 && count >= 0 && from + count <= this.#runs.length;
    assert(isWithin, "a plan takes adjacent runs that are there");
    const runs = this.#runs.slice(from, from + count);
    const inputs = [...level0, ...runs.map((run) => run.tables)];
    if (inputs.length === 0) return undefined;
    const older = this.#runs.slice(from + count);
    const parts = this.#parts(this.#worth(reason, older.length === 0));
    const plan = planOf(reason, inputs, older, parts);
    return isIdle(plan) ? undefined : plan;
  }

  /** Which tables a compaction writes again although nothing overlaps them. */
  #worth(reason: CompactionReason, atBottom: boolean): (table: SstMeta) => boolean {
    if (reason === "all") {
      // A clone that is compacted whole needs nothing of its parent any more.
      return (table) =>
        table.home !== undefined ||
        this.#garbage(table) > 0 ||
        (table.stats.ranges > 0 && this.#isSeenByAll(table));
    }
    const isBottom = reason === "garbage" || atBottom;
    return (table) => isBottom && this.#garbage(table) > GARBAGE_SHARE;
  }

  #parts(isWorthRewriting: (table: SstMeta) => boolean) {
    return { tableBytes: this.#options.tableBytes, isWorthRewriting };
  }

  /** Whether what is newer takes too much space beside the oldest run, and all can be read. */
  #isTooMuchBeside(level0Bytes: number): boolean {
    const sizes = this.#sizes();
    const oldest = sizes.at(-1);
    if (oldest === undefined || this.#readableFrom(0) < sizes.length) return false;
    const newer = sizes.slice(0, -1).reduce((sum, size) => sum + size, level0Bytes);
    return newer > 0 && newer * 100 >= this.#options.compactionSpacePercent * oldest;
  }

  /** How many runs from an index on can be read. */
  #readableFrom(index: number): number {
    const runs = this.#runs.slice(index);
    const bad = runs.findIndex((run) => run.tables.some(({ id }) => this.#avoid.has(id)));
    return bad < 0 ? runs.length : bad;
  }

  #sizes(): readonly number[] {
    return this.#runs.map((run) => bytesOf(run.tables));
  }

  #garbage(table: SstMeta): number {
    return garbageShare(table, this.#oldestSnapshot, this.#nowMs);
  }
}

/** A table, and what lies below its keys, and below the keys of that. */
function downFrom(ages: readonly SortedTables[], table: SstMeta): readonly SortedTables[] {
  const inputs: SortedTables[] = [];
  let range = table;
  for (const tables of ages) {
    // Versions of one key may be cut between tables of a run: so look again with what was found.
    for (;;) {
      const met = tables.filter((other) => overlap(other, range));
      const wider = spanning([range, ...met]);
      const same = wider.stats.firstKey === range.stats.firstKey;
      if (same && wider.stats.lastKey === range.stats.lastKey) {
        if (met.length > 0) inputs.push(met);
        break;
      }
      range = wider;
    }
  }
  assert(inputs[0]?.includes(table) === true, "what is compacted downwards begins with its table");
  return inputs;
}

/** How many sizes from an index on are within the bound of each other. */
function similarFrom(sizes: readonly number[], from: number): number {
  let least = Number.POSITIVE_INFINITY;
  let most = 0;
  let count = 0;
  for (const size of sizes.slice(from)) {
    least = Math.min(least, size);
    most = Math.max(most, size);
    if (most > SIMILAR * least) return count;
    count++;
  }
  return count;
}

/** A description whose range covers those of all. */
function spanning(tables: readonly SstMeta[]): SstMeta {
  const [first, ...others] = tables as [SstMeta, ...SstMeta[]];
  let { firstKey, lastKey } = first.stats;
  for (const { stats } of others) {
    if (stats.firstKey < firstKey) firstKey = stats.firstKey;
    if (stats.lastKey > lastKey) lastKey = stats.lastKey;
  }
  return { ...first, stats: { ...first.stats, firstKey, lastKey } };
}
