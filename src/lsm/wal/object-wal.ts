import { assert } from "../../base/assert.ts";
import { type Clock, Stopwatch } from "../../base/clock.ts";
import { FirnError, invalid } from "../../base/error.ts";
import { AppendStats } from "./append-stats.ts";
import { dead, fenced, unwritten, writeUnknown } from "./errors.ts";
import { framesBytes } from "./frame.ts";
import { walName } from "./names.ts";
import { OBJECT_HEADER_BYTES, type WalObject } from "./object-format.ts";
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
  /** Behind the fence. */
  readonly nextId: number;
  readonly recovered: readonly { readonly id: number; readonly lastSequence: number }[];
  readonly lastSequence: number;
  /** All that was recovered has higher sequences. */
  readonly knownFrom: number;
}

const GROUP_BYTES = 8_388_608;
/** One put, held in memory whole. */
const MAX_BATCH_BYTES = 268_435_456;

/**
 * Puts that may be under way at once. More would need a fence of as many objects: a writer that is
 * overtaken may still put as many.
 */
export const PUTS_IN_FLIGHT = 2;

/** The log of one owner in a blob store: a put a group. */
export class ObjectWal implements Wal {
  readonly maxBatchBytes: number = MAX_BATCH_BYTES;
  readonly maxGroupBytes: number = GROUP_BYTES;
  readonly maxInFlight: number = PUTS_IN_FLIGHT;
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
  /** Of the oldest group under way, else of the next one. */
  #nextId: number;
  /** Of what is acknowledged; and of what is under way too. */
  #lastSequence: number;
  #sentSequence: number;
  #writtenBytes: number = OBJECT_HEADER_BYTES;
  /** Begun before the last put that was ours. */
  #known: Stopwatch;
  #underWay = 0;
  /** Settles as the append that was called last. */
  #newest: Promise<void> = Promise.resolve();
  #fault: unknown;

  constructor(found: ObjectTakeOver) {
    this.#log = found.log;
    this.#clock = found.clock;
    this.#epoch = found.epoch;
    this.#minAgeMs = found.minAgeMs;
    this.#stats = new AppendStats(found.clock);
    this.#objects = [...found.recovered];
    this.#knownFrom = found.knownFrom;
    this.#nextId = found.nextId;
    this.#lastSequence = found.lastSequence;
    this.#sentSequence = found.lastSequence;
    this.#known = found.known;
  }

  append(group: readonly WalBatch[]): Promise<void> {
    assert(this.#underWay < PUTS_IN_FLIGHT, "no more puts are under way than a fence stops");
    const appended = this.#append(group, this.#newest);
    // It is told to the caller.
    this.#newest = appended.catch(() => undefined);
    return appended;
  }

  async #append(group: readonly WalBatch[], before: Promise<void>): Promise<void> {
    if (this.#fault !== undefined) throw dead(this.#fault);
    const bytes = framesBytes(group);
    if (bytes > MAX_BATCH_BYTES) {
      throw invalid("WAL_GROUP_TOO_LARGE", "the log group exceeds the size of an object", {
        bytes,
      });
    }
    const firstSequence = this.#sentSequence + 1;
    const lastSequence = lastOf(group, firstSequence);
    const id = this.#nextId + this.#underWay;
    const isOverlapped = this.#underWay > 0;
    this.#sentSequence = lastSequence;
    this.#underWay++;
    try {
      const startMs = this.#stats.nowMs();
      await this.#put(
        { id, epoch: this.#epoch, firstSequence, isOverlapped, batches: group },
        before,
      );
      this.#objects.push({ id, lastSequence });
      this.#nextId = id + 1;
      this.#lastSequence = lastSequence;
      this.#stats.acknowledged(group, startMs);
    } catch (error) {
      this.#fault ??= error;
      throw error;
    } finally {
      this.#underWay--;
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
    let behind: { readonly bytes: number } | undefined;
    for await (const { id, size, modifiedAtMs } of this.#log.list(0)) {
      behind = { bytes: size };
      if (id >= below) break;
      const releasedMs = this.#starts.releasedMs(id);
      over.push({ id, bytes: size, releasedMs, putMs: modifiedAtMs });
    }
    const kept = keptFrom(over, keep, this.#clock.monotonicMs());
    const before = this.#clock.nowMs() - this.#minAgeMs;
    const young = over.findIndex(({ id, putMs }) => id >= kept || putMs > before);
    const old = over.slice(0, young < 0 ? over.length : young);
    // A stray is known by the fence before it.
    if (isFence(old.at(-1)) && !isFence(over[old.length] ?? behind)) old.pop();
    this.#forget(old.at(-1)?.id ?? 0);
    const [fences, groups] = [old.filter(isFence), old.filter((each) => !isFence(each))];
    for (const some of [groups, fences]) await this.#log.remove(some.map(({ id }) => id));
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
    assert(this.#underWay === 0, "nothing is under way when a log is closed");
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

  /** Judged behind the group before it: where that is not there, this one counts for no reader. */
  async #put(object: Omit<WalObject, "putId">, before: Promise<void>): Promise<void> {
    const { id } = object;
    const began = new Stopwatch(this.#clock);
    const [put] = await Promise.all([this.#outcomeOf(object), before]);
    if (this.#fault !== undefined) throw behind(walName(id), this.#fault);
    if (put instanceof Error) throw put;
    if (put.outcome !== "ours") {
      throw fenced(walName(id), put.outcome === "gone" ? "Unknown" : "Unavailable");
    }
    this.#writtenBytes += put.bytes;
    await this.#assertOwned(id);
    this.#known = began;
  }

  async #outcomeOf(object: Omit<WalObject, "putId">): Promise<PutOutcome | Error> {
    const name = walName(object.id);
    try {
      return await this.#log.put(object);
    } catch (error) {
      const kind = error instanceof FirnError ? error.kind : "Internal";
      if (error instanceof FirnError && kind === "Corrupt") return error;
      return kind === "Unknown" ? writeUnknown(name, error) : unwritten(name, error);
    }
  }

  async #assertOwned(id: number): Promise<void> {
    let overtaken: boolean;
    try {
      overtaken = await this.#log.isOvertaken({ id, epoch: this.#epoch }, this.#known);
    } catch (error) {
      throw writeUnknown(walName(id), error);
    }
    if (overtaken) throw fenced(walName(id), "Unknown");
  }
}

function isFence(file: { readonly bytes: number } | undefined): boolean {
  return file?.bytes === OBJECT_HEADER_BYTES;
}

/** What became of a group behind one that failed: it is read where that one is, and only there. */
function behind(file: string, fault: unknown): Error {
  if (!(fault instanceof FirnError)) return writeUnknown(file, fault);
  if (fault.kind === "Unavailable") return dead(fault);
  return fault.code === "WAL_FENCED" ? fenced(file, "Unknown") : writeUnknown(file, fault);
}

function sum(files: readonly { readonly bytes: number }[]): number {
  return files.reduce((total, { bytes }) => total + bytes, 0);
}
