import {
  type Metrics,
  type Reading,
  readWhenPrinted,
  STORE_LATENCY_BUCKETS_S,
  Times,
} from "../../base/metrics.ts";
import { hotSpot } from "../read/hot-prefixes.ts";
import type { BudgetFigures, MemoryBudget } from "../write/budget.ts";
import type { LsmStats } from "./stats.ts";

/** One figure of the statistics, as it is named in the metrics, behind `firn_lsm_`. */
type Figure = readonly [name: string, help: string, of: (stats: LsmStats) => number];

/** Where a read that waits, a commit or a flush leaves its time, in seconds. */
export interface LsmLatency {
  observe(kind: "read_wait" | "commit" | "flush", seconds: number): void;
}

const hits = (yes: number, no: number): number => (yes + no === 0 ? 1 : yes / (yes + no));

const FIGURES: readonly Figure[] = [
  ["epoch", "Epoch of the writer.", (s) => s.epoch],
  ["last_sequence", "Last sequence that was applied.", (s) => s.lastSequence],
  ["durable_sequence", "Last sequence that survives a crash.", (s) => s.durableSequence],
  ["memtable_bytes", "Memory of what is not in tables yet.", (s) => s.memtables.bytes],
  ["l0_tables", "Tables of level 0.", (s) => s.tree.l0Tables],
  ["sorted_runs", "Sorted runs below level 0.", (s) => s.tree.runs],
  ["disk_bytes", "Bytes of the tables that the manifest names.", (s) => s.tree.fileBytes],
  ["foreign_bytes", "Bytes of those that lie with a clone's parent.", (s) => s.tree.foreignBytes],
  ["values", "Values that are objects apart, and live.", (s) => s.tree.values],
  ["value_bytes", "Bytes of these values, before compression.", (s) => s.tree.valueBytes],
  ["obsolete_bytes", "Bytes of files that wait to be deleted.", (s) => s.gc.obsoleteBytes],
  ["tombstone_ratio", "Deletions among the entries of tables.", tombstones],
  ["range_tombstones", "Stretches of keys that range tombstones cover.", (s) => s.tree.ranges],
  ["compaction_debt_bytes", "Bytes that compaction has to rewrite.", (s) => s.compaction.debtBytes],
  ["compaction_failures", "Compactions that came to nothing.", (s) => s.compaction.failures],
  ["damaged_tables", "Tables that compactions cannot read.", (s) => s.compaction.damagedTables],
  ["compacted_bytes", "Bytes that compactions have written.", (s) => s.compaction.outputBytes],
  [
    "flushed_bytes",
    "Bytes of tables and values that flushes have written.",
    (s) => s.flush.fileBytes,
  ],
  ["flush_bytes_per_second", "Rate of the flushes so far.", flushRate],
  ["write_amplification", "Bytes of tables for each byte flushed.", (s) => s.amplification.write],
  ["read_amplification", "Sorted places a read may look in.", (s) => s.amplification.read],
  ["space_amplification", "Bytes of tables for each that counts.", (s) => s.amplification.space],
  ["filter_hit_ratio", "Absent keys that filters kept from a read.", filterHits],
  ["prefix_filter_hit_ratio", "Tables that filters of prefixes kept from a scan.", prefixHits],
  ["cache_hit_ratio", "Blocks that were in the cache.", (s) => hits(s.cache.hits, s.cache.misses)],
  ["cache_bytes", "Memory of the block cache.", (s) => s.cache.bytes],
  ["pressure", "How near writes are to being refused: 0 not slowed, 1.", (s) => s.pressure.level],
  ["stalled_writes", "Writes that were delayed.", (s) => s.pressure.delayed],
  ["stalled_seconds", "How long writes were delayed.", (s) => s.pressure.delayedMs / 1_000],
  ["refused_writes", "Writes that were refused as overload.", (s) => s.pressure.refused],
  ["throttled_writes", "Writes that an operator holds back.", (s) => s.throttles.refused],
  ["wal_bytes", "Bytes written to the log.", (s) => s.wal.writtenBytes],
  ["wal_groups", "Groups written to the log.", (s) => s.wal.groups],
  ["wal_append_seconds", "Time of all groups of the log.", (s) => s.wal.appendMs.total / 1_000],
  ["wal_retained_bytes", "Bytes of the log that no replay needs.", (s) => s.wal.retainedBytes],
  ["checkpoints", "States that are kept under names.", (s) => s.states.checkpoints],
  ["oldest_checkpoint_seconds", "Age of the oldest.", (s) => s.states.oldestCheckpointMs / 1_000],
  ["readers", "Readers that keep what they read.", (s) => s.states.readers],
  ["oldest_reader_seconds", "Age of the oldest pin.", (s) => s.states.oldestReaderMs / 1_000],
  ["clones", "Shards that name tables of this one.", (s) => s.states.clones],
  ["kept_bytes", "Bytes of tables that only these three need.", (s) => s.gc.keptBytes],
  ["subscribers", "Subscribers of the log.", (s) => s.subscribers.subscribers],
  ["subscriber_lag", "Operations that the slowest has yet to get.", (s) => s.subscribers.behind],
  ["open_transactions", "Transactions that are open.", (s) => s.transactions],
  ["open_snapshots", "Snapshots that are open.", (s) => s.snapshots],
];

const BUDGET_PARTS: readonly (readonly [part: string, of: (figures: BudgetFigures) => number])[] = [
  ["limit", (f) => f.limitBytes],
  ["memtables", (f) => f.memtableBytes],
  ["transactions", (f) => f.recentBytes],
  ["open_transactions", (f) => f.transactionBytes],
  ["data", (f) => f.dataBytes],
  ["metadata", (f) => f.metadataBytes],
  ["merges", (f) => f.workBytes],
];

/**
 * Prints the statistics of engines at `/metrics`, a series for each shard, when they are asked for:
 * nothing is counted twice, and an idle engine costs nothing. One of these to a registry.
 */
export class LsmMetrics {
  readonly #shards = new Map<string, () => LsmStats>();
  readonly #latency: Times;

  /** @param budget that the engines share. */
  constructor(metrics: Metrics, budget: MemoryBudget) {
    const shards = this.#shards;
    const bytes = {
      name: "firn_lsm_budget_bytes",
      help: "Memory that all shards may take, and what of it is taken, by what.",
      labels: ["part"],
    };
    readWhenPrinted(metrics, "gauge", bytes, () =>
      BUDGET_PARTS.map(([part, of]) => [of(budget.figures), part]),
    );
    const relieved = {
      name: "firn_lsm_relieved_total",
      help: "Memtables that were flushed before they were full, to make room.",
    };
    readWhenPrinted(metrics, "counter", relieved, () => [[budget.figures.relieved]]);
    for (const [name, help, of] of FIGURES) {
      const figure = { name: `firn_lsm_${name}`, help, labels: ["shard"] };
      readWhenPrinted(metrics, "gauge", figure, () =>
        [...shards].map(([shard, stats]) => [of(stats()), shard]),
      );
    }
    this.#printHotSpots(metrics);
    const latency = {
      name: "firn_lsm_seconds",
      help: "Time of reads that waited for the store, of commits to the log, of flushes.",
      labels: ["shard", "kind"],
    };
    this.#latency = new Times(metrics, latency, STORE_LATENCY_BUCKETS_S);
  }

  /** Never which prefix it is: keys are without number, and not for everybody's eyes. */
  #printHotSpots(metrics: Metrics): void {
    const shards = this.#shards;
    const spots: [string, string, "share" | "perSecond"][] = [
      ["share", "Share of the operations that meet the hottest few keys of one prefix.", "share"],
      ["per_second", "Operations a second that meet them.", "perSecond"],
    ];
    for (const [name, help, figure] of spots) {
      const options = { name: `firn_lsm_hot_prefix_${name}`, help, labels: ["shard", "kind"] };
      readWhenPrinted(metrics, "gauge", options, () =>
        [...shards].flatMap(([shard, stats]): readonly Reading[] => {
          const { reads, writes } = stats().hot;
          return [
            [hotSpot(reads)?.[figure] ?? 0, shard, "read"],
            [hotSpot(writes)?.[figure] ?? 0, shard, "write"],
          ];
        }),
      );
    }
  }

  /** Takes a shard in, until what is answered is called. */
  add(shard: string, stats: () => LsmStats): { latency: LsmLatency; remove: () => void } {
    this.#shards.set(shard, stats);
    const latency = this.#latency;
    return {
      latency: { observe: (kind, seconds) => latency.observe(seconds, shard, kind) },
      // Any process that opened the shard again may have its place by now.
      remove: () => {
        if (this.#shards.get(shard) === stats) this.#shards.delete(shard);
      },
    };
  }
}

function tombstones({ tree }: LsmStats): number {
  return tree.entries === 0 ? 0 : tree.deletions / tree.entries;
}

function flushRate({ flush }: LsmStats): number {
  return flush.totalMs === 0 ? 0 : (flush.fileBytes * 1_000) / flush.totalMs;
}

function prefixHits({ reads }: LsmStats): number {
  return hits(reads.prefixNegatives, reads.prefixChecks - reads.prefixNegatives);
}

function filterHits({ reads }: LsmStats): number {
  return hits(reads.filterNegatives, reads.filterFalsePositives);
}
