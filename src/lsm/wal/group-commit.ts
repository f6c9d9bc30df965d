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
 * As many writes are in flight as the log takes; what arrives meanwhile goes into the next. An idle
 * log is written to at once, after the callers that run in this very turn, so that those who were
 * acknowledged together write together again. A second write begins half of one behind the first,
 * so that who comes between them waits least.
 */
export class GroupCommit {
  readonly #wal: Wal;
  readonly #clock: Clock;
  readonly #minFlushIntervalMs: number;
  readonly #onDurable: (batches: readonly WalBatch[]) => void;
  /** Not yet handed to the log, oldest first; only the last one grows. */
  #pending: Group[] = [];
  #pendingBytes = 0;
  /** Oldest first. */
  readonly #inFlight: Group[] = [];
  /** The next write, until it is in flight. */
  #starting: Promise<void> | undefined;
  /** Who waits for a new file. */
  #rolled: PromiseWithResolvers<void> | undefined;
  #flushedAtMs = Number.NEGATIVE_INFINITY;
  /** From the start of the last write that was acknowledged. */
  #tookMs = 0;
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
    this.#start();
    return group;
  }

  /** Resolves when all that was written so far is durable. */
  async flush(): Promise<void> {
    await (this.#pending.at(-1) ?? this.#inFlight.at(-1))?.durable();
    if (this.#failure !== undefined) throw dead(this.#failure);
  }

  /** As `Wal.roll`, before the next group: what waits goes into the new file. */
  async roll(): Promise<void> {
    if (this.#failure !== undefined) throw dead(this.#failure);
    this.#rolled ??= Promise.withResolvers<void>();
    const { promise } = this.#rolled;
    this.#start();
    await promise;
  }

  /** Flushes, and gives up the log. Writes are refused from here on. */
  async close(): Promise<void> {
    this.#closed = true;
    for (;;) {
      const [oldest] = this.#inFlight;
      if (oldest === undefined && this.#starting === undefined) break;
      await (this.#starting ?? oldest?.durable().catch(() => undefined));
    }
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

  /** The next write, where anything waits and the log takes another one. */
  #start(): void {
    const waits = this.#pending.length > 0 || this.#rolled !== undefined;
    if (!waits || this.#inFlight.length === this.#wal.maxInFlight) return;
    this.#starting ??= this.#soon();
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
    try {
      if (rolled !== undefined) await this.#wal.roll();
      rolled?.resolve();
    } catch (error) {
      this.#fail(error);
      rolled?.reject(error);
    }
    const group = this.#pending.shift();
    this.#starting = undefined;
    if (group === undefined) return;
    this.#inFlight.push(group);
    void this.#append(group);
    this.#start();
  }

  async #append(group: Group): Promise<void> {
    const startMs = this.#clock.monotonicMs();
    try {
      await this.#wal.append(group.batches, this.#isAlone(group));
      assert(group === this.#inFlight[0], "groups are acknowledged in order");
      for (const { firstSequence, count, payload } of group.batches) {
        this.#durableSequence = firstSequence + count - 1;
        this.#pendingBytes -= payload.length;
      }
      assert(this.#pendingBytes >= 0, "what is written was counted when it came");
      this.#tookMs = this.#clock.monotonicMs() - startMs;
      this.#onDurable(group.batches);
      group.resolve();
    } catch (error) {
      this.#fail(error);
      group.reject(error);
    }
    this.#inFlight.splice(this.#inFlight.indexOf(group), 1);
    this.#start();
  }

  /** One commit, after others that came one by one too. */
  #isAlone({ batches }: Group): boolean {
    const isOne = batches.length === 1 && this.#pending.length === 0;
    this.#lone = isOne ? this.#lone + 1 : 0;
    return this.#lone > LONE_COMMITS && this.#isQuiet();
  }

  async #interval(): Promise<void> {
    const sinceMs = this.#clock.monotonicMs() - this.#flushedAtMs;
    const [oldest] = this.#inFlight;
    if (sinceMs < this.#minFlushIntervalMs) {
      await this.#clock.sleep(this.#minFlushIntervalMs - sinceMs);
    } else if (oldest !== undefined && sinceMs < this.#tookMs / 2) {
      const ended = new AbortController();
      const end = (): void => ended.abort();
      oldest.durable().then(end, end);
      await this.#clock.sleep(this.#tookMs / 2 - sinceMs, ended.signal);
    }
    this.#flushedAtMs = this.#clock.monotonicMs();
  }

  /** Those that wait were never written: what ended the log happened to others. */
  #fail(error: unknown): void {
    this.#failure ??= error;
    for (const group of this.#pending.splice(0)) group.reject(dead(error));
    this.#rolled?.reject(dead(error));
    this.#rolled = undefined;
  }
}

/** So many come one by one before the next is written on the calling thread. */
const LONE_COMMITS = 8;

/** What a frame adds to a payload, in the count of what a group may hold. */
const OVERHEAD_BYTES = 40;
