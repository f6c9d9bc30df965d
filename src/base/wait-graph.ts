/**
 * Who waits for whom, whatever the kinds of their locks: a circle of waits is one that never ends.
 * Each waits for one lock at a time.
 */
export class WaitGraph {
  readonly #blockers = new Map<object, () => Iterable<object>>();

  /**
   * Notes a wait, until `end`.
   *
   * @param blockers for whom it waits, at any later time too.
   * @returns false where it would close a circle: then nothing is noted.
   */
  begin(waiter: object, blockers: () => Iterable<object>): boolean {
    if (this.#reaches(blockers(), waiter)) return false;
    this.#blockers.set(waiter, blockers);
    return true;
  }

  end(waiter: object): void {
    this.#blockers.delete(waiter);
  }

  /** Whether one of these waits, through others, for `waiter`. */
  #reaches(from: Iterable<object>, waiter: object): boolean {
    const seen = new Set(from);
    // A set shows what is added while it is walked.
    for (const one of seen) {
      if (one === waiter) return true;
      for (const next of this.#blockers.get(one)?.() ?? []) seen.add(next);
    }
    return false;
  }
}
