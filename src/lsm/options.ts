import { invalid } from "../base/error.ts";
import { COMPACTION_STYLES, type CompactionStyle, isCompactionStyle } from "./compaction-style.ts";
import { MAX_PREFIX_BYTES, type PrefixRule } from "./format/prefix-filter.ts";
import { LSM_LIMITS } from "./limits.ts";
import type { WalRetention } from "./wal/retention.ts";

/** What a program chooses of an engine; sizes in bytes, spans in milliseconds. */
export interface LsmOptions {
  /** Compactions that begin on their own, one after the other; `manual`: only those asked for. */
  readonly compaction: "auto" | "manual";
  /** Which of writing, reading and space compactions save, at the cost of the others. */
  readonly compactionStyle: CompactionStyle;
  /** Threads that compute compactions, started as they are needed. */
  readonly mergeThreads: number;
  /** How data blocks are stored. */
  readonly compression: "none" | "zstd";
  /** Which part of a key scans ask tables for, by a filter of their own; none if undefined. */
  readonly prefixes: PrefixRule | undefined;
  /** Files of the log that no replay needs stay for subscribers: so many bytes of the newest. */
  readonly logRetentionBytes: number;
  /** Of those, the files that were written to within so long; looked at when tables are flushed. */
  readonly logRetentionMs: number;
  /** No object younger than this is deleted: 0 on the disk of one host. */
  readonly gcMinAgeMs: number;
  /** States of the last so many ms can be read: their tables and the log behind them stay. */
  readonly historyMs: number;
}

/** Those and what is the engine's own business: a program has no cause to set it. */
export interface LsmTuning extends LsmOptions {
  /** The memtable is frozen and flushed at this size, as its memory counts it. */
  readonly memtableBytes: number;
  /** Or when the log holds so many batches' groups: that bounds the replay. */
  readonly walFiles: number;
  /** Files of the log from which on what they hold is flushed as soon as the shard is open. */
  readonly replayFiles: number;
  /** Memtables that are written to the store at the same time. */
  readonly parallelFlushes: number;
  /** Writes slow down from the first of each pair on, and are refused from the second. */
  readonly unflushedBytes: readonly [number, number];
  readonly l0Tables: readonly [number, number];
  /** What the style stands for (`PickOptions`). */
  readonly compactionL0Tables: number;
  readonly compactionRuns: number;
  readonly compactionMaxRuns: number;
  readonly compactionSpacePercent: number;
  /** What a compaction writes at most; 0: as fast as it goes. */
  readonly compactionBytesPerSecond: number;
  /** Of input: a compaction of twice as much is cut in two by its keys, and so on. */
  readonly compactionSubrangeBytes: number;
  /** Of input: so much is merged, then published; a crash loses no more of a compaction. */
  readonly compactionStepBytes: number;
  /** Bytes at which a table ends that a compaction writes. */
  readonly tableBytes: number;
  /** Longer values are written to objects apart when tables are. */
  readonly inlineValueBytes: number;
  /** Rows of an ingest that are sorted at once. */
  readonly ingestBytes: number;
  /** A write waits while more than this is on its way to the log. */
  readonly walBacklogBytes: number;
  /** What writers may apply before the event loop gets a turn, however they await. */
  readonly turnBytes: number;
  /** From the start of one write to the log to the next: caps what a billed store is asked. */
  readonly minFlushIntervalMs: number;
  /** Size of a data block before it is compressed. */
  readonly blockBytes: number;
  /** Reads of one table closer together than this are one request, up to `readBytes`. */
  readonly readGapBytes: number;
  readonly readBytes: number;
  /** How far a scan reads ahead once it is seen to go on. */
  readonly readAheadBytes: number;
  /** Rows of one batch of a scan, unless it asks for another number. */
  readonly scanBatchRows: number;
  /** A transaction's life, what it may write, how many ranges it may read and delete. */
  readonly transactionMs: number;
  readonly transactionBytes: number;
  readonly transactionRanges: number;
  /** Recent writes kept to find conflicts before tables are read, beyond memtables in use. */
  readonly recentBytes: number;
  /** A reader may answer on its own word for this long after it last saw that it is the owner. */
  readonly leaseMs: number;
  readonly takeoverWaitMs: number;
  /** Between two looks for garbage, while there is work; with a least age of 0 none is awaited. */
  readonly gcIntervalMs: number;
}

/** What is not set has its default (`LSM_DEFAULTS`). */
export interface ChosenOptions {
  readonly options?: Partial<LsmOptions>;
  /** Internal, and no part of what the package promises: small sizes, short spans, for tests. */
  readonly forTests?: Partial<LsmTuning>;
}

const MIB = 1_048_576;

export const LSM_DEFAULTS: LsmTuning = {
  memtableBytes: 64 * MIB,
  walFiles: 4_096,
  replayFiles: 16,
  parallelFlushes: 2,
  unflushedBytes: [192 * MIB, 384 * MIB],
  l0Tables: [20, 48],
  compaction: "auto",
  compactionStyle: "balanced",
  ...COMPACTION_STYLES.balanced,
  compactionBytesPerSecond: 0,
  mergeThreads: 1,
  compactionSubrangeBytes: 32 * MIB,
  compactionStepBytes: 256 * MIB,
  tableBytes: 64 * MIB,
  inlineValueBytes: LSM_LIMITS.inlineValueBytes,
  logRetentionBytes: 1_024 * MIB,
  logRetentionMs: 0,
  ingestBytes: 16 * MIB,
  walBacklogBytes: 32 * MIB,
  turnBytes: MIB,
  minFlushIntervalMs: 0,
  compression: "none",
  blockBytes: 16_384,
  prefixes: undefined,
  readGapBytes: 65_536,
  readBytes: MIB,
  readAheadBytes: 2 * MIB,
  scanBatchRows: 256,
  transactionMs: 600_000,
  transactionBytes: 32 * MIB,
  transactionRanges: 10_000,
  recentBytes: 128 * MIB,
  leaseMs: LSM_LIMITS.leaseMs,
  takeoverWaitMs: LSM_LIMITS.takeoverWaitMs,
  gcMinAgeMs: LSM_LIMITS.gcMinAgeMs,
  historyMs: 0,
  gcIntervalMs: 300_000,
};

/** May be 0: it switches off what it names. */
const OPTIONAL: ReadonlySet<string> = new Set([
  "logRetentionBytes",
  "logRetentionMs",
  "minFlushIntervalMs",
  "readGapBytes",
  "readAheadBytes",
  "leaseMs",
  "takeoverWaitMs",
  "gcMinAgeMs",
  "historyMs",
  "gcIntervalMs",
  "compactionBytesPerSecond",
]);

/** What of the log stays for subscribers, and for states of the past. */
export function retentionOf({
  logRetentionBytes: bytes,
  logRetentionMs,
  historyMs,
}: LsmTuning): WalRetention {
  return { bytes, ms: Math.max(logRetentionMs, historyMs) };
}

/** @throws FirnError `Invalid`, code `LSM_OPTION_INVALID`, naming the option. */
export function lsmOptions(parts: ChosenOptions = {}): LsmTuning {
  const chosen: Partial<LsmTuning> = { ...parts.options, ...parts.forTests };
  const { compactionStyle = LSM_DEFAULTS.compactionStyle } = chosen;
  if (!isCompactionStyle(compactionStyle)) {
    throw invalid("LSM_OPTION_INVALID", "engine option out of range", { name: "compactionStyle" });
  }
  const options: LsmTuning = { ...LSM_DEFAULTS, ...COMPACTION_STYLES[compactionStyle], ...chosen };
  for (const [name, value] of Object.entries(options)) {
    if (typeof value === "string" || name === "prefixes") continue;
    const [low, high] = typeof value === "number" ? [value, value] : (value as [number, number]);
    const floor = OPTIONAL.has(name) ? 0 : 1;
    const whole = Number.isSafeInteger(low) && Number.isSafeInteger(high);
    if (!whole || low < floor || high < low) {
      throw invalid("LSM_OPTION_INVALID", "engine option out of range", { name });
    }
  }
  assertPrefixes(options.prefixes);
  const { leaseMs, takeoverWaitMs, gcMinAgeMs } = options;
  if (leaseMs > 0 && leaseMs + LSM_LIMITS.leaseSkewMarginMs > takeoverWaitMs) {
    throw invalid("LSM_OPTION_INVALID", "the takeover wait must exceed the read lease", {
      leaseMs,
    });
  }
  if (gcMinAgeMs > 0 && gcMinAgeMs < LSM_LIMITS.gcMinAgeFloorMs) {
    throw invalid("LSM_OPTION_INVALID", "gcMinAgeMs is too low for a shared store", { gcMinAgeMs });
  }
  return options;
}

function assertPrefixes(rule: PrefixRule | undefined): void {
  if (rule === undefined) return;
  const [low, number] = "bytes" in rule ? [1, rule.bytes] : [0, rule.separator];
  if (Number.isInteger(number) && number >= low && number <= MAX_PREFIX_BYTES) return;
  throw invalid("LSM_OPTION_INVALID", "engine option out of range", { name: "prefixes" });
}
