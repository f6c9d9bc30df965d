import type { CompactionFigures } from "../compaction/figures.ts";
import { type Manifest, tablesIn } from "../format/manifest.ts";
import type { SstMeta } from "../format/sst-meta.ts";
import type { GcFigures } from "../maintenance/gc.ts";
import type { CacheFigures } from "../read/cache.ts";
import type { HotGroup, HotPrefix } from "../read/hot-prefixes.ts";
import type { ReadFigures } from "../read/point-lookups.ts";
import type { TableFigures } from "../read/table-cache.ts";
import type { RetentionFigures } from "../states/retention-figures.ts";
import type { FeedFigures } from "../subscribe/feed.ts";
import type { WalStats } from "../wal/port.ts";
import type { BudgetFigures } from "../write/budget.ts";
import type { FlushFigures } from "../write/flush.ts";
import type { PressureStats } from "../write/pressure.ts";
import type { ThrottleState } from "../write/throttles.ts";

/** The shape of what the latest manifest names. */
export interface TreeFigures {
  readonly l0Tables: number;
  readonly runs: number;
  readonly tables: number;
  readonly fileBytes: number;
  /** Of those, what lies with the shard that this one is a clone of. */
  readonly foreignTables: number;
  readonly foreignBytes: number;
  /** Values that lie apart, and their bytes as they were given: `fileBytes` are without them. */
  readonly values: number;
  readonly valueBytes: number;
  readonly rawBytes: number;
  readonly entries: number;
  readonly deletions: number;
  /** Stretches of keys that range tombstones cover. */
  readonly ranges: number;
  /** Level 0 first, then the sorted runs, newest first. */
  readonly levels: readonly LevelFigures[];
}

/** One level of the tree. */
export interface LevelFigures {
  readonly tables: number;
  readonly bytes: number;
  readonly entries: number;
  readonly deletions: number;
}

/** Which of the prefixes of one length the latest operations met, by samples. */
export interface HotGroups {
  readonly reads: readonly HotGroup[];
  readonly writes: readonly HotGroup[];
}

/** Sums of one engine since it was opened; bytes, milliseconds, counts. */
export interface LsmStats {
  readonly epoch: number;
  readonly manifestId: number;
  readonly lastSequence: number;
  readonly durableSequence: number;
  readonly memtables: { readonly count: number; readonly bytes: number };
  readonly recentBytes: number;
  readonly snapshots: number;
  readonly states: RetentionFigures;
  readonly subscribers: FeedFigures;
  readonly transactions: number;
  /** Which keys the latest operations met most, by samples: the largest share first. */
  readonly hot: { readonly reads: readonly HotPrefix[]; readonly writes: readonly HotPrefix[] };
  readonly throttles: { readonly refused: number; readonly states: readonly ThrottleState[] };
  readonly tree: TreeFigures;
  readonly writes: { readonly batches: number; readonly ops: number; readonly bytes: number };
  readonly reads: ReadFigures & TableFigures;
  readonly flush: FlushFigures;
  readonly pressure: PressureStats;
  readonly wal: WalStats;
  /** Of all shards that share them. */
  readonly cache: CacheFigures;
  readonly memory: BudgetFigures;
  readonly compaction: CompactionFigures;
  readonly gc: GcFigures;
  /** Bytes stored for each byte written; sorted places a read may look in; bytes kept for each. */
  readonly amplification: { readonly write: number; readonly read: number; readonly space: number };
}

/** Counts and bytes of the tables that a manifest names. */
export function treeFigures(manifest: Manifest): TreeFigures {
  const tables = tablesIn(manifest);
  const sum = (of: (table: SstMeta) => number): number =>
    tables.reduce((total, table) => total + of(table), 0);
  return {
    l0Tables: manifest.level0.length,
    runs: manifest.runs.length,
    tables: tables.length,
    fileBytes: sum((table) => table.fileBytes),
    foreignTables: sum((table) => (table.home === undefined ? 0 : 1)),
    foreignBytes: sum((table) => (table.home === undefined ? 0 : table.fileBytes)),
    values: sum((table) => table.stats.apart),
    valueBytes: sum((table) => table.stats.apartBytes),
    rawBytes: sum((table) => table.stats.rawBytes),
    entries: sum((table) => table.stats.entries),
    deletions: sum((table) => table.stats.deletions),
    ranges: sum((table) => table.stats.ranges),
    levels: [manifest.level0, ...manifest.runs.map((run) => run.tables)].map(levelFigures),
  };
}

function levelFigures(tables: readonly SstMeta[]): LevelFigures {
  const figures = { tables: tables.length, bytes: 0, entries: 0, deletions: 0 };
  for (const { fileBytes, stats } of tables) {
    figures.bytes += fileBytes;
    figures.entries += stats.entries;
    figures.deletions += stats.deletions;
  }
  return figures;
}

/**
 * Write: what the log is not counted in, as an engine without one would pay it too. Space: against
 * the largest run, which is about what is left when all that is hidden is gone.
 */
export function amplification(
  manifest: Manifest,
  tree: TreeFigures,
  flush: FlushFigures,
  compaction: CompactionFigures,
): LsmStats["amplification"] {
  const runBytes = manifest.runs.map((run) =>
    run.tables.reduce((total, table) => total + table.stats.rawBytes, 0),
  );
  const logicalBytes = runBytes.length === 0 ? tree.rawBytes : Math.max(...runBytes);
  return {
    write: ratio(flush.fileBytes + compaction.outputBytes, flush.rawBytes),
    read: tree.l0Tables + tree.runs,
    space: ratio(tree.fileBytes, logicalBytes),
  };
}

/** 1 where there is nothing yet. */
function ratio(bytes: number, of: number): number {
  return of === 0 ? 1 : bytes / of;
}
