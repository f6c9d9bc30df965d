import { assert } from "../../base/assert.ts";
import type { Clock } from "../../base/clock.ts";
import { invalid } from "../../base/error.ts";
import { dead } from "./errors.ts";
import type { Wal, WalBatch } from "./port.ts";

/** A write that was taken into the log's queue. */
export interface WriteHandle {
  /** Resolves when the write survives a crash. @throws what became of it, see `Wal`. */
  durable(): Promise<void>;
}

export interface GroupCommitOptions {
  readonly clock: Clock;
  /** From the start of one flush to that of the next: caps what a store that bills is asked. */
  readonly minFlushIntervalMs?: number;
  /** Whether, apart from commits, nothing waits for this thread. Asked before each lone commit. */
  readonly isQuiet?: () => boolean;
  /** Told of the batches of each group that is durable, in order. */
  readonly onDurable?: (batches: readonly WalBatch[]) => void;
}

/** Batches that are written together, and the promise that they share. */
class Group implements WriteHandle {
  readonly batches: WalBatch[] = [];
  bytes = 0;
  readonly #settled = Promise.withResolvers<void>();

  constructor() {
    // No caller has to ask for a handle's outcome.
    this.#settled.promise.catch(() => undefined);
  }

  durable(): Promise<void> {
    return this.#settled.promise;
  }

  resolve(): void {
    this.#settled.resolve();
  }

  reject(error: unknown): void {
    this.#settled.reject(error);
  }
}

/**
 * One write to the log is in flight; what arrives meanwhile goes into the next. An idle log is
 * written to at once, after the callers that run in this very turn, so that those who were
 * acknowledged together write together again.
 */
export class GroupCommit {
  readonly #wal: Wal;
  readonly #clock: Clock;
  readonly #minFlushIntervalMs: number;
  readonly #onDurable: (batches: readonly WalBatch[]) => void;
  /** Not yet handed to the log, oldest first; only the last one grows. */
  #pending: Group[] = [];
  #pendingBytes = 0;
  #inFlight: Group | undefined;
  #running: Promise<void> | undefined;
  /** Who waits for a new file. */
  #rolled: PromiseWithResolvers<void> | undefined;
  #flushedAtMs = Number.NEGATIVE_INFINITY;
  #durableSequence: number;
  #nextSequence: number;
  #failure: unknown;
  #closed = false;
  /** Commits in a row that had a group each. */
  #lone = 0;
  readonly #isQuiet: () => boolean;

  constructor(wal: Wal, { clock, minFlushIntervalMs = 0, onDurable, isQuiet }: GroupCommitOptions) {
    this.#isQuiet = isQuiet ?? (() => false);
    this.#wal = wal;
    this.#clock = clock;
    this.#minFlushIntervalMs = minFlushIntervalMs;
    this.#onDurable = onDurable ?? (() => {});
    this.#durableSequence = wal.stats().lastSequence;
    this.#nextSequence = this.#durableSequence + 1;
  }

  /** Everything up to it survives a crash. */
  get durableSequence(): number {
    return this.#durableSequence;
  }

  /** Payloads that wait or are being written: what a crash would lose. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  /**
   * Takes a batch, which continues the sequence of the one before. Synchronous: whatever decides on
   * sequences and this call are one step. The payload must not change until it is durable.
   *
   * @throws FirnError `Invalid`, code `WAL_BATCH_TOO_LARGE`, and nothing happened; what `Wal`
   *   throws, once it is dead.
   */
  write(batch: WalBatch): WriteHandle {
    if (this.#failure !== undefined || this.#closed) throw dead(this.#failure);
    const bytes = batch.payload.length;
    if (bytes > this.#wal.maxBatchBytes) {
      throw invalid("WAL_BATCH_TOO_LARGE", "the batch exceeds the size of a log file", { bytes });
    }
    assert(batch.firstSequence === this.#nextSequence, "sequences have no gap");
    this.#nextSequence += batch.count;
    const group = this.#groupFor(bytes + OVERHEAD_BYTES);
    group.batches.push(batch);
    group.bytes += bytes + OVERHEAD_BYTES;
    this.#pendingBytes += bytes;
    this.#running ??= this.#soon();
    return group;
  }

  /** Resolves when all that was written so far is durable. */
  async flush(): Promise<void> {
    await (this.#pending.at(-1) ?? this.#inFlight)?.durable();
    if (this.#failure !== undefined) throw dead(this.#failure);
  }

  /** As `Wal.roll`, before the next group: what waits goes into the new file. */
  async roll(): Promise<void> {
    if (this.#failure !== undefined) throw dead(this.#failure);
    this.#rolled ??= Promise.withResolvers<void>();
    const { promise } = this.#rolled;
    this.#running ??= this.#soon();
    await promise;
  }

  /** Flushes, and gives up the log. Writes are refused from here on. */
  async close(): Promise<void> {
    this.#closed = true;
    while (this.#running !== undefined) await this.#running;
    this.#failure ??= "closed";
    await this.#wal.close();
  }

  #groupFor(bytes: number): Group {
    const last = this.#pending.at(-1);
    if (last !== undefined && last.bytes + bytes <= this.#wal.maxGroupBytes) return last;
    const group = new Group();
    this.#pending.push(group);
    return group;
  }

  /** After every callback of promises that is ready, and those that they make ready. */
  #soon(): Promise<void> {
    return new Promise((resolve) => {
      process.nextTick(() => resolve(this.#run()));
    });
  }

  async #run(): Promise<void> {
    await this.#interval();
    const rolled = this.#rolled;
    this.#rolled = undefined;
    const group = this.#pending.shift();
    this.#inFlight = group;
    let begun = false;
    try {
      if (rolled !== undefined) await this.#wal.roll();
      rolled?.resolve();
      begun = true;
      if (group !== undefined) await this.#append(group);
    } catch (error) {
      this.#fail(error);
      rolled?.reject(error);
      // Where the log did not come to the group, it was never written.
      group?.reject(begun ? error : dead(error));
    }
    this.#inFlight = undefined;
    const more = this.#pending.length > 0 || this.#rolled !== undefined;
    this.#running = more ? this.#soon() : undefined;
  }

  async #append(group: Group): Promise<void> {
    await this.#wal.append(group.batches, this.#isAlone(group));
    for (const { firstSequence, count, payload } of group.batches) {
      this.#durableSequence = firstSequence + count - 1;
      this.#pendingBytes -= payload.length;
    }
    assert(this.#pendingBytes >= 0, "what is written was counted when it came");
    this.#onDurable(group.batches);
    group.resolve();
  }

  /** One commit, after others that came one by one too. */
  #isAlone({ batches }: Group): boolean {
    const isOne = batches.length === 1 && this.#pending.length === 0;
    this.#lone = isOne ? this.#lone + 1 : 0;
    return this.#lone > LONE_COMMITS && this.#isQuiet();
  }

  async #interval(): Promise<void> {
    if (this.#minFlushIntervalMs > 0) {
      const waitMs = this.#flushedAtMs + this.#minFlushIntervalMs - this.#clock.monotonicMs();
      if (waitMs > 0) await this.#clock.sleep(waitMs);
      this.#flushedAtMs = this.#clock.monotonicMs();
    }
  }

  /** Those that wait were never written: what ended the log happened to others. */
  #fail(error: unknown): void {
    this.#failure = error;
    for (const group of this.#pending.splice(0)) group.reject(dead(error));
    this.#rolled?.reject(dead(error));
    this.#rolled = undefined;
  }
}

/** So many come one by one before the next is written on the calling thread. */
const LONE_COMMITS = 8;

/** What a frame adds to a payload, in the count of what a group may hold. */
const OVERHEAD_BYTES = 40;
