import { assert } from "../../base/assert.ts";
import type { Key, Sequence } from "../format/entry.ts";
import type { CompactionReason, SortedRun, Unfinished } from "../format/manifest-records.ts";
import { liveBytes, type SstMeta } from "../format/sst-meta.ts";
import type { Ulid } from "../format/ulid.ts";

/** Tables of one age in key order: a table of level 0 alone, or a sorted run. */
export type SortedTables = readonly SstMeta[];

/** What is sorted of a shard, newest first. */
export interface Tree {
  readonly level0: readonly SstMeta[];
  readonly runs: readonly SortedRun[];
  readonly unfinished?: Unfinished | undefined;
}

/** A stretch of keys of a compaction: a table that stays as it is, or tables that become others. */
export type PlanPart =
  | { readonly part: "move"; readonly table: SstMeta }
  | {
      readonly part: "merge";
      /** Newest first. */
      readonly inputs: readonly SortedTables[];
      /** Nothing older than the inputs holds their keys. */
      readonly dropTombstones: boolean;
    };

/** Sorted tables of adjacent ages that become one run, where the oldest of them lies. */
export interface CompactionPlan {
  readonly reason: CompactionReason;
  /** Newest first; of a run perhaps some tables only. */
  readonly inputs: readonly SortedTables[];
  /** In key order; together they hold every table of the inputs. */
  readonly parts: readonly PlanPart[];
  /** What it goes on with: what is made joins what that has made before. */
  readonly resumes?: Unfinished | undefined;
}

/** How parts are cut. */
export interface PartOptions {
  /** Of a table that compactions write. */
  readonly tableBytes: number;
  /** Neighbours with fewer bytes become one table: a quarter of `tableBytes` where it is absent. */
  readonly smallBytes?: number;
  /** Whether a table is written again although nothing overlaps it. */
  readonly isWorthRewriting: (table: SstMeta) => boolean;
}

/** Total size of the tables' files, in bytes, as far as they are still read. */
export function bytesOf(tables: SortedTables): number {
  let bytes = 0;
  for (const table of tables) bytes += liveBytes(table);
  return bytes;
}

/** Bytes that the plan reads and, at most, writes: what is moved is not among them. */
export function rewrittenBytes(plan: CompactionPlan): number {
  let bytes = 0;
  for (const part of plan.parts) if (part.part === "merge") bytes += bytesOf(part.inputs.flat());
  return bytes;
}

/** Whether the key ranges of two tables share a key; both bounds are inclusive. */
export function overlap(a: SstMeta, b: SstMeta): boolean {
  return a.stats.firstKey <= b.stats.lastKey && b.stats.firstKey <= a.stats.lastKey;
}

/**
 * Plans inputs that are to become one run.
 *
 * @param older runs below the oldest of the inputs.
 */
export function planOf(
  reason: CompactionReason,
  inputs: readonly SortedTables[],
  older: readonly SortedRun[],
  options: PartOptions,
): CompactionPlan {
  const { tableBytes, smallBytes = tableBytes / 4, isWorthRewriting } = options;
  const below = older.flatMap((run) => run.tables);
  const all = inputs.flat();
  const stretches = joinSmall(clusters(inputs, isWorthRewriting), smallBytes);
  const parts = stretches.map(({ members, rewrite }): PlanPart => {
    const [first] = members;
    if (first !== undefined && !rewrite) return { part: "move", table: first.table };
    // Also by a table of the same run, where the versions of a key are cut between two.
    const own = new Set(members.map(({ table }) => table));
    const others = [...below, ...all.filter((table) => !own.has(table))];
    const covered = members.some(({ table }) => others.some((other) => overlap(table, other)));
    return { part: "merge", inputs: byAge(members), dropTombstones: !covered };
  });
  assertWhole(parts, all);
  return { reason, inputs, parts };
}

/** A table that no part takes would be lost; one that two take would be there twice. */
function assertWhole(parts: readonly PlanPart[], all: SortedTables): void {
  const tables = parts.map((part) => (part.part === "move" ? [part.table] : part.inputs.flat()));
  const taken = new Set(tables.flat().map(({ id }) => id));
  assert(taken.size === all.length, "parts take every input");
  assert(tables.flat().length === all.length, "parts take an input once");
  let reach = "";
  for (const part of tables) {
    const first = part.map(({ stats }) => stats.firstKey).reduce((a, b) => (a < b ? a : b));
    assert(first >= reach, "parts come in the order of their keys and do not overlap");
    reach = part.map(({ stats }) => stats.lastKey).reduce((a, b) => (a > b ? a : b));
  }
}

/** Whether it changes nothing. What goes on with another at least ends that. */
export function isIdle(plan: CompactionPlan): boolean {
  if (plan.resumes !== undefined) return false;
  return plan.inputs.length < 2 && plan.parts.every(({ part }) => part === "move");
}

/** A table of an input, and which of the inputs it is of. */
interface Member {
  readonly table: SstMeta;
  readonly age: number;
}

interface Cluster {
  /** In key order; a single one where nothing is rewritten. */
  readonly members: readonly Member[];
  readonly rewrite: boolean;
  readonly bytes: number;
}

/** Tables whose keys overlap go together; those of one age stay single while all are moved. */
function clusters(
  inputs: readonly SortedTables[],
  isWorthRewriting: (table: SstMeta) => boolean,
): readonly Cluster[] {
  const sorted = inputs
    .flatMap((tables, age): Member[] => tables.map((table) => ({ table, age })))
    // Stable: of one run, versions of one key that were cut between two tables stay in order.
    .sort((a, b) => compareKeys(a.table.stats.firstKey, b.table.stats.firstKey));
  const found: Cluster[] = [];
  let open: Member[] = [];
  let reach = "";
  const close = (): void => {
    const isMixed = open.some(({ age }) => age !== open[0]?.age);
    // Also of one age: what meets keeps each other's deletions for as long as it is kept apart.
    const meets = open.length > 1 && open.some(({ table }) => isWorthRewriting(table));
    if (isMixed || meets) found.push(clusterOf(open, true));
    else for (const one of open) found.push(clusterOf([one], isWorthRewriting(one.table)));
    open = [];
  };
  for (const one of sorted) {
    const { firstKey, lastKey } = one.table.stats;
    if (open.length > 0 && firstKey > reach) close();
    if (open.length === 0 || lastKey > reach) reach = lastKey;
    open.push(one);
  }
  close();
  return found;
}

function clusterOf(members: readonly Member[], rewrite: boolean): Cluster {
  return { members, rewrite, bytes: bytesOf(members.map(({ table }) => table)) };
}

/** A run must not become a heap of small tables: neighbours that are small become one. */
function joinSmall(found: readonly Cluster[], smallBytes: number): readonly Cluster[] {
  const small = ({ bytes }: Cluster): boolean => bytes < smallBytes;
  const joined: Cluster[] = [];
  for (const cluster of found) {
    const before = joined.at(-1);
    const joins =
      before !== undefined &&
      ((small(cluster) && (small(before) || before.rewrite)) || (small(before) && cluster.rewrite));
    if (joins) joined.splice(-1, 1, clusterOf([...before.members, ...cluster.members], true));
    else joined.push(cluster);
  }
  return joined;
}

/** Newest first. */
function byAge(members: readonly Member[]): readonly SortedTables[] {
  const ages = [...Map.groupBy(members, ({ age }) => age)].sort(([a], [b]) => a - b);
  return ages.map(([, group]) => group.map(({ table }) => table));
}

/**
 * The manifest after a compaction, or after a step of one; undefined where an input is no longer
 * there or the next step is another one, as another process has compacted, and where an ingest has
 * joined the run among what became one table: then the outputs are garbage.
 *
 * What a step has made lies where the oldest of the inputs does, and what it leaves where it was:
 * above, and without the keys of what was made. So at every step a read finds the newest version
 * of each key first, and each version once.
 *
 * @param outputs of the parts that are done, in key order.
 * @param rest inputs that the next step goes on with, as they are from now on; none: it is done.
 */
export function applyPlan<T extends Tree>(
  manifest: T,
  plan: CompactionPlan,
  outputs: readonly SstMeta[],
  rest: readonly SstMeta[] = [],
): T | undefined {
  const taken = new Set<Ulid>(plan.inputs.flat().map((table) => table.id));
  const resting = new Map<Ulid, SstMeta>(rest.map((table) => [table.id, table]));
  const left = (tables: readonly SstMeta[]): readonly SstMeta[] =>
    tables
      .filter(({ id }) => !taken.has(id) || resting.has(id))
      .map((table) => resting.get(table.id) ?? table);
  const { level0, runs } = manifest;
  const there = [...level0, ...runs.flatMap((run) => run.tables)];
  if (there.filter(({ id }) => taken.has(id)).length !== taken.size) return undefined;
  if (hasMovedOn(manifest, plan, rest)) return undefined;
  assert(
    rest.every(({ id }) => taken.has(id)),
    "what rests is of the inputs",
  );
  const target = placeOf(runs, plan);
  const id = Math.max(0, ...runs.map((run) => run.id)) + 1;
  if (meetsIngest(left(runs[target]?.tables ?? []), outputs)) return undefined;
  const after: SortedRun[] = [];
  const place = (beside: readonly SstMeta[], unknown: SortedRun["unknown"]): void => {
    const tables = inKeyOrder([...beside, ...outputs]);
    assertRun(tables);
    if (tables.length > 0) after.push({ id, tables, unknown });
  };
  const into = (): number | undefined => (after.some((run) => run.id === id) ? id : undefined);
  if (target < 0) place([], []);
  runs.forEach((run, index) => {
    const tables = left(run.tables);
    if (index === target) place(tables, run.unknown);
    else if (tables.length > 0) after.push({ ...run, tables });
  });
  const next: T = { ...manifest, level0: left(level0), runs: after };
  if (rest.length > 0) {
    const { reason, resumes } = plan;
    const tables = rest.map((table) => table.id);
    return {
      ...next,
      unfinished: { reason, into: into(), tables, unknown: resumes?.unknown ?? [] },
    };
  }
  const isOver =
    plan.resumes !== undefined || manifest.unfinished?.tables.some((id) => taken.has(id));
  return isOver === true ? { ...next, unfinished: undefined } : next;
}

/**
 * Whether another process has published a step since the plan was made, or this one by an attempt
 * of which it has not heard.
 */
function hasMovedOn({ unfinished }: Tree, { resumes }: CompactionPlan, rest: SortedTables) {
  if (resumes !== undefined) return !isSameRest(unfinished, resumes);
  // One that is made beside an unfinished compaction has one step alone.
  return rest.length > 0 && unfinished !== undefined;
}

/** The run whose place the outputs take; -1: a new one above the others. */
function placeOf(runs: readonly SortedRun[], { inputs, resumes }: CompactionPlan): number {
  const oldest = inputs.at(-1)?.[0]?.id;
  assert(oldest !== undefined, "a plan has an input, whose place its outputs take");
  const target = runs.findIndex((run) => run.tables.some((table) => table.id === oldest));
  if (resumes?.into === undefined) return target;
  const begun = runs.findIndex(({ id }) => id === resumes.into);
  assert(begun >= target, "what was made lies where the oldest input does, or further down");
  return begun;
}

/** Whether outputs cover an ingested table, which came to the run while they were made. */
function meetsIngest(beside: SortedTables, outputs: SortedTables): boolean {
  const ingested = beside.filter(({ sequence }) => sequence !== undefined);
  return ingested.some(({ stats }) => {
    const { firstKey, lastKey } = stats;
    return outputs.some((made) => made.stats.firstKey < lastKey && firstKey < made.stats.lastKey);
  });
}

/** What a reader of the manifest refuses is not written to one (`decodingRun`). */
function assertRun(tables: SortedTables): void {
  const ids = new Set(tables.map(({ id }) => id));
  assert(ids.size === tables.length, "a run names a table once");
  tables.forEach(({ stats }, i) => {
    const before = tables[i - 1]?.stats;
    assert(before === undefined || before.lastKey <= stats.firstKey, "tables of a run overlap");
  });
}

/**
 * Whether the outputs are in it already: the answer to an earlier attempt was lost. A step that
 * only moves changes none of its tables, but what the next one would go on with.
 */
export function isApplied(
  { level0, runs, unfinished }: Tree,
  plan: CompactionPlan,
  outputs: readonly SstMeta[],
  rest: readonly SstMeta[] = [],
): boolean {
  const all = [...level0, ...runs.flatMap((run) => run.tables)];
  const there = new Map(all.map((table) => [table.id, table]));
  const resting = new Map(rest.map((table) => [table.id, table]));
  const merged = plan.parts.flatMap((part) => (part.part === "merge" ? part.inputs.flat() : []));
  const isChanged = (table: SstMeta): boolean => {
    const [now, due] = [there.get(table.id), resting.get(table.id)];
    if (now === undefined || due === undefined) return now === undefined;
    return due.stats.firstKey !== table.stats.firstKey && now.stats.firstKey >= due.stats.firstKey;
  };
  const { resumes } = plan;
  const isPassed = resumes !== undefined && !isSameRest(unfinished, resumes);
  return (isPassed || merged.some(isChanged)) && outputs.every((table) => there.has(table.id));
}

/** No two steps have the same run, so two that are alike in this are one. */
function isSameRest(one: Unfinished | undefined, { into, tables }: Unfinished): boolean {
  if (one === undefined || one.into !== into || one.tables.length !== tables.length) return false;
  return one.tables.every((id, i) => id === tables[i]);
}

/** Stable, so that versions of one key that are cut between two tables stay in their order. */
function inKeyOrder(tables: readonly SstMeta[]): readonly SstMeta[] {
  return tables.toSorted(({ stats: a }, { stats: b }) => {
    if (a.firstKey !== b.firstKey) return compareKeys(a.firstKey, b.firstKey);
    return compareKeys(a.lastKey, b.lastKey);
  });
}

/** Texts of one byte a unit compare as their bytes do. */
function compareKeys(a: Key, b: Key): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/**
 * The share of a table's entries that a rewrite at the bottom could drop: deletions, versions that
 * newer ones hide, what expires once all of it has; all of a table that holds range tombstones
 * alone. None while a snapshot may need them.
 *
 * Operands hide nothing. Those that are still apart in a table mostly stay so (each may expire for
 * itself): counted as garbage, they would have it written again for ever.
 *
 * What a compaction has taken of it that was given up before its end is garbage in its file.
 */
export function garbageShare(
  { stats, whole }: SstMeta,
  oldestSnapshot: Sequence | undefined,
  nowMs: number,
): number {
  const taken = whole === undefined ? 0 : whole.entries - stats.entries;
  if (oldestSnapshot !== undefined && stats.maxSequence > oldestSnapshot) {
    return taken === 0 ? 0 : taken / (taken + stats.entries);
  }
  if (stats.entries === 0) return 1;
  const { entries, deletions, keys, merges } = stats;
  const expired = stats.lastExpiryMs <= nowMs ? stats.expiring : 0;
  const hidden = Math.max(0, entries - keys - merges);
  return Math.min(1, (taken + deletions + expired + hidden) / (taken + entries));
}
