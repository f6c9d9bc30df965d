/** The door of the patterns: all that other folders import. */

export {
  ARCHIVE_SHAPE,
  Archive,
  type ArchivedRows,
  type ArchiveFiles,
  type ArchiveRequest,
  type ArchiveRun,
  type ArchiveSource,
} from "./archive.ts";
export {
  CONFIGURATION_SHAPE,
  Configuration,
  type ConfigurationChange,
  type ConfigurationChanges,
  type ConfigurationEntry,
} from "./configuration.ts";
export { COUNTER_SHAPE, Counters } from "./counters.ts";
export {
  DEDUPLICATION_SHAPE,
  Deduplication,
  type DeduplicationOptions,
} from "./deduplication.ts";
export {
  type CommandKey,
  IDEMPOTENCY_SHAPE,
  IdempotencyStore,
  type Reservation,
} from "./idempotency.ts";
export { LEASE_SHAPE, type Lease, Leases, requireFence } from "./leases.ts";
export { LINK_SHAPE, type LinkDirection, type LinkedRequest, Links } from "./links.ts";
export { type Appended, EventLog, LOG_SHAPE, type LogEvent } from "./logs.ts";
export type { JsonForm, PatternShape, PatternTable } from "./pattern-table.ts";
export {
  type ClaimedTask,
  type DeadTask,
  QUEUE_SHAPE,
  Queue,
  type QueueOptions,
  type TaskClaim,
} from "./queues.ts";
