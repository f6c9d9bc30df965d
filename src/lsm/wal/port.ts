import type { WalRetention } from "./retention.ts";

/** Where a file of a log, of either kind, says the epoch of its writer. */
export const EPOCH_AT = 16;

/** Operations that became visible together. Each takes one sequence number. */
export interface WalBatch {
  /** 1 to 2^53 - 1; the batch takes [firstSequence, firstSequence + count). */
  readonly firstSequence: number;
  /** At least 1. */
  readonly count: number;
  /** Opaque to the log; the engine's are of `batch.ts`. */
  readonly payload: Uint8Array;
}

/** The batches of one commit as they are read back, in sequence order. */
export interface WalGroup {
  /** Epoch of the writer that was acknowledged. */
  readonly epoch: number;
  /** Payloads are views into what was read, and are gone after `onGroup`: copy what is kept. */
  readonly batches: readonly WalBatch[];
}

/** What a manifest keeps of its log: files below `file`, batches up to `sequence` are not read. */
export interface WalMark {
  readonly file: number;
  readonly sequence: number;
  /** A file that was begun (`Wal.begun`): a log that ends before it is damaged. */
  readonly begun?: number | undefined;
}

/** How far a log was read: what comes next stands there, or in the file behind it. */
export interface WalPlace {
  readonly file: number;
  /** Within the file; 0 is its start. */
  readonly offset: number;
  readonly sequence: number;
}

export interface TailGroup {
  /** Perhaps without batches, or with some that lie below the place that was asked for. */
  readonly group: WalGroup;
  /** Behind it. */
  readonly place: WalPlace;
}

export interface WalOpenOptions {
  /** Above that of every writer before: 1 to 2^32 - 1. */
  readonly epoch: number;
  /** Where replay begins. A log that was never written to: `{file: 0, sequence: 0}`. */
  readonly from: WalMark;
  /**
   * Called for each group that holds a batch beyond `from.sequence`, in order; awaited. Damage that
   * it finds is thrown on with the file's name.
   */
  readonly onGroup: (group: WalGroup) => void | Promise<void>;
}

export interface WalStats {
  readonly epoch: number;
  /** The last sequence that was recovered or is durable. */
  readonly lastSequence: number;
  /** Files that replay would read. */
  readonly files: number;
  /** Bytes of those below, which stay for subscribers, or until they are old enough. */
  readonly retainedBytes: number;
  readonly groups: number;
  readonly batches: number;
  /** Of payloads, and of all that was written for them: frames, padding, headers, zeros. */
  readonly payloadBytes: number;
  readonly writtenBytes: number;
  /** Time from a group's write to its acknowledgement. */
  readonly appendMs: { readonly total: number; readonly max: number; readonly last: number };
}

/**
 * The log of one writer, from its take-over on. After any error but `Invalid` it is dead: every
 * later call throws, and only opening it again, under a higher epoch, tells what became of the
 * group under way. Codes: `WAL_FENCED` (another writer took over), `WAL_WRITE_UNKNOWN`,
 * `WAL_UNWRITTEN`, `DISK_FULL` and `DISK_READ_ONLY` (nothing happened), `WAL_DEAD`. Kind `Unknown`
 * says that the group may be replayed, `Unavailable` that it never will be.
 */
export interface Wal {
  /** The longest payload of a batch; and where a group is cut, if it holds more than one batch. */
  readonly maxBatchBytes: number;
  readonly maxGroupBytes: number;
  /** Groups that may be under way at once. */
  readonly maxInFlight: number;
  /**
   * Resolves when the group and all before it survive a crash, and no other writer can have missed
   * them. Not called again while `maxInFlight` calls are under way. One write, or one put.
   *
   * @param isAlone no other commit waits, and nothing else runs: a log whose last writes were fast
   *   may write on this thread.
   */
  append(group: readonly WalBatch[], isAlone?: boolean): Promise<void>;
  /** What comes next goes into its own file, so that what came before can be released. */
  roll(): Promise<void>;
  /**
   * The newest file that is sure to be found again by what it begins with; 0 where files are not
   * begun before they hold something. What a `WalMark` may name as begun.
   */
  readonly begun: number;
  /** The oldest file that holds a batch beyond `sequence`: what a `WalMark` of it names. */
  lowWater(sequence: number): number;
  /**
   * Gives up the files below one, but for the newest of them that are kept for subscribers. Only
   * after a mark with this file, or a later one, is durable.
   */
  release(file: number, keep?: WalRetention): Promise<void>;
  /**
   * The file that holds a sequence, which is durable; or, of one that replay did not need when this
   * owner came, the file that comes behind what holds it, if anything does.
   */
  fileOf(sequence: number): { readonly file: number } | { readonly below: number };
  stats(): WalStats;
  close(): Promise<void>;
}

/** Where the logs of one shard's writers lie. */
export interface WalStore {
  /**
   * Takes over: from here on no other writer is acknowledged. Replays, and answers an empty log.
   *
   * @throws FirnError `Unavailable`, code `WAL_FENCED`: a writer of the same epoch or a higher
   *   one was here. `Corrupt`, code `WAL_CORRUPT`, naming file and offset.
   */
  open(options: WalOpenOptions): Promise<Wal>;
  /** The files as those see them who own nothing. */
  reader(): WalReader;
}

/** Where a sequence lies; else the next one that a batch has, if one of those files holds any. */
export type WalHolding = { readonly file: number } | { readonly next: number | undefined };

/** One file of a log as it stands. */
export interface WalFile {
  readonly id: number;
  readonly bytes: number;
}

/** What a file holds; groups are read as they are asked for, and may then throw `Corrupt`. */
export interface WalContent {
  readonly epoch: number;
  readonly groups: Iterable<WalGroup>;
}

/**
 * What is left of a log: where a file of it begins, by its sequence; batches; or a place where
 * something is not what was written.
 */
export type WalSalvage =
  | { readonly epoch: number; readonly begins: number }
  | { readonly batches: readonly WalBatch[] }
  | { readonly file: string; readonly offset: number; readonly what: string };

/**
 * A log as those see it who own nothing: no file is created, changed or removed. While an owner is
 * at work they see some moment of it: its last groups may be missing, and files that it releases
 * may vanish between a list and a read.
 */
export interface WalReader {
  /** For messages. */
  pathOf(id: number): string;
  /** In order. */
  list(): Promise<readonly WalFile[]>;
  /** Whether a file is there, and begun. */
  exists(id: number): Promise<boolean>;
  /**
   * Of the files below one, which begins above a sequence, that which holds it. None does where it
   * was released, or where no batch ever had that sequence. `after`: the one that was read before.
   */
  holding(sequence: number, below: number, after?: number): Promise<WalHolding>;
  /** The epoch and the groups of one file. @throws FirnError `Corrupt`, `WAL_CORRUPT`. */
  read(id: number): Promise<WalContent>;
  /** All groups that a take-over would replay, checked as it checks them. */
  replay(from: WalMark, onGroup: (group: WalGroup) => void): Promise<void>;
  /**
   * As `replay`, of a log that may be damaged: in order, every batch whose checksums hold and that
   * a take-over would have replayed, and every damage. A file each is held in memory.
   */
  salvage(from: WalMark): AsyncGenerator<WalSalvage>;
  /**
   * Groups beyond a place that every later owner must find, in order, as far as there are any.
   * Objects: a request where there is none.
   *
   * @returns whether nothing was there beyond the last one; else another process takes over just
   *   now.
   * @throws FirnError `Corrupt`, code `WAL_CORRUPT`: also where files were released meanwhile,
   *   which a newer manifest tells.
   */
  tail(from: WalPlace): AsyncGenerator<TailGroup, boolean>;
}

/** What a manifest says of the file that was begun, after another one that said so. */
export function begunIn(
  { walBegun = 0 }: { readonly walBegun?: number | undefined },
  { begun }: Pick<Wal, "begun">,
): number | undefined {
  const newest = Math.max(walBegun, begun);
  return newest === 0 ? undefined : newest;
}
