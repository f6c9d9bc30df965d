import { assert } from "../../base/assert.ts";
import { invalid } from "../../base/error.ts";
import type { Sequence } from "../format/entry.ts";
import type { Health } from "../health.ts";
import type { Operators } from "../read/operators.ts";
import { decodeBatch, isIngest } from "../wal/batch.ts";
import type { WalBatch } from "../wal/port.ts";
import type { WriteOp } from "../write/write-path.ts";
import type { Feed } from "./feed.ts";
import { gone, type LogSource, LogWalk } from "./log-walk.ts";

/** A batch that survives a crash, as it was written. Never write to its bytes. */
export interface CommittedBatch {
  /** Of its first and of its last operation: each operation has one, in their order. */
  readonly firstSequence: Sequence;
  readonly lastSequence: Sequence;
  /** Merges as operands, expiries as they were given, ranges as ranges: nothing is evaluated. */
  readonly ops: readonly WriteOp[];
}

/** Committed batches in order, each once. */
export interface Subscription extends AsyncIterable<readonly CommittedBatch[]> {
  /** Where to subscribe again so that nothing is missed, and nothing comes twice. */
  readonly nextSequence: Sequence;
  /**
   * The next batches, at least one, as soon as they are durable; undefined once it is closed. Not
   * called while one is pending. After a failure it may be called again.
   *
   * @throws FirnError `NotFound`, code `LSM_SEQUENCE_GONE`, naming the `oldest` sequence from
   *   which on all is there, also where a restore replaced the state; `Unavailable`, codes
   *   `LSM_LOG_UNREADABLE`, and what ended the engine; what the store throws.
   */
  next(): Promise<readonly CommittedBatch[] | undefined>;
  close(): void;
}

export interface SubscriptionSource extends LogSource {
  readonly feed: Feed;
  readonly health: Health;
  readonly operators: Operators;
}

/** What one call answers at most, unless a batch is larger. */
const STEP_BYTES = 1_048_576;

/**
 * Follows in memory where it keeps up, and reads the log where it lags. It asks for more when it
 * has been asked for more: no other caller waits for it, and nothing is kept for it but what the
 * engine's retention keeps for all.
 */
export class LogSubscription implements Subscription {
  readonly #source: SubscriptionSource;
  readonly #walk: LogWalk;
  readonly #leave: () => void;
  #due: Sequence;
  #closed = false;

  constructor(source: SubscriptionSource, from: Sequence) {
    this.#source = source;
    this.#walk = new LogWalk(source);
    this.#due = from;
    this.#leave = source.feed.join(() => this.#due);
    if (Number.isSafeInteger(from) && from >= 1 && from <= source.durableSequence() + 1) return;
    this.#leave();
    const facts = { sequence: from, durable: source.durableSequence() };
    throw invalid("LSM_SEQUENCE_AHEAD", "the sequence is ahead of the newest write", facts);
  }

  get nextSequence(): Sequence {
    return this.#due;
  }

  async next(): Promise<readonly CommittedBatch[] | undefined> {
    const { feed, health, durableSequence } = this.#source;
    while (!this.#closed) {
      health.assertOpen();
      if (this.#due > durableSequence()) {
        await feed.changed();
        continue;
      }
      const batches = feed.from(this.#due) ?? (await this.#walk.from(this.#due));
      if (!this.#closed) return this.#handOut(batches);
    }
    return undefined;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#leave();
    this.#source.feed.wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<readonly CommittedBatch[]> {
    try {
      for (let some = await this.next(); some !== undefined; some = await this.next()) yield some;
    } finally {
      this.close();
    }
  }

  #handOut(batches: readonly WalBatch[]): readonly CommittedBatch[] {
    const { operators } = this.#source;
    const out: CommittedBatch[] = [];
    let bytes = 0;
    for (const { firstSequence, count, payload } of batches) {
      if (out.length > 0 && bytes + payload.length > STEP_BYTES) break;
      bytes += payload.length;
      // Its rows are in tables: the subscriber begins anew, with the state that has them.
      if (isIngest(payload)) {
        if (out.length > 0) break;
        throw gone(firstSequence, firstSequence + count);
      }
      const ops = decodeBatch(payload, count).map((op): WriteOp => {
        assert(op.op !== "ingest", "an ingest is the only operation of its batch");
        return op.op === "merge" ? { ...op, operator: operators.name(op.operator) } : op;
      });
      const lastSequence = firstSequence + count - 1;
      out.push({ firstSequence, lastSequence, ops });
    }
    const last = out.at(-1);
    assert(last !== undefined, "a step hands a batch out");
    const isNext = (out[0] as CommittedBatch).firstSequence <= this.#due;
    assert(isNext && last.lastSequence >= this.#due, "a step begins where the last one ended");
    this.#due = last.lastSequence + 1;
    return out;
  }
}
