/**
 * The engine's door: all that other folders, and programs that embed it, import. What works on a
 * shard without its engine is in `tools.ts`.
 */

export type { Clock } from "../base/clock.ts";
export { type ErrorContext, type ErrorKind, FirnError } from "../base/error.ts";
export type { Prng } from "../base/prng.ts";
export { LocalBlobStore } from "../blob/local.ts";
export { MemoryBlobStore } from "../blob/memory.ts";
export type { BlobStore } from "../blob/port.ts";
export type { CompactionStyle } from "./compaction-style.ts";
export { LocalDisk } from "./disk/local.ts";
export { assertRoom } from "./disk/room.ts";
export {
  Engine,
  type EstimateRequest,
  type PutOptions,
  type ReadLevel,
  type ReadOptions,
  type ScanRequest,
} from "./engine/engine.ts";
export { LsmMetrics } from "./engine/metrics.ts";
export type { OpenOptions } from "./engine/open.ts";
export { type PastState, pastStateOf } from "./engine/past-state.ts";
export { Shard, type ShardOptions } from "./engine/shard.ts";
export type { StateView } from "./engine/state-view.ts";
export type { HotGroups, LsmStats } from "./engine/stats.ts";
export { END_OF_KEYS, type Sequence } from "./format/entry.ts";
export type { Owner } from "./format/manifest-records.ts";
export type { PackedRows } from "./format/packed-rows.ts";
export type { Ingest, Ingested, IngestRow } from "./ingest/ingest.ts";
export type { Maybe } from "./maybe.ts";
export type { LsmOptions } from "./options.ts";
export type { NodeIdentity, Sighting, TakeOver } from "./ownership/owner.ts";
export type { Range } from "./range.ts";
export type { RangeEstimate } from "./read/estimate.ts";
export type { HotGroup, HotPrefix } from "./read/hot-prefixes.ts";
export { int64Bytes, int64Of, membersOf, setBytes } from "./read/operators.ts";
export { openReader, type Reader, type ReaderParts, type ReaderTarget } from "./read/reader.ts";
export type { PackedScan, Row, Scan } from "./read/scan.ts";
export type {
  AbortableScan,
  AbortableScan as ReaderScan,
  RangeScan,
  RangeScan as StateScan,
  RangeScan as TransactionScan,
} from "./read/scan-request.ts";
export type { NamedState } from "./states/checkpoints.ts";
export type { Moment } from "./states/resolve.ts";
export type { CommittedBatch, Subscription } from "./subscribe/subscription.ts";
export type { WriteCondition } from "./transaction/conditional-write.ts";
export type { EngineSnapshot } from "./transaction/snapshots.ts";
export type {
  Isolation,
  Savepoint,
  Transaction,
  TransactionOptions,
} from "./transaction/transaction.ts";
export { ObjectWalStore } from "./wal/objects.ts";
export type { WalStore } from "./wal/port.ts";
export { SegmentReader } from "./wal/reader.ts";
export { SegmentWalStore } from "./wal/segments.ts";
export { MemoryBudget } from "./write/budget.ts";
export type { Throttle } from "./write/throttles.ts";
export type { WriteOp, Written } from "./write/write-path.ts";
