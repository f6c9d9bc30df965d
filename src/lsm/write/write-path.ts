import { assert } from "../../base/assert.ts";
import type { Clock } from "../../base/clock.ts";
import { type FirnError, invalid } from "../../base/error.ts";
import { assertKeyBytes, bytesOfKey, END_OF_KEYS, type Sequence } from "../format/entry.ts";
import type { Health } from "../health.ts";
import { LSM_LIMITS } from "../limits.ts";
import type { Maybe } from "../maybe.ts";
import type { LsmTuning } from "../options.ts";
import { deletedBounds } from "../range.ts";
import { KeySamples } from "../read/key-samples.ts";
import type { Operators } from "../read/operators.ts";
import type { ReadViews } from "../read/read-view.ts";
import { type BatchOp, encodeBatch } from "../wal/batch.ts";
import type { GroupCommit, WriteHandle } from "../wal/group-commit.ts";
import type { EventLoopTurn } from "./budget.ts";
import { OpsBatch, type Prepared } from "./prepared.ts";
import type { Pressure } from "./pressure.ts";
import { Throttles } from "./throttles.ts";
import type { WriteWatch } from "./write-watch.ts";

/** One operation of a batch. Keys have 1 to 65,535 bytes, values up to 16 MiB. */
export type WriteOp =
  | {
      readonly op: "put";
      readonly key: Uint8Array;
      readonly value: Uint8Array;
      /** From this wall time on, ms since the epoch, neither it is there nor what it replaced. */
      readonly expiresAtMs?: number;
    }
  | { readonly op: "delete"; readonly key: Uint8Array }
  /** Combines an operand with the value that is there, by a registered operator, unread. */
  | {
      readonly op: "merge";
      readonly key: Uint8Array;
      readonly operator: string;
      readonly value: Uint8Array;
      /** From this wall time on the operand counts for nothing. */
      readonly expiresAtMs?: number;
    }
  /** Every key in [from, to): from the first on, or up to the last, where a bound is empty. */
  | { readonly op: "deleteRange"; readonly from: Uint8Array; readonly to: Uint8Array };

/** A batch that is applied: every later read in this process sees it. */
export interface Written {
  /** Of its last operation. */
  readonly sequence: Sequence;
  /**
   * Resolves when it survives a crash. @throws FirnError `Unknown` (it may survive), or
   * `Unavailable` (it will not): code `WAL_FENCED`, `WAL_WRITE_UNKNOWN`, `WAL_UNWRITTEN`,
   * `DISK_FULL`, `WAL_DEAD`.
   */
  durable(): Promise<void>;
}

/** What the write path acts on. */
export interface WriteTarget {
  readonly clock: Clock;
  readonly options: LsmTuning;
  readonly views: ReadViews;
  readonly commits: GroupCommit;
  readonly health: Health;
  readonly pressure: Pressure;
  readonly turn: EventLoopTurn;
  /** Told whenever a group is durable. */
  readonly onDurable: () => void;
  /** The active memtable takes more memory than before. */
  readonly onGrown: () => void;
  /** So many bytes more, or less, wait to be applied. */
  readonly onWaiting: (bytes: number) => void;
}

/** A group of batches that is on its way to the log. */
interface Pending {
  readonly handle: WriteHandle;
  last: Sequence;
}

/**
 * Every write, plain or of a transaction, goes through one synchronous section: conflict check,
 * sequences, log, memtable. So the order of sequences is the order of the log and of what readers
 * see, without any lock.
 */
export class WritePath {
  readonly samples: KeySamples;
  readonly throttles: Throttles;
  readonly #target: WriteTarget;
  /** Groups that are not durable, oldest first. */
  readonly #pending: Pending[] = [];
  readonly #watches = new Set<WriteWatch>();
  /** Resolves when writes go on; undefined: they do. */
  #stopped: Promise<void> | undefined;
  #lastSequence: Sequence;
  #batches = 0;
  #ops = 0;
  #bytes = 0;

  constructor(target: WriteTarget, lastSequence: Sequence) {
    this.#target = target;
    this.samples = new KeySamples(target.clock);
    this.throttles = new Throttles(target.clock);
    this.#lastSequence = lastSequence;
  }

  get lastSequence(): Sequence {
    return this.#lastSequence;
  }

  get durableSequence(): Sequence {
    return Math.min(this.#target.commits.durableSequence, this.#lastSequence);
  }

  get figures(): { readonly batches: number; readonly ops: number; readonly bytes: number } {
    return { batches: this.#batches, ops: this.#ops, bytes: this.#bytes };
  }

  /**
   * Applies a batch: at once, or after a delay where writes outrun the flushes.
   *
   * @param check runs in the same synchronous step as the write; what it throws stops it.
   * @throws FirnError `Overloaded`, codes `LSM_OVERLOADED`, `LSM_THROTTLED`; `Invalid`, code
   *   `WAL_BATCH_TOO_LARGE`; what ended the engine.
   */
  write(batch: Prepared, check?: () => void): Maybe<Written> {
    const { health, pressure, commits, options } = this.#target;
    health.assertOpen();
    if (batch.count === 0) return this.#nothing();
    if (this.throttles.areSet) this.throttles.check(batch.ops());
    const delayMs = pressure.delayMs(batch.bytes);
    const crowded = commits.pendingBytes > options.walBacklogBytes;
    // Answers on the spot never let the event loop go on, not even for the log and the flushes.
    return delayMs > 0 || crowded || this.#isGreedy || this.#stopped !== undefined
      ? this.#later(batch, delayMs, check)
      : this.#apply(batch, check);
  }

  /** Resolves when everything up to a sequence survives a crash. @throws as `Written.durable`. */
  durable(sequence: Sequence): Maybe<void> {
    if (sequence <= this.#target.commits.durableSequence) return undefined;
    const group = this.#pending.find(({ last }) => last >= sequence) ?? this.#pending.at(-1);
    assert(group !== undefined, "what is not durable is on its way to the log");
    return group.handle.durable();
  }

  /** Notes what is written from now on, until what is answered is called. */
  watch(watch: WriteWatch): () => void {
    this.#watches.add(watch);
    return () => void this.#watches.delete(watch);
  }

  /** Work while no write is applied: those that come wait for its end. One at a time. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    while (this.#stopped !== undefined) await this.#stopped;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#stopped = promise;
    try {
      return await work();
    } finally {
      this.#stopped = undefined;
      resolve();
    }
  }

  /**
   * Gives an ingest the next sequence, in the log as well. No reader sees it before `pass`. Within
   * `alone`, so that no write has a later one before that.
   */
  reserve(id: Uint8Array): { readonly sequence: Sequence; readonly handle: WriteHandle } {
    assert(this.#stopped !== undefined, "no write takes a sequence beside an ingest");
    const sequence = this.#lastSequence + 1;
    const payload = encodeBatch([{ op: "ingest", key: id }]);
    const handle = this.#target.commits.write({ firstSequence: sequence, count: 1, payload });
    this.#note(handle, sequence);
    return { sequence, handle };
  }

  /**
   * What became of a reserved sequence is known: readers see it.
   *
   * @param own of the ingest that has it, where its rows were published: others conflict with them.
   */
  pass(sequence: Sequence, own?: WriteWatch): void {
    assert(this.#stopped !== undefined, "a sequence is passed before a write takes the next one");
    assert(sequence === this.#lastSequence + 1, "the sequence that was reserved is the next one");
    this.#lastSequence = sequence;
    if (own === undefined) return;
    for (const watch of this.#watches) if (watch !== own) watch.noteIngest(own, sequence);
  }

  async #later(
    batch: Prepared,
    delayMs: number,
    check: (() => void) | undefined,
  ): Promise<Written> {
    const { bytes } = batch;
    // Its caller may change what it gave: what was given is what is asked for.
    const kept = batch.kept();
    this.#target.onWaiting(bytes);
    try {
      await this.#wait(delayMs);
      // Another one may have begun before this one's turn.
      while (this.#stopped !== undefined) await this.#stopped;
      this.#target.health.assertOpen();
    } finally {
      this.#target.onWaiting(-bytes);
    }
    try {
      return this.#apply(kept, check);
    } finally {
      if (kept !== batch) kept.letGo();
    }
  }

  /** Until a delay is over, others have had the event loop, and the log has room. */
  async #wait(delayMs: number): Promise<void> {
    const { clock, health, pressure, commits, options, turn } = this.#target;
    if (delayMs > 0) await pressure.wait(delayMs);
    else if (this.#isGreedy) await clock.sleep(0);
    turn.bytes = 0;
    // One group is being written and the next one waits: when the first is done there is room.
    while (commits.pendingBytes > options.walBacklogBytes && health.failure === undefined) {
      // What becomes of others is for them to hear; here it only means that the engine has ended.
      await this.#pending[0]?.handle.durable().catch(() => undefined);
    }
    health.assertOpen();
  }

  get #isGreedy(): boolean {
    const { turn, options } = this.#target;
    return turn.bytes > Math.min(turn.mostBytes, options.turnBytes);
  }

  /** The bytes are copied once: what the memtable keeps is what the log writes. */
  #apply(batch: Prepared, check: (() => void) | undefined): Written {
    const { commits, views, turn } = this.#target;
    check?.();
    assert(this.#stopped === undefined, "no write is applied beside work that wants to be alone");
    const { count, bytes } = batch;
    const first = this.#lastSequence + 1;
    const last = this.#lastSequence + count;
    const { active } = views.current;
    const room = active.room(bytes);
    batch.writeTo(room.bytes, room.at);
    const payload = room.bytes.subarray(room.at, room.at + bytes);
    const handle = commits.write({ firstSequence: first, count, payload });
    active.addBatch(room, bytes, first);
    this.#lastSequence = last;
    if (this.#watches.size > 0) {
      const ops = batch.ops();
      for (const watch of this.#watches) watch.note(ops, first);
    }
    this.samples.noteEach(count, batch.keys);
    this.#batches++;
    this.#ops += count;
    this.#bytes += bytes;
    turn.bytes += bytes;
    this.#note(handle, last);
    if (active.hasGrown()) this.#target.onGrown();
    return { sequence: last, durable: () => handle.durable() };
  }

  /** A batch of nothing is there as soon as what came before it. */
  #nothing(): Written {
    const { lastSequence } = this;
    return { sequence: lastSequence, durable: async () => await this.durable(lastSequence) };
  }

  /** Watches each group once, even without a caller that waits: a failure ends the engine. */
  #note(handle: WriteHandle, last: Sequence): void {
    const newest = this.#pending.at(-1);
    assert(newest === undefined || last > newest.last, "groups come in the order of sequences");
    if (newest?.handle === handle) {
      newest.last = last;
      return;
    }
    this.#pending.push({ handle, last });
    const { health, onDurable, turn } = this.#target;
    handle.durable().then(() => {
      this.#pending.shift();
      turn.bytes = 0;
      onDurable();
    }, health.fail);
  }
}

/**
 * Checks a batch, and keeps the keys and values that it was given. In the log merges have a number
 * for their operator, and no deleted range is empty or has bounds longer than a key.
 *
 * @throws FirnError `Invalid`, codes `LSM_KEY_INVALID`, `LSM_VALUE_TOO_LARGE`,
 *   `LSM_RANGE_INVALID`, `LSM_EXPIRY_INVALID`, `LSM_OPERATOR_INVALID`, `LSM_OPERAND_INVALID`.
 */
export function prepare(ops: readonly WriteOp[], operators: Operators): Prepared {
  let isPlain = true;
  for (const op of ops) {
    if (op.op === "deleteRange") isPlain = false;
    else {
      assertKeyBytes(op.key);
      if (op.op === "delete") continue;
      assertValue(op.value);
      assertExpiry(op.expiresAtMs);
      if (op.op === "merge") isPlain = false;
    }
  }
  const kept = isPlain ? (ops as readonly BatchOp[]) : ops.flatMap((op) => stored(op, operators));
  return new OpsBatch(kept);
}

function stored(op: WriteOp, operators: Operators): readonly BatchOp[] {
  if (op.op === "merge") return [{ ...op, operator: operators.numberFor(op.operator, op.value) }];
  if (op.op !== "deleteRange") return [op];
  const { from, to } = deletedBounds(op.from, op.to);
  if (from === to) return [];
  const end = to === END_OF_KEYS ? NO_BYTES : bytesOfKey(to);
  return [{ op: "deleteRange", from: bytesOfKey(from), to: end }];
}

const NO_BYTES = new Uint8Array(0);

/** @throws FirnError `Invalid`, code `LSM_EXPIRY_INVALID`. */
export function assertExpiry(expiresAtMs: number | undefined): void {
  if (expiresAtMs === undefined || (Number.isSafeInteger(expiresAtMs) && expiresAtMs > 0)) return;
  throw invalid("LSM_EXPIRY_INVALID", "invalid expiry: it must be a positive integer", {
    expiresAtMs,
  });
}

/** @throws FirnError `Invalid`, code `LSM_VALUE_TOO_LARGE`. */
export function assertValue(value: Uint8Array): void {
  if (value.length > LSM_LIMITS.valueBytes) throw valueTooLarge(value.length);
}

export function valueTooLarge(bytes: number): FirnError {
  return invalid("LSM_VALUE_TOO_LARGE", "value too large", { bytes });
}
