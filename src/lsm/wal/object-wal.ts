import { assert } from "../../base/assert.ts";
import { type Clock, Stopwatch } from "../../base/clock.ts";
import { FirnError, invalid } from "../../base/error.ts";
import { AppendStats } from "./append-stats.ts";
import { dead, fenced, unwritten, writeUnknown } from "./errors.ts";
import { framesBytes } from "./frame.ts";
import { walName } from "./names.ts";
import { OBJECT_HEADER_BYTES } from "./object-format.ts";
import type { ObjectLog, PutOutcome } from "./object-log.ts";
import type { Wal, WalBatch, WalStats } from "./port.ts";
import {
  keptFrom,
  NO_RETENTION,
  type ReleasedFile,
  ReplayStarts,
  type WalRetention,
} from "./retention.ts";
import { lastOf } from "./sequences.ts";

/** What a take-over found, and what it needs. */
export interface ObjectTakeOver {
  readonly log: ObjectLog;
  readonly clock: Clock;
  readonly minAgeMs: number;
  readonly epoch: number;
  /** Begun before the fence was put. */
  readonly known: Stopwatch;
  readonly fenceId: number;
  readonly recovered: readonly { readonly id: number; readonly lastSequence: number }[];
  readonly lastSequence: number;
  /** All that was recovered has higher sequences. */
  readonly knownFrom: number;
}

const GROUP_BYTES = 8_388_608;
/** One put, held in memory whole. */
const MAX_BATCH_BYTES = 268_435_456;

/** The log of one owner in a blob store: a put a group. */
export class ObjectWal implements Wal {
  readonly maxBatchBytes: number = MAX_BATCH_BYTES;
  readonly maxGroupBytes: number = GROUP_BYTES;
  readonly #log: ObjectLog;
  readonly #clock: Clock;
  readonly #epoch: number;
  readonly #minAgeMs: number;
  readonly #stats: AppendStats;
  /** Objects that hold a group, oldest first. */
  #objects: { readonly id: number; readonly lastSequence: number }[];
  /** Objects below `#objects`, oldest first, that no replay needs and subscribers may read. */
  #retained: { readonly id: number; readonly lastSequence: number }[] = [];
  readonly #starts = new ReplayStarts();
  /** As it was found last. */
  #retainedBytes = 0;
  /** Sequences above it lie in one of both. */
  #knownFrom: number;
  #nextId: number;
  #lastSequence: number;
  #writtenBytes: number = OBJECT_HEADER_BYTES;
  /** Begun before the last put that was ours. */
  #known: Stopwatch;
  #busy = false;
  #fault: unknown;

  constructor(found: ObjectTakeOver) {
    this.#log = found.log;
    this.#clock = found.clock;
    this.#epoch = found.epoch;
    this.#minAgeMs = found.minAgeMs;
    this.#stats = new AppendStats(found.clock);
    this.#objects = [...found.recovered];
    this.#knownFrom = found.knownFrom;
    this.#nextId = found.fenceId + 1;
    this.#lastSequence = found.lastSequence;
    this.#known = found.known;
  }

  async append(group: readonly WalBatch[]): Promise<void> {
    assert(!this.#busy, "one write is in flight");
    if (this.#fault !== undefined) throw dead(this.#fault);
    const bytes = framesBytes(group);
    if (bytes > MAX_BATCH_BYTES) {
      throw invalid("WAL_GROUP_TOO_LARGE", "the log group exceeds the size of an object", {
        bytes,
      });
    }
    const lastSequence = lastOf(group, this.#lastSequence + 1);
    this.#busy = true;
    try {
      const startMs = this.#stats.nowMs();
      await this.#put(group);
      this.#objects.push({ id: this.#nextId, lastSequence });
      this.#nextId++;
      this.#lastSequence = lastSequence;
      this.#stats.acknowledged(group, startMs);
    } catch (error) {
      this.#fault = error;
      throw error;
    } finally {
      this.#busy = false;
    }
  }

  /** Every group has its own file as it is. */
  async roll(): Promise<void> {
    if (this.#fault !== undefined) throw dead(this.#fault);
  }

  /** An object is whole, or is not there. */
  get begun(): number {
    return 0;
  }

  lowWater(sequence: number): number {
    const found = this.#objects.find((object) => object.lastSequence > sequence);
    return found?.id ?? this.#nextId;
  }

  /**
   * Deletes what is old enough: a list and a delete for each thousand. The newest object stays, so
   * that a number which was taken once is taken, or below one that is, for ever.
   */
  async release(file: number, keep: WalRetention = NO_RETENTION): Promise<void> {
    assert(file <= this.#nextId, "what comes next is not released");
    if (this.#fault !== undefined) throw dead(this.#fault);
    this.#retained = [...this.#retained, ...this.#objects.filter(({ id }) => id < file)];
    this.#objects = this.#objects.filter(({ id }) => id >= file);
    this.#starts.begin(file, this.#clock.monotonicMs());
    const over: (ReleasedFile & { readonly putMs: number })[] = [];
    const below = Math.min(file, this.#nextId - 1);
    for await (const { id, size, modifiedAtMs } of this.#log.list(0)) {
      if (id >= below) break;
      const releasedMs = this.#starts.releasedMs(id);
      over.push({ id, bytes: size, releasedMs, putMs: modifiedAtMs });
    }
    const kept = keptFrom(over, keep, this.#clock.monotonicMs());
    const before = this.#clock.nowMs() - this.#minAgeMs;
    const old = over.filter(({ id, putMs }) => id < kept && putMs <= before);
    this.#forget(old.at(-1)?.id ?? 0);
    await this.#log.remove(old.map(({ id }) => id));
    this.#retainedBytes = sum(over) - sum(old);
  }

  fileOf(sequence: number): { readonly file: number } | { readonly below: number } {
    const known = [...this.#retained, ...this.#objects];
    const found = known.find(({ lastSequence }) => lastSequence >= sequence);
    if (sequence > this.#knownFrom) return { file: found?.id ?? this.#nextId };
    return { below: found === undefined ? this.#nextId : found.id + 1 };
  }

  stats(): WalStats {
    return {
      epoch: this.#epoch,
      lastSequence: this.#lastSequence,
      files: this.#objects.length,
      retainedBytes: this.#retainedBytes,
      writtenBytes: this.#writtenBytes,
      ...this.#stats.figures(),
    };
  }

  async close(): Promise<void> {
    assert(!this.#busy, "nothing is under way when a log is closed");
    this.#fault ??= "closed";
  }

  /** Objects up to one are about to go. */
  #forget(through: number): void {
    for (const { id, lastSequence } of this.#retained) {
      if (id <= through) this.#knownFrom = Math.max(this.#knownFrom, lastSequence);
    }
    this.#retained = this.#retained.filter(({ id }) => id > through);
    this.#starts.forget(through + 1);
  }

  async #put(batches: readonly WalBatch[]): Promise<void> {
    const id = this.#nextId;
    const began = new Stopwatch(this.#clock);
    const firstSequence = this.#lastSequence + 1;
    let put: PutOutcome;
    try {
      put = await this.#log.put({ id, epoch: this.#epoch, firstSequence, batches });
    } catch (error) {
      const kind = error instanceof FirnError ? error.kind : "Internal";
      if (kind === "Corrupt") throw error;
      throw kind === "Unknown" ? writeUnknown(walName(id), error) : unwritten(walName(id), error);
    }
    if (put.outcome !== "ours") {
      throw fenced(walName(id), put.outcome === "gone" ? "Unknown" : "Unavailable");
    }
    this.#writtenBytes += put.bytes;
    await this.#assertOwned(id);
    this.#known = began;
  }

  async #assertOwned(id: number): Promise<void> {
    let overtaken: boolean;
    try {
      overtaken = await this.#log.isOvertaken(id, this.#known);
    } catch (error) {
      throw writeUnknown(walName(id), error);
    }
    if (overtaken) throw fenced(walName(id), "Unknown");
  }
}

function sum(files: readonly { readonly bytes: number }[]): number {
  return files.reduce((total, { bytes }) => total + bytes, 0);
}
