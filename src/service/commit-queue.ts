import { FirnError } from "../base/error.ts";
import { SERVICE_LIMITS } from "./limits.ts";

/** Those who have a turn, or wait for one, on one thing. */
interface Queue {
  last: Promise<unknown>;
  length: number;
}

/**
 * Work on one thing is taken in turn, so that writers of one table do not race each other inside a
 * node: contention costs a queue, not conflicts. Between nodes the store's expectations decide.
 */
export class CommitQueue {
  readonly #queues: Map<string, Queue> = new Map();

  /**
   * Runs `work` after everything that was asked for under this key before.
   *
   * @throws FirnError `Overloaded`, code `TABLE_OVERLOADED`, at once, where too many wait: work
   * that would wait past its client's patience is better refused, for then nothing happened.
   */
  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    this.#assertRoom(key);
    const queue = this.#queues.get(key) ?? { last: Promise.resolve(), length: 0 };
    this.#queues.set(key, queue);
    const mine = queue.last.then(work, work);
    queue.last = mine;
    queue.length++;
    try {
      return await mine;
    } finally {
      queue.length--;
      if (queue.length === 0) this.#queues.delete(key);
    }
  }

  /** Whether one who asks for a turn now has to wait. */
  isTaken(key: string): boolean {
    return this.#queues.has(key);
  }

  /**
   * Runs `work` in the turn of every key. Turns are taken in order, so no two wait on each
   * other.
   *
   * @throws FirnError as `take`, before any turn is waited for if a queue is full by then.
   */
  async takeAll<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    for (const key of keys) this.#assertRoom(key);
    return this.#takeInOrder([...new Set(keys)].sort(), work);
  }

  #assertRoom(key: string): void {
    // The one that has its turn does not wait.
    const waiting = (this.#queues.get(key)?.length ?? 0) - 1;
    if (waiting < SERVICE_LIMITS.commitsWaiting) return;
    throw new FirnError(
      "Overloaded",
      "TABLE_OVERLOADED",
      "too many commits wait for this table: try again later",
      { waiting, limit: SERVICE_LIMITS.commitsWaiting },
    );
  }

  #takeInOrder<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    const [first, ...rest] = keys;
    return first === undefined ? work() : this.take(first, () => this.#takeInOrder(rest, work));
  }
}
