/**
 * Work on one thing is taken in turn, so that writers of one table do not race each other inside a
 * node: contention costs a queue, not conflicts. Between nodes the store's expectations decide.
 */
export class Turns {
  readonly #last: Map<string, Promise<unknown>> = new Map();

  /** Runs `work` after everything that was asked for under this key before. */
  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    }
  }

  /**
   * Runs `work` in the turn of every key. Turns are taken in order, so no two wait on each other.
   */
  takeAll<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    const [first, ...rest] = [...new Set(keys)].sort();
    return first === undefined ? work() : this.take(first, () => this.takeAll(rest, work));
  }
}
